"""Which mechanism `auto` chooses, by keys, pairs, ε and objective: the picture of docs/explanation/mechanisms.md."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from experiments.settings import ExperimentSettings
from pckv.charts.estimates import choices_chart, save_chart
from pckv.planning.people import expect
from pckv.planning.prediction import OBJECTIVES
from pckv.planning.selection import choose_law

KEYS = (10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
PAIRS = (1, 2, 3, 5, 10, 20, 50, 100)
EPSILONS = ("0.5", "1", "2", "5")
USERS = 10**6


def squares() -> Iterator[dict[str, Any]]:
    """Yield the choice for every setting."""
    for objective, epsilon, keys, pairs in product(OBJECTIVES, EPSILONS, KEYS, PAIRS):
        if pairs <= keys:
            expected = expect(keys, users=USERS, padding=pairs, objective=objective)
            law = choose_law(Fraction(epsilon), {"name": "auto"}, pairs, expected)
            tuned = "r" in law.parameters or "beta" in law.parameters
            yield {
                "keys": f"{keys:,}",
                "pairs": pairs,
                "ε": f"ε = {epsilon}",
                "objective": f"objective {objective}",
                "choice": law.name + (", tuned" if tuned else ""),
            }


def run(settings: ExperimentSettings) -> bool:
    """Write the picture."""
    chart = choices_chart(
        list(squares()),
        across="keys",
        up="pairs",
        panels=("ε", "objective"),
        title="What auto chooses",
        subtitle=f"{USERS:,} users; everybody holds the same number of pairs, padding = pairs",
    )
    path = settings.out / "mechanisms.svg"
    path.parent.mkdir(parents=True, exist_ok=True)
    save_chart(chart, path, path.suffix)
    print(f"wrote {path}")
    return True
