#include "report/ineffective_settings.hpp"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "base/registry.hpp"
#include "base/text.hpp"
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

}  // namespace

std::vector<std::string> ineffective_settings(const graph::Plan& plan, const graph::RunSettings& s,
                                              const ChosenMethods& chosen) {
  std::vector<std::string> lines;
  const auto& reads = find_row(step::steppers(), chosen.stepper, "stepper", "", "stepper").reads;
  const auto for_steppers = [&](bool is_set, bool step::StepperReads::*setting, std::string_view what) {
    if (is_set && !(reads.*setting))
      lines.push_back(fmt::format("{} has no effect: it is for the stepper {}, and this run's is '{}'", what,
                                  steppers_that_read(setting), chosen.stepper));
  };
  for_steppers(s.iteration != graph::IterationSettings{}, &step::StepperReads::iteration,
               "what is set under 'iteration'");
  for_steppers(!s.schedule.empty(), &step::StepperReads::schedule, "the schedule");
  for_steppers(!s.order.empty(), &step::StepperReads::order, "the order of units");
  graph::StepControl control = s.control;
  control.controller.clear();
  if (control != graph::StepControl{} && !chosen.varies)
    lines.push_back(fmt::format(
        "what is set under 'control' has no effect: it is for controllers that vary the step, and this run's is "
        "'{}'",
        chosen.controller));
  const graph::StepControl usual;
  const bool about_estimates =
      control.norm != usual.norm || control.divisor != usual.divisor || control.tolerance_for != usual.tolerance_for;
  if (about_estimates && chosen.varies && !step::find_controller(chosen.controller).estimates)
    lines.push_back(fmt::format(
        "norm, divisor and what the tolerance is for have no effect: the controller '{}' estimates no errors "
        "of outputs",
        chosen.controller));

  add_solvers(plan, lines);

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
