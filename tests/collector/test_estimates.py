"""The routes of estimates and report files."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pyarrow.parquet as pq
import pytest

import pckv
from pckv.base.spreadsheet import XLSX_TYPE
from pckv.collector.analysis import estimates as estimates_part
from pckv.collector.computations import AnalysisThreads
from pckv.collector.http import downloads
from pckv.files.reports.reader import ReportFile
from support.collectors import DAY, JSON, Running, check_problem, new_task, report, some_reports
from support.stores import tally, total

PARQUET = "application/vnd.apache.parquet"


def test_estimates_are_those_of_the_library_digit_for_digit(collector: Running) -> None:
    task = collector.add_task(keys=["<script>", "=1+1", "b,\"'", "a"], values=(1, 5))
    collector.upload(task, *some_reports(range(200), task))
    counted = tally(some_reports(range(200), task), task)
    tags = set()
    for method, level, post, hostile in (
        ("corrected", 0.95, (), "0"),
        ("corrected", 0.95, (), "2%"),
        ("corrected", 0.95, (), "3"),
        ("baseline", 0.5, ("consistent",), "0"),
        ("bayes", 0.999, ("consistent", "consistent"), "0"),
        ("bayes", 0.999, ("consistent",), "2%"),
    ):
        expected = pckv.estimate(counted, method=method, level=level, post=post, hostile=hostile)
        path = f"/tasks/{task.id}/estimates?method={method}&level={level}&hostile={quote(hostile)}" + "".join(
            f"&post={name}" for name in post
        )
        answer = collector.get(path)
        assert answer.text == expected.to_json()
        assert answer.json()["hostile"] == {"0": 0, "2%": 4, "3": 3}[hostile]
        assert answer.headers["etag"] not in tags
        tags.add(answer.headers["etag"])
        assert answer.headers["content-type"] == JSON
        as_csv = collector.get(path, Accept="text/csv")
        assert as_csv.text == expected.to_csv()
        # A spreadsheet would evaluate the second one.
        keys = ["<script>", "'=1+1", "b,\"'", "a"]
        assert [row["key"] for row in csv.DictReader(io.StringIO(as_csv.text))] == keys
        as_xlsx = collector.get(path, Accept=XLSX_TYPE)
        assert (as_xlsx.headers["content-type"], as_xlsx.content) == (XLSX_TYPE, expected.to_xlsx(task, "en", DAY))
        in_german = collector.get(f"{path}&language=de", Accept=XLSX_TYPE)
        assert in_german.content == expected.to_xlsx(task, "de", DAY)
        table = pq.read_table(io.BytesIO(collector.get(path, Accept=PARQUET).content))
        assert table.to_pydict() == expected.to_arrow().to_pydict()


def test_shares_and_what_was_asked_are_those_of_the_library(collector: Running) -> None:
    task = collector.add_task(keys=["up", "heat"], values=(1, 5), levels=[1, 2, 5], padding=1)
    collector.upload(task, *some_reports(range(60), task))
    expected = pckv.estimate(tally(some_reports(range(60), task), task))
    path = f"/tasks/{task.id}/estimates"
    assert collector.get(path).text == expected.to_json()
    asked = expected.ask([0.5, 0.9], above=[2], below=[2])
    path += "?quantile=0.5&quantile=0.9&above=2&below=2"
    answer = collector.get(path)
    assert answer.text == asked.to_json()
    assert answer.headers["etag"] != collector.get(f"/tasks/{task.id}/estimates").headers["etag"]
    assert collector.get(path, Accept="text/csv").text == asked.to_csv()
    table = pq.read_table(io.BytesIO(collector.get(path, Accept=PARQUET).content))
    assert table.to_pydict() == asked.to_arrow().to_pydict()
    assert collector.get(f"{path}&top=1").json()["estimates"] == asked.top(1).to_dict()["estimates"]


def test_writing_a_large_table_is_a_long_computation(collector: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    task = collector.add_task(keys=3, values=(1, 5), levels=[1, 2, 5], padding=1)
    short: list[object] = []
    run_short = AnalysisThreads.run_short

    async def recorded(threads: AnalysisThreads, work: Callable[[], Any]) -> Any:
        short.append(work)
        return await run_short(threads, work)

    monkeypatch.setattr(AnalysisThreads, "run_short", recorded)
    monkeypatch.setattr(estimates_part, "MAX_SHORT_CELLS", 2 * 4)
    for query, expected in (("", 0), ("limit=2", 1), ("top=2", 2), ("top=3&limit=1", 3), ("limit=3", 3)):
        assert collector.get(f"/tasks/{task.id}/estimates?{query}").status_code == 200
        assert len(short) == expected


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("quantile=2", "a quantile must be between 0 and 1, not 2.0"),
        ("above=1.5", "value 1.5 is between two levels"),
        ("below=nan", "value nan is not within [1, 5]"),
        ("above=many", "above"),
        ("&".join(["below=1"] * 17), "below"),
    ],
)
def test_bad_questions_are_malformed(collector: Running, query: str, reason: str) -> None:
    task = collector.add_task(keys=["up", "heat"], values=(1, 5), levels=[1, 2, 5], between="round", padding=1)
    answer = collector.get(f"/tasks/{task.id}/estimates?{query}")
    check_problem(answer, 400, "malformed")
    assert reason in answer.json()["detail"]


def test_two_levels_answer_no_questions(collector: Running) -> None:
    task = collector.add_task()
    answer = collector.get(f"/tasks/{task.id}/estimates?quantile=0.5")
    check_problem(answer, 400, "malformed")
    assert "two levels" in answer.json()["detail"]


def test_downloads_are_named_after_the_task_the_day_and_the_method(collector: Running) -> None:
    task = collector.add_task(name='Films: "Åse" / 日本\\..')
    path = f"/tasks/{task.id}/estimates?method=corrected&post=consistent"
    for media, suffix in ((JSON, "json"), ("text/csv", "csv"), (PARQUET, "parquet")):
        header = collector.get(path, Accept=media).headers["content-disposition"]
        stem = f"films-åse-日本-{DAY}-corrected-consistent"
        plain = f"films-ase--{DAY}-corrected-consistent"
        encoded = quote(f"{stem}.{suffix}")
        assert header == f"attachment; filename=\"{plain}.{suffix}\"; filename*=UTF-8''{encoded}"
    named = collector.add_task(name="!?")
    header = collector.get(f"/tasks/{named.id}/reports").headers["content-disposition"]
    assert header == f'attachment; filename="task-{DAY}-reports.parquet"'


def test_hostile_reports_of_a_task_without_reports_are_none(collector: Running) -> None:
    task = collector.add_task()
    for hostile in ("20", "1%25"):
        answer = collector.get(f"/tasks/{task.id}/estimates?hostile={hostile}")
        assert (answer.status_code, answer.json()["hostile"]) == (200, 0)


@pytest.mark.parametrize("mechanism", ["grr", "ue-compact", "collision"])
def test_a_task_that_asks_for_sizes_from_its_creation_to_its_end(collector: Running, mechanism: str) -> None:
    task = new_task(mechanism=mechanism, padding=2)
    first, question = task.law.word_limit, task.size_question
    assert first is not None
    assert question is not None
    assert collector.administer("POST", "/tasks", task.to_json().encode()).status_code == 201
    pairs = [report(number, number % first, task) for number in range(50)]
    sizes = [report(100 + number, first + number % len(question.ends), task) for number in range(7)]
    assert collector.upload(task, *pairs, *sizes) == {}
    collector.check(task, *pairs, *sizes)
    counted = tally([*pairs, *sizes], task)
    assert (counted.pair_reports, counted.size_answers.tolist()) == (50, [2, 2, 2, 1])
    answer = collector.get(f"/tasks/{task.id}/estimates")
    assert answer.text == pckv.estimate(counted).to_json()
    assert (answer.json()["reports"], answer.json()["sizes"]["answers"]) == (57, 7)
    download = collector.get(f"/tasks/{task.id}/reports").content
    assert pq.read_table(io.BytesIO(download)).num_rows == 57
    closed = collector.administer("POST", f"/tasks/{task.id}/close").json()
    assert (closed["more"], closed["size_share"], closed["closed"]) == ("sample", task.size_share, DAY)
    deleted = collector.administer("DELETE", f"/tasks/{task.id}?now=true").json()
    assert deleted.pop("erasure") in {"done", "pending"}
    assert deleted == {"task": task.id, "day": DAY, "reports": 57}


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        ("*/*", JSON),
        ("text/html,application/xhtml+xml,*/*;q=0.8", JSON),
        ("text/*", "text/csv"),
        ("text/csv;q=0.1, application/json;q=0.5", JSON),
        ("application/json;q=0, text/csv;q=0.1", "text/csv"),
        ("Application/Vnd.Apache.Parquet", PARQUET),
        ("text/html", None),
        ("", None),
        ("text/csv;q=much", None),
    ],
)
def test_the_form_follows_accept(small: Running, accept: str, form: str | None) -> None:
    task = small.add_task()
    answer = small.get(f"/tasks/{task.id}/estimates", Accept=accept)
    if form is None:
        check_problem(answer, 406, "not-acceptable")
    else:
        assert answer.headers["content-type"].partition(";")[0] == form


def test_rows_are_chosen_sorted_and_paged(small: Running) -> None:
    task = small.add_task(keys=["alien", "Heat", "heat 2", "ran", "é"])
    small.upload(task, *some_reports(range(300), task))
    expected = pckv.estimate(tally(some_reports(range(300), task), task))

    def keys(query: str) -> list[str]:
        answer = small.get(f"/tasks/{task.id}/estimates?{query}").json()
        return [row["key"] for row in answer["estimates"]]

    by_frequency = [expected.key[row] for row in np.argsort(-expected.frequency, kind="stable")]
    by_mean = [expected.key[row] for row in np.argsort(expected.mean, kind="stable")]
    assert keys("") == expected.key
    assert keys("sort=-frequency") == by_frequency
    assert keys("sort=mean") == by_mean
    assert keys("top=2") == expected.top(2).key
    assert keys("top=99999999999999999999") == by_frequency
    assert keys("search=HEAT") == ["Heat", "heat 2"]
    assert keys("search=nothing") == []
    assert keys("keys=ran&keys=alien") == ["ran", "alien"]
    assert keys("keys=ran&keys=heat%202&search=heat") == ["heat 2"]
    assert keys("sort=-frequency&limit=2&offset=1") == by_frequency[1:3]
    assert keys("offset=99999999999999999999&limit=99999999999999999999") == []
    for bad in (
        "top=2&sort=mean", "top=2&sort=-frequency", "sort=key&top=2", "sort=",
        "top=0", "limit=0", "offset=-1", "sort=name", "keys=unknown", "keys=%00", "method=best", "level=0", "level=1",
        "post=tidy", "post=", "post=oversize", "method=corrected%2Bconsistent", "post=consistent&post=tidy",
        "level=nan", "level=inf", "level=0.99999999999999999", "level=x", "top=1e3", "search=" + "x" * 257,
        "hostile=-1", "hostile=0.01", "hostile=nan", "hostile=100%25", "hostile=99999", "hostile=", "hostile=1e3%25",
        "hostile=" + "1" * 33,
    ):  # fmt: skip
        check_problem(small.get(f"/tasks/{task.id}/estimates?{bad}"), 400, "malformed")
    assert small.get(f"/tasks/{task.id}/estimates?level=0.9999999999999999").status_code in {200, 400}


def test_the_tag_changes_with_the_tally_and_a_hit_decodes_nothing(
    collector: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = collector.add_task()
    calls: list[Any] = []

    def estimate(*arguments: Any, **options: Any) -> pckv.Estimates:
        calls.append(arguments)
        return pckv.estimate(*arguments, **options)

    monkeypatch.setattr(estimates_part, "estimate", estimate)
    path = f"/tasks/{task.id}/estimates"
    tags = []
    for number in range(3):
        collector.upload(task, report(number, task=task))
        first = collector.get(path)
        collector.upload(task, report(number, task=task))
        collector.store.compact(task.id)
        again = collector.get(path, **{"If-None-Match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert collector.get(path).text == first.text
        assert len(calls) == number + 1
        tags.append(first.headers["etag"])
    assert len(set(tags)) == 3
    assert collector.get(path, Accept="text/csv").headers["etag"] not in tags


def test_top_with_sort_is_refused_and_documented(small: Running) -> None:
    task = small.add_task()
    answer = small.get(f"/tasks/{task.id}/estimates?top=2&sort=mean")
    check_problem(answer, 400, "malformed")
    assert answer.json()["detail"] == "sort cannot be combined with top, which sorts by frequency"
    operation = small.get("/openapi.json").json()["paths"]["/tasks/{task_id}/estimates"]["get"]
    assert "It cannot be combined with `top`" in " ".join(operation["description"].split())


def test_the_tag_changes_with_the_release_and_the_default_method(
    small: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = small.add_task()
    small.upload(task, *some_reports(range(30), task))
    path = f"/tasks/{task.id}/estimates"

    def tag() -> str:
        return str(small.get(path).headers["etag"])

    usual = tag()
    assert tag() == usual
    with monkeypatch.context() as patch:
        patch.setattr(downloads, "__version__", "999")
        assert tag() != usual
        assert small.get(path, **{"If-None-Match": usual}).status_code == 200
    with monkeypatch.context() as patch:
        patch.setattr(estimates_part, "default_method", lambda _: "baseline")
        assert tag() != usual
        again = small.get(path, **{"If-None-Match": usual})
        assert (again.status_code, again.json()["method"]) == (200, "baseline")
    assert tag() == usual


@pytest.mark.parametrize("mechanism", ["grr", "ue", "collision"])
def test_a_download_is_a_report_file_that_hides_the_order_of_arrival(
    collector: Running, mechanism: str, tmp_path: Path
) -> None:
    task = collector.add_task(mechanism=mechanism)
    empty = collector.get(f"/tasks/{task.id}/reports")
    assert pq.read_table(io.BytesIO(empty.content)).num_rows == 0
    reports = some_reports(range(300), task)
    random.Random(3).shuffle(reports)
    for start in range(0, 300, 100):
        collector.upload(task, *reports[start : start + 100])
    answer = collector.get(f"/tasks/{task.id}/reports")
    assert answer.headers["content-type"] == PARQUET
    file = tmp_path / "reports.parquet"
    file.write_bytes(answer.content)
    assert ReportFile(file, task).rows == 300
    table = pq.read_table(file)
    assert table.column("report_id").to_pylist() == sorted(uploaded.id for uploaded in reports)
    from pckv.cli import main  # noqa: PLC0415

    (tmp_path / "task.json").write_text(task.to_json(), encoding="utf-8")
    with pytest.raises(SystemExit, match="0"):
        main(
            [
                "tally",
                str(file),
                "--task",
                str(tmp_path / "task.json"),
                "--out",
                str(tmp_path / "counts.tally"),
            ]
        )
    assert (tmp_path / "counts.tally").read_bytes() == bytes(total(collector.store, task))
