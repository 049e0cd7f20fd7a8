"""Tasks: validation, canonical JSON, identity."""

from __future__ import annotations

import hashlib
import json
from dataclasses import FrozenInstanceError
from decimal import Decimal
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pckv import Task
from pckv.base.canonical import decimal_text, is_decimal_text
from pckv.base.errors import PairsError, ParameterError, TaskError
from pckv.mechanisms.registry import LAWS


def make(**changes: Any) -> Task:
    parts: dict[str, Any] = {"name": "movies", "keys": ["alien", "heat"], "values": (1, 5), "epsilon": 1.0}
    return Task(**(parts | changes))


def test_canonical_json_is_as_specified() -> None:
    task = make(padding=2, mechanism="grr", opens="2026-01-01", closes="2026-02-01")
    assert task.to_json() == (
        '{"about":{"consent":"","contact":"","description":"","eligibility":"","high_label":"",'
        '"language":"en","low_label":"","middle_label":"","question":"","translations":{},"unit":""},"between":"round","closes":"2026-02-01","coin":"device","epsilon":"1","high":"5","keys":["alien","heat"],"kind":"pairs","levels":2,"low":"1",'
        '"mechanism":{"allocation":"optimized","name":"grr"},"mixer":null,"more":"sample","name":"movies","opens":"2026-01-01",'
        '"other":null,"padding":2,"segment":null,"series":null,"size_share":"0","together":false,"version":1}'
    )
    assert list(json.loads(task.to_json())) == sorted(json.loads(task.to_json()))
    number, written = int(hashlib.sha256(task.to_json().encode()).hexdigest(), 16), ""
    while len(written) < 43:
        number, digit = divmod(number, 64)
        written = (ascii_uppercase + ascii_lowercase + digits + "-_")[digit] + written
    assert (task.id, number) == (written, 0)
    assert Task.from_json(task.to_json()) == task
    assert Task.from_json(task.to_json().encode()).id == task.id


names = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=20)


@given(
    st.lists(
        names.filter(lambda n: __import__("unicodedata").is_normalized("NFC", n)),
        min_size=1,
        max_size=5,
        unique=True,
    ),
    st.decimals("0.01", "20", places=2),
    st.integers(1, 5),
    st.sampled_from(["sample", "refuse"]),
    st.decimals(0, "0.5", places=3),
)
def test_any_task_survives_its_json(keys: list[str], epsilon: Decimal, padding: int, more: str, share: Decimal) -> None:
    padding = min(padding, len(keys))
    asks_sizes = more == "sample" and padding < len(keys)
    mechanism = "grr" if asks_sizes else "auto"
    task = make(
        keys=keys,
        epsilon=epsilon,
        padding=padding,
        mechanism=mechanism,
        more=more,
        size_share=share if asks_sizes else 0,
    )
    again = Task.from_json(task.to_json())
    assert again.to_json() == task.to_json()
    assert again.realised_epsilon <= float(epsilon)
    assert (again.more, again.size_share) == (more, float(share) if asks_sizes else 0)
    assert (again.size_question is None) == (again.size_share == 0)
    assert json.loads(task.to_json())["keys"] == keys


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1.0, "1"),
        (0.1, "0.1"),
        ("0.50", "0.5"),
        (1e-3, "0.001"),
        (-0.0, "0"),
        (10, "10"),
        ("1e2", "100"),
        (Decimal("-2.50"), "-2.5"),
    ],
)
def test_decimal_text(number: Any, text: str) -> None:
    assert decimal_text(number, "x") == text
    assert is_decimal_text(text)


@pytest.mark.parametrize("text", ["1.0", "01", "1.", ".5", "-0", "1e2", "+1", " 1", "", "١", 1])
def test_not_a_plain_decimal(text: Any) -> None:
    assert not is_decimal_text(text)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": 0}, "epsilon must be above 0"),
        ({"epsilon": -1}, "epsilon must be above 0"),
        ({"epsilon": float("nan")}, "finite"),
        ({"epsilon": "inf"}, "finite"),
        ({"epsilon": 20.01}, "at most 20"),
        ({"epsilon": "much"}, "must be a number"),
        ({"epsilon": True}, "must be a number"),
        ({"epsilon": "1e-99"}, "more than 40 digits"),
        ({"epsilon": 9e-7}, "at least 0.000001"),
        ({"keys": []}, "at least one key"),
        ({"keys": 0}, "at least one key"),
        ({"keys": ["a", "b", "a"]}, "key 'a' appears twice"),
        ({"keys": ["a", ""]}, "key 2 is empty"),
        ({"keys": ["a", 3]}, "key 2 must be text"),
        ({"keys": ["a\n"]}, "control character"),
        ({"keys": ["e\u0301"]}, "normal form C"),
        ({"keys": ["\ud800"]}, "not valid Unicode"),
        ({"keys": ["é" * 129]}, "longer than 256 bytes"),
        ({"keys": 2**31 + 1}, "at most 2\\^31 keys"),
        ({"keys": "alien"}, "list of names"),
        ({"values": (5, 1)}, "low must be below high"),
        ({"values": (1, 1)}, "low must be below high"),
        ({"values": (1, float("inf"))}, "finite"),
        ({"values": (1,)}, "pair"),
        ({"padding": 0}, "padding must be at least 1"),
        ({"padding": 1.5}, "whole number"),
        ({"padding": 3}, "padding must be at most the number of keys, 2, not 3$"),
        ({"padding": 3, "more": "refuse"}, "padding must be at most the number of keys"),
        ({"more": "drop"}, "more must be 'sample' or 'refuse', not 'drop'"),
        ({"more": None}, "more must be 'sample' or 'refuse', not None"),
        ({"padding": 1, "mechanism": "grr", "size_share": 0.6}, "at least 0 and at most 0.5, not 0.6$"),
        ({"padding": 1, "mechanism": "grr", "size_share": -0.1}, "at least 0 and at most 0.5, not -0.1$"),
        ({"padding": 1, "mechanism": "grr", "size_share": "some"}, "size_share must be a number"),
        ({"padding": 1, "mechanism": "grr", "size_share": float("nan")}, "finite"),
        ({"padding": 1, "more": "refuse", "size_share": 0.1}, "must be 0 where more pairs .* are refused"),
        ({"padding": 1, "mechanism": "ue", "size_share": 0.1}, "must be 0 for 'ue', whose reports are not"),
        ({"padding": 2, "mechanism": "grr", "size_share": 0.1}, "must be 0: nobody can hold more"),
        ({"mechanism": "oue"}, "choose from ue, grr, ue-compact, collision$"),
        ({"mechanism": {"name": "ue", "q": 5}}, "no parameter 'q'"),
        ({"mechanism": {"name": "ue-compact", "allocation": "naive"}}, "no parameter 'allocation'"),
        ({"mechanism": {"name": "auto", "q": 5, "allocation": "naive"}}, "no mechanism has the parameters"),
        ({"mechanism": {"name": "auto", "q": 16411}}, "ask for it by name"),
        ({"mechanism": {"name": "ue-compact", "q": 9}}, "q must be a prime from 3 to 3037000499, not 9$"),
        ({"mechanism": {"name": "ue-compact", "q": 2}}, "q must be a prime from 3"),
        ({"mechanism": {"name": "ue-compact", "q": 1}}, "q must be a prime from 3"),
        ({"mechanism": {"name": "ue-compact", "q": 0}}, "q must be a prime from 3"),
        ({"mechanism": {"name": "ue-compact", "q": -5}}, "q must be a prime from 3"),
        ({"mechanism": {"name": "ue-compact", "q": 3037000507}}, "q must be a prime from 3"),
        ({"mechanism": {"name": "ue-compact", "q": 10**400 + 69}}, "q must be a prime from 3"),
        ({"mechanism": {"name": "ue-compact", "q": True}}, "q must be a whole number, not True"),
        ({"mechanism": {"name": "ue-compact", "q": "5"}}, "q must be a whole number, not '5'"),
        ({"mechanism": {"name": "ue-compact", "q": 5.0}}, "q must be a whole number, not 5.0"),
        ({"mechanism": {"name": "ue-compact", "q": None}}, "q must be a whole number, not None"),
        (
            {"keys": 2**31, "mechanism": {"name": "ue-compact", "q": 2097169}},
            "q = 2097169 needs words of more than 63 bits for 2,147,483,648 keys",
        ),
        ({"mechanism": {"name": "ue", "allocation": "best"}}, "choose from optimized"),
        ({"opens": "2026-1-1"}, "YYYY-MM-DD"),
        ({"opens": "2026-02-30"}, "YYYY-MM-DD"),
        ({"opens": "2026-02-02", "closes": "2026-02-02"}, "cannot close"),
        ({"name": ""}, "name is empty"),
        ({"coin": "none"}, "coin must be 'device' or 'server', not 'none'"),
        ({"coin": None}, "coin must be 'device' or 'server', not None"),
        (
            {"coin": "server", "mechanism": "grr"},
            "coin must be 'device' for 'grr', whose reports name no function",
        ),
        (
            {"coin": "server", "mechanism": "ue"},
            "coin must be 'device' for 'ue', whose reports name no function",
        ),
        (
            {"coin": "server", "mechanism": {"name": "auto", "allocation": "naive"}},
            "whose reports name no function",
        ),
    ],
)
def test_bad_tasks(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message) as caught:
        make(**changes)
    assert "\n" not in str(caught.value)


def test_q_is_part_of_the_task() -> None:
    compact = make(mechanism={"name": "ue-compact", "q": 5})
    assert '"mechanism":{"name":"ue-compact","q":5}' in compact.to_json()
    assert Task.from_json(compact.to_json()) == compact
    assert compact != make(mechanism={"name": "ue-compact", "q": 7})
    assert make(mechanism={"name": "auto", "q": 7}) == make(mechanism={"name": "ue-compact", "q": 7})
    without = compact.to_json().replace(',"q":5', "")
    with pytest.raises(TaskError, match=r"^not a task: mechanism 'ue-compact' needs q$"):
        Task.from_json(without)
    for q, message in (("9", "prime"), ("true", "whole number"), ('"5"', "whole number"), ("5.0", "integer")):
        with pytest.raises(TaskError, match=message):
            Task.from_json(compact.to_json().replace('"q":5', f'"q":{q}'))


@pytest.mark.parametrize(("keys", "q"), [(2**31, 2097143), (2, 3037000493), (2**31, 3037000493)])
def test_the_largest_primes_that_fit(keys: int, q: int) -> None:
    task = make(keys=keys, mechanism={"name": "ue-compact", "q": q})
    assert task.word_limit is not None
    assert 2**62 < task.word_limit < 2**63


def test_the_largest_laws_leave_room_for_answers_about_sizes() -> None:
    """At most 2^63 - 2^32 words are about pairs, and at most four about sizes."""
    for keys, mechanism in (
        (2**31, {"name": "ue-compact", "q": 3037000493}),
        (3, {"name": "ue-compact", "q": 3037000493}),
        (2**29 - 1, {"name": "collision", "symbols": 2**27 - 1}),
        (2**22, {"name": "collision", "symbols": 2**14}),
        (2**31, {"name": "grr"}),
    ):
        task = make(keys=keys, padding=1, mechanism=mechanism, size_share="0.5")
        of_pairs = task.law.word_limit
        assert of_pairs is not None
        assert of_pairs <= 2**63 - 2**32
        assert task.word_limit == of_pairs + (3 if keys == 3 else 4)


def test_how_sizes_are_asked_is_part_of_the_task() -> None:
    asked = make(keys=12, padding=2, mechanism="grr", size_share="0.05")
    assert (asked.size_share, asked.can_truncate) == (0.05, True)
    assert asked.size_question is not None
    assert asked.size_question.ends == (2, 3, 8, 12)
    assert '"size_share":"0.05"' in asked.to_json()
    others = (
        make(keys=12, padding=2, mechanism="grr", size_share="0.1"),
        make(keys=12, padding=2, mechanism="grr", size_share=0),
        make(keys=12, padding=2, mechanism="grr", more="refuse"),
        make(keys=12, padding=3, mechanism="grr", size_share="0.05"),
    )
    assert len({task.id for task in (asked, *others)}) == 5
    assert make(keys=12, padding=2, mechanism="grr", size_share=0.05).id == asked.id


@pytest.mark.parametrize(
    ("changes", "truncates"),
    [
        ({"keys": 12, "padding": 2, "more": "refuse"}, False),
        ({"keys": 12, "padding": 12}, False),
        ({"keys": 1}, False),
        ({"keys": 12, "padding": 2, "mechanism": "ue"}, True),
        ({"keys": 12, "padding": 2, "mechanism": "grr", "size_share": 0}, True),
    ],
)
def test_sizes_are_asked_only_where_the_answer_matters(changes: dict[str, Any], truncates: bool) -> None:
    task = make(**changes)
    assert (task.size_share, task.size_question, task.can_truncate) == (0, None, truncates)
    assert task.word_limit == task.law.word_limit
    assert task.draws == task.law.draws
    assert task.realised == task.law.realised


@pytest.mark.parametrize("mechanism", ["grr", "ue-compact", "collision"])
def test_a_new_task_asks_sizes_by_default(mechanism: str) -> None:
    task = make(keys=50, padding=3, mechanism=mechanism)
    assert 0.05 <= task.size_share <= 0.2
    assert task.size_question is not None
    assert task.realised == max(task.law.realised, task.size_question.realised)
    assert task.realised_epsilon <= 1


def test_largest_tasks() -> None:
    task = make(keys=2**31, padding=3)
    assert task.word_limit is None or task.word_limit < 2**63
    assert 0 < task.realised_epsilon <= 1


def edited(**changes: Any) -> str:
    members = json.loads(make().to_json()) | changes
    return json.dumps({k: v for k, v in members.items() if v != "gone"}, sort_keys=True, separators=(",", ":"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a task"),
        ("[]", "not an object"),
        (b"\xff", "not UTF-8"),
        ("[" * 100_000, "not a task"),
        (make().to_json() + "\n", "canonical form"),
        (make().to_json().replace(",", ", "), "canonical form"),
        (json.dumps(json.loads(make().to_json())), "canonical form"),
        (make().to_json().replace("alien", "\\u0061lien"), "canonical form"),
        (make().to_json().replace('"version":1', '"version":1,"version":1'), "appears twice"),
        (edited(secret=1), "'secret' is unknown"),
        (edited(padding="gone"), "'padding' is missing"),
        (edited(version=2), "version 2"),
        (edited(version=True), "version True"),
        (edited(kind="words"), "kind 'words'"),
        (edited(padding=1.0), "not an integer"),
        (edited(padding=True), "whole number"),
        (edited(epsilon="1.0"), "epsilon must be a plain decimal"),
        (edited(epsilon=1), "epsilon must be a plain decimal"),
        (edited(epsilon="21"), "at most 20"),
        (edited(mechanism="ue"), "mechanism must be an object"),
        (edited(mechanism={"name": "auto"}), "mechanism must be an object"),
        (edited(mechanism={"name": "ue"}, size_share="0"), "mechanism 'ue' needs allocation"),
        (edited(mechanism={"name": "ue", "allocation": "optimized", "beta": "0.1"}), "beta go together"),
        (edited(mechanism={"name": "ue", "allocation": "optimized", "gamma": 1}), "no parameter 'gamma'"),
        (edited(kind="sizes"), "kind 'sizes'"),
        (edited(more="gone"), "'more' is missing"),
        (edited(more="maybe"), "more must be 'sample' or 'refuse'"),
        (edited(more=["sample"]), "more must be 'sample' or 'refuse'"),
        (edited(size_share="gone"), "'size_share' is missing"),
        (edited(size_share="0.6"), "at most 0.5"),
        (edited(size_share="0.050"), "size_share must be a plain decimal"),
        (edited(size_share=0), "size_share must be a plain decimal"),
        (edited(size_share="0.1", padding=2), "nobody can hold more"),
        (edited(size_share="0.1", more="refuse", padding=1), "are refused"),
        (edited(padding=3), "at most the number of keys"),
        (edited(keys=["b", "b"]), "appears twice"),
        (edited(keys=None), "not a task"),
        (edited(keys={"a": 1}), "not a task"),
        (edited(name=3), "must be text"),
        (edited(opens=3), "YYYY-MM-DD"),
    ],
)
def test_bad_task_texts(text: Any, message: str) -> None:
    with pytest.raises(TaskError, match=message):
        Task.from_json(text)


def test_auto_takes_the_smaller_predicted_error() -> None:
    # Collision where people hold several pairs or ε is small, ue in one word or planes where there are
    # many keys, grr where they are few relative to e^ε.
    assert make(keys=5850, padding=2).mechanism == "collision"
    assert make(keys=5850, padding=1, epsilon=3).mechanism == "ue-compact"
    assert make(keys=100_000, padding=1, epsilon=6, most_pairs=1).mechanism == "ue"
    assert make(keys=100_000, padding=1, epsilon=6).mechanism == "ue-compact"
    assert make(keys=100, padding=1, epsilon=6).mechanism == "grr"
    assert make(keys=26744, padding=100, epsilon=1).mechanism == "collision"
    # However many people there are; only a tally that keeps words is avoided.
    assert make(keys=26744, padding=100, epsilon=1, users=10**9).mechanism == "collision"
    assert make(keys=2**22 + 1, padding=100, epsilon=1).mechanism != "collision"
    assert make(mechanism={"name": "auto", "allocation": "naive"}).parameters == {"allocation": "naive"}


def test_auto_makes_no_huge_reports() -> None:
    assert make(keys=2**31, epsilon=1).mechanism == "grr"
    with pytest.raises(ParameterError, match="would have 536,870,912 bytes, of at most 65,536"):
        make(keys=2**31, epsilon=1, mechanism="ue")
    assert make(keys=2**31, epsilon=1, mechanism="ue-compact").law.body_bytes == 8


def test_numbered_keys_have_one_name_each() -> None:
    task = make(keys=12)
    assert [task.key_name(task.key_index(key)) for key in ("0", "11")] == ["0", "11"]
    for bad in ("12", "-1", "01", " 1", "1_0", "١", "", "x", "9" * 5000, 1, None, 1.0):
        with pytest.raises(PairsError, match="not a key"):
            task.key_index(bad)  # type: ignore[arg-type]


def test_tasks_are_values() -> None:
    assert make() == make()
    assert hash(make()) == hash(make())
    assert make() != make(epsilon=2)
    assert make() != "movies"
    assert "movies" in repr(make())


@pytest.mark.parametrize("mechanism", LAWS)
def test_a_task_and_its_law_cannot_be_changed(mechanism: str) -> None:
    task = Task(name="t", keys=3, values=(0, 1), epsilon=1, padding=1, mechanism=mechanism)
    text, task_id = task.to_json(), task.id
    for field in ("padding", "keys", "name", "law", "more", "size_share", "size_question", "anything"):
        with pytest.raises(FrozenInstanceError):
            setattr(task, field, 9)
    for field in ("keys", "padding", "epsilon", "allocation", "q", "symbols", "kept", "hit", "anything"):
        with pytest.raises(FrozenInstanceError):
            setattr(task.law, field, 9)
    for field in ("share", "padding", "kept", "anything"):
        with pytest.raises(AttributeError):
            setattr(task.size_question, field, 9)
    assert (task.to_json(), task.id, Task.from_json(text).id) == (text, task_id, task_id)


@pytest.mark.parametrize(
    ("day", "phase"),
    [("2030-01-01", "waiting"), ("2030-01-02", "open"), ("2030-01-04", "open"), ("2030-01-05", "closed")],
)
def test_a_task_is_open_from_its_first_day_until_before_it_closes(day: str, phase: str) -> None:
    task = Task(name="t", keys=3, values=(0, 1), epsilon=1, opens="2030-01-02", closes="2030-01-05")
    assert task.dates.phase(day) == phase
    assert Task(name="t", keys=3, values=(0, 1), epsilon=1).dates.phase(day) == "open"
