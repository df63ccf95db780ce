// Messages of FMUs and traces of FMI calls, for commands that run units.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "base/log.hpp"

namespace consort::cli {

struct LogOptions {
  bool calls = false;
  std::string calls_file;
  bool debug = false;
};

void add_log_options(CLI::App& command, LogOptions& options);

struct Log {
  LogSink messages;
  std::function<void(std::string_view)> calls;  // null: no trace of calls
};
// Throws Error (input) if the file for the calls cannot be written.
[[nodiscard]] Log start_log(const LogOptions& options);

}  // namespace consort::cli
