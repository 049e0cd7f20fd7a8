"""What an audit must find: faulty devices that one of its comparisons alone refuses, and numbers with known answers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any
from unittest import mock

from audit.test_coins import SAMPLERS as COIN_FAULTS
from audit.test_coins import of as coin_task
from audit.test_discovery import TASK as DISCOVERY
from audit.test_discovery import longer, sampler_with
from audit.test_interval_mutants import REPORTS, check_loss, of
from audit.test_interval_mutants import SAMPLERS as DEVICE_FAULTS
from audit.wrong_tasks import KINDS
from pckv.auditing import discovery, interval_tape, sampler_loss
from pckv.auditing.choices import all_choices
from pckv.auditing.exact import spread_values
from pckv.auditing.interval_tape import PiecewiseLaw, explore, turning_points, worst_ratio_at
from pckv.auditing.positions import positions_loss
from pckv.auditing.sampler_loss import Given, message_leaves
from pckv.auditing.traced import Held, Traced, Variable
from pckv.base.errors import AuditFailure
from pckv.mechanisms.base import FunctionCount
from pckv.mechanisms.discovery import device as texts_device
from support.faults import Fault, in_place

Witness = Callable[[], None]

UE, COLLISION, PADDING = "mechanisms/ue/device.py", "mechanisms/collision/device.py", "mechanisms/padding.py"


def refused(says: str, audited: Callable[[], object]) -> Witness:
    """Return the witness that something is refused, in these words."""

    def witness() -> None:
        try:
            audited()
        except AuditFailure as error:
            if says in str(error):
                return
            raise AuditFailure(f"witness: not refused in these words: {says}") from error
        except Exception as error:
            raise AuditFailure(f"witness: an error, not a refusal: {error!r}") from error
        raise AuditFailure(f"witness: not refused: {says}")

    return witness


def of_planes(says: str, right: str, wrong: str, file: str = UE, padding: int = 2) -> Witness:
    """Return the witness that a faulty device of nine bit planes is refused, in these words."""
    planted = in_place(says, file, {right: wrong}, partial(check_loss, "ue", 9, padding))
    return refused(says, lambda: planted.caught_by(None))


def known(says: str, faults: Sequence[Fault], fault: str) -> Witness:
    """Return the witness that a fault of another test is refused, in these words."""
    [planted] = [each for each in faults if each.fault == fault][:1]
    return refused(says, lambda: planted.caught_by(None))


def _fewer_functions(law: Any, tree: Any, digest: bytes, texts: Any, tape: Any) -> Any:
    return texts_device.perturb(law, tree, digest, texts, tape, tape.below(FunctionCount(2**32)))


def _third_pair() -> None:
    """A pair beyond the padding keeps its sign: it is sampled in slots that no smaller set has."""
    kept = {"plus = positive == (number < law.kept)": "plus = positive == (number < law.kept or position == 8)"}
    task, sets = of("ue", 9, 2), [spread_values(9, 3)]

    def check() -> None:
        sampler_loss.sampler_loss(task, sets=sets)

    in_place("a pair keeps its sign", UE, kept, check).caught_by(None)


DRAWN, PRESENT = "        number = draw()", "present = number < either"
MANY_BOXES = of_planes("more than 16 boxes", PRESENT, "present = (number >> 58) % 2")
MORE_DRAWS = of_planes("10 draws for 9 positions", DRAWN, f"{DRAWN}\n        draw() if position == 7 else None")
SLOT = of_planes("the slot is not one of", "max(len(pairs), padding)", "max(len(pairs), 2)", PADDING, 3)
MADE = 'return int.from_bytes(presence + sign, "little")'
MORE_BITS = of_planes("more bits than its planes", MADE, f"{MADE} | 1 << 80")
POSITION = of_planes("key 0 has another law", PRESENT, f"{PRESENT} and position")
MIXED = known("depends on another one's draw", DEVICE_FAULTS, "a position is silent where its neighbour is")
SLOTS = refused("key 8 has another law", _third_pair)
SEVEN = {"tape.below(law.functions)": "tape.below(type(law.functions)(7))"}
OF_FEWER = in_place("fewer functions", COLLISION, SEVEN, partial(check_loss, "collision", 9, 2))
FUNCTIONS = refused("a function is drawn below 7", lambda: OF_FEWER.caught_by(None))
CHOSEN = known("is not one of", DEVICE_FAULTS, "no limit on the pairs")
FOLLOWED = known("another chance than stated", DEVICE_FAULTS, "a narrow band of draws keeps the truth")
BY_KEY = known("depends on a key", DEVICE_FAULTS, "one key is told as it is")
BY_FUNCTION = known("depends on the number of a hash function", DEVICE_FAULTS, "one function in 65,521 names a pair")
BY_COIN = known("a coin chose one", COIN_FAULTS, "a function of their own")
ANSWERS = known("the answer of size", REPORTS, "an answer about very many pairs is true")
ASKED = known("another chance than stated", REPORTS, "a wrong size is named where there are many pairs")
PREFIXES = refused("another chance than stated", lambda: discovery.discovery_loss(DISCOVERY, sampler_with(longer)))
FEWER = refused("functions are drawn below", lambda: discovery.discovery_loss(DISCOVERY, _fewer_functions))
BY_TRUTH = refused("depends on a key", lambda: bool(Held(1)))
NOT_PLANES = refused("does not draw once per key", lambda: positions_loss(of("grr", 9, 2), [], lambda *_: 0))


def _lost_paths() -> None:
    """No message is compared: only the sum of all chances shows that paths are missing."""
    task, values = of("grr", 3, 1), {0: 1.0}
    law = PiecewiseLaw(message_leaves(task, values)[1:])
    sampler_loss._check_law(task, values, all_choices(task, values), Given(), law, [])


def _lost_texts() -> None:
    law: Any = DISCOVERY.law
    leaves = discovery._leaves(DISCOVERY, texts_device.perturb, ("a",), 0, ())
    discovery._check_law(DISCOVERY, law, ("a",), 0, PiecewiseLaw(leaves[1:]), [])


LOST, LOST_TEXTS = (refused("together", run) for run in (_lost_paths, _lost_texts))


def _too_many_paths() -> None:
    with mock.patch.object(interval_tape, "MAX_PATHS", 20):
        explore(lambda tape: tape.draw() ^ 1, bits=6)


def _in_the_middle(tape: Any) -> Any:
    number = tape.draw()
    rest = number % 10
    return rest if number >= 5 else 20


def _both(tape: Any) -> Any:
    number = tape.draw()
    return int(number % 10 < 3) + int(number < 40)


PATHS = refused("more than 20 paths", _too_many_paths)
MIDDLE = refused("in the middle of a run", lambda: explore(_in_the_middle, bits=6))
BOTH = refused("both as it is and by its remainder", lambda: explore(_both, bits=6))
UNDRAWN = refused("not drawn", lambda: explore(lambda tape: Traced(Variable(0, 9, tape.draw() * 0 + 1)), bits=4))


def equal(found: object, expected: object) -> None:
    """Raise an `AuditFailure` unless two results are equal."""
    if found != expected:
        raise AuditFailure(f"witness: {found}, not {expected}")


CHANCES = [(Fraction(1, 2), Fraction(1, 4)), (Fraction(1, 5), Fraction(1, 4)), (Fraction(1, 10), Fraction(1, 4))]


def ratios() -> None:
    """The largest ratio is found, whichever law and whichever message has it."""
    for laws, messages in itertools.product(itertools.permutations(CHANCES), itertools.permutations((0, 1))):
        equal(worst_ratio_at([law.__getitem__ for law in laws], messages), 5)


IMPOSSIBLE = refused(
    "possible for one input and not for another",
    lambda: worst_ratio_at([lambda _: Fraction(0), lambda _: Fraction(1)], [0]),
)


def largest(module: Any, loss: Callable[[], Any]) -> Witness:
    """Return the witness that the loss is the largest of those of all functions, whichever has it."""

    def witness() -> None:
        for place in range(3):
            given = [Fraction(9 if place == number else 2) for number in range(3)]
            with mock.patch.object(module, "worst_ratio_at", side_effect=given):
                equal(loss().reports, 9)

    return witness


OF_FUNCTIONS = largest(sampler_loss, lambda: sampler_loss.sampler_loss(KINDS["collision"], sets=[{}]))
OF_GROUPS = largest(discovery, lambda: discovery.discovery_loss(DISCOVERY))


def positions() -> None:
    """What is lost by bit planes is the closed form: the largest odds over the least."""
    task = of("ue", 9, 2)
    equal(sampler_loss.sampler_loss(task, sets=[{0: 1.0}]).reports, task.realised)


def sizes() -> None:
    """What is lost by answers is the closed form of their law."""
    task = KINDS["grr, size question"]
    assert task.size_question is not None
    equal(sampler_loss.sampler_loss(task, sets=[{}]).sizes, task.size_question.realised)


def turns() -> None:
    """Laws are compared at the first message, at the last one, and on both sides of every change."""
    law = PiecewiseLaw(explore(lambda tape: 2 * tape.below(3) + 1 if tape.bernoulli(3) else 9, bits=4))
    equal(turning_points([law], 10), [0, 1, 2, 4, 5, 6, 7, 8, 9])
    equal(turning_points([law], 9), [0, 1, 2, 4, 5, 6, 7, 8])


def conditions() -> None:
    """With coins each of the two questions is judged alone, and so is each function of few."""
    given = list(sampler_loss._conditions(coin_task("collision")))
    equal([each.asks_size for each in given], [False, False, False, True])
    equal(len({each.function for each in given}), 3)
