// The loop "until events settle" for one instance. Whole systems settle with couple::EventIteration.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "unit/unit.hpp"

namespace consort::unit {

// All updates together.
struct Settled {
  bool terminate = false;
  bool nominals_changed = false;
  bool states_changed = false;
  std::optional<Time> next_event{};
  int updates = 0;
};

inline constexpr int most_updates = 1000;
// Thrown when more are asked for.
[[nodiscard]] Error unsettled(std::string_view unit, Time t);

// Calls `update`, which returns what EventOutcome or fmi::DiscreteUpdate has, until it asks for no further update or
// for the end. `due`: an announced event that is not ahead of t counts as such a request, twice at most, since what
// does not go away although it has been handled says nothing; it is then not announced either.
template <class Update>
Settled settle_with(Update&& update, std::string_view unit, Time t, bool due) {
  Settled all;
  for (;;) {
    const auto now = update();
    ++all.updates;
    all.terminate = now.terminate;
    if constexpr (requires { now.states_changed; }) {
      all.nominals_changed = all.nominals_changed || now.nominals_changed;
      all.states_changed = all.states_changed || now.states_changed;
    }
    all.next_event = now.next_event;
    const bool is_due = due && all.next_event && *all.next_event <= t;
    if (all.terminate || !(now.repeat || (is_due && all.updates < 3))) break;
    if (all.updates > most_updates) throw unsettled(unit, t);
  }
  if (due && all.next_event && *all.next_event <= t) all.next_event.reset();
  return all;
}

// A unit in event mode, which it leaves when it is settled; one that asks to end the run stays in it.
Settled settle(Events& events, std::string_view unit, Time t);

}  // namespace consort::unit
