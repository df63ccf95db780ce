#include "cli/log_options.hpp"

#include <cstdio>
#include <memory>

#include <fmt/core.h>

#include "base/error.hpp"

namespace consort::cli {

namespace {

// Where a trace of all FMI calls goes: a file, or stderr.
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
  command.add_flag("--log-fmi-calls,--log-fmi", options.calls, "show every call into the FMUs");
  command.add_option("--fmi-log-file", options.calls_file, "write the calls to a file instead");
  command.add_flag("--debug-logging", options.debug, "switch the FMUs' own logging on and show all of it");
}

Log start_log(const LogOptions& options) {
  Log log;
  log.messages = [all = options.debug](const LogMessage& m) { print_message(m, all); };
  if (!options.calls && options.calls_file.empty()) return log;
  log.calls = [file = open_trace(options.calls_file)](std::string_view line) {
    fmt::print(file.get(), "{}\n", line);
    std::fflush(file.get());  // the last line before a crash is the one that matters
  };
  return log;
}

}  // namespace consort::cli
