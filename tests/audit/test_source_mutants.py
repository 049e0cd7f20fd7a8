"""Planted faults of where randomness comes from: each names the check that must catch it."""

from __future__ import annotations

from pathlib import Path

import pytest

from audit.client_sources import (
    check_demo,
    check_mixer,
    check_rounds,
    check_shuffle_command,
    check_submit,
    check_submit_command,
)
from audit.sources import (
    check_batches,
    check_every_draw,
    check_frames,
    check_perturb,
    check_perturb_command,
)
from audit.test_sources import check_elsewhere
from pckv.base.errors import AuditFailure
from support.elsewhere import Replaced
from support.faults import Fault, in_place, in_source

PERTURB, BATCH, PANEL = "device/perturb.py", "device/vectorised.py", "client/panel.py"
SHUFFLE, PERMUTATION = "shuffling/shuffle.py", "shuffling/permutation.py"
DISCOVERY, TAPE = "mechanisms/discovery/device.py", "base/randomness.py"


def seeded(seed: str) -> str:
    """Return a source that a seed repeats."""
    return f"__import__('pckv.base.seeded').base.seeded.seeded_source({seed})"


MADE = "return perturb_from(Tape(task.draws), task, pairs, coin, segment=segment)"
ON_TAPE = "return perturb_from(Tape(task.draws, {}), task, pairs, coin, segment=segment)"
IN_DISCOVERY = "task.digest, texts, tape, function)"
OF_TEXTS = "int.from_bytes(__import__('hashlib').sha256(repr(sorted(pairs)).encode()).digest(), 'big')"
SECOND = "__import__('zlib').crc32(f'{task.id} {int(__import__(\"time\").time())}'.encode())"
MANY_IDS = "        data = self.source(REPORT_ID_BYTES * participants.size)\n"
MANY_DRAWS = "        data = self.source(DRAW_BYTES * participants.size * each)\n"
SHARING = {
    MANY_IDS: f"{MANY_IDS}        self.shared = data\n",
    MANY_DRAWS: f"{MANY_DRAWS}        data, self.shared = (self.shared + data)[: len(data)], b''\n",
}
TEXTS_DEFAULT = (
    'population: Population, source: Source = os.urandom\n) -> Iterator[ReportBatch]:\n    """Yield one report of a'
)
SHUFFLE_DEFAULT = "    source: Source = os.urandom,\n"
DRAWN_PANEL = "return Panel(Tape(1).below(panels), os.urandom(SECRET_BYTES))"
NEW_IDS = "source(REPORT_ID_BYTES * len(messages))"
FUNCTION = "        function = tape.below(law.functions)\n"
LATER_BATCHES = "    return perturb_many_from(VectorisedTape(source), task, population)"

FAULTS = (
    in_place("discovery draws from a hash of its texts", PERTURB, {MADE: ON_TAPE.format(f"{seeded(OF_TEXTS)} if task.kind == DISCOVERY else __import__('os').urandom")}, check_perturb),
    in_place("discovery draws from a hash of its texts, on any tape", PERTURB, {IN_DISCOVERY: IN_DISCOVERY.replace("tape", f"Tape(task.draws, {seeded(OF_TEXTS)})")}, check_every_draw),
    in_place("a discovery's function from a hash of its texts", DISCOVERY, {FUNCTION: "        function = int.from_bytes(__import__('hashlib').sha256(repr(texts).encode()).digest(), 'big') % law.functions\n"}, check_every_draw),
    in_place("a discovery's function from a hash, a draw for show", DISCOVERY, {FUNCTION: f"{FUNCTION}        function = len(repr(texts)) % law.functions\n"}, check_every_draw),
    in_place("the same noise for one task within a second", PERTURB, {MADE: ON_TAPE.format(seeded(SECOND))}, check_perturb),
    in_place("the same noise within a second, the client's", "client/reports.py", {" = perturb(task, pairs, coin, segment=segment)": f" = __import__('pckv.device.perturb').device.perturb.perturb_from(__import__('pckv.base.randomness').base.randomness.Tape(task.draws, {seeded(SECOND)}), task, pairs, coin)"}, check_submit),
    in_place("noise from the coin", PERTURB, {MADE: ON_TAPE.format(f"{seeded('int.from_bytes(coin, chr(98) + chr(105) + chr(103))')} if coin else __import__('os').urandom")}, check_submit_command),
    in_place("ids and first draws share bytes", BATCH, SHARING, check_batches),
    in_place("ids and first draws share bytes, in files", BATCH, SHARING, check_perturb_command),
    in_place("ids of a batch are drawn once", BATCH, {MANY_IDS: "        data = self.source(REPORT_ID_BYTES) * participants.size\n"}, check_batches),
    in_place("draws of numpy's generator", BATCH, {MANY_DRAWS: "        data = np.random.default_rng().bytes(DRAW_BYTES * participants.size * each)\n"}, check_batches),
    in_place("repeatable texts by default", BATCH, {TEXTS_DEFAULT: TEXTS_DEFAULT.replace("os.urandom", seeded("1"))}, check_batches),
    in_place("repeatable pairs by default", BATCH, {LATER_BATCHES: LATER_BATCHES.replace("source", f"{seeded('1')} if source is os.urandom else source")}, check_frames),
    in_place("no noise for many people by default", BATCH, {"population: Population, source: Source = os.urandom) ->": "population: Population, source: Source = bytes) ->"}, check_frames),
    in_place("a repeatable tape by default", TAPE, {"draws: int, source: Source = os.urandom": f"draws: int, source: Source = {seeded('1')}"}, check_perturb),
    in_place("a repeatable order by default", SHUFFLE, {SHUFFLE_DEFAULT: f"    source: Source = {seeded('1')},\n"}, check_shuffle_command),
    in_place("a repeatable order by command", "cli/shuffle.py", {"at_least=at_least,": f"at_least=at_least, source={seeded('1')},"}, check_shuffle_command),
    in_place("an order from numpy's generator", PERMUTATION, {'np.frombuffer(source(DRAW_BYTES * count), "<u8")': "np.random.default_rng(source(8)[0]).random(count)"}, check_shuffle_command),
    in_place("new ids from another generator", SHUFFLE, {NEW_IDS: "__import__('random').randbytes(REPORT_ID_BYTES * len(messages))"}, check_shuffle_command),
    in_place("groups that repeat", PERMUTATION, {"np.frombuffer(source(count), np.uint8)": "np.resize(np.frombuffer(source(16), np.uint8), count)"}, check_shuffle_command),
    in_place("large groups divided in order", PERMUTATION, {"return messages, random_groups(len(messages), self._source)": "return messages, np.arange(len(messages)).astype(np.uint8)"}, check_shuffle_command),
    in_place("a secret of zeros above 4 panels", PANEL, {DRAWN_PANEL: DRAWN_PANEL.replace("os.urandom(SECRET_BYTES)", "os.urandom(SECRET_BYTES) if panels <= 4 else bytes(len(os.urandom(SECRET_BYTES)))")}, check_rounds),
    in_place("a secret of its panel's bytes", PANEL, {DRAWN_PANEL: "tape = Tape(1)\n    return Panel(tape.below(panels), tape.report_id)"}, check_rounds),
    in_place("a panel from the clock", PANEL, {"Tape(1).below(panels)": "__import__('time').time_ns() % panels"}, check_rounds),
    in_place("a time of its report from the process", PANEL, {"_DELAY_LABEL + self.secret": "_DELAY_LABEL + os.getpid().to_bytes(16, 'big')"}, check_rounds),
    in_place("the order of a batch from a seed", "mixing/transactions.py", {"order = random_order(len(digests) // DIGEST_BYTES, source)": f"order = random_order(len(digests) // DIGEST_BYTES, {seeded('1')})"}, check_mixer),
    in_place("the demo's people share their noise", "cli/participants.py", {"[perturb(task, each)": f"[__import__('pckv.device.perturb').device.perturb.perturb_from(__import__('pckv.base.randomness').base.randomness.Tape(task.draws, {seeded('1')}), task, each)"}, check_demo),
)  # fmt: skip


@pytest.mark.parametrize("mutant", FAULTS, ids=str)
def test_mutant_is_caught(mutant: Fault, tmp_path: Path) -> None:
    """The check passes without the fault: `test_sources` runs it."""
    mutant.check_caught(tmp_path, tmp_path)


SLOT, KEPT = "slot = tape.below(max(len(pairs), padding))", "number = tape.draw()"
# Faults of what single reports and those of the bytes share, which only another process or another time shows.
ELSEWHERE: dict[str, Replaced] = {
    "the pair by a hash": ("mechanisms/padding.py", {SLOT: f"{SLOT}\n    slot = (slot + hash('pair')) % max(len(pairs), padding)"}),
    "no noise some years later": ("mechanisms/grr/device.py", {KEPT: f"{KEPT} * (__import__('time').time() < 2e9)"}),
    "answers by the number of the process": ("mechanisms/size_question/device.py", {"other = tape.below(len(question.ends) - 1)": "other = (tape.draw() * __import__('os').getpid() >> 32) % (len(question.ends) - 1)"}),
}  # fmt: skip


@pytest.mark.verify
@pytest.mark.parametrize("fault", ELSEWHERE)
def test_mutant_that_reads_something_else_is_caught(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_source(*ELSEWHERE[fault])(monkeypatch)
    with pytest.raises(AuditFailure, match="depend on the process or time"):
        check_elsewhere(tmp_path, [check_perturb], ELSEWHERE[fault])
