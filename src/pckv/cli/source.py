"""Sources of results: report files, which are estimated here, or a collector, which estimates its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial, wraps
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlencode

import click

from pckv.base.errors import DataError
from pckv.base.records import read_value
from pckv.base.words import one_line, plural
from pckv.cli.common import Command, FilePath, progress_bar
from pckv.cli.inputs import count_named, read_id, read_series, read_task, split_named
from pckv.cli.remote import RemoteCollector, contract_path, read_token, reading_token_option
from pckv.contract.series import Series
from pckv.contract.task import Task
from pckv.counting.alarms import check_files
from pckv.counting.run import CountOptions, files_by_round
from pckv.estimators.alarms import Alarms
from pckv.estimators.discovery import discover
from pckv.estimators.estimate import estimate
from pckv.estimators.results.discovery import Discovery
from pckv.estimators.results.estimates import Estimates
from pckv.estimators.results.trend import Trend
from pckv.estimators.trends.trend import trend

# The most rounds that a collector estimates together.
MAX_ROUNDS = 1000

Answer = TypeVar("Answer")


class EstimatedTask(NamedTuple):
    """The estimates of a task, its alarms if they were checked, and what charts say of it."""

    estimates: Estimates
    alarms: Alarms | None
    name: str
    unit: str


class TaskFiles(NamedTuple):
    """Reports or tallies of a task in files."""

    task: Task
    files: tuple[Path, ...]

    def estimates(self, keys: Sequence[str], **options: Any) -> EstimatedTask:
        """Return the estimates, and alarms where there are reports to check."""
        tally = count_named(self.task, self.files, CountOptions()).tally
        with progress_bar("Decoding") as progress:
            found = estimate(tally, keys=keys or None, progress=progress, **options)
        alarms = check_files(tally, split_named(self.files)[0])
        return EstimatedTask(found, alarms, self.task.name, self.task.about.unit)

    def discovery(self, level: float, false_discovery_rate: float) -> Discovery:
        """Return the keys that are found."""
        # Another task is refused before anything is counted.
        groups = self.task.tree.groups
        tally = count_named(self.task, self.files, CountOptions()).tally
        with progress_bar(f"Following prefixes through {plural(groups, 'group')}") as progress:
            return discover(tally, level, false_discovery_rate=false_discovery_rate, progress=progress)


class SeriesFiles(NamedTuple):
    """Reports or tallies of the rounds of a series in files, each of which says which round it is of."""

    series: Series
    files: tuple[Path, ...]

    def trend(self, keys: Sequence[str], since: int | None, level: float, false_discovery_rate: float) -> Trend:
        """Return the trend of the rounds."""
        tallies = [
            count_named(task, paths, CountOptions()).tally for task, paths in files_by_round(self.series, self.files)
        ]
        with progress_bar("Decoding") as progress:
            found = trend(
                self.series, tallies, level, keys or None, false_discovery_rate=false_discovery_rate, progress=progress
            )
        return found if since is None else found.since(since, false_discovery_rate)


class _About(NamedTuple):
    """What participants read, as far as charts show it."""

    unit: str


class _Overview(NamedTuple):
    """What a collector says of a task, as far as a table of its estimates shows it."""

    name: str
    about: _About
    alarms: Alarms | None


class CollectedReports(NamedTuple):
    """The reports that a collector has of a task or a series, by its id."""

    collector: RemoteCollector
    id: str

    def estimates(self, keys: Sequence[str], **options: Any) -> EstimatedTask:
        """Return the estimates that the collector computes, and what its last check says."""
        query = urlencode({name: value for name, value in options.items() if value is not None}, doseq=True)
        path = contract_path("tasks", self.id, f"/estimates?{query}")
        # There may be more keys than an address takes.
        body = json.dumps({"keys": keys}).encode() if keys else None
        answer = self.collector.ask("POST" if keys else "GET", path, body, estimates=True)
        found = self._read(Estimates.from_dict, answer)
        self._check_id("task", found.task)
        overview = self.collector.ask("GET", contract_path("tasks", self.id, "/overview"))
        told: _Overview = self._read(partial(read_value, _Overview), overview)
        if keys:
            # The collector's sentences are about all keys, and these are to be about those asked for.
            found = found.with_verdict()
        return EstimatedTask(found, told.alarms, told.name, told.about.unit)

    def discovery(self, level: float, false_discovery_rate: float) -> Discovery:
        """Return the keys that the collector finds."""
        query = urlencode({"level": level, "false_discovery_rate": false_discovery_rate})
        path = contract_path("tasks", self.id, f"/discovery?{query}")
        found = self._read(Discovery.from_dict, self.collector.ask("GET", path, estimates=True))
        self._check_id("task", found.task)
        return found

    def trend(self, keys: Sequence[str], since: int | None, level: float, false_discovery_rate: float) -> Trend:
        """Return the trend that the collector computes."""
        query: dict[str, Any] = {
            "level": level,
            "false_discovery_rate": false_discovery_rate,
            "limit": MAX_ROUNDS,
            "keys": keys,
        }
        query |= {} if since is None else {"since": since}
        path = contract_path("series", self.id, f"/trend?{urlencode(query, doseq=True)}")
        found = self._read(Trend.from_dict, self.collector.ask("GET", path, estimates=True))
        self._check_id("series", found.series)
        return found

    def _read(self, read: Callable[[Any], Answer], answer: Any) -> Answer:
        try:
            return read(answer)
        except DataError:
            raise self.collector.not_understood() from None

    def _check_id(self, what: str, told: str) -> None:
        if told != self.id:
            raise DataError(f"{self.collector.url}: it answers with another {what}, {one_line(told)}")


# Where the results of a task, and of a series, come from.
TaskSource = TaskFiles | CollectedReports
SeriesSource = SeriesFiles | CollectedReports


def task_source(command: Command) -> Command:
    """Give a command the arguments that name reports of a task, and the `source` that they make."""

    @click.argument("files", nargs=-1, type=FilePath, metavar="[FILES]...")
    @click.option("--task", "task_file", type=FilePath, help="The task's JSON file.")
    @click.option("--url", help="Instead of files: the address of the collector that has the reports of TASK.")
    @reading_token_option
    @wraps(command)
    def with_source(
        files: tuple[Path, ...],
        task_file: Path | None,
        url: str | None,
        token_file: Path | None,
        **others: Any,
    ) -> None:
        if url is not None:
            if len(files) != 1 or task_file is not None:
                raise click.UsageError("with --url, name one TASK, by its id or its file, and nothing else")
            collector = RemoteCollector(url, read_token(token_file))
            return command(source=CollectedReports(collector, read_id(read_task, str(files[0]))), **others)
        if not files:
            raise click.UsageError("name report files or tallies; or one task, with --url")
        if task_file is None:
            raise click.UsageError("give --task, the task of these files; or --url, the collector of a task")
        _check_token_unused(token_file)
        return command(source=TaskFiles(read_task(task_file), files), **others)

    return with_source


def series_source(command: Command) -> Command:
    """Give a command the arguments that name reports of a series, and the `source` that they make."""

    @click.argument("series_file", type=FilePath, metavar="SERIES")
    @click.argument("files", nargs=-1, type=FilePath, metavar="[FILES]...")
    @click.option("--url", help="Instead of files: the address of the collector that has the reports of SERIES.")
    @reading_token_option
    @wraps(command)
    def with_source(
        series_file: Path, files: tuple[Path, ...], url: str | None, token_file: Path | None, **others: Any
    ) -> None:
        if url is not None:
            if files:
                raise click.UsageError("with --url, name SERIES, by its id or its file, and no files of rounds")
            collector = RemoteCollector(url, read_token(token_file))
            return command(source=CollectedReports(collector, read_id(read_series, str(series_file))), **others)
        if not files:
            raise click.UsageError("name report files or tallies of rounds, or the collector of SERIES by --url")
        _check_token_unused(token_file)
        return command(source=SeriesFiles(read_series(series_file), files), **others)

    return with_source


def _check_token_unused(token_file: Path | None) -> None:
    if token_file is not None:
        raise click.UsageError("--token-file is for --url")
