"""γ and R of every mechanism: all laws of a report are from γ to γ·R times one law, exactly."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from pckv.auditing.variants import VARIANTS
from pckv.base.errors import ParameterError
from pckv.mechanisms.base import Law
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.grr.law import GrrLaw
from pckv.mechanisms.registry import LAWS, build
from pckv.mechanisms.size_question.law import SizeQuestion
from pckv.mechanisms.ue.law import UeLaw
from pckv.mechanisms.ue_compact.law import UeCompactLaw
from pckv.planning.shuffle import ReportLaws
from support.random_parameters import random_decimal, random_parameters
from support.shuffles import Laws, report_laws

EPSILONS = ("0.000001", "0.5", "4", "20")
SIZES = ((1, 1), (2, 1), (2, 2), (3, 2))
MAX_WORDS = 130
# Every padding up to this one is tried.
MAX_PADDING = 130


def small_laws(mechanism: str) -> list[Law]:
    found: list[Law] = []
    for variant, (keys, padding), epsilon in product(VARIANTS[mechanism], SIZES, EPSILONS):
        if mechanism == "collision":
            found.append(CollisionLaw(keys, padding, Fraction(epsilon), symbols=padding + 2, functions=3))
            continue
        # By itself `ue-compact` chooses a prime near e^ε + 3.
        if mechanism == "ue-compact" and not variant:
            continue
        law = build(mechanism, keys, padding, Fraction(epsilon), variant)
        if (law.word_limit or 0) <= MAX_WORDS:
            found.append(law)
    return found


def common_law(law: Law, question: SizeQuestion | None) -> list[Fraction]:
    """The law that all others are compared with, times γ: uniform, or where nothing was sampled."""
    empty = law.distribution({})
    if law.word_limit is None:
        return [law.blanket * Fraction(empty.weights[each], empty.total) for each in sorted(empty.weights)]
    words = [law.blanket / law.word_limit] * law.word_limit
    if question is None:
        return words
    asked, answers = Fraction(question.asked, question.one), len(question.ends)
    return [(1 - asked) * word for word in words] + [asked * question.blanket / answers] * answers


def all_between(distributions: Laws, below: Sequence[Fraction], ratio: Fraction) -> bool:
    return all(
        least <= chance <= ratio * least
        for distribution in distributions
        for least, chance in zip(below, distribution, strict=True)
    )


@pytest.mark.parametrize("mechanism", LAWS)
def test_all_laws_are_between_the_bounds(mechanism: str) -> None:
    laws = small_laws(mechanism)
    assert len(laws) >= len(SIZES) * len(EPSILONS)
    for law in laws:
        question = None
        if law.word_limit is not None and law.padding < law.keys:
            question = SizeQuestion(law.keys, law.padding, law.epsilon, Fraction(1, 20))
        for asked in {None, question}:
            blanket, ratio = ReportLaws.of(law, asked)
            below = common_law(law, asked)
            assert sum(below) == blanket <= 1 <= ratio * blanket
            assert all_between(report_laws(law, asked), below, ratio)


class _LoudUe(UeLaw):
    """γ forgets that a sampled position may stay empty."""

    @property
    def blanket(self) -> Fraction:
        return min(Fraction(self.flipped, self.fake), Fraction(1))


class _OnePairCollision(CollisionLaw):
    """γ is that of people who hold one pair."""

    @property
    def blanket(self) -> Fraction:
        return self.symbols * (1 - Fraction(self.hit, self.one)) / (self.symbols - 1)


class _UnpaddedGrr(GrrLaw):
    """γ is computed from the smallest chance of a word with one slot, which padding hides."""

    @property
    def blanket(self) -> Fraction:
        return self.symbols * (Fraction(self.kept, self.one) + self.other) / self.padding


class _WideCompact(UeCompactLaw):
    """γ counts the residues that say nothing of a sign only."""

    @property
    def blanket(self) -> Fraction:
        return (self.q - self.r) * self.inside


@pytest.mark.parametrize(
    "mutant",
    [
        _LoudUe(2, 1, Fraction(2), "non-optimized"),
        _OnePairCollision(2, 2, Fraction(2), symbols=4, functions=3),
        _UnpaddedGrr(2, 2, Fraction(2)),
        _WideCompact(2, 1, Fraction(2), 5),
    ],
    ids=lambda mutant: type(mutant).__name__,
)
def test_a_wrong_constant_is_caught(mutant: Law) -> None:
    assert not all_between(report_laws(mutant), common_law(mutant, None), mutant.realised)


@pytest.mark.parametrize("mechanism", LAWS)
def test_no_larger_bound_would_do(mechanism: str) -> None:
    """With one pair per person some law reaches γ, and some law reaches R·γ."""
    for law in small_laws(mechanism):
        if law.padding > 1 or law.keys == 1:
            continue
        below = common_law(law, None)
        factors = {
            chance / least
            for distribution in report_laws(law)
            for least, chance in zip(below, distribution, strict=True)
        }
        assert (min(factors), max(factors)) == (Fraction(1), law.realised)


def telling_message(law: Law, key: int, sign: int, random: Random) -> int:
    """A message that speaks for a pair, or against it: those whose chances are the largest and the least."""
    if isinstance(law, UeLaw):
        fakes = [random.choice((0, 0, 0, 1, -1)) for _ in range(law.keys)]
        return law.message((*fakes[:key], sign, *fakes[key + 1 :]))
    if isinstance(law, GrrLaw):
        return law.word(key, sign > 0)
    if isinstance(law, UeCompactLaw):
        function = random.randrange(law.functions)
        residue = law.first(int(sign > 0)) - law.product(function, key)
        return function * law.q + residue % law.q
    assert isinstance(law, CollisionLaw)
    function = random.randrange(law.functions)
    return int(function * law.symbols + law.symbol(function, law.item(key, sign > 0)))


@pytest.mark.parametrize("mechanism", LAWS)
def test_laws_of_the_sizes_that_tasks_have(mechanism: str) -> None:
    """At up to 2^31 keys and padding 100, messages that tell most and random ones, in fractions."""
    random, seen = Random(16), 0
    sizes = ((100, 1), (100, 100)) if mechanism == "ue" else ((100, 1), (100, 100), (10**6, 7), (2**31, 100))
    for variant, (keys, padding), epsilon in product(VARIANTS[mechanism], sizes, EPSILONS):
        try:
            keys_taken = min(keys, LAWS[mechanism].max_keys)
            law = build(mechanism, keys_taken, padding, Fraction(epsilon), variant)
        except ParameterError:
            # Not every prime and padding goes with every number of keys and ε.
            continue
        for size in {0, 1, padding}:
            seen += check_telling_messages(law, size, random)
    assert seen > 90


def check_telling_messages(law: Law, size: int, random: Random) -> int:
    """Check the bounds at the messages that tell most about a set; return how many there were."""
    held = {key: random.choice((1, 0)) for key in random.sample(range(law.keys), size)}
    told = [(key, each) for key, level in list(held.items())[:2] for each in (level, 1 - level)]
    messages = [telling_message(law, *pair, random) for pair in told]
    messages.append(telling_message(law, random.randrange(law.keys), 1, random))
    for message in messages:
        least = law.blanket * (law.chance({}, message) if law.word_limit is None else Fraction(1, law.word_limit))
        assert least <= law.chance(held, message) <= law.realised * least
    return len(messages)


@pytest.mark.parametrize("mechanism", LAWS)
def test_laws_at_every_padding_with_random_parameters(mechanism: str) -> None:
    """A constant may be wrong at some paddings, ε or parameters only."""
    random, made = Random(f"blanket {mechanism}"), 0
    while made < MAX_PADDING:
        # Chances of planes are long fractions; the padding plays no part in their constants.
        keys, padding = (6, made % 6 + 1) if mechanism == UeLaw.name else (2 * MAX_PADDING, made + 1)
        parameters = random_parameters(random, mechanism, padding)
        try:
            epsilon = Fraction(random_decimal(random, -5.9, 1.29))
            laws = [build(mechanism, keys, slots, epsilon, parameters) for slots in (1, padding)]
        except ParameterError:
            continue
        # As many pairs as the padding: each of the slots is a pair's own. A single one shows most.
        for law in laws:
            assert check_telling_messages(law, law.padding, random) >= 3
        made += 1
