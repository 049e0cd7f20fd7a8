"""What a device does about a series, as its caller reads it."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from pckv.base.errors import ParameterError


class RoundStatus(StrEnum):
    """What a device does about a series.

    Attributes:
        SENT: The collector has the report of the round.
        WAITING: The report is stored, and will be sent.
        REFUSED: The collector does not take the report; if it said so before the report was made, nothing is spent.
        NOT_DUE: The device reports in a later round.
        DELAYED: The device reports later in this round.
        UNREACHABLE: The collector did not answer, and nothing was perturbed.
        NOT_STARTED: The first round is still to come.
        OVER: The device has no more rounds.
    """

    SENT = "sent"
    WAITING = "waiting"
    REFUSED = "refused"
    NOT_DUE = "not_due"
    DELAYED = "delayed"
    UNREACHABLE = "unreachable"
    NOT_STARTED = "not_started"
    OVER = "over"


@dataclass(frozen=True)
class RoundReceipt:
    """What a call did about a series.

    Attributes:
        series: The id of the series.
        status: The state of the report, or why there is none.
        round: The round of the report, or of the device's next one; None if there is none, or none is known.
        due: From when on the device reports in that round, in UTC.
        epsilon: The ε that the report of that round has spent; 0 if there is none yet.
        perturbed: Whether this very call perturbed: if not, the pairs that it was given were not used.
        reason: Why a report waits, was refused or was not made.
    """

    series: str
    status: RoundStatus
    round: int | None = None
    due: dt.datetime | None = None
    epsilon: Decimal = Decimal(0)
    perturbed: bool = False
    reason: str = ""


def check_spread(spread: float) -> None:
    """Refuse a share of a round that is not within 0 and 1."""
    is_number = isinstance(spread, int | float) and not isinstance(spread, bool)
    if not is_number or not math.isfinite(spread) or not 0 <= spread <= 1:
        raise ParameterError(f"spread must be a number within [0, 1], not {spread!r}")
