"""Plans, tasks and tallies in a notebook: what is shown, and how much is not."""

from __future__ import annotations

import re

import pytest

from pckv import Tally, Task, plan

MANY = Task(
    name="<b>movies",
    keys=[f"<i>{number}" for number in range(120)],
    values=(1, 5),
    epsilon=1,
    about={"question": "Which & how?"},
)


def test_a_task_says_how_many_keys_it_hides() -> None:
    page = MANY._repr_html_()
    assert MANY.id in page
    assert ">Which &amp; how?</td>" in page
    assert "&lt;i&gt;10, &lt;i&gt;11, and 108 more</td>" in page
    assert "&lt;i&gt;12" not in page
    assert "<b>" not in page
    few = Task(name="few", keys=2**31, values=(0, 1), epsilon=1)._repr_html_()
    assert "10, 11, and 2,147,483,636 more</td>" in few
    assert ">0, 1, 2</td>" in Task(name="few", keys=3, values=(0, 1), epsilon=1)._repr_html_()


@pytest.mark.parametrize("mechanism", ["grr", "ue", "collision"])
def test_a_tally_says_how_many_counters_it_hides(mechanism: str) -> None:
    tally = Tally(Task(name="<b>", keys=30, values=(1, 5), epsilon=1, padding=2, mechanism=mechanism))
    page = tally._repr_html_()
    assert page.endswith(f"<p>… and {tally.cells:,} more counters, not shown</p>")
    assert re.search(r">reports</td><td[^>]*>0</td>", page)
    assert ("answers “at most 2” pairs" in page) == (tally.task.size_question is not None)
    assert "<b>" not in page


def test_a_plan_says_what_to_run_and_what_to_expect() -> None:
    chosen = plan(keys=100, users=20_000, epsilon=1, pairs=3)
    page = chosen._repr_html_()
    assert f">{chosen.padding}</td>" in page
    assert chosen.verdict in page
    assert page.count("the most frequent</td>") == 1
