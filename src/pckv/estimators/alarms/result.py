"""What alarms say about the reports of a task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from pckv.base.records import plain, read_value

# The chance that an honest task has an alarm on a day, and how often a day it may be checked.
FALSE_ALARMS_PER_DAY = 1e-4
CHECKS_PER_DAY = 24
# Smaller ones are not told apart.
MIN_SHOWN_CHANCE = 1e-99


class AlarmTest(NamedTuple):
    """One property of the reports that does not depend on what people hold.

    `chance` is a bound on the probability of what was seen, or of anything more unusual, among honest
    reports.
    """

    name: str
    seen: str
    chance: float


@dataclass(frozen=True)
class Alarms:
    """What the reports look like, given that all devices follow the mechanism.

    Attributes:
        reports: How many reports were looked at.
        tests: What was tested; nothing where the mechanism has no random part that could be.
    """

    reports: int
    tests: tuple[AlarmTest, ...]

    @property
    def limit(self) -> float:
        """The largest chance that is an alarm: tests and checks of a day share the rate of false alarms."""
        return FALSE_ALARMS_PER_DAY / CHECKS_PER_DAY / max(1, len(self.tests))

    @property
    def unusual(self) -> tuple[AlarmTest, ...]:
        """The tests that are alarms."""
        return tuple(test for test in self.tests if test.chance <= self.limit)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What there is to say, for people to read."""
        if not self.tests:
            return (
                "Nothing about these reports can be tested: whatever they say, honest people may hold it.",
            )
        if not self.unusual:
            return ("Nothing unusual about the random parts of the reports.",)
        found = [
            f"{test.seen[:1].upper()}{test.seen[1:]}: {chance_text(test.chance)} if all reports were honest."
            for test in self.unusual
        ]
        return ("Unusual reports.", *found, "Nothing is dropped.")

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        return {
            "reports": self.reports,
            "false_alarms_per_day": FALSE_ALARMS_PER_DAY,
            "limit": self.limit,
            "unusual": [test.name for test in self.unusual],
            "sentences": list(self.sentences),
            "tests": plain(self.tests),
        }

    @classmethod
    def from_dict(cls, document: Any) -> Alarms:
        """Return what `to_dict` was called on; all members but reports and tests follow from these."""
        found: Alarms = read_value(cls, document)
        return found


def chance_text(chance: float) -> str:
    """Return a chance that is small in words."""
    return f"a chance of at most {max(chance, MIN_SHOWN_CHANCE):.0e}"
