"""Run one function on many arguments in several processes, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, TypeVar

Returned = TypeVar("Returned")


def map_in_processes(
    function: Callable[..., Returned], arguments: Sequence[tuple[Any, ...]], workers: int
) -> Iterator[Returned]:
    """Yield what the function returns for each tuple of arguments, in their order.

    Workers are forked: they share what the function refers to, such as a population, instead of copying it,
    so that the function may be a closure or a bound method. Arguments and results are pickled. With one
    worker or one tuple everything runs in this process.
    """
    workers = min(workers, len(arguments))
    if workers <= 1:
        yield from (function(*each) for each in arguments)
        return
    # The arguments of the initializer are inherited by a fork, not pickled.
    with ProcessPoolExecutor(workers, get_context("fork"), _set_function, (function,)) as pool:
        yield from pool.map(_call_function, arguments)


_function: list[Callable[..., Any]] = []


def _set_function(function: Callable[..., Any]) -> None:
    _function[:] = [function]


def _call_function(arguments: tuple[Any, ...]) -> Any:
    return _function[0](*arguments)
