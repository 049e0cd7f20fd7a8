"""How the holders of keys are spread over the levels of their values: shares, deviation, quantiles.

The part of estimates that only tasks with more than two levels have, and the quantiles and shares that were
asked for besides: further columns of their table.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, wraps
from numbers import Real
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

import numpy as np

from pckv.base.arrays import Floats, Integers
from pckv.base.errors import ParameterError
from pckv.base.levels import listed
from pckv.base.words import Ranged, ranged

Given = ParamSpec("Given")
Answer = TypeVar("Answer")

# Names of levels have this many significant digits, or all where these are too few to tell levels apart.
NAME_DIGITS, MAX_DIGITS = 12, 17
DEVIATIONS = ("deviation", "deviation_low", "deviation_high")


class LevelShare(NamedTuple):
    """The share of a key's holders at one level, with its interval.

    Attributes:
        value: What the level is worth, in the task's own units.
        share: The share of the holders at this level, with its interval `low` to `high`.
        at_most_low: The least share of the holders that may be at this level or below it, and `at_most_high`
            the largest.
    """

    value: float
    share: float
    low: float
    high: float
    at_most_low: float
    at_most_high: float


class Quantiles(NamedTuple):
    """A quantile of the values of every key, with its interval, in the task's own units."""

    value: Floats
    low: Floats
    high: Floats


class Shares(NamedTuple):
    """A share of the holders of every key, with its interval."""

    share: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False)
class Distributions:
    """How the holders of every key are spread over the levels; nothing where a task has two levels.

    Attributes:
        values: What each level is worth, in the task's own units; empty where there are two, which tell the
            mean alone.
        exact: Whether values are levels. Otherwise values between two levels are counted at both, by their
            distance.
        shares: The share of the holders at every level, a row per key; `deviation` is the standard deviation of
            their values.
        at_most_low: The least share of the holders that may be at a level or below it, and `at_most_high` the
            largest.
    """

    values: tuple[float, ...]
    exact: bool
    shares: Floats
    shares_low: Floats
    shares_high: Floats
    at_most_low: Floats
    at_most_high: Floats
    deviation: Floats
    deviation_low: Floats
    deviation_high: Floats

    @classmethod
    def none(cls, keys: int) -> Distributions:
        """Return those of a task whose levels tell the mean alone."""
        by_level = ("shares", "shares_low", "shares_high", "at_most_low", "at_most_high")
        empty = dict.fromkeys(by_level, np.zeros((keys, 0))) | dict.fromkeys(DEVIATIONS, np.zeros(0))
        return cls(values=(), exact=False, **empty)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What columns call the levels: their values."""
        names = level_names(self.values, NAME_DIGITS)
        return names if len(set(names)) == len(names) else level_names(self.values, MAX_DIGITS)

    @property
    def at_most(self) -> Floats:
        """The share of the holders at each level or below it, one row per key."""
        sums = np.cumsum(self.shares, axis=1)
        sums[:, -1:] = 1.0
        return np.minimum(sums, 1.0)

    def take(self, rows: Integers) -> Distributions:
        """Return those of some keys."""
        if not self.values:
            return Distributions.none(len(rows))
        arrays = {field.name: getattr(self, field.name) for field in fields(self)[2:]}
        return replace(self, **{name: array[rows] for name, array in arrays.items()})

    def joined(self, other: Distributions) -> Distributions:
        """Return those of the keys of both, one after the other."""
        arrays: dict[str, Any] = {
            field.name: np.concatenate([getattr(each, field.name) for each in (self, other)])
            for field in fields(self)[2:]
        }
        return replace(self, **arrays)

    def quantile(self, p: float) -> Quantiles:
        """Return a quantile of every key's values: the least that this share of the holders do not exceed.

        It has an interval, and is in the task's own units. Where the task refuses values between its levels, it is
        a level. Otherwise values between two levels are taken to be spread evenly there, and the interval holds
        however they are spread.

        Args:
            p: The share, such as 0.5 for the median.

        Raises:
            ParameterError: if the share is not between 0 and 1, or the task has two levels.
        """
        # At least the share of the levels below a level is at most its value, and at most that of the levels up
        # to it.
        self._require_levels()
        if not (_is_number(p) and 0 < p < 1):
            raise ParameterError(f"a quantile must be between 0 and 1, not {p!r}")
        values, at_most = np.array(self.values), self.at_most
        if self.exact:
            limits = (at_most, self.at_most_high, self.at_most_low)
            return Quantiles(*(values[_first_reaching(limit, p)] for limit in limits))
        below_low = np.hstack([np.zeros((len(at_most), 1)), self.at_most_low[:, :-1]])
        not_reached = (self.at_most_high < p).sum(axis=1)
        return Quantiles(
            self._interpolated(at_most, p),
            values[np.maximum(not_reached - 1, 0)],
            values[_first_reaching(below_low, p)],
        )

    def _interpolated(self, at_most: Floats, probability: float) -> Floats:
        """Return where a distribution function, linear between its values at the levels, reaches a share.

        What is counted at a level comes from values on both sides of it: as much from each as the distance to
        the next level there.
        """
        values = np.array(self.values)
        gaps = np.diff(values)
        below = np.hstack([np.zeros((len(at_most), 1)), at_most[:, :-1]])
        from_below = np.concatenate([[0.0], gaps[:-1] / (gaps[:-1] + gaps[1:]), [1.0]])
        reached = below + (at_most - below) * from_below
        next_level = np.maximum(_first_reaching(reached, probability), 1)
        rows = np.arange(len(at_most))
        start, end = reached[rows, next_level - 1], reached[rows, next_level]
        part = np.divide(probability - start, end - start, out=np.ones_like(start), where=end > start)
        return np.asarray(values[next_level - 1] + np.clip(part, 0, 1) * gaps[next_level - 1])

    def share_above(self, value: float) -> Shares:
        """Return the share of every key's holders at levels above a value, with its interval.

        The `value` is a level, or any of the range where the task refuses values between its levels. Any other
        one, or a task with two levels, is a `ParameterError`.
        """
        share, low, high = self._at_most(bisect_right(self.values, self._checked_value(value)))
        return Shares(1 - share, 1 - high, 1 - low)

    def share_below(self, value: float) -> Shares:
        """Return the share of every key's holders at levels below a value, with its interval.

        The `value` is a level, or any of the range where the task refuses values between its levels. Any other
        one, or a task with two levels, is a `ParameterError`.
        """
        return self._at_most(bisect_left(self.values, self._checked_value(value)))

    def _checked_value(self, value: float) -> float:
        """Return a value if it is known how many holders are on each side of it."""
        self._require_levels()
        if not (_is_number(value) and self.values[0] <= value <= self.values[-1]):
            raise ParameterError(f"value {value!r} is not within [{self.values[0]:.12g}, {self.values[-1]:.12g}]")
        if not self.exact and value not in self.values:
            raise ParameterError(
                f"value {value!r} is between two levels, where values were rounded: choose from {listed(self.values)}"
            )
        return value

    def _at_most(self, levels: int) -> Shares:
        """Return the share of the holders at this number of the lowest levels."""
        if not levels:
            none = np.zeros(len(self.shares))
            return Shares(none, none, none)
        place = levels - 1
        return Shares(self.at_most[:, place], self.at_most_low[:, place], self.at_most_high[:, place])

    def _require_levels(self) -> None:
        if not self.values:
            raise ParameterError("only tasks with more than two levels tell how values are spread")

    def columns(self) -> dict[str, Floats]:
        """Return one array per column: deviations, and for every level its share and interval."""
        if not self.values:
            return {}
        columns = {name: getattr(self, name) for name in DEVIATIONS}
        for place, name in enumerate(self.names):
            for end in ("", "_low", "_high"):
                columns[f"share_{name}{end}"] = getattr(self, f"shares{end}")[:, place]
        return columns

    def rows(self) -> list[tuple[LevelShare, ...]]:
        """Return the shares of every key in plain numbers."""
        arrays = (self.shares, self.shares_low, self.shares_high, self.at_most_low, self.at_most_high)
        return [
            tuple(map(LevelShare, self.values, *columns))
            for columns in zip(*(array.tolist() for array in arrays), strict=True)
        ]


def level_names(values: Iterable[float], digits: int) -> tuple[str, ...]:
    """Return values as texts without powers of ten.

    >>> level_names((1.0, 2.5, 1e16), 12)
    ('1', '2.5', '10000000000000000')
    """
    return tuple(np.format_float_positional(float(f"{value:.{digits}g}"), trim="-") for value in values)


def _first_reaching(limits: Floats, probability: float) -> Integers:
    """Return the first level, per key, whose limit is not below a share; the last where none is."""
    return np.asarray(np.minimum((limits < probability).sum(axis=1), limits.shape[1] - 1))


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


class _OfDistributions:
    """A member of the distributions that is one of the estimates, too."""

    def __set_name__(self, _: type, name: str) -> None:
        self._name = name

    def __get__(self, table: ValueSpread | None, _: type) -> Any:
        return self if table is None else getattr(table.distributions, self._name)


def _of_distributions(
    method: Callable[Concatenate[Distributions, Given], Answer],
) -> Callable[Concatenate[ValueSpread, Given], Answer]:
    @wraps(method)
    def answer(table: ValueSpread, /, *given: Given.args, **named: Given.kwargs) -> Answer:
        return method(table.distributions, *given, **named)

    return answer


class ValueSpread:
    """The part of a table of estimates that knows the shares of levels; empty where the task has two.

    Attributes:
        shares: The share of the holders at every level, one row per key, with intervals `shares_low` to
            `shares_high`.
        deviation: The standard deviation of the values of every key, with its interval `deviation_low` to
            `deviation_high`. Values that were rounded to levels at random vary more than they did before; the
            lower limits allow for that.
    """

    distributions: Distributions
    shares = _OfDistributions()
    shares_low = _OfDistributions()
    shares_high = _OfDistributions()
    deviation = _OfDistributions()
    deviation_low = _OfDistributions()
    deviation_high = _OfDistributions()

    @property
    def level_values(self) -> tuple[float, ...]:
        """What each level is worth, in the task's own units; empty where there are two."""
        return self.distributions.values

    quantile = _of_distributions(Distributions.quantile)
    share_above = _of_distributions(Distributions.share_above)
    share_below = _of_distributions(Distributions.share_below)


QUANTILE, ABOVE, BELOW = "quantile", "above", "below"
# What rows of JSON call the answers to each question.
MEMBERS = {QUANTILE: "quantiles", ABOVE: "above", BELOW: "below"}


class Asked(NamedTuple):
    """A question of every key, `quantile`, `above` or `below` (a share or a value), and its answers.

    They may be `interpolated` between levels.
    """

    question: str
    at: float
    answer: Floats
    low: Floats
    high: Floats
    interpolated: bool = False

    @property
    def member(self) -> str:
        """What rows of JSON call the answers."""
        return MEMBERS[self.question]

    @property
    def title(self) -> str:
        """What columns and charts call the answers."""
        return f"{self.question} {level_names([self.at], MAX_DIGITS)[0]}"

    @property
    def header(self) -> str:
        """What stands above the answers in tables for people."""
        return f"{self.title}, interpolated" if self.interpolated else self.title

    def take(self, rows: Integers) -> Asked:
        """Return the answers of some keys."""
        return self._replace(answer=self.answer[rows], low=self.low[rows], high=self.high[rows])

    def columns(self) -> dict[str, Floats]:
        """Return the answers, one array per column."""
        name = self.title.replace(" ", "_")
        return {name: self.answer, f"{name}_low": self.low, f"{name}_high": self.high}

    def _numbers(self) -> Iterator[tuple[float, float, float]]:
        """Yield the answer to every key and its interval, in plain numbers."""
        return zip(self.answer.tolist(), self.low.tolist(), self.high.tolist(), strict=True)

    def rows(self) -> list[dict[str, Any]]:
        """Return the answers of every key as plain values."""
        at, answer = ("p", "value") if self.question == QUANTILE else ("value", "share")
        return [{at: self.at, answer: found, "low": low, "high": high} for found, low, high in self._numbers()]

    def cells(self, names: Mapping[float, str]) -> list[Ranged]:
        """Return what tables for people, which name levels so, say of every key."""
        if self.question == QUANTILE:
            return [_quantile_cell(*numbers, names) for numbers in self._numbers()]
        return [ranged(100 * share, 100 * low, 100 * high, " %") for share, low, high in self._numbers()]


def _quantile_cell(value: float, low: float, high: float, names: Mapping[float, str]) -> Ranged:
    """Return a quantile in words; its interval's ends are levels, and so is the value where values are."""
    least, most = names[low], names[high]
    shown = names.get(value, ranged(value, low, high).value)
    return Ranged(shown, f"only {most}" if least == most else f"{least} to {most}", f"at most {most}")


def ask(
    distributions: Distributions, quantiles: Sequence[float], above: Sequence[float], below: Sequence[float]
) -> tuple[Asked, ...]:
    """Return the answers to questions, each question once."""
    questions = (
        (QUANTILE, quantiles, distributions.quantile),
        (ABOVE, above, distributions.share_above),
        (BELOW, below, distributions.share_below),
    )
    found = (Asked(name, float(at), *answer(at)) for name, asked, answer in questions for at in dict.fromkeys(asked))
    return tuple(each._replace(interpolated=each.question == QUANTILE and not distributions.exact) for each in found)
