// The state of a Model Exchange run as bytes, for --initial-fmu-state-file and --final-fmu-state-file: the FMU's
// serialised state, the solver's state, and data of events. Readable only by the same program on the same kind of
// machine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fmi/instance.hpp"
#include "solve/integrate.hpp"
#include "solve/solver.hpp"
#include "unit/me_problem.hpp"

namespace consort::engine {

class MeState {
 public:
  // Throws Error (input) unless the instance can serialise its state.
  static void require_serialization(fmi::ModelExchange& instance);

  // Serialises the state at the end of a run.
  [[nodiscard]] static std::vector<std::uint8_t> write(fmi::ModelExchange& instance, const unit::MeProblem& problem,
                                                       const solve::Solver& solver,
                                                       const solve::Integration& integration);

  // Throws Error (input) for invalid bytes.
  MeState(std::span<const std::uint8_t> bytes, const std::string& unit_name);

  [[nodiscard]] Time time() const { return time_; }
  // Call them in this order; create solver and integration for the restored problem in between. Each throws Error
  // (input) for the state of another model or solver.
  void restore(fmi::ModelExchange& instance, unit::MeProblem& problem) const;
  void restore(solve::Solver& solver) const;
  void restore(solve::Integration& integration) const;

 private:
  template <class Archive>
  static void fields(Archive& archive, unit::MeProblem::Memory& problem);
  template <class Archive>
  static void fields(Archive& archive, solve::Integration::Memory& integration);

  std::string unit_name_;
  Time time_ = 0;
  unit::MeProblem::Memory problem_;
  std::string instance_, solver_name_, solver_, integration_;
};

}  // namespace consort::engine
