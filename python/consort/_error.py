"""The one exception that Consort raises at its users."""

from __future__ import annotations

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
