"""Planted damage is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from pckv import Tally
from pckv.base.errors import TallyError
from pckv.store.checks import check_store
from pckv.store.parts import new_part
from pckv.store.sqlite import SqliteStore
from pckv.store.store import Store
from support.stores import (
    COUNTED_LATER,
    DAY,
    OTHER,
    TASK,
    add,
    change,
    opened,
    report,
    some_reports,
    store_url,
    tally,
)

FORGED = bytes(Tally(OTHER))


DAMAGE: dict[str, tuple[str, tuple[object, ...], str]] = {
    "a report is missing": (
        "DELETE FROM reports WHERE id = $1",
        (report(3).id,),
        "its parts count 20 reports, and it has 19",
    ),
    "a report is too many": (
        "INSERT INTO reports SELECT number, $1, $2 FROM tasks",
        tuple(report(99)),
        "its parts count 20 reports, and it has 21",
    ),
    "a report was changed": (
        "UPDATE reports SET body = $1 WHERE id = $2",
        (report(4).body, report(3).id),
        "its parts are not the tally of its 20 reports",
    ),
    "a report is no report": (
        "UPDATE reports SET body = $1 WHERE id = $2",
        (b"x", report(3).id),
        f"report {report(3).id.hex()}: a body has 8 bytes, not 1",
    ),
    "an id is no id": (
        "UPDATE reports SET id = $1 WHERE id = $2",
        (b"x", report(3).id),
        "report 78: a report id has 16 bytes, not 1",
    ),
    "a part is missing": (
        "DELETE FROM parts WHERE number = (SELECT max(number) FROM parts)",
        (),
        "its parts count 10 reports, and it has 20",
    ),
    "a day counts wrong": (
        "UPDATE report_days SET reports = reports + 1",
        (),
        "its days count 21 reports, and its parts 20",
    ),
    "a part is another task's": (
        "UPDATE parts SET content = $1 WHERE number = (SELECT max(number) FROM parts)",
        (FORGED,),
        "a tally of another task",
    ),
    "a part is cut off": (
        "UPDATE parts SET content = $1 WHERE number = (SELECT max(number) FROM parts)",
        (bytes(tally([report(1)]))[:-1],),
        "not a tally: truncated or edited",
    ),
    "a part counts wrong": (
        "UPDATE parts SET reports = 11 WHERE number = (SELECT max(number) FROM parts)",
        (),
        "counts 10 reports, not 11",
    ),
    "forgotten reports are there": (
        "UPDATE tasks SET reports_forgotten = $1",
        (DAY,),
        "20 reports are left that were to be forgotten",
    ),
    "a task is another": (
        "UPDATE tasks SET json = $1",
        (OTHER.to_json(),),
        f"its text is that of {OTHER.id}",
    ),
    "a task is none": ("UPDATE tasks SET json = $1", ("{}",), "is damaged: not a task: "),
}


WORDS = new_part(COUNTED_LATER, [report(1, task=COUNTED_LATER).body]).content
DAMAGED_WORDS: dict[str, tuple[str, tuple[object, ...], str]] = {
    "words are cut off": (
        "UPDATE parts SET content = $1",
        (WORDS[:-1],),
        "not words of reports: truncated or edited",
    ),
    "words are edited": (
        "UPDATE parts SET content = $1",
        (WORDS[:45] + b"x" + WORDS[46:],),
        "not words of reports: truncated or edited",
    ),
    "words are others": ("UPDATE parts SET content = $1", (WORDS,), "counts 1 reports, not 10"),
    "words count as counted": ("UPDATE parts SET uncounted = $1", (0,), "has 10 uncounted reports, not 0"),
}


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
@pytest.mark.parametrize("planted", DAMAGED_WORDS)
def test_planted_damage_to_words_is_found(kind: str, planted: str, tmp_path: Path) -> None:
    url = store_url(kind, tmp_path)
    with opened(url) as store:
        store.add_task(COUNTED_LATER, DAY)
        add(store, *some_reports(range(10), COUNTED_LATER), task=COUNTED_LATER)
        assert check_store(store) == []
        statement, values, message = DAMAGED_WORDS[planted]
        change(store, statement, *values)
        (problem,) = check_store(store)
        assert problem.startswith(f"task {COUNTED_LATER.id}")
        assert message in problem
        assert "\n" not in problem
        if "uncounted" not in message:
            assert damaged_part_is_refused(store) or message.startswith("counts")


def damaged_part_is_refused(store: Store) -> bool:
    """Whether a compaction refuses a damaged part, and leaves it as it is."""
    before = store.parts(COUNTED_LATER.id)
    try:
        store.compact(COUNTED_LATER.id, fully=True)
    except TallyError as error:
        return "\n" not in str(error) and store.parts(COUNTED_LATER.id) == before
    return False


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
@pytest.mark.parametrize("planted", DAMAGE)
def test_planted_damage_is_found(kind: str, planted: str, tmp_path: Path) -> None:
    url = store_url(kind, tmp_path)
    with opened(url) as store:
        store.add_task(TASK, DAY)
        add(store, *some_reports(range(10)))
        add(store, *some_reports(range(10, 20)))
        assert check_store(store) == []
        statement, values, message = DAMAGE[planted]
        change(store, statement, *values)
    with opened(url) as store:
        (problem,) = check_store(store)
        assert problem.startswith(f"task {TASK.id}")
        assert message in problem
        assert "\n" not in problem


POSTGRES_TRIGGER = """
    CREATE FUNCTION copy() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
    CREATE TRIGGER copied BEFORE INSERT ON reports FOR EACH ROW EXECUTE FUNCTION copy();
"""
TRIGGERS = {
    "sqlite": "CREATE TRIGGER copied AFTER INSERT ON reports BEGIN UPDATE tasks SET target = 1; END",
    "postgres": POSTGRES_TRIGGER,
}


@pytest.mark.parametrize("kind", TRIGGERS)
def test_a_planted_trigger_is_found(kind: str, tmp_path: Path) -> None:
    with opened(store_url(kind, tmp_path)) as store:
        assert check_store(store) == []
        store._write(lambda tx: tx.script(TRIGGERS[kind]))
        (problem,) = check_store(store)
        assert "has a trigger, copied" in problem


def test_a_damaged_page_is_found(sqlite: SqliteStore) -> None:
    add(sqlite, *some_reports(range(3000)))
    url = f"sqlite:///{sqlite.path}"
    sqlite.close()
    data = bytearray(sqlite.path.read_bytes())
    position = data.index(min(some_reports(range(3000))).id)
    data[position - 100 : position + 2000] = bytes(2100)
    sqlite.path.write_bytes(data)
    with opened(url) as store:
        assert any(str(sqlite.path) in problem for problem in check_store(store))


def test_a_row_without_its_task_is_found(sqlite: SqliteStore) -> None:
    assert sqlite._writer is not None
    sqlite._writer.execute("PRAGMA foreign_keys = OFF; INSERT INTO reports VALUES (99, x'00', x'00')")
    assert check_store(sqlite) == [f"{sqlite.path}: a row of reports has no task"]
