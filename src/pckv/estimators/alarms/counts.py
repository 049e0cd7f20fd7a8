"""What else is known of honest reports: how many answer the size question, and how many bits `ue` sets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pckv.base.arrays import Bytes
from pckv.estimators.alarms.result import AlarmTest
from pckv.estimators.alarms.tails import binomial_bound
from pckv.mechanisms.size_question.law import SizeQuestion
from pckv.mechanisms.ue.law import UeLaw


def size_share_test(question: SizeQuestion, answers: int, reports: int) -> AlarmTest:
    """Test how many reports answer the size question: a public chance decides, before anybody's pairs are looked at."""
    share = question.asked / question.one
    seen = f"{answers:,} of {reports:,} reports answer the size question, where {reports * share:,.0f} are expected"
    return AlarmTest("size answers", seen, min(1.0, 2 * binomial_bound(answers, reports, share)))


@dataclass
class SetBits:
    """How many bits reports of `ue` set: all together, and the fewest and most in one report."""

    law: UeLaw
    reports: int = 0
    total: int = 0
    fewest: int = 0
    most: int = 0

    def add(self, messages: Bytes) -> None:
        """Count the bits of the presence planes of some reports."""
        if not len(messages):
            return
        presence = messages[:, : self.law.message_format.plane_bytes]
        bits = np.bitwise_count(presence).sum(axis=1, dtype=np.int64)
        self.fewest = min(int(bits.min()), self.fewest if self.reports else self.law.keys)
        self.most = max(int(bits.max()), self.most)
        self.reports += len(messages)
        self.total += int(bits.sum())

    def tests(self) -> Iterator[AlarmTest]:
        """Yield the tests of these numbers, whatever people hold.

        Every bit is set with the chance of a key that was not sampled, but for at most one per report.
        """
        keys, reports = self.law.keys, self.reports
        if not reports:
            return
        not_sampled = float(2 * self.law.unsampled.other)
        sampled = float(self.law.sampled.own + self.law.sampled.other)
        low, high = not_sampled, ((keys - 1) * not_sampled + sampled) / keys
        bits = f"{self.total / reports:,.4g} bits per report are set"
        expected = f"where {keys * low:,.4g} to {keys * high:,.4g} are expected"
        yield AlarmTest("bits", f"{bits}, {expected}", _outside(self.total, reports * keys, low, high, 2))
        for name, count in (("fewest bits", self.fewest), ("most bits", self.most)):
            seen = f"one report sets {count:,} of {keys:,} bits, {expected}"
            yield AlarmTest(name, seen, _outside(count, keys, low, high, reports))


def _outside(count: int, trials: int, low: float, high: float, times: int) -> float:
    """Bound the chance that any of some counts is as far outside a range of means; 1 inside it."""
    nearest = min(max(count / trials, low), high)
    return min(1.0, times * binomial_bound(count, trials, nearest))
