#include "program.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/tests/places.hpp"

namespace consort::cli_tests {

using Clock = std::chrono::steady_clock;

std::string read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string fmu(const std::string& name) { return (fs::path(places::fmus()) / name).string(); }

bool wait_for_size(const fs::path& file, std::uintmax_t bytes) {
  const auto end = Clock::now() + std::chrono::seconds(30);
  while (Clock::now() < end) {
    std::error_code none;
    if (const auto size = fs::file_size(file, none); !none && size >= bytes) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

// --- Program

Program::~Program() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Program::send(int signal) const { ::kill(pid_, signal); }

Ended Program::wait(std::chrono::seconds patience) {
  const auto end = Clock::now() + patience;
  int status = 0;
  while (::waitpid(pid_, &status, WNOHANG) == 0) {
    if (Clock::now() > end) {
      ADD_FAILURE() << "the program did not end within " << patience.count() << " s and was killed";
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, &status, 0);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  pid_ = -1;
  Ended ended;
  if (WIFEXITED(status)) ended.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
  ended.out = read_text(out_);
  ended.err = read_text(err_);
  return ended;
}

// --- Desk

Desk::Desk() : root_("cli-test"), folder_(root_.path() / "work") {
  fs::create_directory(folder_);
  fs::create_directory(temp());
}

void Desk::write(const std::string& name, const std::string& text) const {
  std::ofstream(folder_ / name, std::ios::binary) << text;
}

std::string Desk::read(const std::string& name) const { return read_text(folder_ / name); }

namespace {

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::vector<std::string> Desk::files() const { return names_in(folder_); }
std::vector<std::string> Desk::left_behind() const { return names_in(temp()); }

Program Desk::start(std::vector<std::string> arguments, const std::string& standard_output) const {
  const fs::path out = root_.path() / "stdout", err = root_.path() / "stderr";
  const std::string to = standard_output.empty() ? out.string() : standard_output;
  arguments.insert(arguments.begin(), places::program());
  std::vector<char*> raw;
  for (auto& a : arguments) raw.push_back(a.data());
  raw.push_back(nullptr);
  const std::string temp_folder = temp().string();
  const pid_t pid = ::fork();
  if (pid < 0) throw run_error("cannot start a process for the test");
  if (pid == 0) {
    const int out_fd = ::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int err_fd = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (out_fd < 0 || err_fd < 0 || ::chdir(folder_.c_str()) != 0) ::_exit(99);
    ::dup2(out_fd, STDOUT_FILENO);
    ::dup2(err_fd, STDERR_FILENO);
    ::setenv("TMPDIR", temp_folder.c_str(), 1);
    ::execv(raw[0], raw.data());
    ::_exit(98);
  }
  return {pid, standard_output.empty() ? out : fs::path("/dev/null"), err};
}

Ended Desk::run(std::vector<std::string> arguments, const std::string& standard_output) const {
  return start(std::move(arguments), standard_output).wait();
}

void expect_one_paragraph(const Ended& ended, int status) {
  EXPECT_EQ(ended.status, status) << ended.err;
  EXPECT_EQ(ended.signal, 0);
  EXPECT_EQ(ended.out, "");
  EXPECT_TRUE(ended.err.starts_with("consort: ")) << ended.err;
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  EXPECT_TRUE(ended.err.ends_with("\n")) << ended.err;
}

}  // namespace consort::cli_tests
