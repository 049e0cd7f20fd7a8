"""Another process at another time: it runs checks of sources, and prints a digest of what each saw.

Run as `python -m support.elsewhere FOLDER CHECKS FAULT`, where FAULT is a planted one, as JSON, or null.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

from support.parts import SUPPORT

# A file of the product, and texts of it that are replaced.
Replaced = tuple[str, Mapping[str, str]]
YEARS_LATER = 20 * 365 * 86_400
CLOCKS = ("time", "monotonic", "perf_counter")
MODULES = ("audit.sources", "audit.client_sources")


class AnyTime(type):
    """The kind of a class whose instances are all times."""

    def __instancecheck__(cls, value: object) -> bool:
        """Return whether a value is a time."""
        return isinstance(value, dt.datetime)


class LaterTime(dt.datetime, metaclass=AnyTime):
    """The time of a clock that is years ahead."""

    @classmethod
    def now(cls, tz: dt.tzinfo | None = None) -> Self:
        """Return the later time."""
        return super().now(tz) + dt.timedelta(seconds=YEARS_LATER)


def shift_clocks() -> None:
    """Let all clocks be years ahead, for modules that are imported from now on."""
    for name in CLOCKS:
        setattr(time, name, _later(getattr(time, name), YEARS_LATER))
        setattr(time, f"{name}_ns", _later(getattr(time, f"{name}_ns"), YEARS_LATER * 10**9))


def shift_dates() -> None:
    """The same of dates, for modules of the product alone: compiled packages rely on the layout of the class."""
    later = SimpleNamespace(**vars(dt) | {"datetime": LaterTime})
    for name, module in [*sys.modules.items()]:
        if name.startswith("pckv.") and vars(module).get("dt") is dt:
            vars(module)["dt"] = later


def _later(clock: Callable[[], Any], shift: int) -> Callable[[], Any]:
    return lambda: clock() + shift


def digests(folder: Path, names: Sequence[str]) -> dict[str, str]:
    """Return a digest of what each check saw."""
    modules = [import_module(name) for name in MODULES]
    checks = {name: next(vars(module)[name] for module in modules if name in vars(module)) for name in names}
    return {name: hashlib.sha256(repr(check(folder)).encode()).hexdigest() for name, check in checks.items()}


def digests_elsewhere(folder: Path, names: Sequence[str], fault: Replaced | None) -> dict[str, str]:
    """Return the same from another process, at another time, with other hashes of texts."""
    place = folder / "elsewhere"
    place.mkdir(exist_ok=True)
    arguments = [str(place), ",".join(names), json.dumps(fault)]
    paths = os.pathsep.join([str(SUPPORT.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-m", "support.elsewhere", *arguments],
        env=os.environ | {"PYTHONHASHSEED": "7", "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


def _main(folder: str, names: str, fault: str) -> None:
    shift_clocks()
    for name in MODULES:
        import_module(name)
    shift_dates()
    if (planted := json.loads(fault)) is not None:
        pytest, faults = import_module("pytest"), import_module("support.faults")
        faults.in_source(*planted)(pytest.MonkeyPatch())
    sys.stdout.write(json.dumps(digests(Path(folder), names.split(","))))


if __name__ == "__main__":
    _main(*sys.argv[1:])
