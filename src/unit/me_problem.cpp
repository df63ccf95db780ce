#include "unit/me_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "base/error.hpp"
#include "solve/bordered.hpp"

namespace consort::unit {

using solve::ConstVector;
using solve::Vector;

MeProblem::MeProblem(fmi::ModelExchange& instance, const describe::Description& description, MeInputs* inputs)
    : instance_(instance), description_(description), inputs_(inputs) {}

// --- the solution --------------------------------------------------------------------------------------------------

void MeProblem::set_point(Time t, ConstVector y) {
  if (memory_.ended) return;
  instance_.set_time(t);
  if (inputs_ != nullptr) inputs_->set_continuous(t, t <= memory_.last_event);
  if (states_ > 0) instance_.set_states(y.first(states_));
}

void MeProblem::evaluate(Time t) {
  const bool may_lag =
      description_.version == describe::FmiVersion::v1 || description_.version == describe::FmiVersion::v2;
  const std::size_t indicators = states_ > 0 ? 0 : instance_.event_indicators();
  if (!may_lag || memory_.ended || states_ + indicators == 0) return;
  evaluated_.resize(states_ + indicators);
  try {
    if (states_ > 0)
      instance_.get_derivatives(evaluated_);
    else
      instance_.get_event_indicators(evaluated_);
  } catch (const fmi::Discarded&) {  // the variables are as they are
  }
  instance_.set_time(t);  // marks all variables as not current
}

bool MeProblem::begin(Time t) {
  memory_ = {};
  sign_ = {};
  end_requested_ = false;
  const Settled settled = settle(t);
  fill_ode(t);
  return !settled.terminate;
}

void MeProblem::resume(Time t, const Memory& memory) {
  memory_ = memory;
  end_requested_ = false;
  fill_ode(t);
}

void MeProblem::fill_ode(Time t) {
  states_ = instance_.continuous_states();
  ode_ = {};
  ode_.t0 = t;
  ode_.y0.assign(std::max<std::size_t>(states_, 1), 0.0);
  if (states_ > 0) instance_.get_states(Vector(ode_.y0).first(states_));
  read_nominals(ode_.components.nominals);
  nominals_before_ = nominals_ = ode_.components.nominals;  // the first event allocates nothing
  ode_.rhs = [this](Time now, ConstVector y, Vector dy) {
    // FMI 2.0, 2.1.3: an instance discards a trial point to request a smaller step. NaN makes the solver reject the
    // point.
    try {
      if (inputs_ == nullptr && states_ > 0 && !memory_.ended)
        return instance_.get_derivatives_at(now, y.first(states_), dy.first(states_));
      set_point(now, y);
      if (states_ > 0)
        instance_.get_derivatives(dy.first(states_));
      else
        dy[0] = 0;
    } catch (const fmi::Discarded&) {
      std::fill(dy.begin(), dy.end(), std::numeric_limits<double>::quiet_NaN());
    }
  };
  fill_events();
  if (states_ > 0) describe_states();
}

void MeProblem::fill_events() {
  auto& events = ode_.events;
  events.root_count = instance_.event_indicators();
  events.apart_after_events = true;  // FMI 2.0, 3.1.1
  if (events.root_count > 0) {
    events.roots = [this](Time now, ConstVector y, Vector z) {
      set_point(now, y);
      instance_.get_event_indicators(z);
    };
  }
  events.next_time_event = [this](Time now, ConstVector) {
    const Time input = inputs_ == nullptr ? solve::never : inputs_->next_event_after(now);
    return std::min(memory_.next_event, input);
  };
  if (instance_.interface().needs_completed_integrator_step) {
    events.step_event = [this](Time now, ConstVector y) {
      set_point(now, y);
      evaluate(now);
      const auto step = instance_.completed_integrator_step(may_roll_back_);
      end_requested_ = step.terminate;
      if (step.enter_event_mode) note_sign(Sign::Kind::step_event, now);
      return step.enter_event_mode || step.terminate;
    };
  }
  events.handle = [this](const solve::EventInfo& info, solve::EventState& state) {
    if (end_requested_) {
      memory_.ended = state.terminate = true;
    } else {
      state.terminate = !handle_event(info.t, state.y, state.absolute_tolerances, rtol_);
      state.rounds = rounds_;
    }
  };
}

// --- events --------------------------------------------------------------------------------------------------------

bool MeProblem::handle_event(Time t, Vector y, Vector absolute_tolerances, double rtol) {
  enter_event(t, y);
  if (inputs_ != nullptr) inputs_->set_all(t);
  const Settled settled = settle(t);
  take_up(y, absolute_tolerances, rtol);
  return !settled.terminate;
}

void MeProblem::enter_event(Time t, ConstVector y) {
  set_point(t, y);
  ++memory_.events;
  first_event_ = std::min(first_event_, t);
  so_far_ = {};
  read_nominals(nominals_before_);
  instance_.enter_event_mode();
}

EventOutcome MeProblem::update(Time t) {
  if (inputs_ != nullptr) inputs_->set_all(t);
  const bool again = so_far_.take(update_instance(), t, true);
  remember(so_far_, t);
  return {again, so_far_.terminate, so_far_.next_event};
}

void MeProblem::leave_event(Vector y, Vector absolute_tolerances, double rtol) {
  if (memory_.ended) return;
  instance_.leave_event_mode();
  take_up(y, absolute_tolerances, rtol);
}

void MeProblem::take_up(Vector y, Vector absolute_tolerances, double rtol) {
  if (states_ == 0) return;
  instance_.get_states(y.first(states_));
  read_nominals(nominals_);
  if (nominals_ == nominals_before_ || absolute_tolerances.empty()) return;
  for (std::size_t i = 0; i < states_; ++i) absolute_tolerances[i] = rtol / 100 * nominals_[i];
}

fmi::DiscreteUpdate MeProblem::update_instance() {
  const auto update = instance_.update_discrete_states();
  memory_.next_event = update.next_event.value_or(solve::never);
  return update;
}

// Also handles an announced event that is still due at t: otherwise it would be the next event, at the same time.
Settled MeProblem::settle(Time t) {
  const Settled all = settle_with([&] { return update_instance(); }, instance_.name(), t, true);
  remember(all, t);
  if (!memory_.ended) instance_.leave_event_mode();
  return all;
}

void MeProblem::remember(const Settled& settled, Time t) {
  memory_.next_event = settled.next_event.value_or(solve::never);
  memory_.last_event = t;
  memory_.ended = settled.terminate;
  if (memory_.next_event < solve::never) note_sign(Sign::Kind::time_event, memory_.next_event);
  if (settled.terminate) note_sign(Sign::Kind::end, t);
  rounds_ = static_cast<std::uint32_t>(settled.updates);
}

void MeProblem::read_nominals(std::vector<double>& to) {
  to.assign(std::max<std::size_t>(states_, 1), 1.0);
  if (states_ == 0) return;
  instance_.get_nominals(to);
  for (auto& x : to) {
    x = std::abs(x);
    if (!(x > 0) || !std::isfinite(x)) x = 1.0;  // a nominal of 0 carries no information
  }
}

// --- Jacobian ------------------------------------------------------------------------------------------------------

namespace {

// Returns the columns (states) that each derivative depends on, from the declared dependencies. Empty if not all
// dependencies are declared.
solve::Pattern state_pattern(const describe::Description& d, const std::vector<describe::VariableId>& states) {
  std::vector<std::int64_t> column_of(d.variables.size(), -1);
  for (std::size_t i = 0; i < states.size(); ++i) column_of[states[i]] = static_cast<std::int64_t>(i);
  std::vector<std::vector<int>> columns(states.size());
  for (std::size_t row = 0; row < d.structure.derivatives.size(); ++row) {
    const auto& unknown = d.structure.derivatives[row];
    if (!unknown.declared) return {};
    for (const auto& dependency : d.structure.of(unknown)) {
      if (column_of[dependency.variable] >= 0)
        columns[static_cast<std::size_t>(column_of[dependency.variable])].push_back(static_cast<int>(row));
    }
  }
  solve::Pattern pattern;
  pattern.starts.push_back(0);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    // The iteration matrix always contains the diagonal.
    if (std::find(columns[j].begin(), columns[j].end(), static_cast<int>(j)) == columns[j].end())
      columns[j].push_back(static_cast<int>(j));
    std::sort(columns[j].begin(), columns[j].end());
    columns[j].erase(std::unique(columns[j].begin(), columns[j].end()), columns[j].end());
    pattern.rows.insert(pattern.rows.end(), columns[j].begin(), columns[j].end());
    pattern.starts.push_back(static_cast<int>(pattern.rows.size()));
  }
  return pattern;
}

}  // namespace

void MeProblem::describe_states() {
  if (auto* const bordered = instance_.bordered_jacobian()) describe_bordered(*bordered);
  std::vector<describe::VariableId> states;
  state_references_.clear();
  derivative_references_.clear();
  for (const auto& unknown : description_.structure.derivatives) {
    const auto& derivative = description_[unknown.variable];
    if (derivative.derivative_of == describe::no_variable || derivative.is_array()) return;
    states.push_back(derivative.derivative_of);
    state_references_.push_back(description_[derivative.derivative_of].reference);
    derivative_references_.push_back(derivative.reference);
  }
  if (states.size() != states_) return;  // FMI 1.0 does not say which variables are states
  for (const auto id : states) ode_.components.names.emplace_back(description_[id].name);
  if (!ode_.jacobian.bordered.pattern.empty()) return;
  ode_.jacobian.pattern = state_pattern(description_, states);
  describe_jacobian();
}

void MeProblem::describe_bordered(fmi::BorderedJacobian& own) {
  auto& bordered = ode_.jacobian.bordered;
  bordered.inner = own.inner_unknowns();
  bordered.pattern.starts.assign(own.starts().begin(), own.starts().end());
  bordered.pattern.rows.assign(own.rows().begin(), own.rows().end());
  bordered.values = [this, &own](Time t, ConstVector y, Vector values) {
    set_point(t, y);
    own.evaluate(values);
  };
  // For methods that do not take the bordered form.
  const auto elimination = std::make_shared<solve::Elimination>(bordered, states_);
  ode_.jacobian.pattern = elimination->pattern();
  ode_.jacobian.sparse = [&bordered, elimination, all = std::vector<double>(bordered.pattern.count())](
                             Time t, ConstVector y, Vector values, const solve::Switches& switches) mutable {
    bordered.values(t, y, all, switches);
    (*elimination)(all, values);
  };
}

void MeProblem::describe_jacobian() {
  auto* const directional = instance_.directional_derivatives();
  if (directional == nullptr) return;
  ode_.jacobian.times = [this, directional](Time t, ConstVector y, ConstVector v, Vector jv) {
    set_point(t, y);
    directional->directional(derivative_references_, state_references_, v, jv);
  };
  if (ode_.jacobian.pattern.empty()) {
    ode_.jacobian.dense = [this, directional](Time t, ConstVector y, Vector j) {
      set_point(t, y);
      const double one = 1.0;
      for (std::size_t k = 0; k < states_; ++k) {
        directional->directional(derivative_references_, std::span(state_references_).subspan(k, 1), std::span(&one, 1),
                                 j.subspan(k * states_, states_));
      }
    };
  } else {
    ode_.jacobian.sparse = [this, directional](Time t, ConstVector y, Vector values) {
      set_point(t, y);
      const auto& pattern = ode_.jacobian.pattern;
      auto& rows = column_rows_;
      const double one = 1.0;
      for (std::size_t k = 0; k < states_; ++k) {
        const auto first = static_cast<std::size_t>(pattern.starts[k]);
        const auto count = static_cast<std::size_t>(pattern.starts[k + 1]) - first;
        rows.resize(count);
        for (std::size_t i = 0; i < count; ++i)
          rows[i] = derivative_references_[static_cast<std::size_t>(pattern.rows[first + i])];
        directional->directional(rows, std::span(state_references_).subspan(k, 1), std::span(&one, 1),
                                 values.subspan(first, count));
      }
    };
  }
}

}  // namespace consort::unit
