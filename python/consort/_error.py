"""The exceptions that Consort raises at its users, in the words of Python."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from ._result import Result


class Error(Exception):
    """What was asked for cannot be done, or failed: the text says what, where, and what to do about it.

    fault: "input" for what was given (a file, an option, a name), "run" for what happened while it ran.
    result: the rows that a run recorded before it failed, or None.
    unit, call, time, setting: the unit that failed, the function of it, the simulated time in seconds, and the key of a
        setting that was wrong ("iteration.reuse"); None where that is not known.
    """

    fault: str
    result: Optional[Result]
    unit: Optional[str]
    call: Optional[str]
    time: Optional[float]
    setting: Optional[str]

    def __init__(self, text: str = "", fault: str = "input") -> None:
        super().__init__(text)
        self.fault = fault
        self.result = None
        self.unit = None
        self.call = None
        self.time = None
        self.setting = None

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""  # a KeyError would put quotes around it


class InputError(Error, ValueError):
    """A value, a file or a setting that was given is wrong."""


class ArgumentError(InputError, TypeError):
    """A keyword argument does not exist, or its value is of the wrong type."""


class UnknownName(InputError, KeyError):
    """There is no variable of that name."""


class MissingFile(InputError, FileNotFoundError):
    """There is no such file."""


class RunError(Error, RuntimeError):
    """A run failed: `unit`, `call` and `time` say where, `result` has the rows up to then."""

    def __init__(self, text: str = "", fault: str = "run") -> None:
        super().__init__(text, fault)


#: Keyword arguments by the options of the command line that are called otherwise.
_RENAMED = {"output-variable": "output", "input-file": "input", "report": "report_data", "start-value": "start_values",
            "coupling-tolerance": "control={'tolerance': ...}"}
_SAME = {"interface-type", "solver", "start-time", "stop-time", "step-size", "output-interval", "tolerance", "output-file",
         "checkpoint-every", "checkpoint-file", "restart-from", "stepper", "extrapolation", "host", "threads"}
#: What does the same here as a command.
_COMMANDS = {"check": "read_model_description(...).problems", "info": "read_model_description(...).variables"}


def _argument(match: re.Match[str]) -> str:
    path, name, value = match.group("path"), match.group("name"), match.group("value") or ""
    if name is None:
        return f"set={{'{path}': VALUE}}" if path else "set={...}"
    word = value.strip()
    if name in ("interface-type", "solver") and word and word not in ("and", "or", "to", "with"):
        return f"{name.replace('-', '_')}={word!r}"
    if name == "controller" and word:
        return f"control={{'controller': {word!r}}}"
    if name in _SAME or name in _RENAMED:
        return _RENAMED.get(name, name.replace("-", "_")) + value
    return f"the command-line option --{name}{value}"


def in_python(text: str, setting: Optional[str] = None) -> str:
    """A text that speaks of options of the command line and keys of system files, in keyword arguments and methods."""
    text = re.sub(r"^settings(?::\d+)*: ", "", text)
    section, _, key = (setting or "").rpartition(".")
    if section in ("experiment", "run"):
        text = text.replace(f"{section}.{key}", key)
    elif section in ("control", "iteration", "loops", "record"):
        text = text.replace(f"{section}.{key}", f"{section}[{key!r}]")
    text = text.replace("UNIT.VARIABLE=VALUE", "{'UNIT.VARIABLE': VALUE}")
    text = re.sub(r"'--set(?: (?P<path>[^'=]*)=VALUE)?'|--(?P<name>[a-z][a-z-]*)(?P<value> [\w-]+)?", _argument, text)
    return re.sub(r"'consort (check|info)\b[^']*'", lambda match: _COMMANDS[match.group(1)], text)


def from_native(text: str, fault: str, unit: Optional[str], call: Optional[str], time: Optional[float],
                setting: Optional[str]) -> Error:
    """The exception for an error of the library."""
    error: Error = InputError(in_python(text, setting)) if fault == "input" else RunError(in_python(text, setting))
    error.unit, error.call, error.time, error.setting = unit, call, time, setting
    return error


def unknown(error: Error) -> UnknownName:
    """The same error, for a place where Python expects a KeyError."""
    same = UnknownName(str(error))
    same.unit, same.call, same.time, same.setting = error.unit, error.call, error.time, error.setting
    return same
