// A switch with hysteresis: on if its input has reached the upper threshold, off if it has reached the lower one. State
// events on an input; the outputs change in event() only, so they follow the input one event iteration later.
#pragma once

#include <consort/model.hpp>

struct Relay {
  double u = 0;
  double y = 0;
  bool on = false;
  bool is_on = false;
  double margin = 0;
  double upper = 1, lower = -1, y_on = 1, y_off = 0;

  static constexpr auto describe() {
    using M = Relay;
    using namespace consort::model;
    return declare({.description = "Relay with hysteresis", .stop_time = 10, .step = 1e-2}, input<&M::u>("input"),
                   output<&M::y>("value of its position").discrete().depends_on_nothing(),
                   output<&M::on>("position of the switch").depends_on_nothing(),
                   local<&M::is_on>("position at the start, if the input is between the thresholds").exact(),
                   indicator<&M::margin>("of the input to the threshold that switches"),
                   parameter<&M::upper>("the relay is on at or above it"),
                   parameter<&M::lower>("the relay is off at or below it"), parameter<&M::y_on>("output if it is on"),
                   parameter<&M::y_off>("output if it is off"));
  }

  void initialize() {
    if (upper <= lower) throw consort::model::Failure("the upper threshold must be above the lower one");
    show();
  }
  void show() {
    on = is_on;
    y = on ? y_on : y_off;
  }
  void indicators() { margin = is_on ? u - lower : u - upper; }
  void event(consort::model::Event&) {
    if (u >= upper) is_on = true;
    if (u <= lower) is_on = false;
    show();
  }
};
