"""One budget of bytes for all that requests make a collector hold: bodies, queued reports and answers."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from pckv.collector.http.problem_details import ProblemDetails, ProblemKind

# A lease of few bytes may use the whole budget, a larger one only a part of it: a request with a few reports is not
# refused because others have filled the rest with large bodies.
MAX_TINY_BYTES = 4 * 2**10
MAX_SMALL_BYTES = 64 * 2**10


class ByteBudget:
    """How many bytes may be held at the same time, and how many are."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.used = 0

    def lease(self) -> ByteLease:
        """Return an empty lease."""
        return ByteLease(self)

    def limit(self, size: int) -> int:
        """Return how much of the budget may be in use once a lease has this size."""
        if size <= MAX_TINY_BYTES:
            return self.total
        return self.total // 8 * (7 if size <= MAX_SMALL_BYTES else 6)


class ByteLease:
    """The bytes that one request holds; they are returned when the context ends."""

    def __init__(self, budget: ByteBudget) -> None:
        self._budget = budget
        self.size = 0

    def grow(self, size: int) -> None:
        """Hold more bytes, or raise the problem that the collector is overloaded."""
        budget = self._budget
        if budget.used + size > budget.limit(self.size + size):
            raise ProblemDetails(ProblemKind.OVERLOADED, "too many bytes are held for requests")
        budget.used += size
        self.size += size

    def release(self) -> None:
        """Return all bytes to the budget."""
        self._budget.used -= self.size
        self.size = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
