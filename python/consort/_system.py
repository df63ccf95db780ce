"""FMUs and systems of FMUs, run at once or step by step."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Type, Union

import numpy as np

from . import _consort
from ._description import Variable, array_from_texts, value_from_text, variable_from
from ._error import Error, InputError, in_python, unknown
from ._model import Model, class_from_file, is_model, native_model
from ._result import Result, finished
from ._settings import document_settings, settings_text
from ._signals import Path, Signals, Value, elements_of, existing, input_file, number, start_values as texts_of, text_of

#: Called a few times a second; a run ends cleanly when it returns False, and with an error when it raises one.
ProgressFunction = Callable[[_consort.Progress], Optional[bool]]

#: A time: seconds, or a text with a unit ("10 ms").
Seconds = Union[float, str]


def simulate_fmu(path: Path, start_time: Optional[float] = None, stop_time: Optional[float] = None,
                 step_size: Optional[float] = None, output_interval: Optional[float] = None,
                 tolerance: Optional[float] = None, solver: str = "", interface_type: Optional[str] = None,
                 start_values: Optional[Mapping[str, Value]] = None, input: Optional[Signals] = None,
                 output: Optional[Sequence[str]] = None, output_file: Optional[Path] = None,
                 progress: Optional[ProgressFunction] = None, platform: str = "") -> Result:
    """Runs one FMU from start to stop.

    What is not given comes from the FMU's default experiment, then from defaults that the result's report names.

    step_size: between communication points in s; output_interval: between rows (default: every communication point).
    solver: for Model Exchange (default: "cvode"). interface_type: "cs" or "me" (default: Co-Simulation where the FMU has it).
    start_values: by name. input: a structured array or a dict of arrays with "time" and the inputs, or the path of a CSV
    file. output: the names of variables to record (default: the FMU's outputs). output_file: also written there.
    platform: the binary to run, "win64" for example (default: the first one that this machine can run).

    Raises Error; its `result` has the rows up to then when the FMU failed on the way. Ctrl-C ends the run at the next
    communication point and raises KeyboardInterrupt, with a `result` likewise.
    """
    options = _consort.SimulateOptions()
    numbers = {"start_time": start_time, "stop_time": stop_time, "step_size": step_size,
               "output_interval": output_interval, "tolerance": tolerance}
    for name, value in numbers.items():
        setattr(options, name, number(name, value))
    options.solver, options.interface_type, options.platform = solver, interface_type or "", platform
    options.start_values = texts_of(start_values)
    options.outputs = _names(output)
    options.output_file = output_file or ""
    fmu = _consort.Fmu(existing(path))
    with input_file(input) as file:
        options.input_file = file if input is not None else ""
        return finished(fmu.simulate(options, progress))


class System:
    """Units and their connections, by name.

        car = System("car")
        car.add("wheel", "wheel.fmu")
        car.add("chassis", "chassis.fmu", start_values={"m": 400})
        car.connect("wheel.z", "chassis.z_wheel")
        res = car.run(stop=3, step=1e-3)
    """

    def __init__(self, name: str = "system") -> None:
        self._raw = _consort.System(name)

    @property
    def name(self) -> str:
        return self._raw.name()

    @property
    def units(self) -> List[str]:
        """The names of units and of systems inside, in the order of adding."""
        return self._raw.units()

    def add(self, name: str, source: Union[Path, System, Model, Callable[[], Any]], *, interface_type: Optional[str] = None, solver: str = "",
            substeps: int = 1, start_values: Optional[Mapping[str, Value]] = None, platform: str = "") -> System:
        """Adds an FMU, a model, or a copy of another system whose units are "name.unit" then; returns the system itself.

        A model is a class like consort.Model, a function that returns an instance of one, or an instance, which is copied;
        or a text: "model:pendulum" for one that is built in or defined, "python:pid.py:Pid" for a class in a file.

        interface_type: "cs" or "me"; solver: for Model Exchange; substeps: equal steps of its own per communication step;
        platform: the binary to run, "win64" for example (default: the first one that this machine can run).
        """
        if isinstance(source, System):
            self._raw.add_system(name, source._raw)
            for variable, value in texts_of(start_values):
                self._raw.set(f"{name}.{variable}", value, "")
        elif is_model(source):
            self._raw.add_model(name, native_model(source), interface_type or "", solver, substeps,
                                texts_of(start_values))
        elif isinstance(source, str) and source.startswith(("model:", "python:")):
            if source.startswith("python:"):
                source = "python:" + os.path.abspath(source[len("python:"):])
            self._raw.add(name, source, interface_type or "", solver, substeps, texts_of(start_values), platform)
        else:
            # A unit stays the same file when the working directory is changed before the run.
            self._raw.add(name, os.path.abspath(source), interface_type or "", solver, substeps, texts_of(start_values),
                          platform)
        return self

    def define(self, name: str, model: Union[Model, Callable[[], Any]]) -> System:
        """The model that `{model: NAME}` in system files and the source "model:NAME" stand for."""
        self._raw.define(name, native_model(model))
        return self

    def _import_models(self) -> None:
        for name in self._raw.undefined_models():
            if name.startswith("python:"):
                self._raw.define(name, native_model(class_from_file(name)))

    def connect(self, source: Optional[str] = None, target: Optional[str] = None, factor: float = 1.0,
                offset: float = 0.0, *, value: Optional[str] = None, to: Optional[str] = None) -> System:
        """From an output to an input, by paths: target = factor · source + offset, after the conversion of units.

        A name without a unit is a connector of the system itself, which is made when it does not exist.

        value: instead of a source, an expression of names of this system; to: the same as target.

            pair.connect(value="-k * (left.x - right.x)", to="left.F_x")
        """
        end = to if target is None else target
        if end is None or (to is not None and target is not None):
            raise InputError("a connection has one target; give it as 'target' or as 'to'")
        if (source is None) == (value is None):
            raise InputError(f"the connection to '{end}' has either a source or an expression ('value'); give one of them")
        if value is None:
            self._raw.connect(source, end, factor, offset)
        elif factor != 1 or offset != 0:
            raise InputError(f"the connection to '{end}' has an expression; write the factor and the offset in it")
        else:
            self._raw.connect_value(value, end)
        return self

    def output(self, name: str, value: str, unit: str = "") -> System:
        """An output of the system itself with the value of an expression: output("gap", "right.x - left.x", "m")."""
        self._raw.output(name, value, unit)
        return self

    def parameter(self, name: str, value: float, unit: str = "") -> System:
        """A parameter of the system itself, for its expressions and connections."""
        self._raw.parameter(name, value, unit)
        return self

    def solver(self, name: str, tolerance: Optional[float] = None) -> System:
        """Makes the system one unit: all its units are solved together by this solver, wherever it is run or added.

        The units need Model Exchange. The tolerance is relative (default: that of the run).
        """
        self._raw.solver(name, tolerance)
        return self

    def set(self, path: str, value: Value, unit: str = "") -> System:
        """A start value by path ("wheel.m"), in the unit of measure given or else the variable's own."""
        (_, text), = texts_of({path: value})
        self._raw.set(path, text, unit)
        return self

    def bond(self, effort: str, flow: str) -> System:
        """Two outputs whose product is a power, each connected to the other one's unit.

        The report says what energy the coupling made or lost there; the controller "ecco" keeps it small.
        """
        self._raw.bond(effort, flow)
        return self

    def run(self, start: Optional[Seconds] = None, stop: Optional[Seconds] = None, step: Optional[Seconds] = None, *,
            set: Optional[Mapping[str, Value]] = None, input: Optional[Signals] = None,
            output: Optional[Sequence[str]] = None, output_file: Optional[Path] = None,
            checkpoint_every: Optional[float] = None, checkpoint_file: Optional[Path] = None,
            restart_from: Optional[Path] = None, progress: Optional[ProgressFunction] = None,
            **settings: Any) -> Result:
        """Runs the system from start to stop.

        Values that are not given come from the system's file, then from the units, then from defaults that the report
        names.

        set: start values by path that beat those of the system. input: for the system's own inputs, a structured array or
        a dict of arrays with "time", or the path of a CSV file. output: paths to record, with * and ? (default: all
        outputs). output_file: also written there.

        checkpoint_every: simulated seconds between checkpoints, written to checkpoint_file (default: NAME.checkpoint in
        the working directory), each replacing the one before. restart_from: continue from a checkpoint of the same system
        with the same settings; the result has the rows from there on, and an existing output_file continues.

        All other keyword arguments are settings with the names and values of a system file. Those of its sections
        `experiment` and `run` are given by their keys; groups are dicts:

            car.run(stop=2, stepper="iterated", iteration={"method": "aitken", "tolerance": 1e-8})
            car.run(stop="500 ms", control={"controller": "richardson", "tolerance": 1e-4}, record={"every": 10},
                    scenario=[{"at": 1, "set": "wheel.z", "to": 0.2}])

        Raises Error; its `result` has the rows up to the failure of a unit. Ctrl-C ends the run at the next communication
        point and raises KeyboardInterrupt, with a `result` likewise.
        """
        options = _consort.RunOptions()
        options.set = texts_of(set)
        options.checkpoint_every = number("checkpoint_every", checkpoint_every)
        options.checkpoint_file = checkpoint_file or ""
        options.restart_from = restart_from or ""
        options.output_file = output_file or ""
        self._import_models()
        with input_file(input) as file:
            text = settings_text({"start": start, "stop": stop, "step": step, **settings}, output,
                                 file if input is not None else None)
            return finished(self._raw.run(text, options, progress))

    def simulation(self, start: Optional[Seconds] = None, stop: Optional[Seconds] = None,
                   step: Optional[Seconds] = None, *, set: Optional[Mapping[str, Value]] = None,
                   input: Optional[Signals] = None, **settings: Any) -> Simulation:
        """A run to be stepped by hand, with the settings of run()."""
        options = _consort.RunOptions()
        options.set = texts_of(set)
        self._import_models()
        with input_file(input) as file:
            text = settings_text({"start": start, "stop": stop, "step": step, **settings}, None,
                                 file if input is not None else None)
            return Simulation(_consort.Simulation(self._raw, text, options))

    def __repr__(self) -> str:
        return f"<consort.System '{self.name}': {', '.join(self.units)}>"


def _names(output: Optional[Sequence[str]]) -> List[str]:
    if output is None:
        return []
    return [output] if isinstance(output, str) else list(output)


def built_in_models() -> Dict[str, str]:
    """The models that every system can use by name ("model:pendulum"), with their descriptions."""
    return {model.name: model.description for model in _consort.built_in_models()}


def load_system(path: Path) -> System:
    """Reads a system file (.yaml, .ssp, .ssd), or the system that an HDF5 result carries."""
    if os.fspath(path).lower().endswith(".fmu"):
        raise InputError(f"{os.fspath(path)}: is an FMU, not a system; run it with simulate_fmu(), or add it to a System")
    system = System.__new__(System)
    system._raw = _consort.System.load(existing(path))
    return system


def run(system: Union[System, Path], start: Optional[Seconds] = None, stop: Optional[Seconds] = None,
        step: Optional[Seconds] = None, **options: Any) -> Result:
    """Runs a system or a system file, with the arguments of System.run()."""
    if not isinstance(system, System):
        system = load_system(system)
    return system.run(start, stop, step, **options)


class Simulation:
    """One run by hand: initialize(), then step() until done; sim["unit.var"] reads and sim["unit.var"] = 2 sets.

    Made by System.simulation(). Before initialize(), values are start values; after it, inputs that nothing drives and
    tunable parameters can be set, from the next step on. Used with `with`, it is terminated at the end.
    """

    def __init__(self, raw: _consort.Simulation) -> None:
        self._raw = raw
        self._variables: Dict[str, Variable] = {}

    def initialize(self) -> None:
        self._variables.clear()  # sizes of arrays may have been set
        self._raw.initialize()

    def step(self) -> None:
        """To the next communication point; does nothing when done."""
        self._raw.step()

    @property
    def done(self) -> bool:
        return self._raw.done()

    @property
    def time(self) -> float:
        return self._raw.time()

    @property
    def start_time(self) -> float:
        return self._raw.start_time()

    @property
    def stop_time(self) -> float:
        return self._raw.stop_time()

    @property
    def step_size(self) -> float:
        return self._raw.step_size()

    @property
    def names(self) -> List[str]:
        """The system's own inputs, then every variable of every unit, by path."""
        return self._raw.names()

    def variable(self, path: str) -> Variable:
        """What the unit says about a variable."""
        if path not in self._variables:
            try:
                self._variables[path] = variable_from(self._raw.variable(path))
            except InputError as error:
                raise unknown(error) from None
        return self._variables[path]

    def __getitem__(self, path: str) -> Any:
        """A float, int, bool, str or bytes; a numpy array for an array."""
        v = self.variable(path)
        if v.type == "Float64":
            numbers = self._raw.numbers(path)
            if not v.shape:
                return numbers[0]
            return np.array(numbers).reshape(v.shape) if len(numbers) == np.prod(v.shape) else np.array(numbers)
        texts = self._raw.texts(path)
        return array_from_texts(v.type, v.shape, texts) if v.shape else value_from_text(v.type, texts[0])

    def __setitem__(self, path: str, value: Value) -> None:
        self.variable(path)  # raises for unknown names
        elements = elements_of(value)
        if any(isinstance(e, (float, np.floating)) for e in elements):
            self._raw.set_numbers(path, elements)
        else:
            self._raw.set_texts(path, [text_of(e) for e in elements])

    def save(self, file: Union[str, "os.PathLike[str]"]) -> None:
        """Writes a checkpoint, from which another simulation of the same system with the same options can go on."""
        self._raw.save(os.fspath(file))

    def load(self, file: Union[str, "os.PathLike[str]"]) -> None:
        """Goes to a checkpoint: steps from here on are those that followed there, bit for bit. Initialises, too."""
        self._raw.load(os.fspath(file))

    def terminate(self) -> None:
        """Ends the run; also done when the simulation is no longer used, but then errors are not heard of."""
        self._raw.terminate()

    @property
    def report(self) -> str:
        """What was done and assumed until now, in a few lines."""
        return in_python(self._raw.report())

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], *_: Any) -> None:
        # What went wrong inside is worth more than what may go wrong while ending.
        try:
            self.terminate()
        except Error:
            if kind is None:
                raise


document_settings(System.run)
