// Messages for people, from us and from the units. Whoever runs the show (command line, Python, a test) says where they
// go.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace consort {

enum class LogLevel { debug, info, warning, error };
[[nodiscard]] std::string_view name_of(LogLevel level);

struct LogMessage {
  LogLevel level = LogLevel::info;
  std::string unit;      // the instance that said it; empty when we did
  std::string category;  // the unit's own category, for example "logEvents"; empty when we did
  std::string text;      // one message without a trailing new line
};

using LogSink = std::function<void(const LogMessage&)>;

}  // namespace consort
