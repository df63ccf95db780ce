// A compiled expression. Const after compile(), so that threads may share it; no function but explain() allocates.
//
// Slots: the caller's flat array of doubles, in which the resolver placed the variables. Values stand there in the
// variables' own units; the result is in the target's unit. Conditions give 0 or 1. A value that cannot be computed
// (division by zero) gives a result that is not finite, see explain(); a comparison with NaN is NaN, and so is a result
// that depends on it.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "expr/resolver.hpp"
#include "expr/syntax.hpp"

namespace consort::expr {

// A place where the expression has a kink or a jump: a > b, a < b, …, abs, min, max, clamp, sign, mod, floor, ceil (see
// Relations of compile.hpp for those that count). A relation has an outcome, a double: for comparisons and choices 1 if
// its indicator is > 0 and 0 if it is <= 0 or zero; for floor, ceil and mod the whole number of the floor. `held`
// arrays have one outcome per relation.
struct Relation {
  std::uint32_t node = 0;     // of Program::tree()
  bool whole_number = false;  // the outcome is the number of a floor
  // False: the operands change at events only, so that there is nothing to locate in continuous time.
  bool located = true;
  // The indicator depends on time and on what changes at events only: its roots are time events.
  bool time_only = false;
};

// A variable that the program reads.
struct UsedOperand {
  std::uint32_t slot = 0;
  Kind kind = Kind::real;
  bool discrete = false;  // changes at events only
  std::string name;
  std::string unit;   // of the value in the slot; may be empty
  double factor = 1;  // value in SI units = factor * value in the slot + offset
  double offset = 0;
};

// A program that was not made by compile() may only be assigned to.
class Program {
 public:
  // The values of the longest program. They, and as many derivatives, are on the stack of the caller: 64 KiB.
  static constexpr std::size_t most_values = 4096;

  [[nodiscard]] const Tree& tree() const { return *tree_; }
  [[nodiscard]] bool is_condition() const { return condition_; }
  [[nodiscard]] std::span<const UsedOperand> operands() const { return operands_; }
  [[nodiscard]] bool uses_time() const { return uses_time_; }
  // No operand and no time: evaluate({}, 0) is the value.
  [[nodiscard]] bool is_constant() const { return operands_.empty() && !uses_time_; }
  // Some operand changes at events only.
  [[nodiscard]] bool depends_on_discrete() const;
  // Some operand, or time, changes continuously.
  [[nodiscard]] bool depends_on_continuous() const;
  // Between events the value does not change, if relations are held at their outcomes.
  [[nodiscard]] bool changes_at_events_only() const { return event_valued_; }
  // Of the result: the target's; without a target, the SI unit that follows from the operands. nullopt: none takes
  // part, or it is not known.
  [[nodiscard]] const std::optional<describe::BaseUnit>& unit() const { return unit_; }
  // `slots` must have at least this many values.
  [[nodiscard]] std::size_t slots_needed() const { return slots_needed_; }
  // Remarks for the report, one sentence each: "the result is in SI units (rad/s), …".
  [[nodiscard]] std::span<const std::string> notes() const { return notes_; }

  // --- values

  [[nodiscard]] double evaluate(std::span<const double> slots, double t) const;
  // The value and its derivatives by operand, as many as operands(), in the units of the slots and the target. Two
  // names of one slot are two operands. At a kink the derivative is that of the outcome. It may be infinite (sqrt at
  // 0).
  void gradient(std::span<const double> slots, double t, double& value, std::span<double> d_operands,
                double& d_time) const;

  // --- relations

  [[nodiscard]] std::span<const Relation> relations() const { return relations_; }
  // With all relations held at the outcomes, whatever the operands are; smooth except for what does not count.
  [[nodiscard]] double evaluate(std::span<const double> slots, double t, std::span<const double> held) const;
  void gradient(std::span<const double> slots, double t, std::span<const double> held, double& value,
                std::span<double> d_operands, double& d_time) const;
  // Writes one indicator per relation. The outcome changes when the indicator changes between > 0 and <= 0; for floors
  // it is <= 0 within the interval of the held number. An indicator that cannot be computed (in a branch of if() that
  // is not taken) is 1 or -1, the sign that belongs to the held outcome.
  void indicators(std::span<const double> slots, double t, std::span<const double> held,
                  std::span<double> values) const;
  // Writes the present outcomes, in which nested relations are not held; true if one changed. An outcome that cannot be
  // computed stays. For the first time, begin with zeros.
  bool refresh(std::span<const double> slots, double t, std::span<double> held) const;

  // --- messages

  // Why the result is not finite: "division by zero in '1 / (left.x - 2 [m])' (left.x = 2 m)". The first sub-expression
  // of the result, in the order of evaluation, whose value is not finite. An empty text if the result is finite.
  [[nodiscard]] std::string explain(std::span<const double> slots, double t) const;
  [[nodiscard]] std::string explain(std::span<const double> slots, double t, std::span<const double> held) const;
  // "expression '1 / x' (system.yaml:12:5)", to begin a message with.
  [[nodiscard]] std::string place() const;

 private:
  friend class Builder;

  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  enum class Code : std::uint8_t {
    constant,  // these three occur while compiling only
    operand,
    time,
    add,
    subtract,
    multiply,
    divide,
    negate,
    power,
    greater,  // a > b
    equal,
    invert,  // logical not: 1 - a
    both,    // and
    either,  // or
    choose,  // a ? b : c
    minimum,
    maximum,
    absolute,
    sqrt,
    exp,
    log,
    sin,
    cos,
    tan,
    asin,
    acos,
    atan,
    atan2,
    sinh,
    cosh,
    tanh,
    floor,
    table,  // c is the index of the table
  };

  // The result of the k-th instruction is the value number first_result_ + k of the frame. The frame begins with time,
  // the operands and the constants.
  struct Instruction {
    Code code = Code::constant;
    std::uint32_t relation = none;
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::uint32_t c = 0;
    std::uint32_t node = 0;
  };

  class Present;  // relations as they are
  class Held;
  class Refreshed;
  struct Frame;

  template <class Outcomes>
  static double apply(const Instruction& i, const double* v, const std::shared_ptr<const Table>* tables,
                      Outcomes& outcomes);
  template <class Outcomes>
  void run(std::span<const double> slots, double t, double* v, Outcomes& outcomes) const;
  template <class Outcomes>
  void differentiate(std::span<const double> slots, double t, Outcomes& outcomes, double& value,
                     std::span<double> d_operands, double& d_time) const;
  template <class Outcomes>
  static void add_adjoints(const Instruction& i, const double* v, const std::shared_ptr<const Table>* tables,
                           double result, double adjoint, double* adjoints, Outcomes& outcomes);
  template <class Outcomes>
  [[nodiscard]] std::string explain_with(std::span<const double> slots, double t, Outcomes& outcomes) const;
  [[nodiscard]] static std::string reason(Code code, double a, double b);
  [[nodiscard]] std::string values_in(std::uint32_t node, std::span<const double> slots, double t) const;
  [[nodiscard]] double indicator(const Instruction& i, const double* v, double held) const;
  [[nodiscard]] double delivered(double v) const { return convert_ ? (v - target_offset_) / target_factor_ : v; }
  [[nodiscard]] static int inputs_of(Code code);

  // A constant with a name, for messages.
  struct Named {
    std::string name;
    double value = 0;
    std::string unit;
  };

  std::shared_ptr<const Tree> tree_;
  std::vector<UsedOperand> operands_;
  std::vector<Named> named_;
  std::vector<double> constants_;
  std::vector<Instruction> instructions_;
  std::vector<std::shared_ptr<const Table>> tables_;
  std::vector<Relation> relations_;
  std::vector<std::string> notes_;
  std::optional<describe::BaseUnit> unit_;
  std::size_t slots_needed_ = 0;
  std::uint32_t first_result_ = 1;
  std::uint32_t result_ = 0;  // place in the frame
  bool condition_ = false;
  bool uses_time_ = false;
  bool event_valued_ = false;
  bool convert_ = false;
  double target_factor_ = 1;
  double target_offset_ = 0;
};

}  // namespace consort::expr
