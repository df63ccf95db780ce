// Compares an SSP package, the same system written by hand, and the package made from the latter.
#include <array>
#include <cmath>

#include "coupled.hpp"
#include "draw/diagram.hpp"
#include "engine/library.hpp"
#include "graph/compile.hpp"
#include "os/archive.hpp"
#include "ssp/from_system.hpp"

using namespace consort;
namespace fs = std::filesystem;

namespace {

// Packs the files of the package and its FMUs into an archive.
fs::path packed(const fs::path& here, const fs::path& folder) {
  const auto contents = folder / "package";
  fs::remove_all(contents);
  fs::create_directories(folder);
  fs::copy(here / "package", contents, fs::copy_options::recursive);
  for (const auto* fmu : {"HeatConductor.fmu", "PidController.fmu"})
    fs::copy(here / "../../fmus/fmi3" / fmu, contents / "resources" / fmu);
  const auto file = folder / "rod.ssp";
  fs::remove(file);
  os::pack(contents, file);
  return file;
}

double distance(const example::Outcome& a, const example::Outcome& b) {
  double largest = 0;
  for (const auto* name : {"temperature", "heat", "controller.u", "rod.left.t[4]", "rod.right.t[1]"})
    largest = std::max(largest, example::distance(a, name, b, name));
  return largest;
}

void draw(const graph::Document& document, const fs::path& to) {
  engine::Library library{engine::LibraryOptions{}};
  const auto plan = graph::compile(document.system, library.catalogue());
  std::ofstream out(to);
  out << draw::diagram_svg(document.system, plan, {"", document.sheet.get()});
  if (!out.flush()) throw run_error("{}: cannot be written; check the folder and the disk", to.string());
  fmt::print("wrote {}\n", to.string());
}

int ssp_example(const char* program, const fs::path& folder) {
  example::Figures figures;
  const auto by_hand = example::read_system(program);
  const auto file = packed(fs::path(program).parent_path(), folder);
  auto document = engine::read_system_file(file);
  document.system.experiment.step = by_hand.system.experiment.step;  // the standard cannot store it

  fmt::print("A heated rod as a package and as a file written by hand\n");
  const auto package = example::run(document);
  const auto written = example::run(by_hand);
  figures.near("temperature of the middle after 1800 s in degC", package.last("temperature"), 60, 0.5);
  figures.near("the same variable of the unit, in K", package.last("rod.left.t[4]"),
               package.last("temperature") + 273.15, 1e-9);
  figures.near("largest distance between the two runs", distance(package, written), 0, 1e-9);

  fmt::print("\nThe file written by hand, as a package made by Consort\n");
  const auto made = folder / "made.ssp";
  engine::Library library{engine::LibraryOptions{}};
  static_cast<void>(ssp::write_package(by_hand, made, {ssp::Version::v2_0, library.catalogue()}));
  figures.near("largest distance to the run of the file",
               distance(example::run(engine::read_system_file(made)), written), 0, 1e-9);

  fmt::print("\n");
  const std::array<std::string, 3> shown{"temperature", "controller.u", "heat"};
  example::write_plot(folder, "ssp", package.result, shown, "A heated rod, from a package of the SSP standard");
  draw(document, folder / "diagram.svg");
  return figures.exit_status();
}

}  // namespace

int main(int argc, char** argv) {
  return example::run_example(argc, argv, [&](const fs::path& folder) { return ssp_example(argv[0], folder); });
}
