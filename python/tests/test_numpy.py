"""Arrays do not depend on the version of NumPy that the package was built beside."""

import os
import subprocess
import sys

import numpy as np
import pytest

import consort

SCRIPT = """
import sys, numpy as np, consort
assert np.__version__.split(".")[0] == sys.argv[2], np.__version__
res = consort.simulate_fmu(sys.argv[1], stop_time=1)
assert len(set(res.time.tolist())) == len(res.time) > 10 and res.time[-1] == 1, res.time
assert res["h"].min() < res["h"].max() and not res["h"].flags.writeable
print(res["h"].tolist())
"""


def test_arrays_are_views_that_keep_their_result(fmus):
    h = consort.simulate_fmu(fmus / "fmi3/BouncingBall.fmu", stop_time=1)["h"]
    assert h.dtype == np.float64 and h.base is not None and not h.flags.writeable
    assert len(set(h.tolist())) > 10  # the result itself is gone
    with pytest.raises(ValueError):
        h[0] = 1


def test_numpy_2_sees_the_numbers_of_numpy_1(fmus):
    """CONSORT_NUMPY_2: a folder into which NumPy 2 was installed (pip install --target FOLDER 'numpy>=2')."""
    folder = os.environ.get("CONSORT_NUMPY_2")
    if not folder:
        pytest.skip("CONSORT_NUMPY_2 does not name a folder with NumPy 2")
    ball = str(fmus / "fmi3/BouncingBall.fmu")
    path = os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])
    run = subprocess.run([sys.executable, "-c", SCRIPT, ball, "2"], env={**os.environ, "PYTHONPATH": path},
                         capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == str(consort.simulate_fmu(ball, stop_time=1)["h"].tolist())
