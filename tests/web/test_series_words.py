"""What the dashboard says of the rounds of a series: the same number of reports as the command line."""

from __future__ import annotations

import json

from pckv import Series
from pckv.cli.series import reports_per_year
from support.cli import GRR
from support.node import CLIENT, run_module

SCRIPT = """
const { windowSentence } = await import(process.argv[1]);
console.log(JSON.stringify(JSON.parse(process.argv[2]).map((numbers) => windowSentence({ ...numbers, epsilon: 1 }))));
"""


def test_the_reports_in_365_days_are_those_of_the_command_line() -> None:
    """365 days can begin on the last day of a round: 14 rounds of 30 days, not 13."""
    periods = (1, 5, 7, 30, 365, 400)
    every = [Series(task=GRR, first="2031-01-06", period=days, panels=w) for days in periods for w in (1, 4)]
    numbers = [{"period": each.period, "panels": each.panels, "rounds": None} for each in every]
    arguments = [(CLIENT.parent / "static" / "shared" / "task-words.js").as_uri(), json.dumps(numbers)]
    for series, sentence in zip(every, run_module(SCRIPT, *arguments), strict=True):
        assert f"in any 365 days it sends at most {reports_per_year(series)}, together" in sentence
