#include "report/ineffective_settings.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/registry.hpp"
#include "base/text.hpp"
#include "couple/approximation.hpp"
#include "settings/table.hpp"
#include "step/controller.hpp"
#include "step/stepper.hpp"

namespace consort::report {

namespace {

void add_units(const graph::ScheduleEntry& group, std::unordered_set<std::string>& names) {
  if (group.kind == graph::ScheduleEntry::Kind::unit) names.insert(group.unit);
  for (const auto& member : group.members) add_units(member, names);
}

// "'iterated'", or several with "or" in between.
std::string steppers_that_read(bool step::StepperReads::*setting) {
  std::string names;
  for (const auto& row : step::steppers())
    if (row.reads.*setting) names += fmt::format("{}'{}'", names.empty() ? "" : " or ", row.name);
  return names;
}

// Why a setting that was made has no effect on this run; empty: it has one.
std::string why_without_effect(const settings::Row& row, const graph::RunSettings& s, const ChosenMethods& chosen) {
  const auto& reads = find_row(step::steppers(), chosen.stepper, "stepper", "", "stepper").reads;
  const auto for_steppers = [&](bool step::StepperReads::*setting) {
    if (reads.*setting) return std::string();
    return fmt::format("for the stepper {}; the stepper of this run is '{}'", steppers_that_read(setting),
                       chosen.stepper);
  };
  using settings::ReadBy;
  switch (row.read_by) {
    case ReadBy::every_run: return {};
    case ReadBy::order: return for_steppers(&step::StepperReads::order);
    case ReadBy::iteration: {
      auto why = for_steppers(&step::StepperReads::iteration);
      const auto& methods = row.methods;
      if (!why.empty() || methods.empty() ||
          std::find(methods.begin(), methods.end(), s.iteration.method) != methods.end())
        return why;
      return fmt::format("for the method{} {}; the method of this run is '{}'", methods.size() == 1 ? "" : "s",
                         fmt::join(methods, ", "), s.iteration.method);
    }
    case ReadBy::varying_steps:
      if (chosen.varies) return {};
      return fmt::format("for controllers that vary the step; the controller of this run is '{}'", chosen.controller);
    case ReadBy::error_estimates:
      if (step::find_controller(chosen.controller).estimates) return {};
      return fmt::format("for controllers that estimate errors of outputs; the controller of this run is '{}'",
                         chosen.controller);
  }
  return {};
}

// Settings with the same reason share a line.
void add_settings(const graph::RunSettings& s, const ChosenMethods& chosen, std::vector<std::string>& lines) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason;
  for (const auto& row : settings::rows()) {
    if (!settings::is_set(row, s)) continue;
    auto why = why_without_effect(row, s, chosen);
    if (why.empty()) continue;
    const auto known = std::find_if(by_reason.begin(), by_reason.end(), [&](const auto& r) { return r.first == why; });
    if (known != by_reason.end()) {
      known->second.push_back(settings::path_of(row));
    } else {
      by_reason.push_back({std::move(why), {settings::path_of(row)}});
    }
  }
  for (const auto& [why, paths] : by_reason)
    lines.push_back(
        fmt::format("{} {} no effect: {}", fmt::join(paths, ", "), paths.size() == 1 ? "has" : "have", why));
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
    if (c.interface_of(*u.description) == describe::InterfaceType::model_exchange) continue;
    const bool has_both = u.description->interface(describe::InterfaceType::model_exchange) != nullptr;
    lines.push_back(fmt::format(
        "unit '{}': the solver '{}' has no effect, because the unit runs as Co-Simulation, with a solver of its own{}",
        u.name, c.solver, has_both ? "; say that its interface is Model Exchange ('interface: me' in YAML)" : ""));
  }
}

bool is_discrete_real(const graph::PlannedUnit& unit, describe::VariableId id) {
  const auto& v = (*unit.description)[id];
  return v.type == Type::Float64 && v.variability == describe::Variability::discrete;
}

// Connections of discrete real variables have steps: their inputs are neither extrapolated nor iterated. Many tools
// declare continuous variables as discrete, and the run is then less accurate than its settings say.
void add_held_connections(const graph::Plan& plan, const graph::RunSettings& s, const step::StepperReads& reads,
                          std::vector<std::string>& lines) {
  const bool extrapolates = couple::find_approximation(s.extrapolation).order() > 0;
  if (!extrapolates && !reads.iteration) return;
  std::vector<std::string> names;
  for (const auto& c : plan.connections) {
    if (c.from == graph::no_unit) continue;
    const auto& from = plan.units[c.from];
    const auto& to = plan.units[c.to];
    const auto output = from.outputs.choice()[c.output];
    const auto input = to.inputs.choice()[c.input];
    if (!is_discrete_real(from, output) && !is_discrete_real(to, input)) continue;
    names.push_back(fmt::format("{} -> {}", from.path_of((*from.description)[output].name),
                                to.path_of((*to.description)[input].name)));
  }
  if (names.empty()) return;
  lines.push_back(
      fmt::format("{} not {}, but held during each step, because an end is declared discrete; if the signal is "
                  "continuous, reduce the "
                  "step until the result no longer changes: {}",
                  names.size() == 1 ? "one connection is" : fmt::format("{} connections are", names.size()),
                  extrapolates && reads.iteration ? "extrapolated or iterated"
                  : extrapolates                  ? "extrapolated"
                                                  : "iterated",
                  some_of(names)));
}

}  // namespace

std::vector<std::string> ineffective_settings(const graph::Plan& plan, const graph::RunSettings& s,
                                              const ChosenMethods& chosen) {
  std::vector<std::string> lines;
  const auto& reads = find_row(step::steppers(), chosen.stepper, "stepper", "", "stepper").reads;
  add_settings(s, chosen, lines);
  if (!s.schedule.empty() && !reads.schedule)
    lines.push_back(fmt::format("schedule has no effect: for the stepper {}; the stepper of this run is '{}'",
                                steppers_that_read(&step::StepperReads::schedule), chosen.stepper));
  add_solvers(plan, lines);
  add_held_connections(plan, s, reads, lines);

  std::unordered_set<std::string> mentioned(s.order.begin(), s.order.end());
  for (const auto& group : s.schedule) add_units(group, mentioned);
  if (const auto names = left_out(plan, mentioned); !names.empty() && !mentioned.empty()) {
    if (reads.order && !s.order.empty())
      lines.push_back(fmt::format("the order of units leaves out {}; they go last", some_of(names)));
    if (reads.schedule) lines.push_back(fmt::format("the schedule leaves out {}; they go first", some_of(names)));
  }
  for (const auto& action : s.scenario)
    if (action.at > chosen.stop)
      lines.push_back(fmt::format("{}{}the scenario's action on '{}' at t = {} s comes after the stop time, {} s",
                                  action.where, action.where.empty() ? "" : ": ", action.target, action.at,
                                  chosen.stop));
  return lines;
}

}  // namespace consort::report
