#include "cli/command_line.hpp"

#include <fstream>

#include "record/formats.hpp"

namespace consort::cli {

namespace {

std::string in_shell_quotes(const std::string& text) {
  constexpr auto plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

std::string command_line() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::string argument;
  std::getline(in, argument, '\0');  // the program, whose folder is of no interest
  std::string text = "consort";
  while (std::getline(in, argument, '\0')) text += " " + in_shell_quotes(argument);
  return text;
}

std::optional<engine::Origin> origin_of(const std::filesystem::path& result) {
  if (record::format_of(result).read_facts == nullptr) return std::nullopt;
  return engine::Origin{command_line(), result.parent_path()};
}

}  // namespace consort::cli
