#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/usage.hpp"
#include "engine/version.hpp"
#include "os/crash_guard.hpp"

namespace consort::cli {

namespace {

constexpr AddCommand commands[] = {add_info,        add_check,   add_probe, add_simulate, add_run,
                                   add_cross_check, add_compare, add_plot,  add_graph,    add_analyse,
                                   add_convert,     add_new,     add_wine};

int run(int argc, char** argv) {
  CLI::App app{
      "Consort couples simulation models (FMUs of FMI 1.0, 2.0, 3.0) and reports how far the result can be trusted.",
      "consort"};
  app.set_version_flag("-V,--version", std::string("consort ") + engine::version);
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 (success), 1 (the run failed, or errors were found), 2 (bad usage or input).\n"
      "'consort help COMMAND' or 'consort COMMAND --help' describes one command.");
  Action action;
  for (const auto add : commands) add(app, action);
  const auto arguments = arguments_of(argc, argv);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // takes the last argument first
  } catch (const CLI::CallForVersion& call) {
    return app.exit(call, std::cout, std::cerr);
  } catch (const CLI::ParseError& error) {
    const auto text = usage_error(app, error, arguments);
    if (text.empty()) return app.exit(error, std::cout, std::cerr);
    fmt::print(stderr, "consort: {}\n", text);
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
