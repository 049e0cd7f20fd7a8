"""Which mechanism: the one with the least predicted error for what is wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from operator import itemgetter

from pckv.channels import CHANNELS, Channel, build
from pckv.channels.ue import TUNED
from pckv.errors import ParameterError
from pckv.tuning import Aim, beta_for, tuned

# The mechanism that is chosen when a task is made.
AUTO = "auto"
# Reports larger than this are made only where their mechanism was asked for by name.
LARGEST_AUTO_BODY = 2**20
# One word a report is preferred to bit planes where the error is at most this factor larger.
NEXT_TO_NOTHING = 1.03


def objection(channel: Channel) -> str:
    """Why `auto` does not choose a channel; empty if it may."""
    if channel.body_bytes > LARGEST_AUTO_BODY:
        return f"its reports have {channel.body_bytes:,} bytes"
    if not channel.decodes_all:
        return f"its {channel.word_limit:,} words are too many to decode all keys together"
    return ""


def least_error(errors: Sequence[tuple[float, Channel]]) -> Channel:
    """The channel with the least error; one word a report, where that costs next to nothing."""
    least, best = min(errors, key=itemgetter(0))
    in_words = [
        pair for pair in errors if pair[1].word_limit is not None and pair[0] <= NEXT_TO_NOTHING * least
    ]
    return min(in_words, key=itemgetter(0))[1] if in_words else best


def resolve(  # noqa: PLR0917
    name: str, keys: int, padding: int, epsilon: Fraction, parameters: Mapping[str, object], aim: Aim
) -> Channel:
    """The channel of a mechanism; what a task leaves open is chosen by the errors predicted for an aim.

    `ue` and `grr` by their names alone are the paper's, with its optimized allocation.
    """
    if name != AUTO:
        return _named(name, keys, padding, epsilon, parameters, aim)
    able = [each for each, channel in CHANNELS.items() if channel.options >= set(parameters)]
    if not able:
        raise ParameterError(f"no mechanism has the parameters {', '.join(sorted(parameters))}")
    candidates = [suited(each, keys, padding, epsilon, parameters, aim) for each in able]
    eligible = [channel for channel in candidates if not objection(channel)]
    if not eligible:
        raise ParameterError(
            f"auto does not choose {able[0]}, for {objection(candidates[0])}: ask for it by name"
        )
    return least_error([(aim.rank(aim.predict(channel.count_law)), channel) for channel in eligible])


def suited(  # noqa: PLR0917
    name: str, keys: int, padding: int, epsilon: Fraction, parameters: Mapping[str, object], aim: Aim
) -> Channel:
    """A mechanism with the parameters given, or without any with those that suit the aim best."""
    return build(name, keys, padding, epsilon, parameters or dict(tuned(name, keys, padding, epsilon, aim)))


def _named(  # noqa: PLR0917
    name: str, keys: int, padding: int, epsilon: Fraction, parameters: Mapping[str, object], aim: Aim
) -> Channel:
    if name == "ue-compact" and not parameters:
        return suited(name, keys, padding, epsilon, {}, aim)
    if name == "ue" and parameters.get("allocation") == TUNED and "beta" not in parameters:
        parameters = {**parameters, "beta": beta_for(padding, epsilon, aim)}
    return build(name, keys, padding, epsilon, parameters)
