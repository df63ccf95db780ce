// Shared by Consort's own solvers: problem and options, counters, norms, failures, and a state that is one object.
//
// All data that change from step to step are in two structs, Common and the method's own memory; scratch data that are
// written before they are read do not belong there. A snapshot is therefore a copy, and a restart is exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "solve/problem.hpp"
#include "solve/solver.hpp"
#include "solve/solvers.hpp"

namespace consort::solve {

class OdeSolver : public Solver {
 public:
  [[nodiscard]] std::size_t size() const override { return ode_.y0.size(); }
  [[nodiscard]] Time time() const override { return common_.t; }
  [[nodiscard]] ConstVector state() const override { return common_.y; }
  [[nodiscard]] ConstVector state_derivative() const override { return {}; }
  [[nodiscard]] const Switches& switches() const override { return common_.switches; }
  [[nodiscard]] ConstVector absolute_tolerances() const override { return common_.atol; }
  [[nodiscard]] const Statistics& statistics() const override { return common_.statistics; }
  [[nodiscard]] const Capabilities& capabilities() const override { return row_.capabilities; }
  [[nodiscard]] std::string_view name() const override { return row_.name; }

 protected:
  struct Common {
    Time t = 0;
    Time from = 0;  // where the last step began
    std::vector<double> y{};
    std::vector<double> atol{};
    Switches switches{};
    Statistics statistics{};

    template <class Archive>
    void fields(Archive& archive) {
      archive(t, from, y, atol, switches, statistics);
    }
  };

  OdeSolver(const SolverRow& row, const Ode& ode, const SolverOptions& options);

  // dy = f(t, y), counted. Returns the index of the first component that is not finite, or size().
  std::size_t evaluate(Time t, ConstVector y, Vector dy);
  // Root mean square of error / (atol + rtol * max(|a|, |b|)).
  [[nodiscard]] double error_norm(ConstVector error, ConstVector a, ConstVector b) const;
  // The component that contributes most to that norm.
  [[nodiscard]] std::size_t largest_error(ConstVector error, ConstVector a, ConstVector b) const;
  // A first step size for a method of this order, from the size of the first two derivatives (at most one more
  // evaluation).
  [[nodiscard]] Duration first_step(ConstVector f, int order, Duration most);

  // The smallest step size that makes progress and that the options allow.
  [[nodiscard]] Duration smallest_step() const;
  // The end of a step of size h; the limit if the step would pass or nearly reach it.
  [[nodiscard]] static Time step_end(Time t, Duration h, Time limit);
  void check_limit(Time limit) const;  // asserts limit > time(); throws at the step limit
  // Copies t, y, switches and tolerances.
  void take(const Restart& restart);

  [[noreturn]] void fail_step_size(Duration h, std::string_view reason) const;
  [[noreturn]] void fail_not_finite(std::size_t component, Time t) const;
  [[noreturn]] void fail_stiff(Duration h) const;

  // NOLINTBEGIN(cppcoreguidelines-non-private-member-variables-in-classes): the methods work on them
  const SolverRow& row_;
  const Ode& ode_;
  SolverOptions options_;
  Common common_;
  // NOLINTEND(cppcoreguidelines-non-private-member-variables-in-classes)

 private:
  std::vector<double> scratch_;
  std::vector<double> scratch_rate_;
};

// Adds saving and restoring to a method with its own Memory (copyable, with a function fields()).
template <class Memory>
class RememberingSolver : public OdeSolver {
 public:
  [[nodiscard]] std::unique_ptr<Snapshot> snapshot(std::unique_ptr<Snapshot> reuse) const override {
    if (auto* saved = dynamic_cast<Saved*>(reuse.get()); saved != nullptr && saved->common.y.size() == size()) {
      saved->common = common_;
      saved->memory = memory_;
      return reuse;
    }
    auto fresh = std::make_unique<Saved>();
    fresh->common = common_;
    fresh->memory = memory_;
    return fresh;
  }

  void restore(const Snapshot& snapshot) override {
    const auto* saved = dynamic_cast<const Saved*>(&snapshot);
    CONSORT_ASSERT(saved != nullptr && saved->common.y.size() == size());
    common_ = saved->common;
    memory_ = saved->memory;
    restored();
  }

  [[nodiscard]] std::vector<std::uint8_t> serialise() const override {
    ByteWriter writer;
    writer(std::string(row_.name), static_cast<std::uint64_t>(size()));
    Saved saved;
    saved.common = common_;
    saved.memory = memory_;
    saved.common.fields(writer);
    saved.memory.fields(writer);
    return writer.take();
  }

  void deserialise(std::span<const std::uint8_t> bytes) override {
    ByteReader reader(bytes);
    std::string name;
    std::uint64_t count = 0;
    reader(name, count);
    require(
        name == row_.name && count == size(),
        "the saved state is of solver '{}' with {} components, not of '{}' with {}; choose the solver and the model "
        "that the checkpoint was made with",
        name.substr(0, 40), count, row_.name, size());
    Saved saved;
    saved.common = common_;
    saved.memory = memory_;
    saved.common.fields(reader);
    saved.memory.fields(reader);
    reader.expect_end();
    common_ = std::move(saved.common);
    memory_ = std::move(saved.memory);
    restored();
  }

 protected:
  using OdeSolver::OdeSolver;
  // Recomputes data derived from the memory, such as a factorised matrix.
  virtual void restored() {}

  Memory memory_;  // NOLINT(cppcoreguidelines-non-private-member-variables-in-classes)

 private:
  struct Saved : Snapshot {
    Common common;
    Memory memory;
  };
};

}  // namespace consort::solve
