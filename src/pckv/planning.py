"""A plan made ahead: which mechanism and padding, what error to expect, what can go wrong."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import Any

from pckv.channels import CHANNELS, Channel
from pckv.errors import ParameterError
from pckv.prediction import Errors, predict
from pckv.report import ID_BYTES
from pckv.selection import least_error, objection, suited
from pckv.task import MOST_KEYS, checked_epsilon
from pckv.theory import CountMoments
from pckv.tuning import DEFAULT_OBJECTIVE, Aim, aim_for

# Where nothing is known of the data, a plan is made for a key held by this share.
REFERENCE_FREQUENCY = 0.05
FREQUENCIES = (0.001, 0.01, 0.05, 0.1, 0.5)
WANTED_ERRORS = (0.02, 0.01, 0.005, 0.001)
PADDINGS = (1, 2, 3, 5, 10, 20, 50, 100, 200)
MOST_USERS = 10**15
SMALLEST_FREQUENCY = 1e-9
# A frequency counts as told from zero if its interval leaves zero out this often.
DETECTION_LEVEL = 0.95
DETECTION_POWER = 0.8


@dataclass(frozen=True)
class Option:
    """One mechanism with its best padding and parameters, and what it would cost."""

    mechanism: str
    padding: int
    parameters: dict[str, str | int]
    bytes_a_report: int
    frequency_error: float
    mean_error: float
    # Why it is not chosen; empty for the one that is.
    objection: str


@dataclass(frozen=True)
class ErrorAt:
    """The errors to expect of method `corrected` at one true frequency, bias included (means on [-1, 1])."""

    frequency: float
    frequency_error: float
    mean_error: float


@dataclass(frozen=True)
class Hostile:
    """By how much hostile reports can raise frequencies, at the worst.

    `one_report` and `one_percent` are for one target key; `ten_keys` is the total over ten
    target keys that one percent of the reports can add.
    """

    one_report: float
    one_percent: float
    ten_keys: float


@dataclass(frozen=True)
class Plan:
    """What to run and what to expect of it."""

    keys: int
    users: int
    epsilon: float
    pairs: int
    frequency: float
    objective: str
    mechanism: str
    padding: int
    parameters: dict[str, str | int]
    why: str
    budgets: dict[str, float]
    a: float
    b: float
    p: float
    bytes_a_report: int
    errors: tuple[ErrorAt, ...]
    smallest_frequency: float
    users_needed: dict[float, int | None]
    hostile: Hostile
    options: tuple[Option, ...]

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain values."""
        plain = asdict(self)
        plain["users_needed"] = [
            {"frequency_error": error, "users": users} for error, users in self.users_needed.items()
        ]
        return plain


def plan(
    keys: int,
    users: int,
    epsilon: float | str,
    pairs: int = 1,
    *,
    frequency: float = REFERENCE_FREQUENCY,
    objective: str = DEFAULT_OBJECTIVE,
) -> Plan:
    """Choose mechanism, parameters and padding by their predicted errors for a key of this frequency.

    The objective is the error that counts: of the frequency, of the mean, or both (their geometric mean).

    Everybody is taken to hold `pairs` pairs; a padding below that reports frequencies too low by
    the factor padding/pairs, which counts as error.

    >>> chosen = plan(keys=5850, users=105_508, epsilon=1.0, pairs=3)
    >>> chosen.mechanism, chosen.padding
    ('collision', 3)
    """
    _check(keys, users, pairs, frequency)
    exact_epsilon = Fraction(checked_epsilon(epsilon))
    aim = aim_for(keys, 1, objective, users)._replace(frequency=frequency)
    best = [_best_padding(name, keys, exact_epsilon, pairs, aim) for name in CHANNELS]
    channel = least_error(
        [(aim.rank(_errors(each, aim, pairs)), each) for each in best if not objection(each, users)]
    )
    moments = CountMoments.of(channel.count_law)
    a, b, p = (float(probability) for probability in channel.probabilities)
    return Plan(
        keys=keys,
        users=users,
        epsilon=float(exact_epsilon),
        pairs=pairs,
        frequency=frequency,
        objective=objective,
        mechanism=channel.name,
        padding=channel.padding,
        parameters=channel.parameters,
        why=channel.why,
        budgets=channel.budgets,
        a=a,
        b=b,
        p=p,
        bytes_a_report=ID_BYTES + channel.body_bytes,
        errors=tuple(_error_at(channel, aim._replace(frequency=f), pairs) for f in FREQUENCIES),
        smallest_frequency=smallest_frequency(moments, users, seen_share(channel, pairs)),
        users_needed={error: users_for(channel, pairs, frequency, error) for error in WANTED_ERRORS},
        hostile=hostile(channel, users),
        options=tuple(_option(each, channel, aim, pairs) for each in best),
    )


def _check(keys: int, users: int, pairs: int, frequency: float) -> None:
    if not 1 <= keys <= MOST_KEYS:
        raise ParameterError(f"keys must be at least 1 and at most 2^31, not {keys}")
    if not 1 <= users <= MOST_USERS:
        raise ParameterError(f"users must be at least 1 and at most 10^15, not {users}")
    if not 1 <= pairs <= keys:
        raise ParameterError(f"pairs must be at least 1 and at most the number of keys, not {pairs}")
    if not SMALLEST_FREQUENCY <= frequency <= 1:
        raise ParameterError(
            f"frequency must be at least {SMALLEST_FREQUENCY:g} and at most 1, not {frequency}"
        )


def _best_padding(name: str, keys: int, epsilon: Fraction, pairs: int, aim: Aim) -> Channel:
    """A mechanism with the padding, and parameters for it, that suit the aim best; without objection if possible."""
    paddings = sorted({padding for padding in PADDINGS if padding < pairs} | {pairs})
    channels = [suited(name, keys, padding, epsilon, {}, aim) for padding in paddings]
    return min(
        channels,
        key=lambda channel: (objection(channel, aim.users) != "", aim.rank(_errors(channel, aim, pairs))),
    )


def seen_share(channel: Channel, pairs: int) -> float:
    """The share of a frequency that its estimate sees: less than all where the padding is too short."""
    return min(1, channel.padding / pairs)


def _errors(channel: Channel, aim: Aim, pairs: int) -> Errors:
    moments = CountMoments.of(channel.count_law)
    return predict(moments, aim.users, aim.frequency, seen_share(channel, pairs))


def _error_at(channel: Channel, aim: Aim, pairs: int) -> ErrorAt:
    return ErrorAt(aim.frequency, *map(math.sqrt, _errors(channel, aim, pairs)))


def _option(channel: Channel, chosen: Channel, aim: Aim, pairs: int) -> Option:
    error = _error_at(channel, aim, pairs)
    return Option(
        mechanism=channel.name,
        padding=channel.padding,
        parameters=channel.parameters,
        bytes_a_report=ID_BYTES + channel.body_bytes,
        frequency_error=error.frequency_error,
        mean_error=error.mean_error,
        objection=""
        if channel is chosen
        else objection(channel, aim.users) or _drawback(channel, chosen, aim, pairs),
    )


def _drawback(channel: Channel, chosen: Channel, aim: Aim, pairs: int) -> str:
    """By how much another channel was predicted to be better, or that it was the size of reports."""
    more = aim.rank(_errors(channel, aim, pairs)) / aim.rank(_errors(chosen, aim, pairs)) - 1
    if more > 0:
        return f"{more:.1%} more squared error"
    return f"larger reports for {-more:.1%} less squared error"


def smallest_frequency(moments: CountMoments, users: int, seen: float = 1.0) -> float:
    """The least frequency whose interval leaves zero out four times out of five; at most 1.

    `seen` is the share of a frequency that the estimate sees.
    """
    normal = NormalDist()
    level, power = normal.inv_cdf((1 + DETECTION_LEVEL) / 2), normal.inv_cdf(DETECTION_POWER)

    def shortfall(f: float) -> float:
        noise = level * math.sqrt(moments.frequency_variance(0.0) / users)
        return noise + power * math.sqrt(moments.frequency_variance(f * seen) / users) - f * seen

    low, high = 0.0, 1.0
    if shortfall(high) > 0:
        return high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if shortfall(middle) > 0 else (low, middle)
    return high


def users_for(channel: Channel, pairs: int, frequency: float, error: float) -> int | None:
    """How many users bring the error of a frequency down to this; None if its bias is larger."""
    seen = frequency * seen_share(channel, pairs)
    allowed = error**2 - (frequency - seen) ** 2
    moments = CountMoments.of(channel.count_law)
    return math.ceil(moments.frequency_variance(seen) / allowed) if allowed > 0 else None


def hostile(channel: Channel, users: int) -> Hostile:
    """The largest change of estimated frequencies that chosen reports can bring about."""
    moments = CountMoments.of(channel.count_law)

    def gain(targets: int) -> float:
        return (channel.most_supported(targets) - targets * moments.noise) / moments.signal / users

    hostile_reports = users / 100
    return Hostile(gain(1), hostile_reports * gain(1), hostile_reports * gain(min(10, channel.keys)))
