#include "unit/custom_instance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"

namespace consort::unit {

namespace {

template <class T>
constexpr bool is_number = std::is_arithmetic_v<T> || std::is_same_v<T, Bool>;

bool is_same(std::span<const double> a, std::span<const double> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace

class CustomInstance::Saved : public fmi::SavedState {
 public:
  State state;
  std::shared_ptr<const void> own;
};

// --- life ------------------------------------------------------------------------------------------------------------

CustomInstance::CustomInstance(const NativeDeclaration& declaration, const CustomLayout& layout,
                               const describe::Description& description, std::unique_ptr<NativeUnit> unit,
                               NativeOptions options)
    : declaration_(declaration),
      layout_(layout),
      description_(description),
      unit_(std::move(unit)),
      options_(std::move(options)),
      outputs_(layout.outputs) {
  if (interface().can_save_state) guarded("saving its memory", [&] { fresh_ = unit_->save(); });
  set_starts();
}

template <class F>
void CustomInstance::guarded(std::string_view function, F&& body) {
  const auto failed = [&](const char* what) {
    return run_error("unit '{}' (native model '{}'): {} failed at t = {} s: {}", name(), declaration_.name, function,
                     t_, what)
        .in_unit(name())
        .in_call(std::string(function))
        .at(t_);
  };
  try {
    body();
  } catch (const model::Failure& failure) {
    const Error error = failed(failure.what());
    if (failure.status() != model::Status::discard) throw error;
    throw fmi::Discarded(error.fault(), error.what(), error.fields());
  } catch (const Error&) {
    throw;
  } catch (const std::exception& e) {
    throw failed(e.what());
  }
}

std::string CustomInstance::missing(std::string_view capability) const {
  const std::string reason = unit_->why_no_save();
  return fmt::format("unit '{}' (native model '{}') has no {}{}{}", name(), declaration_.name, capability,
                     reason.empty() ? "" : ": ", reason);
}

void CustomInstance::set_starts() {
  values_.assign(layout_.size, 0.0);
  const auto fill = [&](const std::vector<NativeVariable>& variables, std::size_t first) {
    for (const auto& v : variables) values_[first++] = v.start;
  };
  fill(declaration_.states, 0);
  fill(declaration_.memory, layout_.first_memory);
  fill(declaration_.inputs, layout_.first_input);
  fill(declaration_.parameters, layout_.first_parameter);
  fill(declaration_.outputs, layout_.first_output);
  starts_.assign(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(layout_.first_input));
  touch();
}

void CustomInstance::reset() {
  require_in_unit(name(), interface().can_save_state, "{}", missing("reset"));
  guarded("reset", [&] { unit_->restore(fresh_); });
  mode_ = Mode::instantiated;
  t_ = 0;
  set_starts();
}

void CustomInstance::enter_initialization(const fmi::Experiment& experiment) {
  t_ = experiment.start;
  mode_ = Mode::initialization;
  touch();
}

// initialize() always begins with the start values, however often it is called.
void CustomInstance::initialize() {
  if (!std::exchange(initialize_stale_, false)) return;
  std::copy(starts_.begin(), starts_.end(), values_.begin());
  guarded("initialize", [&] {
    NativeEvent e = event_at();
    unit_->initialize(e);
  });
}

void CustomInstance::exit_initialization() {
  initialize();
  compute_outputs();
  mode_ = Mode::event;
  rates_stale_ = outputs_stale_ = true;
}

// --- values ----------------------------------------------------------------------------------------------------------

NativePoint CustomInstance::point(std::span<const double> values) const {
  return {t_, values.subspan(0, layout_.states), values.subspan(layout_.first_input, layout_.inputs),
          values.subspan(layout_.first_parameter, layout_.parameters),
          values.subspan(layout_.first_memory, layout_.memory)};
}

NativeEvent CustomInstance::event_at() {
  return {.time = t_,
          .x = part(0, layout_.states),
          .u = part(layout_.first_input, layout_.inputs),
          .p = part(layout_.first_parameter, layout_.parameters),
          .memory = part(layout_.first_memory, layout_.memory)};
}

void CustomInstance::compute_rates() {
  if (mode_ == Mode::instantiated) return;
  if (mode_ == Mode::initialization) initialize();
  if (!rates_stale_) return;
  guarded("derivatives", [&] { unit_->derivatives(point(values_), part(layout_.first_rate, layout_.states)); });
  rates_stale_ = false;
}

void CustomInstance::compute_outputs() {
  if (mode_ == Mode::instantiated) return;
  if (mode_ == Mode::initialization) initialize();
  if (!outputs_stale_) return;
  const auto outputs = part(layout_.first_output, layout_.outputs);
  std::copy(outputs.begin(), outputs.end(), outputs_.begin());
  guarded("outputs", [&] { unit_->outputs(point(values_), outputs_); });
  const bool may_jump = mode_ == Mode::initialization || mode_ == Mode::event;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& v = declaration_.outputs[i];
    if (may_jump || (v.type == NativeType::real && !v.discrete)) outputs[i] = outputs_[i];
  }
  outputs_stale_ = false;
}

const CustomLayout::Place& CustomInstance::place(ValueReference reference, Type type) const {
  if (reference >= layout_.places.size() || layout_.places[reference].type != type) {
    throw run_error(
        "unit '{}' (native model '{}') has no {} variable with the value reference {}; use one of the description",
        name(), declaration_.name, name_of(type), reference)
        .in_unit(name());
  }
  return layout_.places[reference];
}

// FMI 3.0, 2.4.7.4: when a variable may be set.
bool CustomInstance::is_settable(const Place& p) const {
  const bool before = mode_ == Mode::instantiated || mode_ == Mode::initialization;
  switch (p.kind) {
    case Kind::input: return before || mode_ == Mode::event || (mode_ == Mode::continuous && !p.discrete);
    case Kind::parameter: return before || (p.tunable && mode_ == Mode::event);
    case Kind::state:
    case Kind::memory: return before;
    default: return false;
  }
}

void CustomInstance::read(Type type, std::span<const ValueReference> references, void* values, std::size_t count) {
  require_in_unit(name(), references.size() == count,
                  "unit '{}' (native model '{}'): {} values are read of {} variables; all of them are scalars", name(),
                  declaration_.name, count, references.size());
  with_type(type, [&]<class T>() {
    auto* to = static_cast<T*>(values);
    for (const auto reference : references) {
      const auto& p = place(reference, type);
      if (p.kind == Kind::rate) compute_rates();
      if (p.kind == Kind::output) compute_outputs();
      if (p.kind == Kind::state && mode_ == Mode::initialization) initialize();
      if constexpr (is_number<T>) *to++ = p.kind == Kind::time ? static_cast<T>(t_) : from_double<T>(p, reference);
    }
  });
}

template <class T>
T CustomInstance::from_double(const Place& p, ValueReference reference) const {
  const double value = values_[p.index];
  if constexpr (std::is_same_v<T, double>) {
    return value;
  } else if constexpr (std::is_same_v<T, Bool>) {
    return Bool(value != 0);
  } else {
    using Limits = std::numeric_limits<T>;
    require_in_unit(name(),
                    value >= static_cast<double>(Limits::lowest()) && value <= static_cast<double>(Limits::max()) &&
                        value == std::trunc(value),
                    "unit '{}' (native model '{}'): '{}' is of type {} and cannot be {} at t = {} s; compute a whole "
                    "number",
                    name(), declaration_.name, description_[reference].name, name_of(type_of<T>), value, t_);
    return static_cast<T>(value);
  }
}

void CustomInstance::write(Type type, std::span<const ValueReference> references, const void* values,
                           std::size_t count) {
  require_in_unit(name(), references.size() == count,
                  "unit '{}' (native model '{}'): {} values are given for {} variables; all of them are scalars",
                  name(), declaration_.name, count, references.size());
  with_type(type, [&]<class T>() {
    const auto* from = static_cast<const T*>(values);
    for (const auto reference : references) {
      const auto& p = place(reference, type);
      if (!is_settable(p)) {
        throw run_error(
            "unit '{}' (native model '{}'): '{}' may not be set now; set inputs and tunable parameters only", name(),
            declaration_.name, description_[reference].name)
            .in_unit(name())
            .at(t_);
      }
      if constexpr (is_number<T>) values_[p.index] = static_cast<double>(*from++);
      if (p.index < starts_.size()) starts_[p.index] = values_[p.index];
    }
    touch();
  });
}

// --- continuous time and events --------------------------------------------------------------------------------------

void CustomInstance::set_time(Time t) {
  t_ = t;
  touch();
}

void CustomInstance::set_states(std::span<const double> x) {
  std::copy(x.begin(), x.end(), values_.begin());
  touch();
}

void CustomInstance::get_states(std::span<double> x) {
  if (mode_ == Mode::initialization) initialize();
  std::copy_n(values_.begin(), x.size(), x.begin());
}

void CustomInstance::get_derivatives(std::span<double> dx) {
  compute_rates();
  std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(layout_.first_rate), dx.size(), dx.begin());
}

void CustomInstance::get_event_indicators(std::span<double> z) {
  if (mode_ == Mode::initialization) initialize();
  guarded("indicators", [&] { unit_->indicators(point(values_), z); });
}

void CustomInstance::get_nominals(std::span<double> x) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double nominal = declaration_.states[i].nominal;
    x[i] = nominal > 0 ? nominal : 1.0;
  }
}

void CustomInstance::enter_event_mode() {
  mode_ = Mode::event;
  outputs_stale_ = true;
}

// Discrete outputs take their values before they are held again.
void CustomInstance::leave_event_mode() {
  if (layout_.outputs > 0) compute_outputs();
  mode_ = Mode::continuous;
}

fmi::DiscreteUpdate CustomInstance::update_discrete_states() {
  before_.assign(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(layout_.states));
  fmi::DiscreteUpdate result;
  guarded("event", [&] {
    NativeEvent e = event_at();
    unit_->event(e);
    if (e.next_time <= t_ && !e.again)
      throw model::Failure("event() requests a next event that is not after the current time");
    result.repeat = e.again;
    result.terminate = e.terminate;
    if (e.next_time < std::numeric_limits<double>::infinity()) result.next_event = e.next_time;
  });
  touch();
  result.states_changed = !is_same(before_, part(0, layout_.states));
  return result;
}

// --- states ----------------------------------------------------------------------------------------------------------

std::unique_ptr<fmi::SavedState> CustomInstance::save(std::unique_ptr<fmi::SavedState> reuse) {
  if (!reuse) reuse = std::make_unique<Saved>();
  auto& saved = static_cast<Saved&>(*reuse);
  saved.state.t = t_;
  saved.state.mode = mode_;
  saved.state.rates_stale = rates_stale_;
  saved.state.outputs_stale = outputs_stale_;
  saved.state.values = values_;
  guarded("saving its memory", [&] { saved.own = unit_->save(); });
  return reuse;
}

void CustomInstance::restore(const fmi::SavedState& state) {
  const auto& saved = static_cast<const Saved&>(state);
  guarded("restoring its memory", [&] { unit_->restore(saved.own); });
  t_ = saved.state.t;
  mode_ = saved.state.mode;
  rates_stale_ = saved.state.rates_stale;
  outputs_stale_ = saved.state.outputs_stale;
  values_ = saved.state.values;
}

std::vector<std::uint8_t> CustomInstance::serialize(const fmi::SavedState& state) {
  const auto& saved = static_cast<const Saved&>(state);
  std::string own;
  guarded("serialising its memory", [&] { own = unit_->serialize(saved.own); });
  ByteWriter writer;
  const State& s = saved.state;
  writer(description_.model_name, static_cast<std::uint64_t>(s.values.size()), s.values, s.t, s.mode, s.rates_stale,
         s.outputs_stale, own);
  return writer.take();
}

std::unique_ptr<fmi::SavedState> CustomInstance::deserialize(std::span<const std::uint8_t> bytes) {
  auto saved = std::make_unique<Saved>();
  with_unit(name(), [&] {
    auto& state = saved->state;
    std::string model;
    std::string own;
    std::uint64_t size = 0;
    ByteReader reader(bytes);
    reader(model, size);
    require_in_unit(name(), model == description_.model_name && size == values_.size(),
                    "unit '{}' (native model '{}'): the saved state does not belong to this version of the model; use "
                    "one that does",
                    name(), declaration_.name);
    state.values.resize(size);
    reader(state.values, state.t, state.mode, state.rates_stale, state.outputs_stale, own);
    reader.expect_end();
    ByteReader::check(state.mode <= Mode::terminated);
    guarded("reading its memory", [&] { saved->own = unit_->deserialize(own); });
  });
  return saved;
}

// --- derivatives -----------------------------------------------------------------------------------------------------

void CustomInstance::directional(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                                 std::span<const double> seed, std::span<double> sensitivity) {
  require_in_unit(name(), unknowns.size() == sensitivity.size() && knowns.size() == seed.size(),
                  "unit '{}' (native model '{}'): there are {} seeds for {} variables and {} results for {}; give one "
                  "for each",
                  name(), declaration_.name, seed.size(), knowns.size(), sensitivity.size(), unknowns.size());
  for (const auto references : {unknowns, knowns})
    for (const auto reference : references) static_cast<void>(place(reference, Type::Float64));
  if (mode_ == Mode::initialization) initialize();
  guarded("directional", [&] {
    if (is_analytic(unknowns, knowns))
      analytic(unknowns, knowns, seed, sensitivity);
    else
      by_differences(unknowns, knowns, seed, sensitivity);
  });
}

bool CustomInstance::is_analytic(std::span<const ValueReference> unknowns,
                                 std::span<const ValueReference> knowns) const {
  const auto is_known = [&](ValueReference r) {
    return layout_.places[r].kind == Kind::state || layout_.places[r].kind == Kind::input;
  };
  const auto is_unknown = [&](ValueReference r) {
    const auto kind = layout_.places[r].kind;
    return kind == Kind::rate || kind == Kind::output || kind == Kind::state;
  };
  return unit_->has_directional() && mode_ != Mode::initialization &&
         std::all_of(knowns.begin(), knowns.end(), is_known) &&
         std::all_of(unknowns.begin(), unknowns.end(), is_unknown);
}

void CustomInstance::analytic(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                              std::span<const double> seed, std::span<double> sensitivity) {
  seed_.assign(layout_.size, 0.0);
  change_.assign(layout_.size, 0.0);
  for (std::size_t i = 0; i < knowns.size(); ++i) seed_[layout_.places[knowns[i]].index] = seed[i];
  const std::span<const double> seeds(seed_);
  const std::span<double> changes(change_);
  unit_->directional(
      point(values_),
      {seeds.subspan(0, layout_.states), seeds.subspan(layout_.first_input, layout_.inputs),
       changes.subspan(layout_.first_rate, layout_.states), changes.subspan(layout_.first_output, layout_.outputs)});
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    const auto& p = layout_.places[unknowns[i]];
    sensitivity[i] = p.kind == Kind::state ? seed_[p.index] : change_[p.index];
  }
}

void CustomInstance::evaluate(std::span<double> values) {
  unit_->derivatives(point(values), values.subspan(layout_.first_rate, layout_.states));
  unit_->outputs(point(values), values.subspan(layout_.first_output, layout_.outputs));
}

// Central differences, whose relative step is the cube root of epsilon: it balances truncation and rounding.
void CustomInstance::by_differences(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                                    std::span<const double> seed, std::span<double> sensitivity) {
  const Time t = t_;
  const auto value_of = [&](const Place& p) { return p.kind == Kind::time ? t : values_[p.index]; };
  double largest = 0;
  for (std::size_t i = 0; i < knowns.size(); ++i)
    largest = std::max(largest, std::abs(seed[i]) / std::max(1.0, std::abs(value_of(layout_.places[knowns[i]]))));
  const double step = largest == 0 ? 1.0 : std::cbrt(std::numeric_limits<double>::epsilon()) / largest;
  for (const double direction : {1.0, -1.0}) {
    scratch_ = values_;
    Time shifted = t;
    for (std::size_t i = 0; i < knowns.size(); ++i) {
      const auto& p = layout_.places[knowns[i]];
      (p.kind == Kind::time ? shifted : scratch_[p.index]) += direction * step * seed[i];
    }
    t_ = shifted;
    try {
      evaluate(scratch_);
    } catch (...) {
      t_ = t;
      throw;
    }
    t_ = t;
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
      const double value = scratch_[layout_.places[unknowns[i]].index];
      sensitivity[i] = direction > 0 ? value : (sensitivity[i] - value) / (2 * step);
    }
  }
}

}  // namespace consort::unit
