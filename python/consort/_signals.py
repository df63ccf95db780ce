"""Values and signals of Python and numpy as the texts and tables that the engine reads."""

from __future__ import annotations

import contextlib
import os
import pathlib
import tempfile
from typing import Any, Iterator, List, Mapping, Optional, Tuple, Union

import numpy as np

from ._error import ArgumentError, Error, InputError, MissingFile

Value = Union[bool, int, float, str, bytes, List[Any], Tuple[Any, ...], np.ndarray, np.generic]
Path = Union[str, "os.PathLike[str]"]
Signals = Union[Path, np.ndarray, Mapping[str, Any]]


def existing(path: Path) -> Path:
    """The path; raises MissingFile if there is nothing there."""
    if not os.path.exists(path):
        raise MissingFile(f"{os.fspath(path)}: there is no such file; check its name and the working directory, {os.getcwd()}")
    return path


def number(name: str, value: Any) -> Optional[float]:
    """The value of an argument as a float; None stays None."""
    if value is None:
        return None
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
        raise ArgumentError(f"{name} is {value!r} of type {type(value).__name__}; give a number")
    return float(value)


def text_of(value: Any) -> str:
    """One element as text, exactly. Floats without a fraction are written as whole numbers, which all types take."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).hex()
    if isinstance(value, (bool, np.bool_)):
        return "1" if value else "0"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        text = repr(float(value))
        return text[:-2] if text.endswith(".0") else text
    raise ArgumentError(f"{value!r} is of type {type(value).__name__}, which is no value; give a number, a text or an array of these")


def elements_of(value: Any) -> List[Any]:
    """The elements of a value, row by row; a scalar is one element."""
    if isinstance(value, np.ndarray):
        return value.ravel().tolist()
    if isinstance(value, (list, tuple)):
        return [element for part in value for element in elements_of(part)]
    return [value]


def start_values(values: Optional[Mapping[str, Any]]) -> List[Tuple[str, str]]:
    """Names and texts, arrays as elements separated by blanks."""
    return [(name, " ".join(text_of(e) for e in elements_of(value))) for name, value in (values or {}).items()]


# --- signals over time


def _columns(signals: Union[np.ndarray, Mapping[str, Any]]) -> List[Tuple[str, np.ndarray]]:
    if isinstance(signals, np.ndarray):
        if signals.dtype.names is None:
            raise InputError("the input array has no names; give a structured array, or a dict of arrays, with 'time' and the inputs")
        columns = [(name, np.atleast_1d(signals)[name]) for name in signals.dtype.names]
    elif isinstance(signals, Mapping):
        columns = [(name, np.asarray(column)) for name, column in signals.items()]
    else:
        raise ArgumentError(f"input is a {type(signals).__name__}; give the path of a CSV file, a structured array or a dict of arrays")
    times = [column for name, column in columns if name == "time"]
    if not times:
        raise InputError("the input has no column 'time'; add it, in seconds")
    if times[0].ndim != 1 or times[0].size == 0:
        raise InputError("the input's column 'time' has to be one-dimensional and not empty")
    rows = times[0].shape[0]
    for name, column in columns:
        if column.ndim == 0 or column.shape[0] != rows:
            raise InputError(f"the input's column '{name}' has {column.shape[0] if column.ndim else 'no'} rows and 'time' has {rows}; "
                             "give all columns the same length")
    return [("time", times[0])] + [pair for pair in columns if pair[0] != "time"]


def _scalar_columns(name: str, column: np.ndarray) -> Iterator[Tuple[str, np.ndarray]]:
    """An array per row becomes one column per element: A[1,1], A[1,2], …"""
    if column.ndim == 1:
        yield name, column
        return
    for index in np.ndindex(*column.shape[1:]):
        yield f"{name}[{','.join(str(i + 1) for i in index)}]", column[(slice(None), *index)]


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _cell(value: Any) -> str:
    return _quoted(value) if isinstance(value, str) else text_of(value)


def table_text(signals: Union[np.ndarray, Mapping[str, Any]]) -> str:
    """A CSV table: time first, then the inputs."""
    flat = [pair for name, column in _columns(signals) for pair in _scalar_columns(name, column)]
    lines = [",".join(_quoted(name) for name, _ in flat)]
    lines += [",".join(map(_cell, row)) for row in zip(*(column.tolist() for _, column in flat))]
    return "\n".join(lines) + "\n"


@contextlib.contextmanager
def input_file(signals: Optional[Signals]) -> Iterator[pathlib.Path]:
    """The path of a table with the signals; an empty path for None. Made for the time of the run where it is no file."""
    if signals is None:
        yield pathlib.Path()
    elif isinstance(signals, (str, os.PathLike)):
        yield pathlib.Path(existing(signals))
    else:
        text = table_text(signals)
        with tempfile.TemporaryDirectory(prefix="consort-input-") as folder:
            file = pathlib.Path(folder) / "input.csv"
            file.write_text(text, encoding="utf-8")
            try:
                yield file
            except Error as error:
                # The user knows nothing of the file.
                error.args = (str(error).replace(str(file), "input"),)
                raise
