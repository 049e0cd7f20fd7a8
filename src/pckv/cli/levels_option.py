"""The option that says which levels values are reported as."""

from __future__ import annotations

from typing import Any

import click

from pckv.canonical import is_typed_decimal
from pckv.limits import MAX_LEVELS, MIN_LEVELS

LEVELS_HELP = (
    f"How many levels values are reported as, from {MIN_LEVELS} to {MAX_LEVELS} at equal distances, or the value of each, "
    "as in 1,2,3,4,5. With more than two, the whole distribution of the values is estimated."
)


class LevelsType(click.ParamType[Any]):
    """A number of levels, or their values separated by commas."""

    name = "levels"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return a number, or a tuple of texts; whether a task can have such levels is for the library to say."""
        if not isinstance(value, str):
            return value
        parts = tuple(part.strip() for part in value.split(","))
        if not all(map(is_typed_decimal, parts)):
            self.fail(
                f"{value!r} is neither a number of levels nor their values, separated by commas.", param, ctx
            )
        if len(parts) > 1:
            return parts
        try:
            return int(value)
        except ValueError:
            self.fail(f"{value!r} is not a whole number of levels.", param, ctx)


LEVELS = LevelsType()
