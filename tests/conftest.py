"""Shared by all tests."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from support.durations import duration_lines
from support.parts import SHORT_LIVED_JAVA, SUPPORT, missing_part
from support.sample_reports import MANY, TEN_MILLION, CollectionFactory, make_collection
from support.tiers import mark_for_verify, plants_nothing

settings.register_profile("pckv", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("pckv")


# Temporary folders are in memory where there is plenty of it: most tests of stores and clients wait for disks.
MEMORY_FOLDER = Path("/dev/shm")  # noqa: S108 - pytest makes folders of its own there
MIN_MEMORY_BYTES = 8 * 2**30


def pytest_configure(config: pytest.Config) -> None:
    """Name the marker of what `make test` leaves out, and choose where temporary folders are."""
    config.addinivalue_line("markers", "verify: runs with `make verify` alone, which passes --all.")
    if not config.getoption("--slow") and memory_suffices():
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY_FOLDER))


def memory_suffices() -> bool:
    """Return whether files may be kept in memory, programs among them."""
    if not MEMORY_FOLDER.is_dir():
        return False
    found = os.statvfs(MEMORY_FOLDER)
    free = min(found.f_bavail * found.f_frsize, os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return free >= MIN_MEMORY_BYTES and not found.f_flag & os.ST_NOEXEC


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add options for how much is tested, and for pictures of the pages."""
    parser.addoption("--all", action="store_true", help="Run all tests, as make verify does.")
    parser.addoption("--rest", action="store_true", help="With --all: leave out what `make test` runs in full.")
    parser.addoption("--slow", action="store_true", help="Run tests at a larger scale.")
    parser.addoption("--soak-seconds", type=float, help="How long the soak test runs.")
    parser.addoption("--screenshots", action="store_true", help="Write pictures of the pages into docs/.")


# What takes long to set up, and which tests share it: one process runs them all. Others are sent one by one.
SPARK = "the Spark session and many reports"
SHARED = {
    SPARK: r"test_spark\.py|\[spark\b|on_every_engine",
    "the browser": r"tests/web/browser/",
    "the commands of the tutorial": r"test_tutorial\.py",
    "the built site": r"test_the_site_",
    "the built packages": r"test_packages\.py|test_npm_package\.py",
    "what npm installs": r"test_(npm_package|containers|workflows)\.py",
    "a large file of reports": r"test_memory\.py",
    "the draws that JavaScript is compared at": r"test_javascript_audit\.py",
}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Send tests that share something to the same process, the largest groups first."""
    scheduler = import_module("xdist.scheduler").LoadScopeScheduling(config, log)
    scheduler._split_scope = lambda test: next(
        (name for name, pattern in SHARED.items() if re.search(pattern, test)), test
    )
    return scheduler


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave tests to `make verify`, and refuse one that would start a second Spark session, in another process."""
    for item in items:
        if "spark" in _fixtures(item) and not re.search(SHARED[SPARK], item.nodeid):
            raise pytest.UsageError(f"{item.nodeid} uses Spark: its name must match {SHARED[SPARK]}")
    mark_for_verify(items)
    is_verified = {item: bool(item.get_closest_marker("verify")) and not plants_nothing(item) for item in items}
    left_out: list[pytest.Item] = []
    if not config.getoption("--all"):
        left_out = [item for item in items if is_verified[item]]
    elif config.getoption("--rest"):
        left_out = [item for item in items if not is_verified[item] and COVERS_ALL not in _fixtures(item)]
    config.hook.pytest_deselected(items=left_out)
    dropped = set(left_out)
    items[:] = [item for item in items if item not in dropped]


def _fixtures(item: pytest.Item) -> tuple[str, ...]:
    return tuple(getattr(item, "fixturenames", ()))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print how long each group of tests took; with xdist this sees the reports of all workers."""
    everything = [report for reports in terminalreporter.stats.values() for report in reports]
    for line in duration_lines(report for report in everything if isinstance(report, pytest.TestReport)):
        terminalreporter.write_line(line)


# Tests that ask for this cover more with `--all`.
COVERS_ALL = "covers_all"


@pytest.fixture(scope="session")
def covers_all(request: pytest.FixtureRequest) -> bool:
    """Whether all is covered, as `make verify` does, or what a change breaks most often."""
    return bool(request.config.getoption("--all"))


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """One Spark session for the whole run, as a user would create it; a task may fail twice before its job does."""
    if shutil.which("java") is None:
        missing_part("Java")
    from pyspark.sql import SparkSession  # noqa: PLC0415

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2,3]").config("spark.driver.host", "127.0.0.1")
    for name, value in {
        "spark.driver.extraJavaOptions": SHORT_LIVED_JAVA,
        "spark.executorEnv.PYTHONPATH": str(SUPPORT.parent),
        "spark.python.daemon.module": "support.spark_daemon",
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
def many_reports(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[CollectionFactory]:
    """A function that creates 200,000 reports of a mechanism, with --slow ten million, once per mechanism."""
    folder = tmp_path_factory.mktemp("reports")
    reports = TEN_MILLION if request.config.getoption("--slow") else MANY
    yield cache(lambda mechanism: make_collection(folder, mechanism, reports))
    shutil.rmtree(folder)
