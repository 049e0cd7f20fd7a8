"""Every error of the product, in one tree.

PckvError               any refusal; `code` is stable and `str()` is one clear line
├── ParameterError      a number or a name outside its domain (ε, padding, level, mechanism)
│   └── NameTaken       a name of a survey that another survey has
├── TaskError           a task text that is not a task
├── SeriesError         a text of a series that is not one
├── PairsError          a participant's pairs that do not fit the task
├── ReportError         a report that is not a report of the task; `code` says why
├── TallyError          bytes that are not a tally, or a tally of another task
├── UnknownKey          a key that a table of estimates does not have
├── DataError           a file with something wrong in it; the message names the place
├── OutputExists        an output that is already there
├── MissingExtra        an optional part that is not installed
├── StoreError          a database that cannot do what it was asked, now or at all
│   └── TaskGone        a task that was deleted
├── ClientError         a report that was not made or not taken; `code` says why
└── AuditFailure        a mechanism that fails a check of its guarantee
"""

from __future__ import annotations

import importlib
from typing import Any


class PckvError(Exception):
    """Any refusal of the product: one clear line and a stable code.

    Args:
        message: What was refused, where and why.
        code: A code more specific than that of the class.

    Attributes:
        code: What programs tell refusals apart by; it never changes.
    """

    code: str = "error"

    def __init__(self, *message: object, code: str | None = None) -> None:
        super().__init__(*message)
        if code is not None:
            self.code = code


class ParameterError(PckvError, ValueError):
    """A number or a name outside its domain."""

    code = "bad_parameter"


class NameTaken(ParameterError):
    """A name of a survey that another survey has, as participants' devices compare names."""

    code = "name_taken"


class TaskError(PckvError, ValueError):
    """A task text that is not canonical, has unknown members, or contradicts itself."""

    code = "bad_task"


class SeriesError(PckvError, ValueError):
    """A text of a series that is not canonical, has unknown members, or contradicts itself."""

    code = "bad_series"


class PairsError(PckvError, ValueError):
    """A participant's pairs that do not fit the task; nothing was perturbed."""

    code = "bad_pairs"


class ReportError(PckvError, ValueError):
    """A report that is not a report of the task.

    Its code is `bad_id`, `bad_encoding`, `wrong_length` or `out_of_range`.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class TallyError(PckvError, ValueError):
    """Bytes that are not a tally of the task, or tallies that cannot be merged."""

    code = "bad_tally"


class UnknownKey(PckvError, KeyError):
    """A key that a table of estimates does not have."""

    code = "no_such_key"

    def __str__(self) -> str:
        # That of a KeyError would be in quotation marks.
        return str(self.args[0])


class DataError(PckvError, ValueError):
    """A file with something wrong in it; the message names file, row, key or field.

    `reason` is the message without `place`, which is None where an error has no place of its own.
    """

    code = "bad_data"

    def __init__(self, reason: str, *, place: object = None, code: str | None = None) -> None:
        super().__init__(reason if place is None else f"{place}: {reason}", code=code)
        self.reason = reason
        self.place = None if place is None else str(place)


class OutputExists(PckvError):
    """An output that is already there and was not asked to be replaced."""

    code = "output_exists"


class MissingExtra(PckvError, ImportError):
    """An optional part of the product that is not installed."""

    code = "missing_extra"


class StoreError(PckvError):
    """A database that cannot do what it was asked; nothing was changed."""

    code = "store_unavailable"


class TaskGone(StoreError):
    """A task that was deleted: its id is not taken up again."""

    code = "task_gone"


class ClientError(PckvError):
    """A report that was not made, or that the collector did not take.

    Its code is `wrong_task`, `wrong_series`, `series`, `answered`, `not_due`, `over_budget`, `not_accepted` (by the
    mixer of the task), `not_sent` or `refused`; or, if the collector would take no report, what it says: `closed`,
    `not_open`, `unknown`, `deleted`, `invitation_unknown` or `invitation_spent`.
    """

    code = "client_error"

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class AuditFailure(PckvError, AssertionError):
    """A mechanism that fails a check of its guarantee; the message names the check."""

    code = "audit_failure"


def first_line(error: Exception) -> str:
    """Return the first line of an error's message, or the error's type if it has no message.

    >>> first_line(ValueError("out of reach\\nby far"))
    'out of reach'
    """
    return (str(error).splitlines() or [type(error).__name__])[0]


def require(module: str, *, extra: str) -> Any:
    """Import an optional module, or say in one line which extra brings it.

    >>> require("json", extra="files").__name__
    'json'
    >>> require("no_such_module", extra="files")
    Traceback (most recent call last):
        ...
    pckv.base.errors.MissingExtra: this needs 'no_such_module': pip install 'pckv[files]'
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise MissingExtra(f"this needs '{module}': pip install 'pckv[{extra}]'") from error
