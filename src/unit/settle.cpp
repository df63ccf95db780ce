#include "unit/settle.hpp"

#include "base/error.hpp"

namespace consort::unit {

Error unsettled(std::string_view unit, Time t) {
  return run_error(
             "unit '{}' requests another event iteration at t = {} s after {} iterations; its events do not settle: "
             "report it to "
             "the maker of the FMU",
             unit, t, most_updates)
      .in_unit(std::string(unit))
      .at(t);
}

Settled settle(Events& events, std::string_view unit, Time t) {
  const Settled all = settle_with([&] { return events.update(); }, unit, t, false);
  if (!all.terminate) events.leave_event_mode();
  return all;
}

}  // namespace consort::unit
