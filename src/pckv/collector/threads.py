"""The threads of a collector: a small pool per kind of work, so that none waits for another."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor


class CollectorThreads:
    """All pools but that of the report writer, which ends only after the last commit."""

    def __init__(self) -> None:
        # What the store says of tasks, tokens and invitations: uploads wait for it.
        self.lookups = ThreadPoolExecutor(4, "lookup")
        self.task_texts = ThreadPoolExecutor(1, "text")
        # One thread, so that however many large bodies wait, the event loop has half of the interpreter's time.
        self.large_bodies = ThreadPoolExecutor(1, "decode")
        self.analysis = ThreadPoolExecutor(2, "analysis")
        # Compacting may take seconds, while erasing must not wait.
        self.maintenance = ThreadPoolExecutor(4, "maintenance")

    def close(self) -> None:
        """End the threads as soon as they have done what was asked of them; what analysts wait for is given up."""
        for pool in vars(self).values():
            pool.shutdown(wait=False, cancel_futures=pool is self.analysis)
