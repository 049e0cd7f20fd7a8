"""What every JavaScript client of series keeps: checks that run on the client and on mutants."""

from __future__ import annotations

from pathlib import Path

from pckv.base.errors import AuditFailure
from support.series_calls import series_node, weekly

ONE = 1 << 64


def require(holds: bool, fault: str) -> None:
    if not holds:
        raise AuditFailure(fault)


def check_panels(client: Path) -> None:
    """Check that every panel has the same number of draws: the draw's remainder, where incomplete runs are drawn again."""
    process = series_node(client)
    for panels in (1, 2, 3, 4, 7, 1000):
        accepted = ONE - ONE % panels
        draws = [[draw] for draw in range(min(panels, 9))] + [[accepted - 1], [accepted - panels]]
        expected = [[draw % panels, 1, True] for [draw] in draws]
        for refused in {accepted, ONE - 1} - {ONE, accepted - 1}:
            draws.append([refused, refused, panels + 1])
            expected.append([1 % panels, 3, True])
        request = {
            "do": "panels",
            "series": weekly(panels, None).to_json(),
            "draws": [[str(d) for d in ds] for ds in draws],
        }
        [drawn] = process.ask(request)
        require(drawn == expected, f"panels: {drawn} of {panels}")


def check_schedules(client: Path, case: tuple[int, int, int] = (3, 4, 1), *, trusting: bool = False) -> None:
    """Check all schedules of some panels and rounds, each with at most a number of faults."""
    panels, rounds, faults = case
    request = {"do": "walk", "series": weekly(panels, rounds).to_json(), "rounds": rounds, "faults": faults}
    process = series_node(client)
    [walked] = process.ask(request | {"trusting": trusting})
    require("fault" not in walked, f"schedules: {walked}")
    require(walked["states"] > panels * rounds, "schedules: the walk went nowhere")
