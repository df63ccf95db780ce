"""What FMUs say about themselves."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple, Union

import numpy as np

from . import _consort
from ._error import UnknownName
from ._signals import Path, existing

Start = Union[None, bool, int, float, str, bytes, np.ndarray]


def value_from_text(kind: str, text: str) -> Any:
    """One element of the type that the standard calls `kind`."""
    if kind in ("Float32", "Float64"):
        return float(text)
    if kind in ("Boolean", "Clock"):
        return text in ("true", "1")
    if kind == "String":
        return text
    if kind == "Binary":
        return bytes.fromhex(text)
    return int(text)


def array_from_texts(kind: str, shape: Tuple[int, ...], texts: List[str]) -> np.ndarray:
    """An array of that shape, or a flat one when the number of elements is another."""
    elements = [value_from_text(kind, text) for text in texts]
    flat = np.empty(len(elements), dtype=object) if kind in ("String", "Binary") else np.array(elements)
    flat[:] = elements
    return flat.reshape(shape) if flat.size == int(np.prod(shape)) else flat


@dataclass(frozen=True)
class Variable:
    """One variable of a model."""

    name: str
    type: str  #: "Float64", "Boolean", …: the types of FMI 3.0, whatever the version
    causality: str  #: "input", "output", "parameter", …
    variability: str  #: "continuous", "discrete", …
    start: Start  #: None when there is none; an array for an array
    unit: str  #: of measure; empty when there is none
    description: str
    shape: Tuple[int, ...]  #: of an array; empty for a scalar
    value_reference: int


@dataclass(frozen=True)
class Interface:
    """One way to run the FMU, and what it can do that way."""

    type: str  #: "Co-Simulation", "Model Exchange", "Scheduled Execution"
    model_identifier: str
    needs_execution_tool: bool
    only_once_per_process: bool
    can_save_state: bool
    can_serialize_state: bool
    directional_derivatives: bool
    variable_step: bool
    event_mode: bool
    fixed_internal_step: Optional[float]


@dataclass(frozen=True)
class DefaultExperiment:
    """What the FMU proposes for a run; None where it does not say."""

    start_time: Optional[float]
    stop_time: Optional[float]
    tolerance: Optional[float]
    step_size: Optional[float]


@dataclass(frozen=True, repr=False)
class ModelDescription:
    """What an FMU says about itself. md["h"] is the variable of that name."""

    model_name: str
    fmi_version: str
    description: str
    author: str
    version: str
    copyright: str
    license: str
    generation_tool: str
    generation_date: str
    instantiation_token: str  #: the GUID of FMI 1.0 and 2.0
    continuous_states: int
    event_indicators: int
    default_experiment: DefaultExperiment
    interfaces: List[Interface]
    variables: List[Variable]
    problems: List[str]  #: every rule of the standard that it breaks, with file and line

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_name", {v.name: v for v in self.variables})

    _by_name = {}  # type: Dict[str, Variable]

    def __getitem__(self, name: str) -> Variable:
        if name in self._by_name:
            return self._by_name[name]
        raise _unknown(f"{self.model_name} has no variable '{name}'", name, list(self._by_name))

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __repr__(self) -> str:
        ways = ", ".join(i.type for i in self.interfaces)
        return f"<consort.ModelDescription: {self.model_name}, FMI {self.fmi_version}, {ways}, {len(self.variables)} variables>"


def _unknown(text: str, name: str, names: List[str]) -> UnknownName:
    near = difflib.get_close_matches(name, names, n=3)
    return UnknownName(text + ("; did you mean " + " or ".join(f"'{n}'" for n in near) + "?" if near else "; see its variables"))


def variable_from(info: _consort.VariableInfo) -> Variable:
    """The start value gets the type that it has in Python."""
    shape = tuple(info.shape)
    start: Start = None
    # A text that is empty is a start value of a String only where the model says so; it cannot be told from none.
    if info.start or info.type == "String":
        if not shape:
            start = value_from_text(info.type, info.start)
        elif info.type == "String":
            start = info.start
        else:
            start = array_from_texts(info.type, shape, info.start.split())
    return Variable(info.name, info.type, info.causality, info.variability, start, info.unit, info.description, shape,
                    info.value_reference)


def read_model_description(path: Path) -> ModelDescription:
    """Reads what an FMU (a file, or a folder that one was unpacked into) says about itself; nothing of it is run."""
    fmu = _consort.Fmu(existing(path))
    info = fmu.info()
    interfaces = [Interface(**{name: getattr(i, name) for name in Interface.__dataclass_fields__}) for i in info.interfaces]
    texts = ("model_name", "fmi_version", "description", "author", "version", "copyright", "license", "generation_tool",
             "generation_date", "instantiation_token", "continuous_states", "event_indicators")
    return ModelDescription(
        **{name: getattr(info, name) for name in texts},
        default_experiment=DefaultExperiment(info.start_time, info.stop_time, info.tolerance, info.step_size),
        interfaces=interfaces,
        variables=[variable_from(v) for v in fmu.variables()],
        problems=fmu.problems())
