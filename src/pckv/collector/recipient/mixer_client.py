"""What a collector asks a mixer: the accepted contract, how many reports wait, and the batch.

Nothing that a mixer answers is believed for its form: answers are bounded in size and time, redirects are not
followed, and what is not an answer of a mixer is one line that names the mixer.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException
from typing import NamedTuple
from urllib.error import HTTPError

from pckv.base.deadline import TimedRequest, bounded_opener, problem_text
from pckv.base.errors import DataError
from pckv.base.words import one_line
from pckv.contract.mixer import Mixer, entry_bytes
from pckv.contract.series import Series
from pckv.contract.task import Task

TIMEOUT_SECONDS = 30
# How slowly the largest answer may arrive, on average, once the time-out is over.
MIN_BYTES_PER_SECOND = 4 * 2**10
MAX_JSON_BYTES = 2**16
# The largest page of a batch: a page has at least one entry, and at most this much.
MAX_PAGE_BYTES = 2**24
# A mixer limits what it holds; one that claims more is not believed, and no disk is filled.
MAX_TIMES_BATCH = 100
# The mixer has no such task, or not any more.
UNKNOWN_STATUSES = (404, 410)
# The token is none of the mixer's, or another task's.
REFUSED_STATUSES = (401, 403)
# Larger numbers are none of a mixer's.
MAX_NUMBER = 10**12
SHA256 = re.compile(r"[0-9a-f]{64}")


class NoAnswer(DataError):
    """A mixer that does not answer, or answers with a problem.

    Attributes:
        status: The status of the answer; 0 if there was none.
    """

    def __init__(self, url: str, reason: str, status: int = 0) -> None:
        super().__init__(reason, place=f"the mixer {url}")
        self.status = status


class ReleasedBatch(NamedTuple):
    """What a mixer says about the batch that it hands over: how many entries, and the SHA-256 of all."""

    entries: int
    sha256: str
    page_entries: int


class MixerClient:
    """A mixer by its address, and the recipient's token for the batch of one task or series.

    Args:
        mixer: The mixer of a task.
        token: The token; without it, only what is public can be asked for.
    """

    def __init__(self, mixer: Mixer, token: str | None = None) -> None:
        self._mixer, self._token = mixer, token
        self._opener = bounded_opener()

    def check_accepted(self, contract: Task | Series) -> None:
        """Refuse a task or series that the mixer has not accepted, or has other words for."""
        kind, noun = ("series", "series") if isinstance(contract, Series) else ("tasks", "task")
        text = contract.to_json().encode()
        try:
            answer = self._ask("GET", f"/{kind}/{contract.id}", len(text))
        except NoAnswer as error:
            if error.status in UNKNOWN_STATUSES:
                raise self._refusal(f"it has not accepted this {noun}: its operator does so first") from None
            raise
        if answer != text:
            raise self._refusal(f"it has another {noun} under this id")

    def check_token(self, task: Task) -> None:
        """Refuse a token that the mixer does not take for the batch of an accepted task."""
        try:
            self._ask("GET", f"/tasks/{task.id}/batch", MAX_JSON_BYTES)
        except NoAnswer as error:
            if error.status in REFUSED_STATUSES:
                raise self._refusal("it does not take the recipient's token of this task") from None
            raise

    def waiting(self, task: Task) -> int | None:
        """Return how many reports of a task the mixer holds, as it says once per day; None if it does not say."""
        with self._understood():
            # The list is in the order of ids, and begins after one of them.
            answer = self._ask("GET", f"/tasks?limit=1&after={task.id[:-1]}", MAX_JSON_BYTES)
            held = [one["waiting"] for one in json.loads(answer)["tasks"] if one["id"] == task.id]
            return _whole(held[0], MAX_NUMBER) if held and held[0] is not None else None

    def batch(self, task: Task) -> ReleasedBatch | str:
        """Return the batch of a task if the mixer hands it over; its state otherwise."""
        with self._understood():
            told = json.loads(self._ask("GET", f"/tasks/{task.id}/batch", MAX_JSON_BYTES))
            state, named = told["state"], told["task"]
        if named != task.id:
            raise self._refusal("it answers with the batch of another task")
        if state != "released":
            return one_line(str(state))
        with self._understood():
            count, sha256, page = told["count"], str(told["sha256"]), told["page_entries"]
            count, page, size = (_whole(number, MAX_NUMBER) for number in (count, page, told["entry_bytes"]))
            if page < 1 or not SHA256.fullmatch(sha256):
                raise ValueError
        self._check(task, count, page, size)
        return ReleasedBatch(count, sha256, page)

    def _check(self, task: Task, count: int, page: int, size: int) -> None:
        expected, batch = entry_bytes(task), self._mixer.batch
        if size != expected:
            raise self._refusal(f"its entries have {size:,} bytes, and those of this task {expected:,}")
        if count < batch:
            raise self._refusal(f"it hands over {count:,} reports, fewer than the {batch:,} of the task: none is read")
        if count > MAX_TIMES_BATCH * batch:
            raise self._refusal(f"it announces {count:,} reports, more than {MAX_TIMES_BATCH} times its batch")
        if page > 1 and page * size > MAX_PAGE_BYTES:
            raise self._refusal(f"its pages have more than {MAX_PAGE_BYTES:,} bytes")

    def page(self, task: Task, batch: ReleasedBatch, number: int) -> bytes:
        """Return a page of a batch, which must have exactly the entries that it should."""
        held = min(batch.page_entries, batch.entries - number * batch.page_entries)
        size = held * entry_bytes(task)
        content = self._ask("GET", f"/tasks/{task.id}/batch/{number}", size)
        if len(content) != size:
            raise self._refusal(f"page {number} of its batch has {len(content):,} bytes, not {size:,}")
        return content

    def acknowledge(self, task: Task, sha256: str) -> None:
        """Tell the mixer that the batch is in, so that it deletes its copy; a mixer without the task has none."""
        try:
            body = json.dumps({"sha256": sha256}).encode()
            self._ask("POST", f"/tasks/{task.id}/batch/acknowledge", MAX_JSON_BYTES, body)
        except NoAnswer as error:
            if error.status not in UNKNOWN_STATUSES:
                raise

    def _ask(self, method: str, path: str, max_bytes: int, body: bytes | None = None) -> bytes:
        """Return what the mixer answers: at most so many bytes, or one line that says what is wrong."""
        url = self._mixer.url
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        request = TimedRequest(url + path, body, headers, method=method)
        # All of it: what comes before, between and after the parts of an answer may be endless, and fast.
        request.deadline = time.monotonic() + TIMEOUT_SECONDS + max_bytes / MIN_BYTES_PER_SECOND
        try:
            with self._opener.open(request, timeout=TIMEOUT_SECONDS) as answer:
                content: bytes = answer.read(max_bytes + 1)
        except HTTPError as error:
            with error:
                raise NoAnswer(url, one_line(problem_text(error)), error.code) from None
        except (OSError, HTTPException, ValueError) as error:
            raise NoAnswer(url, f"no answer ({one_line(str(getattr(error, 'reason', error)))})") from None
        if len(content) > max_bytes:
            raise self._refusal(f"an answer of more than {max_bytes:,} bytes")
        return content

    @contextmanager
    def _understood(self) -> Iterator[None]:
        """Refuse in one line what no mixer answers."""
        try:
            yield
        except DataError:
            raise
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
            raise self._refusal("this is not the answer of a mixer") from None

    def _refusal(self, reason: str) -> DataError:
        return DataError(reason, place=f"the mixer {self._mixer.url}")


def _whole(number: object, limit: int) -> int:
    """Return a whole number from 0 to a limit; anything else is a `ValueError`."""
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= limit:
        raise ValueError
    return number
