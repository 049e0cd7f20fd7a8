"""Spark in processes of its own: a cluster whose executor dies, the command's own session, and Java."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pckv.base.errors import MissingExtra
from pckv.counting.engines.spark import check_java
from support.parts import SHORT_LIVED_JAVA, SUPPORT, missing_part
from support.sample_reports import (
    GRR,
    MECHANISMS,
    TEN_MILLION,
    digest,
    direct_tally,
    forged_file,
    id_list,
    make_collection,
    report_file,
    reports_table,
    some_ids,
)


@pytest.mark.verify
def test_an_executor_is_killed_half_way(tmp_path: Path) -> None:
    """A cluster of processes. In one process tasks fail in test_spark.py, and are repeated like those here."""
    if shutil.which("java") is None or not Path("/proc/self/stat").exists():
        missing_part("Java on Linux")
    arguments = []
    mechanisms, reports = [*MECHANISMS, "collision"], TEN_MILLION
    collections = [make_collection(tmp_path, mechanism, reports) for mechanism in mechanisms]
    for mechanism, collection in zip(mechanisms, collections, strict=True):
        task_file = tmp_path / f"{mechanism}.json"
        task_file.write_text(collection.task.to_json())
        arguments.append(json.dumps([str(task_file), *map(str, collection.paths)]))
    result = subprocess.run(
        [sys.executable, SUPPORT / "killed_executor.py", *arguments],
        env=os.environ | {"PYSPARK_PYTHON": sys.executable, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-2000:]
    for collection, line in zip(collections, result.stdout.splitlines(), strict=True):
        facts = json.loads(line)
        # When it died, some tasks were done, some were not, and some of its own had to be repeated.
        assert facts["executors"] == 2
        assert 0 < facts["done"] < facts["tasks"]
        assert facts["failed"] > 0
        assert (facts["reports"], facts["tally"]) == (reports, digest(collection.expected))


# The command


def put_task() -> None:
    Path("task.json").write_text(GRR.to_json())


def pckv(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    program = str(Path(sys.executable).with_name("pckv"))
    return subprocess.run(
        [program, *arguments],
        env=os.environ | {"JAVA_TOOL_OPTIONS": SHORT_LIVED_JAVA} | environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def test_the_command_starts_a_session_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("java") is None:
        missing_part("Java")
    monkeypatch.chdir(tmp_path)
    put_task()
    forged_file(Path("a.parquet"), GRR, reports_table(GRR, [1, 99, 2], id_list(some_ids(3))))
    command = "tally a.parquet --task task.json --out new.tally --engine spark --spark-master local[1]"
    result = pckv(*command.split(), "--skip-bad")
    assert (result.returncode, result.stdout, result.stderr) == (
        0,
        "2 reports counted into new.tally, 1 skipped\n",
        "skipped: a.parquet, row group 0: report 1: word 99 is not below 28\n",
    )
    assert Path("new.tally").read_bytes() == direct_tally(GRR, np.array([1, 2]))


def refused_run(tmp_path: Path, *options: str, **environment: str) -> str:
    put_task()
    report_file(Path("a.parquet"), GRR, np.array([1, 2]))
    command = "tally a.parquet --task task.json --out new.tally --engine spark"
    result = pckv(*command.split(), *options, **environment)
    assert (result.returncode, result.stdout) == (1, "")
    assert len(result.stderr.splitlines()) == 1
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["a.parquet", "task.json"]
    return result.stderr


def test_a_master_that_does_not_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("java") is None:
        missing_part("Java")
    monkeypatch.chdir(tmp_path)
    line = refused_run(tmp_path, "--spark-master", "nonsense")
    assert line.startswith("pckv: Spark: Master must ")


# Java


def fake_java(home: Path, says: str) -> None:
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\ncat >&2 <<'end'\n{says}\nend\n")
    program.chmod(0o755)


OLD = ['java version "1.8.0_412"', 'openjdk version "11.0.2" 2019-01-15', "no such thing"]


@pytest.mark.parametrize("says", OLD)
def test_java_that_is_too_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str) -> None:
    fake_java(tmp_path / "home", says)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    with pytest.raises(MissingExtra) as caught:
        check_java()
    assert str(caught.value) == f"Spark needs Java 17 or newer: {tmp_path / 'home/bin/java'} is {says}"


@pytest.mark.parametrize(
    "says", ['openjdk version "17.0.1" 2021', 'openjdk version "21-ea"', 'Picked up X\nopenjdk version "25"']
)
def test_java_that_is_new_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str) -> None:
    fake_java(tmp_path / "home", says)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    check_java()


@pytest.mark.parametrize("java", [None, OLD[1]], ids=["missing", "old"])
def test_a_missing_java_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, java: str | None) -> None:
    monkeypatch.chdir(tmp_path)
    if java:
        fake_java(tmp_path / "home", java)
    line = refused_run(tmp_path, JAVA_HOME=str(tmp_path / "home"))
    assert line.startswith("pckv: Spark needs Java 17 or newer: ")
