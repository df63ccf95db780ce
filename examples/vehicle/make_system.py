#!/usr/bin/python3
"""Writes system.yaml: five units and their 172 connections, element by element."""

import pathlib

WHEELS = ["front_left", "front_right", "rear_left", "rear_right"]
TO_WHEEL = {"hub_r": 3, "hub_t": 9, "hub_v": 3, "hub_w": 3, "road_r": 3, "road_t": 9, "road_v": 3, "road_w": 3}
TO_CHASSIS = {"force": 3, "torque": 3}

lines = [
    "# A race car in five units: the chassis with its driver, and four wheels with feed-through. make_system.py wrote it.",
    "consort: 1",
    "name: race car",
    "",
    "units:",
    "  chassis: ../../fmus/fmi2/RaceCarChassis.fmu",
]
lines += [f"  {wheel}: {{fmu: ../../fmus/fmi2/RaceCarWheel.fmu, start: {{spin: 33.7}}}}" for wheel in WHEELS]
lines += ["", "connections: # 37 to each wheel and 6 back"]
for i, wheel in enumerate(WHEELS):
    for name, size in TO_WHEEL.items():
        lines += [f'  - "chassis.{name}[{size * i + k}] -> {wheel}.{name}[{k}]"' for k in range(1, size + 1)]
    lines.append(f'  - "chassis.drive[{i + 1}] -> {wheel}.drive"')
    for name, size in TO_CHASSIS.items():
        lines += [f'  - "{wheel}.{name}[{k}] -> chassis.{name}[{size * i + k}]"' for k in range(1, size + 1)]
lines += ["", "experiment: {stop: 5, step: 1 ms, output_interval: 10 ms}", "", "run:", "  stepper: jacobi", ""]
pathlib.Path(__file__).with_name("system.yaml").write_text("\n".join(lines), encoding="utf-8")
