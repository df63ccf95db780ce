#include "cli/log_options.hpp"

#include <cstdio>
#include <memory>

#include <fmt/core.h>

#include "base/error.hpp"

namespace consort::cli {

namespace {

// Opens the file for the trace of all FMI calls; empty name: stderr.
std::shared_ptr<std::FILE> open_trace(const std::string& name) {
  if (name.empty()) return {stderr, [](std::FILE*) {}};
  std::FILE* const file = std::fopen(name.c_str(), "w");
  require(file != nullptr, "{}: cannot be written; choose another --fmi-log-file", name);
  return {file, [](std::FILE* f) { std::fclose(f); }};
}

void print_message(const LogMessage& m, bool all) {
  if (!all && m.level < LogLevel::warning) return;
  fmt::print(stderr, "[{}] {}{}{}: {}\n", name_of(m.level), m.unit, m.category.empty() ? "" : " ", m.category, m.text);
}

}  // namespace

void add_log_options(CLI::App& command, LogOptions& options) {
  command.add_flag("--log-fmi-calls,--log-fmi", options.calls, "print every FMI call");
  command.add_option("--fmi-log-file", options.calls_file, "write the FMI calls to this file instead");
  command.add_flag("--debug-logging", options.debug, "enable the FMUs' own logging and print all messages");
}

Log start_log(const LogOptions& options) {
  Log log;
  log.messages = [all = options.debug](const LogMessage& m) { print_message(m, all); };
  if (!options.calls && options.calls_file.empty()) return log;
  log.calls = [file = open_trace(options.calls_file)](std::string_view line) {
    fmt::print(file.get(), "{}\n", line);
    std::fflush(file.get());  // the last line before a crash must not be lost
  };
  return log;
}

}  // namespace consort::cli
