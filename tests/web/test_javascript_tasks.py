"""Tasks in the JavaScript client: what a page shows of them, and how they are fetched from a collector."""

from __future__ import annotations

import datetime as dt
import itertools
import random
from collections.abc import Iterator

import pytest

from pckv import Report, Tally, Task
from pckv.auditing.variants import VARIANTS
from pckv.client.outbox import task_id_of
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.registry import LAWS
from pckv.tally.decode.support import key_support
from support.client_collector import FakeCollector, Reply
from support.client_devices import MOVIES
from support.node import NodeProcess, described
from support.tasks import a_task

# Levels that every mechanism with words may have, two of them as in the paper.
LEVELS = (2, 3, 5)
QUICK = {"tries": 3, "seconds": 60, "firstPause": 0.001, "timeout": 30}


def tasks() -> Iterator[Task]:
    for name in LAWS:
        sizes = ((["a"], 1), (["a", "b", "c"], 1), (["a", "b", "c"], 3))
        for variant, (keys, padding) in itertools.product(VARIANTS[name], sizes):
            yield a_task(keys=keys, epsilon="1.5", padding=padding, mechanism={"name": name, **variant})
        for levels, (keys, padding) in itertools.product(LEVELS[1:] if name != "ue" else (), sizes):
            yield a_task(keys=keys, epsilon="1.5", padding=padding, mechanism=name, levels=levels)


def test_odds_are_those_of_the_law(process: NodeProcess) -> None:
    for task in tasks():
        law = task.law
        [odds] = process.ask({"do": "odds", "law": described(law)})
        distribution = law.count_law
        expected = {"held": distribution.holder, "absent": distribution.absent}
        claimed = {name: float(1 - support.numbers[0]) for name, support in expected.items()}
        assert odds == pytest.approx(claimed, rel=1e-12)


def test_what_a_report_says_is_what_is_counted(process: NodeProcess) -> None:
    for task in tasks():
        messages = messages_of(task)
        question, first = task.size_question, task.law.word_limit
        sizes = {} if question is None or first is None else dict(enumerate(question.labels, first))
        bodies = [task.message_format.encode(message) for message in {*messages, *sizes}]
        [answers] = process.ask({"do": "says", "task": task.to_json(), "bodies": [body.hex() for body in bodies]})
        for body, answer in zip(bodies, answers, strict=True):
            tally = Tally(task)
            tally.add(Report(bytes(16), body))
            counts = key_support(tally).counts
            assert answer["keys"] == [counts[:, key].nonzero()[0].tolist() for key in range(task.key_count)]
            assert answer["answer"] == sizes.get(task.message_format.decode(body))


@pytest.mark.parametrize("levels", LEVELS)
@pytest.mark.parametrize("symbols", [2**18 - 1, 2**18], ids=["both numbers", "index"])
def test_a_report_says_the_pairs_that_its_function_sends_to_its_symbol(
    process: NodeProcess, symbols: int, levels: int
) -> None:
    """Few of very many symbols are a key's, so words of every key and level are asked for."""
    keys = [str(number) for number in range(20)]
    mechanism = {"name": "collision", "symbols": symbols}
    task = a_task(keys=keys, levels=levels, mechanism=mechanism, size_share=0)
    law, seeded = task.law, random.Random("says")
    assert isinstance(law, CollisionLaw)
    assert law.by_index == (symbols == 2**18)
    drawn = [(item, seeded.randrange(law.functions)) for item in range(law.items)]
    words = [function * symbols + law.symbol(function, item) for item, function in drawn]
    bodies = [task.message_format.encode(word).hex() for word in words]
    [answers] = process.ask({"do": "says", "task": task.to_json(), "bodies": bodies})
    for (item, _), answer in zip(drawn, answers, strict=True):
        supported = [levels * key + level for key, said in enumerate(answer["keys"]) for level in said]
        assert supported == [item]


@pytest.mark.parametrize("opens", [None, "2030-01-15", "2030-02-01"])
@pytest.mark.parametrize("closes", [None, "2030-02-02", "2030-12-31"])
def test_a_task_is_open_on_the_same_days_as_in_python(
    process: NodeProcess, opens: str | None, closes: str | None
) -> None:
    task = Task(name="t", keys=3, values=(0, 1), epsilon=1, opens=opens, closes=closes)
    days = ["0001-01-01", "9999-12-31"]
    for day in ("2030-01-15", "2030-02-01", "2030-02-02", "2030-12-31"):
        date = dt.date.fromisoformat(day)
        days += [(date + dt.timedelta(days=shift)).isoformat() for shift in (-1, 0, 1)]
    [phases] = process.ask({"do": "phase", "task": task.to_json(), "days": days})
    assert phases == [task.dates.phase(day).value for day in days]


def test_the_phase_is_todays_if_no_day_is_given(process: NodeProcess) -> None:
    past = Task(name="t", keys=3, values=(0, 1), epsilon=1, closes="2020-01-01")
    future = Task(name="t", keys=3, values=(0, 1), epsilon=1, opens="2999-01-01")
    answers = process.ask(*({"do": "phaseToday", "task": task.to_json()} for task in (past, future)))
    assert answers == ["closed", "waiting"]


def messages_of(task: Task) -> list[int]:
    """Return messages of all kinds: the first ones, or random ones where there are too many to list."""
    limit = task.law.word_limit or 0
    if limit < 1e5:
        return list(itertools.islice(task.distribution({0: 1}).weights, 300))
    seeded = random.Random(task.id)
    return [0, limit - 1, *(seeded.randrange(limit) for _ in range(60))]


# --- what a collector answers ---


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeCollector]:
    monkeypatch.setenv("no_proxy", "*")
    with FakeCollector(MOVIES).serving() as serving:
        yield serving


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (MOVIES.to_json().encode(), None),
        (Task(name="movies", keys=2, values=(1, 5), epsilon=20).to_json().encode(), "wrong_task"),
        (MOVIES.to_json().replace("movies", "\ufffd").encode(), "wrong_task"),
        (MOVIES.to_json().encode().replace(b"movies", b"\xff"), "wrong_task"),
        (MOVIES.to_json().encode() + b"\n", "bad_task"),
        (b"<h1>Welcome to the hotel", "bad_task"),
        (b"\xff", "bad_task"),
        (b"", "bad_task"),
    ],
)
def test_a_task_is_checked_against_its_id(
    process: NodeProcess, collector: FakeCollector, text: bytes, code: str | None
) -> None:
    collector.tasks[MOVIES.id] = text
    [answer] = process.ask({"do": "fetch", "url": collector.url + "/", "task": MOVIES.id, "retryPolicy": QUICK})
    assert answer.get("code") == code
    assert code or answer["id"] == MOVIES.id


def test_a_text_with_its_own_id_must_still_be_a_task(process: NodeProcess, collector: FakeCollector) -> None:
    for text in (MOVIES.to_json() + "\n", MOVIES.to_json().replace('"1"', '"01"'), "{}"):
        task_id = task_id_of(text)
        collector.tasks[task_id] = text.encode()
        [answer] = process.ask({"do": "fetch", "url": collector.url, "task": task_id, "retryPolicy": QUICK})
        assert answer["code"] == "bad_task"


@pytest.mark.parametrize("task_id", ["", "../../../etc/passwd", MOVIES.id[:-1], MOVIES.id + "=", "é" * 43])
def test_only_valid_task_ids_are_requested(process: NodeProcess, collector: FakeCollector, task_id: str) -> None:
    [answer] = process.ask({"do": "fetch", "url": collector.url, "task": task_id})
    assert answer["code"] == "wrong_task"
    assert collector.received == []


@pytest.mark.parametrize(
    "url",
    ["", "example.org", "ftp://example.org", "http://", "http://a b", "http://a:x", "http://ä",
     "http://user:word@host", "http://host?query", "http://host#part", "http://[::1", "http://host/\n"],
)  # fmt: skip
def test_bad_addresses_are_refused(process: NodeProcess, url: str) -> None:
    [answer] = process.ask({"do": "fetch", "url": url, "task": MOVIES.id})
    assert answer["code"] == "bad_parameter"


def test_a_task_cannot_be_fetched_without_an_answer(process: NodeProcess, collector: FakeCollector) -> None:
    collector.answers.extend([Reply(500)] * 3)
    [answer] = process.ask({"do": "fetch", "url": collector.url, "task": MOVIES.id, "retryPolicy": QUICK})
    assert (answer["code"], len(collector.received)) == ("not_sent", 3)
