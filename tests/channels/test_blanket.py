"""γ and R of every mechanism: all laws of a report are from γ to γ·R times one law, exactly."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from pckv.auditing.variants import VARIANTS
from pckv.channels import CHANNELS, Channel, build
from pckv.channels.collision import CollisionChannel
from pckv.channels.size_question import SizeQuestion
from pckv.planning.shuffled import ReportLaws
from support.shuffles import report_laws

EPSILONS = ("0.000001", "0.5", "4", "20")
SIZES = ((1, 1), (2, 1), (2, 2), (3, 2))
MAX_WORDS = 130


def small_channels(mechanism: str) -> list[Channel]:
    found: list[Channel] = []
    for variant, (keys, padding), epsilon in product(VARIANTS[mechanism], SIZES, EPSILONS):
        if mechanism == "collision":
            found.append(CollisionChannel(keys, padding, Fraction(epsilon), padding + 2, functions=3))
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
            for law in report_laws(channel, asked):
                assert all(least <= chance <= ratio * least for least, chance in zip(below, law, strict=True))


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
