// The communication point: the only place where inputs are brought up to date.
//
// Routing, tables and scenarios (InputSource), the course of inputs within a step (Approximation, History), consistent
// outputs and the books of power bonds: steppers, trials, event iteration and initialization call it and nothing else.
// A step is
//
//   point.begin(state, interval);
//   for every part: point.give(state, part);  …units step…
//   point.end(state, interval);
//
// It holds no state of the run: what it remembers is in slots of RunState::memory, and the rest is scratch of one step.
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
  std::vector<InputSource*> sources{};  // later ones beat those before
  const PowerBonds* bonds = nullptr;    // null: none
  Duration slack = 0;                   // times that are nearer are the same
  fleet::Timeline* timeline = nullptr;  // null: none
};

class Point {
 public:
  // Everything that the setup points at must outlive it. Declares the derivatives of outputs that the approximation
  // wants; throws Error (input) that names a unit which does not tell them, with alternatives. What no unit drives has
  // none: it is held, unless a source of the setup moves it.
  explicit Point(PointSetup setup);
  Point(const Point&) = delete;
  Point& operator=(const Point&) = delete;

  // --- before the run, in this order

  // Units whose inputs are given together. `sees_new(unit, source)`: the unit takes what the source has computed in the
  // same step.
  using SeesNew = std::function<bool(graph::UnitId unit, graph::UnitId source)>;
  std::uint32_t declare_part(std::span<const graph::UnitId> units, const SeesNew& sees_new);
  // Steps will be guessed at and ended somewhere (guess(), end_at()): the past is needed whatever the approximation.
  void declare_guesses() { guesses_ = true; }
  // Outputs are made consistent at every point; null: they are taken as they are.
  void set_consistency(std::unique_ptr<Consistency> consistency);
  // Asks for slots; once.
  void prepare(RunState& state);

  // --- a step

  void begin(RunState& state, const Interval& interval) {
    interval_ = interval;
    past_ = &history_;
    if (!is_plain_ || interval.past != Past::usual) begin_course(state);
  }
  // The inputs of a part: from outputs as they were when the step began, or as they are now where a source has stepped.
  void give(RunState& state, std::uint32_t part) const {
    const fleet::Timeline::Span routing(timeline_, routing_);
    const Part& to = parts_[part];
    if (!is_plain_ || is_blind()) {
      give_course(state, to);
    } else if (to.has_routes) {
      to.all(state.signals.outputs, state.signals.inputs);
    }
  }
  // An input goes from where it is to `end` at the end of the step; as often as wanted. Before override_inputs().
  void end_at(RunState& state, std::uint32_t input, double end) const;
  // Where an input comes if it goes on as it went.
  [[nodiscard]] double guess(std::uint32_t input) const;
  // What tables and scenarios say instead; give() does so by itself.
  void override_inputs(RunState& state) const;
  // After all units have stepped: `events` of state when the step began. Not for steps that nobody goes on from.
  void end(RunState& state, const Interval& interval, std::uint64_t events) {
    if (!ends_plainly_ || interval.past != Past::usual) end_course(state, interval, events);
  }

  // --- between steps

  // All inputs as they are at the present point: routed, with what sources put in their place.
  void give_all(RunState& state) const;
  // After events at the present point were settled: polynomials must not go through what jumped, and outputs that
  // follow inputs follow them.
  void end_events(RunState& state);
  // What is due at the present point, and outputs that follow it; once, before any step from here is tried.
  void begin_due(RunState& state) {
    if (!sources_.empty()) [[unlikely]]
      begin_due_of_sources(state);
  }
  // Tables at the present point, as external signals.
  void look_up(RunState& state) const;
  // Inputs of some units as outputs are, without a step: for initialization.
  void route(std::span<const graph::UnitId> units, const Columns& outputs, Columns& inputs) const;
  // Sets the clocks of units in event mode that tick at the present point.
  void tick(const RunState& state) const;
  // The next time at which a table jumps or a scenario does something, and that steps of variable size should end at.
  [[nodiscard]] Time next_event(const RunState& state) const {
    return sources_.empty() ? fleet::never : next_event_of_sources(state);
  }
  [[nodiscard]] Time next_corner(const RunState& state) const;

  // --- what it knows

  [[nodiscard]] const Approximation& approximation() const { return approximation_; }
  [[nodiscard]] int order() const { return order_; }
  [[nodiscard]] const History& history() const { return history_; }
  [[nodiscard]] const History& coarse() const { return coarse_; }
  [[nodiscard]] const History& history_in_use() const { return *past_; }  // of the two, by the present step
  [[nodiscard]] bool has_sources() const { return !sources_.empty(); }
  [[nodiscard]] bool has_overrides() const { return has_overrides_; }
  // Whether what was read into the state makes sense.
  [[nodiscard]] bool is_sound(const RunState& state) const {
    return history_.is_sound(state.memory) && coarse_.is_sound(state.memory);
  }
  [[nodiscard]] Time begun() const { return interval_.t; }  // where the last step began

 private:
  struct Part {
    Gather from_old;  // as outputs were at the beginning of the step
    Gather from_new;  // as units computed them in this step
    Gather external;  // what no unit computes
    Gather all;       // old and new, where nothing tells them apart
    bool has_routes = false;
    bool first = false;
  };

  // What begin(), give() and end() do unless the step is plain.
  void begin_course(RunState& state);
  void give_course(RunState& state, const Part& part) const;
  void end_course(RunState& state, const Interval& interval, std::uint64_t events);
  void begin_due_of_sources(RunState& state);
  [[nodiscard]] Time next_event_of_sources(const RunState& state) const;
  void declare_derivatives();
  void require_derivatives(const graph::ConnectionInfo& connection) const;
  void remember(RunState& state);
  void make_consistent(RunState& state);
  void find_weights(const RunState& state);
  void hold(RunState& state, const Part& part) const;
  void go_on(RunState& state, const Part& part) const;
  void extrapolate(RunState& state, std::span<const Gather::Copy> copies) const;
  void interpolate(RunState& state, const Part& part) const;
  // `sum` and what the past adds to it, whose weights begin at `first`.
  [[nodiscard]] double past(const std::array<double, most_points>& weights, std::size_t first, int data,
                            std::uint32_t input, double sum = 0) const;
  [[nodiscard]] bool is_blind() const { return interval_.past == Past::alone; }

  const graph::Plan& plan_;
  fleet::Fleet& fleet_;
  const Approximation& approximation_;
  int order_;
  int each_;  // data of a point: its value, and derivatives
  std::vector<InputSource*> sources_;
  const PowerBonds* bonds_;
  Duration slack_;
  fleet::Timeline* timeline_;
  fleet::Timeline::Activity routing_{}, agreeing_{};

  Gather::Owners owners_;
  Gather everything_;
  std::vector<Part> parts_;
  std::vector<bool> continuous_;        // by element of the inputs' Float64 column
  std::vector<Gather::Copy> external_;  // continuous inputs that no unit drives
  std::unique_ptr<Consistency> consistency_;
  std::function<bool(std::uint32_t)> is_overridden_;
  const RunState* looked_at_ = nullptr;  // by is_overridden_
  bool guesses_ = false;
  bool looks_back_ = false;     // a part after the first takes outputs as they were
  bool has_new_ = false;        // a part takes outputs as they are
  bool has_overrides_ = false;  // of sources
  bool is_plain_ = false;       // inputs are held, and come from present outputs alone
  bool ends_plainly_ = false;   // and nothing looks at the end of a step
  History history_, coarse_;
  Slot<double> held_;  // inputs of the step that was to be kept
  // Scratch of one step.
  Interval interval_;
  const History* past_ = nullptr;
  Time next_jump_ = fleet::never;
  Columns previous_;                               // outputs at its beginning
  std::vector<double> slopes_;                     // derivatives of inputs there
  int known_ = 0;                                  // data that extrapolations go through
  int behind_ = 0;                                 // data that interpolations go through beside the end
  std::array<const double*, most_points> data_{};  // these, in the memory of the run
  Weights from_here_{}, through_end_{}, ahead_{};
};

// By element of the inputs' Float64 column: whether source and target move continuously, so that polynomials make
// sense.
[[nodiscard]] std::vector<bool> continuous_inputs(const graph::Plan& plan);

}  // namespace consort::couple
