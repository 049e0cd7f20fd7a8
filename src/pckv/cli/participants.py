"""A process of the demo: some participants, who each perturb their pairs; one report per participant is sent.

Run as `python -m pckv.cli.participants URL TASK_ID FOLDER SINGLES < pairs.jsonl`, with one participant's
pairs per line. The first SINGLES participants use the client, each with their own device, and send their
report alone. The pairs of all others are perturbed one by one by the same code, and their reports are sent in
batches, as by an app that passes on the reports of its users. A mixer takes no batches: reports of a mixed task are
sealed one by one, and each is sent alone. Prints a line for each participant who is done.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from contextlib import ExitStack
from http.client import OK, HTTPConnection, HTTPException
from itertools import islice
from pathlib import Path
from typing import TextIO
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from pckv.base.canonical import base64url
from pckv.base.errors import DataError, PckvError
from pckv.base.wire import Report
from pckv.client import Client, Status
from pckv.contract.task import Task
from pckv.device.perturb import perturb
from pckv.sealing.seal import seal

REPORTS_PER_BATCH = 500
TIMEOUT_SECONDS = 60
# Sealed reports that are under way together, each on a connection of its own.
AT_ONCE = 16
SEALED = {"Content-Type": "application/octet-stream"}


def _take_part(url: str, task_id: str, folder: Path, singles: int, lines: Iterable[str], done: TextIO) -> None:
    pairs = map(json.loads, lines)
    for number, each in enumerate(islice(pairs, singles)):
        receipt = Client(url, folder / str(number)).submit(task_id, each)
        if receipt.status is not Status.SENT:
            raise DataError(f"{url}: a report waits: {receipt.reason}")
        _say_done(1, done)
    task = Client(url, folder / "batches").task(task_id)
    send = _send_batch if task.mixer is None else _send_sealed
    while reports := [perturb(task, each) for each in islice(pairs, REPORTS_PER_BATCH)]:
        send(url, task, reports)
        _say_done(len(reports), done)


def _send_batch(url: str, task: Task, reports: Iterable[Report]) -> None:
    """Send many reports in one request; all of them must be taken."""
    items = [{"id": base64url(report.id), "body": base64url(report.body)} for report in reports]
    body = json.dumps({"reports": items}).encode()
    request = Request(f"{url}/tasks/{task.id}/reports", body, {"Content-Type": "application/json"})  # noqa: S310
    try:
        with urlopen(request, timeout=TIMEOUT_SECONDS) as answer:  # noqa: S310
            refused = json.load(answer)["refused"]
    except HTTPError as error:
        with error:
            raise DataError(f"{url}: a batch was answered with {error.code} {error.reason}") from None
    if refused:
        raise DataError(f"{url}: {len(refused)} reports of a batch were refused: {refused[0]['reason']}")


def _send_sealed(_url: str, task: Task, reports: Iterable[Report]) -> None:
    """Seal reports, and send each in a request of its own to the task's mixer, which must take it."""
    mixer = task.mixer
    assert mixer is not None  # noqa: S101
    entries = (seal(report.body, mixer.public_key, task.digest) for report in reports)
    connections = [HTTPConnection(mixer.url.removeprefix("http://"), timeout=TIMEOUT_SECONDS) for _ in range(AT_ONCE)]
    with ExitStack() as opened:
        for connection in connections:
            opened.callback(connection.close)
        while together := list(zip(connections, entries, strict=False)):
            for connection, entry in together:
                connection.request("POST", f"/tasks/{task.id}/sealed", entry, SEALED)
            for connection, _ in together:
                answer = connection.getresponse()
                answer.read()
                if answer.status != OK:
                    raise DataError(f"{mixer.url}: a sealed report was answered with {answer.status} {answer.reason}")


def _say_done(participants: int, done: TextIO) -> None:
    done.write("\n" * participants)
    done.flush()


if __name__ == "__main__":
    try:
        _take_part(sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]), sys.stdin, sys.stdout)
    except (PckvError, OSError, HTTPException) as error:
        sys.exit(str(error))
