"""Options of discoveries: what `task new` and `plan` share."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import reduce
from typing import Any

import click
from click.core import ParameterSource

from pckv.prefix_tree import DEFAULT_CHARACTERS

# What only a discovery has.
TREE_OPTIONS = ("characters", "alphabet", "groups")
OPTIONS = (
    click.option(
        "--discover",
        is_flag=True,
        help="Instead of keys: find the texts that many people hold, and nobody lists (pckv discover).",
    ),
    click.option(
        "--characters",
        type=int,
        help=f"With --discover: how many characters of a text are found at most. [default: {DEFAULT_CHARACTERS}]",
    ),
    click.option(
        "--alphabet",
        help="With --discover: the characters that texts consist of; texts with others are not found. "
        "[default: a-z, 0-9 and most punctuation]",
    ),
    click.option(
        "--groups",
        type=int,
        help="With --discover: how many groups of devices report prefixes of different lengths. [default: one per character]",
    ),
)


def discovery_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of discoveries."""
    return reduce(lambda wrapped, option: option(wrapped), reversed(OPTIONS), command)


def read_discovery_options(options: dict[str, Any], allowed: Collection[str]) -> dict[str, Any] | None:
    """Return what was given of a discovery; None where none is wanted.

    Args:
        options: All options of the command; those of discoveries are taken out.
        allowed: The other options that a discovery may have. Any other one is refused.
    """
    wanted = options.pop("discover")
    given = {name: options.pop(name) for name in TREE_OPTIONS}
    tree = {name: value for name, value in given.items() if value is not None}
    if not wanted and tree:
        raise click.UsageError(f"--{next(iter(tree))} is for --discover")
    if not wanted:
        return None
    context = click.get_current_context()
    for parameter in context.command.params:
        typed = context.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE
        if typed and parameter.name not in {*allowed, *TREE_OPTIONS, "discover"}:
            raise click.UsageError(f"{parameter.opts[0]} is not for --discover")
    return tree
