"""Counting files, folders, patterns and tallies: what is found, merged, refused and skipped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pckv import Series, Tally
from pckv.base.errors import DataError, ParameterError
from pckv.counting import run as rounds_module
from support.counting import OTHER, collect, put, refusal
from support.sample_reports import GRR, UE, direct_tally


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_files_folders_and_patterns() -> None:
    messages = [put(name, seed=seed) for seed, name in enumerate(["a.parquet", "in/b.parquet", "in/deep/c.parquet"])]
    messages += [put(name, seed=seed) for seed, name in enumerate(["x-1.parquet", "x-2.parquet", "y[1].parquet"], 3)]
    # Unfinished files and markers of other tools.
    for name in ("in/_temporary/0/d.parquet", "in/.hidden/e.parquet", "in/_f.parquet", "in/.g.parquet"):
        put(name)
    Path("in/_SUCCESS").touch()
    Path("in/notes.txt").write_text("not of interest")
    result = collect(GRR, "a.parquet", "in", "x-*.parquet", "y[1].parquet")
    assert bytes(result.tally) == direct_tally(GRR, *messages)
    assert result.files == 6


def test_a_folder_with_a_hidden_name_may_be_named() -> None:
    messages = put("_in/a.parquet")
    assert bytes(collect(GRR, "_in").tally) == direct_tally(GRR, messages)


def test_reports_and_tallies_are_counted_together() -> None:
    messages = put("a.parquet")
    Path("b.tally").write_bytes(direct_tally(GRR, messages))
    for engine in ("numpy", "duckdb"):
        result = collect(GRR, "b.tally", "a.parquet", engine=engine)
        assert (bytes(result.tally), result.files) == (direct_tally(GRR, messages, messages), 2)
        assert bytes(collect(GRR, "b.tally", engine=engine).tally) == direct_tally(GRR, messages)


@pytest.mark.parametrize(
    ("named", "message"),
    [
        (["empty"], "empty: no report files (*.parquet) in this folder"),
        (["marks"], "marks: no report files (*.parquet) in this folder"),
        (["z*.parquet"], "z*.parquet: no file matches"),
        (["in", "empty"], "empty: no report files"),
        (["a.parquet", "a.parquet"], "a.parquet: given twice"),
        (["in", "in/b.parquet"], "in/b.parquet: given twice"),
        (["in", "in"], "in/b.parquet: given twice"),
        (["a.parquet", "*.parquet"], "a.parquet: given twice"),
        (["a.parquet", "./in/../a.parquet"], "in/../a.parquet: given twice"),
        (["a.parquet", "link.parquet"], "link.parquet: given twice"),
        (["in", "folder-link"], "folder-link/b.parquet: given twice"),
        (["mixed"], "mixed/ue.parquet: reports of another task"),
        (["broken.parquet"], "broken.parquet: not a report file ("),
        (["nothing.parquet"], "nothing.parquet: not a report file ("),
    ],
)
def test_names_that_are_refused(named: list[str], message: str) -> None:
    for name in ("a.parquet", "in/b.parquet", "marks/_a.parquet", "mixed/grr.parquet"):
        put(name)
    put("mixed/ue.parquet", UE)
    Path("empty").mkdir()
    Path("link.parquet").symlink_to("a.parquet")
    Path("folder-link").symlink_to("in")
    Path("broken.parquet").write_bytes(Path("a.parquet").read_bytes()[:-7])
    Path("nothing.parquet").touch()
    if named[0] == "a.parquet" and named[1] == "*.parquet":
        for name in ("link.parquet", "broken.parquet", "nothing.parquet"):
            Path(name).unlink()
    assert refusal(GRR, *named).startswith(message)


@pytest.mark.parametrize(
    ("named", "options", "message"),
    [
        ([], {"stream": b"", "engine": "duckdb"}, "the stream is counted by the numpy engine"),
        (["a.parquet"], {"stream": b"", "engine": "spark"}, "the stream is counted by the numpy engine"),
        (
            [],
            {"stream": b"", "checkpoint": Path("p")},
            "the stream is counted by the numpy engine, in one go",
        ),
        (["a.parquet"], {"dedupe": True, "checkpoint": Path("p")}, "deduplication compares all files"),
        (["a.parquet", "b.tally"], {"dedupe": True}, "b.tally: a tally has no report ids"),
        (["a.parquet"], {"engine": "excel"}, "engine 'excel' does not exist"),
    ],
)
def test_options_that_contradict_each_other(named: list[str], options: dict[str, Any], message: str) -> None:
    put("a.parquet")
    Path("b.tally").write_bytes(direct_tally(GRR))
    with pytest.raises(ParameterError, match=message):
        collect(GRR, *named, **options)


@pytest.mark.parametrize("engine", ["numpy", "duckdb"])
def test_bad_files_are_skipped(engine: str) -> None:
    good = put("in/good.parquet")
    put("in/other.parquet", OTHER)
    put("in/cut.parquet")
    cut = Path("in/cut.parquet")
    cut.write_bytes(cut.read_bytes()[:-7])
    Path("in/empty.parquet").touch()
    result = collect(GRR, "in", engine=engine, skip_bad=True)
    assert bytes(result.tally) == direct_tally(GRR, good)
    skipped = [(bad.where, bad.reports) for bad in result.skipped]
    assert skipped == [("in/cut.parquet", None), ("in/empty.parquet", None), ("in/other.parquet", None)]
    assert result.skipped[-1].reason == f"reports of another task ({OTHER.id!r})"
    Path("in/good.parquet").unlink()
    assert bytes(collect(GRR, "in", engine=engine, skip_bad=True).tally) == direct_tally(GRR)


@pytest.mark.parametrize("rounds", [None, 1_000_000])
def test_a_bounded_number_of_rounds_is_tried_for_a_tally(rounds: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds_module, "MAX_ROUNDS_TRIED", 3)
    series = Series(task=GRR, first="2030-01-07", period=1, panels=1, rounds=rounds)
    for number in (3, 4):
        Path(f"{number}.tally").write_bytes(bytes(Tally(series.task_of(number))))
    assert rounds_module.files_by_round(series, [Path("3.tally")]) == [(series.task_of(3), [Path("3.tally")])]
    with pytest.raises(DataError, match="a tally of another task, not of one of the first 3 rounds of series"):
        rounds_module.files_by_round(series, [Path("4.tally")])
