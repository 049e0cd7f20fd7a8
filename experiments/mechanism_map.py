"""The picture of docs/mechanisms.md: which mechanism `auto` takes, by keys, pairs, ε and objective.

`python bench/choices.py PICTURE` (`make mechanisms`); .svg, .png or .html.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

from pckv.charts import choices_chart, save_chart
from pckv.planning.objective import OBJECTIVES
from pckv.planning.selection import select_channel

KEYS = (10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
PAIRS = (1, 2, 3, 5, 10, 20, 50, 100)
EPSILONS = ("0.5", "1", "2", "5")
USERS = 10**6


def squares() -> Iterator[dict[str, Any]]:
    """What is chosen, a row a setting."""
    for objective, epsilon, keys, pairs in product(OBJECTIVES, EPSILONS, KEYS, PAIRS):
        if pairs <= keys:
            channel = select_channel(
                keys, pairs, Fraction(epsilon), {"name": "auto"}, objective=objective, users=USERS
            )
            tuned = "r" in channel.parameters or "beta" in channel.parameters
            yield {
                "keys": f"{keys:,}",
                "pairs": pairs,
                "ε": f"ε = {epsilon}",
                "objective": f"objective {objective}",
                "choice": channel.name + (", tuned" if tuned else ""),
            }


def main(path: Path) -> None:
    """Write the picture."""
    chart = choices_chart(
        list(squares()),
        across="keys",
        up="pairs",
        panels=("ε", "objective"),
        title="What auto chooses",
        subtitle=f"{USERS:,} users; everybody holds so many pairs of so many keys, padding = pairs",
    )
    save_chart(chart, path, path.suffix)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
