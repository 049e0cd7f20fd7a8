"""Planted faults of reports that answer one of two questions: which one, how a size is answered, how both are counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import Any

import numpy as np
import pytest

from audit import mixture
from audit.mixture import MIXTURE_SUBJECTS, MixtureSubject
from pckv.base.budget import exp_lower
from pckv.base.errors import AuditFailure
from pckv.base.randomness import Tape
from pckv.contract.task import Task
from pckv.mechanisms.padding import Pair
from pckv.mechanisms.registry import load_part
from pckv.mechanisms.size_question.law import Rounding, SizeQuestion
from pckv.tally import Tally
from pckv.tally.decode.support import KeySupport, key_support
from support.mutants import BiasedBelow, skipping

GRR, COMPACT, COLLISION = MIXTURE_SUBJECTS
Answer = Callable[[SizeQuestion, int, Tape], int]


def faulty_answer(
    *,
    size: Callable[[SizeQuestion, int], int] = lambda _, size: size,
    rounded: Callable[[SizeQuestion, Rounding, Tape], int] = lambda _, rounding, tape: (
        rounding.lower + (tape.below(rounding.total) >= rounding.down)
    ),
    kept: Callable[[SizeQuestion, int], int] = lambda question, _: question.kept,
    other: Callable[[SizeQuestion, int, Tape], int] = lambda question, true, tape: skipping(
        [true], tape.below(len(question.ends) - 1)
    ),
) -> Answer:
    """The answer to the size question, written out with replaceable parts; the defaults give the correct one."""

    def answer(question: SizeQuestion, held: int, tape: Tape) -> int:
        stated = size(question, held)
        rounding = question.rounding(stated)
        true = question.answer_of_end(stated) if rounding is None else rounded(question, rounding, tape)
        return true if tape.bernoulli(kept(question, true)) else other(question, true, tape)

    return answer


def faulty_message(
    *,
    asked: Callable[[SizeQuestion, int], int] = lambda question, _: question.asked,
    answer: Answer | None = None,
    word: Callable[[Task, int], int] = lambda task, number: (task.law.word_limit or 0) + number,
    again: Callable[[Task, Sequence[Pair], int, Tape], int] = lambda *parts: parts[2],
) -> Callable[[Task, Sequence[Pair], Tape], int]:
    """What makes a report, written out with replaceable parts; the defaults give the correct one."""
    answered = answer or faulty_answer()

    def message(task: Task, pairs: Sequence[Pair], tape: Tape) -> int:
        question = task.size_question
        assert question is not None
        if tape.bernoulli(asked(question, len(pairs))):
            return word(task, answered(question, len(pairs), tape))
        made = load_part(task.mechanism, "sampler")(task.law, pairs, tape)
        return again(task, pairs, int(made), tape)

    return message


def asked_for_dummies(task: Task, pairs: Sequence[Pair], message: int, tape: Tape) -> int:
    """A report of `grr` that shows a dummy is replaced by an answer about the size."""
    assert task.size_question is not None
    if message < 2 * task.key_count:
        return message
    return (task.law.word_limit or 0) + faulty_answer()(task.size_question, len(pairs), tape)


def rounded_like_others() -> Answer:
    """Sizes are rounded toward the size of the previous answer."""
    earlier = [0]

    def size(question: SizeQuestion, held: int) -> int:
        before, earlier[0] = earlier[0], held
        rounding = question.rounding(held)
        if rounding is None:
            return held
        return question.ends[rounding.lower + (before >= question.ends[rounding.lower + 1])]

    return faulty_answer(size=size)


class KeptRoundedUp(SizeQuestion):
    """The chance of the true answer is rounded up."""

    @cached_property
    def kept(self) -> int:
        return ceil(self.one * self.claim / (self.claim + len(self.ends) - 1))


class TwiceTheBudget(SizeQuestion):
    """Sizes are answered at 2ε."""

    @cached_property
    def kept(self) -> int:
        bound = exp_lower(2 * self.epsilon)
        return floor(self.one * bound / (bound + len(self.ends) - 1))


class BudgetTimesShare(SizeQuestion):
    """Sizes are answered at a share of ε, as if both questions were answered in every report."""

    @cached_property
    def kept(self) -> int:
        bound = exp_lower(self.epsilon * self.share)
        return floor(self.one * bound / (bound + len(self.ends) - 1))


class OneEndShort(SizeQuestion):
    """Thresholds as if there were one end fewer."""

    @cached_property
    def kept(self) -> int:
        return floor(self.one * self.claim / (self.claim + len(self.ends) - 2))


class LawWithoutNoise(SizeQuestion):
    """The stated probability of another answer is too small."""

    @cached_property
    def other_chance(self) -> Fraction:
        return (1 - self.true_chance) / len(self.ends)


class LinearRounding(SizeQuestion):
    """Rounding keeps the mean of the size, not of its inverse."""

    def rounding(self, size: int) -> Rounding | None:
        right = super().rounding(size)
        if right is None:
            return None
        low, high = self.ends[right.lower], self.ends[right.lower + 1]
        return Rounding(right.lower, high - size, high - low)


def all_as_pairs(tally: Tally) -> int:
    """Every report is taken for one of pairs."""
    return tally.reports


def answers_as_keys(tally: Tally) -> KeySupport:
    """Answers are taken for support of the first key."""
    support = key_support(tally)
    first = np.zeros_like(support.counts)
    first[-1, 0] = tally.size_answers.sum()
    return KeySupport(support.counts + first)


@dataclass(frozen=True)
class MixtureMutant:
    """A faulty task, the check that must catch it, and what that must say."""

    fault: str
    subject: MixtureSubject
    caught_by: Callable[[MixtureSubject], None]
    says: str


def of_message(
    fault: str, caught_by: Callable[[MixtureSubject], None], says: str, **parts: Any
) -> MixtureMutant:
    """A mutant of what makes a report."""
    return MixtureMutant(fault, replace(GRR, message=faulty_message(**parts)), caught_by, says)


def of_answer(
    fault: str, caught_by: Callable[[MixtureSubject], None], says: str, answer: Answer
) -> MixtureMutant:
    """A mutant of how a size is answered, alone and in a report."""
    subject = replace(COLLISION, answer=answer, message=faulty_message(answer=answer))
    return MixtureMutant(fault, subject, caught_by, says)


IMPOSSIBLE = "an output is possible for one input set and not for another"
LOSES_MORE = "loses more than it claims"
MUTANTS = (
    of_message(
        "only large sets are asked",
        mixture.check_message_epsilon,
        IMPOSSIBLE,
        asked=lambda question, size: question.asked * (size > question.padding),
    ),
    of_message(
        "large sets are asked three times as often",
        mixture.check_message_epsilon,
        LOSES_MORE,
        asked=lambda question, size: question.asked * (3 if size > question.padding else 1),
    ),
    of_message(
        "nobody is asked who holds nothing",
        mixture.check_message_epsilon,
        IMPOSSIBLE,
        asked=lambda question, size: question.asked * (size > 0),
    ),
    of_message(
        "those who hold nothing are asked a little more often",
        mixture.check_message_equals_law,
        "message equals law",
        asked=lambda question, size: question.asked + (size == 0),
    ),
    of_message(
        "answers look like reports of pairs",
        mixture.check_message_equals_law,
        "message equals law",
        word=lambda _, number: number,
    ),
    of_message(
        "dummies are replaced by answers",
        mixture.check_message_equals_law,
        "message equals law",
        again=asked_for_dummies,
    ),
    of_message(
        "answers begin one word too late",
        mixture.check_message_equals_law,
        "message equals law",
        word=lambda task, number: (task.law.word_limit or 0) + number + 1,
    ),
    of_answer(
        "small sets are answered without noise",
        mixture.check_answer_epsilon,
        IMPOSSIBLE,
        faulty_answer(kept=lambda question, true: question.kept if true else question.one),
    ),
    of_answer(
        "small sets are answered with less noise in reports",
        mixture.check_message_epsilon,
        LOSES_MORE,
        faulty_answer(kept=lambda question, true: question.kept + (true == 0)),
    ),
    of_answer(
        "the true answer is not skipped",
        mixture.check_answer_equals_law,
        "answer equals law",
        faulty_answer(other=lambda question, _, tape: tape.below(len(question.ends))),
    ),
    of_answer(
        "the last end is never an untrue answer",
        mixture.check_answer_epsilon,
        IMPOSSIBLE,
        faulty_answer(other=lambda question, _, tape: tape.below(len(question.ends) - 1)),
    ),
    of_answer(
        "sizes are rounded up",
        mixture.check_rounding_keeps_the_mean,
        "rounding keeps the mean",
        faulty_answer(rounded=lambda *parts: parts[1].lower + 1),
    ),
    of_answer(
        "sizes are rounded by a fair coin",
        mixture.check_answer_equals_law,
        "answer equals law",
        faulty_answer(rounded=lambda _, rounding, tape: rounding.lower + tape.below(2)),
    ),
    of_answer(
        "sizes are rounded toward those of others",
        mixture.check_answer_equals_law,
        "answer equals law",
        rounded_like_others(),
    ),
    of_answer(
        "sizes are cut at the padding",
        mixture.check_rounding_keeps_the_mean,
        "rounding keeps the mean",
        faulty_answer(size=lambda question, size: min(size, question.padding)),
    ),
    MixtureMutant(
        "a remainder without rejection",
        replace(GRR, primitives=BiasedBelow),
        mixture.check_answer_equals_law,
        "answer equals law",
    ),
    MixtureMutant(
        "the true answer is kept too often",
        replace(GRR, question=KeptRoundedUp),
        mixture.check_mixture_epsilon,
        "exact ε of the mixture",
    ),
    MixtureMutant(
        "sizes at twice the budget",
        replace(COMPACT, question=TwiceTheBudget),
        mixture.check_mixture_epsilon,
        "exact ε of the mixture",
    ),
    MixtureMutant(
        "sizes at a share of the budget",
        replace(COMPACT, question=BudgetTimesShare),
        mixture.check_answers_use_epsilon,
        "ε is used",
    ),
    MixtureMutant(
        "thresholds for one end too few",
        replace(COLLISION, question=OneEndShort),
        mixture.check_mixture_epsilon,
        IMPOSSIBLE,
    ),
    MixtureMutant(
        "a law that states too little noise",
        replace(GRR, question=LawWithoutNoise),
        mixture.check_mixture_sums_to_one,
        "mixture sums to 1",
    ),
    MixtureMutant(
        "rounding keeps the mean of the size",
        replace(GRR, question=LinearRounding),
        mixture.check_rounding_keeps_the_mean,
        "rounding keeps the mean",
    ),
    MixtureMutant(
        "frequencies divide by all reports",
        replace(GRR, pair_reports=all_as_pairs),
        mixture.check_pairs_stay_unbiased,
        "pairs stay unbiased",
    ),
    MixtureMutant(
        "answers support a key",
        replace(COMPACT, support=answers_as_keys),
        mixture.check_pairs_stay_unbiased,
        "pairs stay unbiased",
    ),
)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.fault)
def test_planted_faults_are_caught(mutant: MixtureMutant) -> None:
    with pytest.raises(AuditFailure, match=mutant.says):
        mutant.caught_by(mutant.subject)


def test_the_parts_of_the_mutants_are_correct() -> None:
    """So that the checks catch the planted fault alone."""
    subject = replace(GRR, answer=faulty_answer(), message=faulty_message())
    for check in (
        mixture.check_message_epsilon,
        mixture.check_answer_epsilon,
        mixture.check_message_equals_law,
        mixture.check_answer_equals_law,
        mixture.check_rounding_keeps_the_mean,
    ):
        check(subject)
