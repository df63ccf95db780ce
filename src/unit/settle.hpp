// The loop that updates one instance until its events have settled. couple::EventIteration settles whole systems.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "unit/unit.hpp"

namespace consort::unit {

// Combined outcome of all updates.
struct Settled {
  bool terminate = false;
  std::optional<Time> next_event{};
  int updates = 0;

  // Adds the outcome of an update (EventOutcome or fmi::DiscreteUpdate). Returns true if another update is needed.
  // `due`: an announced event at or before t also requests an update, at most twice. An event that remains after that
  // carries no information and is dropped from next_event.
  template <class Update>
  bool take(const Update& now, Time t, bool due);
};

inline constexpr int most_updates = 1000;
// The error for a unit that requests more updates than that.
[[nodiscard]] Error unsettled(std::string_view unit, Time t);

template <class Update>
bool Settled::take(const Update& now, Time t, bool due) {
  ++updates;
  terminate = now.terminate;
  next_event = now.next_event;
  const bool is_due = due && next_event && *next_event <= t;
  const bool again = !terminate && (now.repeat || (is_due && updates < 3));
  if (is_due && !again) next_event.reset();
  return again;
}

// Calls `update` until it requests no further update or the end of the run; see Settled::take().
template <class Update>
Settled settle_with(Update&& update, std::string_view unit, Time t, bool due) {
  Settled all;
  while (all.take(update(), t, due))
    if (all.updates > most_updates) throw unsettled(unit, t);
  return all;
}

// Settles a unit in event mode, then leaves event mode. A unit that requests to end the run stays in event mode.
Settled settle(Events& events, std::string_view unit, Time t);

}  // namespace consort::unit
