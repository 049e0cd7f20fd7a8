"""Planted faults of the device code for many participants, and of the tapes: each names the check that must catch it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from audit.batches import (
    check_batch_equals_single,
    check_full_batch,
    check_rare_answers,
    check_rare_draws,
)
from audit.tapes import (
    check_default_sources,
    check_no_history,
    check_report_ids,
    check_scalar_tape,
    check_vectorised_tape,
)
from pckv.base.errors import AuditFailure
from pckv.base.randomness import Tape
from pckv.base.seeded import seeded_source
from pckv.device import perturb as single
from pckv.device import vectorised
from pckv.device.vectorised import ReportBatch, Taken, VectorisedTape
from support.batch_faults import (
    ChangedTape,
    dummies_with_a_minus,
    first_digit_only,
    large_batches_repeat,
    many_sampler,
    one_dummy,
    one_pair_only,
    one_sampler,
    replaced,
    signs_lost,
    sizes_cut_at_the_padding,
    sizes_rounded_up,
    true_residue_not_skipped,
    with_padding,
    with_task_padding,
)
from support.faults import PatchedFault

pytestmark = pytest.mark.usefixtures("fewer_draws")

CAP = 10
SEEDED = seeded_source(0)


def shared_draws(right: Any) -> Any:
    def draw(self: Any, participants: Any, each: int = 1) -> Any:
        numbers = right(self, participants, each).copy()
        half = numbers.size // 2
        numbers[half : 2 * half] = numbers[:half]
        return numbers

    return draw


def every_1000th_shares(right: Any) -> Any:
    def draw(self: Any, participants: Any, each: int = 1) -> Any:
        numbers = right(self, participants, each).copy()
        numbers[::1000] = numbers[:1]
        return numbers

    return draw


def draws_of_the_neighbour(right: Any) -> Any:
    return lambda self, participants, limits: right(self, participants[::-1], limits)


def sizes_in_ids(right: Any) -> Any:
    def reports(*arguments: Any) -> Any:
        people = next(each for each in arguments if hasattr(each, "sizes"))
        start = 0
        for batch in right(*arguments):
            ids = batch.ids.copy()
            ids[:, 15] = people.sizes[start : start + len(ids)]
            start += len(ids)
            yield ReportBatch(ids, batch.messages)

    return reports


def size_in_id(right: Any) -> Any:
    def report(tape: Any, task: Any, pairs: Any) -> Any:
        made = right(tape, task, pairs)
        return made._replace(id=made.id[:15] + bytes([len(pairs)]))

    return report


def first_pair_from_five_on(right: Any) -> Any:
    def sample(task: Any, population: Any, participants: Any, tape: Any) -> Any:
        sampled = right(task, population, participants, tape)
        many = np.flatnonzero(population.sizes >= 5)
        keys = sampled.keys.copy()
        keys[many] = population.keys[population.offsets[many]]
        return sampled._replace(keys=keys)

    return sample


def own_symbols_not_skipped(right: Any) -> Any:
    def perturb(law: Any, taken: Any, tape: Any) -> Any:
        heard = ChangedTape(tape)
        words = right(law, taken, heard)
        assert heard.last_below is not None
        if 4 <= law.symbols <= 49:
            missed, drawn = heard.last_below
            places = np.searchsorted(taken.participants, missed)
            words[places] += drawn - words[places] % law.symbols
        return words

    return perturb


def capped_padding(right: Any) -> Any:
    return lambda task, *rest: right(with_task_padding(task, min(task.padding, CAP)), *rest)


def capped_dummies(right: Any) -> Any:
    return lambda law, *rest: right(with_padding(law, min(law.padding, CAP)), *rest)


def no_fakes_in_planes(right: Any) -> Any:
    def perturb(law: Any, sampled: Any, tape: Any) -> Any:
        planes = right(law, sampled, tape)
        plane, first = law.message_format.plane_bytes, 4096 // 8
        planes[:, first:plane] = 0
        planes[:, plane + first :] = 0
        return planes

    return perturb


def no_fakes_in_a_message(right: Any) -> Any:
    def perturb(law: Any, pairs: Any, tape: Any) -> int:
        plane: int = 8 * law.message_format.plane_bytes
        shown = (1 << 4096) - 1
        return int(right(law, pairs, tape)) & (shown | shown << plane)

    return perturb


def telling_function(right: Any) -> Any:
    def perturb(law: Any, taken: Any, tape: Any) -> Any:
        words = right(law, taken, tape)
        functions = words // law.symbols
        telling = functions[taken.owners] % 65_521 == 11
        item = law.item(taken.keys[telling].astype(np.uint64), np.uint64(1))
        shown = law.symbol(functions[taken.owners[telling]].astype(np.uint64), item).astype(np.int64)
        words[taken.owners[telling]] = functions[taken.owners[telling]] * law.symbols + shown
        return words

    return perturb


def telling_affine_function(right: Any) -> Any:
    def perturb(law: Any, sampled: Any, tape: Any) -> Any:
        words = right(law, sampled, tape)
        functions = words // law.q
        telling = (functions % 65_521 == 40) & sampled.real
        shown = -law.product(functions, sampled.keys) % law.q
        return np.where(telling, functions * law.q + shown, words)

    return perturb


def low_bits_keep_the_truth(numbers: Any) -> Any:
    numbers[numbers & np.uint64(0xFFFF) == 7] = 0
    return numbers


def high_bits_keep_the_truth(numbers: Any) -> Any:
    numbers[numbers >> np.uint64(48) == 0xBEEF] = 0
    return numbers


def one_less(numbers: Any) -> Any:
    numbers[numbers > 0] -= np.uint64(1)
    return numbers


def on_tape(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A sampler whose draws, but not its numbers below limits, are changed."""
    return lambda right: lambda law, chosen, tape: right(law, chosen, ChangedTape(tape, change))


def asked_in_a_band(right: Any) -> Any:
    return lambda question, sizes, people, tape: right(
        question, sizes, people, ChangedTape(tape, low_bits_keep_the_truth)
    )


def not_shuffled(right: Any) -> Any:
    def take(task: Any, population: Any, participants: Any, tape: Any) -> Taken:
        right(task, population, participants, tape)
        most = task.law.padding
        first = np.arange(population.keys.size) - np.repeat(population.offsets[:-1], population.sizes) < most
        owners = np.repeat(np.arange(len(population)), population.sizes)[first]
        below, chances = vectorised._placed(task, population.values[first])
        return Taken(participants, owners, population.keys[first].astype(np.int64), below, chances)

    return take


def every_1009th_repeats(right: Any) -> Any:
    count, last = itertools.count(1), [0]

    def perturb(law: Any, pairs: Any, tape: Any) -> int:
        made = int(right(law, pairs, tape))
        if next(count) % 1009:
            last[0] = made
        return last[0] % law.message_format.limit if law.name != "ue" else made

    return perturb


def remembered_by_pairs(right: Any) -> Any:
    known: dict[Any, Any] = {}

    def message(task: Any, pairs: Any, tape: Any) -> int:
        made = right(task, pairs, tape)
        return int(known.setdefault((task.id, tuple(pairs)), made))

    return message


def last_batch_lives_on(right: Any) -> Any:
    kept: list[Any] = []

    def draw(self: Any, participants: Any, each: int = 1) -> Any:
        numbers = right(self, participants, each).copy()
        if kept and numbers.size:
            numbers[0] = kept[0]
        kept[:] = [numbers[-1]] if numbers.size else kept
        return numbers

    return draw


def without_minus(right: Any) -> Any:
    return lambda task, values: right(task, abs(values))


def neighbours_swapped(right: Any) -> Any:
    return lambda question, sizes, people, tape: right(question, np.roll(sizes, 1), people, tape)


def alone_without_noise(right: Any) -> Any:
    def messages(task: Any, population: Any, participants: Any, tape: Any) -> Any:
        if len(population) == 1:
            tape = ChangedTape(tape, np.zeros_like)
        return right(task, population, participants, tape)

    return messages


def without_rejection(_: Any) -> Any:
    return lambda self, participants, limits: (self.draw(participants) % limits).view(np.int64)


def all_drawn_again(_: Any) -> Any:
    def below(self: Any, participants: Any, limits: Any) -> Any:
        while True:
            numbers = self.draw(participants)
            results = numbers % limits
            if not (numbers - results > np.uint64(2**64 - 1) - limits + np.uint64(1)).any():
                return results.view(np.int64)

    return below


def rises_too_often(_: Any) -> Any:
    return lambda self, participants, chances: self.draw(participants) >> np.uint64(11) <= chances


def first_block_again(right: Any) -> Any:
    def draw_from_next_block(self: Any) -> int:
        source, self._source = self._source, lambda count: (self.report_id * count)[:count]
        made = int(right(self))
        self._source = source
        return made

    return draw_from_next_block


def not_from_the_system(right: Any) -> Any:
    def initialise(self: Any, source: Any = SEEDED) -> None:
        right(self, source)

    return initialise


batch = {name: partial(check_batch_equals_single, name) for name in ("ue", "grr", "ue-compact", "collision")}
rare = {name: partial(check_rare_draws, name) for name in batch}

FAULTS = (
    PatchedFault("half of a batch shares its draws", replaced(VectorisedTape, "draw", shared_draws), check_vectorised_tape),
    PatchedFault("half of a batch shares its draws, replayed", replaced(VectorisedTape, "draw", shared_draws), batch["grr"]),
    PatchedFault("every 1000th shares noise", replaced(VectorisedTape, "draw", every_1000th_shares), check_vectorised_tape),
    PatchedFault("neighbours exchange draws", replaced(VectorisedTape, "below", draws_of_the_neighbour), batch["ue-compact"]),
    PatchedFault("ids carry sizes, batches from a tape", replaced(vectorised, "perturb_many_from", sizes_in_ids), batch["grr"]),
    PatchedFault("ids carry sizes, batches", replaced(vectorised, "perturb_many", sizes_in_ids), partial(check_report_ids, "ue")),
    PatchedFault("ids carry sizes, single reports", replaced(single, "perturb_from", size_in_id), partial(check_report_ids, "grr")),
    PatchedFault("first pair from five on", replaced(vectorised, "_sample", first_pair_from_five_on), batch["grr"]),
    PatchedFault("own symbols not skipped", many_sampler(own_symbols_not_skipped), batch["collision"]),
    PatchedFault("padding capped", replaced(vectorised, "_sample", capped_padding), batch["ue"]),
    PatchedFault("taken pairs capped", replaced(vectorised, "_take", capped_padding), batch["collision"]),
    PatchedFault("dummies capped", many_sampler(capped_dummies), batch["grr"]),
    PatchedFault("only one dummy", many_sampler(one_dummy), batch["grr"]),
    PatchedFault("dummies with a minus", many_sampler(dummies_with_a_minus), batch["grr"]),
    PatchedFault("dummies with a minus, residues", many_sampler(dummies_with_a_minus), batch["ue-compact"]),
    PatchedFault("the first digit alone", many_sampler(first_digit_only), batch["ue-compact"]),
    PatchedFault("the true residue not skipped", many_sampler(true_residue_not_skipped), batch["ue-compact"]),
    PatchedFault("negative values lose their sign", replaced(vectorised, "_placed", without_minus), batch["grr"]),
    PatchedFault("one pair only", many_sampler(one_pair_only), batch["collision"]),
    PatchedFault("signs lost", many_sampler(signs_lost), batch["collision"]),
    PatchedFault("sizes cut at the padding", replaced(vectorised, "answer_sizes", sizes_cut_at_the_padding), batch["grr"]),
    PatchedFault("sizes rounded up", replaced(vectorised, "answer_sizes", sizes_rounded_up), batch["grr"]),
    PatchedFault("large batches repeat", many_sampler(large_batches_repeat), partial(check_full_batch, "grr")),
    PatchedFault("no fakes from key 4096 on, batches", many_sampler(no_fakes_in_planes), batch["ue"]),
    PatchedFault("no fakes from key 4096 on, single reports", one_sampler(no_fakes_in_a_message), batch["ue"]),
    PatchedFault("a function names a pair", many_sampler(telling_function), rare["collision"]),
    PatchedFault("an affine function names a pair", many_sampler(telling_affine_function), rare["ue-compact"]),
    PatchedFault("a low band keeps the truth", many_sampler(on_tape(low_bits_keep_the_truth)), rare["grr"]),
    PatchedFault("a high band keeps the truth", many_sampler(on_tape(high_bits_keep_the_truth)), rare["ue"]),
    PatchedFault("a band of answers keeps the truth", replaced(vectorised, "answer_sizes", asked_in_a_band), partial(check_rare_answers, "grr")),
    PatchedFault("thresholds off by one", many_sampler(on_tape(one_less)), batch["ue-compact"]),
    PatchedFault("pairs not shuffled", replaced(vectorised, "_take", not_shuffled), batch["collision"]),
    PatchedFault("every 1009th report repeats", one_sampler(every_1009th_repeats), partial(check_no_history, "grr")),
    PatchedFault("reports remembered by pairs", replaced(single, "make_message", remembered_by_pairs), partial(check_no_history, "ue")),
    PatchedFault("a batch reuses a draw of the last", replaced(VectorisedTape, "draw", last_batch_lives_on), partial(check_no_history, "collision")),
    PatchedFault("neighbours answer each other's size", replaced(vectorised, "answer_sizes", neighbours_swapped), batch["grr"]),
    PatchedFault("no noise alone in a batch", replaced(vectorised, "_messages", alone_without_noise), batch["ue"]),
    PatchedFault("no rejection", replaced(VectorisedTape, "below", without_rejection), check_vectorised_tape),
    PatchedFault("all drawn again for one", replaced(VectorisedTape, "below", all_drawn_again), check_vectorised_tape),
    PatchedFault("levels off by one", replaced(VectorisedTape, "rises", rises_too_often), check_vectorised_tape),
    PatchedFault("later blocks repeat the id", replaced(Tape, "_draw_from_next_block", first_block_again), check_scalar_tape),
    PatchedFault("randomness not from the system", replaced(VectorisedTape, "__init__", not_from_the_system), check_default_sources),
)  # fmt: skip


@pytest.mark.parametrize("planted", FAULTS, ids=str)
def test_caught(planted: PatchedFault, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check passes without the fault: `test_batches` runs it."""
    planted.plant(monkeypatch)
    with pytest.raises(AuditFailure):
        planted.caught_by()
