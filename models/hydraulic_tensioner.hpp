// A belt tensioner: a piston on oil that flows from a line through an orifice. Stiff.
#pragma once

#include <algorithm>
#include <cmath>

#include <consort/model.hpp>

struct HydraulicTensioner {
  double force = 600, p_line = 5e5;
  double x = 0, der_x = 0;
  double v = 0, der_v = 0;
  double p = 5e5, der_p = 0;
  double flow = 0;
  double m = 0.2, area = 1e-3, k = 20000, d = 150, volume = 2e-5, bulk = 8e8, orifice = 1e-6, rho = 850;

  static constexpr auto describe() {
    using M = HydraulicTensioner;
    using namespace consort::model;
    return declare(
        {.description = "Hydraulic tensioner", .stop_time = 0.5, .step = 1e-4, .solver_step = 2e-5},
        input<&M::force>("N", "of the belt"), input<&M::p_line>("Pa", "pressure of the line").display("bar"),
        state<&M::x, &M::der_x>("m", "of the piston").display("mm").nominally(1e-3).output().depends_on<&M::v>(),
        state<&M::v, &M::der_v>("m/s", "of the piston").depends_on<&M::force, &M::x, &M::v, &M::p>(),
        state<&M::p, &M::der_p>("Pa", "in the chamber")
            .display("bar")
            .nominally(1e5)
            .output()
            .depends_on<&M::p_line, &M::x, &M::v, &M::p>(),
        output<&M::flow>("m3/s", "from the line").display("L/min").depends_on<&M::p_line, &M::p>(),
        parameter<&M::m>("kg", "mass of the piston"), parameter<&M::area>("m2", "of the piston"),
        parameter<&M::k>("N/m", "of the spring"), parameter<&M::d>("N.s/m", "friction"),
        parameter<&M::volume>("m3", "of the chamber").display("L"), parameter<&M::bulk>("Pa", "modulus of the oil"),
        parameter<&M::orifice>("m2", "area of the orifice"), parameter<&M::rho>("kg/m3", "density of the oil"));
  }

  // Turbulent flow, but linear near zero to keep the slope finite.
  [[nodiscard]] double through_orifice() const {
    const double dp = p_line - p;
    return 0.6 * orifice * dp / std::sqrt(rho / 2 * std::max(std::abs(dp), 1e3));
  }
  void derivatives() {
    der_x = v;
    der_v = (area * p - k * x - d * v - force) / m;
    der_p = bulk / std::max(volume + area * x, volume / 100) * (through_orifice() - area * v);
  }
  void outputs() { flow = through_orifice(); }
};
