#include "unit/serial_fleet.hpp"

namespace consort::unit {

void SerialFleet::submit(std::span<const UnitId> units, Verb verb, const StepRequest& request, Signals& signals) {
  const Work work{verb, &request, &signals};
  const bool sample = verb == Verb::step && sampling_(request.t);
  if (sample || timeline_ != nullptr) [[unlikely]]
    return units_.measure(units, work, served_, timeline_, 0);
  units_.serve(units, work, served_);
}

}  // namespace consort::unit
