"""What checks of reports for alarms found, as a store keeps it."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any, NamedTuple

from pckv.estimators.alarms import Alarms
from pckv.store.base import AlarmCheck


class CheckedReports(NamedTuple):
    """What a check of a task's reports found, when it began, and how many reports there were."""

    alarms: Alarms
    seconds: int
    reports: int

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        moment = dt.datetime.fromtimestamp(self.seconds, dt.UTC)
        return {"checked": moment.isoformat(timespec="minutes")} | self.alarms.to_dict()


def parse_checks(checks: dict[str, AlarmCheck]) -> dict[str, CheckedReports]:
    """Return stored checks by their tasks; a damaged one counts as none, so that the next one replaces it."""
    found = {task_id: _parse(check) for task_id, check in checks.items()}
    return {task_id: checked for task_id, checked in found.items() if checked is not None}


def _parse(check: AlarmCheck) -> CheckedReports | None:
    try:
        alarms = Alarms.from_dict(json.loads(check.result))
        # What cannot be shown is damaged as well.
        json.dumps(alarms.to_dict(), allow_nan=False)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
    return CheckedReports(alarms, check.seconds, check.reports)
