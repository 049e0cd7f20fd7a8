"""A worker that says who it is; it is started often, so that little is imported here."""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path

from pckv.collector.http.settings import Settings
from pckv.collector.workers import Worker, accepting_sockets


def answer_with_pid(listening: socket.socket, settings: Settings, _worker: Worker) -> None:
    """Answer every line on every connection with the number of this process; say in a file that it can."""

    def note_ready() -> None:
        with Path(settings.store).open("a", encoding="ascii") as ready:
            ready.write("ready\n")

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.readline():
            writer.write(b"%d\n" % os.getpid())

    async def serve() -> None:
        sockets = accepting_sockets(listening)
        # A collector opens its store before it accepts anything.
        await asyncio.sleep(0.1)
        servers = [await asyncio.start_server(answer, sock=each) for each in sockets]
        note_ready()
        await asyncio.gather(*(server.serve_forever() for server in servers))

    asyncio.run(serve())
