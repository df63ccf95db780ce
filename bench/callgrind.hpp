// Instructions of a command, counted by callgrind. The result does not depend on the machine or its load.
#pragma once

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>

#include <fmt/core.h>
#include <unistd.h>

#include "measure.hpp"

namespace consort::bench {

inline bool has_callgrind() {
  return std::system("command -v valgrind > /dev/null 2>&1") == 0;  // NOLINT: a fixed command
}

// Instructions in the FMU's library and outside of it, from callgrind's file.
struct Counts {
  double inside = 0, outside = 0;
};

inline Counts read_counts(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::map<std::string, std::string> objects;
  std::string line, object;
  Counts counts;
  bool skip = false;  // the line after "calls=" has the cost of the callee
  while (std::getline(in, line)) {
    if (line.starts_with("ob=") || line.starts_with("cob=")) {
      // A name is given only at its first occurrence.
      const auto equals = line.find('=');
      const auto id = line.substr(equals + 1, line.find(')') - equals);
      if (line.size() > equals + 1 + id.size()) objects[id] = line.substr(equals + 1 + id.size());
      if (equals == 2) object = objects[id];
    } else if (line.starts_with("calls=")) {
      skip = true;
    } else if (!line.empty() && (std::isdigit(static_cast<unsigned char>(line[0])) != 0 || line[0] == '+' ||
                                 line[0] == '-' || line[0] == '*')) {
      if (std::exchange(skip, false)) continue;
      const auto blank = line.find(' ');
      if (blank == std::string::npos) continue;
      const double cost = std::strtod(line.c_str() + blank, nullptr);
      (object.find("/binaries/") != std::string::npos ? counts.inside : counts.outside) += cost;
    }
  }
  return counts;
}

inline Counts count_instructions(const std::string& command) {
  const auto file = std::filesystem::temp_directory_path() / fmt::format("consort_callgrind_{}", ::getpid());
  (void)output_of(fmt::format("valgrind --tool=callgrind --callgrind-out-file='{}' {} 2>&1", file.string(), command));
  const Counts counts = read_counts(file);
  std::filesystem::remove(file);
  return counts;
}

}  // namespace consort::bench
