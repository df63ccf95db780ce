// A Model Exchange instance in a group, and its place among the states and event indicators of the group.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "describe/description.hpp"
#include "describe/start_values.hpp"
#include "fmi/instance.hpp"

namespace consort::group {

struct Member {
  // The description and the start values must outlive the member.
  Member(std::unique_ptr<fmi::ModelExchange> made, const describe::Description& its_description,
         const describe::StartValues& its_starts);

  std::unique_ptr<fmi::ModelExchange> instance;
  const describe::Description* description;
  const describe::StartValues* starts;
  bool is_v1 = false;
  // FMI 1.0 and 2.0: functions that read variables may return values of the last evaluation (see unit::MeProblem).
  bool may_lag = false;
  bool lags = false;  // known to do so, therefore also evaluated before connected outputs are taken

  // After lay_out():
  std::size_t first_state = 0;
  std::size_t states = 0;
  std::size_t first_indicator = 0;
  std::size_t indicators = 0;
  std::vector<ValueReference> state_references{};  // empty if the description does not tell, as in FMI 1.0
  std::vector<ValueReference> rate_references{};

  // The size of a variable in this run, with its structural parameters.
  [[nodiscard]] std::size_t elements(describe::VariableId id) const {
    return static_cast<std::size_t>(starts->element_count(*description, (*description)[id]));
  }
  // Call when the numbers of states and indicators are known.
  void lay_out(std::size_t first_state_of_it, std::size_t first_indicator_of_it);
  // Evaluates the model at the point that was set, whose time is t; see unit::MeProblem::evaluate(). Does nothing for
  // members that cannot lag.
  void evaluate(Time t);

 private:
  void find_references();
  std::vector<double> scratch_{};
};

}  // namespace consort::group
