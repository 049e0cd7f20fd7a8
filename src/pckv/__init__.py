"""Key-value statistics under local differential privacy: PCKV, and past it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pckv.auditing.audit import audit
    from pckv.base.errors import PckvError
    from pckv.base.wire import Report
    from pckv.contract.mixer import Mixer
    from pckv.contract.series import Series
    from pckv.contract.task import Task
    from pckv.counting.batches import tally_frame
    from pckv.device.perturb import perturb
    from pckv.estimators.discovery import discover
    from pckv.estimators.estimate import estimate
    from pckv.estimators.results.discovery import Discovery
    from pckv.estimators.results.estimates import Estimates
    from pckv.estimators.results.trend import Trend
    from pckv.estimators.trends.trend import trend
    from pckv.lab.dataset import Dataset, read_ratings
    from pckv.lab.frames import perturb_frame
    from pckv.lab.simulate import simulate
    from pckv.mechanisms.derivation import Segment
    from pckv.planning.discovery import plan_discovery
    from pckv.planning.plan import Plan
    from pckv.planning.planner import plan
    from pckv.shuffling.privacy import shuffled_privacy
    from pckv.tally import Tally

__version__ = "0.1.0"

__all__ = [
    "Dataset",
    "Discovery",
    "Estimates",
    "Mixer",
    "PckvError",
    "Plan",
    "Report",
    "Segment",
    "Series",
    "Tally",
    "Task",
    "Trend",
    "audit",
    "discover",
    "estimate",
    "perturb",
    "perturb_frame",
    "plan",
    "plan_discovery",
    "read_ratings",
    "shuffled_privacy",
    "simulate",
    "tally_frame",
    "trend",
]

# Loaded on first use: a device that perturbs never loads numpy.
_HOMES = {
    "Dataset": "pckv.lab.dataset",
    "Discovery": "pckv.estimators.results.discovery",
    "Estimates": "pckv.estimators.results.estimates",
    "Mixer": "pckv.contract.mixer",
    "PckvError": "pckv.base.errors",
    "Plan": "pckv.planning.plan",
    "Report": "pckv.base.wire",
    "Segment": "pckv.mechanisms.derivation",
    "Series": "pckv.contract.series",
    "Tally": "pckv.tally",
    "Task": "pckv.contract.task",
    "Trend": "pckv.estimators.results.trend",
    "audit": "pckv.auditing.audit",
    "discover": "pckv.estimators.discovery",
    "estimate": "pckv.estimators.estimate",
    "perturb": "pckv.device.perturb",
    "perturb_frame": "pckv.lab.frames",
    "plan": "pckv.planning.planner",
    "plan_discovery": "pckv.planning.discovery",
    "read_ratings": "pckv.lab.dataset",
    "shuffled_privacy": "pckv.shuffling.privacy",
    "simulate": "pckv.lab.simulate",
    "tally_frame": "pckv.counting.batches",
    "trend": "pckv.estimators.trends.trend",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'pckv' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
