"""The privacy of a task's reports once a second party has shuffled them."""

from __future__ import annotations

from pckv.contract.task import Task
from pckv.planning.shuffle import (
    ReportLaws,
    Shuffle,
    ShuffledPrivacy,
    check_shuffled_coin,
    privacy_of_shuffle,
)


def shuffled_privacy(task: Task, reports: int, delta: float, colluding: int = 0) -> ShuffledPrivacy:
    """Return the central (ε, δ) of a task's reports towards a recipient who sees them only after a shuffle.

    Two data sets are neighbours if one person's pairs differ, in any number of keys and values. The bound is
    rounded up (proofs/shuffling.md), and holds under the conditions that the result states in words.

    Args:
        task: The task whose reports are shuffled.
        reports: How many are shuffled together, one per person.
        delta: The probability that the guarantee may fail: above 0, and far below 1/`reports`.
        colluding: How many of the reports come from people who collude with a recipient of the result.

    Raises:
        ParameterError: if a number is outside its domain, or coins tell the collector whose function is whose.

    >>> task = Task(name="movies", keys=100, values=(1, 5), epsilon=4, padding=1, mechanism="grr", size_share=0)
    >>> result = shuffled_privacy(task, reports=100_000, delta=1e-7)
    >>> result.local_epsilon, result.central_epsilon
    (4.0, 0.0603282)
    """
    check_shuffled_coin(task.coin)
    distributions = ReportLaws.of(task.law, task.size_question)
    return privacy_of_shuffle(Shuffle(reports, delta, colluding), distributions)
