"""How large a share of the reports answers the size question."""

from __future__ import annotations

import math
from fractions import Fraction

from pckv.channels import Channel
from pckv.channels.size_question import SizeQuestion
from pckv.moments import CountMoments

SHARES = ("0.05", "0.1", "0.2")
# The width of the interval of a key that matters relative to the one of somebody who knows the sizes.
MAX_WIDTH_FACTOR = 1.4


def choose_size_share(channel: Channel, frequency: float = 0.0) -> str:
    """Return the least share whose answers keep intervals narrow; 0 where the question does not arise.

    `frequency` is that of a key that matters, as reports show it.
    """
    if channel.word_limit is None or channel.padding >= channel.keys:
        return "0"
    return next(
        (share for share in SHARES if _width_factor(channel, share, frequency) <= MAX_WIDTH_FACTOR),
        SHARES[-1],
    )


def _width_factor(channel: Channel, share: str, frequency: float) -> float:
    """How much wider the interval of a frequency becomes because the sizes are only estimated."""
    asked = Fraction(share)
    question = SizeQuestion(channel.keys, channel.padding, channel.epsilon, asked)
    of_pairs = float(CountMoments.of(channel.count_law).frequency_variance(frequency)) / float(1 - asked)
    return (1 + math.sqrt(1 + question.hidden_variance / float(asked) / of_pairs)) / 2


def share_above_variance(channel: Channel, share: Fraction, above: float) -> float:
    """Return the variance, per answer, of the estimated share of people who hold more pairs than the padding."""
    question = SizeQuestion(channel.keys, channel.padding, channel.epsilon, share)
    true, other = float(question.true_chance), float(question.other_chance)
    answered = above * (1 - other) + (1 - above) * (1 - true)
    return answered * (1 - answered) / (true - other) ** 2
