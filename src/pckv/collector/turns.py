"""Turns: requests other than uploads begin a few at a time, so that uploads do not wait until all of them have begun."""

from __future__ import annotations

import asyncio
from collections import deque

# What begins between two looks at what arrived meanwhile; each takes up to a millisecond.
MAX_STARTS_PER_ROUND = 2


class Turns:
    """A queue of requests, of which some begin in each round of the event loop."""

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._scheduled = False

    async def wait(self) -> None:
        """Wait for a turn."""
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        self._waiting.append(turn)
        if not self._scheduled:
            self._scheduled = True
            loop.call_soon(self._start_some)
        await turn

    def _start_some(self) -> None:
        for _ in range(min(MAX_STARTS_PER_ROUND, len(self._waiting))):
            turn = self._waiting.popleft()
            # Whoever stopped waiting has cancelled it.
            if not turn.done():
                turn.set_result(None)
        self._scheduled = bool(self._waiting)
        if self._scheduled:
            asyncio.get_running_loop().call_soon(self._start_some)
