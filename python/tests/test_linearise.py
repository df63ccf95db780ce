"""Linear models of systems and FMUs."""

import json

import numpy as np
import pytest

import consort


@pytest.fixture
def masses(fmus):
    system = consort.System("masses")
    for name in ("one", "two"):
        system.add(name, fmus / "fmi2/CoupledMass.fmu")
    for name in ("x", "v"):
        system.connect(f"one.{name}", f"two.{name}_other").connect(f"two.{name}", f"one.{name}_other")
    return system


def test_two_masses_have_their_analytic_modes(masses):
    lin = consort.linearise(masses, at=0.5, eigenvectors=True)
    assert lin.time == 0.5 and lin.states == ["one.x", "one.v", "two.x", "two.v"] and lin.state_units[1] == "m/s"
    np.testing.assert_array_equal(lin.A, [[0, 1, 0, 0], [-35, -1.1, 25, 0.1], [0, 0, 0, 1], [25, 0.1, -35, -1.1]])
    omega = np.sqrt([10, 10, 60, 60])
    np.testing.assert_allclose(lin.frequency, omega / (2 * np.pi), rtol=1e-12)
    np.testing.assert_allclose(lin.damping, np.array([1, 1, 1.2, 1.2]) / (2 * omega), rtol=1e-12)
    np.testing.assert_allclose(lin.A @ lin.eigenvectors, lin.eigenvectors * lin.eigenvalues, atol=1e-12)
    assert lin.B.shape == (4, 0) and lin.C.shape == (8, 4) and lin.D.shape == (8, 0)
    assert not lin.is_equilibrium and any("not an equilibrium" in note for note in lin.notes)
    assert consort.linearise(masses).eigenvectors is None


def test_matrices_outlive_their_linearisation(masses):
    a = consort.linearise(masses).A
    assert a[1, 0] == -35
    with pytest.raises(ValueError):
        a[0, 0] = 1


def test_an_fmu_has_names_without_a_unit(fmus):
    lin = consort.linearise(fmus / "fmi3/CoupledMass.fmu", at=1, set={"k": 3})
    assert lin.states == ["x", "v"] and lin.inputs == ["x_other", "v_other"]
    np.testing.assert_array_equal(lin.B, [[0, 0], [3, 0.1]])


class Oscillator(consort.Model):
    states = {"x": 1.0, "v": 0.0}
    inputs = ["force"]
    outputs = {"energy": 0.0}
    parameters = {"k": 10.0, "d": 0.5}

    def derivatives(self, t, x, u):
        return x.v, u.force - self.k * x.x**3 - self.d * x.v

    def output_values(self, t, x, u):
        return x.v**2 / 2 + self.k * x.x**4 / 4


def test_models_written_in_python_are_part_of_it(tmp_path):
    system = consort.System().add("a", Oscillator).add("b", Oscillator).connect("a.x", "b.force")
    lin = consort.linearise(system, at=0.5, set={"a.x": 0.7})
    a, b = lin.x0[0], lin.x0[2]
    expected = [[0, 1, 0, 0], [-30 * a**2, -0.5, 0, 0], [0, 0, 0, 1], [1, 0, -30 * b**2, -0.5]]
    np.testing.assert_allclose(lin.A, expected, rtol=1e-8, atol=1e-8)  # differences
    assert lin.inputs == ["a.force"]
    (tmp_path / "pid.py").write_text("import consort\n\nclass Lag(consort.Model):\n    states = {'x': 1.0}\n"
                                     "    def derivatives(self, t, x, u):\n        return [-2 * x.x]\n")
    (tmp_path / "lag.yaml").write_text("consort: 1\nunits: {lag: {python: 'pid.py:Lag'}}\n")
    np.testing.assert_allclose(consort.linearise(tmp_path / "lag.yaml").A, [[-2]], rtol=1e-8)


def test_files_are_read_back(masses, tmp_path):
    lin = consort.linearise(masses, at=0.25)
    for ending in ("json", "mat", "h5"):
        lin.save(tmp_path / f"lin.{ending}")
    saved = json.loads((tmp_path / "lin.json").read_text())
    np.testing.assert_array_equal(saved["A"], lin.A)
    np.testing.assert_array_equal(saved["x0"], lin.x0)
    with pytest.raises(consort.InputError, match=".json, .mat, .h5"):
        lin.save(tmp_path / "lin.txt")


def test_scipy_reads_the_mat_file(masses, tmp_path):
    io = pytest.importorskip("scipy.io")
    lin = consort.linearise(masses, at=0.25)
    lin.save(tmp_path / "lin.mat")
    saved = io.loadmat(str(tmp_path / "lin.mat"))
    for name in "ABCD":
        np.testing.assert_array_equal(saved[name], getattr(lin, name))
    np.testing.assert_array_equal(saved["x0"].ravel(), lin.x0)
    np.testing.assert_array_equal(saved["eigenvalues"].ravel(), lin.eigenvalues)
    assert [name.rstrip() for name in saved["outputs"]] == lin.outputs


def test_h5py_reads_the_hdf5_file(masses, tmp_path):
    h5py = pytest.importorskip("h5py")
    lin = consort.linearise(masses, at=0.25)
    lin.save(tmp_path / "lin.h5")
    with h5py.File(tmp_path / "lin.h5", "r") as file:
        np.testing.assert_array_equal(file["C"][()], lin.C)
        np.testing.assert_array_equal(file["eigenvalues"][()], lin.eigenvalues)
        assert [name.decode() for name in file["states"][()]] == lin.states


def test_errors_name_the_unit(fmus):
    with pytest.raises(consort.InputError, match="Co-Simulation only") as caught:
        consort.linearise(consort.System().add("old", fmus / "fmi1/cs/CoupledMass.fmu"))
    assert caught.value.unit == "old"
    with pytest.raises(consort.MissingFile):
        consort.linearise("nowhere.yaml")
