"""Plans for mixed reports: what they propose is what tasks accept, and what they say holds for exactly that."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pckv import Plan, Task, plan, shuffled_privacy
from pckv.base.canonical import base64url, is_decimal_text
from pckv.base.errors import ParameterError
from pckv.base.limits import MAX_BATCH
from pckv.client.caps import DEFAULT_CAP, DEFAULT_LOCAL_CAP
from pckv.contract.mixer import Mixer
from pckv.planning import mixing
from pckv.planning.discovery import DiscoveryPlan, plan_discovery
from pckv.planning.mixing import PlannedMixing, proposed_delta
from pckv.planning.people import MAX_USERS, Expectations
from support.faults import Fault, in_place
from support.tiers import wide

KEY = base64url(bytes([9]) + bytes(31))
MIXING, PLANNER = "planning/mixing.py", "planning/planner.py"
# The members of a task that a plan does not propose.
AUTHOR: dict[str, Any] = {"url": "https://mix.example", "operator": "Trustee", "key": KEY}
USUAL: dict[str, Any] = {"keys": 100, "users": 20_000, "epsilon": 1, "pairs": 3, "levels": 2, "mixed": 20_000}
FEW_KEYS: dict[str, Any] = {"keys": 2, "users": 3000, "epsilon": "0.5", "levels": 2, "mixed": 2001}
SERIES: dict[str, Any] = {
    "keys": 2,
    "users": 9000,
    "epsilon": "0.5",
    "levels": 2,
    "mixed": 8000,
    "panels": 4,
    "rounds": 60,
}
HINTS = ("pairs", "most_pairs", "more", "levels", "most_influence", "objective")


@cache
def _planned(**asked: Any) -> Plan:
    return plan(**asked)


def mixed(asked: dict[str, Any]) -> tuple[Plan, PlannedMixing]:
    """Return a plan, and what it proposes."""
    planned = _planned(**asked)
    assert planned.mixed is not None
    return planned, planned.mixed


def task_of(asked: dict[str, Any], planned: Plan, **changed: Any) -> Task:
    """Make the task that a plan proposes, from the hints that the plan was made from."""
    assert planned.mixed is not None
    hints = {name: asked[name] for name in HINTS if name in asked}
    members: dict[str, Any] = {
        "name": "mixed",
        "keys": asked["keys"],
        "values": (-1, 1) if "levels" in asked else None,
        "epsilon": planned.epsilon,
        "users": asked["mixed"] // planned.panels,
        "mixer": Mixer(**AUTHOR, **vars(planned.mixed.mixer)),
    }
    return Task(**members | hints | changed)


def check_task(asked: dict[str, Any]) -> None:
    """The task is accepted with these numbers, has the law of the plan, and could not have a larger ε."""
    planned, proposed = mixed(asked)
    task = task_of(asked, planned)
    task.check_claim()
    assert (task.mechanism, task.padding, task.size_share) == (planned.mechanism, planned.padding, planned.size_share)
    assert Fraction(proposed.mixer.epsilon) <= Fraction(str(planned.epsilon)) == Fraction(str(proposed.local_epsilon))
    if planned.epsilon < 8:
        assert Fraction(proposed.mixer.epsilon) == Fraction(str(asked["epsilon"]))
        with pytest.raises(ParameterError, match="above the claimed δ"):
            task_of(asked, planned, epsilon=f"{1.011 * planned.epsilon:.4f}")


def check_batch(asked: dict[str, Any]) -> None:
    """The claim counts on three quarters of half of the people, of those of a round; δ is below .01/N."""
    planned, proposed = mixed(asked)
    mixer = proposed.mixer
    assert mixer.batch == asked["mixed"] // planned.panels // 2
    assert mixer.honest == 3 * mixer.batch // 4
    assert Fraction(mixer.delta) <= min(Fraction(1, 10**6), Fraction(1, 100 * asked["mixed"]))


def check_sides(asked: dict[str, Any]) -> None:
    """Both ways are those of plans of their own, at the wanted ε without a mixer and at the local one with it."""
    planned, proposed = mixed(asked)
    hints = {name: asked[name] for name in asked if name not in {"users", "epsilon", "mixed"}}
    alone = plan(users=asked["users"], epsilon=asked["epsilon"], **hints)
    assert proposed.alone.smallest_frequency == alone.smallest_frequency
    assert (proposed.alone.users, proposed.alone.epsilon) == (alone.users, alone.epsilon)
    as_task = plan(users=asked["mixed"], epsilon=planned.epsilon, **hints)
    assert replace(planned, mixed=None) == as_task
    assert planned.light == as_task.light


def check_few_honest(asked: dict[str, Any]) -> None:
    """What is said to be left at a quarter of the honest reports is what another computation says."""
    planned, proposed = mixed(asked)
    few = max(1, proposed.mixer.honest // 4)
    [said] = re.findall(r"If the batch has only ([\d,]+) honest reports?, ε = (\S+) with", words(planned))
    assert said[0] == f"{few:,}"
    left = shuffled_privacy(task_of(asked, planned), few, float(proposed.mixer.delta)).central_epsilon
    assert left <= float(said[1]) <= 1.01 * left


def check_caps(asked: dict[str, Any]) -> None:
    """A device that adds up what it spends is refused after as many rounds as the plan says."""
    planned, proposed = mixed(asked)
    assert planned.series is not None
    panels, rounds = planned.panels, planned.series.rounds
    spent = [Fraction(0)] * 3
    ended = None
    for round_number in range(1, rounds + 1, panels):
        each = (proposed.mixer.epsilon, proposed.mixer.delta, str(planned.epsilon))
        spent = [total + Fraction(more) for total, more in zip(spent, each, strict=True)]
        if spent[0] > 10 or spent[1] > Fraction(1, 10**5) or spent[2] > 40:
            ended = round_number - 1
            break
    said = re.search(r"they end its part in the series after ([\d,]+) of the ([\d,]+) rounds", words(planned))
    assert (said and said.groups()) == (None if ended is None else (f"{ended:,}", f"{rounds:,}"))
    if ended is None:
        assert f"they do not end its part in the series within these {rounds:,} rounds" in words(planned)


def words(planned: Plan) -> str:
    """Return all that a plan says."""
    sections = planned.sections(verbose=True)
    cells = (cell for section in sections for row in section.rows for cell in row)
    return "\n".join([*(sentence for section in sections for sentence in section.sentences), *cells])


VARIETY = [
    {"keys": "hashed", "users": 10**6, "epsilon": "0.1", "pairs": 2, "mixed": 10**6},
    {"keys": 50, "users": 5000, "epsilon": 2, "pairs": 3, "mixed": 4999, "levels": 5},
    {"keys": 10, "users": 800, "epsilon": "0.25", "pairs": 4, "mixed": 800, "more": "refuse"},
    {"keys": 5000, "users": 10**6, "epsilon": 1, "pairs": 20, "mixed": 10**6, "most_influence": 50.0},
    {"keys": 100, "users": 50_000, "epsilon": "0.5", "pairs": 3, "mixed": 40_000, "panels": 52},
    {"keys": 20, "users": 10**6, "epsilon": 3, "pairs": 2, "mixed": 10**6, "objective": "frequency"},
    {"keys": 3, "users": 100, "epsilon": "0.123456", "mixed": 40},
]


@pytest.mark.parametrize("asked", [FEW_KEYS, *wide(USUAL, SERIES, *VARIETY)], ids=str)
def test_a_task_with_the_proposed_numbers_holds(asked: dict[str, Any]) -> None:
    check_task(asked)
    check_batch(asked)
    check_few_honest(asked)


@pytest.mark.parametrize("asked", [FEW_KEYS, *wide(USUAL, SERIES, *VARIETY)], ids=str)
def test_both_ways_are_those_of_plans_of_their_own(asked: dict[str, Any]) -> None:
    check_sides(asked)


@given(st.integers(1, MAX_USERS))
def test_delta_is_a_plain_decimal_below_one_in_a_hundred_people(people: int) -> None:
    delta, most = proposed_delta(people), min(Fraction(1, 10**6), Fraction(1, 100 * people))
    assert is_decimal_text(delta)
    assert Fraction(delta) <= most < 2 * Fraction(delta)


# ALGORITHMS: 100 keys, 3 pairs per person, ε = 1 towards the recipient; with the margin of batch and honest.
TABLE = {
    2_000: (0.75, 0.102, "3.7"),
    5_000: (0.48, 0.043, "4.2"),
    20_000: (0.24, 0.0118, "5.3"),
    100_000: (0.11, 0.0024, "6.6"),
    1_000_000: (0.037, 0.00028, "8.7"),
}


@pytest.mark.verify
@pytest.mark.parametrize("people", TABLE)
def test_the_gain_is_as_designed(people: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plans state up to 7 % more than the table, which did not allow for sets with longer tails than are assumed."""
    monkeypatch.setattr(mixing, "MAX_LOCAL_EPSILON", "20")
    alone, with_mixer, local = TABLE[people]
    asked = USUAL | {"users": people, "mixed": people}
    stated = plan(**asked)
    assert stated.mixed is not None
    assert f"{stated.epsilon:.1f}" == local
    assert 1 < stated.smallest_frequency / with_mixer < 1.07
    assert 1 < stated.mixed.alone.smallest_frequency / alone < 1.07
    monkeypatch.setattr(Expectations, "surely_seen", Expectations.least_seen)
    without = plan(**asked)
    assert without.mixed is not None
    assert without.smallest_frequency == pytest.approx(with_mixer, rel=0.025)
    assert without.mixed.alone.smallest_frequency == pytest.approx(alone, rel=0.02)


@pytest.mark.verify
def test_a_report_has_at_most_epsilon_8_and_the_claim_is_stronger_then() -> None:
    planned, proposed = mixed(USUAL | {"users": 10**6, "mixed": 10**6})
    assert (planned.epsilon, proposed.mixer.epsilon) == (8, "0.66")
    assert 0.00038 < planned.smallest_frequency < 0.0004
    assert "No more than ε = 8 of a mixed report is proposed, with which the claim is stronger than the ε = 1" in words(
        planned
    )
    task = task_of(USUAL | {"mixed": 10**6}, planned)
    assert task.mixer is not None
    with pytest.raises(ParameterError, match="above the claimed δ"):
        replace(task.mixer, epsilon="0.65").check_claim(task.reporting)


def test_the_epsilon_of_the_claim_never_stands_without_its_condition() -> None:
    planned, _ = mixed(SERIES)
    said = [line for line in words(planned).splitlines() if "towards the recipient" in line]
    assert len(said) == 4
    assert all("if the mixer follows the protocol" in line and "honest report" in line for line in said)


def test_one_sentence_per_way() -> None:
    planned, proposed = mixed(USUAL)
    question = next(section for section in planned.sections() if section.title.endswith("?"))
    no, yes = question.sentences
    assert no.startswith(
        "No: every report is sent alone, at ε = 1 towards every party that sees it; with 20,000 people"
    )
    assert "if 26 % of people hold it" in no
    claim = (
        "ε = 1 with δ = 0.0000005 towards the recipient if the mixer follows the protocol and the batch has at least"
    )
    assert yes.startswith(
        f"Yes: reports are mixed, at {claim} 7,500 honest reports, and otherwise ε = 5.26 of a report; with 20,000"
    )
    assert "if 1.2 % of people hold it" in yes
    assert planned.light == "green"
    assert planned.sections()[0].sentences[0].startswith("With 20,000 people at ε = 5.26 of a mixed report, ")
    assert "Sealed, it has 56 bytes." in words(planned)
    assert "not by the collector" in words(planned)
    # The task stands in the plan's JSON: only what its author knows is missing.
    members = Plan.from_json(planned.to_json()).to_dict()["mixed"]["mixer"]
    assert Mixer(**AUTHOR, **members) == task_of(USUAL, planned).mixer
    assert vars(proposed.mixer) == members


@pytest.mark.parametrize("epsilon", ["0.000001", "0.3", "1", "3", "3.01", "5.26", "8"])
def test_what_is_left_of_a_report_is_said_in_odds(epsilon: str) -> None:
    said = mixing.local_words(float(epsilon))
    [factor, sure] = re.findall(r"a factor of at most (\S+), and even odds become at most (\S+) %", said)[0]
    odds = math.exp(float(epsilon))
    assert odds <= float(factor) <= 1.01 * odds
    assert odds / (1 + odds) <= float(sure) / 100 < 1
    assert ("a plan advises at most ε = 3" in said) == (float(epsilon) > 3)


def test_caps_end_a_series() -> None:
    check_caps(SERIES)
    planned, proposed = mixed(SERIES)
    assert "over all 60 rounds it spends at most ε = 7.5 with δ = 0.000015 towards the recipient, if" in words(planned)
    total = 15 * Decimal(str(planned.epsilon))
    assert f"and otherwise ε = {total.normalize():f} of its reports." in words(planned)
    assert "after 40 of the 60 rounds" in words(planned)
    # Caps are met exactly, not below: 10 times 10^-6.
    assert proposed.reports_within_caps == 10
    assert mixing.RECIPIENT_CAP == DEFAULT_CAP
    assert mixing.LOCAL_CAP == DEFAULT_LOCAL_CAP


@pytest.mark.parametrize(
    ("claim", "delta", "local", "reports"),
    [
        ("1", "0.0000001", 3.0, 10),
        ("3", "0.0000001", 3.5, 3),
        ("0.1", "0.0000003", 1.0, 33),
        ("0.1", "0.0000001", 7.9, 5),
    ],
)
def test_each_cap_may_be_the_first(claim: str, delta: str, local: float, reports: int) -> None:
    """ε towards recipients, twice; δ; and the ε of single reports."""
    _, proposed = mixed(SERIES)
    changed = replace(proposed, mixer=replace(proposed.mixer, epsilon=claim, delta=delta), local_epsilon=local)
    assert changed.reports_within_caps == reports


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"mixed": 3}, "mixed must be at least 4, not 3: a batch is half of the people, and a single report"),
        ({"mixed": -1}, "mixed must be at least 4, not -1"),
        ({"mixed": 15, "panels": 4}, "mixed must be at least 16, not 15: a batch is half of the people of a round"),
        ({"mixed": 2.5}, "mixed must be a whole number, not 2.5"),
        ({"mixed": True}, "mixed must be a whole number, not True"),
        ({"mixed": 501}, "mixed must be at most the number of people who take part, 500, not 501"),
        ({"mixed": 400, "coin": "server"}, "coin must be 'device' with a mixer"),
        ({"mixed": 400, "epsilon": 21}, "epsilon must be above 0 and at most 20, not 21"),
        ({"mixed": 400, "epsilon": "1e-9"}, "epsilon must be at least 0.000001"),
    ],
)
def test_what_cannot_be_mixed_is_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)):
        plan(**{"keys": 3, "users": 500, "epsilon": 1} | changed)


@pytest.mark.parametrize("people", [4, *wide(5, 7, 8)])
def test_too_few_people_gain_nothing_and_that_is_said(people: int) -> None:
    asked = {"keys": 2, "users": people, "epsilon": 1, "levels": 2, "mixed": people}
    planned, proposed = mixed(asked)
    assert not proposed.gains
    assert planned.epsilon == 1
    assert "For this many people, it is not known that mixing improves the protection." in words(planned)
    check_task(asked)
    check_batch(asked)
    check_few_honest(asked)
    check_sides(asked)


@pytest.mark.verify
@pytest.mark.parametrize("people", [200, 10**6])
def test_a_larger_epsilon_than_is_proposed_is_not_claimed(people: int) -> None:
    """Of 200 people the claim is that of a report; of a million it is far below what was asked for."""
    asked = {"keys": 10, "users": people, "epsilon": 12, "levels": 2, "mixed": people}
    planned, proposed = mixed(asked)
    assert planned.epsilon == 8
    assert (float(proposed.mixer.epsilon) == 8) == (people == 200) == (not proposed.gains)
    check_task(asked)
    check_sides(asked)
    check_few_honest(asked)


@pytest.mark.parametrize("asked", [(2000, "0.5"), *wide((10**6, "1"), (6, "2"), (10**5, "11"))])
def test_a_discovery_may_be_mixed(asked: tuple[int, str]) -> None:
    """The task holds with the proposed numbers and no larger ε, and either way is that of a plan of its own."""
    people, epsilon = asked
    tree: dict[str, Any] = {"characters": 4, "alphabet": "abcdef", "padding": 2}
    planned = plan_discovery(users=2 * people, mixed=people, epsilon=epsilon, **tree)
    proposed = planned.mixed
    assert proposed is not None
    mixer = Mixer(**AUTHOR, **vars(proposed.mixer))
    Task.discovery(name="texts", epsilon=proposed.local_epsilon, mixer=mixer, **tree).check_claim()
    if proposed.local_epsilon / float(epsilon) > 1 and proposed.local_epsilon < 8:
        with pytest.raises(ParameterError, match="above the claimed δ"):
            Task.discovery(name="texts", epsilon=f"{1.011 * proposed.local_epsilon:.4f}", mixer=mixer, **tree)
    alone = plan_discovery(users=2 * people, epsilon=epsilon, **tree)
    as_task = plan_discovery(users=people, epsilon=proposed.local_epsilon, **tree)
    assert (proposed.alone.users, proposed.alone.smallest_frequency) == (alone.users, alone.frequency)
    assert replace(planned, mixed=None) == as_task
    first, question, proposal = planned.sections()
    assert (first,) == as_task.sections()
    assert alone.sections()[0].sentences[0].partition(";")[0].removesuffix(".")[1:] in question.sentences[0]
    assert first.sentences[0].partition(";")[0].removesuffix(".")[1:] in question.sentences[1]
    assert proposal.title == "Proposed for a mixed task"
    assert DiscoveryPlan.from_json(planned.to_json()) == planned
    with pytest.raises(ParameterError, match="mixed must be at most the number of people who take part, 9, not 10"):
        plan_discovery(users=9, mixed=10, epsilon=1)


def test_a_batch_is_never_larger_than_a_task_may_name() -> None:
    proposed = mixing.Batch.proposed(MAX_USERS, MAX_USERS)
    assert (proposed.batch, proposed.honest) == (MAX_BATCH, 3 * MAX_BATCH // 4)
    _, small = mixed(FEW_KEYS)
    large = replace(small, mixer=replace(small.mixer, batch=MAX_BATCH))
    assert large.proposal("grr", 1, 1).rows[1][2].startswith("the largest that there may be")
    assert small.proposal("grr", 1, 1).rows[1][2].startswith("half of the people expected, rounded down")


@pytest.mark.verify
def test_hostile_reports_are_those_without_coins() -> None:
    asked = {"keys": 100, "users": 900, "epsilon": "0.5", "pairs": 3, "levels": 2, "mixed": 800}
    planned, _ = mixed(asked)
    assert planned.hostile.server_coin is not None
    *_, hostile, _ = planned.sections()
    assert hostile.title == "Hostile reports"
    assert len(hostile.sentences) == 1
    assert len(plan(100, 800, planned.epsilon, 3, levels=2).sections()[-2].sentences) == 2
    assert planned.verdict.endswith(" are enough at this ε of a report.")
    assert "you need" not in planned.verdict


@pytest.mark.verify
@settings(max_examples=12, deadline=None)
@given(st.integers(4, 10**5), st.integers(1, 40), st.sampled_from(["0.01", "0.4", "1", "2.5", "7"]), st.integers(1, 3))
def test_any_number_of_people(people: int, keys: int, epsilon: str, panels: int) -> None:
    asked = {"keys": keys, "users": people, "epsilon": epsilon, "mixed": people, "panels": panels}
    if people < 4 * panels:
        people = asked["users"] = asked["mixed"] = 4 * panels
    check_task(asked)
    check_batch(asked)
    check_few_honest(asked)
    check_caps(asked)


# Of so many people δ is not the largest that is proposed.
FAULTY: dict[str, Any] = SERIES | {"mixed": 30_004, "users": 40_000}
FAULTS = [
    in_place(
        "the claim is computed at the batch",
        MIXING,
        {"return _holds(ShuffleBound(self.honest": "return _holds(ShuffleBound(self.batch"},
        check_task,
        "above the claimed δ",
    ),
    in_place(
        "the local ε is rounded up",
        MIXING,
        {"                return low\n": "                return high\n"},
        check_task,
        "above the claimed δ",
    ),
    in_place(
        "δ is that of one person", MIXING, {"Decimal(DELTA_DIVISOR * people)": "Decimal(DELTA_DIVISOR)"}, check_batch
    ),
    in_place("δ is 1/N", MIXING, {"Decimal(DELTA_DIVISOR * people)": "Decimal(people)"}, check_batch),
    in_place("δ is rounded up", MIXING, {"rounding=ROUND_FLOOR": 'rounding="ROUND_UP"'}, check_batch),
    in_place(
        "batch of all rounds",
        MIXING,
        {'(check_whole(people, "mixed") // panels)': 'check_whole(people, "mixed")'},
        check_batch,
    ),
    in_place("honest is the batch", MIXING, {"math.floor(HONEST_SHARE * batch)": "batch"}, check_batch),
    in_place(
        "few honest reports are all of them",
        MIXING,
        {"ShuffleBound(few, *laws)": "ShuffleBound(self.honest, *laws)"},
        check_few_honest,
    ),
    in_place(
        "alone with the people of the mixer",
        PLANNER,
        {"Planner(alone, Fraction(wanted))": "Planner(expected, Fraction(wanted))"},
        check_sides,
    ),
    in_place("mixed with all people", PLANNER, {"alone.with_users(mixed // panels)": "alone"}, check_sides),
    in_place(
        "a report more than the caps allow",
        MIXING,
        {"return math.floor(min(spent))": "return math.floor(min(spent)) + 1"},
        check_caps,
    ),
    in_place(
        "caps by reports instead of rounds",
        MIXING,
        {"self.reports_within_caps * panels": "self.reports_within_caps"},
        check_caps,
    ),
]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_planted_faults_are_caught(fault: Fault, tmp_path: Path) -> None:
    _planned.cache_clear()
    try:
        fault.check_caught(tmp_path, FAULTY, raises=(AssertionError, ParameterError))
    finally:
        _planned.cache_clear()


@pytest.mark.verify
def test_the_checks_of_planted_faults_pass_on_the_shipped_code() -> None:
    for check in (check_task, check_batch, check_few_honest, check_sides, check_caps):
        check(FAULTY)
