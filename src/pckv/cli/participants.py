"""A process of the demo: some participants, who each perturb their pairs; one report per participant is sent.

Run as `python -m pckv.cli.participants URL TASK_ID FOLDER SINGLES < pairs.jsonl`, with one participant's
pairs per line. The first SINGLES participants use the client, each with their own device, and send their
report alone. The pairs of all others are perturbed one by one by the same code, and their reports are sent in
batches, as by an app that passes on the reports of its users. Prints a line for each participant who is done.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import TextIO
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from pckv.base.canonical import base64url
from pckv.base.errors import DataError, PckvError
from pckv.base.wire import Report
from pckv.client import Client, Status
from pckv.device.perturb import perturb

REPORTS_PER_BATCH = 500
TIMEOUT_SECONDS = 60


def _take_part(url: str, task_id: str, folder: Path, singles: int, lines: Iterable[str], done: TextIO) -> None:
    pairs = map(json.loads, lines)
    for number, each in enumerate(islice(pairs, singles)):
        receipt = Client(url, folder / str(number)).submit(task_id, each)
        if receipt.status is not Status.SENT:
            raise DataError(f"{url}: a report waits: {receipt.reason}")
        _say_done(1, done)
    task = Client(url, folder / "batches").task(task_id)
    while reports := [perturb(task, each) for each in islice(pairs, REPORTS_PER_BATCH)]:
        _send_batch(url, task_id, reports)
        _say_done(len(reports), done)


def _send_batch(url: str, task_id: str, reports: Iterable[Report]) -> None:
    """Send many reports in one request; all of them must be taken."""
    items = [{"id": base64url(report.id), "body": base64url(report.body)} for report in reports]
    body = json.dumps({"reports": items}).encode()
    request = Request(f"{url}/tasks/{task_id}/reports", body, {"Content-Type": "application/json"})  # noqa: S310
    try:
        with urlopen(request, timeout=TIMEOUT_SECONDS) as answer:  # noqa: S310
            refused = json.load(answer)["refused"]
    except HTTPError as error:
        with error:
            raise DataError(f"{url}: a batch was answered with {error.code} {error.reason}") from None
    if refused:
        raise DataError(f"{url}: {len(refused)} reports of a batch were refused: {refused[0]['reason']}")


def _say_done(participants: int, done: TextIO) -> None:
    done.write("\n" * participants)
    done.flush()


if __name__ == "__main__":
    try:
        _take_part(sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]), sys.stdin, sys.stdout)
    except (PckvError, OSError) as error:
        sys.exit(str(error))
