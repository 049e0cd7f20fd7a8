"""A server that answers without an end, so slowly, or so fast, that no single wait times out."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

# What is sent first, and again and again.
ENDLESS_ANSWERS = {
    "informational answers": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "a dripping head": (b"HTTP/1.1 200 OK\r\n", b"x"),
    "headers": (b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"),
    "a dripping body": (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n", b" "),
    "trailers": (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", b"X: y\r\n"),
    "dripping chunks": (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
}  # fmt: skip
PAUSE_SECONDS = 0.05


class EndlessCollector:
    """Answers all connections in this way, until it is closed."""

    def __init__(self, answer: str, pause: float) -> None:
        self._first, again = ENDLESS_ANSWERS[answer]
        # Without pauses, large parts are sent, as fast as they are read.
        self._pause, self._again = pause, again if pause else again * 1000
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._closed = threading.Event()
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self.bytes_sent = 0
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                line, _ = self._listening.accept()
                self._threads.append(threading.Thread(target=self._drip, args=[line]))
                self._threads[-1].start()

    def _drip(self, line: socket.socket) -> None:
        with line, suppress(OSError):
            line.sendall(self._first)
            while not self._closed.wait(self._pause):
                line.sendall(self._again)
                self.bytes_sent += len(self._again)

    def close(self) -> None:
        self._closed.set()
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for thread in self._threads:
            thread.join()


@contextmanager
def endless_collector(answer: str, pause: float = PAUSE_SECONDS) -> Iterator[EndlessCollector]:
    collector = EndlessCollector(answer, pause)
    try:
        yield collector
    finally:
        collector.close()
