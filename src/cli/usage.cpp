#include "cli/usage.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "engine/system_files.hpp"

namespace consort::cli {

namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// The chosen command and its sub-commands, such as "new model ".
std::string chosen_commands(const CLI::App& app) {
  std::string text;
  for (auto chosen = app.get_subcommands(); !chosen.empty(); chosen = chosen.front()->get_subcommands())
    text += chosen.front()->get_name() + " ";
  return text;
}

const CLI::App& chosen_command(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& names) {
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  return suggestion(name, candidates);
}

// "; to run it: consort run car.yaml" if the command was left out.
std::string command_for(const std::string& file) {
  if (engine::is_system_file(file)) return fmt::format("; to run a system: consort run {}", file);
  if (iequals(std::filesystem::path(file).extension().string(), ".fmu"))
    return fmt::format("; to simulate an FMU: consort simulate {}", file);
  return {};
}

std::optional<std::string> unknown_command(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App* at = &app;
  for (const auto& name : arguments) {
    const auto commands = commands_of(*at);
    if (commands.empty() || name.starts_with("-")) return std::nullopt;
    const auto found =
        std::find_if(commands.begin(), commands.end(), [&](const auto* c) { return c->get_name() == name; });
    if (found == commands.end()) {
      std::vector<std::string> names;
      for (const auto* command : commands) names.push_back(command->get_name());
      auto hint = command_for(name);
      if (hint.empty()) hint = nearest_name(name, names);
      return fmt::format("there is no command {}{}", quote(name), hint);
    }
    at = *found;
  }
  return std::nullopt;
}

// "there is no option '--sett'; did you mean '--set'?", or an unexpected argument.
std::optional<std::string> surplus_text(const CLI::App& app, bool also_arguments) {
  const auto& command = chosen_command(app);
  std::vector<std::string> names;
  for (const auto* option : command.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    for (const auto& name : option->get_snames()) names.push_back("-" + name);
  }
  auto surplus = app.remaining(true);
  std::reverse(surplus.begin(), surplus.end());  // remaining() returns the last argument first
  for (const auto& argument : surplus) {
    const auto name = argument.substr(0, argument.find('='));
    if (!name.starts_with("-") || name.size() < 2) continue;
    const auto other_case = std::find_if(names.begin(), names.end(), [&](const auto& n) { return iequals(n, name); });
    if (other_case != names.end())
      return fmt::format("there is no option {}; did you mean '{}'?", quote(name), *other_case);
    if (&command != &app && (name == "-V" || name == "--version"))
      return fmt::format("there is no option {} of this command; the version is shown by 'consort {}'", quote(name),
                         name);
    return fmt::format("there is no option {}{}", quote(name), name.size() > 2 ? nearest_name(name, names) : "");
  }
  if (surplus.empty() || !also_arguments) return std::nullopt;
  return fmt::format("unexpected argument {}", quote(surplus.front()));
}

// The option whose name is in the text of an error.
const CLI::Option* option_in(const CLI::App& command, const std::string& text) {
  const CLI::Option* found = nullptr;
  for (const auto* option : command.get_options()) {
    const auto name = option->get_name();
    const bool longer = found == nullptr || name.size() > found->get_name().size();
    if (longer && text.find(name) != std::string::npos) found = option;
  }
  return found;
}

std::string kind_of(const CLI::Option& option) {
  const auto type = option.get_type_name();
  if (option.get_expected_max() == 0) return "no value";
  if (type.starts_with("FLOAT")) return "a number";
  if (type.starts_with("INT") || type.starts_with("UINT")) return "a whole number";
  return fmt::format("a {}", type);
}

// The parser's own sentences about values, in ours.
std::string value_text(const CLI::App& app, const CLI::ParseError& error) {
  std::string text = error.what();
  const auto* const option = option_in(chosen_command(app), text);
  if (option == nullptr) return text;
  const auto name = option->get_name();
  const auto value = option->results().empty() ? std::string() : option->results().back();
  const std::string kind = error.get_name();
  if (kind == "ConversionError") return fmt::format("{} takes {}, not {}", name, kind_of(*option), quote(value));
  if (kind == "ArgumentMismatch")
    return text.find("missing") != std::string::npos ? fmt::format("{} needs a value", name)
                                                     : fmt::format("{} is given more than once; give it once", name);
  if (kind == "ExcludesError")
    return text.substr(0, text.find(' ')) + " cannot be combined with " + text.substr(text.rfind(' ') + 1);
  const auto begin = text.find('{'), end = text.rfind('}');
  if (kind != "ValidationError" || begin == std::string::npos || end == std::string::npos) return text;
  std::vector<std::string> choices;
  for (const auto choice : split(std::string_view(text).substr(begin + 1, end - begin - 1), ','))
    choices.emplace_back(choice);
  return fmt::format("{} takes {}, not {}{}", name, fmt::join(choices, " or "), quote(value),
                     nearest_name(value, choices));
}

std::string sentence(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& arguments) {
  if (const auto text = unknown_command(app, arguments)) return *text;
  const bool extras = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  if (const auto text = surplus_text(app, extras)) return *text;
  if (error.get_name() == "RequiredError" && !commands_of(chosen_command(app)).empty()) return "a command is required";
  return value_text(app, error);
}

}  // namespace

std::vector<std::string> arguments_of(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + std::max(1, argc));
  if (arguments.empty()) return arguments;
  if (arguments.front() == "version") arguments.front() = "--version";
  if (arguments.front() != "help") return arguments;
  arguments.erase(arguments.begin());
  arguments.emplace_back("--help");
  return arguments;
}

std::string usage_error(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& arguments) {
  if (error.get_name() == "CallForHelp" && !unknown_command(app, arguments)) return {};
  const auto text = sentence(app, error, arguments);
  const bool lists = text.starts_with("there is no command") || text == "a command is required";
  return fmt::format("{}; 'consort {}--help' {}", text, chosen_commands(app), lists ? "lists them" : "shows the usage");
}

}  // namespace consort::cli
