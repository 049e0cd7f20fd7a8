"""What `auto` chooses, by keys, pairs, ε and objective: the picture of docs/explanation/mechanisms.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

from experiments.settings import ExperimentSettings
from pckv.charts.estimates import load_altair, save_chart
from pckv.planning.people import expect
from pckv.planning.prediction import OBJECTIVES
from pckv.planning.selection import choose_law

if TYPE_CHECKING:
    import altair as alt

KEYS = (10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
PAIRS = (1, 2, 3, 5, 10, 20, 50, 100)
EPSILONS = ("0.5", "1", "2", "5")
USERS = 10**6
# Distinguishable without red and green, and in grey.
CHOICE_COLORS = ("#e69f00", "#0b4f8a", "#56b4e9", "#a6d9c7", "#cc79a7", "#555555", "#f0e442", "#d55e00")


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


def choices_chart(
    rows: Sequence[Mapping[str, Any]],
    *,
    across: str,
    up: str,
    panels: tuple[str, str],
    title: str,
    subtitle: str,
) -> alt.FacetChart:
    """Draw maps of choices: one square per setting, one colour per choice, one panel per row and column.

    A row has the two quantities of a map, the two of the panels, and its `choice`.
    """
    altair = load_altair()
    places = {name: list(dict.fromkeys(row[name] for row in rows)) for name in (across, up, *panels)}
    choices = sorted({str(row["choice"]) for row in rows})
    squares = (
        altair.Chart(altair.Data(values=list(rows)))
        .mark_rect(stroke="white", strokeWidth=1)
        .encode(
            x=altair.X(f"{across}:O", sort=places[across], title=across, axis=altair.Axis(labelAngle=-45)),
            y=altair.Y(f"{up}:O", sort=places[up][::-1], title=up),
            color=altair.Color(
                "choice:N",
                title=None,
                scale=altair.Scale(domain=choices, range=CHOICE_COLORS[: len(choices)]),
                legend=altair.Legend(orient="bottom", symbolType="square", symbolSize=150, labelFontSize=12),
            ),
            tooltip=[f"{across}:O", f"{up}:O", "choice:N"],
        )
        .properties(width=altair.Step(18), height=altair.Step(14))
    )
    headers = [
        part(
            f"{name}:N",
            sort=places[name],
            title=None,
            header=altair.Header(labelFontSize=12, labelFontWeight="bold"),
        )
        for part, name in zip((altair.Column, altair.Row), panels, strict=True)
    ]
    chart: alt.FacetChart = squares.facet(column=headers[0], row=headers[1], spacing=14).properties(
        title={"text": title, "subtitle": subtitle, "offset": 14}
    )
    return chart


def run(settings: ExperimentSettings) -> bool:
    """Write the picture."""
    chart = choices_chart(
        list(squares()),
        across="keys",
        up="pairs",
        panels=("ε", "objective"),
        title="What auto chooses",
        subtitle=f"{USERS:,} users; all hold the same number of pairs, padding = pairs",
    )
    path = settings.out / "mechanisms.svg"
    path.parent.mkdir(parents=True, exist_ok=True)
    save_chart(chart, path, path.suffix)
    print(f"wrote {path}")
    return True
