"""Tables in memory: pairs in, reports and simulations out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pckv
from pckv import Task, perturb_frame, read_ratings, simulate, tally_frame
from pckv.base.errors import DataError, ParameterError
from pckv.counting.run import CountOptions, count_inputs
from pckv.estimators.discovery import discover
from pckv.files.pairs.population import population_of
from pckv.files.pairs.rows import Columns
from pckv.files.pairs.sources import TablePairs
from support.pairs_files import people

MOVIES = ["alien", "heat", "up"]
# At this ε, hardly any report differs from the pair that it is made of.
GRR = Task(name="movies", keys=MOVIES, values=(1, 5), epsilon=20, padding=1, mechanism="grr", size_share=0)
UE = Task(name="movies", keys=MOVIES, values=(1, 5), epsilon=20, padding=1, mechanism="ue", size_share=0)
RATINGS: dict[str, list[Any]] = {
    "user": ["ann", "bob", "cat", "dan"],
    "movie": ["alien", "heat", "heat", None],
    "stars": [5, 1, 5, None],
    "seen": [{"day": 1}, 2, "x", None],
}
COLUMNS: dict[str, Any] = {"user": "user", "key": "movie", "value": "stars"}
KEYS_ALONE: dict[str, Any] = {"user": "user", "key": "movie"}


def frame(**changes: list[Any]) -> pd.DataFrame:
    return pd.DataFrame(RATINGS | changes, index=[7, 7, 8, 9])


def table(**changes: list[Any]) -> pa.Table:
    columns = {name: column for name, column in (RATINGS | changes).items() if name != "seen"}
    return pa.table(columns)


@pytest.mark.parametrize("task", [GRR, UE], ids=["word", "body"])
@pytest.mark.parametrize("made", [frame, table])
def test_a_table_of_pairs_becomes_a_table_of_reports(task: Task, made: Any) -> None:
    reports = perturb_frame(task, made(), **COLUMNS)
    column = "word" if task is GRR else "body"
    assert isinstance(reports, pd.DataFrame if made is frame else pa.Table)
    names = list(reports.columns) if made is frame else reports.column_names
    assert names == ["report_id", column]
    tally = tally_frame(task, reports)
    assert tally.reports == 4
    if task is UE:
        # Half of the planes have no bit of a key that a participant holds, whatever ε is.
        return
    found = pckv.estimate(tally, method="corrected")
    assert found["heat"].frequency == pytest.approx(0.5, abs=0.05)
    assert found["alien"].mean == pytest.approx(5, abs=0.05)


@pytest.mark.parametrize("made", [frame, table])
def test_keys_that_are_not_listed_are_counted_as_the_task_says(made: Any) -> None:
    """At ε = 20, with this many symbols, reports say the truth but for about one run in 1,500, which then fails."""
    common: dict[str, Any] = {"name": "t", "values": (1, 5), "epsilon": 20, "padding": 1, "size_share": 0}
    listed = Task(keys=["alien"], other="rest", mechanism="grr", **common)
    found = pckv.estimate(tally_frame(listed, perturb_frame(listed, made(), **COLUMNS)), method="corrected")
    assert found["rest"].frequency == pytest.approx(0.5, abs=0.05)
    hashed = Task(keys="hashed", mechanism={"name": "collision", "symbols": 20_000}, **common)
    tally = tally_frame(hashed, perturb_frame(hashed, made(), **COLUMNS))
    assert pckv.estimate(tally, keys=["alien", "heat"]).frequency == pytest.approx([0.25, 0.5], abs=0.01)


class OtherFrame:
    """A DataFrame of another library, which gives its columns to Arrow."""

    def __init__(self, columns: pa.Table) -> None:
        self._columns = columns

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._columns.__arrow_c_stream__(requested_schema)


def test_frames_of_other_libraries_are_read() -> None:
    texts = pa.schema([("user", pa.string_view()), ("movie", pa.string_view()), ("stars", pa.int8())])
    reports = perturb_frame(GRR, OtherFrame(table().cast(texts)), **COLUMNS)
    assert tally_frame(GRR, OtherFrame(reports)).reports == 4


def test_every_call_makes_other_reports() -> None:
    first, second = (perturb_frame(GRR, table(), **COLUMNS) for _ in range(2))
    assert not set(first["report_id"].to_pylist()) & set(second["report_id"].to_pylist())
    both = pa.concat_tables([first, second])
    assert tally_frame(GRR, both).reports == 8
    with pytest.raises(DataError, match=r"^table: the id of report \d appears twice$"):
        tally_frame(GRR, pa.concat_tables([both, first.slice(0, 1)]))


def test_an_arrow_table_of_reports_is_written_as_a_report_file(tmp_path: Path) -> None:
    reports = perturb_frame(UE, table(), **COLUMNS)
    pq.write_table(reports, tmp_path / "reports.parquet")
    counted = count_inputs(UE, [tmp_path / "reports.parquet"], CountOptions()).tally
    assert bytes(counted) == bytes(tally_frame(UE, reports))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"stars": [5, 9, 1, None]}, "DataFrame, row 1: value 9 is outside [1, 5]"),
        ({"stars": [5, 1, None, None]}, "DataFrame, row 2: no value"),
        (
            {"movie": ["alien", "jaws", "up", None]},
            "DataFrame, row 1: key 'jaws' is not a key of task 'movies'",
        ),
        ({"user": ["ann", None, "cat", "dan"]}, "DataFrame, row 1: no user"),
        ({"user": ["ann", "bob", "bob", "dan"]}, "DataFrame, row 2: key 'heat' appears twice for this user"),
        ({"user": ["ann", 1, {}, "dan"]}, "DataFrame: cannot be read ("),
    ],
    ids=["range", "missing", "key", "user", "again", "mixed"],
)
def test_bad_rows_are_named(changes: dict[str, list[Any]], message: str) -> None:
    with pytest.raises(DataError) as caught:
        perturb_frame(GRR, frame(**changes), **COLUMNS)
    assert str(caught.value).startswith(message)


def test_bad_rows_are_repaired_where_asked() -> None:
    bad = frame(user=["ann", "bob", "bob", "dan"], movie=["heat", "up", "up", None], stars=[5, 9, 0, None])
    repaired = perturb_frame(GRR, bad, **COLUMNS, clip=True, repeated="mean")
    assert len(repaired) == 3


@pytest.mark.parametrize("pairs", [{"user": [1]}, [1, 2], None, "ratings.csv"], ids=str)
def test_what_is_no_table_is_refused(pairs: Any) -> None:
    with pytest.raises(ParameterError, match="a DataFrame or an Arrow table is needed, not"):
        perturb_frame(GRR, pairs, **COLUMNS)
    with pytest.raises(ParameterError, match="a DataFrame or an Arrow table is needed, not"):
        tally_frame(GRR, pairs)


def test_a_missing_column_is_named() -> None:
    for made in (frame(), table()):
        with pytest.raises(DataError, match="no column 'rating'; there are 'user', 'movie', 'stars'"):
            perturb_frame(GRR, made, user="user", key="movie", value="rating")


def test_a_task_with_coins_is_refused() -> None:
    task = Task(name="t", keys=3, values=(0, 1), epsilon=1, mechanism="ue-compact", coin="server")
    with pytest.raises(ParameterError, match="needs a coin"):
        perturb_frame(task, frame(), **COLUMNS)


@pytest.mark.parametrize("as_frame", [False, True], ids=["arrow", "pandas"])
def test_what_is_no_report_is_refused(as_frame: bool) -> None:
    good = perturb_frame(GRR, frame() if as_frame else table(), **COLUMNS)
    other = Task(name="others", keys=MOVIES, values=(1, 5), epsilon=20, padding=1, mechanism="grr", size_share=0)
    name = "DataFrame" if as_frame else "table"
    with pytest.raises(DataError, match=f"^{name}: reports of another task"):
        tally_frame(other, good)

    def changed(**columns: Any) -> Any:
        plain = {"report_id": [bytes([number]) * 16 for number in range(2)], "word": [0, 1]} | columns
        return (
            pd.DataFrame(plain)
            if as_frame
            else pa.table(plain).cast(
                pa.schema([("report_id", pa.binary(16)), ("word", pa.array(columns.get("word", [0])).type)])
            )
        )

    with pytest.raises(DataError, match=f"^{name}: report 1: word 99 is not below"):
        tally_frame(GRR, changed(word=[0, 99]))
    with pytest.raises(DataError, match=f"^{name}: report 0: no word"):
        tally_frame(GRR, changed(word=[None, 1]))
    with pytest.raises(DataError, match=f"^{name}: (cannot be read|column 'word' is double)"):
        tally_frame(GRR, changed(word=[0.5, 1.0]))
    with pytest.raises(DataError, match=f"^{name}: column 'word' is missing"):
        tally_frame(GRR, good.drop(columns=["word"]) if as_frame else good.select(["report_id"]))


def test_a_table_is_simulated_as_its_file_is(tmp_path: Path) -> None:
    ratings = pd.DataFrame(
        {
            "user": [user for user in range(200) for _ in range(2)],
            "movie": ["alien", "heat"] * 200,
            "stars": [1 + user % 5 for user in range(200) for _ in range(2)],
        }
    )
    ratings.to_csv(tmp_path / "ratings.csv", index=False)
    options: dict[str, Any] = {"epsilon": 1, "mechanism": "grr", "repeats": 2, "workers": 1}
    dataset = read_ratings(tmp_path / "ratings.csv", ("user", "movie", "stars"), low=0, high=5)
    [expected] = simulate(dataset, **options)
    for made in (ratings, pa.Table.from_pandas(ratings)):
        [row] = simulate(made, **COLUMNS, low=0, high=5, **options)
        assert (row.mse_frequency, row.mse_mean) == (expected.mse_frequency, expected.mse_mean)
    for epsilon in (1, "1", [1.0], np.float64(1)):
        [row] = simulate(dataset, **options | {"epsilon": epsilon})
        assert row.mse_frequency == expected.mse_frequency


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (frame(), {}, "the columns of user and key must be named"),
        (frame(), KEYS_ALONE | {"levels": 2}, "levels need values: name their column"),
        (frame(), KEYS_ALONE | {"low": 1}, "low, high and repeated are about values: name their column"),
        (frame(), KEYS_ALONE | {"repeated": "mean"}, "low, high and repeated are about values: name their column"),
        (frame(), KEYS_ALONE | {"mechanism": "kvue"}, "mechanism 'kvue' needs values: choose from auto, ue, grr"),
        (frame(), KEYS_ALONE | {"objective": "mean"}, "objective 'mean' needs values"),
        ("ratings.csv", COLUMNS, "read_ratings reads files"),
        (7, COLUMNS, "a DataFrame or an Arrow table is needed, not int"),
        (read_ratings(table(), ("user", "movie", "stars")), {"low": 1}, "a Dataset has its own"),
    ],
    ids=["columns", "levels", "range", "repeated", "baseline", "objective", "path", "number", "dataset"],
)
def test_bad_simulations(data: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        simulate(data, epsilon=1, **options)


TERMS = Task.discovery(name="terms", epsilon=4, characters=4)


@pytest.mark.parametrize("lists", [False, True], ids=["rows", "lists"])
def test_texts_of_a_discovery(lists: bool) -> None:
    """A table of texts, one per row or a list per person, gives one report per user, and the texts are found."""
    users = 6_000
    texts = pd.DataFrame({"user": range(users), "term": [["face"] if lists else "face", None] * (users // 2)})
    tally = tally_frame(TERMS, perturb_frame(TERMS, texts, user="user", key="term"))
    assert tally.reports == users
    # Half of the people hold it: at ε = 4 the chance to miss it is below 10^-9.
    assert "face" in discover(tally).key


@pytest.mark.parametrize(
    ("task", "columns", "problem"),
    [
        (TERMS, {"value": "value"}, "a discovery has no values"),
        (TERMS, {"clip": True}, "clip and repeated are about values"),
        (TERMS, {"repeated": "last"}, "clip and repeated are about values"),
        (GRR, {}, "name the column of values"),
    ],
)
def test_a_discovery_has_no_values_and_other_tasks_have(task: Task, columns: dict[str, Any], problem: str) -> None:
    pairs = pd.DataFrame({"user": [1], "key": ["up"], "value": [3]})
    with pytest.raises(ParameterError, match=problem):
        perturb_frame(task, pairs, user="user", key="key", **columns)


def test_lists_of_pairs_are_the_pairs_of_their_rows() -> None:
    """The populations are the same, in the same order, with people without pairs among them."""
    lists = pd.DataFrame(
        {"user": ["b", "a", "c"], "key": [["up", "heat"], None, ["alien"]], "value": [[1.0, 5.0], [], [2.0]]}
    )
    rows = pd.DataFrame(
        {"user": ["b", "b", "a", "c"], "key": ["up", "heat", None, "alien"], "value": [1.0, 5.0, None, 2.0]}
    )
    columns = Columns("user", "key", "value")
    one, other = (population_of(TablePairs(each, columns), GRR).population for each in (lists, rows))
    assert people(one) == people(other)
    arrow = pa.Table.from_pandas(lists)
    for kind in (pa.large_list(pa.string()), pa.list_(pa.large_string())):
        cast = arrow.set_column(1, "key", arrow["key"].cast(kind))
        assert people(population_of(TablePairs(cast, columns), GRR).population) == people(other)
