// A line with a pump: the pressure follows from inflow and outflow.
#pragma once

#include <algorithm>
#include <cmath>

#include <consort/model.hpp>

struct HydraulicLine {
  double flow = 0;
  double p = 5e5, der_p = 0;
  double supply = 6e5, ripple = 5e4, frequency = 50, volume = 5e-5, bulk = 8e8, conductance = 2e-9;

  static constexpr auto describe() {
    using M = HydraulicLine;
    using namespace consort::model;
    return declare(
        {.description = "Hydraulic line with a pump", .stop_time = 0.5, .step = 1e-4, .solver_step = 2e-5},
        input<&M::flow>("m3/s", "to the consumer").display("L/min"),
        state<&M::p, &M::der_p>("Pa", "pressure").display("bar").nominally(1e5).output().depends_on<&M::flow, &M::p>(),
        parameter<&M::supply>("Pa", "pressure of the pump"), parameter<&M::ripple>("Pa", "of the pump"),
        parameter<&M::frequency>("Hz", "of the ripple"), parameter<&M::volume>("m3", "of the line"),
        parameter<&M::bulk>("Pa", "modulus of the oil"),
        parameter<&M::conductance>("m3/(s.Pa)", "between pump and line"));
  }

  void derivatives(double t) {
    const double pump = supply + ripple * std::sin(2 * 3.14159265358979323846 * frequency * t);
    der_p = bulk / volume * (conductance * (pump - p) - flow);
  }
};
