"""Reports that are attacks, from their words to intervals: the attacks of the literature, and the worst on one key.

A small run of `make experiment NAME=hostile`: 19,800 honest people and 200 hostile reports, 8 repeats. A case
has 8 to 24 intervals, of which ordinary ones under the worst attack hold nothing. Those against hostile
reports hold 97.5 % or more: that over three of a case's 24 miss has a chance of 0.3 %, over two of 8 one of
0.1 %; seeds are fixed.
"""

from __future__ import annotations

import pytest

from experiments.hostile import CASES, PARTS, measure, people

REPEATS = 8


@pytest.mark.parametrize("case", PARTS)
def test_every_attack_is_covered(case: str) -> None:
    rows = list(measure(case, REPEATS))
    assert {"maximal gain", "random message", "random pair", "all say plus"} < {row.attack for row in rows}
    for row in rows:
        assert row.frequency >= 0.75, row
        assert row.other >= 0.75, row
    # Over all attacks the share is far more certain.
    assert sum(row.frequency + row.other for row in rows) / len(rows) / 2 >= 0.95
    # The control: the same attacks, and intervals that know nothing of them.
    assert min(min(row.ordinary_frequency, row.ordinary_other) for row in rows) < 0.5


def test_people_hold_larger_sets_only_where_they_are_asked_for_sizes() -> None:
    assert people(larger_sets=False).population.sizes.max() <= CASES["`ue`"].task.padding
    assert people(larger_sets=True).population.sizes.max() > CASES["`grr`, larger sets"].task.padding
