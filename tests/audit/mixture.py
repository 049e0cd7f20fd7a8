"""What reports must do where a share of them answers the size question: `check_*` functions as in `conformance`.

A `MixtureSubject` is such a task taken apart: how a report is made, how a size is answered, and how both are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from audit.conformance import EPSILONS, all_variants, mixed_law, most_levels, toy_place
from audit.exhaustive import ExhaustiveTape, OneDraw, in_weights, law_of_runs
from audit.smaller_laws import enumerable
from audit.supports import OnePairLaw
from pckv.auditing.exact import input_sets, scale, visited_sizes
from pckv.auditing.variants import with_law, without_question
from pckv.base.budget import epsilon_of, exp_lower
from pckv.base.errors import AuditFailure, ReportError
from pckv.base.limits import ONE_LEVEL, SAMPLE
from pckv.base.randomness import Tape
from pckv.base.wire import Report
from pckv.contract.task import Task
from pckv.device.perturb import make_message
from pckv.mechanisms.base import HeldLevels, Law, MessageDistribution
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.padding import Pair
from pckv.mechanisms.registry import LAWS, build
from pckv.mechanisms.size_question.device import answer
from pckv.mechanisms.size_question.law import SizeQuestion
from pckv.tally import Tally
from pckv.tally.decode.support import KeySupport, key_support
from support.worst_ratio import worst_ratio, worst_ratio_of

SHARE = Fraction(1, 4)
# Keys and padding of mixtures. Four keys with padding 1 are the fewest with a size between two ends.
MIXED = ((2, 1), (3, 1), (3, 2), (4, 1))
# The same of questions that are asked alone: every number of ends, and sizes between any two of them.
ALONE = ((2, 1), (3, 1), (4, 1), (7, 1), (5, 3), (9, 2), (12, 2), (14, 3))
LARGE = ((100, 5), (10**6, 1), (2**31, 100), (2**31, 2**31 - 1))
# Thresholds with so few bits that every value of every draw can be run: of a report, and of an answer.
REPORT_BITS, ANSWER_BITS = 4, 10
# The loss of an answer may stay below the claim by this much, and no more, at any size.
CLOSE_TO_CLAIM = 1e-9


@dataclass(frozen=True)
class MixtureSubject:
    """A task whose reports answer one of two questions, in parts."""

    name: str
    question: type[SizeQuestion] = SizeQuestion
    message: Callable[[Task, Sequence[Pair], Tape], int] = make_message
    answer: Callable[[SizeQuestion, int, Tape], int] = answer
    primitives: type[OneDraw] = OneDraw
    support: Callable[[Tally], KeySupport] = key_support
    pair_reports: Callable[[Tally], int] = lambda tally: tally.pair_reports

    def tasks(self, keys: int, padding: int, epsilon: Fraction, bits: int = 64) -> Iterator[Task]:
        """Yield tasks that ask the size question, in every variant of the mechanism, as enumeration takes them."""
        question = self.question(keys, padding, epsilon, SHARE, bits=bits)
        for levels, variant in all_variants(self.name, most_levels(keys)):
            law = LAWS[self.name].from_parameters(keys, padding, epsilon, variant, levels=levels, bits=bits)
            yield with_law(_task(law), enumerable(law), question)

    def message_law(self, task: Task, pairs: Sequence[Pair]) -> dict[int, Fraction]:
        """Return the law of a report as it is made, over every value of a toy tape."""
        tape = ExhaustiveTape(task.law.bits, self.primitives)
        return law_of_runs(lambda: self.message(task, pairs, tape), tape)

    def answer_law(self, question: SizeQuestion, size: int) -> dict[int, Fraction]:
        """Return the law of an answer as it is drawn, over every value of a toy tape."""
        tape = ExhaustiveTape(question.bits, self.primitives)
        return law_of_runs(lambda: self.answer(question, size, tape), tape)


MIXTURE_SUBJECTS = tuple(
    MixtureSubject(name) for name in LAWS if build(name, 2, 1, Fraction(1), {}).word_limit is not None
)


def check_mixture_sums_to_one(subject: MixtureSubject) -> None:
    """The exact law of a report, and that of an answer, are probability laws for every input."""
    for keys, padding in MIXED:
        for task in subject.tasks(keys, padding, Fraction(1)):
            for held in input_sets(keys, task.law.levels):
                if not _sums_to_one(task.distribution(held)):
                    raise AuditFailure(f"mixture sums to 1: not for {held}, {keys} keys, padding {padding}")
    for question in _questions(subject, ALONE + LARGE, Fraction(1)):
        for size in visited_sizes(question):
            if not _sums_to_one(question.distribution(size)):
                raise AuditFailure(f"mixture sums to 1: not for size {size}, ends {question.ends}")


def check_mixture_epsilon(subject: MixtureSubject) -> None:
    """The enumerated loss is within the larger closed form, that within the larger claim, and that within ε."""
    for (keys, padding), epsilon in product(MIXED, EPSILONS[::2]):
        for task in subject.tasks(keys, padding, epsilon):
            _check_loss(worst_ratio(task.distribution, keys, task.law.levels), task.realised, _claim(task), epsilon)
    for epsilon in EPSILONS:
        for question in _questions(subject, ALONE + LARGE, epsilon):
            exact = worst_ratio_of(map(question.distribution, visited_sizes(question)))
            _check_loss(exact, question.realised, question.claim, epsilon)


def _check_loss(exact: Fraction, realised: Fraction, claim: Fraction, epsilon: Fraction) -> None:
    if not exact <= realised <= claim <= exp_lower(epsilon):
        raise AuditFailure(
            f"exact ε of the mixture: {epsilon_of(exact)} enumerated, {epsilon_of(realised)} in closed form, "
            f"{epsilon_of(claim)} claimed, {epsilon} asked"
        )


def check_answers_use_epsilon(subject: MixtureSubject) -> None:
    """The thresholds of an answer are fine enough: at any size its loss is within 1e-9 of the claim."""
    for epsilon in (Fraction("0.01"), *EPSILONS, Fraction(20)):
        for question in _questions(subject, ALONE + LARGE, epsilon):
            if epsilon_of(question.realised) < epsilon_of(question.claim) - CLOSE_TO_CLAIM:
                raise AuditFailure(f"ε is used: {epsilon_of(question.realised)} of {epsilon} by the answers")


def check_message_epsilon(subject: MixtureSubject) -> None:
    """The loss of reports as they are made, over every value of a toy tape, is within the larger claim."""
    for keys, padding in MIXED:
        for task in subject.tasks(keys, padding, Fraction(1), REPORT_BITS):

            def distribution(held: HeldLevels, task: Task = task) -> MessageDistribution:
                pairs = [(key, *toy_place(level, task.law)) for key, level in held.items()]
                return in_weights(subject.message_law(task, pairs))

            if worst_ratio(distribution, keys, task.law.levels) > _claim(task):
                raise AuditFailure(
                    f"exact ε of the mixture: a report loses more than it claims with {keys} keys, padding {padding}"
                )


def check_answer_epsilon(subject: MixtureSubject) -> None:
    """The loss of an answer as it is drawn, over every value of a toy tape, is within the claim at every size."""
    for epsilon in (Fraction(1), Fraction(2)):
        for question in _questions(subject, ALONE, epsilon, ANSWER_BITS):
            distributions = (in_weights(subject.answer_law(question, size)) for size in range(question.keys + 1))
            if worst_ratio_of(distributions) > question.claim:
                raise AuditFailure(f"exact ε of the mixture: an answer loses more than it claims at ε = {epsilon}")


def check_message_equals_law(subject: MixtureSubject) -> None:
    """Made on every value of a toy tape, a report has exactly the stated law, at every value and size."""
    for keys, padding in MIXED:
        for task in subject.tasks(keys, padding, Fraction(1), REPORT_BITS):
            one, levels = task.law.one, task.law.levels
            # Three quarters of the way from the second highest level to the highest, or the only level.
            value, place = scale(levels)[-1] - 0.5, (levels - 2, one * 3 // 4)
            if levels == ONE_LEVEL:
                value, place = scale(levels)[0], (0, 0)
            for chosen in product((False, True), repeat=keys):
                values = {key: value for key, is_held in enumerate(chosen) if is_held}
                pairs = [(key, *place) for key in values]
                if subject.message_law(task, pairs) != mixed_law(task.distribution, values, levels):
                    raise AuditFailure(f"message equals law: not for {values}, {keys} keys, padding {padding}")


def check_answer_equals_law(subject: MixtureSubject) -> None:
    """Drawn on every value of a toy tape, an answer has exactly the stated law, at every size."""
    for question in _questions(subject, ALONE, Fraction(1), ANSWER_BITS):
        for size in range(question.keys + 1):
            weights, total = question.distribution(size)
            stated = {number: Fraction(weight, total) for number, weight in weights.items()}
            if subject.answer_law(question, size) != stated:
                raise AuditFailure(f"answer equals law: not for size {size}, ends {question.ends}")


def check_rounding_keeps_the_mean(subject: MixtureSubject) -> None:
    """Corrected for the noise, an answer's 1/end is 1/size on average, exactly, for every size beyond the padding."""
    for question in _questions(subject, ALONE, Fraction(1), ANSWER_BITS):
        gain = question.true_chance - question.other_chance
        noise = question.other_chance * sum(Fraction(1, end) for end in question.ends)
        for size in range(question.padding, question.keys + 1):
            distribution = subject.answer_law(question, size)
            shown = sum(chance / question.ends[number] for number, chance in distribution.items())
            if (shown - noise) / gain != Fraction(1, size):
                raise AuditFailure(f"rounding keeps the mean: not of 1/{size}, ends {question.ends}")


def check_pairs_stay_unbiased(subject: MixtureSubject) -> None:
    """Relative to the reports of pairs, what a report supports on average is the stated count law, exactly."""
    for keys, padding in MIXED:
        for task in subject.tasks(keys, padding, Fraction(1)):
            decoded = {word: _decoded(subject, task, word) for word in range(task.word_limit or 0)}
            # With more pairs than one, `collision` measures how often it supports what is not held.
            most = padding if task.law.exactly_uniform else 1
            for held in input_sets(keys, task.law.levels):
                if len(held) <= most:
                    _check_supports(task, held, decoded)


def _decoded(subject: MixtureSubject, task: Task, word: int) -> tuple[list[int], int]:
    """Return how much a report of one word supports the keys, and whether it counts as one of pairs."""
    tally = Tally(task)
    tally.add(Report(bytes(16), task.message_format.encode(word)))
    return subject.support(tally).total.tolist(), subject.pair_reports(tally)


def _check_supports(task: Task, held: HeldLevels, decoded: dict[int, tuple[list[int], int]]) -> None:
    weights, _ = task.distribution(held)
    of_pairs = sum(weight * decoded[word][1] for word, weight in weights.items())
    for key in range(task.key_count):
        found = Fraction(sum(weight * decoded[word][0][key] for word, weight in weights.items()), of_pairs)
        if found != _stated_support(task.law, held, key):
            raise AuditFailure(f"pairs stay unbiased: not key {key} of {held}")


def _stated_support(law: Law, held: HeldLevels, key: int) -> Fraction:
    """Return how often a report of pairs supports a key, all levels counted."""
    if isinstance(law, CollisionLaw):
        exact = OnePairLaw.of(law)
        other = exact.other if held else exact.any_position
        return (law.levels - 1) * other + (exact.held if key in held else other)
    distribution = law.count_law
    stated = distribution.holder if key in held else distribution.absent
    return Fraction(stated.own + (law.levels - 1) * stated.other)


def check_size_words(subject: MixtureSubject) -> None:
    """A size word counts as its answer where sizes are asked, and is refused elsewhere, as are words beyond it."""
    for keys, padding in MIXED:
        for task in subject.tasks(keys, padding, Fraction(1)):
            first, question = task.law.word_limit or 0, task.size_question
            count = 0 if question is None else len(question.ends)
            for number in range(count):
                tally = Tally(task)
                tally.add(Report(bytes(16), task.message_format.encode(first + number)))
                expected = [int(other == number) for other in range(count)]
                if tally.size_answers.tolist() != expected or tally.pair_reports != 0:
                    raise AuditFailure(f"size words: answer {number} was counted as {tally.size_answers}")
            for contract, word in ((task, first + count), (without_question(task), first)):
                if _accepts(contract, word):
                    raise AuditFailure(f"size words: word {word} was accepted, of {contract.word_limit}")


MIXTURE_CHECKS: tuple[Callable[[MixtureSubject], None], ...] = (
    check_mixture_sums_to_one,
    check_mixture_epsilon,
    check_answers_use_epsilon,
    check_message_epsilon,
    check_answer_epsilon,
    check_message_equals_law,
    check_answer_equals_law,
    check_rounding_keeps_the_mean,
    check_pairs_stay_unbiased,
    check_size_words,
)


def _task(law: Law) -> Task:
    """Return a task with this law and no size question."""
    return Task(
        name="check",
        keys=law.keys,
        values=(1 - law.levels, law.levels - 1) if law.levels > ONE_LEVEL else None,
        levels=law.levels,
        epsilon=str(float(law.epsilon)),
        padding=law.padding,
        mechanism={"name": law.name, **law.parameters},
        more=SAMPLE,
        size_share=0,
    )


def _questions(
    subject: MixtureSubject, sizes: Sequence[tuple[int, int]], epsilon: Fraction, bits: int = 64
) -> Iterator[SizeQuestion]:
    for keys, padding in sizes:
        yield subject.question(keys, padding, epsilon, SHARE, bits=bits)


def _claim(task: Task) -> Fraction:
    of_pairs, question = task.law.claim, task.size_question
    return of_pairs if question is None else max(of_pairs, question.claim)


def _sums_to_one(distribution: MessageDistribution) -> bool:
    return sum(distribution.weights.values()) == distribution.total and min(distribution.weights.values()) >= 0


def _accepts(task: Task, word: int) -> bool:
    try:
        Tally(task).add(Report(bytes(16), task.message_format.encode(word)))
    except ReportError:
        return False
    return True
