"""The caps of a state folder: the most that its surveys may spend, as they were given last."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import NamedTuple

from pckv.base.canonical import decimal_text, dump, is_decimal_text
from pckv.base.errors import ParameterError
from pckv.base.limits import Numeric, check_count
from pckv.client.folder import StateFolder

# What a device spends in all, unless a cap is given: towards recipients, and whatever fails.
DEFAULT_CAP, DEFAULT_LOCAL_CAP = Decimal(10), Decimal(40)
CAP_NAME, CAP_PER_PERIOD_NAME, LOCAL_CAP_NAME = "cap", "cap_per_period", "local_cap"
MAX_CAP_DAYS = 36_525


class PeriodCap(NamedTuple):
    """The most ε, `epsilon`, in any `days` in a row."""

    epsilon: Decimal
    days: int

    def to_json(self) -> str:
        """Return the text that is stored."""
        return dump({"days": self.days, "epsilon": f"{self.epsilon:f}"})


class Caps:
    """The caps that were given: the most ε towards recipients, in all and in a number of days, and whatever fails.

    A cap that is None is the one that the folder remembers, or else the default in all, and none per period.
    """

    def __init__(
        self,
        folder: StateFolder,
        cap: Numeric | None = None,
        cap_per_period: tuple[Numeric, int] | None = None,
        local_cap: Numeric | None = None,
    ) -> None:
        self._folder = folder
        self._given = None if cap is None else _checked_epsilon(cap, "the cap")
        self._given_local = None if local_cap is None else _checked_epsilon(local_cap, "the local cap")
        self._given_per_period = None if cap_per_period is None else _checked_period_cap(cap_per_period)

    @property
    def in_all(self) -> Decimal:
        """The most ε that all surveys may spend together towards recipients."""
        return self._total(self._given, CAP_NAME, DEFAULT_CAP)

    @property
    def local(self) -> Decimal:
        """The most ε that all reports may have together, each by itself."""
        return self._total(self._given_local, LOCAL_CAP_NAME, DEFAULT_LOCAL_CAP)

    def _total(self, given: Decimal | None, name: str, default: Decimal) -> Decimal:
        if given is not None:
            return given
        text = self._folder.get(name)
        if text is None:
            return default
        if not is_decimal_text(text):
            raise self._folder.damage_error(name, "not a cap")
        return Decimal(text)

    @property
    def per_period(self) -> PeriodCap | None:
        """The most ε of all surveys towards recipients in a number of days; None if only the total counts."""
        if self._given_per_period is not None:
            return self._given_per_period
        text = self._folder.get(CAP_PER_PERIOD_NAME)
        if text is None:
            return None
        try:
            members = json.loads(text)
            return _checked_period_cap((members["epsilon"], members["days"]))
        except (KeyError, TypeError, ValueError):
            raise self._folder.damage_error(CAP_PER_PERIOD_NAME, "not a cap") from None

    def remember(self) -> None:
        """Store the caps that were given, if any were."""
        if self._given is not None:
            self._store(CAP_NAME, f"{self._given:f}")
        if self._given_local is not None:
            self._store(LOCAL_CAP_NAME, f"{self._given_local:f}")
        if self._given_per_period is not None:
            self._store(CAP_PER_PERIOD_NAME, self._given_per_period.to_json())

    def _store(self, name: str, text: str) -> None:
        if text != self._folder.get(name):
            with self._folder.locked():
                self._folder.put(name, text, replace=True)


def _checked_epsilon(epsilon: Numeric, what: str) -> Decimal:
    checked = Decimal(decimal_text(epsilon, what))
    if checked < 0:
        raise ParameterError(f"{what} must not be below 0: {epsilon}")
    return checked


def _checked_period_cap(given: tuple[Numeric, int]) -> PeriodCap:
    try:
        epsilon, days = given
    except (TypeError, ValueError):
        raise ParameterError(f"the cap per period must be an ε and a number of days, not {given!r}") from None
    return PeriodCap(
        _checked_epsilon(epsilon, "the cap per period"),
        check_count(days, "the days of the cap per period", MAX_CAP_DAYS),
    )
