"""Wrong bounds on shuffled reports, published ones among them: exact enumeration must catch every one.

Where a bound is caught, the shipped one is not below the exact δ.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest

from audit.stated_bounds import check_stated
from pckv.base.budget import exp_lower
from pckv.mechanisms.base import Law
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.registry import build
from pckv.mechanisms.size_question.law import SizeQuestion
from pckv.mechanisms.ue.law import UeLaw
from pckv.planning.shuffle import ReportLaws, ShuffleBound
from support.faults import Fault, in_place
from support.shuffles import (
    Bound,
    ShuffledKind,
    exact_deltas,
    report_laws,
    shipped_bound,
    theorem,
    violations,
)


def kind_of(law: Law, question: SizeQuestion | None = None) -> ShuffledKind:
    return ShuffledKind(law.name, report_laws(law, question), *ReportLaws.of(law, question))


def randomized_response(outputs: int, epsilon: str) -> ShuffledKind:
    """Plain randomized response, every output being a participant's true one."""
    ratio = exp_lower(Fraction(epsilon))
    total = ratio + outputs - 1
    distributions = [[(ratio if true == shown else 1) / total for shown in range(outputs)] for true in range(outputs)]
    return ShuffledKind("randomized response", distributions, outputs / total, ratio)


def variation_ratio(reports: int, kind: ShuffledKind, epsilon: Fraction) -> float:
    """The bound of a published paper, for randomized response: it lets the one person's report stand out too little."""
    ratio, x, least = float(kind.ratio), math.exp(epsilon), float(min(kind.distributions[0]))
    ours: Counter[tuple[int, int]] = Counter()
    theirs: Counter[tuple[int, int]] = Counter()
    for clones in range(reports):
        alike = math.comb(reports - 1, clones) * (2 * least) ** clones * (1 - 2 * least) ** (reports - 1 - clones)
        for first in range(clones + 1):
            chance = alike * math.comb(clones, first) / 2**clones
            for one, other, share in ((1, 0, ratio * least), (0, 1, least), (0, 0, 1 - (ratio + 1) * least)):
                ours[first + one, clones - first + other] += chance * share
                theirs[first + other, clones - first + one] += chance * share
    return sum(max(0.0, chance - x * theirs[counts]) for counts, chance in ours.items())


def with_kind(change: Callable[[ShuffledKind], ShuffledKind]) -> Bound:
    """The shipped bound, computed for other constants."""
    return lambda reports, kind, epsilon: shipped_bound(reports, change(kind), epsilon)


def with_overlap(overlap: Callable[[Fraction], Fraction]) -> Bound:
    """The theorem with another overlap κ, given the spread π."""

    def bound(reports: int, kind: ShuffledKind, epsilon: Fraction) -> float:
        spread = (1 / kind.blanket - 1) / (kind.ratio - 1)
        return float(theorem(reports, kind.blanket, kind.ratio, exp_lower(epsilon), overlap(spread)))

    return bound


class _HeavyStill(ShuffleBound):
    """Reports that speak for neither set count as if they were likely for both."""

    @property
    def still_weight(self) -> Fraction:
        return self.ratio


class _LightOneSided(ShuffleBound):
    """Only one of the two kinds of reports that speak for one set is there: N1 and N2 share their chance."""

    @property
    def one_sided(self) -> Fraction:
        return super().one_sided / 2


def of_bound(kind_of_bound: type[ShuffleBound]) -> Bound:
    return lambda reports, kind, epsilon: kind_of_bound(reports, kind.blanket, kind.ratio).delta(epsilon)


@dataclass(frozen=True)
class ShuffleMutant:
    """A wrong bound, and a cell in which it is below the exact δ."""

    name: str
    kind: ShuffledKind
    reports: int
    epsilon: str
    bound: Bound


UE = build("ue", 2, 1, Fraction(4), {"allocation": "non-optimized"})
assert isinstance(UE, UeLaw)
FAKE = Fraction(UE.fake, UE.one)
GRR = kind_of(build("grr", 1, 1, Fraction(1), {}))
PADDED = kind_of(build("grr", 2, 2, Fraction(1), {}))
WIDE = kind_of(build("ue-compact", 1, 1, Fraction(1), {"q": 3, "r": 2, "o": 1}))
ASKED = build("grr", 2, 1, Fraction(2), {})
WITH_SIZES = kind_of(ASKED, SizeQuestion(2, 1, Fraction(2), Fraction(1, 2)))
COLLISION = kind_of(CollisionLaw(1, 1, Fraction(1), symbols=3, functions=2))

MUTANTS = (
    ShuffleMutant("variation-ratio", randomized_response(4, "0.5"), 4, "0.4", variation_ratio),
    ShuffleMutant(
        "γ of the optimized allocation for a non-optimized one",
        kind_of(UE),
        2,
        f"{math.log(1.05):.9f}",
        with_kind(lambda kind: replace(kind, blanket=1 / (1 + FAKE * (kind.ratio - 1)))),
    ),
    ShuffleMutant("likelihoods independent", GRR, 2, "0.1", with_overlap(lambda spread: spread**2)),
    ShuffleMutant("likelihoods equal", GRR, 2, "0.1", with_overlap(lambda spread: spread)),
    ShuffleMutant("a wide mechanism's likelihoods equal", WIDE, 2, "0.1", with_overlap(lambda spread: spread)),
    ShuffleMutant(
        "R divided by the padding",
        PADDED,
        2,
        "0.1",
        with_kind(lambda kind: replace(kind, ratio=1 + (kind.ratio - 1) / 2)),
    ),
    ShuffleMutant(
        "the person counted among the others", GRR, 2, "0.1", lambda n, kind, e: shipped_bound(n + 1, kind, e)
    ),
    ShuffleMutant(
        "γ of the pairs where sizes are asked",
        WITH_SIZES,
        2,
        "0.1",
        with_kind(lambda kind: replace(kind, blanket=ASKED.blanket)),
    ),
    ShuffleMutant(
        "γ of a participant without pairs",
        COLLISION,
        1,
        "0.1",
        with_kind(lambda kind: replace(kind, blanket=Fraction(1))),
    ),
    ShuffleMutant("neither counts as both", GRR, 3, "0.1", of_bound(_HeavyStill)),
    ShuffleMutant("one-sided reports halved", GRR, 2, "0.1", of_bound(_LightOneSided)),
)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_wrong_bound_is_caught(mutant: ShuffleMutant) -> None:
    epsilons = [Fraction(mutant.epsilon)]
    assert not violations(mutant.kind, mutant.reports, epsilons)
    assert len(violations(mutant.kind, mutant.reports, epsilons, mutant.bound)) == 1


FAULTS = (
    in_place(
        "half of the colluding reports count as honest",
        "planning/shuffle.py",
        {"return self.reports - self.colluding\n": "return self.reports - self.colluding // 2\n"},
        partial(check_stated, "grr", 2, (1, 1), asks=False),
    ),
    in_place(
        "γ of `grr` is right at two levels only",
        "mechanisms/grr/law.py",
        {"return self.symbols * (least": "return self.symbols * (1 + Fraction(self.levels - 2, 100)) * (least"},
        partial(check_stated, "grr", 5, (1, 1), asks=False),
    ),
    in_place(
        "γ of reports that may answer a size question is that of pairs",
        "planning/shuffle.py",
        {"question.mixed_blanket(law.blanket)": "law.blanket"},
        partial(check_stated, "grr", 5, (2, 1), asks=True),
    ),
    in_place(
        "γ of the size question is right with two answers only",
        "mechanisms/size_question/law.py",
        {
            "return len(self.ends) * min(self.true_chance, self.other_chance)": (
                "return (3 * len(self.ends) - 4) * min(self.true_chance, self.other_chance)"
            )
        },
        partial(check_stated, "grr", 16, (5, 1), asks=True),
    ),
    in_place(
        "γ of `collision` with one pair fewer",
        "mechanisms/collision/law.py",
        {
            "(1 - self.padding * held) / (self.symbols - self.padding))\n\n    @cached_property\n    def prob": (
                "(1 - (self.padding - 1) * held) / (self.symbols - self.padding + 1))\n\n    @cached_property\n    def prob"
            )
        },
        partial(check_stated, "collision", 1, (4, 2), asks=False),
    ),
)


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_of_stated_bounds_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path, raises=AssertionError)


def test_figures_of_the_published_bounds() -> None:
    """As the specification has them, to the last digit: exact, and what the wrong bound says."""
    for mutant, exact, said in zip(MUTANTS, (0.001506, 0.4654), (0.000899, 0.4513), strict=False):
        epsilon = Fraction(mutant.epsilon)
        (delta,) = exact_deltas(mutant.kind.distributions, mutant.reports, [exp_lower(epsilon)])
        assert delta == pytest.approx(exact, rel=1e-3)
        assert mutant.bound(mutant.reports, mutant.kind, epsilon) == pytest.approx(said, rel=1e-3)


def test_functions_known_per_person_void_the_bound() -> None:
    """Two people whose functions one party handed out: their reports are told apart, and nothing is hidden."""
    law = build("ue-compact", 1, 1, Fraction(1), {"q": 3})
    distributions = report_laws(law)

    def known(function: int) -> list[list[Fraction]]:
        """The laws given the function: words are numbered function by function, 3 each."""
        return [
            [3 * chance if word // 3 == function else Fraction(0) for word, chance in enumerate(distribution)]
            for distribution in distributions
        ]

    (exact,) = exact_deltas(known(1), 2, [Fraction(11, 10)], others=known(2))
    bound = theorem(2, law.blanket, law.realised, Fraction(11, 10))
    assert (exact, float(bound)) == pytest.approx((0.343, 0.266), abs=5e-4)
    # With unknown functions the bound holds.
    (hidden,) = exact_deltas(distributions, 2, [Fraction(11, 10)])
    assert hidden <= bound
