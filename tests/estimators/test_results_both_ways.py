"""Results and plans that are written and read back: the identity for each, and one line for anything else."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pckv import Plan, Tally, Task, estimate, plan, plan_discovery, trend
from pckv.base.errors import DataError, ParameterError
from pckv.base.limits import BETWEEN, MIN_LEVELS, ONE_LEVEL
from pckv.base.population import Population
from pckv.base.records import WHOLE_NUMBER_LIMIT, Record
from pckv.base.seeded import seeded_source
from pckv.base.table import ResultTable
from pckv.device.vectorised import perturb_many
from pckv.estimators.discovery import discover
from pckv.estimators.results.discovery import Discovery
from pckv.estimators.results.estimates import Estimates
from pckv.estimators.results.trend import Trend
from pckv.planning.discovery import DiscoveryPlan
from support.rounds import collect_rounds, make_series
from support.texts import tally_of

# Texts that JSON, CSV and HTML each have to quote.
KEYS = ['up, "x"', "<b>heat", "=1+1", "Ärger\u2028", "e;=1"]
HASHED = "hashed"
# What a trend has besides its document: the counts of its rounds.
NOT_WRITTEN = {"compare_counts"}


@cache
def counted(mechanism: str, levels: int, between: str, keys: str, size_share: float, people: int) -> Tally:
    """Return the tally of people who hold two keys each; with one level, keys have no values."""
    task = Task(
        name="both ways",
        keys=HASHED if keys == HASHED else KEYS,
        other="=all others" if keys == "other" else None,
        values=None if levels == ONE_LEVEL else (1, 5),
        levels=levels,
        between=between if levels > MIN_LEVELS else None,
        epsilon=3,
        padding=1,
        mechanism="collision" if keys == HASHED else mechanism,
        size_share=size_share,
    )
    rng = np.random.default_rng(people)
    numbers = [task.key_index(key) for key in KEYS]
    held = np.array([rng.choice(numbers, 2, replace=False) for _ in range(people)], np.int32).reshape(-1)
    population = Population(np.arange(people + 1) * 2, held, np.array(rng.choice([1.0, 3.0, 5.0], held.size)))
    tally = Tally(task)
    if people:
        for batch in perturb_many(task, population, seeded_source(people)):
            tally.add_many(batch.messages)
    return tally


@st.composite
def estimated(draw: st.DrawFn) -> Estimates:
    keys = draw(st.sampled_from(["listed", "other", HASHED]))
    mechanism = draw(st.sampled_from(["grr", "ue", "ue-compact", "collision"]))
    # Reports of `ue` have at most two levels, and no size question.
    plain = mechanism == "ue" and keys != HASHED
    tally = counted(
        mechanism,
        draw(st.sampled_from([1, 2] if plain else [1, 2, 3, 5])),
        draw(st.sampled_from(sorted(BETWEEN))),
        keys,
        0.0 if plain else draw(st.sampled_from([0.0, 0.2])),
        draw(st.sampled_from([0, 1, 40])),
    )
    found = estimate(
        tally,
        draw(st.sampled_from(["baseline", "corrected", "bayes"])),
        draw(st.sampled_from([0.5, 0.95])),
        keys=KEYS if keys == HASHED else draw(st.sampled_from([None, KEYS[:1], [KEYS[1], KEYS[0], KEYS[1]]])),
        post=() if keys == HASHED else draw(st.sampled_from([(), ("consistent",)])),
        hostile=draw(st.sampled_from(["0", "1", "90%"])) if tally.reports > 1 else 0,
    )
    if found.level_values:
        level = found.level_values[1]
        found = found.ask(*(draw(st.sampled_from([(), (at,)])) for at in (0.5, level, level)))
    rows = draw(st.sampled_from([None, 0, 2]))
    return found if rows is None else found.take(np.arange(min(rows, len(found))))


def check_identity(result: Record) -> None:
    """Check that a result or a plan is read back as it was written, whichever way a result is then shown."""
    again = type(result).from_json(result.to_json())
    check_same(again, result)
    assert again.to_json() == result.to_json() == json.dumps(result.to_dict(), ensure_ascii=False)
    assert type(result).from_dict(result.to_dict()).to_dict() == result.to_dict()
    if isinstance(result, ResultTable):
        assert isinstance(again, ResultTable)
        check_shown(again, result)


def check_shown(again: ResultTable, result: ResultTable) -> None:
    assert again.to_csv() == result.to_csv()
    assert again.to_arrow().equals(result.to_arrow(), check_metadata=True)
    assert again._repr_html_() == result._repr_html_()
    rows = list(csv.DictReader(io.StringIO(result.to_csv(), newline="")))
    columns = result.lists()
    assert {name: [row[name] for row in rows] for name in columns} == {
        name: ["" if value is None else written(value) for value in column] for name, column in columns.items()
    }
    other = result.facts().get("other")
    assert other is None or {row["other"] for row in rows} <= {written(other)}
    assert result.to_arrow().to_pydict() == columns


def written(value: Any) -> str:
    """Return a cell of a CSV file: no text is a formula."""
    return re.sub("(^|;)=", r"\1'=", str(value))


def check_same(again: Any, result: Any) -> None:
    assert type(again) is type(result)
    if is_dataclass(result):
        for field in fields(result):
            if field.name not in NOT_WRITTEN:
                check_same(getattr(again, field.name), getattr(result, field.name))
    elif isinstance(result, np.ndarray):
        assert again.dtype == result.dtype
        assert again.shape == result.shape
        assert np.array_equal(again, result, equal_nan=result.dtype == np.float64)
    elif isinstance(result, tuple | list):
        assert len(again) == len(result)
        for one, other in zip(again, result, strict=True):
            check_same(one, other)
    elif isinstance(result, dict):
        assert list(again) == list(result)
        for name, value in result.items():
            check_same(again[name], value)
    else:
        assert again == result


@settings(max_examples=60, deadline=None)
@given(estimated())
def test_estimates(found: Estimates) -> None:
    check_identity(found)


def test_a_mean_that_fits_nothing_is_read_back() -> None:
    found = estimate(counted("grr", 2, "round", "listed", 0.0, 40))
    object.__setattr__(found, "mean_misfit", np.array([True, False, False, True, False]))
    check_identity(found)
    assert [row.mean_misfit for row in Estimates.from_json(found.to_json())] == found.mean_misfit.tolist()


@cache
def known_trend(rounds: int, levels: int, size_share: float) -> Trend:
    values = None if levels == ONE_LEVEL else (1, 5)
    series = make_series(values=values, levels=levels, more="sample", size_share=size_share)
    return trend(series, collect_rounds(series, rounds, people=60))


@pytest.mark.parametrize("rounds", [0, 1, 3])
@pytest.mark.parametrize("levels", [1, 2, 4])
def test_trends(rounds: int, levels: int) -> None:
    found = known_trend(rounds, levels, 0.1)
    check_identity(found)
    check_identity(found.only(["up", "alien"]))
    check_identity(found.take(np.arange(0)))
    again = Trend.from_json(found.to_json())
    with pytest.raises(ParameterError, match="a trend that was read has no counts"):
        again.compare(1, 3)


@pytest.mark.parametrize("mechanism", ["grr", "ue", "ue-compact", "collision"])
def test_keys_without_values_have_no_means(mechanism: str) -> None:
    """In no column, header, sentence or member; as a control, there are some where keys have values."""
    for levels, has_means in ((ONE_LEVEL, False), (MIN_LEVELS, True)):
        found = estimate(counted(mechanism, levels, "", "other", 0.0, 40))
        shown = [found.to_csv(), found._repr_html_(), *found.headers(), *found.verdict, found.to_json()]
        assert found.has_means == has_means
        assert any("mean" in text.replace('"has_means"', "") for text in shown) == has_means
        assert any("mean" in name for name in found.to_arrow().column_names) == has_means
        assert np.isfinite(found.mean).all() == has_means
        over_time = known_trend(3, levels, 0.1)
        shown = [over_time.to_csv(), over_time._repr_html_(), *over_time.verdict, over_time.to_json()]
        assert any("mean" in text.replace('"has_means"', "") for text in shown) == has_means
        assert any("mean" in name for name in over_time.to_arrow().column_names) == has_means
        assert np.isfinite(over_time["up"].rounds[0].smoothed_mean) == has_means


@cache
def known_discovery(people: int) -> Discovery:
    task = Task.discovery(name="terms", epsilon=4, alphabet="abc", characters=3)
    return discover(tally_of(task, {"abc": people, "b": people}, people, seed=1))


@pytest.mark.parametrize("people", [2, 300])
def test_discoveries(people: int) -> None:
    found = known_discovery(people)
    check_identity(found)
    check_identity(found.top(1))


@pytest.mark.parametrize(
    "more",
    [
        {"levels": 3, "values": (1, 5)},
        {"panels": 4, "drift": 0.01},
        {"mixed": 2000},
        {"keys": "hashed", "most_influence": 100.0},
        # More people than a whole number of a result may be.
        {"epsilon": "0.000001"},
    ],
    ids=str,
)
def test_plans(more: dict[str, Any]) -> None:
    planned = plan(**({"keys": 20, "users": 10_000, "epsilon": 2, "pairs": 3} | more))
    check_identity(planned)
    assert Plan.from_json(planned.to_json()).sections(verbose=True) == planned.sections(verbose=True)


def numbers_of_documents(value: Any) -> Any:
    """Return a record with numbers that documents may have."""
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{each.name: numbers_of_documents(getattr(value, each.name)) for each in fields(value)})
    if isinstance(value, tuple):
        return tuple(map(numbers_of_documents, value))
    if isinstance(value, dict):
        return {name: numbers_of_documents(member) for name, member in value.items()}
    if isinstance(value, float):
        return value if np.isfinite(value) else 0.0
    return abs(value) % WHOLE_NUMBER_LIMIT if type(value) is int else value


@given(st.from_type(Plan).map(numbers_of_documents))
@settings(max_examples=50, deadline=None)
def test_plans_of_any_members(planned: Plan) -> None:
    check_identity(planned)


def test_a_plan_for_a_discovery() -> None:
    check_identity(plan_discovery(users=10**6, epsilon=2))


@cache
def known_texts() -> list[tuple[type[Record], str]]:
    """Return the JSON of a result and a plan of every kind, with as many members as there are."""
    levels = estimate(counted("grr", 3, "refuse", "other", 0.2, 40), "corrected").ask([0.5], above=[3])
    hashed = estimate(counted("", 2, "round", HASHED, 0.0, 40), keys=KEYS)
    planned = plan(20, 10_000, 2, 3, levels=3, panels=4, drift=0.01)
    results: list[Record] = [levels, hashed, known_trend(3, 4, 0.1), known_discovery(300), planned]
    alone = estimate(counted("collision", ONE_LEVEL, "", "other", 0.2, 40))
    results += [plan_discovery(users=10**6, epsilon=2), alone, known_trend(3, ONE_LEVEL, 0.1), plan(20, 10_000, 2, 3)]
    return [(type(result), result.to_json()) for result in results]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all members of a document; of lists the first and the last."""
    if isinstance(value, dict):
        members = list(value.items())
    else:
        members = [(at, value[at]) for at in (0, -1)] if isinstance(value, list) and value else []
    return [path, *(place for name, inner in members for place in places(inner, (*path, name)))]


STRANGE = [None, True, "x", "", -1, 0.5, 10**400, float("nan"), float("inf"), 1e308, [], [1], {}, {"x": 1}]


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 8), st.data())
def test_any_other_document_is_refused_in_one_line_or_can_be_shown(number: int, data: st.DataObject) -> None:
    kind, text = known_texts()[number]
    document = json.loads(text)
    *path, last = data.draw(st.sampled_from([place for place in places(document) if place]))
    inner: Any = document
    for name in path:
        inner = inner[name]
    if isinstance(inner, dict) and data.draw(st.booleans()):
        del inner[last]
    else:
        inner[last] = data.draw(st.sampled_from(STRANGE))
    try:
        again = kind.from_dict(document)
    except DataError as error:
        refusal = str(error)
        assert refusal.isprintable()
        return
    check_identity(again)


@pytest.mark.parametrize("kind", [Estimates, Trend, Discovery, Plan, DiscoveryPlan])
@pytest.mark.parametrize("text", ["", "[" * 100_000, b"\xff", "null", "[]", "{}", "9" * 5000])
def test_another_text_is_refused(kind: type[Record], text: str | bytes) -> None:
    with pytest.raises(DataError):
        kind.from_json(text)


def test_a_refusal_names_the_place() -> None:
    document = json.loads(known_texts()[0][1])
    document["estimates"][1]["frequency"] = float("nan")
    with pytest.raises(DataError, match=r"^estimates\[1\].frequency: not a finite number$"):
        Estimates.from_dict(document)
    with pytest.raises(DataError, match=r"^no member 'task'$"):
        Estimates.from_dict({})
    trends = json.loads(known_texts()[2][1])
    trends["pooled"]["reports"] = True
    with pytest.raises(DataError, match=r"^pooled: reports: not a whole number$"):
        Trend.from_dict(trends)
