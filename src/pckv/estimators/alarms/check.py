"""Checking the reports of a task for what honest ones hardly ever show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.random import Generator, default_rng

from pckv.base.arrays import Integers, Messages
from pckv.contract.task import Task
from pckv.estimators.alarms.counts import SetBits, size_share_test
from pckv.estimators.alarms.functions import function_tests
from pckv.estimators.alarms.result import Alarms, AlarmTest
from pckv.estimators.alarms.shared_symbols import shared_symbols_test
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.ue.law import UeLaw
from pckv.mechanisms.ue_compact.law import UeCompactLaw

# Beyond this many words a random half of them is kept, again and again: as many are more than enough to find 1 % of liars,
# and take little memory where reports are collected.
MAX_WORDS = 2**18


class ReportSample:
    """What alarms need of the reports of a task: a random sample of words, and a few sums.

    Args:
        task: The task.
        rng: Where the choice of the sample comes from; unpredictable by default, so that no report can evade it.
    """

    def __init__(self, task: Task, rng: Generator | None = None) -> None:
        self.task = task
        self.reports = 0
        self._rng = default_rng() if rng is None else rng
        self._answers = 0
        self._kept: list[Integers] = []
        self._share = 1.0
        self._bits = SetBits(task.law) if isinstance(task.law, UeLaw) else None

    def add(self, messages: Messages) -> None:
        """Look at some reports: words in one row, or rows of plane bytes."""
        self.reports += len(messages)
        if self._bits is not None:
            self._bits.add(messages.astype(np.uint8, copy=False))
            return
        words = messages.astype(np.int64, copy=False)
        of_pairs = words[words < (self.task.law.word_limit or 0)]
        self._answers += words.size - of_pairs.size
        if self._share < 1:
            of_pairs = of_pairs[self._rng.random(of_pairs.size) < self._share]
        self._kept.append(of_pairs)
        while sum(map(len, self._kept)) > MAX_WORDS:
            words = np.concatenate(self._kept)
            half = self._rng.permutation(words)[::2]
            self._kept, self._share = [half], self._share / 2

    def check(self) -> Alarms:
        """Return what is unusual about the reports so far."""
        return Alarms(self.reports, tuple(self._tests()))

    def _tests(self) -> Iterator[AlarmTest]:
        law, question = self.task.law, self.task.size_question
        if question is not None and self.reports:
            yield size_share_test(question, self._answers, self.reports)
        if self._bits is not None:
            yield from self._bits.tests()
        if isinstance(law, UeCompactLaw | CollisionLaw):
            # In order, so that the random halves do not depend on the order in which the reports came.
            words = np.sort(np.concatenate([np.zeros(0, np.int64), *self._kept]))
            yield from function_tests(law, words // (law.word_limit // law.functions))
            if (shared := shared_symbols_test(self.task, law, words, self._rng)) is not None:
                yield shared


def check_reports(task: Task, batches: Iterable[Messages], rng: Generator | None = None) -> Alarms:
    """Return what is unusual about the reports of a task, which come in batches."""
    sample = ReportSample(task, rng)
    for messages in batches:
        sample.add(messages)
    return sample.check()
