"""Planted faults of the public functions of `collision`, for one participant and for many."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from audit.batches import check_batch_equals_single
from audit.conformance import SUBJECTS
from audit.interval_checks import check_interval_loss
from audit.supports import check_supports
from pckv.auditing.audit import audited_task
from pckv.base.errors import AuditFailure
from pckv.device import vectorised
from pckv.mechanisms.collision.affine import Numbering, is_generator
from pckv.mechanisms.collision.law import CollisionLaw
from support.faults import Plant, faulty_module, replaced

Method = Callable[..., Any]
COLLISION = next(subject for subject in SUBJECTS if subject.name == "collision")


LAW = "mechanisms/collision/law.py"
NUMBERS, MADE = "function // self.positions, function % self.positions", "return less_one + 1, offset"
UNUSED = "unused = self.positions - self.items\n"
BY_INDEX = "if self.by_index:\n            less_one, offset ="
PLACE = "(factor * position + offset)"
# A method of the law, and what is wrong with it.
METHODS: dict[str, tuple[str, str, str]] = {
    "A may be 0": ("coefficients", MADE, "return less_one, offset"),
    "A and C swapped": ("coefficients", NUMBERS, "function % self.positions - 1, function // self.positions"),
    "a number taken for an index": ("coefficients", BY_INDEX, BY_INDEX.replace("self.by_index", "True")),
    "an index taken for a number": ("coefficients", BY_INDEX, BY_INDEX.replace("self.by_index", "False")),
    "both numbers equal": ("coefficients", MADE, "return less_one + 1, less_one + 1"),
    "the offset forgotten": ("sent_to", PLACE, "(factor * position + 0 * offset)"),
    "symbols before positions": ("sent_to", "% self.positions % self.symbols", "% self.symbols % self.positions"),
    "modulo one position less": ("sent_to", f"{PLACE} % self.positions", f"{PLACE} % (self.positions - 1)"),
    # It shows next to the largest sizes alone.
    "products cut to 61 bits": ("sent_to", PLACE, "((factor * position & (2**61 - 1)) + offset)"),
    "an item at position 0": ("symbol", "self.numbering.position(item))", "self.numbering.position(item) - 1)"),
    "chances taken as one in t": ("measured_law", "Fraction(unused_supports,", "most + Fraction(unused_supports,"),
    "all positions taken for unused": ("measured_law", UNUSED, "unused = self.positions\n"),
    "keys taken for items": ("measured_law", UNUSED, "unused = self.positions - self.keys\n"),
    "position 0 not among the unused": ("measured_law", UNUSED, "unused = self.positions - self.items - 1\n"),
}  # fmt: skip


def faulty_method(fault: str) -> tuple[str, Method]:
    """Return the name of a method of the law, and the method with a fault."""
    name, right, wrong = METHODS[fault]
    return name, getattr(faulty_module(LAW, {right: wrong}).CollisionLaw, name)


# Sampler and stated law agree on the fault, and ε is kept. Estimates would be wrong.
@pytest.mark.parametrize(
    "fault",
    [fault for fault in METHODS if fault not in {"an index taken for a number", "products cut to 61 bits"}],
)
def test_a_law_that_supports_or_measures_wrongly_is_caught(fault: str) -> None:
    name, method = faulty_method(fault)
    law = type("FaultyLaw", (CollisionLaw,), {name: method})
    says = "unused positions tell another chance" if name == "measured_law" else "supports: "
    with pytest.raises(AuditFailure, match=says):
        check_supports(replace(COLLISION, law=law))


def last_function(law: Any) -> tuple[int, int]:
    numbers: tuple[int, int] = law.coefficients(law.functions - 1)
    return numbers


@pytest.mark.parametrize(
    "wrong",
    ["self.positions * self.positions", "self.positions - 1", "(self.positions - 1) * (self.positions - 1)"],
)
def test_a_wrong_number_of_functions_is_found(wrong: str) -> None:
    """The last function has the largest numbers, and no more."""
    right = "pairs = self.positions * (self.positions - 1)"
    faulty = faulty_module(LAW, {right: f"pairs = {wrong}"}).CollisionLaw
    for keys in (10, 10_000):
        law = CollisionLaw(keys, 1, Fraction(1))
        assert last_function(law) == (law.positions - 1, law.positions - 1)
        assert last_function(faulty(keys, 1, Fraction(1))) != last_function(law)


# On the device, for one participant


STEP = "result = result * (1 + bit * (square - 1)) % self.positions"
DECISIONS = {
    "a step left out": "result = result * square % self.positions if bit else result",
    "equal": "result = result * (square if bit == 1 else 1) % self.positions",
    "above": "result = result * (square if bit > 0 else 1) % self.positions",
    "no more steps than needed": f"{STEP}\n            if item >> place <= 1:\n                break",
}


@pytest.mark.parametrize("wrong", DECISIONS.values(), ids=DECISIONS)
def test_a_decision_by_a_bit_of_a_key_is_caught(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The positions are right; how long they take would tell of the key."""
    faulty = faulty_module("mechanisms/collision/affine.py", {STEP: wrong}).Numbering
    monkeypatch.setattr(Numbering, "position", faulty.position)
    with pytest.raises(AuditFailure, match="depends on a key"):
        check_interval_loss([audited_task({"name": "collision"}, 100, 3, "1")])


@pytest.mark.parametrize("limit", ["law.positions**2", "law.positions - 1", "law.functions - 1"])
@pytest.mark.parametrize("keys", [100, 2**29 - 1])
def test_functions_drawn_below_another_number_are_caught(
    limit: str, keys: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = {"tape.below(law.functions)": f"tape.below(type(law.functions)({limit}))"}
    faulty = faulty_module("mechanisms/collision/device.py", planted)
    monkeypatch.setattr("pckv.device.perturb.load_part", lambda *_: faulty.perturb)
    with pytest.raises(AuditFailure, match="interval tape: a function is drawn below"):
        check_interval_loss([audited_task({"name": "collision"}, keys, 3, "1")])


# For many participants


def for_arrays(fault: str) -> Plant:
    """Plant a fault where numbers are arrays: the code for one participant stays right."""
    name, wrong = faulty_method(fault)

    def wrap(right: Method) -> Method:
        return lambda self, *numbers: (wrong if any(isinstance(number, np.ndarray) for number in numbers) else right)(
            self, *numbers
        )

    return replaced(CollisionLaw, name, wrap)


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


PRODUCTS = "low[items % ITEMS_PER_STEP] * high[items // ITEMS_PER_STEP] % numbering.positions"
# Products of powers in floating point are exact up to 2^53.
ROUNDED = f"({PRODUCTS.replace('] *', '].astype(float) *')}).astype(np.int64)"


def rounded_products(_: Method) -> Method:
    found: Method = faulty_module("mechanisms/collision/positions.py", {PRODUCTS: ROUNDED}).item_positions
    return found


def at_zero(right: Method) -> Method:
    """The first item stands at 0."""
    return lambda numbering, items: right(numbering, items) - 1


SMALL, LARGEST = ((12, 2),), ((2**31, 3),)
TABLES = {
    "products of powers rounded": (rounded_products, LARGEST),
    "a table of another generator": (another_generator, SMALL),
    "an item at position 0": (at_zero, SMALL),
}
# Faults of the law that show in batches, with their sizes.
SHOWN = {fault: SMALL for fault, (name, *_) in METHODS.items() if name in {"coefficients", "sent_to"}}
SHOWN |= {"an index taken for a number": LARGEST, "products cut to 61 bits": LARGEST}
del SHOWN["modulo one position less"]


@pytest.mark.parametrize("fault", [*SHOWN, *TABLES])
def test_a_faulty_batch_is_caught(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if fault in SHOWN:
        plant, shapes = for_arrays(fault), SHOWN[fault]
    else:
        wrap, shapes = TABLES[fault]
        plant = replaced(vectorised, "item_positions", wrap)
    plant(monkeypatch)
    with pytest.raises(AuditFailure, match="batch equals single: message"):
        check_batch_equals_single("collision", shapes)


@pytest.mark.parametrize("limit", ["law.positions**2", "law.positions - 1"])
def test_a_batch_with_functions_below_another_number_is_caught(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = "np.uint64(law.functions))\n    return send_items"
    planted = {right: f"np.uint64({limit}))\n    return send_items"}
    faulty = faulty_module("device/vectorised.py", planted).perturb_collision
    monkeypatch.setattr(vectorised, "load_part", lambda *_: faulty)
    with pytest.raises(AuditFailure, match="batch equals single"):
        check_batch_equals_single("collision", SMALL)


def test_the_checks_pass_without_a_fault() -> None:
    check_interval_loss([audited_task({"name": "collision"}, 100, 3, "1")])
    check_batch_equals_single("collision", SMALL + LARGEST)


def test_products_that_are_cut_show_with_hashed_keys_alone_at_small_sizes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for_arrays("products cut to 61 bits")(monkeypatch)
    with pytest.raises(AuditFailure, match="hashed keys"):
        check_batch_equals_single("collision", SMALL)
