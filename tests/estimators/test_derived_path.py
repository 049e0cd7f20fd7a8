"""Results by group and of keys together hold what they say, on the default path; `make experiment NAME=derived-items`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest

from experiments.derived_items import QUICK_SETTINGS, run_settings
from experiments.derived_populations import BY_GROUP, POPULATIONS, KnownPeople, make_people
from experiments.derived_rows import requirements
from experiments.derived_scores import Covered, FoundDifferences, JudgedIntervals, score_labels
from pckv.base.arrays import Flags

HELD = np.array([[1, 1, 0, 1], [1, 1, 1, 0], [0, 0, 0, 0], [0, 1, 1, 1], [1, 0, 1, 1], [0, 0, 0, 1]]) > 0
LABELS = np.array([0, 1, 0, 1, 0, 1])


def _kept(held: Flags, padding: int) -> Iterator[tuple[int, tuple[int, ...], float]]:
    """Yield every person, every choice of their keys, and its chance."""
    for person, row in enumerate(held):
        keys = np.flatnonzero(row).tolist()
        choices = list(combinations(keys, min(padding, len(keys))))
        yield from ((person, chosen, 1 / len(choices)) for chosen in choices)


def test_the_truth_is_that_of_all_people() -> None:
    people = KnownPeople(HELD, LABELS)
    assert people.within_labels.tolist() == [[2 / 3, 1 / 3, 1 / 3, 2 / 3], [1 / 3, 2 / 3, 2 / 3, 2 / 3]]
    assert people.both[1, 2] == people.both[2, 1] == 2 / 6
    assert people.given[1].tolist() == pytest.approx([2 / 3, 1, 2 / 3, 2 / 3])
    assert people.lift[1, 2] == pytest.approx(2 / 6 / (3 / 6 * 3 / 6))
    # Six people show nothing that chance would not give them.
    assert not people.relations[np.triu_indices(4, 1)].any()
    assert not people.differences(0, 1).any()


def test_reports_show_the_items_of_what_is_kept() -> None:
    by_label, together = KnownPeople(HELD, LABELS), KnownPeople(HELD)
    cells, items = np.zeros((2, 4)), np.zeros((4, 4))
    for person, chosen, chance in _kept(HELD, 2):
        cells[LABELS[person], list(chosen)] += chance / len(HELD)
        items[np.ix_(chosen, chosen)] += chance / len(HELD)
    assert by_label.reported(2) == pytest.approx([0.5, 0.5, *cells.ravel()])
    assert together.reported(2) == pytest.approx([*np.diag(items), *items[np.triu_indices(4, 1)]])


@pytest.mark.parametrize("name", POPULATIONS)
def test_populations_have_what_they_are_made_for(name: str) -> None:
    """Some keys differ or are related and others are not; some people hold more keys than the operator expects."""
    people = make_people(name, 20_000)
    assert (people.held.sum(axis=1) > 2 * people.expected_pairs).any()
    if name in BY_GROUP:
        signs = people.differences(0, 1)
        assert set(people.within_labels[1, signs == 0] > 0) == {True}
        assert (np.diff(np.sort(people.label_sizes)) > 0).any()
    else:
        signs = people.relations[np.triu_indices(people.keys, 1)]
        # Among circles, active people hold more of everything, and no two keys exclude each other.
        assert set(signs.tolist()) >= ({1} if name == "circles" else {1, -1})
    assert (signs != 0).any()
    assert make_people(name, 20_000).held.tobytes() == people.held.tobytes()


def test_a_claim_is_false_unless_people_have_it() -> None:
    """Of three claims one has the wrong direction, and one is about a difference that chance gives."""
    labels = np.repeat([0, 1], 1000)
    held = np.zeros((2000, 2), np.bool_)
    held[:400, 0] = held[1000:1100, 0] = held[:100, 1] = held[1000:1101, 1] = True
    people = KnownPeople(held, labels)
    first, second = np.array([0, 1, 1]), np.array([1, 0, 0])
    difference = np.array([0.3, 0.3, 0.001])
    found = FoundDifferences(np.array([0, 0, 1]), first, second, difference, difference - 0.1, difference + 0.1)
    within = JudgedIntervals(people.within_labels.ravel(), np.zeros(4), np.zeros(4), np.full(4, 0.2), np.arange(4) < 2)
    scores = score_labels(people, within, found)
    assert scores.claims["labels differ"] == (3, 2)
    assert scores.claims["stand out"] == (2, 0)
    assert scores.intervals["difference of labels"] == Covered((2, 3), (2, 3), (2, 3))
    assert scores.intervals["share within a label"] == Covered((3, 4), (3, 4), (1, 2))


@pytest.mark.verify
@pytest.mark.parametrize("names", [("unlike sizes", "regions"), ("independent", "active", "baskets")])
def test_what_is_shown_holds_and_controls_fail(names: tuple[str, ...]) -> None:
    """Three collections of each population at two settings, with fixed seeds: all bars of the experiment hold.

    Naive intervals, and tests that know nothing of larger sets, miss them.
    """
    bars = list(requirements(run_settings(names, QUICK_SETTINGS, 3, 3, workers=1), enough=30))
    assert not [bar for bar in bars if not bar.holds]
    controls = [bar for bar in bars if bar.what.startswith("control")]
    assert len(controls) == 3 + (len(names) > 2)
    # Each of them is stated for enough intervals or claims.
    assert not [bar for bar in bars if "nothing is stated" in bar.measured]
