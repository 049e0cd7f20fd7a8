"""What every experiment is given, and how requirements are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple


@dataclass(frozen=True)
class ExperimentSettings:
    """The options of a run.

    Attributes:
        data: The folder with the rating sets.
        out: The folder that documents are written to.
        repeats: The number of repeats, or None for the experiment's own.
        parts: The populations or objectives to run, or () for all.
    """

    data: Path
    out: Path
    repeats: int | None = None
    parts: tuple[str, ...] = ()


class Requirement(NamedTuple):
    """What must hold, what was measured, and whether it does."""

    what: str
    bar: str
    measured: str
    holds: bool


def requirements_table(requirements: Sequence[Requirement]) -> str:
    """Return a Markdown table with a row per requirement."""
    rows = (
        f"| {what} | {bar} | {measured} | {'holds' if holds else '**missed**'} |\n"
        for what, bar, measured, holds in requirements
    )
    return "| what | must be | measured | |\n|---|---|---|---|\n" + "".join(rows)


def show_requirements(requirements: Sequence[Requirement]) -> bool:
    """Print a line per requirement; return whether all hold."""
    for requirement in requirements:
        verdict = "met   " if requirement.holds else "MISSED"
        print(f"{verdict} {requirement.what}: {requirement.measured} ({requirement.bar})")
    return all(requirement.holds for requirement in requirements)
