// A system file that uses every key, shared by tests.
#pragma once

#include <string_view>

namespace consort::yaml {

inline constexpr std::string_view everything = R"(consort: 1
name: quarter car
description: "a wheel, a chassis: and more"
units_of_measure:
  slug: {kg: 1, m: 2, s: -2, A: 1, K: 1, mol: 1, cd: 1, rad: 1, factor: 14.59, offset: 0.5}
  odd:
inputs:
  road: {type: Float64, unit: m}
  speed: km/h
outputs: [F, lift]
parameters: {stiffness: kN/m}
units:
  wheel: wheel.fmu
  chassis:
    fmu: sub/chassis.fmu
    interface: me
    solver: bdf
    substeps: 4
    start: {m: 400, x0: 3 cm, table: [1, 2, 3], name: "12 kg", flag: true, empty: "", low: {value: -.inf, unit: K}}
    connectors: {F: {causality: output, type: Float64, unit: kN}}
  gain: {model: gain, interface: cs}
  "odd name: {}":
    fmu: "strange, name.fmu"
  inner:
    description: nested
    inputs: [u]
    outputs: [y]
    parameters: [k]
    units_of_measure: {twice: {m: 1, factor: 2}}
    units: {g: g.fmu, more: {units: {h: h.fmu}}}
    connections: [u -> g.u, g.y -> y, k -> g.k]
    set: {g.z: 1, k: 2}
connections:
  - wheel.x -> chassis.x_w
  - {from: chassis.F, to: [wheel.F, gain.F], factor: -1, offset: 2.5, convert_units: false}
  - {from: wheel.mode, to: chassis.mode, map: {off: 0, "on": 1}}
  - chassis.A[1,2] -> inner.u * 2 + 1
  - road -> wheel.z
  - inner.y -> lift
  - {from: "odd name: {}.y", to: F}
  - stiffness -> chassis.k
set: {chassis.k: 15000, stiffness: 15 kN/m, "odd name: {}.label": "a \"b\" \\ c\nd"}
experiment: {start: -1, stop: 10, step: 1 ms, tolerance: 1e-6, output_interval: 0.1}
run:
  stepper: scheduled
  extrapolation: 1
  order: [wheel, chassis]
  schedule: [wheel, {parallel: [chassis, {serial: [gain, inner.g]}]}]
  threads: 2
  loops: {method: fixed-point, tolerance: 1e-10, max_iterations: 20}
  iteration: {method: aitken, tolerance: 1e-9, max_iterations: 9, relaxation: 0.25, depth: 3, reuse: 2, filter: 1e-3,
              jacobian: differences, scope: whole, sweep: parallel, if_not_converged: go on}
  control: {controller: richardson, tolerance: 1e-5, absolute: 1e-7, initial: 1 ms, minimum: 1 us, maximum: 100 ms,
            safety: 0.8, shrink: 0.25, grow: 4, rule: pi, norm: root-mean, divisor: equal-steps,
            tolerance_for: run}
  consistent: always
  real_time: 1
  input_file: road.csv
record: {variables: ["wheel.*", chassis.F], every: 10, file: results/x.h5, compression: 4, substeps: true}
bonds: [{effort: chassis.F, flow: wheel.x}]
scenario:
  - {at: 1.5, set: wheel.z, to: 0.2}
  - {at: 2, hold: wheel.z}
  - {at: 3, ramp: wheel.z, to: 1, within: 500 ms}
  - {at: 4, release: wheel.z}
)";

}  // namespace consort::yaml
