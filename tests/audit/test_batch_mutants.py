"""Planted faults of the device code for many participants, and of the tapes: each names the check that must catch it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from audit.batches import check_batch_equals_single, check_full_batch, check_rare_answers, check_rare_draws
from audit.tapes import (
    check_no_history,
    check_report_ids,
    check_scalar_tape,
    check_vectorised_tape,
)
from support.faults import Fault, in_place

pytestmark = pytest.mark.usefixtures("fewer_draws")

BATCH, PERTURB, UE = "device/vectorised.py", "device/perturb.py", "mechanisms/ue/device.py"
batch = {name: partial(check_batch_equals_single, name) for name in ("ue", "grr", "ue-compact", "collision")}
rare = {name: partial(check_rare_draws, name) for name in batch}

DRAWN = 'return np.frombuffer(data, "<u8").astype(np.uint64, copy=False)'
NUMBERS = 'numbers = np.frombuffer(data, "<u8").astype(np.uint64)\n        {}\n        return numbers'
SHARED = {DRAWN: NUMBERS.format("numbers[numbers.size // 2 : numbers.size // 2 * 2] = numbers[: numbers.size // 2]")}
EACH = "participants: Integers, each: int = 1)"
LAST = {
    EACH: EACH.replace(")", ", kept=[])"),
    DRAWN: NUMBERS.format(
        "numbers[:1], kept[:] = (kept[:1] if kept else numbers[:1].copy()), numbers[-1:].copy() if numbers.size else kept"
    ),
}
MANY = "return perturb_many_from(VectorisedTape(source), task, population)"
WITH_SIZES = "return (batch._replace(ids=np.hstack([batch.ids[:, :15], population.sizes[: len(batch.ids), None].astype(np.uint8)])) for batch in {})"
SAMPLED = "    return Sampled(participants, real, keys, below, chances)"
SKIPPED = "symbols += np.bincount(owners[skipped], minlength=users)"
OF_GRR, OF_COMPACT = (
    "sampled.below + tape.rises(participants, sampled.chances)\n",
    "sampled.below + tape.rises(participants, sampled.chances))",
)
PAIRS = "    participants = taken.participants\n    levels"
FIRST = "    first = np.flatnonzero(np.diff(taken.owners, prepend=-1))\n    taken = taken._replace(owners=taken.owners[first], keys=taken.keys[first], below=taken.below[first], chances=taken.chances[first])\n"
WORDS = "    words[moved] = others + law.set_apart * (others >= words[moved] & -law.set_apart)\n    return words"
REPEATED = "\n    first, further = np.split(words, [100_000])\n    return np.concatenate([first, first[: len(further)], further[len(first) :]])"
PRESENT = "present = numbers < np.uint64(law.levels * law.fake)"
HITS = "hits = numbers < counts"
HIDDEN = "    return functions * law.q + (residues"
GRR_DRAW, UE_DRAW = (
    "    numbers = tape.draw(participants)\n    moved",
    "tape.draw(sampled.participants, len(keys)).reshape(-1, len(keys))",
)
MADE, MESSAGE = "        return sampler(law, pairs, tape)", "label: int = 0\n) -> int"
SIZES = "sizes = np.clip(sizes, question.padding, question.keys)"
AGAIN = "results[again] = self.below(\n                participants[again], limits[again] if isinstance(limits, np.ndarray) else limits\n            )"
FAULTS = (
    in_place("half of a batch shares its draws", BATCH, SHARED, check_vectorised_tape),
    in_place("half of a batch shares its draws, replayed", BATCH, SHARED, batch["grr"]),
    in_place("every 1000th shares noise", BATCH, {DRAWN: NUMBERS.format("numbers[::1000] = numbers[:1]")}, check_vectorised_tape),
    in_place("neighbours exchange draws", BATCH, {"numbers = self.draw(participants)\n": "numbers = self.draw(participants[::-1])\n"}, batch["ue-compact"]),
    in_place("ids carry sizes, batches from a tape", BATCH, {"ids = tape.report_ids(participants)\n        chosen": "ids = tape.report_ids(participants).copy()\n        ids[:, 15] = part.sizes\n        chosen"}, batch["grr"]),
    in_place("ids carry sizes, batches", BATCH, {MANY: WITH_SIZES.format(MANY.removeprefix("return "))}, partial(check_report_ids, "ue")),
    in_place("ids carry sizes, single reports", PERTURB, {"or tape.report_id,": "or tape.report_id[:15] + bytes([len(pairs)]),"}, partial(check_report_ids, "grr")),
    in_place("first pair from five on", BATCH, {SAMPLED: f"    keys[sizes >= 5] = population.keys[population.offsets[:-1][sizes >= 5]]\n{SAMPLED}"}, batch["grr"]),
    in_place("own symbols not skipped", BATCH, {SKIPPED: f"{SKIPPED} * (not 4 <= law.symbols <= 49)"}, batch["collision"]),
    in_place("padding capped", BATCH, {"np.maximum(sizes, task.law.padding)": "np.maximum(sizes, min(task.law.padding, 10))"}, batch["ue"]),
    in_place("taken pairs capped", BATCH, {"choose_rows(population, task.padding,": "choose_rows(population, min(task.padding, 10),"}, batch["collision"]),
    in_place("neighbours exchange labels", BATCH, {"_by_group(task.derivation, kept, population.labels)": "_by_group(task.derivation, kept, np.roll(population.labels, 1))"}, batch["collision"]),
    in_place("a label is reported with a key alone", BATCH, {"everybody = np.arange(labels.size)": "everybody = np.full(labels.size, kept.owners[0] if kept.owners.size else 0)"}, batch["collision"]),
    in_place("a label has the level of a value", BATCH, {"np.concatenate([np.zeros_like(labels), kept.below])": "np.concatenate([np.ones_like(labels), kept.below])"}, batch["collision"]),
    in_place("keys that are far apart are not together", BATCH, {"for distance in range(1, most):": "for distance in range(1, min(most, 3)):"}, batch["collision"]),
    in_place("keys in the order of rows", BATCH, {"np.lexsort((kept.keys, kept.owners))": "np.argsort(kept.owners, kind='stable')"}, batch["collision"]),
    in_place("sizes of keys together rounded as those of keys", BATCH, {"for place in range(order)]": "for place in range(1)]"}, batch["collision"]),
    in_place("keys are sampled, not their items", BATCH, {"        population = _with_items(_take(task, population, participants, tape))": "        pass"}, batch["grr"]),
    in_place("neighbours exchange items", BATCH, {"taken.keys[order].astype": "np.roll(taken.keys[order], 1).astype"}, batch["grr"]),
    in_place("pairs of keys are sampled in another order", BATCH, {'np.argsort(children, kind="stable")': 'np.argsort(-children, kind="stable")'}, batch["grr"]),
    in_place("dummies capped", BATCH, {"np.uint64(law.padding)": "np.uint64(min(law.padding, 10))"}, batch["grr"]),
    in_place("only one dummy", BATCH, {"np.uint64(law.padding)": "np.uint64(1)"}, batch["grr"]),
    in_place("dummies with a minus", BATCH, {OF_GRR: OF_GRR.replace("chances)", "chances * sampled.real)")}, batch["grr"]),
    in_place("dummies with a minus, residues", BATCH, {OF_COMPACT: OF_COMPACT.replace("chances)", "chances * sampled.real)")}, batch["ue-compact"]),
    in_place("the first digit alone", BATCH, {"law.product(functions, sampled.keys)": "law.product(functions, sampled.keys % law.q)"}, batch["ue-compact"]),
    in_place("the true residue not skipped", BATCH, {"others + law.r * (others >= residues[moved])": "others"}, batch["ue-compact"]),
    in_place("negative values lose their sign", BATCH, {"    levels = np.array(task.level_values)": "    values = abs(values)\n    levels = np.array(task.level_values)"}, batch["grr"]),
    in_place("one pair only", BATCH, {PAIRS: FIRST + PAIRS}, batch["collision"]),
    in_place("signs lost", BATCH, {"tape.rises(participants[taken.owners], taken.chances)": "tape.rises(participants[taken.owners], np.full_like(taken.chances, VALUE_ONE))"}, batch["collision"]),
    in_place("sizes cut at the padding", BATCH, {SIZES: SIZES.replace("question.keys", "question.padding")}, batch["grr"]),
    in_place("sizes rounded up", BATCH, {"    between =": "    sizes = ends[answers]\n    between ="}, batch["grr"]),
    in_place("large batches repeat", BATCH, {WORDS: WORDS.removesuffix("\n    return words") + REPEATED}, partial(check_full_batch, "grr")),
    in_place("no fakes from key 4096 on, batches", BATCH, {PRESENT: f"{PRESENT}\n    present &= np.array(keys) < 4096"}, batch["ue"]),
    in_place("no fakes from key 4096 on, single reports", UE, {"present = number < either": "present = number < either and position < 4096"}, batch["ue"]),
    in_place("a function names a pair", BATCH, {HITS: f"numbers = np.where(functions % 4_093 == 11, np.uint64(0), numbers)\n    {HITS}"}, rare["collision"]),
    in_place("an affine function names a pair", BATCH, {HIDDEN: f"    residues = np.where((functions % 4_093 == 40) & sampled.real, 0, residues)\n{HIDDEN}"}, rare["ue-compact"]),
    in_place("a low band keeps the truth", BATCH, {GRR_DRAW: GRR_DRAW.replace("(participants)\n", "(participants).copy()\n    numbers[numbers & np.uint64(0xFFFF) == 7] = 0\n")}, rare["grr"]),
    in_place("a high band keeps the truth", BATCH, {UE_DRAW: f"{UE_DRAW}.copy()\n    numbers[numbers >> np.uint64(48) == 0xBEEF] = 0"}, rare["ue"]),
    in_place("a band of answers keeps the truth", BATCH, {"np.flatnonzero(tape.draw(participants) >= np.uint64(question.kept))": "np.flatnonzero(((drawn := tape.draw(participants)) >= np.uint64(question.kept)) & (drawn & np.uint64(0xFFFF) != 7))"}, partial(check_rare_answers, "grr")),
    in_place("thresholds off by one", BATCH, {"tape.draw(participants) < np.uint64(law.kept)": "tape.draw(participants) <= np.uint64(law.kept)"}, batch["ue-compact"]),
    in_place("pairs not shuffled", BATCH, {"order[current], order[other] = order[other], order[current]": "pass"}, batch["collision"]),
    in_place("every 1009th report repeats", PERTURB, {MESSAGE: MESSAGE.replace(")", ", kept=[0, 0])"), MADE: "        kept[0] += 1\n        made = sampler(law, pairs, tape)\n        kept[1] = made if kept[0] % 1009 else kept[1]\n        return made if law.name == 'ue' else kept[1] % law.message_format.limit"}, partial(check_no_history, "grr")),
    in_place("reports remembered by pairs", PERTURB, {MESSAGE: MESSAGE.replace(")", ", kept={})"), MADE: "        return kept.setdefault((task.id, tuple(pairs)), sampler(law, pairs, tape))"}, partial(check_no_history, "ue")),
    in_place("a batch reuses a draw of the last", BATCH, LAST, partial(check_no_history, "collision")),
    in_place("neighbours answer each other's size", BATCH, {SIZES: SIZES.replace("(sizes", "(np.roll(sizes, 1)")}, batch["grr"]),
    in_place("no noise alone in a batch", BATCH, {UE_DRAW: f"{UE_DRAW} * np.uint64(sampled.keys.size > 1)"}, batch["ue"]),
    in_place("no rejection", BATCH, {"        if again.size:": "        if not again.size:"}, check_vectorised_tape),
    in_place("all drawn again for one", BATCH, {AGAIN: "return self.below(participants, limits)"}, check_vectorised_tape),
    in_place("levels off by one", BATCH, {"np.uint64(VALUE_SHIFT) < chances": "np.uint64(VALUE_SHIFT) <= chances"}, check_vectorised_tape),
    in_place("later blocks repeat the id", "base/randomness.py", {"unpack(self._source(DRAW_BYTES * count))": "unpack((self.report_id * count)[: DRAW_BYTES * count])"}, check_scalar_tape),
)  # fmt: skip


@pytest.mark.parametrize("mutant", FAULTS, ids=str)
def test_mutant_is_caught(mutant: Fault, tmp_path: Path) -> None:
    """The check passes without the fault: `test_batches` runs it."""
    mutant.check_caught(tmp_path)
