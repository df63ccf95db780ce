// Compares a whole Model Exchange simulation with fmusim, the simulator of the Reference FMUs: the same FMU, tolerance,
// grid and outputs, from the command line to the CSV file. Exit status 1 if Consort takes longer.
//
//   CONSORT_FMUSIM=…/fmusim CONSORT_REFERENCE_FMUS=…/fmus bench_me
//
// The folder of Reference FMUs must contain VanDerPol.fmu. Both programs run alternately. The result is the processor
// time of the whole process, the best of several runs.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "os/temp_folder.hpp"

namespace {

using consort::require;
using Command = std::vector<std::string>;

constexpr const char* limit_of_rows = "1e5 rows";

// Processor time of a whole process in s.
double run(const Command& command) {
  std::vector<char*> arguments;
  for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = ::fork();
  require(child >= 0, "a process cannot be started; try again with fewer running processes");
  if (child == 0) {
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  int status = 0;
  rusage used{};
  ::wait4(child, &status, 0, &used);
  require(WIFEXITED(status) && WEXITSTATUS(status) == 0, "'{}' failed; run it by hand to see the reason",
          command.front());
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::size_t lines(const std::filesystem::path& file) {
  const auto text = consort::read_file(file);
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

int compare() {
  const std::string fmusim = variable("CONSORT_FMUSIM");
  const std::string folder = variable("CONSORT_REFERENCE_FMUS");
  if (fmusim.empty() || folder.empty()) {
    fmt::print(
        "skipped: set CONSORT_FMUSIM to the program and CONSORT_REFERENCE_FMUS to the folder with VanDerPol.fmu\n");
    return 0;
  }
  const consort::os::TempFolder results;
  const auto theirs_file = results.path() / "theirs.csv";
  const auto ours_file = results.path() / "ours.csv";
  const Command common{"--interface-type", "me", "--solver",          "cvode", "--tolerance",  "1e-6",
                       "--stop-time",      "20", "--output-interval", "2e-4",  "--output-file"};
  const std::string fmu = folder + "/VanDerPol.fmu";
  Command theirs{fmusim};
  Command ours{CONSORT_PROGRAM, "simulate", "--quiet"};
  for (auto* const command : {&theirs, &ours}) command->insert(command->end(), common.begin(), common.end());
  theirs.insert(theirs.end(), {theirs_file.string(), fmu});
  ours.insert(ours.end(), {ours_file.string(), fmu});

  double best_theirs = std::numeric_limits<double>::infinity();
  double best_ours = best_theirs;
  for (int i = 0; i < 9; ++i) {
    best_theirs = std::min(best_theirs, run(theirs));
    best_ours = std::min(best_ours, run(ours));
  }
  const double ratio = best_ours / best_theirs;
  const bool good = ratio <= 1.0;
  fmt::print(
      "VanDerPol, Model Exchange, {}: fmusim {:.3f} s ({} lines), ours {:.3f} s ({} lines): {:.2f} times, at most 1 "
      "{}\n",
      limit_of_rows, best_theirs, lines(theirs_file), best_ours, lines(ours_file), ratio, good ? "" : "TOO MUCH");
  return good ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return compare();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
