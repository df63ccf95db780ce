#include <algorithm>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "engine/simulation_impl.hpp"
#include "report/clock_notes.hpp"
#include "report/connection_trust.hpp"
#include "report/ineffective_settings.hpp"
#include "step/step_size.hpp"

namespace consort::engine {

namespace {

std::string kind_of(const graph::PlannedUnit& unit) {
  const auto& c = unit.component;
  if (!c.group) return std::string(describe::name_of(unit.description->version));
  const auto count = c.group->unit_count();
  return fmt::format("group of {} unit{}, {}", count, count == 1 ? "" : "s", c.solver);
}

}  // namespace

report::SystemReport Simulation::Impl::report() const {
  report::SystemReport r = report_;
  r.reached = state_.t;
  r.steps = state_.control.accepted;
  r.rejected = state_.control.rejected;
  r.cut = state_.control.cut;
  r.at_maximum = state_.control.at_maximum;
  add_trust(r);
  for (auto& w : controller_->warnings(state_)) r.warnings.push_back(std::move(w));
  for (const auto& w : fleet_->warnings()) r.warnings.push_back(w);
  double in_units = 0;
  for (UnitId u = 0; u < fleet_->size(); ++u) {
    const auto counts = fleet_->counts(u);
    r.units[u].seconds = fleet_->cost(u) * static_cast<double>(state_.control.unit_steps - began_steps_);
    r.units[u].early_returns = counts.early_returns;
    r.units[u].discarded = counts.discarded;
    r.units[u].repeated_as_is = counts.repeated_as_is;
    r.units[u].events = counts.events;
    in_units += r.units[u].seconds;
  }
  // Cheap units run in one thread, even if more threads were requested.
  if (!fleet_->has_shared()) r.threads = 1;
  const double busy = std::max(0.0, r.run_seconds - waited_);
  // Sampled steps may be slower than average, as first steps are; the total cannot exceed the available time.
  if (const double most = busy * r.threads; r.run_seconds > 0 && in_units > most) {
    for (auto& u : r.units) u.seconds *= most / in_units;
    in_units = most;
    r.knows_engine = false;
  }
  r.engine_seconds = std::max(0.0, busy - in_units / r.threads);
  add_iterations(r);
  if (events_ && !o_.solo)
    if (auto changes = events_->silent_changes(); !changes.empty()) r.notes.push_back(std::move(changes));
  note_partial_rollback(r);
  for (std::size_t i = 0; i < plan_.loops.size(); ++i) r.loops.push_back({state_.loops[i], plan_.loops[i].variables});
  return r;
}

void Simulation::Impl::add_trust(report::SystemReport& r) const {
  const auto& signals = state_.control.signals;
  const auto estimated = controller_->estimated();
  r.trust = report::connection_trust(plan_, estimated, state_.control);
  for (std::size_t i = 0; i < signals.size() && i < estimated.size(); ++i)
    r.units[estimated[i].unit].limited += signals[i].limited;
  for (std::size_t i = 0; i < state_.bonds.size(); ++i) {
    const auto& b = state_.bonds[i];
    r.bonds.push_back({bonds_.name(i), b.made, b.lost_or_made, b.carried, b.largest, b.peak, b.limited});
  }
}

void Simulation::Impl::add_iterations(report::SystemReport& r) const {
  auto parts = stepper_->iterated();
  for (std::size_t i = 0; i < parts.size() && i < state_.tallies.size(); ++i)
    r.iterations.push_back({state_.tallies[i], std::move(parts[i].units), std::move(parts[i].variables)});
  if (o_.run.iteration.if_not_converged == IterationSettings::IfNotConverged::error) return;
  for (const auto& i : r.iterations)
    if (i.failures > 0)
      r.warnings.push_back(fmt::format("{} of {} steps of {} were accepted although their inputs did not agree",
                                       i.failures, i.steps, some_of(i.units)));
}

// `takes_part`: by unit; true if its outputs are made consistent.
std::vector<bool> Simulation::Impl::late_units(const std::vector<bool>& takes_part) const {
  std::vector<bool> late(plan_.units.size(), false);
  for (const auto& c : plan_.connections)
    if (c.from != graph::no_unit && !takes_part[c.to] && !plan_.units[c.to].feed_through[c.input].empty())
      late[c.to] = true;
  // Iterated units are not late, because their inputs agree with outputs, unless a unit gets the mean of its inputs
  // instead of polynomials.
  std::unordered_set<std::string> iterated;
  for (const auto& part : stepper_->iterated()) iterated.insert(part.units.begin(), part.units.end());
  for (std::size_t u = 0; u < late.size(); ++u)
    if (iterated.contains(plan_.units[u].name) && fleet_->traits(static_cast<UnitId>(u)).input_order >= point_->order())
      late[u] = false;
  return late;
}

void Simulation::Impl::note_late_units() {
  std::vector<std::string_view> late;
  for (std::size_t u = 0; u < is_late_.size(); ++u)
    if (is_late_[u]) late.push_back(plan_.units[u].name);
  if (late.empty()) return;
  report_.notes.push_back(
      fmt::format("direct feed-through of {} is seen at the end of each step, with the inputs of that step, because "
                  "these units cannot be evaluated without a step",
                  some_of(late)));
}

void Simulation::Impl::describe_run(const graph::System& system, unsigned threads) {
  report_.system = system.name;
  report_.start = report_.began = experiment_.start;
  report_.stop = experiment_.stop;
  report_.step = experiment_.step;
  report_.stepper = std::string(stepper_->name());
  report_.controller = std::string(controller_->name());
  report_.equal_steps = !varies_;
  if (varies_) {
    const auto tolerances = step::tolerances(o_.run.control, experiment_.coupling_tolerance);
    report_.coupling_tolerance = tolerances.relative;
    report_.absolute_tolerance = tolerances.absolute;
    report_.tolerance_for = o_.run.control.tolerance_for == graph::StepControl::ToleranceFor::run ? "run" : "step";
  }
  report_.extrapolation = point_->order();
  report_.threads = plan_.units.size() > 1 ? std::min<unsigned>(threads, static_cast<unsigned>(plan_.units.size())) : 1;
  for (const auto& n : stepper_->notes()) report_.notes.push_back(n);
  for (const auto& n : controller_->notes()) report_.notes.push_back(n);
  for (const auto& n : plan_.notes) report_.assumed.push_back(n);
  for (const auto& w : plan_.warnings) report_.warnings.push_back(w);
  for (const auto& w : library_->warnings()) report_.warnings.push_back(w);
  for (const auto& w :
       report::ineffective_settings(plan_, o_.run, {stepper_->name(), controller_->name(), varies_, experiment_.stop}))
    report_.warnings.push_back(w);
  if (!o_.solo) warn_of_clocks();
  for (UnitId u = 0; u < plan_.units.size(); ++u) {
    report::UnitReport unit;
    unit.name = plan_.units[u].name;
    unit.kind = kind_of(plan_.units[u]);
    if (fleet_->traits(u).responds_without_step && plan_.units[u].description->version != describe::FmiVersion::native)
      unit.kind += ", Model Exchange";
    report_.units.push_back(std::move(unit));
  }
}

void Simulation::Impl::warn_of_clocks() {
  std::vector<bool> has_event_mode(plan_.units.size());
  for (UnitId u = 0; u < plan_.units.size(); ++u) has_event_mode[u] = fleet_->traits(u).event_mode;
  for (auto& w : report::clock_warnings(plan_, has_event_mode, together_ || stays_at_events_))
    report_.warnings.push_back(std::move(w));
}

// Names the units that have really been rolled back by their states.
void Simulation::Impl::note_partial_rollback(report::SystemReport& r) const {
  std::vector<std::string_view> units;
  for (UnitId u = 0; u < plan_.units.size(); ++u)
    if (fleet_->traits(u).states_only && fleet_->was_saved(u)) units.push_back(plan_.units[u].name);
  if (units.empty()) return;
  const bool one = units.size() == 1;
  r.notes.push_back(fmt::format(
      "{} cannot save {} state; to repeat steps, time, continuous states and inputs are set back: no events are "
      "declared, none happened, and evaluations before and after each return agreed. What {} may remember of completed "
      "steps (a delay, for example) is not set back",
      one ? fmt::format("unit '{}'", units.front()) : fmt::format("units {}", some_of(units)), one ? "its" : "their",
      one ? "it" : "they"));
}

std::vector<record::Fact> Simulation::Impl::facts() const {
  std::vector<record::Fact> all{{"system", plan_.name}};
  if (o_.solo) {
    const auto& d = *plan_.units.front().description;
    all = {{"model", d.model_name}, {"unit", std::string(describe::name_of(d.version))}};
  }
  all.push_back({"start time", fmt::format("{}", experiment_.start)});
  all.push_back({"stop time", fmt::format("{}", experiment_.stop)});
  all.push_back({"step size", fmt::format("{}", experiment_.step)});
  all.push_back({"tolerance", fmt::format("{}", experiment_.tolerance)});
  if (o_.solo) {
    all.insert(all.end(), o_.solo->origin.begin(), o_.solo->origin.end());
    return all;
  }
  all.push_back({"stepper", report_.stepper});
  all.push_back({"controller", report_.controller});
  all.push_back({"extrapolation", fmt::format("{}", o_.run.extrapolation)});
  if (o_.checkpoint_every || !o_.restart_from.empty()) {
    Sha256 digest;
    digest.add(std::as_bytes(std::span(identity_)));
    all.push_back({record::run_fact, digest.finish()});
  }
  if (varies_) {
    all.push_back({"coupling tolerance", fmt::format("{}", report_.coupling_tolerance)});
    all.push_back({"absolute coupling tolerance", fmt::format("{}", report_.absolute_tolerance)});
    all.push_back({"coupling tolerance for", report_.tolerance_for});
  }
  if (!controller_->estimated().empty()) all.push_back({"units", fmt::format("{}", fmt::join(unit_names(), "\n"))});
  all.insert(all.end(), origin_.begin(), origin_.end());
  return all;
}

std::vector<std::string> Simulation::Impl::unit_names() const {
  std::vector<std::string> names;
  for (const auto& u : plan_.units) names.push_back(u.name);
  return names;
}

}  // namespace consort::engine
