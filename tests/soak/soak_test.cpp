// Loads, simulates and unloads thousands of FMUs in one process: memory, files and mappings must not grow.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "base/tests/places.hpp"
#include "engine/simulate_fmu.hpp"
#include "record/result.hpp"

namespace consort::engine {
namespace {

namespace fs = std::filesystem;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif
#else
constexpr bool sanitized = false;
#endif

// Sanitizers are slow, and keep freed memory.
constexpr int cycles = sanitized ? 300 : 5000;
constexpr int warm_up = cycles / 10;

long resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::strtol(line.c_str() + 6, nullptr, 10);
  }
  return -1;
}

std::ptrdiff_t entries(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

std::ptrdiff_t mappings() {
  std::ifstream maps("/proc/self/maps");
  std::ptrdiff_t lines = 0;
  for (std::string line; std::getline(maps, line);) ++lines;
  return lines;
}

struct Footprint {
  long kib = resident_kib();
  std::ptrdiff_t descriptors = entries("/proc/self/fd");
  std::ptrdiff_t maps = mappings();
};

void load_simulate_unload(const fs::path& file) {
  const auto fmu = fmi::Fmu::open(file);
  record::Result result;
  record::MemorySink sink(result);
  record::Sink* const sinks[] = {&sink};
  simulate_fmu(fmu, {.simulate = {.stop = 0.1, .step = 0.01}}, sinks);
  ASSERT_EQ(result.rows(), 11U);
}

TEST(Soak, ThousandsOfCyclesGrowNothing) {
  const fs::path temp = fs::path(places::scratch()) / "soak";
  fs::remove_all(temp);
  fs::create_directories(temp);
  ASSERT_EQ(::setenv("TMPDIR", temp.c_str(), 1), 0);
  const char* const files[] = {"fmi1/cs/Dahlquist.fmu", "fmi2/BouncingBall.fmu", "fmi3/BouncingBall.fmu"};
  const auto cycle = [&](int i) { load_simulate_unload(fs::path(places::fmus()) / files[i % 3]); };

  for (int i = 0; i < warm_up; ++i) cycle(i);
  const Footprint before;
  for (int i = warm_up; i < cycles; ++i) cycle(i);
  const Footprint after;

  EXPECT_EQ(after.descriptors, before.descriptors);
  EXPECT_EQ(entries(temp), 0) << "temporary folders";
  if (sanitized) return;
  EXPECT_LE(after.maps, before.maps + 4);   // the heap may take a few more
  EXPECT_LE(after.kib, before.kib + 1024);  // 1 MiB: detects a leak of 256 bytes per cycle
}

}  // namespace
}  // namespace consort::engine
