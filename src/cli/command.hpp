// Each sub-command has one file and one row in the table in main.cpp.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace consort::cli {

// Runs the chosen sub-command and returns the exit status: 0, or 1 if it failed or found errors. Throws Error.
using Action = std::function<int()>;

// Adds the sub-command to `app`. If the command line selects it, parsing sets `action`, which must outlive `app`.
using AddCommand = void (*)(CLI::App& app, Action& action);

void add_analyse(CLI::App& app, Action& action);
void add_check(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_convert(CLI::App& app, Action& action);
void add_cross_check(CLI::App& app, Action& action);
void add_graph(CLI::App& app, Action& action);
void add_info(CLI::App& app, Action& action);
void add_new(CLI::App& app, Action& action);
void add_plot(CLI::App& app, Action& action);
void add_probe(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action);
void add_simulate(CLI::App& app, Action& action);
void add_wine(CLI::App& app, Action& action);

}  // namespace consort::cli
