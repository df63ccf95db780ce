// A dry clutch between two speeds: a torsional spring that slips above its largest torque.
#pragma once

#include <algorithm>

#include <consort/model.hpp>

struct Clutch {
  double w_in = 2, w_out = 0, engagement = 1;
  double twist = 0, der_twist = 0;
  double t_in = 0, t_out = 0;
  bool slipping = false;
  double margin = 0;
  double k = 2000, d = 50, capacity = 400;

  static constexpr auto describe() {
    using M = Clutch;
    using namespace consort::model;
    return declare({.description = "Dry clutch", .stop_time = 10, .step = 1e-3, .solver_step = 1e-3},
                   input<&M::w_in>("rad/s", "speed of the engine's side"),
                   input<&M::w_out>("rad/s", "speed of the gearbox's side"),
                   input<&M::engagement>("0 is open, 1 is closed").between(0, 1),
                   state<&M::twist, &M::der_twist>("rad", "of the springs"),
                   output<&M::t_in>("N.m", "torque on the engine"), output<&M::t_out>("N.m", "torque on the gearbox"),
                   local<&M::slipping>("more torque than it can carry").exact(),
                   indicator<&M::margin>("N.m", "to slipping, or to sticking again"),
                   parameter<&M::k>("N.m/rad", "stiffness"), parameter<&M::d>("N.m.s/rad", "damping"),
                   parameter<&M::capacity>("N.m", "torque of the closed clutch").at_least(0));
  }

  [[nodiscard]] double limit() const { return capacity * std::clamp(engagement, 0.0, 1.0); }
  [[nodiscard]] double elastic() const { return k * twist + d * (w_in - w_out); }
  [[nodiscard]] double torque() const { return std::clamp(elastic(), -limit(), limit()); }
  [[nodiscard]] double excess() const { return std::max(elastic() - limit(), -elastic() - limit()); }
  void derivatives() { der_twist = slipping ? (torque() - d * (w_in - w_out) - k * twist) / d : w_in - w_out; }
  void outputs() {
    t_in = -torque();
    t_out = torque();
  }
  // A hysteresis of 1 N m avoids chattering at the limit.
  void indicators() { margin = slipping ? excess() + 1 : excess(); }
  void event(consort::model::Event&) {
    indicators();
    slipping = margin > 0;
  }
};
