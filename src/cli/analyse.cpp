#include "cli/analyse.hpp"

#include "cli/command.hpp"

namespace consort::cli {

namespace {

constexpr AddCommand analyses[] = {add_analyse_linearise};

}  // namespace

void add_analyse(CLI::App& app, Action& action) {
  auto& c = *app.add_subcommand("analyse", "examine a system or an FMU: its linear model and eigenvalues");
  c.require_subcommand(1);
  for (const auto add : analyses) add(c, action);
}

}  // namespace consort::cli
