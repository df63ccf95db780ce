#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/fmu_options.hpp"
#include "cli/written_files.hpp"
#include "draw/diagram.hpp"
#include "engine/library.hpp"
#include "engine/system_files.hpp"
#include "graph/compile.hpp"
#include "graph/outline.hpp"

namespace consort::cli {

namespace {

struct GraphOptions {
  std::string system;
  std::string variant;
  bool allow_outside = false;
  std::string layout;
  std::vector<std::string> output_files;
  std::string title;
  fmi::OpenOptions open;
};

std::string ending_of(const std::string& file) {
  auto ending = std::filesystem::path(file).extension().string();
  require(ending == ".svg" || ending == ".dot" || ending == ".gv",
          "{}: diagrams are written as .svg or .dot; choose one of these endings", file);
  return ending;
}

// A package can be drawn without its FMUs: a unit that cannot be opened is drawn with the connectors that the package
// declares. If the system cannot be compiled, all units are drawn this way. For other files, errors are reported
// instead, because the user can correct them.
graph::Plan compile_to_draw(const graph::System& system, const graph::Catalogue& catalogue, graph::Outlines& outlines) {
  const graph::Catalogue known = [&](const graph::Component& c) -> const describe::Description& {
    try {
      return catalogue(c);
    } catch (const Error& problem) {
      if (problem.fault() != Fault::input || !outlines.has(c)) throw;
      fmt::print(stderr, "note: a unit is drawn with the connectors declared in the file: {}\n", problem.what());
      return outlines(c);
    }
  };
  try {
    return graph::compile(system, known);
  } catch (const Error& problem) {
    if (problem.fault() != Fault::input) throw;
    fmt::print(stderr, "warning: the system cannot be run: {}\n", problem.what());
    return graph::compile(
        outlines.system(), [&](const graph::Component& c) -> const auto& { return outlines(c); });
  }
}

// The stored positions; null: automatic layout.
const graph::Sheet* sheet_of(const graph::Document& document, const graph::Plan& plan, const GraphOptions& o) {
  const auto* const sheet = document.sheet.get();
  if (sheet == nullptr || !o.layout.empty()) return o.layout == "auto" ? nullptr : sheet;
  const auto why = draw::why_illegible(document.system, plan, *sheet);
  if (why.empty()) return sheet;
  fmt::print(stderr,
             "note: with the positions that the package stores, {}; so positions are computed (--layout stored keeps "
             "them)\n",
             why);
  return nullptr;
}

int draw_graph(const GraphOptions& o) {
  auto files = o.output_files;
  if (files.empty()) files.push_back(std::filesystem::path(o.system).stem().string() + ".svg");
  for (const auto& file : files) static_cast<void>(ending_of(file));
  const auto document = engine::read_system_file(o.system, {o.variant, o.allow_outside, true});
  engine::LibraryOptions from;
  from.open = o.open;
  engine::Library library(std::move(from));
  graph::Outlines outlines(document.system);
  const bool package = document.sheet != nullptr;
  const auto plan = package ? compile_to_draw(document.system, library.catalogue(), outlines)
                            : graph::compile(document.system, library.catalogue());
  fmt::print("{} units, {} connections, {} algebraic loops\n", plan.units.size(), plan.connections.size(),
             plan.loops.size());
  for (const auto& loop : plan.loops) {
    fmt::print("loop of {} variables: {}\n", loop.variables.size(),
               quote(fmt::format("{}", fmt::join(loop.variables, " → ")), 400));
  }
  for (const auto& note : plan.notes) fmt::print(stderr, "note: {}\n", note);
  const draw::DiagramOptions options{o.title, sheet_of(document, plan, o)};
  for (const auto& file : files) {
    const auto picture = ending_of(file) == ".svg" ? draw::diagram_svg(document.system, plan, options)
                                                   : draw::diagram_dot(document.system, plan, options);
    write_file(file, picture, "the diagram");
  }
  return 0;
}

}  // namespace

void add_graph(CLI::App& app, Action& action) {
  auto o = std::make_shared<GraphOptions>();
  auto& c = *app.add_subcommand("graph", "draw the block diagram of a system and mark its algebraic loops");
  c.add_option("SYSTEM", o->system, "a system file")->required();
  c.add_option("--variant", o->variant, "name of the system, if the package has several");
  c.add_flag("--allow-outside", o->allow_outside, "allow an SSD file or folder to refer to files outside its folder");
  c.add_option("--output-file,-o", o->output_files,
               "NAME.svg or NAME.dot, any number of times (default: SYSTEM.svg in the current folder)")
      ->take_all()
      ->allow_extra_args(false);
  c.add_option("--layout", o->layout,
               "positions of boxes: those that a package stores, or computed ones (default: stored if that is legible)")
      ->check(CLI::IsMember({"stored", "auto"}));
  c.add_option("--title", o->title, "title (default: the name of the system)");
  add_open_options(c, o->open);
  c.callback([o, &action] { action = [o] { return draw_graph(*o); }; });
}

}  // namespace consort::cli
