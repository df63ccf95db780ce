// Explains command lines that cannot be understood.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace consort::cli {

// The arguments without the program's name; "help NAME" is "NAME --help", "version" is "--version".
[[nodiscard]] std::vector<std::string> arguments_of(int argc, char** argv);

// One sentence: what is wrong with `arguments`, the nearest names, and the help to ask for. `error` is what parsing
// them threw. Empty for a call for the help of an existing command.
[[nodiscard]] std::string usage_error(const CLI::App& app, const CLI::ParseError& error,
                                      const std::vector<std::string>& arguments);

}  // namespace consort::cli
