#include "group/member.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace consort::group {

using describe::FmiVersion;

Member::Member(std::unique_ptr<fmi::ModelExchange> made, const describe::Description& its_description,
               const describe::StartValues& its_starts)
    : instance(std::move(made)),
      description(&its_description),
      starts(&its_starts),
      is_v1(its_description.version == FmiVersion::v1),
      may_lag(is_v1 || its_description.version == FmiVersion::v2),
      lags(may_lag && its_description.generation_tool.find("OpenModelica") != std::string::npos) {}

void Member::lay_out(std::size_t first_state_of_it, std::size_t first_indicator_of_it) {
  first_state = first_state_of_it;
  states = instance->continuous_states();
  first_indicator = first_indicator_of_it;
  indicators = instance->event_indicators();
  scratch_.resize(std::max(states, indicators));
  find_references();
}

void Member::find_references() {
  state_references.clear();
  rate_references.clear();
  const auto& d = *description;
  for (const auto& unknown : d.structure.derivatives) {
    const auto& rate = d[unknown.variable];
    if (rate.derivative_of == describe::no_variable) break;
    state_references.push_back(d[rate.derivative_of].reference);
    rate_references.push_back(rate.reference);
  }
  std::size_t size = 0;
  for (std::size_t i = 0; i < rate_references.size(); ++i) size += elements(d.structure.derivatives[i].variable);
  if (size == states && rate_references.size() == d.structure.derivatives.size()) return;
  state_references.clear();
  rate_references.clear();
}

void Member::evaluate(Time t) {
  if (!may_lag || states + indicators == 0) return;
  try {
    if (states > 0)
      instance->get_derivatives(std::span(scratch_).first(states));
    else
      instance->get_event_indicators(std::span(scratch_).first(indicators));
  } catch (const fmi::Discarded&) {  // the variables are as they are
  }
  instance->set_time(t);  // marks all variables as not current
}

}  // namespace consort::group
