#include "engine/ineffective_settings.hpp"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/library.hpp"

namespace consort::engine {

namespace {

void add_units(const graph::Group& group, std::unordered_set<std::string>& names) {
  if (group.kind == graph::Group::Kind::unit) names.insert(group.unit);
  for (const auto& member : group.members) add_units(member, names);
}

// "a, b and 3 more"
std::string some_of(const std::vector<std::string_view>& names) {
  constexpr std::size_t most = 6;
  const auto shown = fmt::format(
      "{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), most)), ", "));
  return names.size() > most ? fmt::format("{} and {} more", shown, names.size() - most) : shown;
}

// Units that a list of who goes when does not mention.
std::vector<std::string_view> left_out(const graph::Plan& plan, const std::unordered_set<std::string>& mentioned) {
  std::vector<std::string_view> names;
  for (const auto& u : plan.units)
    if (!mentioned.contains(u.name)) names.push_back(u.name);
  return names;
}

// Units that run as Co-Simulation bring their own solver.
void add_solvers(const graph::Plan& plan, std::vector<std::string>& lines) {
  for (const auto& u : plan.units) {
    const auto& c = u.component;
    if (c.solver.empty() || c.is_native()) continue;
    if (interface_of(c, *u.description) == describe::InterfaceType::model_exchange) continue;
    const bool has_both = u.description->interface(describe::InterfaceType::model_exchange) != nullptr;
    lines.push_back(fmt::format(
        "unit '{}': the solver '{}' has no effect, because the unit runs as Co-Simulation, with a solver of its own{}",
        u.name, c.solver, has_both ? "; say that its interface is Model Exchange ('interface: me' in YAML)" : ""));
  }
}

}  // namespace

std::vector<std::string> ineffective_settings(const graph::Plan& plan, const graph::RunSettings& s,
                                              const ChosenMethods& chosen) {
  std::vector<std::string> lines;
  const auto needs = [&](std::string_view what, std::string_view kind, std::string_view wanted, std::string_view is) {
    lines.push_back(
        fmt::format("{} has no effect: it is for the {} {}, and this run's is '{}'", what, kind, wanted, is));
  };
  if (s.iteration != graph::IterationSettings{} && chosen.stepper != "iterated")
    needs("what is said about iterations", "stepper", "'iterated'", chosen.stepper);
  if (!s.groups.empty() && chosen.stepper != "groups")
    needs("the list of groups", "stepper", "'groups'", chosen.stepper);
  if (!s.order.empty() && chosen.stepper != "gauss-seidel")
    needs("the order of units", "stepper", "'gauss-seidel'", chosen.stepper);
  graph::StepControl control = s.control;
  control.controller.clear();
  if (control != graph::StepControl{} && !chosen.varies)
    needs("what is said about step size control", "controllers", "that vary the step", chosen.controller);

  add_solvers(plan, lines);

  std::unordered_set<std::string> mentioned(s.order.begin(), s.order.end());
  for (const auto& group : s.groups) add_units(group, mentioned);
  if (const auto names = left_out(plan, mentioned); !names.empty() && !mentioned.empty()) {
    if (chosen.stepper == "gauss-seidel" && !s.order.empty())
      lines.push_back(fmt::format("the order of units leaves out {}; they go last", some_of(names)));
    if (chosen.stepper == "groups")
      lines.push_back(fmt::format("the groups leave out {}; they go first", some_of(names)));
  }
  for (const auto& action : s.scenario)
    if (action.at > chosen.stop)
      lines.push_back(fmt::format("{}{}the scenario's action on '{}' at t = {} s comes after the stop time, {} s",
                                  action.where, action.where.empty() ? "" : ": ", action.target, action.at,
                                  chosen.stop));
  return lines;
}

}  // namespace consort::engine
