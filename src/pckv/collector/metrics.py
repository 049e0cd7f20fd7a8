"""Metrics: counts and times of the collector itself, nothing about people."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)

# They would reveal to the second when something first happened.
disable_created_metrics()  # type: ignore[no-untyped-call]

COMMIT_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5)


class Metrics:
    """The metrics of one collector."""

    def __init__(self, pending_reports: Callable[[], float]) -> None:
        self._registry = CollectorRegistry()
        self.accepted = Counter(
            "pckv_reports_accepted", "Reports stored, or known already", registry=self._registry
        )
        self.refused = Counter(
            "pckv_reports_refused", "Reports refused, by reason", ["reason"], registry=self._registry
        )
        self.commit_seconds = Histogram(
            "pckv_commit_seconds",
            "How long a batch takes to commit",
            buckets=COMMIT_SECONDS,
            registry=self._registry,
        )
        queue = Gauge("pckv_queue_reports", "Reports that wait to be written", registry=self._registry)
        queue.set_function(pending_reports)

    def page(self) -> bytes:
        """Return all metrics in Prometheus' text format."""
        return generate_latest(self._registry)
