#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <system_error>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/version.hpp"
#include "os/crash_guard.hpp"

namespace consort::cli {

namespace {

constexpr AddCommand commands[] = {add_info,    add_check, add_probe, add_simulate, add_run, add_cross_check,
                                   add_compare, add_plot,  add_graph, add_convert,  add_new};

// The chosen command and its sub-commands, such as "new model ".
std::string chosen_commands(const CLI::App& app) {
  std::string text;
  for (auto chosen = app.get_subcommands(); !chosen.empty(); chosen = chosen.front()->get_subcommands()) {
    text += chosen.front()->get_name() + " ";
  }
  return text;
}

// Reports an unknown command; true if there was one.
bool is_unknown_command(const CLI::App& app, int argc, char** argv) {
  const CLI::App* at = &app;
  for (int i = 1; i < argc && argv[i][0] != '-'; ++i) {
    const auto commands_here = at->get_subcommands([](const CLI::App*) { return true; });
    if (commands_here.empty()) return false;
    const std::string name = argv[i];
    const auto found = std::find_if(commands_here.begin(), commands_here.end(),
                                    [&](const CLI::App* command) { return command->get_name() == name; });
    if (found == commands_here.end()) {
      std::vector<std::string> names;
      for (const auto* command : commands_here) names.push_back(command->get_name());
      const std::vector<std::string_view> candidates(names.begin(), names.end());
      fmt::print(stderr, "consort: there is no command {}{}; 'consort {}--help' lists them\n", quote(name),
                 suggestion(name, candidates), chosen_commands(app));
      return true;
    }
    at = *found;
  }
  return false;
}

// Describes the first unknown option ("there is no option '--sett'; did you mean '--set'?") or unexpected argument.
std::string surplus_text(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  std::vector<std::string> names;
  for (const auto* option : command->get_options())
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  auto surplus = app.remaining(true);
  std::reverse(surplus.begin(), surplus.end());  // remaining() returns the last argument first
  for (const auto& argument : surplus) {
    const auto name = argument.substr(0, argument.find('='));
    if (name.starts_with("-") && name.size() > 1)
      return fmt::format("there is no option {}{}", quote(name), suggestion(name, candidates));
  }
  return fmt::format("unexpected argument {}", quote(surplus.empty() ? "" : surplus.front()));
}

int run(int argc, char** argv) {
  CLI::App app{
      "Consort couples simulation models (FMUs of FMI 1.0, 2.0, 3.0) and reports how far the result can be trusted.",
      "consort"};
  app.set_version_flag("--version", std::string("consort ") + version);
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 (success), 1 (the run failed, or errors were found), 2 (bad usage or input).\n"
      "'consort COMMAND --help' describes one command.");
  Action action;
  for (const auto add : commands) add(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help, std::cout, std::cerr);
  } catch (const CLI::CallForVersion& call) {
    return app.exit(call, std::cout, std::cerr);
  } catch (const CLI::ExtrasError&) {
    if (is_unknown_command(app, argc, argv)) return 2;
    fmt::print(stderr, "consort: {}; 'consort {}--help' shows the usage\n", surplus_text(app), chosen_commands(app));
    return 2;
  } catch (const CLI::ParseError& error) {
    if (is_unknown_command(app, argc, argv)) return 2;
    fmt::print(stderr, "consort: {}; 'consort {}--help' shows the usage\n", error.what(), chosen_commands(app));
    return 2;
  }
  return action();
}

// Reports that the standard output could not be written completely. No message if the reader closed the pipe (`|
// head`).
int say_unwritten(int error) {
  if (error != EPIPE) {
    fmt::print(stderr, "consort: the standard output cannot be written: {}; check the disk\n",
               std::generic_category().message(error));
  }
  return 1;
}

int run_and_flush(int argc, char** argv) {
  int status = 0;
  errno = 0;
  try {
    status = run(argc, argv);
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) == 0) throw;
    return say_unwritten(error.code().value());
  }
  errno = 0;
  std::cout.flush();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout)
    return say_unwritten(errno == 0 ? EIO : errno);
  return status;
}

}  // namespace

}  // namespace consort::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe shall be a write error and not end the program
  std::signal(SIGXFSZ, SIG_IGN);  // the same for a file that reaches the size limit
  consort::os::install_crash_guard();
  try {
    return consort::cli::run_and_flush(argc, argv);
  } catch (const consort::Error& error) {
    fmt::print(stderr, "consort: {}\n", error.what());
    return error.exit_status();
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "consort: there is not enough memory for this; close other programs or use a smaller model\n");
    return 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "consort: internal error: {}; please report this\n", error.what());
    return 1;
  }
}
