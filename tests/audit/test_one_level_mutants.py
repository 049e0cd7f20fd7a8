"""Planted faults of keys without values, which have one level: each names the check that must catch it.

With two levels or more there is no fault, so that only laws of one level are checked. That the checks pass without a
fault is shown by `test_conformance`, which visits one level, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest

from audit.batches import check_batch_equals_single
from audit.conformance import (
    SUBJECTS,
    Subject,
    check_epsilon_is_used,
    check_exact_epsilon,
    check_law_sums_to_one,
    check_sampler_epsilon,
    check_sampler_equals_law,
    check_unbiased,
)
from audit.supports import check_supports
from pckv.auditing.audit import audit, audited_task
from pckv.base.budget import exp_lower
from pckv.base.errors import AuditFailure, ParameterError
from pckv.base.limits import ONE_LEVEL
from pckv.mechanisms.base import Law
from pckv.mechanisms.collision.law import best_symbols, check_symbols
from pckv.mechanisms.registry import LAWS, build
from pckv.mechanisms.ue_compact.residues import choose
from pckv.statistics.moments import CountMoments
from support.faults import Fault, faulty_class, in_place

Check = Callable[[Subject], None]

# A report loses at most 2 % more than the best one that ε allows of a rare key, 4E/(E - 1)².
MOST_OVER_BEST = 1.02
EPSILONS = ("0.05", "0.1", "0.5", "1", "1.5", "2", "3", "4", "6")
# Keys of tasks whose bit planes are followed position by position, too.
AUDITED_KEYS = (2, 3, 40)


@dataclass(frozen=True)
class OneLevel(Subject):
    """A mechanism of which only laws of one level are visited."""

    def laws(self, keys: int, padding_length: int, epsilon: Fraction, bits: int = 64) -> Iterator[Law]:
        return (law for law in super().laws(keys, padding_length, epsilon, bits) if law.levels == ONE_LEVEL)


UE, GRR, COMPACT, COLLISION = (OneLevel(one.name, one.law, one.sampler) for one in SUBJECTS)


def _file(subject: Subject, half: str) -> str:
    return f"mechanisms/{subject.name.replace('-', '_')}/{half}.py"


def sampler(fault: str, subject: Subject, replaced: Mapping[str, str], check: Check) -> Fault:
    """Return a fault of a sampler."""
    file = _file(subject, "device")
    return Fault(fault, file, replaced, lambda device: check(replace(subject, sampler=device.perturb)))


def law(fault: str, subject: Subject, replaced: Mapping[str, str], check: Check) -> Fault:
    """Return a fault of a law: its thresholds, or what is stated of them."""
    file = _file(subject, "law")
    return Fault(fault, file, replaced, lambda module: check(replace(subject, law=faulty_class(module, subject.law))))


def check_audit(name: str) -> None:
    """`pckv audit` holds for few keys and for many, with and without the size question, and for unlisted keys."""
    for keys in AUDITED_KEYS:
        share = "0" if name == "ue" else "0.25"
        found = audit(audited_task({"name": name}, keys, 1, "1", share, levels=ONE_LEVEL))
        if not found.holds or found.levels != ONE_LEVEL:
            raise AuditFailure(f"audit of {name} without values: {found}")


def check_rare_error(name: str) -> None:
    """The parameters that are chosen have about the least error of a rare key that ε allows."""
    # Primes are remembered: those of a planted fault must not be found, and not stay.
    choose.cache_clear()
    try:
        _check_rare_error(name)
    finally:
        choose.cache_clear()


def _check_rare_error(name: str) -> None:
    for epsilon in EPSILONS:
        chosen = build(name, 1000, 1, Fraction(epsilon), {}, ONE_LEVEL)
        bound = float(exp_lower(Fraction(epsilon)))
        least = 4 * bound / (bound - 1) ** 2
        moments = CountMoments.of(chosen.count_law)
        error = moments.noise * (1 - moments.noise) / (moments.holder.mean_sum - moments.noise) ** 2
        if error > MOST_OVER_BEST * least:
            raise AuditFailure(f"error of {name} at ε = {epsilon}: {error / least:.4f} times the least")


def check_best_symbols() -> None:
    """No other number of symbols has a smaller error of a rare key: all are tried, far beyond the best."""
    for padding in (1, 2, 3, 5, 10):
        for epsilon in ("0.01", "0.1", "0.5", "1", "2", "3"):
            bound = exp_lower(Fraction(epsilon))
            best = best_symbols(padding, bound, ONE_LEVEL)
            errors = {t: _error(t, padding, bound) for t in range(padding + 1, 4 * int(padding * bound) + 12)}
            if errors.get(best) != min(errors.values()):
                raise AuditFailure(f"symbols: {best} with padding {padding} at ε = {epsilon}")


def _error(symbols: int, padding: int, bound: Fraction) -> Fraction:
    """Return b(1 - b)/(a - b)², from the chances that a report supports a key with and without it."""
    own, other = bound / (symbols - padding + padding * bound), Fraction(1, symbols)
    return other * (1 - other) / (own - other) ** 2


def check_symbols_are_refused() -> None:
    """Where no symbol is left that says none of the keys, a symbol would tell one for certain."""
    for symbols in (1, 2, 3):
        try:
            check_symbols(symbols, 3)
        except ParameterError:
            continue
        raise AuditFailure(f"symbols: {symbols} with padding 3")


BASE, PADDING, RESIDUES, BATCH = "mechanisms/base.py", "mechanisms/padding.py", "mechanisms/ue_compact/residues.py", "device/vectorised.py"  # fmt: skip
POSITIONS, COLLISION_LAW = "auditing/positions.py", "mechanisms/collision/law.py"
KEPT = "response_threshold(self.one, self.bound, self.q, self.r)"
HIT = "floor(self.one * self.bound / (self.symbols - self.padding + self.padding * self.bound))"
DRAWN = "below + tape.bernoulli(threshold) if law.levels > ONE_LEVEL else below"
FAKE = "(self.claim * self.silent + self.levels * self.kept)"
FAULTS = (
    sampler("a plane of signs", UE, {"if plus and has_signs:": "if plus:"}, check_sampler_equals_law),
    in_place("a plane of signs at position 8", "mechanisms/ue/device.py", {"if plus and has_signs:": "if plus and (has_signs or position == 8):"}, partial(check_audit, "ue")),
    sampler("fakes of either sign", UE, {"fake, either = law.fake, law.levels * law.fake": "fake, either = law.fake, 2 * law.fake"}, check_sampler_equals_law),
    sampler("a sampled key shown by its fake", UE, {"present = number < law.kept + law.flipped": "present = number < (law.kept + law.flipped if has_signs else law.fake)"}, check_sampler_equals_law),
    law("fakes as seldom as one of two signs", UE, {FAKE: FAKE.replace("self.levels", "2")}, check_exact_epsilon),
    law("a fake rounded down", UE, {"return ceil(Fraction(self.kept * self.one)": "return (ceil if self.levels > 1 else floor)(Fraction(self.kept * self.one)"}, check_exact_epsilon),
    law("a sign that is flipped", UE, {"(self.budget.value + 1)) if self.levels > ONE_LEVEL else 0": "(self.budget.value + 1))"}, check_law_sums_to_one),
    law("fakes of either sign in the count law", UE, {"Support.exclusive(self.levels, Fraction(self.fake, self.one)": "Support.exclusive(self.levels, Fraction(2 * self.fake // self.levels, self.one)"}, check_unbiased),
    sampler("the level of a dummy is drawn", GRR, {"draw_level(law, pair, tape)": "(pair[1] + tape.bernoulli(pair[2]))"}, check_sampler_equals_law),
    sampler("dummies with two levels", GRR, {"law.keys + tape.below(law.padding), 0,": "law.keys + tape.below(law.padding), tape.below(2),"}, check_sampler_equals_law),
    law("words of two levels", GRR, {"return self.levels * key + level": "return max(2, self.levels) * key + level"}, check_law_sums_to_one),
    law("kept as with half as many words", GRR, {"self.budget.value, self.symbols)": "self.budget.value, self.symbols if self.levels > 1 else -(-self.symbols // 2))"}, check_exact_epsilon),
    law("kept as with two levels", GRR, {"self.budget.value, self.symbols)": "self.budget.value, max(2, self.levels) * (self.keys + self.padding))"}, check_epsilon_is_used),
    sampler("dummies with a set of residues of their own", COMPACT, {"(law.keys, 0, law.one // 2)": "(law.keys, 0 if law.levels > 1 else -1, law.one // 2)"}, check_sampler_equals_law),
    sampler("always the first residue", COMPACT, {"(tape.below(law.r) if law.r > 1 else 0)": "(tape.below(law.r) if law.r > 1 < law.levels else 0)"}, check_sampler_epsilon),
    law("a set of residues rounded up", COMPACT, {KEPT: f"{KEPT} + (self.levels == 1)"}, check_exact_epsilon),
    law("a set of residues kept as one", COMPACT, {KEPT: KEPT.replace("self.r)", "self.r if self.levels > 1 else 1)")}, check_epsilon_is_used),
    sampler("a key with and without a level", COLLISION, {"    if function is None:": "    items += [item + law.keys for item in items if law.levels == 1]\n    if function is None:"}, check_sampler_equals_law),
    law("hits rounded up", COLLISION, {HIT: f"{HIT} + (self.levels == 1)"}, check_exact_epsilon),
    law("hits as with one key less", COLLISION, {HIT: HIT.replace("self.symbols -", "self.symbols - (self.levels == 1) -")}, check_exact_epsilon),
    law("items of two levels", COLLISION, {"return self.levels * key + level": "return max(2, self.levels) * key + level"}, check_supports),
    in_place("as many symbols as the padding", COLLISION_LAW, {'check_whole(symbols, "symbols")) <= padding': 'check_whole(symbols, "symbols")) < padding'}, check_symbols_are_refused),
    in_place("symbols of two levels", COLLISION_LAW, {"    if levels == ONE_LEVEL:\n        linear": "    if levels < ONE_LEVEL:\n        linear"}, check_best_symbols),
    in_place("symbols of about the least error", COLLISION_LAW, {"padding + floor(above / 2) + 3)": "max(padding + 1, padding + floor(above / 2) - 1) + 1)"}, check_best_symbols),
    in_place("an error without the padding", COLLISION_LAW, {"return (symbols - 1) * (others + padding * bound)": "return (symbols - 1) * (others + bound)"}, check_best_symbols),
    in_place("one residue, however large the error", RESIDUES, {"most, sets = ONE_LEVEL_FACTOR, range(1, MAX_RESIDUES + 1)": "most, sets = 2, range(1, 2)"}, partial(check_rare_error, "ue-compact")),
    in_place("residues of two levels", RESIDUES, {"    if levels == ONE_LEVEL:\n        most": "    if levels < ONE_LEVEL:\n        most"}, partial(check_rare_error, "ue-compact")),
    in_place("a level is drawn", PADDING, {DRAWN: "below + tape.bernoulli(threshold)"}, partial(check_audit, "grr")),
    in_place("a level is drawn for keys, too", PADDING, {DRAWN: "below + tape.bernoulli(threshold or 2**63)"}, partial(check_audit, "collision")),
    in_place("a plane of signs, batches", BATCH, {"planes[: law.message_format.planes * len(blocks)]": "planes"}, partial(check_batch_equals_single, "ue")),
    in_place("fakes of either sign, batches", BATCH, {"np.uint64(law.levels * law.fake)": "np.uint64(2 * law.fake)"}, partial(check_batch_equals_single, "ue")),
)  # fmt: skip


@pytest.mark.parametrize("mutant", FAULTS, ids=str)
def test_mutant_of_one_level_is_caught(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path)


@pytest.mark.parametrize("name", LAWS)
def test_audits_without_values(name: str) -> None:
    check_audit(name)


@pytest.mark.parametrize("name", ["ue", "ue-compact", "collision"])
def test_chosen_parameters_have_about_the_least_error(name: str) -> None:
    check_rare_error(name)


def test_symbols_have_the_least_error_of_all() -> None:
    check_best_symbols()
    check_symbols_are_refused()
