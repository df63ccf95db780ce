# The module that C++ provides (src/python); private to the package.
import os
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

_Path = Union[str, "os.PathLike[str]"]
_Pairs = List[Tuple[str, str]]
_ProgressFunction = Optional[Callable[["Progress"], Any]]

__version__: str

class Progress:
    start_time: float
    time: float
    stop_time: float
    step_size: float
    wall_seconds: float

class SignalInfo:
    name: str
    type: str
    unit: str
    description: str

class Column:
    """A read-only buffer of doubles."""
    def __buffer__(self, flags: int) -> memoryview: ...

class Result:
    @staticmethod
    def read(file: _Path) -> Result: ...
    def signals(self) -> List[SignalInfo]: ...
    def time(self) -> Column: ...
    def numbers(self, name: str) -> Column: ...
    def texts(self, name: str) -> List[str]: ...
    def unit(self, name: str) -> str: ...
    def report(self) -> str: ...
    def report_json(self) -> str: ...
    def ended_early(self) -> str: ...

class VariableInfo:
    name: str
    type: str
    causality: str
    variability: str
    start: str
    unit: str
    description: str
    shape: List[int]
    value_reference: int

class InterfaceInfo:
    type: str
    model_identifier: str
    needs_execution_tool: bool
    only_once_per_process: bool
    can_save_state: bool
    can_serialize_state: bool
    directional_derivatives: bool
    variable_step: bool
    event_mode: bool
    fixed_internal_step: Optional[float]

class ModelInfo:
    model_name: str
    fmi_version: str
    description: str
    author: str
    version: str
    copyright: str
    license: str
    generation_tool: str
    generation_date: str
    instantiation_token: str
    start_time: Optional[float]
    stop_time: Optional[float]
    tolerance: Optional[float]
    step_size: Optional[float]
    continuous_states: int
    event_indicators: int
    interfaces: List[InterfaceInfo]

class SimulateOptions:
    start_time: Optional[float]
    stop_time: Optional[float]
    step_size: Optional[float]
    output_interval: Optional[float]
    tolerance: Optional[float]
    start_values: _Pairs
    input_file: _Path
    outputs: List[str]
    output_file: _Path
    interface_type: str
    platform: str
    solver: str

class RunOptions:
    set: _Pairs
    output_file: _Path
    checkpoint_every: Optional[float]
    checkpoint_file: _Path
    restart_from: _Path

class SettingInfo:
    section: str
    key: str
    help: str
    range: str
    standard: str

def settings() -> List[SettingInfo]: ...

class Fmu:
    def __init__(self, path: _Path) -> None: ...
    def info(self) -> ModelInfo: ...
    def variables(self) -> List[VariableInfo]: ...
    def problems(self) -> List[str]: ...
    def simulate(self, options: SimulateOptions, progress: _ProgressFunction) -> Tuple[Result, Optional[BaseException]]: ...

class NativeModel:
    def __init__(self, declaration: Dict[str, Any], make: Callable[[], Any]) -> None: ...
    def name(self) -> str: ...

class BuiltInModel:
    name: str
    description: str

def built_in_models() -> List[BuiltInModel]: ...

class System:
    def __init__(self, name: str) -> None: ...
    @staticmethod
    def load(file: _Path) -> System: ...
    def add(self, unit: str, source: _Path, interface_type: str, solver: str, substeps: int, start_values: _Pairs,
            platform: str) -> None: ...
    def add_model(self, unit: str, model: NativeModel, interface_type: str, solver: str, substeps: int,
                  start_values: _Pairs) -> None: ...
    def define(self, name: str, model: NativeModel) -> None: ...
    def undefined_models(self) -> List[str]: ...
    def add_system(self, name: str, inner: System) -> None: ...
    def connect(self, source: str, target: str, factor: float, offset: float) -> None: ...
    def set(self, path: str, value: str, unit: str) -> None: ...
    def bond(self, effort: str, flow: str) -> None: ...
    def name(self) -> str: ...
    def units(self) -> List[str]: ...
    def run(self, settings: str, options: RunOptions, progress: _ProgressFunction) -> Tuple[Result, Optional[BaseException]]: ...

class Simulation:
    def __init__(self, system: System, settings: str, options: RunOptions) -> None: ...
    def start_time(self) -> float: ...
    def stop_time(self) -> float: ...
    def step_size(self) -> float: ...
    def names(self) -> List[str]: ...
    def variable(self, path: str) -> VariableInfo: ...
    def initialize(self) -> None: ...
    def step(self) -> None: ...
    def done(self) -> bool: ...
    def time(self) -> float: ...
    def terminate(self) -> None: ...
    def save(self, file: str) -> None: ...
    def load(self, file: str) -> None: ...
    def report(self) -> str: ...
    def numbers(self, path: str) -> List[float]: ...
    def texts(self, path: str) -> List[str]: ...
    def set_numbers(self, path: str, elements: Sequence[float]) -> None: ...
    def set_texts(self, path: str, elements: Sequence[str]) -> None: ...
