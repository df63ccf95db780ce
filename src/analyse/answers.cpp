#include "analyse/answers.hpp"

#include <map>
#include <string>

namespace consort::analyse {

using describe::InterfaceType;

bool answers_without_step(const std::filesystem::path& file, const ProbeOptions& options) {
  ProbeOptions one = options;
  one.only = "outputs without a step";
  return probe(file, one)[one.only].verdict == Verdict::holds;
}

namespace {

void mark(graph::System& system, const ProbeOptions& options, std::map<std::string, bool>& known) {
  for (auto& component : system.components) {
    const bool is_cs = component.interface.value_or(InterfaceType::co_simulation) == InterfaceType::co_simulation;
    if (component.responds_without_step || !is_cs || component.is_native()) continue;
    const auto [place, is_new] = known.try_emplace(component.source.string(), false);
    if (is_new) place->second = answers_without_step(component.source, options);
    component.responds_without_step = place->second;
  }
  for (auto& inner : system.systems) mark(inner, options, known);
}

}  // namespace

void mark_units_that_answer(graph::System& system, const ProbeOptions& options) {
  std::map<std::string, bool> known;
  mark(system, options, known);
}

}  // namespace consort::analyse
