"""Parameters by the errors they are predicted to have, beside `ue` as the paper has it.

`ue-compact` may give a sign several residues and let the two signs share some; `ue` may choose how often
it fakes. Both trade the error of frequencies against that of means.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import islice, product
from typing import NamedTuple

from pckv.budget import exp_lower
from pckv.canonical import decimal_text
from pckv.channels import CountLaw, build, residues
from pckv.channels.ue import LARGEST_BETA, SMALLEST_BETA, TUNED
from pckv.channels.ue_compact import MOST_DECODED
from pckv.errors import ParameterError
from pckv.prediction import Errors, predict
from pckv.theory import CountMoments, SupportMoments

OBJECTIVES = ("both", "frequency", "mean")
DEFAULT_OBJECTIVE = "both"
DEFAULT_USERS = 10**6
# Who asks for frequencies may lose this factor of the mean's squared error, and the other way round.
TRADE = 1.02
# Parameters whose error is within this factor of the best are as good, and the fewest words decide.
AS_GOOD = float(residues.AS_GOOD)
# Parameters are tuned for keys held by at most this share: rare keys do not pay for what others hold.
LARGEST_FREQUENCY = 0.05
# Several residues a sign must be better than one by this factor: one is decoded faster and has fewer words.
WORTH_SETS = 1.05
# Where the search looks: shares of residues a sign, beside ue's, and how much of them is shared.
SHARES, SHARED = (1.0, 1.25, 1.5, 1.75, 2.0), (0.0, 0.15, 0.3, 0.45, 0.6)
FINER = ((0.12, 0.07), (0.06, 0.035))
LARGEST_SHARE = 0.49
PRIMES_EACH = 8
BETAS = tuple(step / 10 for step in range(8, 17))

Parameters = dict[str, str | int]


class Aim(NamedTuple):
    """What is wanted, and of what population: n users, keys of one frequency, means anywhere."""

    objective: str
    users: int
    frequency: float

    def rank(self, errors: Errors) -> float:
        """What mechanisms are compared by: one squared error, or the geometric mean of both."""
        if self.objective == "both":
            return math.sqrt(errors.frequency * errors.mean)
        return errors.frequency if self.objective == "frequency" else errors.mean

    def loss(self, errors: Errors, ue: Errors, trade: float = TRADE) -> float:
        """What parameters are compared by: the error beside ue's; of both, the one that loses more."""
        frequency, mean = errors.frequency / ue.frequency, errors.mean / ue.mean
        if self.objective == "both":
            return max(frequency, mean)
        wanted, other = (frequency, mean) if self.objective == "frequency" else (mean, frequency)
        return wanted if other <= trade else math.inf

    def predict(self, law: CountLaw) -> Errors:
        """The errors of a channel with this count law."""
        return predict(CountMoments.of(law), self.users, self.frequency)


def aim_for(keys: int, padding: int, objective: str = DEFAULT_OBJECTIVE, users: int = DEFAULT_USERS) -> Aim:
    """An aim where nothing is known of the data but its size: everybody holds `padding` of the keys."""
    if objective not in OBJECTIVES:
        raise ParameterError(f"objective {objective!r} does not exist: choose from {', '.join(OBJECTIVES)}")
    if isinstance(users, bool) or not isinstance(users, int) or users < 1:
        raise ParameterError(f"users must be a whole number of at least 1, not {users!r}")
    return Aim(objective, users, min(1.0, padding / keys))


@lru_cache(maxsize=1024)
def tuned(name: str, keys: int, padding: int, epsilon: Fraction, aim: Aim) -> Mapping[str, str | int]:
    """The parameters of a mechanism that suit an aim best; a mechanism's own, where there is nothing to tune."""
    plain = build(name, keys, padding, epsilon, {})
    aim = aim._replace(frequency=min(aim.frequency, LARGEST_FREQUENCY))
    if name == "ue":
        found = _beta(padding, epsilon, aim)
    elif name == "ue-compact":
        found = _sets(keys, padding, epsilon, aim, aim.predict(plain.count_law))
    else:
        found = None
    return plain.parameters if found is None else found


def beta_for(padding: int, epsilon: Fraction, aim: Aim) -> str:
    """How often `ue` should fake a sign."""
    search = _Search(padding, epsilon, aim)
    best = min((share * search.ue_share for share in BETAS), key=lambda beta: search.loss(beta, 0.0))
    return decimal_text(min(max(float(f"{best:.3g}"), float(SMALLEST_BETA)), float(LARGEST_BETA)), "beta")


def _beta(padding: int, epsilon: Fraction, aim: Aim) -> Parameters | None:
    beta = beta_for(padding, epsilon, aim)
    if _Search(padding, epsilon, aim).loss(float(beta), 0.0) * AS_GOOD >= 1:
        return None
    return {"allocation": TUNED, "beta": beta}


def _sets(keys: int, padding: int, epsilon: Fraction, aim: Aim, plain: Errors) -> Parameters | None:
    """Residues a sign and how many are shared, with the fewest words that are as good as the best."""
    search = _Search(padding, epsilon, aim)
    beta, omega, least = search.best_shares()
    # One residue a sign was chosen for both errors alike: it may lose a little more of the other one.
    enough = aim.loss(plain, search.ue, trade=TRADE * WORTH_SETS) / WORTH_SETS
    if least >= enough:
        return None
    found = []
    for q in _primes(keys):
        loss, r, o = min((search.loss(r / q, o / q), r, o) for r, o in _rounded(q, beta, omega))
        if loss <= AS_GOOD * least and loss < enough:
            return _stated(q, r, o)
        found.append((loss, q, r, o))
    loss, q, r, o = min(found, default=(math.inf, 0, 0, 0))
    return _stated(q, r, o) if loss < enough else None


def _stated(q: int, r: int, o: int) -> Parameters:
    return {"q": q, "r": r, "o": o} if o else {"q": q, "r": r}


class _Search:
    """Errors of shares β = r/q and ω = o/q beside ue's, which is β = 1/(e^ε + 3) and ω = 0."""

    def __init__(self, padding: int, epsilon: Fraction, aim: Aim) -> None:
        self.bound = float(exp_lower(epsilon))
        self.chosen = 1 / padding
        self.aim = aim
        self.ue_share = 1 / (self.bound + 3)
        self.ue = self.errors(self.ue_share, 0.0)

    def errors(self, beta: float, omega: float) -> Errors:
        """The errors without rounding."""
        alone, tilt = beta - omega, 1 + beta * (self.bound - 1)
        inside, outside = (self.chosen * each / tilt + 1 - self.chosen for each in (self.bound, 1.0))
        holder = SupportMoments.of_chances(alone * inside, alone * outside, omega * inside)
        absent = SupportMoments.of_chances(alone, alone, omega)
        return predict(CountMoments(holder, absent), self.aim.users, self.aim.frequency)

    def loss(self, beta: float, omega: float) -> float:
        """What the aim makes of them."""
        return self.aim.loss(self.errors(beta, omega), self.ue)

    def best_shares(self) -> tuple[float, float, float]:
        """β, ω and their loss: the best of a coarse grid, and then of finer ones around it."""
        share, shared, loss = self._best_of(product(SHARES, SHARED))
        for step, shared_step in FINER:
            near = product((share - step, share, share + step), (-shared_step, 0.0, shared_step))
            share, shared, loss = self._best_of([(one, max(shared + other, 0.0)) for one, other in near])
        return share * self.ue_share, shared * share * self.ue_share, loss

    def _best_of(self, grid: Iterable[tuple[float, float]]) -> tuple[float, float, float]:
        losses = [
            (self.loss(share * self.ue_share, shared * share * self.ue_share), share, shared)
            for share, shared in grid
            if share * self.ue_share <= LARGEST_SHARE
        ]
        loss, share, shared = min(losses)
        return share, shared, loss


def _primes(keys: int) -> list[int]:
    """For every number of digits the first primes that it is enough for, by how many words they make."""
    found: list[int] = []
    for lowest, highest in residues.ranges(keys):
        if residues.words(keys, lowest) <= MOST_DECODED:
            found += islice(filter(residues.is_prime, range(lowest, highest + 1)), PRIMES_EACH)
    fit = {q for q in found if residues.words(keys, q) <= MOST_DECODED}
    return sorted(fit, key=lambda q: residues.words(keys, q))


def _rounded(q: int, beta: float, omega: float) -> Iterator[tuple[int, int]]:
    """The numbers of residues next to their shares of a prime."""
    for r, o in product((int(beta * q), int(beta * q) + 1), (int(omega * q), int(omega * q) + 1)):
        residues_each = min(max(r, 1), q - 1)
        yield residues_each, min(max(o, 2 * residues_each - q, 0), residues_each - 1)
