"""Sets that are larger than a report takes (`collision`): the choice among their pairs, which is too large to visit.

Given choices are followed instead: the last pairs, and some between. Given the choice, a report must follow
the law of the chosen pairs, and every choice must be one of as many as are left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from pckv.auditing.exact import Values, held_levels, spread_values
from pckv.auditing.interval_tape import Leaf, explore
from pckv.auditing.piecewise import PiecewiseLaw, turning_points
from pckv.auditing.traced import Number
from pckv.base.errors import AuditFailure
from pckv.base.randomness import Tape
from pckv.mechanisms.base import HeldLevels
from pckv.mechanisms.collision.law import CollisionLaw

# Makes a message of pairs from a tape.
Run = Callable[[Values, Tape], Number]

# Beyond this padding a path takes too long to follow.
MAX_PADDING = 1_000
# The hash function that all reports are made with.
FUNCTION = 1


def check_choices(law: CollisionLaw, run: Run, sizes: Iterable[int]) -> int:
    """Check how reports of larger sets are made; return the number of paths that were followed.

    Args:
        law: How pairs are reported.
        run: Makes a message of pairs from a tape.
        sizes: The numbers of pairs of these sets, beyond the padding.

    Raises:
        AuditFailure: if a choice is not made place by place among the rest, or other pairs are reported than chosen.
    """
    most, paths = law.padding, 0
    if most > MAX_PADDING:
        return paths
    for size in sizes:
        if size > law.keys:
            continue
        limits = [size - place for place in range(most)]
        for choices in ([limit - 1 for limit in limits], [7 * limit // 13 for limit in limits]):
            paths += _check_choice(law, run, spread_values(law.keys, size, law.levels), choices, limits)
    return paths


def _check_choice(
    law: CollisionLaw, run: Run, values: Values, choices: Sequence[int], limits: list[int]
) -> int:
    found: list[list[int]] = []

    def followed(tape: Tape) -> Number:
        message = run(values, tape)
        found.append(getattr(tape, "choice_limits", []))
        return message

    leaves = explore(followed, FUNCTION, law.bits, choices)
    if any(each != limits for each in found):
        raise AuditFailure(f"choice of pairs: {len(values)} pairs are not chosen one by one among the rest")
    left = list(values.items())
    for place, choice in enumerate(choices):
        left[place], left[place + choice] = left[place + choice], left[place]
    [(held, _)] = held_levels(dict(left[: law.padding]), law.levels)
    if not follows_stated_law(law, leaves, held, FUNCTION):
        raise AuditFailure(f"choice of pairs: of {len(values)} pairs others were reported than chosen")
    return len(leaves)


def follows_stated_law(law: CollisionLaw, leaves: Sequence[Leaf], held: HeldLevels, function: int) -> bool:
    """Return whether paths with one hash function have exactly the law that is stated for these levels of keys."""
    distribution = PiecewiseLaw(leaves)

    def stated(message: int) -> Fraction:
        of_function = law.functions if message // law.symbols == function else 0
        return of_function * law.chance(held, message)

    messages = turning_points([distribution], law.word_limit)
    return all(distribution.chance(message) == stated(message) for message in messages)
