"""All that is seen of a JavaScript client from outside: the same calls as of a Python client, in Node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pckv import Task
from pckv.base.canonical import base64url
from pckv.base.errors import AuditFailure
from pckv.base.limits import SERVER_COIN
from pckv.contract.series import Series
from support.holdings import (
    CLOSED,
    END_SECONDS,
    FAILURES,
    HIGHEST_BYTE,
    ROUNDS,
    START,
    Held,
    Observer,
    Refuser,
    Run,
    moments,
    nothing,
    parted,
    public_part,
    sealed_part,
    task_of,
    without_private_part,
)
from support.node import CLIENT, node

SCRIPT = Path(__file__).parent / "javascript" / "observed.mjs"
COIN = base64url(bytes(range(16)))
RIGHT: dict[str, list[int]] = {"contract": [], "admission": [], "reports": []}
# What every request asks of a browser besides what is sent: without them it adds cookies and the page's address,
# follows redirects to other sites, and answers from what it has kept.
REQUEST_OPTIONS = {"cache": "no-store", "credentials": "omit", "redirect": "manual", "referrerPolicy": "no-referrer"}
SENT_OPTIONS = {"method": "POST", "headers": {"Content-Type": "application/json"}}
# A page of a portal, and JSON of another service: see `observed.mjs`.
STRANGERS = (1, 2)
# A report is sent only once it would be found again after a power failure.
TRANSACTION = ["readwrite", {"durability": "strict"}]


def _request(subject: Task | Series, held: Held, failures: dict[str, list[int]], seed: int) -> dict[str, Any]:
    task = task_of(subject)
    has_coin = task.coin == SERVER_COIN
    pairs, _ = parted(held)
    return {
        "contract": subject.to_json(),
        "coin": COIN if has_coin else None,
        "closed": CLOSED,
        "failures": failures,
        "seed": seed,
        "highestByte": HIGHEST_BYTE,
        "held": {"pairs": list(pairs.items())} if isinstance(pairs, dict) else {"other": pairs},
    }


def _call(time: float, method: str, subject: Task | Series, **options: Any) -> dict[str, Any]:
    return {
        "time": 1000 * (START.timestamp() + time),
        "method": method,
        "contract": subject.id,
        "options": options,
    }


def _reports(subject: Task | Series, held: Held) -> list[dict[str, Any]]:
    """Return the calls that report."""
    _, label = parted(held)
    options: dict[str, Any] = {} if label is None else {"segment": label}
    if isinstance(subject, Series):
        return [_call(time, "report", subject, spread=1, **options) for time in moments(subject)]
    if subject.coin == SERVER_COIN:
        options["invitation"] = "token"
    return [_call(time, "submit", subject, **options) for time in moments(subject)]


def observer(client: Path = CLIENT) -> Observer:
    """Return what observes the client in a folder."""

    def observe_all(subject: Task | Series, runs: Sequence[Run]) -> Iterator[dict[str, Any]]:
        last = [_call(END_SECONDS, method, subject) for method in ("flush", "ledger")]
        requests = [
            _request(subject, held, FAILURES[way], seed) | {"calls": [*_reports(subject, held), *last]}
            for held, way, seed in runs
        ]
        tasks = [subject] if isinstance(subject, Task) else [subject.task_of(number + 1) for number in range(ROUNDS)]
        shown = _Shown({task.id: task for task in tasks})
        return map(shown.answer, node(client, SCRIPT).ask(*requests))

    return observe_all


class _Shown:
    """What is seen, with what is public of reports instead of their bodies."""

    def __init__(self, tasks: dict[str, Task]) -> None:
        self._tasks = tasks

    def answer(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Return the parts of what is seen."""
        return {
            "results": [self._result(result) for result in answer["results"]],
            "requests": [self._seen(*each) for each in answer["seen"]],
            "rows": [[self._store(*store) for store in rows] for rows in answer["rows"]],
        }

    def _result(self, result: Any) -> Any:
        """Return what a call returned; the receipts of reports that were sent show them."""
        if isinstance(result, list):
            return list(map(self._result, result))
        if isinstance(result, dict) and result.get("report"):
            report, task = result["report"], self._tasks[result["task"]]
            shown: dict[str, Any] = {"body": public_part(task, report["body"])}
            if "sealed" in report:
                shown["sealed"] = sealed_part(task, report["sealed"])
            return result | {"report": report | shown}
        return result

    def _seen(self, kind: str, *seen: Any) -> Any:
        if kind == "request" and seen[1].endswith("/reports"):
            time, path, options = seen
            shown = without_private_part(self._tasks[path.split("/")[2]], options["body"])
            return kind, time, path, options | {"body": shown}
        if kind == "request" and seen[1].endswith("/sealed"):
            time, path, options = seen
            return kind, time, path, options | {"body": sealed_part(self._tasks[path.split("/")[2]], options["body"])}
        return kind, *seen

    def _store(self, name: str, rows: list[Any]) -> Any:
        return name, [[key, self._result(row)] for key, row in rows]


def refuser(client: Path = CLIENT) -> Refuser:
    """Return what asks the client in a folder to report wrong pairs."""

    def refuse(subject: Task | Series, held: Held) -> tuple[list[Any], bool]:
        known = "series" if isinstance(subject, Series) else "task"
        # Caps are remembered, too.
        first = [_call(0, known, subject), _call(0, "cap", subject)]
        [answer] = node(client, SCRIPT).ask(
            _request(subject, held, RIGHT, 0) | {"calls": [*first, *_reports(subject, held)]}
        )
        before, *after = answer["rows"][1:]
        # A mixer is asked for its text, too.
        asked = 1 + (task_of(subject).mixer is not None)
        return answer["results"][2:], len(answer["seen"]) > asked or any(rows != before for rows in after)

    return refuse


def check_surroundings(client: Path, subject: Task | Series) -> None:
    """Check what a page asks of its browser: to add nothing to requests, and to keep what is stored; and what it shows."""
    # The first upload has no answer, the next ones have: the report waits, and is then sent.
    failures = RIGHT | {"reports": [0] * 3}
    held = nothing(task_of(subject))
    calls = [*_reports(subject, held), *(_call(END_SECONDS, method, subject) for method in ("flush", "ledger"))]
    [answer] = node(client, SCRIPT).ask(_request(subject, held, failures, 1) | {"calls": calls})
    for _, _, path, options in (each for each in answer["seen"] if each[0] == "request"):
        asked = {name: option for name, option in options.items() if name not in ("body", "origin", "signal")}
        expected = REQUEST_OPTIONS | (SENT_OPTIONS if "body" in options else {})
        if asked != expected:
            raise AuditFailure(f"{path} is requested with {asked}, not {expected}")
    kinds = [each[2].rpartition("/")[2] if each[0] == "request" else each[0] for each in answer["seen"]]
    if "persist" not in kinds[: kinds.index("reports")]:
        raise AuditFailure("a browser may clear what is stored: it is not asked to keep it before a report is sent")
    if answer["opened"] != [TRANSACTION]:
        raise AuditFailure(f"transactions are opened with {answer['opened']}, not {TRANSACTION}")
    results = [result for result in answer["results"] if isinstance(result, dict)]
    if not {"waiting", "sent"} <= {result["status"] for result in results}:
        raise AuditFailure(f"no report waits and is then sent: {results}")
    for result in results:
        if result["status"] != "sent" and result.get("report"):
            raise AuditFailure(f"a report is shown that is {result['status']}: a participant may keep it back")


def check_strangers(client: Path, subject: Task | Series) -> None:
    """Check that nothing is reported where what admits a report is no collector, but only a collector can."""
    held = nothing(task_of(subject))
    for stranger in STRANGERS:
        failures = RIGHT | {"admission": [stranger] * 50}
        [answer] = node(client, SCRIPT).ask(_request(subject, held, failures, 1) | {"calls": _reports(subject, held)})
        paths = [each[2] for each in answer["seen"] if each[0] == "request"]
        if not any(path.endswith("/admission") for path in paths):
            raise AuditFailure(f"nothing is asked: {answer['results']}")
        if any(path.endswith("/reports") for path in paths):
            raise AuditFailure(f"a report is made without a collector: stranger {stranger} is believed")
