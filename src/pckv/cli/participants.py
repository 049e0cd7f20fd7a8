"""A process of the demo: some participants, who each perturb their pairs and send one report.

Run as `python -m pckv.cli.participants URL TASK_ID FOLDER < pairs.jsonl`, with one participant's pairs
per line. Prints a line for each participant who is done.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TextIO

from pckv.client import Client, Status
from pckv.errors import PckvError


def _take_part(url: str, task_id: str, folder: Path, pairs: TextIO, done: TextIO) -> None:
    """Send the reports of all participants, each with a device of their own."""
    for number, line in enumerate(pairs):
        receipt = Client(url, folder / str(number)).submit(task_id, json.loads(line))
        if receipt.status is not Status.SENT:
            sys.exit(f"{url}: a report waits: {receipt.reason}")
        done.write("\n")
        done.flush()


if __name__ == "__main__":
    try:
        _take_part(sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.stdin, sys.stdout)
    except PckvError as error:
        sys.exit(str(error))
