"""What every client keeps about spending per period: checks that run on every client, and on mutants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from pckv import Task
from support.ledger_checks import LedgerDevice, a_task

# An ε of 1 per report: two reports fit into this cap, three do not.
TWO_PER_MONTH = ("2.5", 30)


class PeriodDevice(LedgerDevice, Protocol):
    """A device whose calls may give a cap per period."""

    def submit_with(self, task: Task, cap_per_period: tuple[str, int] | None) -> str:
        """Submit to a task with a cap per period; return the status, or a refusal's code."""


def spend(device: PeriodDevice, day: int, name: str, cap: tuple[str, int] | None = None) -> str:
    """Submit to a survey on a day."""
    task = a_task(name)
    device.collector.tasks[task.id] = task.to_json().encode()
    device.move_clock(day)
    return device.submit_with(task, cap)


def check_a_period_has_a_cap(device: PeriodDevice) -> None:
    """What was spent counts for as many days as the period has, that day included."""
    assert spend(device, 0, "one", TWO_PER_MONTH) == "sent"
    assert spend(device, 10, "two") == "sent"
    assert [spend(device, day, "three") for day in (10, 11, 29)] == ["over_budget"] * 3
    assert spend(device, 30, "three") == "sent"
    assert spend(device, 39, "four") == "over_budget"
    assert spend(device, 40, "four") == "sent"


def check_a_period_of_one_day(device: PeriodDevice) -> None:
    """A period of one day ends with the day."""
    assert spend(device, 5, "one", ("1", 1)) == "sent"
    assert spend(device, 5, "two") == "over_budget"
    assert spend(device, 6, "two") == "sent"


def check_the_cap_per_period_is_remembered(device: PeriodDevice) -> None:
    """A cap per period holds for later calls that give none, until another one is given."""
    assert spend(device, 0, "one", ("1", 30)) == "sent"
    assert spend(device, 1, "two") == "over_budget"
    assert spend(device, 1, "two", ("2", 30)) == "sent"
    assert spend(device, 2, "three") == "over_budget"
    assert spend(device, 2, "three", ("2", 1)) == "sent"


def check_a_clock_set_back_frees_nothing(device: PeriodDevice) -> None:
    """What is spent while the clock is set back counts from the latest day that was ever recorded."""
    assert spend(device, 100, "one", TWO_PER_MONTH) == "sent"
    assert spend(device, 0, "two") == "sent"
    assert [spend(device, day, "three") for day in (-1000, 0, 31, 100, 129)] == ["over_budget"] * 5
    assert spend(device, 130, "three") == "sent"
    assert spend(device, 0, "four") == "sent"
    assert [spend(device, day, "five") for day in (31, 61, 159)] == ["over_budget"] * 3
    assert spend(device, 160, "five") == "sent"


def check_a_removed_report_counts_from_its_day(device: PeriodDevice) -> None:
    """The record has the day, so that a removed report counts as long as it would have."""
    assert spend(device, 50, "one", ("1", 30)) == "sent"
    device.remove_report(a_task("one"))
    assert [spend(device, day, "two") for day in (0, 50, 79)] == ["over_budget"] * 3
    assert spend(device, 80, "two") == "sent"


def check_the_total_holds_as_well(device: PeriodDevice) -> None:
    """However much time passes, all surveys together spend at most ε = 10."""
    results = [spend(device, 100 * number, f"survey {number}", ("1", 30)) for number in range(11)]
    assert results == ["sent"] * 10 + ["over_budget"]


PERIOD_CHECKS: tuple[Callable[[PeriodDevice], None], ...] = (
    check_a_period_has_a_cap,
    check_a_period_of_one_day,
    check_the_cap_per_period_is_remembered,
    check_a_clock_set_back_frees_nothing,
    check_a_removed_report_counts_from_its_day,
    check_the_total_holds_as_well,
)
