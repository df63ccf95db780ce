"""The rig with a class in Python; checks its own figures. Needs the package: PYTHONPATH=build/release/python."""

import math
import pathlib
import sys

import consort

folder = pathlib.Path(__file__).parent
res = consort.run(folder / "rig.yaml")
omega = math.sqrt(24)
plate = 0.1 * math.exp(-3) * (math.cos(3 * omega) + math.sin(3 * omega) / omega)
print(f"bounces {res['ball.bounces'][-1]:.0f}, crossings {res['counter.count'][-1]:.0f}, plate {res['plate.z'][-1]:.7f} m, "
      f"expected 4, 3, {plate:.7f}")
good = res["ball.bounces"][-1] == 4 and res["counter.count"][-1] == 3 and abs(res["plate.z"][-1] - plate) < 1e-6
sys.exit(0 if good else 1)
