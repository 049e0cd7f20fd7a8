"""How large a share of the reports answers the size question."""

from __future__ import annotations

import math
from fractions import Fraction

from pckv.channels import Channel
from pckv.channels.size_question import SizeQuestion
from pckv.moments import CountMoments

SHARES = ("0.05", "0.1", "0.2")
# The width of the interval of a rare key relative to the one of somebody who knows the sizes.
MAX_WIDTH_FACTOR = 1.4


def choose_size_share(channel: Channel) -> str:
    """Return the least share whose answers keep intervals narrow; 0 where the question does not arise."""
    if channel.word_limit is None or channel.padding >= channel.keys:
        return "0"
    return next((share for share in SHARES if _width_factor(channel, share) <= MAX_WIDTH_FACTOR), SHARES[-1])


def _width_factor(channel: Channel, share: str) -> float:
    """How much wider the interval of a frequency becomes because the sizes are only estimated."""
    asked = Fraction(share)
    question = SizeQuestion(channel.keys, channel.padding, channel.epsilon, asked)
    of_pairs = float(CountMoments.of(channel.count_law).frequency_variance(0.0)) / float(1 - asked)
    return (1 + math.sqrt(1 + question.hidden_variance / float(asked) / of_pairs)) / 2
