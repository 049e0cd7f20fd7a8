"""Which mechanism: the one with the least predicted error for the objective."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from pckv.channels import CHANNELS, Channel, build
from pckv.channels.ue import TUNED
from pckv.errors import ParameterError
from pckv.limits import AUTO, DEFAULT_OBJECTIVE, DEFAULT_USERS
from pckv.planning.objective import Objective, objective_for
from pckv.planning.tuning import ChannelSpec, best_beta, tuned_parameters
from pckv.wire import BitPlanes

# Reports larger than this are made only where their mechanism was asked for by name.
MAX_AUTO_BODY_BYTES = 2**20
# Reports times keys: checking more of them would take longer than about twenty minutes on two cores.
MAX_DECODE_STEPS = 2**40
# What is cheaper is preferred where its squared error is at most this factor larger.
TOLERATED_ERROR_FACTOR = 1.05


def decode_steps(channel: Channel, reports: int) -> int:
    """Return how many pairs of a word and a key are looked at to decode all keys; 0 where there is a shortcut."""
    # Words of `collision` are almost never the same, and a hash has no structure.
    return channel.keys * reports if channel.name == "collision" else 0


def exclusion_reason(channel: Channel, users: int) -> str:
    """Return why `auto` does not choose a channel for this many users; empty if it may."""
    if channel.body_bytes > MAX_AUTO_BODY_BYTES:
        return f"its reports have {channel.body_bytes:,} bytes"
    if not channel.decodes_all:
        return f"its {channel.word_limit:,} words are too many to decode all keys together"
    if decode_steps(channel, users) > MAX_DECODE_STEPS:
        return f"every report of {users:,} would have to be asked about {channel.keys:,} keys"
    return ""


def least_error(scored: Sequence[tuple[float, Channel]]) -> Channel:
    """Return the channel with the least error, or a cheaper one whose error is not much larger.

    A word is cheaper than bit planes, and a decode with a shortcut than one that looks at every report.
    """
    least = min(error for error, _ in scored)
    near = [(error, channel) for error, channel in scored if error <= TOLERATED_ERROR_FACTOR * least]

    def cost(candidate: tuple[float, Channel]) -> tuple[bool, bool, float]:
        error, channel = candidate
        return isinstance(channel.message_format, BitPlanes), decode_steps(channel, 1) > 0, error

    return min(near, key=cost)[1]


def select_channel(
    keys: int,
    padding: int,
    epsilon: Fraction,
    mechanism: Mapping[str, object],
    *,
    objective: str = DEFAULT_OBJECTIVE,
    users: int = DEFAULT_USERS,
) -> Channel:
    """Return the channel for a mechanism's name and parameters; what they leave open is chosen by predicted error.

    `ue` and `grr` by their names alone are the paper's, with its optimized allocation.

    Raises:
        ParameterError: if the mechanism does not exist, or cannot be what was asked for.
    """
    parameters = dict(mechanism)
    name = str(parameters.pop("name", None))
    spec, aim = ChannelSpec(keys, padding, epsilon), objective_for(keys, padding, objective, users)
    if name != AUTO:
        return _named_channel(name, spec, parameters, aim)
    able = [each for each, channel in CHANNELS.items() if channel.options >= set(parameters)]
    if not able:
        raise ParameterError(f"no mechanism has the parameters {', '.join(sorted(parameters))}")
    candidates = _buildable(able, spec, parameters, aim)
    eligible = [channel for channel in candidates if not exclusion_reason(channel, aim.users)]
    if not eligible:
        why = exclusion_reason(candidates[0], aim.users)
        raise ParameterError(f"auto does not choose {candidates[0].name}, for {why}: ask for it by name")
    return least_error([(aim.score(aim.predict(channel.count_law)), channel) for channel in eligible])


def tuned_channel(
    name: str, spec: ChannelSpec, objective: Objective, parameters: Mapping[str, object] | None = None
) -> Channel:
    """Return a mechanism with the parameters given, or without any with those that suit the objective best."""
    return build(name, *spec, parameters or dict(tuned_parameters(name, spec, objective)))


def _buildable(
    names: Sequence[str], spec: ChannelSpec, parameters: Mapping[str, object], objective: Objective
) -> list[Channel]:
    """Those of some mechanisms that can be built; if none can, the reason is raised."""
    found: list[Channel] = []
    refusal = ParameterError("no mechanism can do this")
    for name in names:
        try:
            found.append(tuned_channel(name, spec, objective, parameters))
        except ParameterError as error:
            refusal = error
    if not found:
        raise refusal
    return found


def _named_channel(
    name: str, spec: ChannelSpec, parameters: Mapping[str, object], objective: Objective
) -> Channel:
    if name == "ue-compact" and not parameters:
        return tuned_channel(name, spec, objective)
    if name == "ue" and parameters.get("allocation") == TUNED and "beta" not in parameters:
        parameters = {**parameters, "beta": best_beta(spec, objective)}
    return build(name, *spec, parameters)
