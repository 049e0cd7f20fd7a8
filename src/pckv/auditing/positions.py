"""The loss of reports that draw once per key (`ue`), by following all positions at once.

Given which pair is sampled, every position depends on its own draw alone. So the boxes of all positions are
found together: every run moves each of them on to its next box. That they do not depend on each other is
checked by runs that mix boxes at random.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from random import Random

from pckv.auditing.exact import Values
from pckv.auditing.interval_tape import IntervalTape
from pckv.auditing.traced import Number
from pckv.base.errors import AuditFailure
from pckv.base.limits import ONE_LEVEL
from pckv.base.progress import Progress, no_progress
from pckv.base.randomness import Tape
from pckv.contract.task import Task
from pckv.mechanisms.ue.law import UeLaw

Run = Callable[[Values, Tape], Number]
# A box of one draw, and what the position shows for it: +1, -1 or 0.
Step = tuple[int, int, int]

# Runs that mix boxes at random, per slot; with very many keys one run mixes enough of them.
MIXED_RUNS = 2
# More boxes than this mean that a position does not follow its thresholds.
MAX_BOXES = 16
# Up to this many slots times keys all slots are followed; beyond it, those at the ends of pairs and dummies, and with
# more keys than that, the last pair, or a dummy where there is none.
MAX_POSITIONS = 20_000


def positions_loss(
    task: Task, sets: Sequence[Values], run: Run, progress: Progress = no_progress
) -> tuple[Fraction, int, int]:
    """Return a bound of the loss that large sets reach, the number of runs, and that of slots that stand for others.

    Relative to a report with nothing sampled, a sampled pair multiplies the chance of what its position
    shows. The loss is the largest of these odds over the least.

    Raises:
        AuditFailure: if a position does not follow the stated law, or depends on another one.
    """
    law = task.law
    if not isinstance(law, UeLaw):
        raise AuditFailure(f"interval tape: {law.name!r} does not draw once per key")
    runs, representatives, odds = 0, 0, {Fraction(1)}
    stated = _Stated(law)
    for number, values in enumerate(sets):
        progress(number / len(sets))
        inner = law.levels > ONE_LEVEL and any(abs(value) < 1 for value in values.values())
        slots = max(len(values), task.padding)
        visited = _visited_slots(slots, len(values), task.key_count)
        representatives += len(visited) if len(visited) < slots else 0
        for slot in visited:
            for sign_draw in (0, law.one - 1) if inner else (0,):
                positions = _Positions(task, law, values, slot, sign_draw, run)
                runs += positions.follow()
                odds |= positions.check(stated)
    return max(odds) / min(odds), runs, representatives


def _visited_slots(slots: int, pairs: int, keys: int) -> list[int]:
    if slots * keys <= MAX_POSITIONS:
        return list(range(slots))
    if keys > MAX_POSITIONS:
        return [max(pairs - 1, 0)]
    return sorted({slot for slot in (0, pairs - 1, pairs, slots - 1) if 0 <= slot < slots})


class _Stated:
    """What a position shows by the stated law, if its pair was sampled with either level, and otherwise.

    Without values it shows no minus, and what is sampled counts as a plus.
    """

    def __init__(self, law: UeLaw) -> None:
        one, fake = law.one, law.fake
        self.other = {+1: fake, -1: fake if law.levels > ONE_LEVEL else 0, 0: one - law.levels * fake}
        self.own = {sign: {sign: law.kept, -sign: law.flipped, 0: law.silent} for sign in (+1, -1)}

    def odds(self, sign: int) -> set[Fraction]:
        """Return how much likelier every state becomes by sampling the pair."""
        return {Fraction(self.own[sign][state], chance) for state, chance in self.other.items() if chance}


class _Positions:
    """The boxes of all positions, given the slot and the draw of the sign."""

    def __init__(  # noqa: PLR0917
        self, task: Task, law: UeLaw, values: Values, slot: int, sign_draw: int, run: Run
    ) -> None:
        self._task, self._law, self._values, self._run = task, law, values, run
        self._slot, self._sign_draw = slot, sign_draw
        self._keys = list(values)
        self._steps: list[list[Step]] = [[] for _ in range(task.key_count)]

    @property
    def _sampled(self) -> int | None:
        return self._keys[self._slot] if self._slot < len(self._keys) else None

    def follow(self) -> int:
        """Find the boxes of every position; return the number of runs."""
        starts = [0] * self._task.key_count
        runs = 0
        while any(start < self._task.law.one for start in starts):
            runs += 1
            if runs > MAX_BOXES:
                raise AuditFailure(f"interval tape: a position has more than {MAX_BOXES} boxes of draws")
            for position, (start, step) in enumerate(zip(starts, self._boxes(starts), strict=True)):
                if start < self._task.law.one:
                    self._steps[position].append((start, step[1], step[2]))
                    starts[position] = step[1] + 1
        generator, mixed = Random(self._slot), MIXED_RUNS if self._task.key_count <= MAX_POSITIONS else 1
        for _ in range(mixed):
            chosen = [generator.choice(steps) for steps in self._steps]
            found = self._boxes([generator.choice(step[:2]) for step in chosen])
            if any(step[1:] != other[1:] for step, other in zip(chosen, found, strict=True)):
                raise AuditFailure("interval tape: what a position shows depends on another one's draw")
        return runs + mixed

    def _boxes(self, draws: list[int]) -> list[Step]:
        one, count = self._task.law.one, self._task.key_count
        has_sign = self._sampled is not None and self._law.levels > ONE_LEVEL
        before = [0, self._slot] + ([self._sign_draw, 0] if has_sign else [])
        values = before + [number for draw in draws for number in (min(draw, one - 1), 0)]
        tape = IntervalTape(values, 0, one)
        message = self._run(self._values, tape)
        own = tape.variables[len(before) // 2 :]
        if len(own) != count:
            raise AuditFailure(f"interval tape: {len(own)} draws for {count} positions")
        slot = tape.variables[0].remainder
        if slot is None or slot.count != max(len(self._values), self._task.padding):
            raise AuditFailure("interval tape: the slot is not one of as many as there are pairs or the padding")
        if int(message) >> 8 * self._law.body_bytes:
            raise AuditFailure("interval tape: a message has more bits than its planes")
        states = self._law.states(int(message))
        return [(draw.low, draw.high, state) for draw, state in zip(own, states, strict=True)]

    def check(self, stated: _Stated) -> set[Fraction]:
        """Compare all positions with the stated law; return the odds of the sampled pair."""
        sampled = self._sampled
        sign = 0
        if sampled is not None:
            level = (Fraction(self._values[sampled]) + 1) / 2 * self._task.law.one
            sign = +1 if self._law.levels == ONE_LEVEL or self._sign_draw < level else -1
        for position, steps in enumerate(self._steps):
            shown = {+1: 0, -1: 0, 0: 0}
            for low, high, state in steps:
                shown[state] += high - low + 1
            if shown != (stated.own[sign] if position == sampled else stated.other):
                raise AuditFailure(f"interval tape: key {position} has another law than stated")
        return stated.odds(sign) if sampled is not None else set()
