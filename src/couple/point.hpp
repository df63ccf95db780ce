// The communication point: the only place that brings inputs up to date.
//
// It calls routing, tables and scenarios (InputSource), the course of inputs within a step (Approximation, History),
// consistent outputs, and power bonds. Steppers, trials, event iteration and initialization use only this class. A step
// is
//
//   point.begin(state, interval);
//   for every part: point.give(state, part);  …units step…
//   point.end(state, interval);
//
// It holds no state of the run: its memory is in slots of RunState::memory, and all other data are scratch of one step.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "couple/approximation.hpp"
#include "couple/consistency.hpp"
#include "couple/gather.hpp"
#include "couple/history.hpp"
#include "couple/input_source.hpp"
#include "couple/interval.hpp"
#include "couple/power_bonds.hpp"
#include "couple/run_state.hpp"
#include "fleet/timeline.hpp"
#include "graph/plan.hpp"

namespace consort::couple {

struct PointSetup {
  const graph::Plan& plan;
  fleet::Fleet& fleet;  // not connected yet
  const Approximation& approximation;
  std::vector<InputSource*> sources{};  // later ones override earlier ones
  const PowerBonds* bonds = nullptr;    // null: no bonds
  Duration slack = 0;                   // times that differ by less are equal
  fleet::Timeline* timeline = nullptr;  // null: no timeline
};

class Point {
 public:
  // All objects in `setup` must outlive this one. Declares the output derivatives that the approximation needs; throws
  // Error (input) with alternatives if a unit does not provide them. Inputs that no unit drives have no derivatives:
  // they are held unless a source of the setup moves them.
  explicit Point(PointSetup setup);
  Point(const Point&) = delete;
  Point& operator=(const Point&) = delete;

  // --- before the run, in this order

  // Declares units whose inputs are given together. `sees_new(unit, source)`: true if the unit uses values that the
  // source computed in the same step.
  using SeesNew = std::function<bool(graph::UnitId unit, graph::UnitId source)>;
  std::uint32_t declare_part(std::span<const graph::UnitId> units, const SeesNew& sees_new);
  // Call it if guess() or end_at() is used: the past is then needed with any approximation.
  void declare_guesses() { guesses_ = true; }
  // Makes outputs consistent at every point; null: outputs are used as they are.
  void set_consistency(std::unique_ptr<Consistency> consistency);
  // Reserves slots; once.
  void prepare(RunState& state);

  // --- a step

  void begin(RunState& state, const Interval& interval) {
    interval_ = interval;
    if (!is_plain_ || interval.past != Past::usual) begin_course(state);
  }
  // Sets the inputs of a part: from outputs at the beginning of the step, or from present ones if the source has
  // stepped.
  void give(RunState& state, std::uint32_t part) const {
    const fleet::Timeline::Span routing(timeline_, routing_);
    const Part& to = parts_[part];
    if (!is_plain_ || is_blind()) {
      give_course(state, to);
    } else if (to.has_routes) {
      to.all(state.signals.outputs, state.signals.inputs, interval_.t);
    }
  }
  // Moves an input from its value at the beginning to `end` at the end of the step; may be repeated. Call it before
  // override_inputs().
  void end_at(RunState& state, std::uint32_t input, double end) const;
  // The extrapolated value of an input at the end of the step.
  [[nodiscard]] double guess(std::uint32_t input) const;
  // Applies tables and scenarios; give() already does.
  void override_inputs(RunState& state) const;
  // Call it after all units have stepped, unless the step is dropped. `events`: state.events when the step began.
  void end(RunState& state, const Interval& interval, std::uint64_t events) {
    if (!ends_plainly_ || interval.past != Past::usual) end_course(state, interval, events);
  }

  // --- between steps

  // Sets all inputs at the present point: routed, then overridden by sources.
  void give_all(RunState& state) const;
  // Call it after events at the present point are settled. Drops the past, because polynomials must not pass
  // discontinuities, and makes outputs consistent.
  void end_events(RunState& state);
  // Applies actions that are due at the present point and updates dependent outputs; once, before any step from here is
  // tried.
  void begin_due(RunState& state) {
    if (!sources_.empty()) [[unlikely]]
      begin_due_of_sources(state);
  }
  // Writes tables at the present point to external signals.
  void look_up(RunState& state) const;
  // Copies outputs to the inputs of some units, without a step: for initialization.
  void route(std::span<const graph::UnitId> units, const Columns& outputs, Columns& inputs, Time t) const;
  // Sets the clocks of units in event mode that tick at the present point.
  void tick(const RunState& state) const;
  // next_event(): the next discontinuity of a table or action of a scenario. next_corner(): the next other time at
  // which steps of variable size should end.
  [[nodiscard]] Time next_event(const RunState& state) const {
    return sources_.empty() ? fleet::never : next_event_of_sources(state);
  }
  [[nodiscard]] Time next_corner(const RunState& state) const {
    return sources_.empty() ? fleet::never : next_corner_of_sources(state);
  }

  // --- queries

  [[nodiscard]] const Approximation& approximation() const { return approximation_; }
  [[nodiscard]] int order() const { return order_; }
  [[nodiscard]] const History& history() const { return history_; }
  [[nodiscard]] const History& coarse() const { return coarse_; }
  // of the two, the one used by the present step
  [[nodiscard]] const History& history_in_use() const { return *past_; }
  [[nodiscard]] bool has_sources() const { return !sources_.empty(); }
  [[nodiscard]] bool has_overrides() const { return has_overrides_; }
  // False if data read from a checkpoint are invalid.
  [[nodiscard]] bool is_sound(const RunState& state) const {
    return history_.is_sound(state.memory) && coarse_.is_sound(state.memory);
  }
  [[nodiscard]] Time begun() const { return interval_.t; }  // where the last step began

 private:
  struct Part {
    Gather from_old;  // from outputs at the beginning of the step
    Gather from_new;  // from outputs computed in this step
    Gather external;  // from external signals
    Gather all;       // old and new together, if they do not differ
    bool has_routes = false;
    bool first = false;
  };

  // What begin(), give() and end() do unless the step is plain: order 0, no sources, no look back.
  void begin_course(RunState& state);
  void give_course(RunState& state, const Part& part) const;
  void end_course(RunState& state, const Interval& interval, std::uint64_t events);
  void begin_due_of_sources(RunState& state);
  [[nodiscard]] Time next_event_of_sources(const RunState& state) const;
  [[nodiscard]] Time next_corner_of_sources(const RunState& state) const;
  void declare_derivatives();
  void require_derivatives(const graph::ConnectionInfo& connection) const;
  void remember(RunState& state);
  void make_consistent(RunState& state) {
    if (consistency_) agree(state);
  }
  void agree(RunState& state);
  void find_weights(const RunState& state);
  void hold(RunState& state, const Part& part) const;
  void go_on(RunState& state, const Part& part) const;
  void extrapolate(RunState& state, std::span<const std::uint32_t> some) const;  // of the inputs
  void interpolate(RunState& state, const Part& part) const;
  // `sum` plus the contribution of the past; its weights begin at `first`.
  [[nodiscard]] double past(const std::array<double, most_points>& weights, std::size_t first, int data,
                            std::uint32_t input, double sum = 0) const;
  [[nodiscard]] bool is_blind() const { return interval_.past == Past::alone; }

  const graph::Plan& plan_;
  fleet::Fleet& fleet_;
  const Approximation& approximation_;
  int order_;
  int each_;  // data per point: value and derivatives
  std::vector<InputSource*> sources_;
  const PowerBonds* bonds_;
  Duration slack_;
  fleet::Timeline* timeline_;
  fleet::Timeline::Activity routing_{}, agreeing_{};

  Gather::Owners owners_;
  Gather everything_;
  std::vector<Part> parts_;
  std::vector<bool> continuous_;         // by element of the inputs' Float64 column
  std::vector<std::uint32_t> external_;  // continuous inputs that no unit drives
  std::unique_ptr<Consistency> consistency_;
  std::function<bool(std::uint32_t)> is_overridden_;
  const RunState* looked_at_ = nullptr;  // used by is_overridden_
  bool guesses_ = false;
  bool looks_back_ = false;     // a part after the first uses outputs at the beginning of the step
  bool has_new_ = false;        // a part uses outputs computed in this step
  bool has_overrides_ = false;  // of sources
  bool is_plain_ = false;       // inputs are held and depend only on present outputs
  bool ends_plainly_ = false;   // and the end of a step needs no work either
  History history_, coarse_;
  Slot<double> held_;  // inputs of the step with Past::kept
  // Scratch of one step.
  Interval interval_;
  const History* past_ = nullptr;
  Time next_jump_ = fleet::never;
  Columns previous_;                               // outputs at the beginning of the step
  std::vector<double> slopes_;                     // derivatives of inputs there
  int known_ = 0;                                  // number of data used by extrapolations
  int behind_ = 0;                                 // number of data used by interpolations, without the end value
  std::array<const double*, most_points> data_{};  // these data, in the memory of the run
  Weights from_here_{}, through_end_{}, ahead_{};
};

// By element of the inputs' Float64 column: true if source and target are continuous, so that polynomials make sense.
[[nodiscard]] std::vector<bool> continuous_inputs(const graph::Plan& plan);

}  // namespace consort::couple
