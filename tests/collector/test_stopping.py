"""A signal to stop: neither strangers who stall nor computations hold a collector up."""

from __future__ import annotations

import json
import socket
from contextlib import ExitStack
from pathlib import Path

from support.collectors import bearer, new_task, report, wait_until
from support.serving import COMMAND, WITH_TOKEN, serving
from support.uploads import items

# Far more than a test waits for a process to end.
LONG = "1000"
# Everything that analysts ask for takes this long, in a thread.
SLOW_ANALYSIS = f"""
import threading, pathlib
from pckv.collector.computations import AnalysisThreads
submit = AnalysisThreads._submit
def submit_slowly(self, work):
    def wait():
        pathlib.Path("computing").touch()
        threading.Event().wait({LONG})
    return submit(self, wait)
AnalysisThreads._submit = submit_slowly
{COMMAND}
"""


def test_neither_stalled_bodies_nor_computations_delay_the_end(tmp_path: Path) -> None:
    task, token = new_task(), bearer(WITH_TOKEN["admin_token"])
    waits = {"body_seconds": LONG, "analysis_seconds": LONG}
    with ExitStack() as strangers, serving(tmp_path, program=SLOW_ANALYSIS, **WITH_TOKEN, **waits) as collector:
        collector.ask("POST", "/tasks", task.to_json().encode(), token)
        stored = collector.ask("POST", f"/tasks/{task.id}/reports", items(report(1, task=task)))
        assert json.loads(stored) == {"refused": []}
        for head in (
            f"POST /tasks/{task.id}/reports HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 99",
            f"GET /tasks/{task.id}/estimates HTTP/1.1\r\nAuthorization: {token['Authorization']}",
            "GET /healthz HTTP/1.1",
        ):
            for _ in range(3):
                connection = strangers.enter_context(socket.create_connection(("127.0.0.1", collector.port)))
                connection.sendall(f"{head}\r\nHost: x\r\n\r\n".encode())
        wait_until((tmp_path / "computing").exists)
