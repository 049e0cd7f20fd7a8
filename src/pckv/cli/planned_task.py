"""What a plan is for, as the options of `plan` say it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import click

from pckv.files.outputs import check_free
from pckv.task_members import checked_range


class WantedTask(NamedTuple):
    """What a plan is for: the keys, and the range of values where one is given."""

    keys: tuple[str, ...] | int | str
    values: tuple[str, str] | None

    @property
    def planned_keys(self) -> int | str:
        """The keys as a plan takes them: how many there are, or that they are hashed."""
        return len(self.keys) if isinstance(self.keys, tuple) else self.keys

    @property
    def ends(self) -> tuple[float, float] | None:
        """The range of values as numbers."""
        return None if self.values is None else (float(self.values[0]), float(self.values[1]))


def read_wanted_task(
    keys: tuple[str, ...] | int | str,
    low: str | None,
    high: str | None,
    out: Path | None,
    name: str | None,
    *,
    force: bool,
) -> WantedTask:
    """Read the range; refuse what cannot be written as a task before anything is computed."""
    if (low is None) != (high is None):
        raise click.UsageError("give both --low and --high, or none of them")
    if out is not None:
        if name is None or low is None:
            raise click.UsageError("--out writes a task: give --name, --low and --high, too")
        check_free(out, force=force)
    return WantedTask(keys, None if low is None or high is None else checked_range((low, high)))
