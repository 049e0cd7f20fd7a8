"""Shared by all tests."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from support.durations import duration_lines
from support.parts import missing_part
from support.sample_reports import CollectionFactory, make_collection

settings.register_profile(
    "pckv", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("pckv")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add options for slow tests, and for pictures of the pages."""
    parser.addoption("--slow", action="store_true", help="Run the slow variants too.")
    parser.addoption("--screenshots", action="store_true", help="Write pictures of the pages into docs/.")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Send all tests that use the Spark session to one process, and all that use the browser: they start slowly."""
    scheduler = import_module("xdist.scheduler").LoadScopeScheduling(config, log)
    shared = {"spark": r"test_spark\.py|\[spark\b", "browser": r"tests/web/browser/"}
    scheduler._split_scope = lambda test: next(
        (name for name, pattern in shared.items() if re.search(pattern, test)), test
    )
    return scheduler


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print how long each group of tests took; with xdist this sees the reports of all workers."""
    everything = [report for reports in terminalreporter.stats.values() for report in reports]
    for line in duration_lines(report for report in everything if isinstance(report, pytest.TestReport)):
        terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """One Spark session for the whole run, as a user would create it; a task may fail twice before its job does."""
    if shutil.which("java") is None:
        missing_part("Java")
    from pyspark.sql import SparkSession  # noqa: PLC0415

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2,3]").config("spark.driver.host", "127.0.0.1")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "4",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def ten_million(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CollectionFactory]:
    """A function that creates ten million reports of a mechanism, once per mechanism."""
    folder = tmp_path_factory.mktemp("reports")
    yield cache(lambda mechanism: make_collection(folder, mechanism))
    shutil.rmtree(folder)
