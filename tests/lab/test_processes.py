"""The process pool: order, sharing without copying, and errors."""

from __future__ import annotations

import os

import pytest

from pckv.lab.processes import map_in_processes


class Unpicklable:
    """An object that only a fork can share."""

    def __init__(self, offset: int) -> None:
        self.offset = offset

    def __reduce__(self) -> str:
        raise AssertionError("was pickled")

    def shifted(self, number: int, factor: int) -> int:
        return self.offset + number * factor


@pytest.mark.parametrize("workers", [1, 2, 8])
def test_results_come_in_order_on_any_number_of_workers(workers: int) -> None:
    """A bound method of an object that cannot be pickled: workers inherit it."""
    arguments = [(number, 3) for number in range(20)]
    results = list(map_in_processes(Unpicklable(7).shifted, arguments, workers))
    assert results == [7 + 3 * number for number in range(20)]


def test_work_is_done_in_other_processes() -> None:
    assert os.getpid() not in set(map_in_processes(os.getpid, [()] * 4, 2))
    assert list(map_in_processes(os.getpid, [()], 2)) == [os.getpid()]


def test_nothing_to_do() -> None:
    assert list(map_in_processes(os.getpid, [], 2)) == []


def test_an_error_of_a_worker_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        list(map_in_processes(divmod, [(1, 1), (1, 0)], 2))
