#include "cli/new.hpp"

#include "cli/command.hpp"

namespace consort::cli {

namespace {

constexpr AddCommand kinds[] = {add_new_model};

}  // namespace

void add_new(CLI::App& app, Action& action) {
  auto& c = *app.add_subcommand("new", "create a project: a folder of files that build and pass their tests");
  c.require_subcommand(1);
  for (const auto add : kinds) add(c, action);
}

}  // namespace consort::cli
