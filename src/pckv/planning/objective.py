"""What a collection is meant to learn, and of how many people: what errors are compared by."""

from __future__ import annotations

import math
from typing import NamedTuple

from pckv.channels import CountLaw
from pckv.errors import ParameterError
from pckv.moments import CountMoments, Scale
from pckv.planning.prediction import SquaredErrors, predict

# Both errors, one of them, or that of frequencies where a short padding may bias them.
OBJECTIVES = BOTH, FREQUENCY, MEAN, MSE = "both", "frequency", "mean", "mse"
# Who asks for frequencies may lose this factor of the mean's squared error, and the other way round.
MAX_TRADE_OFF = 1.02


class Objective(NamedTuple):
    """Which error counts, and for what population: n users, keys of one frequency, means anywhere.

    Levels are equally spaced unless a scale is given.
    """

    target: str
    users: int
    frequency: float
    scale: Scale | None = None

    def score(self, errors: SquaredErrors) -> float:
        """What mechanisms are compared by: one squared error, or the geometric mean of both."""
        if self.target == BOTH:
            return math.sqrt(errors.frequency * errors.mean)
        return errors.mean if self.target == MEAN else errors.frequency

    def loss(self, errors: SquaredErrors, ue: SquaredErrors, trade_off: float = MAX_TRADE_OFF) -> float:
        """What parameters are compared by: the error relative to ue's; of both, the one that loses more."""
        frequency, mean = errors.frequency / ue.frequency, errors.mean / ue.mean
        if self.target == BOTH:
            return max(frequency, mean)
        wanted, other = (mean, frequency) if self.target == MEAN else (frequency, mean)
        return wanted if other <= trade_off else math.inf

    def predict(self, law: CountLaw) -> SquaredErrors:
        """The errors of a channel with this count law."""
        return predict(CountMoments.of(law, scale=self.scale), self.users, self.frequency)


def check_objective(target: str) -> str:
    """Return an objective, or refuse what is not one."""
    if target not in OBJECTIVES:
        raise ParameterError(f"objective {target!r} does not exist: choose from {', '.join(OBJECTIVES)}")
    return target
