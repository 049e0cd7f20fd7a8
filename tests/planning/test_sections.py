"""What a plan says: the traffic light by one rule, and sections that command, notebook and page render."""

from __future__ import annotations

import html
import re
from dataclasses import replace

import pytest

from pckv.planning.plan import Plan
from pckv.planning.planner import plan
from pckv.planning.sections import LEVELS_RULE, NO_BETTER, RULE, WORDS, Light, Section, choose_light


@pytest.fixture(scope="module")
def planned() -> Plan:
    """Ten keys that matter, the rarest of them held by about 16 %."""
    return plan(10, 10_000, 2, 3)


def outlook(of: Plan) -> str:
    """Return the first sentence of a plan."""
    return of.sections()[0].sentences[0]


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
def test_the_light_follows_the_keys_that_stand_out(planned: Plan, rank: int, light: Light, told: str) -> None:
    """The least frequency is moved to that of each rank; nothing else changes."""
    found = replace(planned, smallest_frequency=planned.frequencies[rank - 1])
    first = found.sections()[0]
    assert (found.light, first.light, found.standing_out, first.title) == (light, light, rank, WORDS[light])
    stand = "stands" if told == "1" else "stand"
    assert outlook(found).startswith(f"{told} of the 10 most frequent keys {stand} out from the noise. ")


def test_the_light_follows_the_error_of_a_typical_key(planned: Plan) -> None:
    """The error of the option that is chosen counts, relative to the frequency that it is for."""
    seen = replace(planned, smallest_frequency=planned.frequencies[-1])
    lights = []
    for relative in (0.2, 0.3, 0.6):
        options = tuple(
            option if option.reason_not_chosen else replace(option, frequency_error=relative * planned.frequency)
            for option in planned.options
        )
        lights.append(replace(seen, options=options).light)
    assert lights == ["green", "amber", "red"]


def test_nothing_stands_out_where_no_key_can(planned: Plan) -> None:
    """Even a key that every participant holds: a least frequency of 1 means none."""
    found = replace(planned, smallest_frequency=1.0, frequencies=(1.0,) * 10)
    assert (found.light, found.standing_out) == ("red", 0)
    assert outlook(found).startswith("None of the 10 most frequent keys stand out from the noise.")


def test_one_pair_per_person_is_said_to_be_assumed() -> None:
    silent, told, many = (plan(100, 20_000, 1, pairs, frequency=0.1) for pairs in (None, 1, 8))
    assert outlook(silent) == outlook(told)
    assert outlook(silent).endswith(", for values from -1 to 1. This assumes one pair per person.")
    assert "pair" not in outlook(many) + outlook(plan(1, 10_000, 1))
    # What it matters for.
    assert (silent.light, many.light) == ("green", "red")


def test_few_people_and_many() -> None:
    few, many = (plan(1, users, 1) for users in (5, 10_000))
    assert (few.light, outlook(few).split(".")[0]) == ("red", "The key is too rare to tell")
    assert (many.light, outlook(many).split(".")[0]) == ("green", "The key stands out from the noise")
    assert outlook(plan(8, 10_000, 1, 3, frequency=0.3)).startswith(
        "A key of the frequency that you named stands out from the noise. Held by 30 % of people, it comes out with"
    )
    assert re.search(
        r"comes out with an error of ±\S+ points?; its mean with ±\S+, for values from -1 to 1\.$",
        outlook(many),
    )


def test_what_is_as_far_off_as_a_guess_is_said_in_one_way() -> None:
    """A mean or a share of which a plan expects nothing is "no better than a guess" wherever it is told."""
    few = plan(100, 2000, 1, 3, levels=5)
    assert outlook(few).endswith(f"; its mean is {NO_BETTER}; the shares of its 5 levels are {NO_BETTER}.")
    cells = [cell for section in few.sections() for row in section.rows for cell in row]
    assert NO_BETTER in cells
    assert "unknown" not in few._repr_html_()


def test_the_light_is_green_only_if_shares_are_known() -> None:
    """With many people the ten keys stand out, and yet the shares of 16 levels are hardly better than a guess."""
    for users in (10**6, 10**7):
        found = plan(100, users, 1, levels=16, frequency=0.05)
        assert found.levels is not None
        known = found.levels.share_error <= found.levels.guessed_share_error / 2
        assert known == (users > 10**6)
        assert found.light == ("green" if known else "amber")
        assert found.standing_out == 1
        assert found.chosen.frequency_error / found.frequency < 0.25
        assert found.sections()[-1].sentences == (LEVELS_RULE,) != (RULE,)
    stars = plan(100, 50_000, 2, 3, levels=5)
    assert re.search(r"; the share of one of its 5 levels with ±\S+ points\.$", outlook(stars))


def test_sections_come_in_one_order_and_only_where_there_is_something_to_say() -> None:
    plain = plan(20, 10_000, 2, 3)
    full = plan(20, 10_000, 2, 3, panels=2, shuffled=5000, delta=1e-6)
    titles = [section.title.partition(":")[0] for section in full.sections(verbose=True)]
    assert titles[1:5] == ["Recommended", "The mechanism", "Shuffled reports", "Conditions of the central ε"]
    assert "As a series" in titles
    assert [section.light is None for section in full.sections()] == [False, *[True] * (len(titles) - 2)]
    said = {section.title for section in plain.sections()}
    assert not said & {"The mechanism", "Shuffled reports"}
    first = plain.sections()[0]
    assert first.sentences[1:] == (plain.verdict, plain.assumed)


def test_every_row_has_a_cell_per_column(planned: Plan) -> None:
    for section in planned.sections(verbose=True):
        assert section.sentences or section.columns
        assert {len(row) for row in section.rows} <= {len(section.columns)}
        assert Section.from_json(section.to_json()) == section


def test_a_notebook_shows_every_section(planned: Plan) -> None:
    page = html.unescape(planned._repr_html_())
    for section in planned.sections():
        for text in (section.title, *section.sentences, *section.columns, *sum(section.rows, ())):
            assert text in page
