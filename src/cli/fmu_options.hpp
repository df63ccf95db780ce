// Options common to all commands that open an FMU.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "fmi/fmu.hpp"

namespace consort::cli {

// Replaces CLI11's own check, whose message prints the largest double.
inline std::string positive(const std::string& text) {
  const bool digits = !text.empty() && text.find_first_not_of("0123456789.eE+") == std::string::npos;
  return digits && text.find_first_of("123456789") != std::string::npos ? std::string()
                                                                        : "'" + text + "' is not a positive number";
}

inline void add_open_options(CLI::App& command, fmi::OpenOptions& options) {
  command.add_flag("--strict", options.strict, "refuse an FMU that breaks a rule of the standard");
  command.add_option("--max-unpacked-bytes", options.archive.total_bytes, "refuse archives that unpack to more")
      ->check(positive)
      ->capture_default_str();
  command.add_option("--max-entries", options.archive.entries, "refuse archives with more entries")
      ->check(positive)
      ->capture_default_str();
  command.add_option("--max-ratio", options.archive.ratio, "refuse entries that grow by a larger factor when unpacked")
      ->check(positive)
      ->capture_default_str();
}

}  // namespace consort::cli
