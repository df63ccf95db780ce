"""The one exception that Consort raises at its users."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from ._result import Result


class Error(Exception):
    """What was asked for cannot be done, or failed: the text says what, where, and what to do about it.

    fault: "input" for what was given (a file, an option, a name), "run" for what happened while it ran.
    result: the rows that a run recorded before it failed, or None.
    """

    fault: str
    result: Optional[Result]

    def __init__(self, text: str = "", fault: str = "input") -> None:
        super().__init__(text)
        self.fault = fault
        self.result = None
