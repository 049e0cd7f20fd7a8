"""What the reports of a task are: their law, their ε and their format, whichever question they answer."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

from pckv import channels
from pckv.budget import epsilon_of
from pckv.channels.size_question import SizeQuestion
from pckv.limits import SAMPLE
from pckv.task_domain import TaskDomain
from pckv.wire import MessageFormat, Words


class TaskReports(TaskDomain):
    """The part of a task that knows its channel and its size question."""

    padding: int
    more: str
    # How pairs are reported, and the question how many there are, where a share of the reports answers that.
    channel: channels.Channel
    size_question: SizeQuestion | None
    # As decimal texts, exactly as the task's JSON has them.
    _epsilon: str
    _size_share: str

    @property
    def epsilon(self) -> float:
        """The ε that was asked for."""
        return float(self._epsilon)

    @cached_property
    def realised_epsilon(self) -> float:
        """The ε that the shipped integers give, rounded up; never above the one asked for."""
        return epsilon_of(self.realised)

    @property
    def realised(self) -> Fraction:
        """e^ε of the shipped integers: which question a report answers is public, so the larger one counts."""
        of_pairs = self.channel.realised
        return of_pairs if self.size_question is None else max(of_pairs, self.size_question.realised)

    @property
    def claim(self) -> Fraction:
        """e^ε as it is proved: of the pairs or of the size question, whichever loses more."""
        of_pairs = self.channel.claim
        return of_pairs if self.size_question is None else max(of_pairs, self.size_question.claim)

    @property
    def mechanism(self) -> str:
        """The name of the mechanism."""
        return self.channel.name

    @property
    def parameters(self) -> dict[str, str | int]:
        """What the mechanism fixes besides its name."""
        return self.channel.parameters

    @property
    def size_share(self) -> float:
        """The probability that a report answers how many pairs somebody holds."""
        return float(self._size_share)

    @property
    def can_truncate(self) -> bool:
        """Whether somebody may hold more pairs than their report stands for."""
        return self.more == SAMPLE and self.padding < self.key_count

    @property
    def word_limit(self) -> int | None:
        """Words are below this; None where a report is two bit planes.

        Those that answer the size question are numbered after those of the channel.
        """
        pairs = self.channel.word_limit
        return pairs if pairs is None or self.size_question is None else pairs + len(self.size_question.ends)

    @cached_property
    def message_format(self) -> MessageFormat:
        """How a report's message is encoded."""
        limit = self.word_limit
        return self.channel.message_format if limit is None else Words(limit)

    @property
    def draws(self) -> int:
        """The 64-bit draws that making a report takes, unless one is rejected."""
        pairs = self.channel.draws
        of_others = self.other is not None
        return of_others + (pairs if self.size_question is None else max(1 + pairs, self.size_question.draws))

    def law(self, held: channels.HeldLevels) -> channels.Law:
        """Return the exact law of the message of somebody who holds the keys `held` with these levels."""
        pairs, first = self.channel.law(held), self.channel.word_limit
        if self.size_question is None or first is None:
            return pairs
        return self.size_question.mix(pairs, len(held), first)
