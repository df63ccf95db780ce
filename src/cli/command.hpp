// One sub-command is one file and one row of the table in main.cpp.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace consort::cli {

// What the chosen sub-command does; returns the exit status: 0, 1 (it ran and failed, or found errors). Throws Error.
using Action = std::function<int()>;

// Adds the sub-command to `app`; when it is chosen on the command line, `action` is set.
using AddCommand = void (*)(CLI::App& app, Action& action);

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

}  // namespace consort::cli
