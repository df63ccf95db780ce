// Time and memory needed to read a large modelDescription.xml.
#include <filesystem>
#include <sstream>
#include <vector>

#include <fmt/core.h>

#include "fmi/fmu.hpp"
#include "measure.hpp"

namespace consort::bench {
namespace {

namespace fs = std::filesystem;

fs::path description_file(int version, int count) {
  return fs::path(CONSORT_DESCRIPTIONS) / fmt::format("fmi{}_{}.xml", version, count);
}

describe::Description read(const fs::path& file) {
  Diagnostics diagnostics;
  return fmi::read_description(XmlDocument::load(file, file.filename().string()), diagnostics);
}

void parse_bare(const fs::path& file) {
  pugi::xml_document document;
  if (!document.load_file(file.c_str(), pugi::parse_default)) fmt::print("{}: cannot be parsed\n", file.string());
}

// Runs in a separate process, as in an importer: no memory is warm, and the peak contains nothing else.
int measure_alone(const std::string& what, const fs::path& file) {
  const double before = status_bytes("VmRSS");
  const double begun = cpu_seconds();
  if (what == "--bare") {
    parse_bare(file);
    fmt::print("{}\n", cpu_seconds() - begun);
    return 0;
  }
  const auto description = read(file);
  const double seconds = cpu_seconds() - begun;
  fmt::print("{} {} {}\n", seconds, status_bytes("VmHWM") - before, status_bytes("VmRSS") - before);
  return 0;
}

struct Alone {
  double seconds = std::numeric_limits<double>::infinity();
  double peak = 0, resident = 0;
};

Alone run_alone(const char* program, const char* what, const fs::path& file) {
  Alone best;
  for (int i = 0; i < 7; ++i) {
    std::istringstream text(output_of(fmt::format("'{}' {} '{}'", program, what, file.string())));
    Alone one;
    text >> one.seconds >> one.peak >> one.resident;
    if (one.seconds < best.seconds) best = one;
  }
  return best;
}

double lookups_per_second(int version, int count) {
  const auto d = read(description_file(version, count));
  constexpr std::size_t lookups = 200'000;
  std::size_t found = 0;
  const double seconds = best_of(5, [&] {
    // The stride is coprime to the count, so that consecutive look-ups are not neighbours in the file.
    std::size_t at = 0;
    for (std::size_t i = 0; i < lookups; ++i) {
      at = (at + 7919) % d.variables.size();
      if (d.find(d.variables[at].name) == at) ++found;
    }
  });
  if (found != 5 * lookups) fmt::print("look-ups found {} of {} names\n", found, 5 * lookups);
  return static_cast<double>(lookups) / seconds;
}

void measure(const char* program, int version) {
  const auto file = description_file(version, 100'000);
  const auto size = static_cast<double>(fs::file_size(file));
  const Alone bare = run_alone(program, "--bare", file);
  const Alone ours = run_alone(program, "--ours", file);
  fmt::print("{:<9} {:>8.1f} {:>9.1f} {:>9.1f} {:>7.2f} {:>7.2f} {:>9.2f} {:>10.1f} {:>10.1f}\n",
             fmt::format("FMI {}.0", version), size / 1e6, 1e3 * bare.seconds, 1e3 * ours.seconds,
             ours.seconds / bare.seconds, ours.peak / size, ours.resident / size,
             lookups_per_second(version, 1000) / 1e6, lookups_per_second(version, 100'000) / 1e6);
}

int main_of(int argc, char** argv) {
  if (argc == 3) return measure_alone(argv[1], argv[2]);
  fmt::print("{:<9} {:>8} {:>9} {:>9} {:>7} {:>7} {:>9} {:>10} {:>10}\n", "100,000", "file", "pugixml", "ours", "time",
             "peak", "resident", "look-ups", "look-ups");
  fmt::print("{:<9} {:>8} {:>9} {:>9} {:>7} {:>7} {:>9} {:>10} {:>10}\n", "variables", "MB", "ms", "ms", "ratio",
             "/ file", "/ file", "1e6/s @1k", "@100k");
  for (const int version : {1, 2, 3}) measure(argv[0], version);
  fmt::print(
      "targets: time ratio <= 5, peak <= 6, resident <= 2, look-ups independent of the size, except for cache "
      "misses\n");
  return 0;
}

}  // namespace
}  // namespace consort::bench

int main(int argc, char** argv) { return consort::bench::main_of(argc, argv); }
