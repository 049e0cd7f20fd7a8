"""Options that several commands share, and hints on what an option can do about an error."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import click

from pckv.base.canonical import is_typed_decimal
from pckv.base.errors import PckvError

FilePath = click.Path(path_type=Path)


class TypedNumber(click.types.FloatParamType):
    """A number as people type it; Python alone would take "1_0" for ten."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or fail as click does for what is none."""
        number = super().convert(value, param, ctx)
        if isinstance(value, str) and math.isfinite(number) and not is_typed_decimal(value):
            self.fail(f"{value!r} is not a number in plain digits, such as 0.5.", param, ctx)
        return number


NUMBER = TypedNumber()
# Standard input or standard output in place of a file.
STREAM = Path("-")

Command = Callable[..., None]


def with_options(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Return a decorator that gives a command some options, in this order."""
    return lambda command: reduce(lambda wrapped, option: option(wrapped), reversed(options), command)


task_option = click.option("--task", "task_file", type=FilePath, required=True, help="The task's JSON file.")
force_option = click.option("--force", is_flag=True, help="Replace outputs that exist.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")

# The library names no options: what an option can do about an error is said here, by the error's code.
HINTS = {
    "output_exists": ": use --force to replace it",
    "unknown_key": " (pckv task new --other makes a task that counts such keys)",
    "value_outside_range": " (--clip moves it to the nearest end)",
    "value_between_levels": " (--clip moves it to the nearest level)",
    "repeated_key": " (--repeated last or mean)",
    "dedupe_cannot_resume": ": leave out --dedupe or --resume",
    "batch_too_small": " (--at-least)",
    "dedupe_without_ids": ": leave out --dedupe",
    "over_budget": " (pckv ledger shows what was spent, --cap changes the cap)",
    "no_administrator_token": ", or name a --token-file to write one to",
    "missing_data": ": name their folder with --data, or ask for other figures by name",
    "figures_left_out": ": name their folder with --data",
}


def error_line(error: PckvError) -> str:
    """Return an error's message, with a hint at an option that can help."""
    return f"{error}{HINTS.get(error.code, '')}"
