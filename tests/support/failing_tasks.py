"""Spark tasks that fail in their first attempt."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any


def failing_at_first(marks: Path) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Return a function that fails after its first batch, in the first attempt at every second partition."""

    def fail(batches: Iterator[Any]) -> Iterator[Any]:
        from pyspark import TaskContext  # noqa: PLC0415

        context = TaskContext.get()
        assert context is not None
        for batch in batches:
            yield batch
            if context.partitionId() % 2 == 0 and context.attemptNumber() == 0:
                (marks / f"{context.stageId()}-{context.partitionId()}").touch()
                raise OSError("this machine had a bad day")

    return fail
