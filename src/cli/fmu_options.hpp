// Options common to all commands that open an FMU.
#pragma once

#include <charconv>
#include <chrono>
#include <cmath>
#include <string>
#include <system_error>

#include <CLI/CLI.hpp>

#include "base/error.hpp"
#include "engine/system_files.hpp"
#include "fmi/fmu.hpp"

namespace consort::cli {

// Replaces CLI11's own check, whose message prints the largest double.
inline std::string positive(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  const bool good = read.ec == std::errc() && read.ptr == end && std::isfinite(value) && value > 0;
  return good ? std::string() : "'" + text + "' is not a positive number";
}

// Throws Error (input) with the command for systems if `file` is one.
inline void require_fmu(const std::string& file) {
  require(!engine::is_system_file(file), "{0}: is a system, not an FMU; run it with: consort run {0}", file);
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

// For commands that run FMUs.
inline void add_platform_options(CLI::App& command, fmi::OpenOptions& options) {
  command.add_option_function<std::string>(
      "--platform", [&options](const std::string& name) { options.platform = fmi::platform_of(name); },
      "run this binary: linux64, win64 (through Wine), linux32, win32; default: the first that this machine can run");
  command
      .add_option_function<double>(
          "--call-limit", [&options](double s) { options.call_limit = std::chrono::duration<double>(s); },
          "end a program that runs a foreign binary if one call takes longer, in s")
      ->check(positive);
}

}  // namespace consort::cli
