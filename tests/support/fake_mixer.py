"""A mixer for tests of its recipient: the routes that a collector uses, over HTTP, and lies on request."""

from __future__ import annotations

import hashlib
import itertools
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from pckv import Task
from pckv.base.wire import Report
from pckv.contract.series import Series
from pckv.sealing.envelope import sealed_length
from pckv.sealing.opening import EntryOpener
from pckv.sealing.public_key import write_public_key
from pckv.sealing.recipient_key import RecipientKey
from pckv.sealing.seal import seal
from support.stores import report

TOKEN = "the-recipients-token"  # noqa: S105
PAGE_ENTRIES = 3
BATCH = 8
OPENS, CLOSES, AFTER = "2030-01-10", "2030-01-20", "2030-01-21"

# Changes an answer: path, status and content in, status and content out.
Lie = Callable[[str, int, bytes], tuple[int, bytes]]

_numbers = itertools.count()


def no_lie(_: str, status: int, content: bytes) -> tuple[int, bytes]:
    return status, content


@dataclass
class FakeMixer:
    """What a mixer knows, and what was asked of it."""

    url: str = ""
    contracts: dict[str, bytes] = field(default_factory=dict)
    states: dict[str, str] = field(default_factory=dict)
    entries: dict[str, list[bytes]] = field(default_factory=dict)
    waiting: int | None = 5
    acknowledged: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    lie: Lie = no_lie
    page_entries: int = PAGE_ENTRIES

    def accept(self, contract: Task | Series) -> None:
        self.contracts[contract.id] = contract.to_json().encode()

    def release(self, task: Task, entries: Sequence[bytes]) -> None:
        self.states[task.id], self.entries[task.id] = "released", list(entries)

    def answer(self, method: str, path: str, token: str, body: bytes) -> tuple[int, bytes]:
        self.asked.append(f"{method} {path}")
        status, content = self._honest(method, path.partition("?")[0], token, body)
        return self.lie(path, status, content)

    def _honest(self, method: str, path: str, token: str, body: bytes) -> tuple[int, bytes]:
        match path.strip("/").split("/"):
            case ["tasks"]:
                return 200, as_json({"tasks": [{"id": name, "waiting": self.waiting} for name in self.contracts]})
            case ["tasks" | "series", name]:
                return (200, self.contracts[name]) if name in self.contracts else (404, b"")
            case ["tasks", name, "batch", *rest]:
                if token != f"Bearer {TOKEN}":
                    return 401, as_json({"title": "A valid token is needed."})
                return self._batch(method, name, rest, body)
        return 404, b""

    def _batch(self, method: str, name: str, rest: list[str], body: bytes) -> tuple[int, bytes]:
        if name not in self.contracts:
            return 404, b""
        entries, state = self.entries.get(name, []), self.states.get(name, "collecting")
        sha256 = hashlib.sha256(b"".join(entries)).hexdigest()
        if method == "POST" and rest == ["acknowledge"]:
            if json.loads(body) != {"sha256": sha256}:
                return 400, as_json({"title": "another batch"})
            self.states[name] = "done"
            self.acknowledged.append(name)
            return 200, b"{}"
        if rest:
            start = int(rest[0]) * self.page_entries
            page = entries[start : start + self.page_entries]
            return (200, b"".join(page)) if state == "released" and page else (404, b"")
        released = state == "released"
        size = len(entries[0]) if entries else 56
        told = {"task": name, "state": state, "closes": CLOSES, "page_entries": self.page_entries, "entry_bytes": size}
        return 200, as_json(
            told | {"count": len(entries) if released else None, "sha256": sha256 if released else None}
        )


def as_json(content: Any) -> bytes:
    return json.dumps(content).encode()


@contextmanager
def running_mixer() -> Iterator[FakeMixer]:
    """Run a mixer while the context lasts."""
    mixer = FakeMixer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0"

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, content = mixer.answer(self.command, self.path, self.headers.get("Authorization", ""), body)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = _answer  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    mixer.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield mixer
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def mixer_members(mixer: FakeMixer, key: RecipientKey, **members: Any) -> dict[str, Any]:
    """Return the member `mixer` of a task; its claim is true, since it is that of a report alone."""
    claim = {"batch": BATCH, "honest": 6, "epsilon": "1", "delta": "0.000001"}
    own = {"url": mixer.url, "operator": "A second party", "key": write_public_key(key.public_key)}
    return claim | own | members


def mixed_task(mixer: FakeMixer, key: RecipientKey, *, days: bool = True, **members: Any) -> Task:
    """Return a mixed task that no other test has."""
    named: dict[str, Any] = {"name": f"mixed {next(_numbers)}", "keys": 11, "values": (0, 1), "epsilon": 1}
    dates: dict[str, Any] = {"opens": OPENS, "closes": CLOSES} if days else {}
    claim = {name: members.pop(name) for name in ("batch", "honest", "epsilon", "delta") if name in members}
    return Task(**(named | dates | members), mechanism="grr", mixer=mixer_members(mixer, key, **claim))


def put_key(folder: Path, key: RecipientKey, token: str = TOKEN) -> None:
    """Put a private key and its token where a collector looks for them."""
    name = write_public_key(key.public_key)
    key.write(folder / f"{name}.key")
    (folder / f"{name}.token").touch(0o600)
    (folder / f"{name}.token").write_text(f"{token}\n")


def sealed_reports(task: Task, key: RecipientKey, count: int = BATCH) -> list[bytes]:
    """Return sealed reports of a task."""
    bodies = [report(number, task=task).body for number in range(count)]
    return [seal(body, key.public_key, task.digest) for body in bodies]


def garbage(task: Task, number: int) -> bytes:
    """Return an entry that does not open."""
    size = sealed_length(task.message_format.body_bytes)
    return (hashlib.sha256(b"garbage %d" % number).digest() * (size // 32 + 1))[:size]


def opened_reports(task: Task, key: RecipientKey, entries: Sequence[bytes]) -> list[Report]:
    """Return what entries hold, opened one by one."""
    opener = EntryOpener(key, task.digest, task.message_format.body_bytes)
    return sorted(opened for opened in map(opener.open, entries) if opened is not None)
