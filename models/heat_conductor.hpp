// A heat-conducting rod of n cells: an array of states whose size is a structural parameter.
#pragma once

#include <array>
#include <cstdint>

#include <consort/model.hpp>

struct HeatConductor {
  using Cells = std::array<double, 64>;

  static constexpr Cells all(double value) {
    Cells cells{};
    for (double& c : cells) c = value;
    return cells;
  }

  std::uint64_t n = 8;
  double t_left = 373.15, t_right = 293.15;
  Cells t = all(293.15), der_t{};
  double q_left = 0, q_right = 0;
  double length = 1, area = 1e-4, conductivity = 400, capacity = 3.4e6;

  static constexpr auto describe() {
    using M = HeatConductor;
    using namespace consort::model;
    return declare(
        {.description = "Heat conductor of n cells", .stop_time = 1000, .step = 1, .solver_step = 0.5},
        structural_parameter<&M::n>("cells").between(1, 64),
        input<&M::t_left>("K", "temperature of the left end").display("degC"),
        input<&M::t_right>("K", "temperature of the right end").display("degC"),
        state<&M::t, &M::der_t>("K", "temperatures").display("degC").nominally(300).output().sized_by<&M::n>(),
        output<&M::q_left>("W", "heat into the left end").depends_on<&M::t_left, &M::t>(),
        output<&M::q_right>("W", "heat into the right end").depends_on<&M::t_right, &M::t>(),
        parameter<&M::length>("m", "length"), parameter<&M::area>("m2", "cross section"),
        parameter<&M::conductivity>("W/(m.K)", "heat conductivity"),
        parameter<&M::capacity>("J/(m3.K)", "heat capacity"));
  }

  [[nodiscard]] double cell() const { return length / static_cast<double>(n); }
  // The distance is that between the centres of neighbouring cells; it is half of that at the ends.
  [[nodiscard]] double conductance() const { return conductivity * area / cell(); }
  void derivatives() {
    const double c = capacity * area * cell();
    const double g = conductance();
    for (std::size_t i = 0; i < n; ++i) {
      const double from_left = i == 0 ? 2 * g * (t_left - t[0]) : g * (t[i - 1] - t[i]);
      const double from_right = i + 1 == n ? 2 * g * (t_right - t[i]) : g * (t[i + 1] - t[i]);
      der_t[i] = (from_left + from_right) / c;
    }
  }
  void outputs() {
    q_left = 2 * conductance() * (t_left - t[0]);
    q_right = 2 * conductance() * (t_right - t[n - 1]);
  }
};
