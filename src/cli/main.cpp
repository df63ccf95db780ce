#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>

#include <fmt/core.h>

#include "base/crash_guard.hpp"
#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/version.hpp"

namespace consort::cli {

namespace {

constexpr AddCommand commands[] = {add_info, add_check, add_simulate, add_cross_check, add_compare, add_plot};

int run(int argc, char** argv) {
  CLI::App app{
      "Consort couples simulation models (FMUs of FMI 1.0, 2.0, 3.0) and tells how far the result can be trusted.",
      "consort"};
  app.set_version_flag("--version", std::string("consort ") + version);
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0, 1 (it ran and failed, or found errors), 2 (bad usage or input).\n"
      "'consort COMMAND --help' tells all about one command.");
  Action action;
  for (const auto add : commands) add(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help, std::cout, std::cerr);
  } catch (const CLI::CallForVersion& call) {
    return app.exit(call, std::cout, std::cerr);
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    fmt::print(stderr, "consort: {}; 'consort {}--help' shows how it is used\n", error.what(),
               chosen.empty() ? "" : chosen.front()->get_name() + " ");
    return 2;
  }
  return action();
}

}  // namespace

}  // namespace consort::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away is a write error, not the end
  consort::install_crash_guard();
  try {
    return consort::cli::run(argc, argv);
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
