"""The server half: exact counts of a set of reports of one task."""

from __future__ import annotations

from pckv.tally.tally import Tally

__all__ = ["Tally"]
