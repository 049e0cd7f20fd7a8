"""The traffic light of a plan: one rule, from what the plan says."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from pckv.planning.outlook import WORDS, Light, choose_light, outlook
from pckv.planning.plan import Plan, plan


@pytest.fixture(scope="module")
def planned() -> Plan:
    """Ten keys that matter, the rarest of them held by about 16 %."""
    return plan(10, 10_000, 2, 3)


@pytest.mark.parametrize(
    ("share", "error", "light"),
    [
        (1, 0.25, "green"),
        (1, 0.2501, "amber"),
        (0.9, 0.01, "amber"),
        (0.5, 0.5, "amber"),
        (0.4999, 0.01, "red"),
        (1, 0.5001, "red"),
        (0, 9, "red"),
    ],
)
def test_the_rule(share: float, error: float, light: Light) -> None:
    assert choose_light(share, error) == light


@pytest.mark.parametrize(
    ("rank", "light", "told"),
    [(10, "green", "All"), (9, "amber", "9"), (5, "amber", "5"), (4, "red", "4"), (1, "red", "1")],
)
def test_the_light_follows_the_keys_that_stand_out(planned: Plan, rank: int, light: str, told: str) -> None:
    """The least frequency is moved to that of each rank; nothing else changes."""
    found = outlook(replace(planned, smallest_frequency=planned.frequencies[rank - 1]))
    assert (found.light, found.standing_out, found.keys, found.words) == (light, rank, 10, WORDS[found.light])
    stand = "stands" if told == "1" else "stand"
    assert found.sentence.startswith(f"{told} of the 10 most frequent keys {stand} out from the noise. ")


def test_the_light_follows_the_error_of_a_typical_key(planned: Plan) -> None:
    """The error of the option that is chosen counts, relative to the frequency that it is for."""
    seen = replace(planned, smallest_frequency=planned.frequencies[-1])
    lights = []
    for relative in (0.2, 0.3, 0.6):
        options = tuple(
            option
            if option.reason_not_chosen
            else replace(option, frequency_error=relative * planned.frequency)
            for option in planned.options
        )
        found = outlook(replace(seen, options=options))
        assert found.relative_error == pytest.approx(relative)
        lights.append(found.light)
    assert lights == ["green", "amber", "red"]


def test_nothing_stands_out_where_no_key_can(planned: Plan) -> None:
    """Even a key that everybody holds: a least frequency of 1 means none."""
    found = outlook(replace(planned, smallest_frequency=1.0, frequencies=(1.0,) * 10))
    assert (found.light, found.standing_out) == ("red", 0)
    assert found.sentence.startswith("None of the 10 most frequent keys stand out from the noise.")


def test_one_pair_per_person_is_said_to_be_assumed() -> None:
    silent, told, many = (outlook(plan(100, 20_000, 1, pairs, frequency=0.1)) for pairs in (None, 1, 8))
    assert silent.sentence == told.sentence
    assert silent.sentence.endswith(", for values from -1 to 1. This assumes one pair per person.")
    assert "pair" not in many.sentence + outlook(plan(1, 10_000, 1)).sentence
    # What it matters for.
    assert (silent.light, many.light) == ("green", "red")


def test_few_people_and_many() -> None:
    few, many = (outlook(plan(1, users, 1)) for users in (5, 10_000))
    assert (few.light, few.sentence.split(".")[0]) == ("red", "The key is too rare to tell")
    assert few.sentence.endswith("its mean stays unknown.")
    assert (many.light, many.sentence.split(".")[0]) == ("green", "The key stands out from the noise")
    named = outlook(plan(8, 10_000, 1, 3, frequency=0.3))
    assert named.sentence.startswith(
        "A key of the frequency that you named stands out from the noise. Held by 30 % of people, it comes out with"
    )
    assert re.search(
        r"comes out with an error of ±\S+ points?; its mean with ±\S+, for values from -1 to 1\.$",
        many.sentence,
    )
