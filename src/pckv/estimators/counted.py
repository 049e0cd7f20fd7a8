"""Counts that estimates are made from: those of a tally, or the sum of several that were decoded before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from pckv.base.arrays import Integers
from pckv.contract.task import Task
from pckv.mechanisms.base import CountLaw


class CountedReports(Protocol):
    """What estimates need to know of counted reports, besides the support of keys."""

    @property
    def task(self) -> Task:
        """The contract of the reports."""

    @property
    def reports(self) -> int:
        """How many reports there are."""

    @property
    def pair_reports(self) -> int:
        """How many of them are about pairs."""

    @property
    def people(self) -> int:
        """How many people the reports stand for."""

    @property
    def size_answers(self) -> Integers:
        """How many reports gave each answer to the size question."""

    @property
    def count_law(self) -> CountLaw:
        """The law of a key's counts."""


@dataclass(frozen=True, eq=False)
class PooledReports:
    """The sum of several tallies of one contract, without their cells."""

    task: Task
    reports: int
    people: int
    size_answers: Integers
    count_law: CountLaw

    @property
    def pair_reports(self) -> int:
        """How many reports are about pairs: all but the answers to the size question."""
        return self.reports - int(self.size_answers.sum())
