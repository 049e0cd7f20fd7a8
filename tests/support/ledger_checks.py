"""What every client keeps about spending: checks that run on the Python and the JavaScript client, and on mutants."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any, Protocol

from pckv import Task
from pckv.client.ledger import realised_epsilon
from support.client_collector import FakeCollector, Reply, problem

KEYS = ["alien", "heat"]
# The same survey to a reader: case, spaces, width, ligatures, invisible characters.
VARIANTS = (
    "Movies",
    "MOVIES",
    "movies ",
    " movies",
    "\N{FULLWIDTH LATIN SMALL LETTER M}ovies",
    "mov\N{ZERO WIDTH SPACE}ies",
    "movies\N{VARIATION SELECTOR-16}",
    "movies\N{NO-BREAK SPACE}",
)
WAITS, REFUSED = problem(401, "bad-token"), problem(403, "closed")
# A week of waiting and more, a clock that was set back, and years.
DAYS = (8, 400, -30, 4000)


class LedgerDevice(Protocol):
    """A device with one client and one collector; every call acts as a process or page that has just started."""

    collector: FakeCollector

    def submit(self, task: Task, cap: str | None = None, folder: str = "") -> str:
        """Submit to a task, at the collector's address or a folder of it; return the status, or a refusal's code."""

    def crash_while_sending(self, task: Task) -> None:
        """Submit to a task, and end at once when the collector has the report."""

    def spent(self) -> Decimal:
        """Return what all surveys have spent."""

    def remove_report(self, task: Task) -> None:
        """Delete the stored report of a task, and nothing else."""

    def remove_record(self, task: Task) -> None:
        """Delete what is remembered of a task apart from its report."""

    def edit_record(self, task: Task) -> None:
        """Let the record of a task say that nothing was spent."""

    def move_clock(self, days: int) -> None:
        """Let some days pass, or set the clock back."""


def a_task(name: str, epsilon: str = "1", **members: Any) -> Task:
    given: dict[str, Any] = {"keys": KEYS, "values": (1, 5), "mechanism": "grr"} | members
    return Task(name=name, epsilon=epsilon, **given)


def submitted(
    device: LedgerDevice, task: Task, reply: Reply | None = None, cap: str | None = None, folder: str = ""
) -> str:
    """Submit to a task whose collector gives a scripted reply to the upload."""
    device.collector.tasks[task.id] = task.to_json().encode()
    if reply is not None:
        device.collector.replies.append(reply)
    result = device.submit(task, cap, folder)
    device.collector.replies.clear()
    return result


def uploads(device: LedgerDevice, task: Task) -> set[bytes]:
    """Return the distinct reports of a task that reached the collector."""
    path = f"/tasks/{task.id}/reports"
    return {request.body for request in device.collector.received if request.path.endswith(path)}


def check_a_survey_is_answered_once(device: LedgerDevice) -> None:
    """Another closing day, ε, key or spelling does not make another survey; another name does."""
    assert submitted(device, a_task("movies")) == "sent"
    spent, others = device.spent(), [a_task(name) for name in VARIANTS]
    others += [a_task("movies", closes="2999-01-01"), a_task("movies", "0.5"), a_task("movies", keys=["up"])]
    for other in others:
        assert submitted(device, other) == "answered", other.name
        assert uploads(device, other) == set()
    assert device.spent() == spent
    assert submitted(device, a_task("movies 2")) == "sent"


def check_every_state_counts(device: LedgerDevice) -> None:
    """Reports that were sent, wait, were refused, or were removed all count toward the cap."""
    replies = {"sent": None, "waiting": WAITS, "refused": REFUSED}
    for status, reply in replies.items():
        assert submitted(device, a_task(status), reply) == status
    removed = a_task("removed")
    assert submitted(device, removed) == "sent"
    device.remove_report(removed)
    cost = realised_epsilon(removed)
    assert device.spent() == 4 * cost
    # The last is short by less than an ε can be told apart by.
    short = [5 * cost - Decimal(missing) for missing in ("1e-15", "1e-24")]
    for cap in (cost, 2 * cost, 3 * cost, 4 * cost, *short):
        assert submitted(device, a_task("one more"), cap=f"{cap:f}") == "over_budget", cap
    assert submitted(device, a_task("one more"), cap=f"{5 * cost:f}") == "sent"


def check_addresses_share_the_ledger(device: LedgerDevice) -> None:
    """Another collector's address makes no other report and no other survey, and frees nothing."""
    waiting, refused = a_task("waiting"), a_task("refused")
    assert submitted(device, waiting, WAITS) == "waiting"
    assert submitted(device, refused, REFUSED) == "refused"
    spent = device.spent()
    for task in (waiting, refused):
        assert submitted(device, a_task(task.name.upper()), folder="/elsewhere") == "answered"
        assert submitted(device, task, folder="/elsewhere") == "sent"
        assert len(uploads(device, task)) == 1
    assert device.spent() == spent
    assert submitted(device, a_task("another"), cap="2.5", folder="/anywhere") == "over_budget"


def check_the_cap_is_remembered(device: LedgerDevice) -> None:
    """A cap that was given holds for later calls that give none, until another one is given."""
    assert submitted(device, a_task("one"), cap="1.5") == "sent"
    assert submitted(device, a_task("two")) == "over_budget"
    assert submitted(device, a_task("two"), cap="2") == "sent"
    assert submitted(device, a_task("three")) == "over_budget"
    # Also where the call that gives it is refused, or makes no report.
    assert submitted(device, a_task("three", "2"), cap="3.5") == "over_budget"
    assert submitted(device, a_task("three")) == "sent"
    assert submitted(device, a_task("one"), cap="4") == "sent"
    assert submitted(device, a_task("four")) == "sent"


def check_a_lower_cap_is_remembered(device: LedgerDevice) -> None:
    """A lower cap holds from now on."""
    assert submitted(device, a_task("one"), cap="4") == "sent"
    assert submitted(device, a_task("two"), cap="1.5") == "over_budget"
    assert submitted(device, a_task("two")) == "over_budget"


def check_a_cap_of_nothing_holds(device: LedgerDevice) -> None:
    """A cap of 0 is a cap."""
    assert submitted(device, a_task("one", "0.000001"), cap="0") == "over_budget"
    assert submitted(device, a_task("one", "0.000001")) == "over_budget"


def check_long_names_are_surveys_too(device: LedgerDevice) -> None:
    """Names as long as a task may have are compared as short ones are."""
    name = "movies of the year " * 13
    assert submitted(device, a_task(name.strip())) == "sent"
    assert submitted(device, a_task(name.upper().strip())) == "answered"


def check_there_is_a_cap_by_default(device: LedgerDevice) -> None:
    """Without any cap given, all surveys together spend at most ε = 10."""
    assert [submitted(device, a_task(name, "4")) for name in ("one", "two", "three")] == [
        "sent",
        "sent",
        "over_budget",
    ]
    assert submitted(device, a_task("four", "2")) == "sent"
    assert 9 < device.spent() <= 10


def check_time_frees_nothing(device: LedgerDevice) -> None:
    """A report that waits is the same after any time; nothing is made anew, and nothing is forgotten."""
    tasks = {status: a_task(status) for status in ("waiting", "refused", "sent")}
    for status, reply in {"waiting": WAITS, "refused": REFUSED, "sent": None}.items():
        assert submitted(device, tasks[status], reply) == status
    spent = device.spent()
    for days in DAYS:
        device.move_clock(days)
        assert submitted(device, tasks["waiting"], WAITS) == "waiting"
        assert submitted(device, tasks["refused"]) == "refused"
        assert submitted(device, tasks["sent"]) == "sent"
        assert submitted(device, a_task("Sent")) == "answered"
        assert device.spent() == spent
    assert submitted(device, tasks["waiting"]) == "sent"
    assert [len(uploads(device, task)) for task in tasks.values()] == [1, 1, 1]


def check_a_removed_report_is_not_made_again(device: LedgerDevice) -> None:
    """Whether it was sent or waits: the ε is spent, and a second report would spend it again."""
    for status, reply in {"sent": None, "waiting": WAITS, "refused": REFUSED}.items():
        task = a_task(status)
        assert submitted(device, task, reply) == status
        spent = device.spent()
        device.remove_report(task)
        assert submitted(device, task) in {"answered", "bad_data"}
        assert submitted(device, a_task(status, "0.5")) == "answered"
        assert (device.spent(), len(uploads(device, task))) == (spent, 1)


def check_spending_is_stored_before_it_is_sent(device: LedgerDevice) -> None:
    """A device that ends while it sends has remembered what it spent, apart from the report."""
    task = a_task("crash")
    device.collector.tasks[task.id] = task.to_json().encode()
    device.crash_while_sending(task)
    assert len(uploads(device, task)) == 1
    device.remove_report(task)
    assert submitted(device, task) in {"answered", "bad_data"}
    assert (device.spent(), len(uploads(device, task))) == (realised_epsilon(task), 1)


def check_a_removed_record_is_restored(device: LedgerDevice) -> None:
    """Without the record the report counts, and the next spending writes the record again."""
    task = a_task("movies")
    assert submitted(device, task) == "sent"
    device.remove_record(task)
    assert device.spent() == realised_epsilon(task)
    assert submitted(device, a_task("Movies")) == "answered"
    device.remove_record(task)
    assert submitted(device, a_task("others"), cap="1.5") == "over_budget"
    device.remove_report(task)
    assert device.spent() == realised_epsilon(task)
    assert submitted(device, task) in {"answered", "bad_data"}


def check_an_edited_record_is_refused(device: LedgerDevice) -> None:
    """A record that contradicts its report keeps everything from being perturbed."""
    assert submitted(device, a_task("movies")) == "sent"
    device.edit_record(a_task("movies"))
    assert submitted(device, a_task("others")) == "bad_data"
    assert uploads(device, a_task("others")) == set()


def check_a_closed_task_spends_nothing(device: LedgerDevice) -> None:
    """Nothing is perturbed from the closing day on, also by a device that knew the task before."""
    over, ends = a_task("over", closes="2020-01-01"), a_task("ends", closes="2999-01-01")
    assert submitted(device, over) == "not_sent"
    device.move_clock(400_000)
    assert submitted(device, ends) == "not_sent"
    assert device.spent() == 0
    assert uploads(device, over) | uploads(device, ends) == set()
    device.move_clock(0)
    assert submitted(device, ends) == "sent"


CHECKS: tuple[Callable[[LedgerDevice], None], ...] = (
    check_a_survey_is_answered_once,
    check_every_state_counts,
    check_addresses_share_the_ledger,
    check_the_cap_is_remembered,
    check_a_lower_cap_is_remembered,
    check_a_cap_of_nothing_holds,
    check_long_names_are_surveys_too,
    check_there_is_a_cap_by_default,
    check_time_frees_nothing,
    check_a_removed_report_is_not_made_again,
    check_spending_is_stored_before_it_is_sent,
    check_a_removed_record_is_restored,
    check_an_edited_record_is_refused,
    check_a_closed_task_spends_nothing,
)
