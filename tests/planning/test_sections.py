"""What a plan says: which keys stand out, and sections that command, notebook and page render."""

from __future__ import annotations

import html
import re

import numpy as np
import pytest

from pckv import Tally, Task, estimate
from pckv.base.words import rounded_up
from pckv.planning.plan import Plan
from pckv.planning.planner import plan
from pckv.planning.sections import LEVELS_RULE, NO_BETTER, RULE, WORDS, Section


@pytest.fixture(scope="module")
def planned() -> Plan:
    """Ten keys that matter, the rarest of them held by about 16 %."""
    return plan(10, 10_000, 2, 3, levels=2)


def outlook(of: Plan) -> str:
    """Return the first sentence of a plan."""
    return of.sections()[0].sentences[0]


def test_a_plan_says_from_which_frequency_keys_stand_out(planned: Plan) -> None:
    first = planned.sections()[0]
    assert (first.light, first.title) == (planned.light, WORDS[planned.light])
    assert planned.outlook.reach is not None
    told = re.fullmatch(
        r"With 10,000 people at ε = 2, keys that at least (\S+) % of people hold stand out from the noise: "
        r"all of them together, four times out of five\.",
        outlook(planned),
    )
    assert told is not None
    # Rounded up, so that what is said holds.
    assert 0 <= float(told[1]) / 100 - planned.outlook.reach < 0.01
    many = plan(100, 10_000, 2, 3, levels=2)
    assert ", those of the 10 most frequent keys that at least " in outlook(many)
    few = plan(10, 5, 1, levels=2)
    assert (few.light, few.outlook.reach) == ("red", None)
    assert outlook(few) == (
        "With 5 people at ε = 1, no key is sure to stand out from the noise, not even one that all people hold."
    )


def test_a_plan_says_how_many_keys_that_may_be(planned: Plan) -> None:
    """Of every scenario, those that are at least as frequent; in ascending order of how many they are."""
    counts = {each.shape: each.standing_out for each in planned.outlook.scenarios}
    assert counts == {"zipf": 10, "declining": 8, "alike": 10}
    for each in planned.outlook.scenarios:
        assert each.standing_out == sum(f >= (planned.outlook.reach or 2) for f in each.frequencies)
    assert planned.sections()[0].sentences[1] == (
        "Of these 10 keys that is 8 if they decline evenly (54.5 % to 5.45 %), all if a few keys prevail, as by Zipf's "
        "law (64.1 % to 15.6 %), and all if all keys are equally frequent (30 % each)."
    )
    none = plan(100, 8000, 1, 3, levels=2).sections()[0].sentences[1]
    assert none == "In all cases considered that is none of these 10 keys."


def test_one_pair_per_person_is_said_to_be_assumed() -> None:
    """Where more are possible; with three, one of which is reported, it takes three times the frequency."""
    silent, told = plan(4, 800, 2, levels=2), plan(4, 800, 2, holding=1, levels=2)
    assert silent.sections() == told.sections()
    assert silent.outlook.reach is not None
    three = f"{rounded_up(300 * silent.outlook.reach)} %"
    sentence = "This assumes at most one pair per person; if people hold {}, {} with this padding: {}."
    advice = "name the number of pairs to plan for it"
    assert silent.padding == 1
    assert sentence.format(3, f"it takes {three}", advice) in silent.sections()[0].sentences
    # Of two keys they cannot hold three.
    two = plan(2, 800, 2, levels=2)
    assert two.outlook.reach is not None
    takes = f"it takes {rounded_up(200 * two.outlook.reach)} %"
    assert sentence.format(2, takes, advice) in two.sections()[0].sentences
    none = sentence.format(3, "no key is sure to stand out", advice)
    assert none in plan(4, 200, 2, levels=2).sections()[0].sentences
    for sure in (
        plan(4, 800, 2, more="refuse", levels=2),
        plan(4, 800, 2, most_pairs=1, levels=2),
        plan(1, 800, 2, levels=2),
        plan(4, 800, 2, 3, levels=2),
    ):
        assert not any("This assumes" in sentence for sentence in sure.sections()[0].sentences)


def test_a_frequency_that_is_named() -> None:
    lights = {}
    for users in (200, 800, 10_000):
        found = plan(8, users, 2, 1, frequency=0.15, levels=2)
        assert found.outlook.reach is not None
        lights[found.light] = found.outlook.reach
        assert outlook(found).endswith(" of people hold it; you named 15 %.")
        assert (found.outlook.enough is None) == (found.light == "green") == (found.verdict == "")
    assert lights["green"] <= 0.15 < lights["amber"] <= 0.3 < lights["red"]


def test_the_frequencies_of_a_single_key_are_those_that_the_light_is_chosen_by() -> None:
    """What is assumed names the one that green takes, and the rule says where it comes from."""
    single = plan(1, 60, 1, levels=2)
    assert (single.outlook.rarest, single.frequency) == pytest.approx((1 / 3, 1))
    assert single.assumed == "Assumed: 60 people, 1 pair per person; the key is held by 100 %, or by as few as 33 %."
    assert single.light == "amber"
    assert single.verdict.startswith("For a key of 33 %, you need about ")
    rule, of_one = single.sections()[-1].sentences
    assert rule == RULE
    assert "held by 100 % of people" in of_one
    assert "by 33 % if the answers decline evenly, or 50 % if both are equally frequent" in of_one
    named = plan(1, 60, 1, frequency=0.2, levels=2)
    assert named.assumed.endswith("; the key is held by 20 %.")
    assert named.sections()[-1].sentences == plan(2, 60, 1, levels=2).sections()[-1].sentences == (RULE,)


def test_ranges_are_those_of_results(planned: Plan) -> None:
    """95 % ranges, 1.96 standard errors to either side, wherever errors are printed."""
    sentence = next(each for each in planned.sections()[0].sentences if each.startswith("A key that"))
    told = re.search(r"with a 95 % range of about ±(\S+) points; its mean with ±(\S+),", sentence)
    assert told is not None
    assert float(told[1]) / 100 == pytest.approx(1.96 * planned.chosen.frequency_error, rel=0.06)
    assert planned.chosen.mean_error is not None
    assert float(told[2]) == pytest.approx(1.96 * planned.chosen.mean_error, rel=0.06)
    titles = [section.title for section in planned.sections() if "frequency" in section.columns]
    assert len(titles) == 3
    assert all("95 % ranges" in title for title in titles)


@pytest.mark.parametrize("keys", [2, 4])
def test_what_ranges_of_plans_leave_out_is_said_where_estimates_contain_it(keys: int) -> None:
    """Of counts as expected where all people hold one pair of keys that are equally frequent."""
    planned = plan(keys, 800, 2, levels=2)
    task = Task(name="x", keys=keys, values=(-1, 1), epsilon=2, users=800)
    assert (task.mechanism, task.padding, task.size_share) == ("grr", planned.padding, planned.size_share)
    words = task.law.word_limit
    assert words is not None
    asked = round(800 * planned.size_share)
    tally = Tally(task)
    # Every pair as often as any other, and of the answers as many as are expected where all hold one pair.
    question = task.size_question
    assert question is not None
    answers = [round(asked * float(question.other_chance))] * (len(question.ends) - 1)
    pairs, rest = divmod(800 - asked, words)
    tally.add_many(np.repeat(np.arange(words), [pairs + 1] * rest + [pairs] * (words - rest)))
    tally.add_many(words + np.repeat(np.arange(len(question.ends)), [asked - sum(answers), *answers]))
    found = estimate(tally)
    half = float(np.mean(found.frequency_high - found.frequency_low)) / 2
    assert half > 1.2 * 1.96 * planned.chosen.frequency_error
    sentences = planned.sections()[0].sentences
    assert any(
        "the ranges that estimates print also allow for what people with more than 1 pair" in s for s in sentences
    )
    for sure in (plan(keys, 800, 2, more="refuse", levels=2), plan(1, 800, 2, levels=2)):
        assert not any("estimates print" in sentence for sentence in sure.sections()[0].sentences)


def test_what_is_as_far_off_as_a_guess_is_said_in_one_way() -> None:
    """A mean or a share of which a plan expects nothing is "no better than a guess" wherever it is told."""
    few = plan(100, 2000, 1, 3, levels=5)
    ranges = next(each for each in few.sections()[0].sentences if each.startswith("A key that"))
    assert ranges.endswith(f"; its mean is {NO_BETTER}; the shares of its 5 levels are {NO_BETTER}.")
    cells = [cell for section in few.sections() for row in section.rows for cell in row]
    assert NO_BETTER in cells
    assert "unknown" not in few._repr_html_()


def test_the_light_is_green_only_if_shares_are_known() -> None:
    """With many people the keys stand out, and yet the shares of 16 levels are hardly better than a guess."""
    for users in (10**6, 2 * 10**7):
        found = plan(100, users, 1, levels=16, frequency=0.05)
        assert found.levels is not None
        known = found.levels.share_error <= found.levels.guessed_share_error / 2
        assert known == (users > 10**6)
        assert (found.outlook.reach or 1) <= 0.05
        assert found.light == ("green" if known else "amber")
        assert found.sections()[-1].sentences == (LEVELS_RULE,) != (RULE,)
        if not known:
            assert found.verdict.startswith("To know the shares of levels, you need about ")
    stars = plan(100, 50_000, 2, 3, levels=5)
    assert re.search(r"; the share of one of its 5 levels with ±\S+ points\.$", stars.sections()[0].sentences[2])


def test_sections_come_in_one_order_and_only_where_there_is_something_to_say() -> None:
    plain = plan(20, 10_000, 2, 3, levels=2)
    full = plan(20, 10_000, 2, 3, panels=2, mixed=5000, levels=2)
    titles = [section.title.partition(":")[0] for section in full.sections(verbose=True)]
    choice = "Can a party outside your organisation run a mixer?"
    assert titles[1:5] == [choice, "Recommended", "The mechanism", "Proposed for a mixed task"]
    assert "As a series" in titles
    assert [section.light is None for section in full.sections()] == [False, *[True] * (len(titles) - 2)]
    said = {section.title for section in plain.sections()}
    assert not said & {choice, "The mechanism", "Proposed for a mixed task"}
    first = plain.sections()[0]
    assert first.sentences[-2:] == (plain.verdict, plain.assumed)


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
