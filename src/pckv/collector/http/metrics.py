"""Metrics: counts and times of the collector itself, nothing about people."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, MutableSequence, Sequence
from itertools import accumulate

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector as MetricSource

from pckv.collector.http.problem_details import REFUSAL_REASONS

COMMIT_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5)

# A process writes its numbers into cells, which the other processes of the same collector can read.
MetricCells = MutableSequence[float]
_QUEUE, _ACCEPTED, _COMMIT_SUM, _ALARMS = 0, 1, 2, 3
_REFUSED = {reason: 4 + place for place, reason in enumerate(REFUSAL_REASONS)}
_FIRST_BUCKET = 4 + len(REFUSAL_REASONS)
CELLS_PER_PROCESS = _FIRST_BUCKET + len(COMMIT_SECONDS) + 1


class Metrics(MetricSource):
    """The metrics of one collector: a process counts in its own cells, and shows the sums of all."""

    def __init__(self, processes: Sequence[MetricCells] | None = None, own: int = 0) -> None:
        self._processes = [[0.0] * CELLS_PER_PROCESS] if processes is None else processes
        self._own = self._processes[own]
        # A process that died has left its queue behind, and everything else that it counted is still true.
        self._own[_QUEUE] = 0.0
        self._registry = CollectorRegistry()
        self._registry.register(self)

    def set_queue(self, reports: int) -> None:
        """Note how many reports wait to be written."""
        self._own[_QUEUE] = reports

    def count_accepted(self, reports: int) -> None:
        """Count reports that were stored, or known already."""
        self._own[_ACCEPTED] += reports

    def count_refused(self, reason: str) -> None:
        """Count a refused report."""
        self._own[_REFUSED[reason]] += 1

    def observe_commit(self, seconds: float) -> None:
        """Count a commit that took this long."""
        self._own[_COMMIT_SUM] += seconds
        self._own[_FIRST_BUCKET + bisect_left(COMMIT_SECONDS, seconds)] += 1

    def set_alarms(self, tasks: int) -> None:
        """Note how many tasks have unusual reports."""
        self._own[_ALARMS] = tasks

    def page(self) -> bytes:
        """Return all metrics in Prometheus' text format."""
        return generate_latest(self._registry)

    def collect(self) -> Iterator[Metric]:
        """Yield the sums of all processes, as Prometheus' library asks for them."""
        totals = [sum(cells) for cells in zip(*self._processes, strict=True)]
        yield CounterMetricFamily("pckv_reports_accepted", "Reports stored, or known already", value=totals[_ACCEPTED])
        refused = CounterMetricFamily("pckv_reports_refused", "Reports refused, by reason", labels=["reason"])
        for reason, cell in _REFUSED.items():
            refused.add_metric([reason], totals[cell])
        yield refused
        bounds = [*map(str, map(float, COMMIT_SECONDS)), "+Inf"]
        yield HistogramMetricFamily(
            "pckv_commit_seconds",
            "How long a batch takes to commit",
            buckets=list(zip(bounds, accumulate(totals[_FIRST_BUCKET:]), strict=True)),
            sum_value=totals[_COMMIT_SUM],
        )
        # All processes look at the same reports.
        alarms = max(cells[_ALARMS] for cells in self._processes)
        yield GaugeMetricFamily("pckv_task_alarms", "Tasks whose reports are unusual", value=alarms)
        yield GaugeMetricFamily("pckv_queue_reports", "Reports that wait to be written", value=totals[_QUEUE])
