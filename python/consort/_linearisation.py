"""Linear models of systems and FMUs."""

from __future__ import annotations

import os
from typing import List, Mapping, Optional, Union

import numpy as np

from . import _consort
from ._signals import Path, Value, existing, number, start_values as texts_of
from ._system import System, load_system


def _matrix(matrix: _consort.Matrix) -> np.ndarray:
    """A read-only view, through the buffer protocol, which all versions of NumPy share."""
    return np.asarray(memoryview(matrix))


class Linearisation:
    """The linear model of a system at a point of its trajectory:

        d(x - x0)/dt = f0 + A (x - x0) + B (u - u0)
              y - y0 =      C (x - x0) + D (u - u0)

    Rows and columns are in the order of `states`, `inputs` and `outputs`, which are names ("wheel.z"). Eigenvalues (in 1/s)
    are those of A, by ascending absolute value; `frequency` is |eigenvalue| / 2π in Hz, `damped_frequency` |imaginary
    part| / 2π, `damping` -real part / |eigenvalue| (nan for the eigenvalue 0).
    """

    def __init__(self, raw: _consort.Linearisation) -> None:
        self._raw = raw
        self.system: str = raw.system
        self.time: float = raw.time
        self.solver: str = raw.solver
        self.tolerance: float = raw.tolerance
        self.states: List[str] = raw.states
        self.inputs: List[str] = raw.inputs
        self.outputs: List[str] = raw.outputs
        #: Units of measure; "" for those without.
        self.state_units: List[str] = raw.state_units
        self.input_units: List[str] = raw.input_units
        self.output_units: List[str] = raw.output_units
        #: True if f0 is zero within what the error of the integration explains.
        self.is_equilibrium: bool = raw.is_equilibrium
        #: Assumptions, and what the linearisation leaves out.
        self.notes: List[str] = raw.notes
        self.x0 = np.array(raw.x0())
        self.u0 = np.array(raw.u0())
        self.y0 = np.array(raw.y0())
        #: The derivatives of the states at the point.
        self.f0 = np.array(raw.f0())
        self.eigenvalues = np.array(raw.eigenvalues(), dtype=complex)
        self.frequency = np.array(raw.frequency())
        self.damped_frequency = np.array(raw.damped_frequency())
        self.damping = np.array(raw.damping())

    @property
    def A(self) -> np.ndarray:
        return _matrix(self._raw.a())

    @property
    def B(self) -> np.ndarray:
        return _matrix(self._raw.b())

    @property
    def C(self) -> np.ndarray:
        return _matrix(self._raw.c())

    @property
    def D(self) -> np.ndarray:
        return _matrix(self._raw.d())

    @property
    def eigenvectors(self) -> Optional[np.ndarray]:
        """One column per eigenvalue, of length 1, the largest element real and positive; None unless asked for."""
        rows = self._raw.eigenvectors()
        return np.array(rows, dtype=complex).T if rows else None

    def save(self, file: Path) -> None:
        """Writes everything to a .json, .mat (MATLAB version 4) or .h5 file."""
        self._raw.save(os.fspath(file))

    def __repr__(self) -> str:
        return (f"<consort.Linearisation '{self.system}' at {self.time} s: {len(self.states)} states, {len(self.inputs)} "
                f"inputs, {len(self.outputs)} outputs>")


def linearise(system: Union[System, Path], at: Optional[float] = None, *, set: Optional[Mapping[str, Value]] = None,
              solver: str = "", tolerance: Optional[float] = None, eigenvectors: bool = False) -> Linearisation:
    """The linear model of a system, of a system file, or of an FMU with Model Exchange, at a time.

        lin = consort.linearise("car.yaml", at=2.5)
        lin.A, lin.states, lin.eigenvalues, lin.damping

    All units are solved together, as Model Exchange, up to the time `at` in s (default: the start, after initialisation),
    where A, B, C and D are read with directional derivatives. Inputs of the system keep their start values.

    set: start values by path that beat those of the system. solver: default is that of the system, or "bdf". tolerance: of
    the solver (default: the finest that the system names, or 1e-6).

    Raises InputError that names units without Model Exchange.
    """
    options = _consort.LineariseOptions()
    options.at = number("at", at)
    options.solver = solver
    options.tolerance = number("tolerance", tolerance)
    options.set = texts_of(set)
    options.eigenvectors = eigenvectors
    if not isinstance(system, System) and os.fspath(system).lower().endswith(".fmu"):
        return Linearisation(_consort.linearise_fmu(_consort.Fmu(existing(system)), options))
    whole = system if isinstance(system, System) else load_system(system)
    whole._import_models()
    return Linearisation(_consort.linearise_system(whole._raw, options))
