"""Models written in Python: classes that become units of a system."""

from __future__ import annotations

import copy
import functools
import importlib.util
import inspect
import math
import os
import pickle
import sys
import traceback
from collections import namedtuple
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _consort
from ._error import InputError

_TYPES = ("Float64", "Int32", "Boolean")


class Discard(Exception):
    """Raised by a function of a model: the solver tries a shorter step."""


class Var(NamedTuple):
    """A variable of a model with more than a start value.

    unit: of measure, as "kg.m/s2". type: "Float64", "Int32" or "Boolean" (default: "Boolean" for True and False, else
    "Float64"). discrete: changes at events only; integers and Booleans always are. tunable: of a parameter that may be set
    at events. nominal: of a state. depends_on: of an output, or for the derivative of a state, the names of the states and
    inputs from which it is computed (default: all of them).
    """

    start: Union[float, int, bool] = 0.0
    unit: str = ""
    description: str = ""
    type: str = ""
    discrete: bool = False
    tunable: bool = False
    nominal: float = 0.0
    depends_on: Optional[Sequence[str]] = None


class Event(NamedTuple):
    """What event() may return, beside None and the new states: `again` calls it again before time advances, `terminate`
    ends the run."""

    states: Optional[Any] = None
    again: bool = False
    terminate: bool = False


class Model:
    """A model that becomes a unit of a system: `system.add("ball", Ball)`.

        class Ball(consort.Model):
            states = {"h": consort.Var(1, "m"), "v": consort.Var(0, "m/s")}
            parameters = {"g": 9.81, "e": 0.7}
            indicators = ["height"]

            def derivatives(self, t, x, u):
                return x.v, -self.g

            def event_indicators(self, t, x, u):
                return [x.h]

            def event(self, t, x, u):
                if x.h <= 0 and x.v < 0:
                    return {"v": -self.e * x.v}

    `states`, `inputs`, `outputs` and `parameters` are dicts from names to start values or Var, or lists of names; they may
    also be set by __init__, which then is called without arguments for every unit (give an instance to a system, and
    every unit is a copy of it). States are outputs, too. x and u have the states and inputs in the order of their
    declaration, by name (x.h) and by index. Parameters are attributes of the model. Functions return numbers in the order
    of the declaration, or a dict; a function that the model does not need is left out:

        initialize(t, x, u)        from start values, at least once; may return new states
        derivatives(t, x, u)       of the states
        output_values(t, x, u)     of `outputs`; discrete ones are taken at events only
        event_indicators(t, x, u)  as many as `indicators` has names; a change of sign calls event()
        event(t, x, u)             also called once at the start, at time events, and when discrete inputs change; returns
                                   None, new states (a dict may have some of them only) or an Event
        next_event(t)              the time of the next time event, or None; called after event()
        directional(t, x, u, dx, du)  the changes of derivatives and outputs (two results); without it, differences

    derivatives, output_values and event_indicators may be called at any time and must not change the model. All other attributes
    are its memory, which is copied with copy.deepcopy when a step may be repeated, and with pickle for checkpoints; a
    model with attributes that cannot be copied has state() and set_state(state), or runs without rollback.

    Attributes `stop_time` and `step` are the default experiment.
    """

    states: Any = {}
    inputs: Any = {}
    outputs: Any = {}
    parameters: Any = {}
    indicators: Any = ()
    stop_time: float = 1.0
    step: float = 0.01


def text_of_exception(error: BaseException) -> str:
    """ "ZeroDivisionError: division by zero (pid.py, line 12)": the last line of the model's own code."""
    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    own = [f for f in traceback.extract_tb(error.__traceback__) if os.path.abspath(f.filename) != os.path.abspath(__file__)]
    return f"{text} ({os.path.basename(own[-1].filename)}, line {own[-1].lineno})" if own else text


# --- declarations


def _variables(model: Any, section: str) -> Dict[str, Var]:
    given = getattr(model, section, None) or {}
    if callable(given):
        raise InputError(f"model '{_name(model)}': {section} is a function; it is the declaration of variables, and the "
                         "function of outputs is called output_values")
    if isinstance(given, str):
        raise InputError(f"model '{_name(model)}': {section} is a text; give a list of names or a dict")
    if not isinstance(given, Mapping):
        given = {name: Var() for name in given}
    return {name: _variable(model, name, value) for name, value in given.items()}


def _variable(model: Any, name: Any, value: Any) -> Var:
    var = value if isinstance(value, Var) else Var(value)
    where = f"model '{_name(model)}': the variable '{name}'"
    if not isinstance(name, str):
        raise InputError(f"{where} has a name that is no text; give a text")
    if not hasattr(var.start, "__float__"):
        raise InputError(f"{where} starts with {var.start!r}; give a number, or a Var")
    kind = var.type or ("Boolean" if isinstance(var.start, bool) else "Float64")
    if kind not in _TYPES:
        raise InputError(f"{where} is of type '{kind}'; the types are {', '.join(_TYPES)}")
    return var._replace(type=kind)


def _declared(variables: Mapping[str, Var]) -> List[Dict[str, Any]]:
    return [{"name": name, **v._asdict(), "start": float(v.start),
             "depends_on": None if v.depends_on is None else list(v.depends_on)} for name, v in variables.items()]


def _name(model: Any) -> str:
    return getattr(model, "name", None) or type(model).__name__


# --- calls


class _Adapter:
    """One unit: turns lists of numbers into what the model's functions take, and back."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.variables = {s: _variables(model, s) for s in ("states", "inputs", "outputs", "parameters")}
        self.names = {s: list(v) for s, v in self.variables.items()}
        self.indicators = list(getattr(model, "indicators", ()) or ())
        self._x = namedtuple("States", self.names["states"], rename=True)  # type: ignore[misc]
        self._u = namedtuple("Inputs", self.names["inputs"], rename=True)  # type: ignore[misc]
        self._of_inputs = [self._reader(v) for v in self.variables["inputs"].values()]
        self._of_parameters = [(n, self._reader(v)) for n, v in self.variables["parameters"].items()]
        self._parameters: Optional[List[float]] = None
        for name, v in self.variables["parameters"].items():
            setattr(model, name, self._reader(v)(v.start))
        self.has_directional = self._has("directional")
        self._require()
        self.why_no_save = self._why_no_save()

    @staticmethod
    def _reader(v: Var) -> Callable[[Any], Any]:
        return {"Float64": float, "Int32": int, "Boolean": bool}[v.type]

    def _has(self, function: str) -> bool:
        return callable(getattr(self.model, function, None))

    def _require(self) -> None:
        for needed, what, function in ((self.names["states"], "states", "derivatives"),
                                       (self.names["outputs"], "outputs", "output_values"),
                                       (self.indicators, "event indicators", "event_indicators"),
                                       (self.indicators, "event indicators", "event")):
            if needed and not self._has(function):
                raise InputError(f"model '{_name(self.model)}': it declares {what}, but has no function '{function}'; "
                                 "add it")
        for given, what, function in ((self.names["states"], "states", "derivatives"),
                                      (self.names["outputs"], "outputs", "output_values"),
                                      (self.indicators, "indicators", "event_indicators")):
            if self._has(function) and not given:
                raise InputError(f"model '{_name(self.model)}': it has a function '{function}', but declares no {what}; "
                                 "add the declaration")

    def _at(self, x: List[float], u: List[float], p: List[float]) -> Tuple[Any, Any]:
        if p != self._parameters:
            for (name, read), value in zip(self._of_parameters, p):
                setattr(self.model, name, read(value))
            self._parameters = p
        return self._x._make(x), self._u._make([read(value) for read, value in zip(self._of_inputs, u)])

    def _numbers(self, result: Any, names: List[str], what: str) -> List[float]:
        if isinstance(result, Mapping):
            unknown = [n for n in result if n not in names]
            missing = [n for n in names if n not in result]
            if unknown or missing:
                raise ValueError(f"{what}: {'there is no ' + repr(unknown[0]) if unknown else repr(missing[0]) + ' is missing'}"
                                 f"; give {', '.join(names)}")
            result = [result[n] for n in names]
        if result is None:
            raise ValueError(f"{what}: nothing was returned; return {len(names)} numbers")
        try:
            values = [float(result)] if isinstance(result, (int, float)) else [float(value) for value in result]
        except (TypeError, ValueError) as error:
            raise ValueError(f"{what}: {result!r} was returned; return {len(names)} numbers") from error
        if len(values) != len(names):
            raise ValueError(f"{what}: {len(values)} numbers were returned; return {len(names)}"
                             f"{' (' + ', '.join(names) + ')' if names else ''}")
        return values

    def _new_states(self, result: Any, x: List[float], what: str) -> List[float]:
        if result is None:
            return x
        if isinstance(result, Mapping):
            result = {**dict(zip(self.names["states"], x)), **result}
        return self._numbers(result, self.names["states"], what)

    def initialize(self, t: float, x: List[float], u: List[float], p: List[float]) -> List[float]:
        states, inputs = self._at(x, u, p)
        if not self._has("initialize"):
            return x
        return self._new_states(self.model.initialize(t, states, inputs), x, "new states")

    def derivatives(self, t: float, x: List[float], u: List[float], p: List[float]) -> List[float]:
        if not self.names["states"]:
            return []
        return self._numbers(self.model.derivatives(t, *self._at(x, u, p)), self.names["states"], "derivatives")

    def outputs(self, t: float, x: List[float], u: List[float], p: List[float]) -> List[float]:
        if not self.names["outputs"]:
            return []
        return self._numbers(self.model.output_values(t, *self._at(x, u, p)), self.names["outputs"], "outputs")

    def event_indicators(self, t: float, x: List[float], u: List[float], p: List[float]) -> List[float]:
        return self._numbers(self.model.event_indicators(t, *self._at(x, u, p)), self.indicators, "event indicators")

    def event(self, t: float, x: List[float], u: List[float],
              p: List[float]) -> Tuple[List[float], Optional[float], bool, bool]:
        states, inputs = self._at(x, u, p)
        result = self.model.event(t, states, inputs) if self._has("event") else None
        event = result if isinstance(result, Event) else Event(result)
        after = self._new_states(event.states, x, "new states")
        following = self.model.next_event(t) if self._has("next_event") else None
        if following is not None and math.isinf(following):
            following = None
        return after, following, bool(event.again), bool(event.terminate)

    def directional(self, t: float, x: List[float], u: List[float], p: List[float], dx: List[float],
                    du: List[float]) -> Tuple[List[float], List[float]]:
        states, inputs = self._at(x, u, p)
        result = self.model.directional(t, states, inputs, self._x._make(dx), self._u._make(du))
        try:
            rates, outputs = result
        except (TypeError, ValueError) as error:
            raise ValueError("directional returns two results: the changes of derivatives and of outputs") from error
        return (self._numbers(rates, self.names["states"], "changes of derivatives"),
                self._numbers(outputs, self.names["outputs"], "changes of outputs"))

    # --- memory

    def _own_functions(self) -> bool:
        return self._has("state") and self._has("set_state")

    def _why_no_save(self) -> str:
        if self._own_functions():
            return ""
        for name, value in vars(self.model).items():
            try:
                copy.deepcopy(value)
            except Exception as error:  # pylint: disable=broad-except
                return (f"its attribute '{name}' cannot be copied ({type(error).__name__}: {error}); "
                        "give the model functions state() and set_state(state)")
        return ""

    def save(self) -> Any:
        return copy.deepcopy(self.model.state() if self._own_functions() else vars(self.model))

    def restore(self, state: Any) -> None:
        self._parameters = None
        if self._own_functions():
            self.model.set_state(copy.deepcopy(state))
        else:
            vars(self.model).clear()
            vars(self.model).update(copy.deepcopy(state))

    def serialize(self, state: Any) -> bytes:
        return pickle.dumps(state)

    def deserialize(self, state: bytes) -> Any:
        return pickle.loads(state)


def native_model(source: Any) -> _consort.NativeModel:
    """The model of a class, of a function that returns an instance, or of an instance, which is copied."""

    def make() -> _Adapter:
        makes = inspect.isclass(source) or inspect.isroutine(source) or isinstance(source, functools.partial)
        return _Adapter(source() if makes else copy.deepcopy(source))

    try:
        first = make()
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"the model {source!r} cannot be made: {text_of_exception(error)}; units of a class are made "
                         "without arguments, so give a function that returns an instance") from error
    declaration = {"name": _name(first.model), "description": (type(first.model).__doc__ or "").strip().split("\n")[0],
                   "indicators": len(first.indicators), "stop_time": float(getattr(first.model, "stop_time", 1.0)),
                   "step": float(getattr(first.model, "step", 0.01)),
                   **{section: _declared(variables) for section, variables in first.variables.items()}}
    return _consort.NativeModel(declaration, make)


def is_model(source: Any) -> bool:
    """True for what native_model() takes: classes, instances and functions, but not paths and systems."""
    return not isinstance(source, (str, bytes, os.PathLike)) and (
        callable(source) or isinstance(source, Model) or hasattr(source, "derivatives")
        or hasattr(source, "output_values"))


def class_from_file(name: str) -> Any:
    """The class of "python:/folder/pid.py:Pid"."""
    path, _, class_name = name[len("python:"):].rpartition(":")
    if not os.path.isfile(path):
        raise InputError(f"there is no file '{path}' for the class '{class_name}'; check its name and folder")
    # A module of its own for each file; pickle finds it by this name.
    module_name = "consort_model_" + "".join(c if c.isalnum() else "_" for c in os.path.abspath(path))
    module = sys.modules.get(module_name)
    if module is None:
        spec = importlib.util.spec_from_file_location(module_name, path)
        if spec is None or spec.loader is None:
            raise InputError(f"'{path}' is no Python file; give one that ends with .py")
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException as error:
            del sys.modules[module_name]
            if not isinstance(error, Exception):
                raise
            raise InputError(f"'{path}' cannot be imported: {text_of_exception(error)}") from error
    if not hasattr(module, class_name):
        raise InputError(f"'{path}' has no class '{class_name}'; check the name")
    return getattr(module, class_name)
