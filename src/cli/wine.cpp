// consort wine: prepares, shows and removes what FMUs for Windows need on this machine.
#include "fmi/foreign/wine.hpp"

#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "fmi/foreign/library.hpp"

namespace consort::cli {

namespace {

struct WineOptions {
  bool remove = false;
};

int wine(const WineOptions& o) {
  using namespace fmi::foreign;
  if (o.remove) {
    const bool removed = remove_prefixes();
    fmt::print("{} {}\n", removed ? "removed" : "nothing to remove in", prefix_root().string());
    return 0;
  }
  int runnable = 0;
  for (const auto platform : {fmi::Platform::win64, fmi::Platform::win32}) {
    const auto problem = cannot_run(platform);
    runnable += problem.empty() ? 1 : 0;
    fmt::print("{}: {}\n", name_of(platform), problem.empty() ? "FMUs run" : problem);
  }
  const auto found = find_wine();
  if (found) {
    fmt::print("Wine: {}\n", found->program.string());
    fmt::print("its files for Consort: {}\n", prepare_prefix(*found).string());
  }
  return runnable > 0 ? 0 : 1;
}

}  // namespace

void add_wine(CLI::App& app, Action& action) {
  auto o = std::make_shared<WineOptions>();
  auto& c = *app.add_subcommand("wine", "prepare what FMUs for Windows need on this machine, and show if they can run");
  c.add_flag("--remove", o->remove, "remove the files that were prepared");
  c.callback([o, &action] { action = [o] { return wine(*o); }; });
}

}  // namespace consort::cli
