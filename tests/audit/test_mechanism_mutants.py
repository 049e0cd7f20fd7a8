"""Planted faults of the mechanisms: in samplers, laws and decoders, each with the check that must catch it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from audit.conformance import (
    SUBJECTS,
    Subject,
    check_epsilon_is_used,
    check_exact_epsilon,
    check_levels_equal_law,
    check_sampler_epsilon,
    check_sampler_equals_law,
    check_unbiased,
)
from audit.exhaustive import BiasedBelow
from audit.level_checks import one_level_too_low, rounded_down, wrong_neighbour
from audit.supports import check_supports
from pckv.mechanisms import padding
from pckv.mechanisms.base import Law
from pckv.mechanisms.ue_compact.law import UeCompactLaw
from pckv.tally import Tally
from pckv.tally.decode.support import KeySupport, key_support
from support.faults import Fault, faulty_class, faulty_module, stand_in

UE, GRR, COMPACT, COLLISION = SUBJECTS
Check = Callable[[Subject], None]


@dataclass(frozen=True)
class SubjectOfManyKeys(Subject):
    """A mechanism without its laws of fewer keys, where some faults cannot show, and enumeration takes long."""

    min_keys: int = 1

    def laws(self, keys: int, padding_length: int, epsilon: Fraction, bits: int = 64) -> Iterator[Law]:
        return super().laws(keys, padding_length, epsilon, bits) if keys >= self.min_keys else iter(())


def file_of(subject: Subject, half: str) -> str:
    return f"mechanisms/{subject.name.replace('-', '_')}/{half}.py"


def sampler(
    fault: str,
    subject: Subject,
    replaced: Mapping[str, str],
    check: Check,
    says: str | None = None,
    min_keys: int = 1,
) -> Fault:
    """Return a fault of a sampler."""
    return Fault(
        fault,
        file_of(subject, "device"),
        replaced,
        lambda device: check(SubjectOfManyKeys(subject.name, subject.law, device.perturb, min_keys=min_keys)),
        says,
    )


def law(fault: str, subject: Subject, replaced: Mapping[str, str], check: Check, says: str | None = None) -> Fault:
    """Return a fault of a law: its thresholds, or what is stated of them."""
    return Fault(
        fault,
        file_of(subject, "law"),
        replaced,
        lambda module: check(replace(subject, law=faulty_class(module, subject.law))),
        says,
    )


def dummy_counted_as_key(tally: Tally) -> KeySupport:
    """Dummies' words are folded into the keys'."""
    keys, levels = tally.task.key_count, tally.task.law.levels
    counts = np.zeros((levels, keys), np.int64)
    for cell, count in zip(*tally.counts.nonzero(), strict=True):
        counts[cell % levels, cell // levels % keys] += count
    return KeySupport(counts)


def clipped_place(value: float, values: Sequence[float]) -> tuple[int, int]:
    """Values are clipped before they become levels."""
    low, high = values[0], values[-1]
    reach = 0.9 * (high - low) / 2
    middle = (low + high) / 2
    return padding.placed(min(max(value, middle - reach), middle + reach), values)


def right_sets(law: UeCompactLaw) -> tuple[range, ...]:
    """The residues that say each level, the lowest first."""
    return tuple(range(first, first + law.r) for first in law.firsts)


def sets_apart(law: UeCompactLaw) -> tuple[range, ...]:
    """The same without an overlap."""
    firsts = (law.r * level for level in reversed(range(law.levels)))
    return tuple(range(first, first + law.r) for first in firsts)


def decoder(
    residue: Callable[[UeCompactLaw, int, int], int] = UeCompactLaw.residue,
    sets: Callable[[UeCompactLaw], tuple[range, ...]] = right_sets,
) -> Subject:
    """Return `ue-compact` with a decoder that checks every word for every key."""

    def support(tally: Tally) -> KeySupport:
        law = tally.task.law
        assert isinstance(law, UeCompactLaw)
        counts = np.zeros((law.levels, law.keys), np.int64)
        for word, count in zip(*tally.counts.nonzero(), strict=True):
            for key in range(law.keys):
                word_residue = residue(law, int(word), key)
                for level, said in enumerate(sets(law)):
                    counts[level, key] += count * (word_residue in said)
        return KeySupport(counts)

    return replace(COMPACT, support=support)


def digits_reversed(law: UeCompactLaw, function: int, key: int) -> int:
    """⟨φ, u⟩ with the digits of u, but not those of φ, in the other order."""
    powers: list[int] = [law.q**digit for digit in range(law.digits)]
    turned = sum(key // power % law.q * other for power, other in zip(powers, powers[::-1], strict=True))
    return law.product(function, turned)


def levels_reversed(tally: Tally) -> KeySupport:
    """The decoder reads more than two levels from the highest to the lowest."""
    counts = key_support(tally).counts
    return KeySupport(counts[::-1] if len(counts) > 2 else counts)


IMPOSSIBLE = "an output is possible for one input set and not for another"
PRESENT = "        if present:"
SHOWN = (
    "        if position == {}:\n            present, plus = any(pair[0] == position for pair in pairs), any(pair[0] == position and pair[2] for pair in pairs)\n"
    + PRESENT
)
OWN_PAIRS = {"sample(pairs, law.padding, tape)": "sample(pairs, min(len(pairs), law.padding) or law.padding, tape)"}
TUNED = "        if self.beta is not None:\n"
PAPER = (
    sampler("first position un-noised", UE, {PRESENT: SHOWN.format("0")}, check_sampler_epsilon),
    sampler("last position un-noised", UE, {PRESENT: SHOWN.format("law.keys - 1")}, check_sampler_epsilon),
    sampler("fake value fixed", UE, {"plus = number < fake": "plus = True"}, check_sampler_epsilon),
    sampler("padding ignored in grr", GRR, OWN_PAIRS, check_sampler_epsilon),
    law("d for d' in grr", GRR, {"others = self.keys + self.padding - 1": "others = max(self.keys - 1, 1)"}, check_exact_epsilon),
    law("grr keeps too often", GRR, {"return floor(self._own_key() * self": "return -floor(-self._own_key() * self"}, check_exact_epsilon),
    law("ue fakes too seldom", UE, {"return ceil(Fraction(self.kept * self.one)": "return floor(Fraction(self.kept * self.one)"}, check_exact_epsilon),
    law("ue flips too seldom", UE, {"return ceil(self.silent /": "return floor(self.silent /"}, check_exact_epsilon),
    law("twice the ε asked for", UE, {"super().__init__(keys, padding, epsilon, split,": "super().__init__(keys, padding, 2 * epsilon, split,"}, check_exact_epsilon),
    law("tuned ue keeps too often", UE, {"return floor(self.fake * self.claim * (self.one - 1) / room)": "return ceil(self.fake * self.claim * self.one / room)"}, check_exact_epsilon),
    law("tuned ue flips too seldom", UE, {"return ceil(self.kept / self.claim)": "return floor(self.kept / self.claim)"}, check_exact_epsilon),
    law("tuned ue with a = 1/2", UE, {"self.one // 2 if self.beta is None else self.one - self.kept - self.flipped": "self.one // 2", f"{TUNED}            return ceil": "        if False:\n            return ceil", f"{TUNED}            room": "        if False:\n            room"}, check_exact_epsilon),
    law("tuned ue fakes half as often", UE, {"return floor(self.one * Fraction(self.beta))": "return floor(self.one * Fraction(self.beta)) // 2", "self.one + self.fake *": "self.one + 2 * self.fake *", "floor(self.fake *": "floor(2 * self.fake *"}, check_exact_epsilon),
    law("a generous claim", UE, {"    max_levels = 2\n": "    max_levels = 2\n    claim = property(lambda self: AllocatedLaw.claim.fget(self) * Fraction(3, 2))\n"}, check_exact_epsilon),
    law("32-bit thresholds", GRR, {"    padding_amplifies = True\n": "    padding_amplifies = True\n\n    def __init__(self, keys, *rest, bits=64, **options):\n        super().__init__(keys, *rest, bits=32 if keys == 10**6 else bits, **options)\n"}, check_epsilon_is_used),
    sampler("signs swapped in ue", UE, {"draw_level(law, sampled, tape) == 1": "draw_level(law, sampled, tape) == 0"}, check_sampler_equals_law),
    sampler("signs swapped in grr", GRR, {"draw_level(law, pair, tape)": "draw_level(law, (*pair[:2], law.one - pair[2]), tape)"}, check_sampler_equals_law),
    stand_in("biased below", replace(GRR, primitives=BiasedBelow), check_sampler_equals_law),
    sampler("tape reused", GRR, {"    word = law.word(pair[0], draw_level(law, pair, tape))\n    number = tape.draw()": "    number = tape.draw()\n    word = law.word(pair[0], pair[1] + (number < pair[2]))"}, check_sampler_equals_law),
    stand_in("dummy counted as a key", replace(GRR, support=dummy_counted_as_key), check_unbiased),
    stand_in("value clipped first, ue", replace(UE, placed=clipped_place), check_sampler_equals_law),
    stand_in("value clipped first, grr", replace(GRR, placed=clipped_place), check_sampler_equals_law),
    sampler("padding ignored in ue", UE, OWN_PAIRS, check_sampler_equals_law),
    sampler("dummy without a fair sign", GRR, {"law.one // 2": "law.one"}, check_sampler_equals_law),
)  # fmt: skip

FUNCTION, PRODUCT = "tape.below(law.functions)", "law.product(function, pair[0])"
MOVED, INSIDE = (
    "residue = other if other < first else other + law.r",
    "(tape.below(law.r) if law.r > 1 else 0)",
)
KEPT = "response_threshold(self.one, self.bound, self.q, self.r)"
ROUNDED_UP = "-(-self.one * self.r * self.bound // (self.r * self.bound + self.q - self.r))"
DIGITS = "for digit in range(law.digits)"
COMPACT_FAULTS = (
    sampler("residue biased: never the other sign", COMPACT, {MOVED: "residue = 2 * law.r + other % (law.q - 2 * law.r)"}, check_sampler_epsilon, IMPOSSIBLE),
    sampler("residue biased: the true one not skipped", COMPACT, {MOVED: "residue = other"}, check_sampler_equals_law),
    stand_in("residue biased: a remainder without rejection", replace(COMPACT, primitives=BiasedBelow), check_sampler_equals_law),
    sampler("φ not uniform: one function is never drawn", COMPACT, {FUNCTION: "tape.below(law.functions - 1)"}, check_sampler_equals_law),
    sampler("φ not uniform: always 0", COMPACT, {FUNCTION: f"0 * {FUNCTION}"}, check_sampler_equals_law),
    # One digit is enough for two keys and the dummy, so these two are visible only with three keys.
    sampler("wrong digit vector: the first digit only", COMPACT, {PRODUCT: "law.product(function, pair[0] % law.q)"}, check_sampler_equals_law, "with 3 keys"),
    sampler("wrong digit vector: reversed", COMPACT, {PRODUCT: f"law.product(function, sum(pair[0] // law.q**digit % law.q * law.q ** (law.digits - 1 - digit) {DIGITS}))"}, check_sampler_equals_law, "with 3 keys"),
    stand_in("wrong digit vector: reversed in the decoder", decoder(lambda law, word, key: (digits_reversed(law, word // law.q, key) + word) % law.q), check_unbiased, "count law: not that of key 1"),
    sampler("dummy without a fair sign in ue-compact", COMPACT, {"law.one // 2": "law.one"}, check_sampler_equals_law, "not for {} with 1 keys"),
    sampler("key 0 taken for the dummy", COMPACT, {PRODUCT: "law.product(function, pair[0] or law.keys)"}, check_sampler_equals_law, r"not for \{0: -1.0\} with 1 keys"),
    sampler("key 0 without noise", COMPACT, {"bernoulli(law.kept)": "bernoulli(law.kept if pair[0] else law.one)"}, check_sampler_epsilon, IMPOSSIBLE),
    stand_in("key 0 not decoded", decoder(lambda law, word, key: law.residue(word, key) if key else law.q - 1), check_unbiased, "count law: not that of key 0"),
    sampler("modulus off by one", COMPACT, {PRODUCT: f"sum(function // law.q**digit % law.q * (pair[0] // law.q**digit % law.q) {DIGITS}) % (law.q + 1)"}, check_sampler_equals_law, "not for {} with 2 keys"),
    stand_in("modulus off by one in the decoder", decoder(lambda law, word, key: (law.product(word // law.q, key) + word) % (law.q + 1)), check_unbiased, "count law: not that of key 0"),
    law("modulus off by one in the threshold", COMPACT, {KEPT: KEPT.replace("self.q", "self.q - 1")}, check_exact_epsilon),
    law("ue-compact keeps too often", COMPACT, {KEPT: ROUNDED_UP}, check_exact_epsilon),
    # Correct with one residue per sign, and wrong with sets of several.
    law("a set kept too often: each of its residues counted twice", COMPACT, {KEPT: KEPT.replace("self.bound", "self.r * self.bound")}, check_exact_epsilon),
    law("a set kept too often: rounded up", COMPACT, {KEPT: f"{ROUNDED_UP} if self.r > 1 else {KEPT}"}, check_exact_epsilon),
    law("a set kept as seldom as one residue", COMPACT, {KEPT: KEPT.replace(", self.r", "")}, check_epsilon_is_used),
    law("the overlap left out of the count law", COMPACT, {"self._support(own, (self.r - self.o) * self.outside + both, both)": "Support.exclusive(self.levels, own, (self.r - self.o) * self.outside + both)"}, check_unbiased, "count law: levels 0 and 1 of key 0"),
    sampler("always the first residue of a set", COMPACT, {INSIDE: "0 * tape.below(law.r)"}, check_sampler_epsilon),
    sampler("the last residue of a set never drawn", COMPACT, {INSIDE: "tape.below(max(1, law.r - 1))"}, check_sampler_epsilon),
    sampler("only one residue of a set skipped", COMPACT, {MOVED: MOVED.replace("other + law.r", "other + 1")}, check_sampler_equals_law),
    sampler("sets taken to be apart by the sampler", COMPACT, {"law.first(draw_level(law, pair, tape))": "(law.levels - 1 - draw_level(law, pair, tape)) * law.r"}, check_sampler_equals_law),
    stand_in("sets taken to be apart by the decoder", decoder(sets=sets_apart), check_unbiased, "count law: not that of key 0"),
    stand_in("an overlap decoded as + alone", decoder(sets=lambda law: (range(law.r, 2 * law.r - law.o), range(law.r))), check_unbiased, "count law: not that of key 0"),
)  # fmt: skip

HIT = "floor(self.one * self.bound / (self.symbols - self.padding + self.padding * self.bound))"
ANEW = "int(len(own) * law.one * law.bound / (law.symbols - law.padding + law.padding * law.bound))"
OTHER = "symbol = tape.below(law.symbols - len(own))\n"
SKIPPED = "        for taken in own:\n            symbol += taken <= symbol\n"
COLLISION_FAULTS = (
    law("collision hits too often", COLLISION, {HIT: HIT.replace("floor(", "-floor(-")}, check_exact_epsilon),
    law("collision with the threshold of one pair", COLLISION, {HIT: "min(floor(self.one * self.bound / (self.symbols - 1 + self.bound)), self.one // self.padding - 1)"}, check_exact_epsilon),
    law("collision with one symbol too few outside", COLLISION, {HIT: HIT.replace("self.padding +", "self.padding - 1 +")}, check_exact_epsilon),
    law("a count law of exclusive signs", COLLISION, {"Support.independent(self.levels, held, other)": "Support.exclusive(self.levels, held, other)", "Support.independent(self.levels, other, other)": "Support.exclusive(self.levels, other, other)"}, check_supports, "count law: own_and_other is not that of one pair"),
    sampler("the threshold rounded anew for every number of symbols", COLLISION, {"number < len(own) * law.hit": f"number < {ANEW}", "own[number // law.hit]": f"own[number * len(own) // {ANEW}]"}, check_sampler_equals_law, min_keys=2),
    sampler("two pairs on one symbol counted twice", COLLISION, {"law.own_symbols(function, items)": "sorted(law.symbol(function, item) for item in items)"}, check_sampler_equals_law, min_keys=2),
    sampler("another symbol may be one's own", COLLISION, {OTHER + SKIPPED: "symbol = tape.below(law.symbols)\n"}, check_sampler_equals_law),
    sampler("own symbols not skipped", COLLISION, {SKIPPED: ""}, check_sampler_equals_law),
    sampler("own symbols skipped in the wrong order", COLLISION, {"for taken in own:": "for taken in own[::-1]:"}, check_sampler_equals_law, min_keys=2),
    sampler("all pairs reported, however many", COLLISION, {"choose(pairs, law.padding, tape)]": "pairs]"}, check_sampler_epsilon),
    sampler("pairs chosen with replacement", COLLISION, {"    shuffled = list(held)\n": "    return [held[tape.below(len(held))] for _ in range(most)]\n"}, check_sampler_equals_law, "with 3 keys, padding 2", min_keys=3),
    sampler("the first pair always chosen", COLLISION, {"for place in range(most):": "for place in range(1, most):"}, check_sampler_equals_law, min_keys=2),
    sampler("always the same function", COLLISION, {FUNCTION: f"0 * {FUNCTION}"}, check_sampler_equals_law),
    sampler("one function is never drawn", COLLISION, {FUNCTION: "tape.below(law.functions - 1)"}, check_sampler_equals_law),
    sampler("a function that suits the pairs", COLLISION, {FUNCTION: f"max(({FUNCTION} for _ in range(2)), key=lambda drawn: len(law.own_symbols(drawn, items)))"}, check_sampler_equals_law, min_keys=2),
    sampler("signs forgotten", COLLISION, {"law.item(pair[0], draw_level(law, pair, tape))": "law.item(pair[0], 1 + 0 * draw_level(law, pair, tape))"}, check_sampler_equals_law),
    stand_in("signs swapped in the decoder of collision", replace(COLLISION, support=lambda tally: KeySupport(key_support(tally).counts[::-1])), check_supports, "supports: item 1 of {0: 1}"),
    stand_in("keys one off in the decoder of collision", replace(COLLISION, support=lambda tally: KeySupport(np.roll(key_support(tally).counts, 1, axis=1))), check_supports, "supports: item 3 of {1: 1}"),
)  # fmt: skip

# With two levels there is no fault.
LEVEL_FAULTS = (
    stand_in("wrong neighbour", replace(GRR, placed=wrong_neighbour), check_levels_equal_law),
    stand_in("values between levels rounded down", replace(COMPACT, placed=rounded_down), check_levels_equal_law),
    stand_in("levels one too low", replace(COLLISION, placed=one_level_too_low), check_levels_equal_law),
    sampler("words of signs with three levels", GRR, {"law.word(pair[0], draw_level(law, pair, tape))": "2 * pair[0] + draw_level(law, pair, tape)"}, check_levels_equal_law),
    law("words of signs in the law", GRR, {"return self.levels * key + level": "return 2 * key + level"}, check_unbiased),
    law("items of signs with three levels", COLLISION, {"return self.levels * key + level": "return 2 * key + level"}, check_supports, "supports"),
    law("residue sets of neighbouring levels overlap", COMPACT, {"* (self.r - self.o)\n\n": "* (self.r - 1 if self.levels > 2 and self.r > 1 else self.r - self.o)\n\n"}, check_unbiased, "count law"),
    law("kept as with two levels", GRR, {"self.budget.value, self.symbols)": "self.budget.value, 2 * (self.keys + self.padding))"}, check_exact_epsilon),
    sampler("dummies with other levels", COMPACT, {"(law.keys, 0, law.one // 2)": "(law.keys, law.levels - 2, law.one // 2)"}, check_levels_equal_law),
    stand_in("levels read in reverse, grr", replace(GRR, support=levels_reversed), check_unbiased),
    stand_in("levels read in reverse, ue-compact", replace(COMPACT, support=levels_reversed), check_unbiased),
    stand_in("levels read in reverse, collision", replace(COLLISION, support=levels_reversed), check_supports),
)  # fmt: skip


@pytest.mark.parametrize("mutant", PAPER, ids=str)
def test_mutant_of_the_paper_is_caught(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path)


@pytest.mark.parametrize("mutant", COMPACT_FAULTS, ids=str)
def test_mutant_of_ue_compact_is_caught(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path)


@pytest.mark.parametrize("mutant", COLLISION_FAULTS, ids=str)
def test_mutant_of_collision_is_caught(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path)


@pytest.mark.parametrize("mutant", LEVEL_FAULTS, ids=str)
def test_mutant_of_levels_is_caught(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path)


def test_the_lists_of_mutants_are_complete() -> None:
    for mutants, least in ((PAPER, 24), (COMPACT_FAULTS, 26), (COLLISION_FAULTS, 18)):
        assert len(set(map(str, mutants))) >= least


@pytest.mark.parametrize("subject", [GRR, COMPACT, COLLISION], ids=lambda subject: subject.name)
def test_the_checks_pass_without_a_fault(subject: Subject) -> None:
    """Of modules that are read like those of the mutants, so that the checks catch the planted fault alone."""
    law_module, device = (faulty_module(file_of(subject, half), {}) for half in ("law", "device"))
    unchanged = replace(subject, law=faulty_class(law_module, subject.law), sampler=device.perturb)
    if subject == COMPACT:
        unchanged = replace(unchanged, support=decoder().support)
    for check in (check_sampler_epsilon, check_sampler_equals_law, check_levels_equal_law, check_unbiased):
        check(unchanged)
