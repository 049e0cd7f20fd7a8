"""Quantiles and shares that were asked for besides the estimates: further columns of their table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pckv.arrays import Floats, Integers
from pckv.estimators.distributions import MAX_DIGITS, Distributions, level_names
from pckv.texts import Ranged, ranged

QUANTILE, ABOVE, BELOW = "quantile", "above", "below"
# What rows of JSON call the answers to each question.
MEMBERS = {QUANTILE: "quantiles", ABOVE: "above", BELOW: "below"}


class Asked(NamedTuple):
    """One question of every key, and its answers with intervals.

    Attributes:
        question: `quantile`, `above` or `below`.
        at: The share whose quantile was asked for, or the value above or below which shares were.
        answer: One number per key, with its interval `low` to `high`.
    """

    question: str
    at: float
    answer: Floats
    low: Floats
    high: Floats

    @property
    def member(self) -> str:
        """What rows of JSON call the answers."""
        return MEMBERS[self.question]

    @property
    def title(self) -> str:
        """What tables for people call the answers."""
        return f"{self.question} {level_names([self.at], MAX_DIGITS)[0]}"

    def take(self, rows: Integers) -> Asked:
        """Return the answers of some keys."""
        return self._replace(answer=self.answer[rows], low=self.low[rows], high=self.high[rows])

    def columns(self) -> dict[str, list[float]]:
        """Return the answers as plain lists, one per column."""
        name = self.title.replace(" ", "_")
        return {
            name: self.answer.tolist(),
            f"{name}_low": self.low.tolist(),
            f"{name}_high": self.high.tolist(),
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return the answers of every key as plain values."""
        at, answer = ("p", "value") if self.question == QUANTILE else ("value", "share")
        return [
            {at: self.at, answer: found, "low": low, "high": high}
            for found, low, high in zip(*self.columns().values(), strict=True)
        ]

    def cells(self, names: Mapping[float, str]) -> list[Ranged]:
        """Return what tables for people say of every key: the answer with its interval.

        Args:
            names: What tables call each level, by its value.
        """
        rows = zip(*self.columns().values(), strict=True)
        if self.question == QUANTILE:
            return [_quantile_cell(value, low, high, names) for value, low, high in rows]
        return [ranged(100 * share, 100 * low, 100 * high, " %") for share, low, high in rows]


def _quantile_cell(value: float, low: float, high: float, names: Mapping[float, str]) -> Ranged:
    """Return a quantile in words; the ends of its interval are levels, and so is the value where values are."""
    least, most = names[low], names[high]
    shown = names.get(value, ranged(value, low, high).value)
    return Ranged(shown, f"only {most}" if least == most else f"{least} – {most}", f"at most {most}")


def ask(
    distributions: Distributions, quantiles: Sequence[float], above: Sequence[float], below: Sequence[float]
) -> tuple[Asked, ...]:
    """Return the answers to questions, each question once."""
    questions = (
        (QUANTILE, quantiles, distributions.quantile),
        (ABOVE, above, distributions.share_above),
        (BELOW, below, distributions.share_below),
    )
    return tuple(
        Asked(question, float(at), *answer(at))
        for question, asked, answer in questions
        for at in dict.fromkeys(asked)
    )
