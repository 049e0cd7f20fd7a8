"""What a store remembers of checks for alarms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class AlarmCheck(NamedTuple):
    """What a check of a task's reports for alarms found, as text; when it began, and how many reports there were.

    The time is in seconds since 1970.
    """

    seconds: int
    reports: int
    result: str


class AlarmCheckStore(Protocol):
    """The checks for alarms of a `Store`."""

    def claim_alarm_check(self, task_id: str, now: int, pause: int) -> bool:
        """Note that a check of a task begins now; return False if one began less than a pause before or after.

        Of several collectors that do this at the same time, one gets True. A claim whose answer is lost counts.
        """

    def record_alarm_check(self, task_id: str, check: AlarmCheck) -> None:
        """Keep what a claimed check found in place of the check before; nothing is kept of an unknown task."""

    def alarm_checks(self, task_ids: Sequence[str]) -> dict[str, AlarmCheck]:
        """Return the last checks that were recorded, of those tasks that have one."""
