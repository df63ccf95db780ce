// A chain with FMUs of every version and interface moves like a chain whose links are equal FMUs.
#include <array>

#include "coupled.hpp"

using namespace consort;

namespace {

int mixed_versions(const char* program, const std::filesystem::path& folder) {
  example::Figures figures;
  const auto mixed = example::run(example::read_system(program));
  const auto alike = example::run(example::read_system(program, "alike.yaml"));
  fmt::print("A chain of six links\n");
  for (const auto& unit : mixed.report.units) fmt::print("  {:<6} {}\n", unit.name, unit.kind);
  constexpr std::array links{"one", "two", "three", "four", "five", "six"};
  fmt::print("\nCompared with a chain of six FMI 3.0 units for Model Exchange, over 5 s\n");
  for (const auto* link : links) {
    const auto name = fmt::format("{}.x", link);
    double largest = 0;
    for (const double x : mixed.result[name].numbers) largest = std::max(largest, std::abs(x));
    const double apart = example::distance(mixed, name, alike, name);
    // The coupling error is the same in both chains; only the errors of the units' solvers differ.
    figures.check(largest > 1e-2 && apart < 2e-4,
                  fmt::format("{:<8} moves by {:.3f} m, apart by at most {:.1e} m", name, largest, apart));
  }
  std::vector<std::string> shown;
  for (const auto* link : links) shown.push_back(fmt::format("{}.x", link));
  fmt::print("\n");
  example::write_plot(folder, "mixed_versions", mixed.result, shown, "A chain of FMI 1.0, 2.0 and 3.0, CS and ME");
  return figures.exit_status();
}

}  // namespace

int main(int argc, char** argv) {
  return example::run_example(argc, argv,
                              [&](const std::filesystem::path& folder) { return mixed_versions(argv[0], folder); });
}
