"""Planted faults of the public functions of `collision`, for one participant and for many."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from audit.batches import check_batch_equals_single
from audit.interval_checks import check_interval_loss
from audit.supports import check_supports
from pckv.auditing.audit import audited_task
from pckv.base.errors import AuditFailure
from pckv.device import vectorised
from pckv.mechanisms.collision.affine import Number, Numbering, is_generator, numbers_of
from pckv.mechanisms.collision.law import CollisionLaw
from support.batch_faults import replaced
from support.mutants import COLLISION
from support.source_faults import faulty_module

Method = Callable[..., Any]


def from_zero(self: CollisionLaw, function: Number) -> tuple[Number, Number]:
    """A may be 0: that function sends everything to one symbol."""
    return function // self.positions, function % self.positions


def numbers_swapped(self: CollisionLaw, function: Number) -> tuple[Number, Number]:
    """A from the lower digit: it may be 0, and C is never the last."""
    return function % self.positions, function // self.positions


def index_for_numbers(self: CollisionLaw, function: Number) -> tuple[Number, Number]:
    """The number of a function is mixed as if it were an index."""
    less_one, offset = numbers_of(function, self.positions)
    return less_one + 1, offset


def numbers_for_index(self: CollisionLaw, function: Number) -> tuple[Number, Number]:
    """An index is taken for the number of a function."""
    return function // self.positions + 1, function % self.positions


def numbers_equal(self: CollisionLaw, function: Number) -> tuple[Number, Number]:
    """Both numbers of a function are one."""
    factor = function // self.positions + 1
    return factor, factor


def offset_forgotten(self: CollisionLaw, factor: Number, offset: Number, position: Number) -> Number:
    return (factor * position + 0 * offset) % self.positions % self.symbols


def symbols_first(self: CollisionLaw, factor: Number, offset: Number, position: Number) -> Number:
    return (factor * position + offset) % self.symbols % self.positions


def one_position_short(self: CollisionLaw, factor: Number, offset: Number, position: Number) -> Number:
    return (factor * position + offset) % (self.positions - 1) % self.symbols


def cut_products(self: CollisionLaw, factor: Number, offset: Number, position: Number) -> Number:
    """Products of two numbers of 31 bits lose their highest bits: it shows next to the largest sizes alone."""
    return ((factor * position & (2**61 - 1)) + offset) % self.positions % self.symbols


def at_zero(self: CollisionLaw, function: Number, item: Number) -> Number:
    """The first item stands at 0."""
    return self.symbol_at(function, self.numbering.position(item) - 1)


# Planted into the law: sampler and stated law agree on the fault, and ε is kept. Estimates would be wrong.
LAW_FAULTS: dict[str, tuple[str, Method]] = {
    "A may be 0": ("coefficients", from_zero),
    "A and C swapped": ("coefficients", numbers_swapped),
    "a number taken for an index": ("coefficients", index_for_numbers),
    "both numbers equal": ("coefficients", numbers_equal),
    "the offset forgotten": ("sent_to", offset_forgotten),
    "symbols before positions": ("sent_to", symbols_first),
    "modulo one position less": ("sent_to", one_position_short),
    "an item at position 0": ("symbol", at_zero),
}


@pytest.mark.parametrize(("name", "wrong"), LAW_FAULTS.values(), ids=LAW_FAULTS)
def test_functions_that_support_wrongly_are_caught(name: str, wrong: Method) -> None:
    law = type("FaultyFunctions", (CollisionLaw,), {name: wrong})
    with pytest.raises(AuditFailure, match="supports: "):
        check_supports(replace(COLLISION, law=law))


MEASURED: dict[str, tuple[str, str]] = {
    "chances taken as one in t": (
        "Fraction(unused_supports, reports * unused)",
        "most + Fraction(unused_supports, reports * unused)",
    ),
    "all positions taken for unused": (
        "unused = self.positions - self.items\n",
        "unused = self.positions\n",
    ),
    "keys taken for items": (
        "unused = self.positions - self.items\n",
        "unused = self.positions - self.keys\n",
    ),
    "position 0 not among the unused": (
        "unused = self.positions - self.items\n",
        "unused = self.positions - self.items - 1\n",
    ),
}


@pytest.mark.parametrize(("right", "wrong"), MEASURED.values(), ids=MEASURED)
def test_a_law_that_is_measured_wrongly_is_caught(right: str, wrong: str) -> None:
    faulty = faulty_module("mechanisms/collision/law.py", right, wrong).CollisionLaw.measured_law
    law = type("FaultyMeasure", (CollisionLaw,), {"measured_law": faulty})
    with pytest.raises(AuditFailure, match="unused positions tell another chance"):
        check_supports(replace(COLLISION, law=law))


COUNTS = (
    "self.positions * self.positions",
    "self.positions - 1",
    "(self.positions - 1) * (self.positions - 1)",
)


def last_function(law: Any) -> tuple[int, int]:
    numbers: tuple[int, int] = law.coefficients(law.functions - 1)
    return numbers


@pytest.mark.parametrize("wrong", COUNTS)
def test_a_wrong_number_of_functions_is_found(wrong: str) -> None:
    """The last function has the largest numbers, and no more."""
    right = "pairs = self.positions * (self.positions - 1)"
    faulty = faulty_module("mechanisms/collision/law.py", right, f"pairs = {wrong}").CollisionLaw
    for keys in (10, 10_000):
        law = CollisionLaw(keys, 1, Fraction(1))
        assert last_function(law) == (law.positions - 1, law.positions - 1)
        assert last_function(faulty(keys, 1, Fraction(1))) != last_function(law)


# On the device, for one participant


DECISIONS = (
    "result = result * square % self.positions if bit else result",
    "result = result * (square if bit == 1 else 1) % self.positions",
    "result = result * (square if bit > 0 else 1) % self.positions",
    "result = result * (1 + bit * (square - 1)) % self.positions\n            if item >> place <= 1:\n                break",
)


@pytest.mark.parametrize(
    "wrong", DECISIONS, ids=["a step left out", "equal", "above", "no more steps than needed"]
)
def test_a_decision_by_a_bit_of_a_key_is_caught(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The positions are right; how long they take would tell of the key."""
    right = "result = result * (1 + bit * (square - 1)) % self.positions"
    faulty = faulty_module("mechanisms/collision/affine.py", right, wrong).Numbering
    monkeypatch.setattr(Numbering, "position", faulty.position)
    with pytest.raises(AuditFailure, match="depends on a key"):
        check_interval_loss([audited_task({"name": "collision"}, 100, 3, "1")])


@pytest.mark.parametrize("limit", ["law.positions**2", "law.positions - 1", "law.functions - 1"])
@pytest.mark.parametrize("keys", [100, 2**29 - 1])
def test_functions_drawn_below_another_number_are_caught(
    limit: str, keys: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    faulty = faulty_module(
        "mechanisms/collision/device.py",
        "tape.below(law.functions)",
        f"tape.below(type(law.functions)({limit}))",
    )
    monkeypatch.setattr("pckv.device.perturb.load_part", lambda *_: faulty.perturb)
    with pytest.raises(AuditFailure, match="interval tape: a function is drawn below"):
        check_interval_loss([audited_task({"name": "collision"}, keys, 3, "1")])


# For many participants


def for_arrays(wrong: Method) -> Callable[[Method], Method]:
    """Plant a fault where numbers are arrays: the code for one participant stays right."""

    def wrap(right: Method) -> Method:
        return lambda self, *numbers: (
            wrong if any(isinstance(number, np.ndarray) for number in numbers) else right
        )(self, *numbers)

    return wrap


def another_generator(right: Method) -> Method:
    """Positions from a table of other powers."""

    def positions(numbering: Numbering, items: Any) -> Any:
        other = next(
            number
            for number in range(2, numbering.positions)
            if number != numbering.generator and is_generator(number, numbering.positions)
        )
        return right(replace(numbering, generator=other), items)

    return positions


def rounded_products(_: Method) -> Method:
    """Products of powers in floating point, which are exact up to 2^53."""
    faulty = faulty_module(
        "mechanisms/collision/positions.py",
        "return low[items % ITEMS_PER_STEP] * high[items // ITEMS_PER_STEP] % numbering.positions",
        "return (low[items % ITEMS_PER_STEP].astype(float) * high[items // ITEMS_PER_STEP] "
        "% numbering.positions).astype(np.int64)",
    )
    found: Method = faulty.item_positions
    return found


def at_zero_in_tables(right: Method) -> Method:
    """The first item stands at 0."""
    return lambda numbering, items: right(numbering, items) - 1


SMALL, LARGEST = ((12, 2),), ((2**31, 3),)
BATCH_FAULTS: dict[str, tuple[Any, str, Callable[[Method], Method], Any]] = {
    "A may be 0": (CollisionLaw, "coefficients", for_arrays(from_zero), SMALL),
    "A and C swapped": (CollisionLaw, "coefficients", for_arrays(numbers_swapped), SMALL),
    "a number taken for an index": (CollisionLaw, "coefficients", for_arrays(index_for_numbers), SMALL),
    "an index taken for a number": (CollisionLaw, "coefficients", for_arrays(numbers_for_index), LARGEST),
    "both numbers equal": (CollisionLaw, "coefficients", for_arrays(numbers_equal), SMALL),
    "the offset forgotten": (CollisionLaw, "sent_to", for_arrays(offset_forgotten), SMALL),
    "symbols before positions": (CollisionLaw, "sent_to", for_arrays(symbols_first), SMALL),
    "products cut to 61 bits": (CollisionLaw, "sent_to", for_arrays(cut_products), LARGEST),
    "products of powers rounded": (vectorised, "item_positions", rounded_products, LARGEST),
    "a table of another generator": (vectorised, "item_positions", another_generator, SMALL),
    "an item at position 0": (vectorised, "item_positions", at_zero_in_tables, SMALL),
}


@pytest.mark.parametrize("planted", BATCH_FAULTS.values(), ids=BATCH_FAULTS)
def test_a_faulty_batch_is_caught(planted: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, name, wrap, shapes = planted
    replaced(owner, name, wrap)(monkeypatch)
    with pytest.raises(AuditFailure, match="batch equals single: message"):
        check_batch_equals_single("collision", shapes)


@pytest.mark.parametrize("limit", ["law.positions**2", "law.positions - 1"])
def test_a_batch_with_functions_below_another_number_is_caught(
    limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = "np.uint64(law.functions))\n    return send_items"
    faulty = faulty_module(
        "device/vectorised.py", right, f"np.uint64({limit}))\n    return send_items"
    ).perturb_collision
    monkeypatch.setattr(vectorised, "load_part", lambda *_: faulty)
    with pytest.raises(AuditFailure, match="batch equals single"):
        check_batch_equals_single("collision", SMALL)


def test_the_checks_pass_without_a_fault() -> None:
    """Products next to the largest sizes alone: `cut_products` is right elsewhere."""
    check_interval_loss([audited_task({"name": "collision"}, 100, 3, "1")])
    check_batch_equals_single("collision", SMALL + LARGEST)


def test_products_that_are_cut_show_with_hashed_keys_alone_at_small_sizes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    replaced(CollisionLaw, "sent_to", for_arrays(cut_products))(monkeypatch)
    with pytest.raises(AuditFailure, match="hashed keys"):
        check_batch_equals_single("collision", SMALL)
