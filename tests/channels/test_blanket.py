"""γ and R of every mechanism: all laws of a report are from γ to γ·R times one law, exactly."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from pckv.auditing.variants import VARIANTS
from pckv.channels import CHANNELS, Channel, build
from pckv.channels.collision import CollisionChannel
from pckv.channels.grr import GrrChannel
from pckv.channels.size_question import SizeQuestion
from pckv.channels.ue import UeChannel
from pckv.channels.ue_compact import UeCompactChannel
from pckv.errors import ParameterError
from pckv.planning.shuffled import ReportLaws
from support.random_parameters import random_decimal, random_parameters
from support.shuffles import Laws, report_laws

EPSILONS = ("0.000001", "0.5", "4", "20")
SIZES = ((1, 1), (2, 1), (2, 2), (3, 2))
MAX_WORDS = 130
# Every padding up to this one is tried.
MAX_PADDING = 130


def small_channels(mechanism: str) -> list[Channel]:
    found: list[Channel] = []
    for variant, (keys, padding), epsilon in product(VARIANTS[mechanism], SIZES, EPSILONS):
        if mechanism == "collision":
            found.append(CollisionChannel(keys, padding, Fraction(epsilon), symbols=padding + 2, functions=3))
            continue
        # By itself `ue-compact` chooses a prime near e^ε + 3.
        if mechanism == "ue-compact" and not variant:
            continue
        channel = build(mechanism, keys, padding, Fraction(epsilon), variant)
        if (channel.word_limit or 0) <= MAX_WORDS:
            found.append(channel)
    return found


def common_law(channel: Channel, question: SizeQuestion | None) -> list[Fraction]:
    """The law that all others are compared with, times γ: uniform, or where nothing was sampled."""
    empty = channel.law({})
    if channel.word_limit is None:
        return [
            channel.blanket * Fraction(empty.weights[each], empty.total) for each in sorted(empty.weights)
        ]
    words = [channel.blanket / channel.word_limit] * channel.word_limit
    if question is None:
        return words
    asked, answers = Fraction(question.asked, question.one), len(question.ends)
    return [(1 - asked) * word for word in words] + [asked * question.blanket / answers] * answers


def all_between(laws: Laws, below: Sequence[Fraction], ratio: Fraction) -> bool:
    return all(
        least <= chance <= ratio * least for law in laws for least, chance in zip(below, law, strict=True)
    )


@pytest.mark.parametrize("mechanism", CHANNELS)
def test_all_laws_are_between_the_bounds(mechanism: str) -> None:
    channels = small_channels(mechanism)
    assert len(channels) >= len(SIZES) * len(EPSILONS)
    for channel in channels:
        question = None
        if channel.word_limit is not None and channel.padding < channel.keys:
            question = SizeQuestion(channel.keys, channel.padding, channel.epsilon, Fraction(1, 20))
        for asked in {None, question}:
            blanket, ratio = ReportLaws.of(channel, asked)
            below = common_law(channel, asked)
            assert sum(below) == blanket <= 1 <= ratio * blanket
            assert all_between(report_laws(channel, asked), below, ratio)


class _LoudUe(UeChannel):
    """γ forgets that a sampled position may stay empty."""

    @property
    def blanket(self) -> Fraction:
        return min(Fraction(self.flipped, self.fake), Fraction(1))


class _OnePairCollision(CollisionChannel):
    """γ is that of people who hold one pair."""

    @property
    def blanket(self) -> Fraction:
        return self.symbols * (1 - Fraction(self.hit, self.one)) / (self.symbols - 1)


class _UnpaddedGrr(GrrChannel):
    """γ is computed from the smallest chance of a word with one slot, which padding hides."""

    @property
    def blanket(self) -> Fraction:
        return self.symbols * (Fraction(self.kept, self.one) + self.other) / self.padding


class _WideCompact(UeCompactChannel):
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
def test_a_wrong_constant_is_caught(mutant: Channel) -> None:
    assert not all_between(report_laws(mutant), common_law(mutant, None), mutant.realised)


@pytest.mark.parametrize("mechanism", CHANNELS)
def test_no_larger_bound_would_do(mechanism: str) -> None:
    """With one pair per person some law reaches γ, and some law reaches R·γ."""
    for channel in small_channels(mechanism):
        if channel.padding > 1 or channel.keys == 1:
            continue
        below = common_law(channel, None)
        factors = {
            chance / least for law in report_laws(channel) for least, chance in zip(below, law, strict=True)
        }
        assert (min(factors), max(factors)) == (Fraction(1), channel.realised)


def telling_message(channel: Channel, key: int, sign: int, random: Random) -> int:
    """A message that speaks for a pair, or against it: those whose chances are the largest and the least."""
    if isinstance(channel, UeChannel):
        fakes = [random.choice((0, 0, 0, 1, -1)) for _ in range(channel.keys)]
        return channel.message((*fakes[:key], sign, *fakes[key + 1 :]))
    if isinstance(channel, GrrChannel):
        return channel.word(key, sign > 0)
    if isinstance(channel, UeCompactChannel):
        function = random.randrange(channel.functions)
        residue = channel.first(int(sign > 0)) - channel.product(function, key)
        return function * channel.q + residue % channel.q
    assert isinstance(channel, CollisionChannel)
    function = random.randrange(channel.functions)
    return int(function * channel.symbols + channel.symbol(function, channel.item(key, sign > 0)))


@pytest.mark.parametrize("mechanism", CHANNELS)
def test_laws_of_the_sizes_that_tasks_have(mechanism: str) -> None:
    """At up to 2^31 keys and padding 100, messages that tell most and random ones, in fractions."""
    random, seen = Random(16), 0
    sizes = ((100, 1), (100, 100)) if mechanism == "ue" else ((100, 1), (100, 100), (10**6, 7), (2**31, 100))
    for variant, (keys, padding), epsilon in product(VARIANTS[mechanism], sizes, EPSILONS):
        try:
            keys_taken = min(keys, CHANNELS[mechanism].max_keys)
            channel = build(mechanism, keys_taken, padding, Fraction(epsilon), variant)
        except ParameterError:
            # Not every prime and padding goes with every number of keys and ε.
            continue
        for size in {0, 1, padding}:
            seen += check_telling_messages(channel, size, random)
    assert seen > 90


def check_telling_messages(channel: Channel, size: int, random: Random) -> int:
    """Check the bounds at the messages that tell most about a set; return how many there were."""
    held = {key: random.choice((1, 0)) for key in random.sample(range(channel.keys), size)}
    told = [(key, each) for key, level in list(held.items())[:2] for each in (level, 1 - level)]
    messages = [telling_message(channel, *pair, random) for pair in told]
    messages.append(telling_message(channel, random.randrange(channel.keys), 1, random))
    for message in messages:
        least = channel.blanket * (
            channel.chance({}, message) if channel.word_limit is None else Fraction(1, channel.word_limit)
        )
        assert least <= channel.chance(held, message) <= channel.realised * least
    return len(messages)


@pytest.mark.parametrize("mechanism", CHANNELS)
def test_laws_at_every_padding_with_random_parameters(mechanism: str) -> None:
    """A constant may be wrong at some paddings, ε or parameters only."""
    random, made = Random(f"blanket {mechanism}"), 0
    while made < MAX_PADDING:
        # Chances of planes are long fractions; the padding plays no part in their constants.
        keys, padding = (6, made % 6 + 1) if mechanism == UeChannel.name else (2 * MAX_PADDING, made + 1)
        parameters = random_parameters(random, mechanism, padding)
        try:
            epsilon = Fraction(random_decimal(random, -5.9, 1.29))
            channels = [build(mechanism, keys, slots, epsilon, parameters) for slots in (1, padding)]
        except ParameterError:
            continue
        # As many pairs as the padding: each of the slots is a pair's own. A single one shows most.
        for channel in channels:
            assert check_telling_messages(channel, channel.padding, random) >= 3
        made += 1
