"""Settings of runs as keyword arguments: their names come from the table of settings."""

from __future__ import annotations

import difflib
import json
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from . import _consort
from ._error import ArgumentError

#: Keys of a system file that hold lists instead of settings, by section; None: the file itself.
_LISTS = {"schedule": "run", "scenario": None, "bonds": None}

#: Keyword arguments of earlier versions.
_RENAMED = {
    "controller": "control={'controller': ...}",
    "coupling_tolerance": "control={'tolerance': ...}",
    "absolute_tolerance": "control={'absolute': ...}",
    "tolerance_for": "control={'tolerance_for': ...}",
    "min_step": "control={'minimum': ...}",
    "max_step": "control={'maximum': ...}",
    "iteration_tolerance": "iteration={'tolerance': ...}",
    "iteration_most": "iteration={'max_iterations': ...}",
}


def _sections() -> Dict[str, List[Any]]:
    sections: Dict[str, List[Any]] = {}
    for row in _consort.settings():
        sections.setdefault(row.section, []).append(row)
    return sections


def _plain(value: Any) -> Any:
    """What JSON can hold: numpy's numbers and arrays become Python's, paths become texts."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if hasattr(value, "__fspath__"):
        return value.__fspath__()
    return value


def settings_text(arguments: Mapping[str, Any], output: Optional[Sequence[str]], input_file: Optional[str]) -> str:
    """Keyword arguments as a document with the keys of a system file."""
    sections = _sections()
    flat = {row.key: section for section in ("experiment", "run") for row in sections[section]}
    groups = {name: "run" for name in sections if name not in ("experiment", "run", "record")}
    document: Dict[str, Any] = {"experiment": {}, "run": {}, "record": {}}
    for name, value in arguments.items():
        if value is None:
            continue
        if name in _RENAMED and not (name in groups and isinstance(value, Mapping)):
            raise ArgumentError(f"the argument '{name}' is called {_RENAMED[name]} now; change the call")
        if (name in groups or name == "record") and not isinstance(value, Mapping):
            raise ArgumentError(f"the argument '{name}' is a group of settings; write it as {name}={{...}} with the keys "
                        f"{', '.join(row.key for row in sections[name])}")
        if name in flat:
            document[flat[name]][name] = _plain(value)
        elif name in groups:
            document["run"][name] = _plain(value)
        elif name == "record":
            document["record"].update(_plain(value))
        elif name in _LISTS:
            section = _LISTS[name]
            (document if section is None else document[section])[name] = _plain(value)
        else:
            known = sorted([*flat, *groups, "record", *_LISTS])
            near = difflib.get_close_matches(name, known, n=1)
            raise ArgumentError(f"there is no setting '{name}'" + (f"; did you mean '{near[0]}'" if near else "") +
                                f"; the settings of a run are {', '.join(known)}")
    if output:
        document["record"]["variables"] = [output] if isinstance(output, str) else list(output)
    if input_file is not None:
        document["run"]["input_file"] = str(input_file)
    return json.dumps({key: value for key, value in document.items() if value}, ensure_ascii=False)


def document_settings(function: Callable[..., Any]) -> None:
    """Appends the table of settings to the documentation of a function."""
    lines = [function.__doc__ or "", "", "        Settings:", ""]
    for section, rows in _sections().items():
        for row in rows:
            name = row.key if section in ("experiment", "run") else f"{section}[{row.key!r}]"
            lines.append(f"        {name}: {row.help} ({row.range}; default: {row.standard})")
    function.__doc__ = "\n".join(lines)
