"""Tasks over laws that no task names: fewer hash functions or bits, so that everything can be enumerated."""

from __future__ import annotations

from dataclasses import fields, replace

from pckv.contract.reporting import Reporting
from pckv.contract.task import Task
from pckv.mechanisms.base import Law
from pckv.mechanisms.size_question.law import SizeQuestion


def without_question(task: Task) -> Task:
    """Return a copy of a task of which all reports are about pairs; its id stays the task's."""
    return _with_reporting(task, replace(task.reporting, size_question=None))


def with_law(task: Task, law: Law, question: SizeQuestion | None = None) -> Task:
    """Return a copy of a task that perturbs and counts with another law; its id stays the task's.

    Args:
        task: The task to copy.
        law: How the copy reports pairs.
        question: The size question of the copy; by default the task's, if it has one, with thresholds of as many bits
            as the law's.
    """
    if question is None and task.size_question is not None:
        question = replace(task.size_question, bits=law.bits)
    return _with_reporting(task, replace(task.reporting, law=law, size_question=question))


def _with_reporting(task: Task, reporting: Reporting) -> Task:
    # Only the parts are copied: what was computed from the other law is computed again.
    parts = {field.name: getattr(task, field.name) for field in fields(task)}
    toy = object.__new__(Task)
    vars(toy).update(parts, reporting=reporting, digest=task.digest)
    return toy
