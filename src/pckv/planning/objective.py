"""What a collection is meant to learn, and of how many people: what errors are compared by."""

from __future__ import annotations

import math
from typing import NamedTuple

from pckv.channels import CountLaw
from pckv.errors import ParameterError
from pckv.limits import DEFAULT_OBJECTIVE, DEFAULT_USERS
from pckv.moments import CountMoments
from pckv.planning.prediction import SquaredErrors, predict

OBJECTIVES = ("both", "frequency", "mean")
# Who asks for frequencies may lose this factor of the mean's squared error, and the other way round.
MAX_TRADE_OFF = 1.02


class Objective(NamedTuple):
    """Which error counts, and for what population: n users, keys of one frequency, means anywhere."""

    target: str
    users: int
    frequency: float

    def score(self, errors: SquaredErrors) -> float:
        """What mechanisms are compared by: one squared error, or the geometric mean of both."""
        if self.target == "both":
            return math.sqrt(errors.frequency * errors.mean)
        return errors.frequency if self.target == "frequency" else errors.mean

    def loss(self, errors: SquaredErrors, ue: SquaredErrors, trade_off: float = MAX_TRADE_OFF) -> float:
        """What parameters are compared by: the error relative to ue's; of both, the one that loses more."""
        frequency, mean = errors.frequency / ue.frequency, errors.mean / ue.mean
        if self.target == "both":
            return max(frequency, mean)
        wanted, other = (frequency, mean) if self.target == "frequency" else (mean, frequency)
        return wanted if other <= trade_off else math.inf

    def predict(self, law: CountLaw) -> SquaredErrors:
        """The errors of a channel with this count law."""
        return predict(CountMoments.of(law), self.users, self.frequency)


def objective_for(
    keys: int, padding: int, target: str = DEFAULT_OBJECTIVE, users: int = DEFAULT_USERS
) -> Objective:
    """Return the objective where nothing is known of the data but its size: everybody holds `padding` keys."""
    if target not in OBJECTIVES:
        raise ParameterError(f"objective {target!r} does not exist: choose from {', '.join(OBJECTIVES)}")
    if isinstance(users, bool) or not isinstance(users, int) or users < 1:
        raise ParameterError(f"users must be a whole number of at least 1, not {users!r}")
    return Objective(target, users, min(1.0, padding / keys))
