"""Consort runs simulation models that come as FMUs, one at a time or coupled into systems.

    import consort

    md = consort.read_model_description("BouncingBall.fmu")
    res = consort.simulate_fmu("BouncingBall.fmu", stop_time=2, start_values={"e": 0.9})
    res.time, res["h"], res.unit("h")

    res = consort.run("car.yaml", stop=3)

Errors are consort.Error, with texts that end with what to do. Its subclasses are also what Python programs expect:
ValueError (InputError), TypeError (ArgumentError), KeyError (UnknownName), FileNotFoundError (MissingFile), RuntimeError
(RunError).
"""

from ._consort import Progress, __version__
from ._description import DefaultExperiment, Interface, ModelDescription, Variable, read_model_description
from ._error import ArgumentError, Error, InputError, MissingFile, RunError, UnknownName
from ._linearisation import Linearisation, linearise
from ._model import Discard, Event, Model, Var
from ._result import Result, read_result
from ._system import Simulation, System, built_in_models, load_system, run, simulate_fmu

__all__ = [
    "ArgumentError", "DefaultExperiment", "Discard", "Error", "Event", "InputError", "Interface", "Linearisation", "MissingFile",
    "Model", "ModelDescription", "Progress", "Result", "RunError", "Simulation", "System", "UnknownName", "Var", "Variable",
    "__version__", "built_in_models", "linearise", "load_system", "read_model_description", "read_result", "run",
    "simulate_fmu",
]
