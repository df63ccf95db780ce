#include "analyse/subject.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "base/error.hpp"
#include "unit/fmu_values.hpp"
#include "unit/settle.hpp"

namespace consort::analyse {

using describe::Causality;
using describe::VariableId;

Subject::Subject(const fmi::Fmu& fmu, const SubjectOptions& options, std::string name)
    : description_(fmu.description()), options_(options) {
  fmi::InstanceOptions how;
  how.name = std::move(name);
  if (options.interface == describe::InterfaceType::model_exchange) {
    auto me = fmu.model_exchange(std::move(how));
    me_ = me.get();
    instance_ = std::move(me);
  } else {
    auto cs = fmu.co_simulation(std::move(how));
    cs_ = cs.get();
    instance_ = std::move(cs);
  }
  std::vector<VariableId> outputs;
  for (VariableId id = 0; id < description_.variables.size(); ++id) {
    const auto& v = description_[id];
    if (v.type == Type::Clock) continue;
    const bool is_real = v.type == Type::Float64 && !v.is_array() && v.variability == describe::Variability::continuous;
    if (v.causality == Causality::output) outputs.push_back(id);
    if (v.causality == Causality::output && is_real) real_outputs_.push_back(id);
    if (v.causality == Causality::input && is_real) real_inputs_.push_back(id);
  }
  outputs_ = options.starts.signals(description_, outputs);
}

void Subject::enter_initialization() {
  const auto set = [&](const describe::StartValues::Set& values, auto&& how) {
    if (values.empty()) return;
    const auto signals = options_.starts.signals(description_, values.variables);
    Columns columns = options_.starts.columns(description_, values, signals);
    how(signals, columns);
  };
  set(options_.starts.structural(), [&](const auto& signals, Columns& columns) {
    require(unit::configure_values(*instance_, signals, columns),
            "the FMU has no configuration mode for its structural parameters; leave their start values out");
  });
  set(options_.starts.others(),
      [&](const auto& signals, Columns& columns) { unit::set_values(*instance_, signals, columns); });
  const auto& experiment = description_.default_experiment;
  time_ = experiment.start_time.value_or(0);
  instance_->enter_initialization({time_, std::nullopt, experiment.tolerance});
}

void Subject::exit_initialization() {
  instance_->exit_initialization();
  if (me_ != nullptr) handle_events();
}

// Call it in event mode; it leaves event mode at the end.
void Subject::handle_events() {
  const auto update = [&] {
    const auto result = me_->update_discrete_states();
    next_event_ = result.next_event;
    return result;
  };
  const auto settled = unit::settle_with(update, instance_->name(), time_, false);
  if (settled.terminate)
    throw run_error("the model requests the end of the simulation at t = {} s; use shorter steps or other start values",
                    time_)
        .at(time_);
  me_->leave_event_mode();
}

void Subject::step(Duration h) {
  if (me_ != nullptr) return euler(h);
  const auto report = cs_->do_step(time_, h, true);
  const bool whole = report.end == fmi::StepReport::End::completed && !report.terminate;
  if (!whole) throw run_error("the step from t = {} s of {} s ended at {} s", time_, h, report.reached).at(time_);
  time_ += h;
}

void Subject::euler(Duration h) {
  std::vector<double> x(me_->continuous_states());
  std::vector<double> dx(x.size());
  if (!x.empty()) {  // some tools refuse null pointers (Test-FMUs 0.0.2)
    me_->get_states(x);
    me_->get_derivatives(dx);
  }
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += h * dx[i];
  time_ += h;
  me_->set_time(time_);
  if (!x.empty()) me_->set_states(x);
  const auto after = me_->completed_integrator_step(true);
  if (!after.enter_event_mode && !(next_event_ && *next_event_ <= time_)) return;
  ++events_;
  me_->enter_event_mode();
  handle_events();
}

Columns Subject::outputs() {
  Columns columns = outputs_.make_columns();
  unit::get_values(*instance_, outputs_, columns);
  return columns;
}

Columns Subject::discrete() {
  const auto choose = [&](bool with_locals) {
    std::vector<VariableId> ids;
    for (VariableId id = 0; id < description_.variables.size(); ++id) {
      const auto& v = description_[id];
      const bool is_number = v.type != Type::Clock && v.type != Type::String && v.type != Type::Binary && !v.is_array();
      const bool is_own = v.causality == Causality::output || (with_locals && v.causality == Causality::local);
      if (is_number && is_own && v.variability == describe::Variability::discrete) ids.push_back(id);
    }
    return describe::SignalSet(description_, ids);
  };
  if (!has_tried_discrete_) {
    has_tried_discrete_ = true;
    discrete_ = choose(true);
    Columns columns = discrete_.make_columns();
    if (!unit::try_get_values(*instance_, discrete_, columns).empty()) discrete_ = choose(false);
  }
  Columns columns = discrete_.make_columns();
  unit::get_values(*instance_, discrete_, columns);
  return columns;
}

double Subject::value(VariableId id) {
  const describe::SignalSet one(description_, std::span(&id, 1));
  Columns columns = one.make_columns();
  unit::get_values(*instance_, one, columns);
  return columns.column<double>().front();
}

void Subject::set(VariableId id, double value) {
  const describe::SignalSet one(description_, std::span(&id, 1));
  Columns columns = one.make_columns();
  columns.column<double>().front() = value;
  unit::set_values(*instance_, one, columns);
}

void Subject::shift_inputs(double by) {
  for (const auto id : real_inputs_) set(id, value(id) + by);
}

double difference(const Columns& a, const Columns& b) {
  double largest = 0;
  for_each_type([&]<class T>() {
    const auto& x = a.column<T>();
    const auto& y = b.column<T>();
    if (x.size() != y.size()) largest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
      if constexpr (std::is_arithmetic_v<T>) {
        const auto p = static_cast<double>(x[i]);
        const auto q = static_cast<double>(y[i]);
        if (p == q || (std::isnan(p) && std::isnan(q))) continue;
        const double apart = std::abs(p - q) / std::max(1.0, std::max(std::abs(p), std::abs(q)));
        largest = std::isnan(apart) ? std::numeric_limits<double>::infinity() : std::max(largest, apart);
      } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, Binary>) {
        if (x[i] != y[i]) largest = std::numeric_limits<double>::infinity();
      } else {
        if (x[i].value != y[i].value) largest = std::numeric_limits<double>::infinity();
      }
    }
  });
  return largest;
}

}  // namespace consort::analyse
