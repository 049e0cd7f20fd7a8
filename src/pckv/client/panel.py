"""The panel of a device in a series: drawn once, from the system's randomness, and stored before use.

Nothing about the device or its data enters: when it reports tells nothing (proofs/rounds.md).
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
from typing import NamedTuple

from pckv.base.canonical import base64url, dump, from_base64url
from pckv.base.randomness import Tape
from pckv.client.folder import StateFolder
from pckv.contract.series import Series

PANEL_SUFFIX = ".panel"
VERSION = 1
SECRET_BYTES = 16
DELAY_BITS = 64
_DELAY_LABEL = b"pckv delay"
SECONDS_PER_DAY = 86_400


class Panel(NamedTuple):
    """Which rounds a device reports in, and the secret that its delays are drawn from."""

    number: int
    secret: bytes

    def to_json(self) -> str:
        """Return the text that is stored."""
        return dump({"panel": self.number, "secret": base64url(self.secret), "version": VERSION})

    @classmethod
    def from_json(cls, text: str, panels: int) -> Panel:
        """Read a stored text; an invalid one is a `ValueError`, `KeyError` or `TypeError`."""
        members = json.loads(text)
        number, secret = members["panel"], from_base64url(members["secret"])
        valid = type(number) is int and 0 <= number < panels and len(secret) == SECRET_BYTES
        if members["version"] != VERSION or not valid:
            raise ValueError("not a panel")
        return cls(number, secret)

    def due(self, series: Series, number: int, spread: float) -> dt.datetime:
        """Return when a round's report is due: at its start, or within the first `spread` share of it."""
        digest = hashlib.sha256(_DELAY_LABEL + self.secret + number.to_bytes(8, "big")).digest()
        uniform = int.from_bytes(digest[: DELAY_BITS // 8], "big")
        seconds = uniform * int(spread * (series.period * SECONDS_PER_DAY)) >> DELAY_BITS
        opens = dt.datetime.fromisoformat(series.opens(number)).replace(tzinfo=dt.UTC)
        return opens + dt.timedelta(seconds=seconds)


def find_panel(folder: StateFolder, series: Series) -> Panel:
    """Return the panel of a device in a series: the stored one, or else one that is drawn and stored now.

    Where two processes draw, the first one's panel is stored, and both use it.
    """
    name = series.id + PANEL_SUFFIX
    text = folder.get(name)
    if text is None:
        with folder.locked():
            folder.put(name, _draw(series.panels).to_json())
        text = folder.get(name) or ""
    try:
        return Panel.from_json(text, series.panels)
    except (KeyError, TypeError, ValueError):
        raise folder.damage_error(name, "not a panel") from None


def _draw(panels: int) -> Panel:
    return Panel(Tape(1).below(panels), os.urandom(SECRET_BYTES))
