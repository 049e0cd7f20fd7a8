"""Parameters by the errors they are predicted to have, relative to `ue` as the paper has it.

`ue-compact` may give a level several residues and let two levels share some; `ue` may choose how often
it fakes. Both trade the error of frequencies against that of means. A sentence says why a law's
parameters are what they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import islice, product
from typing import NamedTuple

from pckv.base.budget import exp_lower
from pckv.base.canonical import decimal_text
from pckv.base.limits import MIN_LEVELS, ONE_LEVEL
from pckv.base.stopping import check_stop
from pckv.base.words import percent, signed
from pckv.mechanisms.base import Law, Support
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.derivation import Derivation, build_law
from pckv.mechanisms.primes import is_prime
from pckv.mechanisms.ue.law import MAX_BETA, MIN_BETA, TUNED
from pckv.mechanisms.ue_compact import residues
from pckv.mechanisms.ue_compact.law import MAX_DECODED_WORDS, UeCompactLaw
from pckv.planning.prediction import MAX_TRADE_OFF, Objective, SquaredErrors, predict
from pckv.statistics.moments import CountMoments, SupportMoments, equal_scale


def explain_parameters(law: Law, noun: str | None = None) -> str:
    """Return why the parameters are what they are; empty where there is nothing to say.

    The `noun` is what a report is made of: pairs, or keys without values, unless it is named.
    """
    if isinstance(law, UeCompactLaw):
        reason = _explain_sets(law) if law.r > 1 else _explain_prime(law)
        rest = "; too many words to decode all keys together, only those asked for"
        return reason if law.decodes_all else reason + rest
    return (
        _explain_collision(law, noun or ("pair" if law.levels > ONE_LEVEL else "key"))
        if isinstance(law, CollisionLaw)
        else ""
    )


def relative_errors(
    share: Fraction, shared: Fraction, bound: Fraction, levels: int = MIN_LEVELS
) -> tuple[Fraction, Fraction]:
    """Return squared errors of a rare key's frequency and mean relative to the best single residue's.

    That is a share of 1/(e^ε + 2L - 1), with two levels PCKV-UE. A share β = r/q of the residues says a
    level, and ω = o/q says both of two: with D = 1 + β(e^ε - 1), h is D²/(β + ω - Lβ²) and g is D²/(β - ω),
    up to what all have in common.
    """

    def h_and_g(beta: Fraction, omega: Fraction) -> tuple[Fraction, Fraction]:
        square = (1 + beta * (bound - 1)) ** 2
        return square / (beta + omega - levels * beta**2), square / (beta - omega)

    best = 1 / (bound + 2 * levels - 1)
    (h, g), (h_best, g_best) = h_and_g(share, shared), h_and_g(best, Fraction(0))
    return h / h_best, g / g_best


def _explain_prime(law: UeCompactLaw) -> str:
    def loss(q: int) -> float:
        return float(residues.error(q, law.bound, law.levels)) - 1

    best = residues.best(law.keys, law.bound, law.levels)
    reason = f"q = {law.q}: {law.word_limit:,} words, {percent(loss(law.q))} more error than {_ideal(law)}"
    if law.q != best:
        reason += f" (q = {best}: {percent(loss(best))})"
    return reason


def _ideal(law: UeCompactLaw) -> str:
    """What errors are relative to: the share of residues that suits one residue per level best."""
    return "ue" if law.levels == MIN_LEVELS else f"q = {float(law.bound) + 2 * law.levels - 1:.3g}"


def _explain_sets(law: UeCompactLaw) -> str:
    q, r, o = law.q, law.r, law.o
    frequency, mean = relative_errors(Fraction(r, q), Fraction(o, q), law.bound, law.levels)
    of_mean = f", mean {signed(f'{float(mean) - 1:+.1%}')}" if law.levels > ONE_LEVEL else ""
    return (
        f"q = {q}, r = {r}, o = {o}: {law.word_limit:,} words; the error of a rare key relative to "
        f"{_ideal(law)}: frequency {signed(f'{float(frequency) - 1:+.1%}')}{of_mean}"
    )


def _explain_collision(law: CollisionLaw, noun: str) -> str:
    pairs = f"one {noun}" if law.padding == 1 else f"up to {law.padding:,} {noun}s"
    counting = (
        f"counting a report adds to up to {law.steps_per_report:,} counters"
        if law.decodes_all
        else "a tally keeps the words, which are checked against every key that is asked for"
    )
    return f"t = {law.symbols:,}: {pairs} in one of {law.symbols:,} symbols; {counting}"


# Parameters whose error is within this factor of the best count as equivalent, and the fewest words decide.
EQUIVALENT_FACTOR = float(residues.EQUIVALENT_FACTOR)
# Parameters are tuned for keys held by at most this share: rare keys do not pay for what others hold.
MAX_FREQUENCY = 0.05
# Several residues per level must be better than one by this factor: one is decoded faster, with fewer words.
MIN_GAIN_OF_SETS = 1.05
# Where the search looks: shares of residues per level relative to one residue's, and how much is shared.
SHARES, SHARED = (1.0, 1.25, 1.5, 1.75, 2.0), (0.0, 0.15, 0.3, 0.45, 0.6)
FINER_STEPS = ((0.12, 0.07), (0.06, 0.035))
# All levels together have at most this share of the residues.
MAX_SHARE = 0.98
PRIMES_PER_LENGTH = 8
BETAS = tuple(step / 10 for step in range(8, 17))

Parameters = dict[str, str | int]


class LawSpec(NamedTuple):
    """What a law is built for, whatever its mechanism."""

    keys: int
    padding: int
    epsilon: Fraction
    levels: int = MIN_LEVELS
    derivation: Derivation | None = None

    def build(self, mechanism: str, parameters: Mapping[str, object]) -> Law:
        """Return the law of a mechanism with these parameters, or its defaults."""
        check_stop()
        return build_law(
            mechanism, self.keys, self.padding, self.epsilon, parameters, self.levels, derivation=self.derivation
        )


@lru_cache(maxsize=1024)
def tuned_parameters(name: str, spec: LawSpec, objective: Objective) -> Mapping[str, str | int]:
    """Return the parameters of a mechanism that suit an objective best; its defaults if none do better."""
    plain = spec.build(name, {})
    if spec.levels == ONE_LEVEL:
        # There is no mean to trade the frequency against: the defaults are the best for it.
        return plain.parameters
    objective = objective._replace(frequency=min(objective.frequency, MAX_FREQUENCY))
    if name == "ue":
        found = _tuned_beta(spec, objective)
    elif name == "ue-compact":
        found = _tuned_sets(spec, objective, objective.predict(plain.count_law))
    else:
        found = None
    return plain.parameters if found is None else found


def best_beta(spec: LawSpec, objective: Objective) -> str:
    """Return how often `ue` should fake a sign, as a decimal text."""
    search = _Search(spec, objective)
    best = min((share * search.ue_share for share in BETAS), key=lambda beta: search.loss(beta, 0.0))
    return decimal_text(min(max(float(f"{best:.3g}"), float(MIN_BETA)), float(MAX_BETA)), "beta")


def _tuned_beta(spec: LawSpec, objective: Objective) -> Parameters | None:
    beta = best_beta(spec, objective)
    if _Search(spec, objective).loss(float(beta), 0.0) * EQUIVALENT_FACTOR >= 1:
        return None
    return {"allocation": TUNED, "beta": beta}


def _tuned_sets(spec: LawSpec, objective: Objective, plain: SquaredErrors) -> Parameters | None:
    """Residues per level and how many are shared, with the fewest words that are equivalent to the best."""
    search = _Search(spec, objective)
    beta, omega, least = search.best_shares()
    # One residue per level was chosen for both errors alike: it may lose a little more of the other one.
    enough = objective.loss(plain, search.ue, trade_off=MAX_TRADE_OFF * MIN_GAIN_OF_SETS) / MIN_GAIN_OF_SETS
    if least >= enough:
        return None
    found = []
    for q in _primes(spec.keys, spec.levels):
        fit = _rounded(q, beta, omega, spec.levels)
        loss, r, o = min((search.loss(r / q, o / q), r, o) for r, o in fit)
        if loss <= EQUIVALENT_FACTOR * least and loss < enough:
            return _stated(q, r, o)
        found.append((loss, q, r, o))
    loss, q, r, o = min(found, default=(math.inf, 0, 0, 0))
    return _stated(q, r, o) if loss < enough else None


def _stated(q: int, r: int, o: int) -> Parameters:
    return {"q": q, "r": r, "o": o} if o else {"q": q, "r": r}


class _Search:
    """Errors of shares β = r/q and ω = o/q relative to β = 1/(e^ε + 2L - 1), ω = 0; of two levels, ue's."""

    def __init__(self, spec: LawSpec, objective: Objective) -> None:
        self.bound = float(exp_lower(spec.epsilon))
        self.sampling_chance = 1 / spec.padding
        self.objective = objective
        self.levels = spec.levels
        self.scale = objective.scale or equal_scale(spec.levels)
        self.ue_share = 1 / (self.bound + 2 * spec.levels - 1)
        self.ue = self.errors(self.ue_share, 0.0)

    def errors(self, beta: float, omega: float) -> SquaredErrors:
        """The errors without rounding."""
        alone, tilt = beta - omega, 1 + beta * (self.bound - 1)
        inside, outside = (self.sampling_chance * each / tilt + 1 - self.sampling_chance for each in (self.bound, 1.0))
        if omega:
            holder = Support.overlapping(beta * inside, alone * outside + omega * inside, omega * inside)
            absent = Support.overlapping(beta, beta, omega)
        else:
            holder = Support.exclusive(self.levels, beta * inside, beta * outside)
            absent = Support.exclusive(self.levels, beta, beta)
        moments = CountMoments(SupportMoments.of(holder), SupportMoments.of(absent), self.scale)
        return predict(moments, self.objective.users, self.objective.frequency)

    def loss(self, beta: float, omega: float) -> float:
        """What the objective makes of them."""
        return self.objective.loss(self.errors(beta, omega), self.ue)

    def best_shares(self) -> tuple[float, float, float]:
        """β, ω and their loss: the best of a coarse grid, and then of finer ones around it."""
        may_share = self.levels == MIN_LEVELS
        share, shared, loss = self._best_of(product(SHARES, SHARED if may_share else (0.0,)))
        for step, shared_step in FINER_STEPS:
            near_shared = (-shared_step, 0.0, shared_step) if may_share else (0.0,)
            near = product((share - step, share, share + step), near_shared)
            share, shared, loss = self._best_of([(one, max(shared + other, 0.0)) for one, other in near])
        return share * self.ue_share, shared * share * self.ue_share, loss

    def _best_of(self, grid: Iterable[tuple[float, float]]) -> tuple[float, float, float]:
        losses = [
            (self.loss(share * self.ue_share, shared * share * self.ue_share), share, shared)
            for share, shared in grid
            if self.levels * share * self.ue_share <= MAX_SHARE
        ]
        loss, share, shared = min(losses)
        return share, shared, loss


def _primes(keys: int, levels: int) -> list[int]:
    """For every number of digits the first primes that it is enough for, by how many words they make."""
    found: list[int] = []
    for lowest, highest in residues.ranges(keys, levels):
        if residues.words(keys, lowest) <= MAX_DECODED_WORDS:
            found += islice(filter(is_prime, range(lowest, highest + 1)), PRIMES_PER_LENGTH)
    fit = {q for q in found if residues.words(keys, q) <= MAX_DECODED_WORDS}
    return sorted(fit, key=lambda q: residues.words(keys, q))


def _rounded(q: int, beta: float, omega: float, levels: int) -> Iterator[tuple[int, int]]:
    """The numbers of residues next to their shares of a prime."""
    if levels > MIN_LEVELS:
        yield from ((min(max(r, 1), q // levels), 0) for r in (int(beta * q), int(beta * q) + 1))
        return
    for r, o in product((int(beta * q), int(beta * q) + 1), (int(omega * q), int(omega * q) + 1)):
        residues_each = min(max(r, 1), q - 1)
        yield residues_each, min(max(o, 2 * residues_each - q, 0), residues_each - 1)
