"""The state folder of a participant, and the cap that it remembers: what several commands share."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from pckv.cli.common import FilePath
from pckv.client.caps import DEFAULT_CAP

state_option = click.option(
    "--state",
    type=FilePath,
    metavar="DIR",
    help="The folder that remembers what was sent. [default: pckv among this user's state files]",
)
cap_option = click.option(
    "--cap",
    metavar="E",
    help="From now on, refuse if all surveys together would spend more than this ε. "
    f"[default: the one given last, or {DEFAULT_CAP:f}]",
)
cap_per_period_option = click.option(
    "--cap-per-period",
    nargs=2,
    type=(str, int),
    metavar="E DAYS",
    help="From now on, refuse if all surveys together would spend more than this ε in as many days. "
    "[default: the one given last, or none]",
)


def default_state() -> Path:
    """Return where programs of this user keep their state."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "pckv"
    # The specification has relative paths ignored.
    given = Path(os.environ.get("XDG_STATE_HOME", ""))
    return (given if given.is_absolute() else Path.home() / ".local" / "state") / "pckv"
