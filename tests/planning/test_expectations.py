"""What a plan assumes of people: sizes, frequencies of the keys that matter, and what a padding shows of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

from pckv.base.errors import ParameterError
from pckv.base.words import percent
from pckv.planning.people import expect
from pckv.planning.set_sizes import SetSizes, Spectrum


@pytest.mark.parametrize("keys", [5, 100, 2000])
@pytest.mark.parametrize("people", [{1: 1}, {3: 1}, {1: 50, 2: 30, 5: 20}], ids=str)
def test_frequencies_add_up_to_the_average_size(keys: int, people: dict[int, float]) -> None:
    sizes = SetSizes(people)
    spectrum = Spectrum(keys, sizes)
    total = sum(spectrum.frequency(1 / rank) for rank in range(1, keys + 1))
    assert total == pytest.approx(sizes.mean, rel=0.01)


def test_the_spectrum_of_sets_drawn_by_zipf_weights() -> None:
    """Distinct keys drawn by weights 1/k, 20,000 people of several sizes: frequencies and what a padding shows.

    One standard error of a frequency is at most .0036 (.0035 of what is shown); the model itself is off by as much.
    """
    keys, people = 200, 20_000
    rng = default_rng(5)
    sizes = rng.choice([1, 2, 4, 9, 30], people, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    times = rng.exponential(size=(people, keys)) * np.arange(1, keys + 1)
    held = np.argsort(np.argsort(times, axis=1), axis=1) < sizes[:, None]
    spectrum = Spectrum(
        keys, SetSizes(dict(zip(*map(np.ndarray.tolist, np.unique(sizes, return_counts=True)), strict=True)))
    )
    for rank in (1, 2, 5, 10, 50):
        column = held[:, rank - 1]
        frequency = float(column.mean())
        assert spectrum.frequency(1 / rank) == pytest.approx(frequency, abs=0.012)
        for padding in (1, 2, 5, 10):
            shown = float((column * np.minimum(1, padding / sizes)).mean())
            assert frequency * spectrum.seen(1 / rank, padding) == pytest.approx(shown, abs=0.012)
    kept = SetSizes({1: 1, 2: 1}).mean / SetSizes({1: 1, 100: 1}).mean
    # People with many pairs hold popular keys more often, but not in proportion: more is seen of those.
    assert spectrum.seen(1, 2) > spectrum.seen(1 / 50, 2) > kept


def test_everybody_alike_shows_the_same_share_of_every_key() -> None:
    spectrum = Spectrum(100, SetSizes({5: 3}))
    for popularity in (1, 0.1, 0.01):
        assert [spectrum.seen(popularity, padding) for padding in (1, 2, 5, 9)] == pytest.approx([0.2, 0.4, 1, 1])


def test_a_popularity_is_found_by_its_frequency() -> None:
    spectrum = Spectrum(100, SetSizes({0: 1, 2: 4, 9: 5}))
    for rank in (1, 3, 40):
        assert spectrum.popularity(spectrum.frequency(1 / rank)) == pytest.approx(1 / rank)
    # A tenth of the people hold nothing.
    assert spectrum.frequency(spectrum.popularity(0.95)) == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("known", "pairs", "frequencies"),
    [
        ({}, "1 pair per person", "the most frequent of 100 keys is held by 18 %, number 10 by 2 %"),
        (
            {"padding": 4},
            "4 pairs per person",
            "the most frequent of 100 keys is held by 58 %, number 10 by 8.3 %",
        ),
        (
            {"pairs": 3},
            "1 to 9 pairs per person, 3 on average",
            "the most frequent of 100 keys is held by 43 %, number 10 by 6.3 %",
        ),
        (
            {"most_pairs": 5},
            "1 to 5 pairs per person, 3 on average",
            "the most frequent of 100 keys is held by 45 %, number 10 by 6.2 %",
        ),
        (
            {"pairs": 1, "holding": 0.4},
            "of whom 40 % hold any pair: 1 to 8 pairs, 2.5 on average (1 over all people)",
            "the most frequent of 100 keys is held by 15 %, number 10 by 2.1 %",
        ),
        (
            {"holding": 0.25},
            "of whom 25 % hold any pair: 1 pair (0.25 over all people)",
            "the most frequent of 100 keys is held by 4.5 %, number 10 by 0.49 %",
        ),
        (
            {"pairs": 0.4, "frequency": 0.1},
            "of whom 20 % hold any pair: 1 to 6 pairs, 2 on average (0.4 over all people)",
            "the keys that matter are held by 10 % each",
        ),
        (
            {"sizes": {2: 9, 4: 1}, "frequency": 0.02},
            "2 to 4 pairs per person, 2.2 on average",
            "the keys that matter are held by 2 % each",
        ),
    ],
)
def test_what_was_assumed_is_said(known: dict[str, Any], pairs: str, frequencies: str) -> None:
    assert expect(100, **known).sentence == f"Assumed: 10,000 people, {pairs}; {frequencies}."


def test_percentages() -> None:
    assert [percent(share) for share in (0, 1e-6, 0.00123, 0.0999, 0.4481, 0.996, 1)] == [
        "0 %",
        "0.0001 %",
        "0.12 %",
        "10 %",
        "45 %",
        "100 %",
        "100 %",
    ]


def test_what_reports_show() -> None:
    expected = expect(100, sizes={1: 1, 10: 1})
    frequencies = expected.people.frequencies
    assert expected.shown(10) == expected.shown(11) == frequencies
    assert len(frequencies) == 10
    shown = [expected.shown(padding)[0] for padding in range(1, 11)]
    assert shown == sorted(shown)
    # A set may not be larger than the padding.
    assert expect(100, sizes={1: 1, 10: 1}, more="refuse").shown(1) == frequencies
    rarer = expected.people.rarer(10)
    assert rarer.frequencies == pytest.approx([each / 10 for each in frequencies])
    assert len(expect(3).people.frequencies) == 3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"keys": 0}, "keys must be at least 1"),
        ({"users": 0}, "users must be a whole number of at least 1 and at most 10\\^15, not 0"),
        ({"users": True}, "users must be a whole number"),
        ({"users": 2.5}, "users must be a whole number"),
        ({"frequency": 0}, "frequency must be at least"),
        ({"frequency": 1.1}, "frequency must be at least"),
        ({"pairs": 11}, "at most the number of keys"),
        ({"pairs": 3, "most_pairs": 2}, "most pairs must be at least"),
        (
            {"holding": 0},
            "holding, the share of people who hold any pair, must be at least 0.000001 and at most 1, not 0$",
        ),
        ({"holding": 5e-324}, "must be at least 0.000001 and at most 1, not 4.94066e-324$"),
        ({"pairs": 5e-324}, "pairs must be at least 0.000001, not 4.94066e-324$"),
        ({"holding": 1.2}, "must be at least 0.000001 and at most 1, not 1.2$"),
        ({"holding": 40}, "must be at least 0.000001 and at most 1, not 40$"),
        ({"holding": float("nan")}, "must be at least 0.000001 and at most 1, not nan$"),
        (
            {"pairs": 0.3, "holding": 0.4},
            r"pairs must be at least the share of people who hold any \(0.4\), not 0.3: each of those holds one or more$",
        ),
        (
            {"pairs": 6, "holding": 0.5},
            r"the number of keys \(10\), not 6: the 0.5 of people who hold any would hold 12 each, on average$",
        ),
        (
            {"pairs": 2, "holding": 0.5, "most_pairs": 3},
            "most pairs must be at least the 4 pairs that those who hold any hold on average",
        ),
        (
            {"holding": 0.4, "frequency": 0.5},
            r"frequency must be at most the share of people who hold any pair \(0.4\), not 0.5$",
        ),
        ({"pairs": 0.4, "frequency": 0.5}, r"pairs must be at least the frequency of a key \(0.5\), not 0.4$"),
        ({"holding": 0.5, "sizes": {1: 1}}, "sizes say how many people hold any pair: give no share"),
        ({"sizes": {0: 6, 2: 4}, "frequency": 0.9}, r"who hold any pair \(0.4\), not 0.9$"),
        ({"pairs": 1, "sizes": {1: 1}}, "sizes say how many pairs people hold"),
        ({"most_pairs": 3, "sizes": {1: 1}}, "sizes say how many pairs people hold"),
        (
            {"objective": "median"},
            "objective 'median' does not exist: choose from both, frequency, mean, mse$",
        ),
        ({"more": "drop"}, "more must be"),
    ],
)
def test_bad_expectations(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        expect(**({"keys": 10} | changes))


def test_frequencies_guessed_from_an_earlier_task_come_with_a_reservation() -> None:
    """A participant with one pair is counted as one with six there, so that keys look too frequent."""
    measured = SetSizes.of_shares((6, 7, 8), (0.99, 0.01, 0))
    assert (
        "fewer than 6 pairs in the earlier task is counted as if they held 6, so these frequencies"
        in expect(8, sizes=measured).sentence
    )
    assert "counted as" not in expect(8, sizes=measured, frequency=0.3).sentence
    assert "counted as" not in expect(8, sizes={6: 1}).sentence
    alone = SetSizes.of_shares((1, 2, 4, 8), (0.9, 0.1, 0, 0))
    assert "counted as" not in expect(8, sizes=alone).sentence
