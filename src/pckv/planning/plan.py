"""A plan made ahead: which mechanism and padding, what error to expect, what can go wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from pckv.channels import CHANNELS, Channel
from pckv.errors import ParameterError
from pckv.limits import DEFAULT_OBJECTIVE, MAX_KEYS, REPORT_ID_BYTES, check_epsilon
from pckv.moments import CountMoments
from pckv.planning.detection import smallest_detected_frequency
from pckv.planning.explanation import explain_parameters
from pckv.planning.objective import Objective, objective_for
from pckv.planning.prediction import predict, predicted_errors
from pckv.planning.selection import decode_steps, exclusion_reason, least_error, tuned_channel
from pckv.planning.set_sizes import PilotEstimates, SetSizes
from pckv.planning.tuning import ChannelSpec

# Where nothing is known of the data, a plan is made for a key held by this share.
REFERENCE_FREQUENCY = 0.05
FREQUENCIES = (0.001, 0.01, 0.05, 0.1, 0.5)
WANTED_ERRORS = (0.02, 0.01, 0.005, 0.001)
PADDINGS = (1, 2, 3, 5, 10, 20, 50, 100, 200)
MAX_USERS = 10**15
MIN_FREQUENCY = 1e-9
# The rule of Wang et al. (2018), shown for comparison: a padding that this share of people does not exceed.
USUAL_SHARE = 0.9


# Members of the JSON that scripts rely on, where the attribute has a plainer name.
JSON_NAMES = {"bytes_per_report": "bytes_a_report", "reason_not_chosen": "objection"}


def _json_members(members: list[tuple[str, Any]]) -> dict[str, Any]:
    return {JSON_NAMES.get(name, name): value for name, value in members}


@dataclass(frozen=True)
class Option:
    """One mechanism with its best padding and parameters, and what it would cost."""

    mechanism: str
    padding: int
    parameters: dict[str, str | int]
    bytes_per_report: int
    frequency_error: float
    mean_error: float
    # Empty for the option that is chosen.
    reason_not_chosen: str


@dataclass(frozen=True)
class Alternative:
    """Another way to choose the padding of the mechanism that is chosen, and its errors."""

    rule: str
    padding: int
    frequency_error: float
    mean_error: float


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
    """What to run and what to expect of it.

    `pairs` is how many people hold on average, `usual_pairs` how many nine of ten do not exceed, and `seen`
    the share of a frequency that reports show. `alternatives` are there where sizes were given.
    """

    keys: int
    users: int
    epsilon: float
    pairs: float
    usual_pairs: int
    seen: float
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
    bytes_per_report: int
    errors: tuple[ErrorAt, ...]
    smallest_frequency: float
    users_needed: dict[float, int | None]
    hostile: Hostile
    options: tuple[Option, ...]
    alternatives: tuple[Alternative, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain values, under the names of the JSON that `pckv plan --json` prints."""
        plain = asdict(self, dict_factory=_json_members)
        plain["users_needed"] = [
            {"frequency_error": error, "users": users} for error, users in self.users_needed.items()
        ]
        return plain


def plan(
    keys: int,
    users: int,
    epsilon: float | str,
    pairs: int | None = None,
    *,
    sizes: SetSizes | Mapping[int, float] | PilotEstimates | None = None,
    frequency: float | None = None,
    objective: str = DEFAULT_OBJECTIVE,
) -> Plan:
    """Return the mechanism, parameters and padding with the least predicted error, and what to expect of them.

    A padding below the number of pairs that people hold makes frequencies too low, which counts as error.

    Args:
        keys: The number of keys.
        users: How many people will take part.
        epsilon: The privacy budget of a report.
        pairs: How many pairs everybody holds; 1 by default.
        sizes: How many people hold how many pairs, in place of `pairs`: a histogram, or the estimates of a pilot.
        frequency: The frequency of the keys that matter; by default 5 %, or with `sizes` one such as the 50 most
            frequent keys may have.
        objective: The error that counts: `frequency`, `mean`, or `both` (their geometric mean).

    Raises:
        ParameterError: if a number is outside its domain, or both `pairs` and `sizes` are given.

    >>> chosen = plan(keys=5850, users=105_508, epsilon=1.0, pairs=3)
    >>> chosen.mechanism, chosen.padding
    ('collision', 3)
    >>> plan(keys=5850, users=105_508, epsilon=1.0, sizes={1: 70_000, 2: 20_000, 6: 10_000}).padding
    1
    """
    _check(keys, users, pairs, frequency)
    if sizes is not None and pairs is not None:
        raise ParameterError("pairs and sizes say the same: give one of them")
    people = (SetSizes({pairs or 1: 1}) if sizes is None else SetSizes.of(sizes)).at_most(keys)
    if frequency is None:
        guess = REFERENCE_FREQUENCY if sizes is None else people.popular_frequency(keys)
        frequency = max(guess, MIN_FREQUENCY)
    exact_epsilon = Fraction(check_epsilon(epsilon))
    wanted = objective_for(keys, 1, objective, users)._replace(frequency=frequency)
    best = [
        _best_padding(_channels(name, keys, exact_epsilon, people, wanted), people, wanted)
        for name in CHANNELS
    ]
    channel = least_error(
        [(_score(each, wanted, people), each) for each in best if not exclusion_reason(each, users)]
    )
    moments, seen = CountMoments.of(channel.count_law), people.seen(channel.padding)
    a, b, p = (float(probability) for probability in channel.probabilities)
    return Plan(
        keys=keys,
        users=users,
        epsilon=float(exact_epsilon),
        pairs=people.mean,
        usual_pairs=people.percentile(USUAL_SHARE),
        seen=seen,
        frequency=frequency,
        objective=objective,
        mechanism=channel.name,
        padding=channel.padding,
        parameters=channel.parameters,
        why=explain_parameters(channel),
        budgets=channel.budgets,
        a=a,
        b=b,
        p=p,
        bytes_per_report=REPORT_ID_BYTES + channel.body_bytes,
        errors=tuple(_error_at(channel, wanted._replace(frequency=f), people) for f in FREQUENCIES),
        smallest_frequency=smallest_detected_frequency(moments, users, keys, seen),
        users_needed={error: users_for(channel, frequency, error, seen) for error in WANTED_ERRORS},
        hostile=hostile(channel, users),
        options=tuple(_option(each, channel, wanted, people) for each in best),
        alternatives=() if sizes is None else _alternatives(channel, exact_epsilon, people, wanted),
    )


def _check(keys: int, users: int, pairs: int | None, frequency: float | None) -> None:
    if not 1 <= keys <= MAX_KEYS:
        raise ParameterError(f"keys must be at least 1 and at most 2^31, not {keys}")
    if not 1 <= users <= MAX_USERS:
        raise ParameterError(f"users must be at least 1 and at most 10^15, not {users}")
    if pairs is not None and not 1 <= pairs <= keys:
        raise ParameterError(f"pairs must be at least 1 and at most the number of keys, not {pairs}")
    if frequency is not None and not MIN_FREQUENCY <= frequency <= 1:
        raise ParameterError(f"frequency must be at least {MIN_FREQUENCY:g} and at most 1, not {frequency}")


def _channels(name: str, keys: int, epsilon: Fraction, people: SetSizes, wanted: Objective) -> list[Channel]:
    """A mechanism with every padding that comes into question, and parameters for it."""
    paddings = {min(padding, people.largest) for padding in PADDINGS} | {_usual(people)}
    return [tuned_channel(name, ChannelSpec(keys, padding, epsilon), wanted) for padding in sorted(paddings)]


def _usual(people: SetSizes) -> int:
    return max(1, people.percentile(USUAL_SHARE))


def _best_padding(channels: list[Channel], people: SetSizes, wanted: Objective) -> Channel:
    """The one whose padding suits the objective best; one that `auto` may choose, if there is one."""
    return min(
        channels,
        key=lambda channel: (
            exclusion_reason(channel, wanted.users) != "",
            _score(channel, wanted, people),
        ),
    )


def _score(channel: Channel, wanted: Objective, people: SetSizes) -> float:
    """What channels are compared by: their squared errors, as far as the objective counts them."""
    moments = CountMoments.of(channel.count_law)
    return wanted.score(predict(moments, wanted.users, wanted.frequency, people.seen(channel.padding)))


def _alternatives(
    chosen: Channel, epsilon: Fraction, people: SetSizes, wanted: Objective
) -> tuple[Alternative, ...]:
    channels = _channels(chosen.name, chosen.keys, epsilon, people, wanted)
    usual = next(channel for channel in channels if channel.padding == _usual(people))
    error = _error_at(usual, wanted, people)
    return (Alternative("90 %", usual.padding, error.frequency_error, error.mean_error),)


def _error_at(channel: Channel, wanted: Objective, people: SetSizes) -> ErrorAt:
    seen = people.seen(channel.padding)
    return ErrorAt(wanted.frequency, *predicted_errors(channel, wanted.users, wanted.frequency, seen))


def _option(channel: Channel, chosen: Channel, wanted: Objective, people: SetSizes) -> Option:
    error = _error_at(channel, wanted, people)
    return Option(
        mechanism=channel.name,
        padding=channel.padding,
        parameters=channel.parameters,
        bytes_per_report=REPORT_ID_BYTES + channel.body_bytes,
        frequency_error=error.frequency_error,
        mean_error=error.mean_error,
        reason_not_chosen=""
        if channel is chosen
        else exclusion_reason(channel, wanted.users) or _drawback(channel, chosen, wanted, people),
    )


def _drawback(channel: Channel, chosen: Channel, wanted: Objective, people: SetSizes) -> str:
    """Return by how much more error another channel was predicted to have, or what it would cost."""
    more = _score(channel, wanted, people) / _score(chosen, wanted, people) - 1
    if more > 0:
        return f"{more:.1%} more squared error"
    cost = "a slower decode" if decode_steps(channel, 1) else "larger reports"
    return f"{cost} for {-more:.1%} less squared error"


def users_for(channel: Channel, frequency: float, error: float, seen: float = 1.0) -> int | None:
    """How many users bring the error of a frequency down to this; None if its bias is larger."""
    shown = frequency * seen
    allowed = error**2 - (frequency - shown) ** 2
    moments = CountMoments.of(channel.count_law)
    return math.ceil(moments.frequency_variance(shown) / allowed) if allowed > 0 else None


def hostile(channel: Channel, users: int) -> Hostile:
    """The largest change of estimated frequencies that chosen reports can bring about."""
    moments = CountMoments.of(channel.count_law)

    def gain(targets: int) -> float:
        return (channel.max_support(targets) - targets * moments.noise) / moments.signal / users

    hostile_reports = users / 100
    return Hostile(gain(1), hostile_reports * gain(1), hostile_reports * gain(min(10, channel.keys)))
