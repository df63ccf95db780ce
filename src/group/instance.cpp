#include "group/instance.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "solve/problem.hpp"

namespace consort::group {

namespace {

std::vector<Member> make_members(const Model& model, std::vector<std::unique_ptr<fmi::ModelExchange>> instances) {
  CONSORT_ASSERT(instances.size() == model.plan.units.size());
  std::vector<Member> members;
  members.reserve(instances.size());
  for (std::size_t m = 0; m < instances.size(); ++m)
    members.emplace_back(std::move(instances[m]), *model.plan.units[m].description, model.plan.units[m].starts);
  return members;
}

}  // namespace

// --- life ------------------------------------------------------------------------------------------------------------

GroupInstance::GroupInstance(std::shared_ptr<const Model> model, std::string name,
                             std::vector<std::unique_ptr<fmi::ModelExchange>> members)
    : model_(std::move(model)),
      name_(std::move(name)),
      members_(make_members(*model_, std::move(members))),
      derivatives_(model_->wiring, members_),
      coupling_(model_->plan, model_->wiring, members_, derivatives_),
      own_events_(model_->plan, model_->wiring),
      slots_of_(members_.size()),
      starts_(model_->composite.starts),
      in_event_(members_.size()),
      asked_(members_.size()),
      initialised_(members_.size()),
      takes_part_(members_.size()),
      given_(model_->wiring.inputs.size()),
      evaluated_at_(members_.size()) {
  const auto& plan = model_->plan;
  memory_.next_events.assign(members_.size(), solve::never);
  memory_.step_events.assign(members_.size(), 0);
  memory_.relation_signs.assign(coupling_.indicator_count(), 0);
  memory_.outputs = plan.make_outputs();
  memory_.inputs = plan.make_inputs();
  given_held_ = memory_.inputs;
  coupling_.set_outputs(memory_.outputs);
  for (std::uint32_t i = 0; i < model_->wiring.inputs.size(); ++i)
    slots_of_[model_->wiring.inputs[i].member].push_back(i);
  const couple::Gather::Owners owners(plan);
  const auto all = [](graph::UnitId, graph::UnitId) { return true; };
  for (MemberId m = 0; m < members_.size(); ++m) {
    gathers_.emplace_back(plan, owners, std::span(&m, 1), all);
    can_save_ = can_save_ && members_[m].instance->state_saving() != nullptr;
  }
  find_held_inputs();
  configure_members();
  give_start_values(false);
  give_defaults_to_externals();
}

GroupInstance::~GroupInstance() = default;

void GroupInstance::set_debug_logging(bool on, std::span<const std::string> categories) {
  for (auto& m : members_) m.instance->set_debug_logging(on, categories);
}

void GroupInstance::make_directional() {
  directional_.emplace(*model_, members_, derivatives_, [this](std::uint32_t connector) -> const std::vector<double>& {
    return connector_gradient(connector);
  });
}

void GroupInstance::lay_out() {
  states_ = indicators_ = 0;
  for (auto& m : members_) {
    m.lay_out(states_, indicators_);
    states_ += m.states;
    indicators_ += m.indicators;
  }
  memory_.signs.assign(indicators_, 0);
  indicators_now_.resize(event_indicators());
  jacobian_.emplace(model_->wiring, members_, derivatives_);
  make_directional();
}

void GroupInstance::terminate() {
  for (auto& m : members_) m.instance->terminate();
}

void GroupInstance::reset() {
  for (auto& m : members_) m.instance->reset();
  mode_ = Mode::instantiated;
  std::fill(initialised_.begin(), initialised_.end(), std::uint8_t{0});
  starts_ = model_->composite.starts;
  configure_members();
  give_start_values(false);
}

void GroupInstance::tolerate(const std::function<void()>& reads) {
  std::function<void()> all = reads;
  for (auto& m : members_) all = [&instance = *m.instance, inner = std::move(all)] { instance.tolerate(inner); };
  all();
}

std::string GroupInstance::missing(std::string_view capability) const {
  return fmt::format("the group '{}' cannot do this because one of its units lacks {}", name_, capability);
}

// --- points ----------------------------------------------------------------------------------------------------------

void GroupInstance::set_time(Time t) {
  memory_.t = t;
  for (auto& m : members_) m.instance->set_time(t);
  dirty_ = true;
  ++point_;
}

void GroupInstance::set_states(std::span<const double> x) {
  for (auto& m : members_)
    if (m.states > 0) m.instance->set_states(x.subspan(m.first_state, m.states));
  dirty_ = true;
  ++point_;
}

void GroupInstance::get_states(std::span<double> x) {
  for (auto& m : members_)
    if (m.states > 0) m.instance->get_states(x.subspan(m.first_state, m.states));
}

void GroupInstance::evaluate_coupling() {
  if (!dirty_ || mode_ != Mode::continuous) return;
  coupling_(memory_.t);
  dirty_ = false;
}

void GroupInstance::get_derivatives(std::span<double> dx) {
  evaluate_coupling();
  for (auto& m : members_)
    if (m.states > 0) m.instance->get_derivatives(dx.subspan(m.first_state, m.states));
}

void GroupInstance::get_event_indicators(std::span<double> z) {
  evaluate_coupling();
  for (auto& m : members_)
    if (m.indicators > 0) m.instance->get_event_indicators(z.subspan(m.first_indicator, m.indicators));
  if (coupling_.indicator_count() > 0) coupling_.indicators(memory_.t, z.subspan(indicators_));
}

void GroupInstance::get_nominals(std::span<double> x) {
  for (auto& m : members_)
    if (m.states > 0) m.instance->get_nominals(x.subspan(m.first_state, m.states));
}

fmi::IntegratorStep GroupInstance::completed_integrator_step(bool may_roll_back) {
  evaluate_coupling();
  fmi::IntegratorStep all;
  for (MemberId m = 0; m < members_.size(); ++m) {
    memory_.step_events[m] = 0;
    if (!members_[m].instance->interface().needs_completed_integrator_step) continue;
    const auto step = members_[m].instance->completed_integrator_step(may_roll_back);
    memory_.step_events[m] = step.enter_event_mode ? 1 : 0;
    all.enter_event_mode = all.enter_event_mode || step.enter_event_mode;
    all.terminate = all.terminate || step.terminate;
  }
  return all;
}

// --- derivatives -----------------------------------------------------------------------------------------------------

fmi::BorderedJacobian* GroupInstance::bordered_jacobian() { return jacobian_ ? this : nullptr; }

void GroupInstance::evaluate(std::span<double> values) {
  evaluate_coupling();
  jacobian_->evaluate(memory_.t, coupling_.gains(memory_.t), values);
}

void GroupInstance::directional(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                                std::span<const double> seed, std::span<double> sensitivity) {
  for (const auto reference : unknowns) static_cast<void>(origin(reference));
  for (const auto reference : knowns) static_cast<void>(origin(reference));
  if (mode_ == Mode::initialization && dirty_) exchange();
  if (!directional_) make_directional();  // in initialization mode there are no states yet
  evaluate_coupling();
  (*directional_)(memory_.t, coupling_.gains(memory_.t), unknowns, knowns, seed, sensitivity);
}

}  // namespace consort::group
