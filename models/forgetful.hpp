// Counts time events and integrates the count. On demand it does not restore a part of its state, as the FMUs of some
// tools; for tests of importers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <consort/model.hpp>

struct Forgetful {
  enum class Lost : std::int64_t { nothing = 1, events };
  static constexpr std::string_view losses[] = {"nothing", "events"};

  double x = 0, der_x = 0;
  std::int32_t count = 0;
  Lost lost = Lost::nothing;
  double period = 0.25;
  double next = 0;
  // Not part of the state that is saved: after a return, events that happened before do not happen again.
  static inline double done_until = 0;

  static constexpr auto describe() {
    using M = Forgetful;
    using namespace consort::model;
    return declare({.description = "Forgets events when it is set back", .stop_time = 1, .step = 1e-2},
                   state<&M::x, &M::der_x>("integral of the count").output(),
                   output<&M::count>("number of events so far").exact(),
                   parameter<&M::lost>("what it does not restore").named_values(losses),
                   parameter<&M::period>("s", "time between two events"),
                   local<&M::next>("s", "time of the next event").discrete());
  }

  void initialize(double t) { next = done_until = t + period; }
  void derivatives() { der_x = count; }
  void event(consort::model::Event& e) {
    if (e.time >= next) {
      if (lost == Lost::nothing || e.time >= done_until) ++count;
      next += period;
      done_until = std::max(done_until, next);
    }
    e.next_time = next;
  }
};
