#include "glue/advance.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace consort::glue {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr int most_iterations = 100;
constexpr int most_events = 10'000;

double longest_step(const model::Info& info) {
  return info.solver_step > 0 ? info.solver_step * (1 + step_slack) : never;
}

double* polynomials(model::Instance& instance) {
  return static_cast<double*>(static_cast<void*>(instance.memory() + instance.layout().polynomials_offset()));
}

// The model as a system for the solver while inputs move during the step; slower than Exported::step.
struct MovingSystem {
  model::Instance& instance;
  void (*move)(void* stepper, double t);
  void* stepper;

  [[nodiscard]] std::size_t size() const { return instance.state_count(); }
  void read(double* x) const { instance.read_states(x); }
  void write(const double* x) { instance.write_states(x); }
  void rates(double t, double* dx) {
    move(stepper, t);
    instance.context().time = t;
    instance.definition().derivatives(instance.model(), instance.context());
    instance.definition().read_rates(instance.model(), dx);
  }
};

}  // namespace

Stepper::Stepper(const Exported& exported, model::Instance& instance)
    : exported_(exported),
      instance_(instance),
      longest_(longest_step(instance.definition().info)),
      is_plain_(instance.layout().indicators().empty()),
      work_(instance.layout().state_capacity() * solve::step_work),
      before_(instance.layout().state_capacity()),
      indicators_(instance.layout().indicators().size()),
      input_start_(instance.layout().polynomial_inputs().size()) {}

void Stepper::start() {
  handle_events();
  note_signs();
}

void Stepper::note_signs() {
  if (indicators_.empty()) return;
  instance_.read_indicators(indicators_.data());
  std::byte* sign = instance_.memory() + instance_.layout().signs_offset();
  for (const double z : indicators_) *sign++ = std::byte{z > 0};
}

bool Stepper::signs_differ() {
  instance_.read_indicators(indicators_.data());
  const std::byte* sign = instance_.memory() + instance_.layout().signs_offset();
  return std::any_of(indicators_.begin(), indicators_.end(), [&](double z) { return *sign++ != std::byte{z > 0}; });
}

void Stepper::handle_events() {
  for (int i = 0; i < most_iterations; ++i) {
    if (!instance_.update_event().again) return;
  }
  throw model::Failure(
      "the model requests event iterations without end; event() must leave Event::again false in the end");
}

// --- steps

StepResult Stepper::careful_step(const StepRequest& request) {
  model::Head& head = instance_.head();
  head.time = request.t;
  instance_.touch();
  if (head.has_polynomials) begin_polynomials();
  const double parts = std::max(1.0, std::ceil(request.h / longest_ - step_slack));
  try {
    const StepResult result = run(request, parts);
    head.has_polynomials = false;
    return result;
  } catch (...) {
    head.has_polynomials = false;
    throw;
  }
}

void Stepper::undo_plain_step(double t) {
  if (exported_.step != nullptr) instance_.write_states(work_.data());  // start states: solve/fixed_step.hpp
  instance_.head().time = t;
}

StepResult Stepper::run(const StepRequest& request, double parts) {
  model::Head& head = instance_.head();
  const double end = request.t + request.h;
  // An input may have changed since the last step, and thus an indicator.
  bool at_event = head.next_event <= head.time || (!indicators_.empty() && signs_differ());
  double early = never;
  int events = 0;
  for (double part = 1; part <= parts; ++part) {
    const double begin = head.time;
    const double target = part < parts ? request.t + request.h * part / parts : end;
    while (true) {
      if (at_event) {
        const bool at_end = head.time >= end;
        if (request.stop_at_events && (request.may_return_early || at_end) && head.time > request.t) {
          return {std::min(head.time, end), true, !at_end, false};
        }
        if (++events > most_events)
          throw model::Failure("more than 10000 events in one step; the model chatters, add a hysteresis");
        handle_events();
        note_signs();
        at_event = false;
        if (head.terminate) return {std::min(head.time, end), false, !at_end, true};
      }
      if (head.time >= target) break;
      if (head.time >= early) return {head.time, false, true, false};
      // The length is not computed from the rounded times unless an event has shortened the step.
      const bool whole = head.time == begin && target <= early;
      const double limit = std::min(target, early);
      at_event = advance_to(limit, whole ? request.h / parts : limit - head.time, request.h);
      if (request.intermediate != nullptr) early = request.intermediate(request.environment, head.time);
    }
  }
  head.time = end;
  return {end, false, false, false};
}

// Takes one solver step to `limit` or to the first event before it; true if it ended at an event.
bool Stepper::advance_to(double limit, double length, double communication_step) {
  model::Head& head = instance_.head();
  const double t = head.time;
  const bool time_event = head.next_event <= limit + step_slack * communication_step;
  const double target = time_event ? std::min(limit, head.next_event) : limit;
  if (target < limit) length = target - t;
  instance_.read_states(before_.data());
  try {
    double fraction = 1;
    const bool crossed = step_over(length);
    if (crossed) fraction = locate_event(t, length);
    const bool reached = fraction >= 1;
    // A time event within rounding of the step's end gets its own exact time, with which the model compares.
    if (reached) head.time = time_event ? head.next_event : target;
    instance_.touch();
    instance_.completed(communication_step);
    return crossed || time_event;
  } catch (...) {
    go_back(t);
    throw;
  }
}

// Finds the part of the step after which an indicator has just changed its sign, and leaves the instance there.
double Stepper::locate_event(double t, double length) {
  // The search ends at the resolution of the time.
  const double resolution = 4 * std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(t + length));
  const double tolerance = std::clamp(resolution / length, 1e-13, 0.5);
  const double fraction = solve::bisect(
      [&](double part) {
        go_back(t);
        return step_over(part * length);
      },
      tolerance);
  go_back(t);
  step_over(fraction * length);
  return fraction;
}

void Stepper::go_back(double t) {
  instance_.write_states(before_.data());
  if (instance_.head().has_polynomials) move_inputs(t);
  instance_.head().time = t;
}

// True if an indicator has changed its sign.
bool Stepper::step_over(double length) {
  model::Head& head = instance_.head();
  const double t = head.time;
  if (exported_.step != nullptr) {
    instance_.context().time = t;
    solve(length);
  }
  if (head.has_polynomials) move_inputs(t + length);
  head.time = t + length;
  instance_.touch();
  return !indicators_.empty() && signs_differ();
}

void Stepper::solve(double length) {
  if (!instance_.head().has_polynomials) {
    exported_.step(instance_.model(), instance_.context(), length, work_.data());
    return;
  }
  MovingSystem system{instance_, [](void* self, double t) { static_cast<Stepper*>(self)->move_inputs(t); }, this};
  const auto method = static_cast<solve::FixedStep>(instance_.definition().info.method);
  solve::fixed_step(method, system, instance_.head().time, length, work_.data());
}

// --- moving inputs

void Stepper::set_input_derivative(const model::Slot& input, int order, double value) {
  if (input.polynomial == model::no_offset) {
    throw model::Failure("derivatives can only be set for continuous inputs");
  }
  if (order < 1 || order > static_cast<int>(model::polynomial_order)) {
    throw model::Failure("derivatives of inputs are accepted up to the third order");
  }
  if (!instance_.head().has_polynomials) {
    std::fill_n(polynomials(instance_), input_start_.size() * model::polynomial_order, 0.0);
    instance_.head().has_polynomials = true;
  }
  polynomials(instance_)[input.polynomial * model::polynomial_order + static_cast<std::size_t>(order) - 1] = value;
}

void Stepper::begin_polynomials() {
  input_time_ = instance_.head().time;
  for (std::size_t i = 0; i < input_start_.size(); ++i) {
    const model::Slot& slot = instance_.layout().slots()[instance_.layout().polynomial_inputs()[i]];
    std::memcpy(&input_start_[i], instance_.at(slot), sizeof(double));
  }
}

void Stepper::move_inputs(double t) {
  const double dt = t - input_time_;
  const double* c = polynomials(instance_);
  for (std::size_t i = 0; i < input_start_.size(); ++i, c += model::polynomial_order) {
    const model::Slot& slot = instance_.layout().slots()[instance_.layout().polynomial_inputs()[i]];
    const double value = input_start_[i] + dt * (c[0] + dt / 2 * (c[1] + dt / 3 * c[2]));
    std::memcpy(instance_.at(slot), &value, sizeof value);
  }
}

}  // namespace consort::glue
