"""The system's randomness, recorded: repeatable bytes in its place, and which module asked for each of them.

Reports, panels and permutations are computed again from the recorded bytes alone. What is equal then came from them:
from no clock, process, hash or other generator; and since every byte is read once, no two uses share one.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import inspect
import os
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import FunctionType
from typing import Any, NamedTuple

import pytest

from pckv import Series
from pckv.base.errors import AuditFailure
from pckv.base.limits import REPORT_ID_BYTES
from pckv.base.randomness import DRAW_BYTES
from pckv.client.panel import SECONDS_PER_DAY, SECRET_BYTES

PACKAGE = "pckv."
# Modules with functions that have the system's randomness as a default.
HOLDERS = ("base.randomness", "device.vectorised", "mixing.store", "shuffling.permutation", "shuffling.shuffle")
# Tapes ask on behalf of what makes reports with them.
ON_BEHALF = ("pckv.base.randomness", "pckv.mechanisms.")


class GivenBlock(NamedTuple):
    """Bytes that were given at once, and the module that asked for them."""

    asker: str
    data: bytes


class Recorder:
    """Stands in for `os.urandom`: gives bytes that a seed repeats, and remembers them."""

    def __init__(self, seed: int) -> None:
        self._seed, self._given = seed, 0
        self.blocks: list[GivenBlock] = []

    def __call__(self, count: int) -> bytes:
        """Return that many bytes."""
        self._given += 1
        data = hashlib.shake_256(f"{self._seed} {self._given}".encode()).digest(count)
        self.blocks.append(GivenBlock(_asker(), data))
        return data

    def take(self, *askers: str) -> RecordedBytes:
        """Return what was given since the last call, all of which these modules must have asked for."""
        blocks, self.blocks = self.blocks, []
        if others := {block.asker for block in blocks} - set(askers):
            raise AuditFailure(f"sources: {sorted(others)} drew, not {list(askers)} alone")
        return RecordedBytes(b"".join(block.data for block in blocks))

    def leave_out(self, *askers: str) -> None:
        """Forget what was given to modules whose draws do not enter the output, such as names of temporary files."""
        self.blocks = [block for block in self.blocks if block.asker not in askers]


class RecordedBytes:
    """A source that gives what was recorded, in order, each byte once."""

    def __init__(self, data: bytes) -> None:
        self._data, self._position = data, 0

    def __call__(self, count: int) -> bytes:
        """Return the next bytes."""
        start, self._position = self._position, self._position + count
        if self._position > len(self._data):
            raise AuditFailure(f"sources: {self._position} bytes are needed, and {len(self._data)} were taken")
        return self._data[start : self._position]

    def check_used(self) -> None:
        """Refuse bytes that were taken from the system and not used."""
        if self._position != len(self._data):
            raise AuditFailure(f"sources: {len(self._data)} bytes were taken, and {self._position} are used")


def _asker() -> str:
    """Return the module of the product that asks for randomness now."""
    frame = sys._getframe(2)
    while frame.f_back is not None:
        module = str(frame.f_globals.get("__name__", ""))
        if module.startswith(PACKAGE) and not module.startswith(ON_BEHALF):
            return module.removeprefix(PACKAGE)
        frame = frame.f_back
    return "another package"


@contextmanager
def recording(seed: int) -> Iterator[Recorder]:
    """Let a recorder stand in for the system's randomness, wherever the product holds that since it was imported."""
    system, recorder = os.urandom, Recorder(seed)
    for name in HOLDERS:
        import_module(PACKAGE + name)

    def replaced(value: Any) -> Any:
        return recorder if value is system else value

    with pytest.MonkeyPatch.context() as patch:
        for function in _holders(system):
            if function.__defaults__:
                patch.setattr(function, "__defaults__", tuple(map(replaced, function.__defaults__)))
            if kept := function.__kwdefaults__:
                patch.setattr(function, "__kwdefaults__", {name: replaced(value) for name, value in kept.items()})
        patch.setattr(os, "urandom", recorder)
        # What `secrets` draws from.
        patch.setattr(random, "_urandom", recorder)
        yield recorder
    assert not _holders(recorder), "a module was imported meanwhile, and keeps the recorder"


def _holders(source: Callable[[int], bytes]) -> list[FunctionType]:
    """Return the functions and methods of the product that have a source as a default."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith(PACKAGE)]
    owners = [*modules, *(each for module in modules for each in vars(module).values() if isinstance(each, type))]
    members = (inspect.unwrap(member) for owner in owners for member in vars(owner).values() if callable(member))
    functions = {id(member): member for member in members if isinstance(member, FunctionType)}.values()
    return [
        function
        for function in functions
        if any(value is source for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()))
    ]


def first_turn(series: Series, given: RecordedBytes) -> tuple[int, dt.datetime]:
    """Return the first round of a device and when its report is due, at any time of the round, by the bytes it drew."""
    # A tape has the id of a report, which a panel has no use for.
    given(REPORT_ID_BYTES)
    panel, secret = int.from_bytes(given(DRAW_BYTES), "little") % series.panels, given(SECRET_BYTES)
    number = panel or series.panels
    digest = hashlib.sha256(b"pckv delay" + secret + number.to_bytes(8, "big")).digest()
    seconds = int.from_bytes(digest[:8], "big") * (series.period * SECONDS_PER_DAY) >> 64
    first = dt.datetime.fromisoformat(series.first).replace(tzinfo=dt.UTC)
    return number, first + dt.timedelta(days=series.period * (number - 1), seconds=seconds)
