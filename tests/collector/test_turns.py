"""However many requests and connections come at once, an upload gets between them."""

from __future__ import annotations

import asyncio
import time
from contextlib import ExitStack
from itertools import pairwise

from pckv.collector.http.gateway import MAX_STARTS_PER_ROUND, Turns
from support.collectors import Running, wait_until
from support.connections import connect

CONNECTIONS = 100


def test_requests_begin_in_their_order_and_a_few_per_round() -> None:
    async def begin() -> list[list[int]]:
        turns, begun, rounds = Turns(), list[int](), list[list[int]]()

        async def request(number: int) -> None:
            await turns.wait()
            begun.append(number)

        requests = [asyncio.create_task(request(number)) for number in range(7)]
        await asyncio.sleep(0)
        # A client disconnects, and no other loses a turn.
        requests[3].cancel()
        while len(begun) < 6:
            await asyncio.sleep(0)
            rounds.append(begun.copy())
        return rounds

    rounds = asyncio.run(begin())
    assert rounds[-1] == [0, 1, 2, 4, 5, 6]
    counts = [0, *map(len, rounds)]
    assert max(after - before for before, after in pairwise(counts)) <= MAX_STARTS_PER_ROUND


def test_several_connections_are_accepted_per_round_of_a_busy_loop(small: Running) -> None:
    """One was: behind 1,500 others a new connection waited for 8 s."""
    loop = small.app.state.collector.ingest.writer._runner.get_loop()
    protocols = small.server.server_state.connections
    rounds = 0
    done = False

    def work() -> None:
        nonlocal rounds, done
        time.sleep(0.002)
        rounds += 1
        done = len(protocols) >= CONNECTIONS
        if not done:
            loop.call_soon(work)

    with ExitStack() as stack:
        loop.call_soon_threadsafe(time.sleep, 0.3)
        loop.call_soon_threadsafe(work)
        for _ in range(CONNECTIONS):
            stack.enter_context(connect(small))
        wait_until(lambda: done)
    assert rounds < CONNECTIONS * 2 // 3
