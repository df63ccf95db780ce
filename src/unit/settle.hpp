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

  // Takes in what an update said (EventOutcome or fmi::DiscreteUpdate); true: another one is asked for. `due`: an
  // announced event that is not ahead of t counts as such a request, twice at most, since what does not go away
  // although it has been handled says nothing; it is then not announced either.
  template <class Update>
  bool take(const Update& now, Time t, bool due);
};

inline constexpr int most_updates = 1000;
// Thrown when more are asked for.
[[nodiscard]] Error unsettled(std::string_view unit, Time t);

template <class Update>
bool Settled::take(const Update& now, Time t, bool due) {
  ++updates;
  terminate = now.terminate;
  if constexpr (requires { now.states_changed; }) {
    nominals_changed = nominals_changed || now.nominals_changed;
    states_changed = states_changed || now.states_changed;
  }
  next_event = now.next_event;
  const bool is_due = due && next_event && *next_event <= t;
  const bool again = !terminate && (now.repeat || (is_due && updates < 3));
  if (is_due && !again) next_event.reset();
  return again;
}

// Calls `update` until it asks for no further one or for the end; see Settled::take().
template <class Update>
Settled settle_with(Update&& update, std::string_view unit, Time t, bool due) {
  Settled all;
  while (all.take(update(), t, due))
    if (all.updates > most_updates) throw unsettled(unit, t);
  return all;
}

// A unit in event mode, which it leaves when it is settled; one that asks to end the run stays in it.
Settled settle(Events& events, std::string_view unit, Time t);

}  // namespace consort::unit
