// Helpers of the measurements: the best of several runs, and the kernel's data about this process.
#pragma once

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

#include <time.h>

namespace consort::bench {

// Processor time of this process in s, which depends less on other load than wall time does.
inline double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Time of the fastest of `runs` runs, which was disturbed least.
template <class Work>
double best_of(int runs, Work&& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < runs; ++i) {
    const double begun = cpu_seconds();
    work();
    best = std::min(best, cpu_seconds() - begun);
  }
  return best;
}

// A line of /proc/self/status in bytes: "VmHWM" (the peak), "VmRSS" (now).
inline double status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key + ":")) return 1024 * std::strtod(line.c_str() + key.size() + 1, nullptr);
  }
  return 0;
}

// The output of a command.
inline std::string output_of(const std::string& command) {
  std::string text;
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), static_cast<int>(buffer.size()), pipe) != nullptr) text += buffer.data();
  ::pclose(pipe);
  return text;
}

}  // namespace consort::bench
