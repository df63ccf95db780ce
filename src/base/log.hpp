// Messages for people, from Consort and from the units. The main program (command line, Python, a test) chooses the
// sink.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace consort {

enum class LogLevel { debug, info, warning, error };
[[nodiscard]] std::string_view name_of(LogLevel level);

struct LogMessage {
  LogLevel level = LogLevel::info;
  std::string unit;      // the instance that sent the message; empty: Consort
  std::string category;  // the unit's own category, for example "logEvents"; empty: Consort
  std::string text;      // one message, no trailing new line
};

using LogSink = std::function<void(const LogMessage&)>;

}  // namespace consort
