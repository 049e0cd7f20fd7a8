"""Which mechanism: the one with the least predicted error for what is wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from pckv.channels import CHANNELS, Channel, build
from pckv.channels.ue import TUNED
from pckv.errors import ParameterError
from pckv.tuning import Aim, beta_for, tuned

# The mechanism that is chosen when a task is made.
AUTO = "auto"
# Reports larger than this are made only where their mechanism was asked for by name.
LARGEST_AUTO_BODY = 2**20
# Reports times keys: more would be asked for longer than about twenty minutes on two cores.
MOST_ASKED = 2**40
# What is cheaper is preferred where the error is at most this factor larger.
NEXT_TO_NOTHING = 1.05


def objection(channel: Channel, users: int) -> str:
    """Why `auto` does not choose a channel for so many users; empty if it may."""
    if channel.body_bytes > LARGEST_AUTO_BODY:
        return f"its reports have {channel.body_bytes:,} bytes"
    if not channel.decodes_all:
        return f"its {channel.word_limit:,} words are too many to decode all keys together"
    if channel.asked(users) > MOST_ASKED:
        return f"every report of {users:,} would have to be asked about {channel.keys:,} keys"
    return ""


def least_error(errors: Sequence[tuple[float, Channel]]) -> Channel:
    """The channel with the least error, or one that costs next to nothing more of it and less of all else.

    A word is better than bit planes, and a decode with a shortcut than one that asks every report.
    """
    least = min(error for error, _ in errors)
    near = [(error, channel) for error, channel in errors if error <= NEXT_TO_NOTHING * least]
    return min(near, key=lambda each: (each[1].word_limit is None, each[1].asked(1) > 0, each[0]))[1]


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
    candidates = buildable(able, keys, padding, epsilon, parameters, aim)
    eligible = [channel for channel in candidates if not objection(channel, aim.users)]
    if not eligible:
        why = objection(candidates[0], aim.users)
        raise ParameterError(f"auto does not choose {candidates[0].name}, for {why}: ask for it by name")
    return least_error([(aim.rank(aim.predict(channel.count_law)), channel) for channel in eligible])


def buildable(  # noqa: PLR0917
    names: Sequence[str],
    keys: int,
    padding: int,
    epsilon: Fraction,
    parameters: Mapping[str, object],
    aim: Aim,
) -> list[Channel]:
    """Those of some mechanisms that there can be; if there can be none, why not."""
    found: list[Channel] = []
    refusal = ParameterError("no mechanism can do this")
    for name in names:
        try:
            found.append(suited(name, keys, padding, epsilon, parameters, aim))
        except ParameterError as error:
            refusal = error
    if not found:
        raise refusal
    return found


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
