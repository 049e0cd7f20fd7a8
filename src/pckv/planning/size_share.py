"""Which share of the reports answers the size question: few enough not to cost much, enough to bound what is hidden."""

from __future__ import annotations

import math
from fractions import Fraction

from pckv.channels import Channel
from pckv.channels.size_question import SizeQuestion
from pckv.moments import CountMoments
from pckv.wire import BitPlanes

SIZE_SHARES = (Fraction(1, 20), Fraction(1, 10), Fraction(1, 5))
# The width of a frequency's interval relative to that of somebody who knows the sizes.
MAX_WIDENING = 1.4


def choose_size_share(channel: Channel, frequency: float) -> Fraction:
    """Return the smallest share that keeps a key's interval nearly as narrow as if the sizes were known.

    It is 0 for a mechanism without words, and where nobody can hold more pairs than the padding.

    Args:
        channel: What the pairs are reported with.
        frequency: The frequency, as reports show it, of a key that matters.
    """
    if not asks_sizes(channel):
        return Fraction(0)
    frequency_variance = CountMoments.of(channel.count_law).frequency_variance(frequency)
    hidden_variance = hidden_share_variance(channel)
    for share in SIZE_SHARES[:-1]:
        ratio = (hidden_variance / float(share)) / (frequency_variance / float(1 - share))
        if (1 + math.sqrt(1 + ratio)) / 2 <= MAX_WIDENING:
            return share
    return SIZE_SHARES[-1]


def asks_sizes(channel: Channel) -> bool:
    """Whether some of the reports may answer the size question."""
    return channel.padding < channel.keys and not isinstance(channel.message_format, BitPlanes)


def hidden_share_variance(channel: Channel) -> float:
    """The variance, per answer, of the estimate of what larger sets can hide, where nobody has one."""
    ends, kept, other = _question(channel)
    weights = [1 - channel.padding / end for end in ends]
    square, mean = math.fsum(each * each for each in weights), math.fsum(weights)
    return (other * square - (other * mean) ** 2) / (kept - other) ** 2


def share_above_variance(channel: Channel, share: float) -> float:
    """The variance, per answer, of the estimated share of people who hold more pairs than the padding."""
    ends, kept, other = _question(channel)
    answered = share * (kept + (len(ends) - 2) * other) + (1 - share) * (len(ends) - 1) * other
    return answered * (1 - answered) / (kept - other) ** 2


def _question(channel: Channel) -> tuple[tuple[int, ...], float, float]:
    """The ends of the size question, the chance of the true one, and that of each other one."""
    question = SizeQuestion(channel.keys, channel.padding, channel.epsilon, SIZE_SHARES[0])
    kept = question.kept / question.one
    return question.ends, kept, (1 - kept) / (len(question.ends) - 1)
