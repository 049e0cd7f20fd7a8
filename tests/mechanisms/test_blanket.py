"""γ and R of every mechanism: all laws of a report are from γ to γ·R times one law, exactly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations, product
from math import floor
from pathlib import Path
from random import Random

import pytest

from pckv.auditing.variants import LEVEL_VARIANTS, ONE_LEVEL_VARIANTS, VARIANTS, LevelVariant
from pckv.base.errors import ParameterError
from pckv.base.limits import MIN_LEVELS
from pckv.mechanisms.base import Law
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.grr.law import GrrLaw
from pckv.mechanisms.registry import LAWS, build
from pckv.mechanisms.size_question.law import SizeQuestion
from pckv.mechanisms.ue.law import UeLaw
from pckv.mechanisms.ue_compact.law import UeCompactLaw
from pckv.planning.shuffle import ReportLaws
from support.extreme_chances import reached_by_answers, reached_constants
from support.faults import Fault, in_place
from support.random_parameters import random_decimal, random_parameters
from support.shuffles import Laws, report_laws
from support.tiers import wide

EPSILONS = ("0.000001", "0.5", "4", "20")
SIZES = ((1, 1), (2, 1), (2, 2), (3, 2))
MAX_WORDS, MAX_ITEMS = 130, 6
# The numbers of levels that are tried: one without values.
LEVELS = {"ue": (1, 2), "grr": (1, 2, 3, 5, 16), "ue-compact": (1, 2, 3, 5, 16), "collision": (1, 2, 3, 5, 16)}


def small_laws(mechanism: str) -> list[Law]:
    found: list[Law] = []
    of_two = (LevelVariant(MIN_LEVELS, variant) for variant in VARIANTS[mechanism])
    variants = [*of_two, *ONE_LEVEL_VARIANTS[mechanism], *LEVEL_VARIANTS[mechanism]]
    for (levels, variant), (keys, padding), epsilon in product(variants, SIZES, EPSILONS):
        if levels * keys > MAX_ITEMS:
            continue
        if mechanism == "collision":
            few = {"symbols": padding + 2, "functions": 3}
            found.append(CollisionLaw(keys, padding, Fraction(epsilon), levels=levels, **few))
            continue
        # By itself `ue-compact` chooses a prime near e^ε + 3.
        if mechanism == "ue-compact" and not variant:
            continue
        law = build(mechanism, keys, padding, Fraction(epsilon), variant, levels)
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


def check_reached_constants(mechanism: str, max_padding: int = 24) -> None:
    """Assert that γ and R are those of the extreme reports, at every padding, with random ε and parameters."""
    random, made = Random(f"blanket {mechanism}"), 0
    for padding, levels in product(range(1, max_padding + 1), LEVELS[mechanism]):
        # Chances of planes are long fractions, and the padding plays no part in their constants. Of many keys
        # there are always some that a function of `collision` sends to different symbols.
        keys, slots = (6, padding % 6 + 1) if mechanism == UeLaw.name else (20 * max_padding, padding)
        parameters = random_parameters(random, mechanism, slots) if levels == MIN_LEVELS else {}
        try:
            law = build(mechanism, keys, slots, Fraction(random_decimal(random, -5.9, 1.29)), parameters, levels)
        except ParameterError:
            # Not every set of residues goes with every number of keys.
            continue
        assert reached_constants(law, random) == (law.blanket, law.realised), (law.parameters, padding, levels)
        made += 1
    assert made > 0.9 * max_padding * len(LEVELS[mechanism])


@pytest.mark.parametrize("max_padding", [24, *wide(130)])
@pytest.mark.parametrize("mechanism", LAWS)
def test_constants_are_reached_at_every_padding_and_number_of_levels(mechanism: str, max_padding: int) -> None:
    check_reached_constants(mechanism, max_padding)


def check_constants_with_sizes() -> None:
    """Assert the same of reports that may answer a size question, with two to four answers."""
    law, answers = build("grr", 40, 3, Fraction(2), {}, 5), Counter[int]()
    for (padding, keys), epsilon, share in product(combinations(range(1, 14), 2), EPSILONS, ("0.05", "0.5")):
        question = SizeQuestion(keys, padding, Fraction(epsilon), Fraction(share))
        blanket, ratio = reached_by_answers(question)
        assert (question.blanket, question.realised) == (blanket, ratio), question
        asked = Fraction(floor(Fraction(share) * 2**64), 2**64)
        mixed = (1 - asked) * law.blanket + asked * blanket
        assert ReportLaws.of(law, question) == (mixed, max(law.realised, ratio)), question
        answers[len(question.ends)] += 1
    assert {2, 3, 4} == set(answers)


def test_constants_with_a_size_question() -> None:
    check_constants_with_sizes()


FAULTS = [
    in_place(
        "γ of `grr` is that of two levels",
        "mechanisms/grr/law.py",
        {"return self.symbols * (least": "return 2 * (self.keys + self.padding) * (least"},
        partial(check_reached_constants, "grr"),
    ),
    in_place(
        "R of `grr` with 16 levels counts one slot more",
        "mechanisms/grr/law.py",
        {"rest = (self.padding - 1) * self.other": "rest = (self.padding - (self.levels < 16)) * self.other"},
        partial(check_reached_constants, "grr"),
    ),
    in_place(
        "γ of `collision` with one pair fewer from three pairs on",
        "mechanisms/collision/law.py",
        {
            "return self.symbols * min(held, (1 - self.padding * held) / (self.symbols - self.padding))": (
                "pairs = self.padding - (self.padding > 2)\n"
                "        return self.symbols * min(held, (1 - pairs * held) / (self.symbols - pairs))"
            )
        },
        partial(check_reached_constants, "collision"),
    ),
    in_place(
        "R of `ue-compact` is that of two levels",
        "mechanisms/ue_compact/law.py",
        {"ratio = self.inside / self.outside\n": "ratio = self.inside / self.outside * Fraction(2, self.levels)\n"},
        partial(check_reached_constants, "ue-compact"),
    ),
    in_place(
        "γ of the size question is that of two answers",
        "mechanisms/size_question/law.py",
        {"return len(self.ends) * min(": "return 2 * min("},
        check_constants_with_sizes,
    ),
    in_place(
        "γ of reports with a size question is that of pairs from three levels on",
        "planning/shuffle.py",
        {
            "question.mixed_blanket(law.blanket)": "question.mixed_blanket(law.blanket) if law.levels < 3 else law.blanket"
        },
        check_constants_with_sizes,
    ),
]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_faulty_constant_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path, raises=AssertionError)
