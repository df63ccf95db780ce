"""Results as numpy arrays."""

from __future__ import annotations

import json
import re
from typing import Any, Dict, Iterator, List, Tuple

import numpy as np

from . import _consort
from ._error import Error, in_python, unknown
from ._signals import Path, existing

# Numbers are recorded as doubles; the arrays get the types of the variables back.
_DTYPES = {
    "Float32": np.float32, "Float64": np.float64, "Int8": np.int8, "UInt8": np.uint8, "Int16": np.int16,
    "UInt16": np.uint16, "Int32": np.int32, "UInt32": np.uint32, "Int64": np.int64, "UInt64": np.uint64,
    "Enumeration": np.int64, "Boolean": np.bool_, "Clock": np.bool_,
}


def _array(column: _consort.Column) -> np.ndarray:
    """A view of a column, read-only. It goes through the buffer protocol, which all versions of NumPy share."""
    return np.asarray(memoryview(column))


class Result:
    """The rows of a run, variable by variable, as read-only numpy arrays.

    res["wheel.x"] is one array per variable, in the type of the variable; an array variable "x" is put together from
    its elements "x[1]", "x[2]", … and has one row per time. Floats are not copied.
    """

    def __init__(self, raw: _consort.Result) -> None:
        self._raw = raw
        self._signals: Dict[str, _consort.SignalInfo] = {s.name: s for s in raw.signals()}

    @property
    def time(self) -> np.ndarray:
        """The times of the rows in s. Equal times are values before and after an event."""
        return _array(self._raw.time())

    @property
    def names(self) -> List[str]:
        """The recorded variables, in the order of recording."""
        return list(self._signals)

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._signals:
            if name == "time":
                return self.time
            elements = self._elements(name)
            if elements:
                return self._put_together(elements)
            raise self._unknown(name)
        kind = self._signals[name].type
        if kind == "String":
            return np.array(self._raw.texts(name), dtype=str)
        if kind == "Binary":
            return np.array([bytes.fromhex(text) for text in self._raw.texts(name)], dtype=object)
        return _array(self._raw.numbers(name)).astype(_DTYPES[kind], copy=False)

    def unit(self, name: str) -> str:
        """The unit of measure, empty when there is none; "s" for the time."""
        if name in self._signals:
            return self._signals[name].unit
        if name == "time":
            return "s"
        return self._signals[self._one(name)].unit

    def description(self, name: str) -> str:
        """What the model says about the variable."""
        return self._signals[self._one(name)].description

    def to_structured(self) -> np.ndarray:
        """A structured array with the fields "time" and all names: what pandas.DataFrame takes as it is."""
        columns = [("time", self.time)] + [(name, self[name]) for name in self.names if name != "time"]
        table = np.empty(len(self), dtype=[(name, column.dtype) for name, column in columns])
        for name, column in columns:
            table[name] = column
        return table

    @property
    def report(self) -> str:
        """What was done and assumed, in a few lines; empty for results that were read from files."""
        return in_python(self._raw.report())

    @property
    def report_data(self) -> Dict[str, Any]:
        """The same as a dict: errors per connection ("trust"), bonds, iterations, units, … Of runs of systems; else empty."""
        text = self._raw.report_json()
        return json.loads(text) if text else {}

    @property
    def ended_early(self) -> str:
        """Why the run ended before its stop time; empty when it did not."""
        return self._raw.ended_early()

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.time)

    def __contains__(self, name: object) -> bool:
        return name in self._signals

    def __iter__(self) -> Iterator[str]:
        return iter(self._signals)

    def keys(self) -> List[str]:
        """As names, so that dict(res) works."""
        return self.names

    def __repr__(self) -> str:
        names = ", ".join(self.names[:5]) + (", …" if len(self._signals) > 5 else "")
        return f"<consort.Result: {len(self)} rows of {len(self._signals)} variables: {names}>"

    # --- names

    def _one(self, name: str) -> str:
        """The name, or that of an element of the array."""
        if name in self._signals:
            return name
        elements = self._elements(name)
        if not elements:
            raise self._unknown(name)
        return elements[0][1]

    def _unknown(self, name: str) -> Error:
        """The error of the library, which suggests the nearest names."""
        try:
            self._raw.unit(name)
        except Error as error:
            return unknown(error)
        raise AssertionError(name)

    # --- arrays

    def _elements(self, name: str) -> List[Tuple[Tuple[int, ...], str]]:
        pattern = re.compile(re.escape(name) + r"\[(\d+(?:,\d+)*)\]")
        matches = ((pattern.fullmatch(full), full) for full in self._signals)
        return [(tuple(map(int, match.group(1).split(","))), full) for match, full in matches if match]

    def _put_together(self, elements: List[Tuple[Tuple[int, ...], str]]) -> np.ndarray:
        shape = tuple(max(index[i] for index, _ in elements) for i in range(len(elements[0][0])))
        first: Any = self[elements[0][1]]
        values = np.zeros((len(self), *shape), dtype=object if first.dtype.kind in "UO" else first.dtype)
        for index, full in elements:
            values[(slice(None), *(i - 1 for i in index))] = self[full]
        return values


def read_result(path: Path) -> Result:
    """Reads a result file of any format that is written; its ending says which."""
    return Result(_consort.Result.read(existing(path)))


def finished(outcome: Tuple[_consort.Result, Any]) -> Result:
    """The result of a run; raises the error that ended it, with what was recorded until then as its `result`."""
    raw, error = outcome
    result = Result(raw)
    if error is not None:
        error.result = result
        raise error
    return result
