"""What a device does, and when, does not depend on its pairs: all that is seen of it but the private part of its report."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from support.faults import Fault, in_place
from support.holdings import (
    FAILURES,
    SHORT,
    SHORT_REFUSALS,
    SUBJECTS,
    THOROUGH,
    Run,
    check_alike,
    check_refusals,
    nothing,
    task_of,
)
from support.observed_client import observe_all, refuse
from support.tiers import wide


@pytest.mark.parametrize("name", [*SHORT, *wide(*(name for name in SUBJECTS if name not in SHORT))])
def test_devices_that_differ_in_their_pairs_look_alike(name: str) -> None:
    check_alike(observe_all, name)


@pytest.mark.verify
@pytest.mark.parametrize("name", THOROUGH)
def test_devices_with_all_kinds_of_pairs_look_alike(name: str) -> None:
    check_alike(observe_all, name, few=False)


@pytest.mark.parametrize("name", [*SHORT_REFUSALS, *wide(*(name for name in SUBJECTS if name not in SHORT_REFUSALS))])
def test_wrong_pairs_are_refused_before_anything_is_asked_or_stored(name: str) -> None:
    check_refusals(refuse, name)


def test_devices_report_and_retry() -> None:
    """So that they are not alike for doing nothing."""
    for name in SHORT:
        held = nothing(task_of(SUBJECTS[name]))
        lost, unanswered, _, refused = observe_all(SUBJECTS[name], [Run(held, way, 1) for way in range(len(FAILURES))])
        for seen in (lost, unanswered):
            assert {entry.status for entry in seen["results"][-1]} == {"sent"}
            assert len(seen["pauses"]) >= 2
            assert any(name.endswith(".report") for name in seen["files"][-1])
        assert refused["results"][-1][0].status == "refused"


PERTURB, ROUNDS, CLIENT = "device/perturb.py", "client/rounds.py", "client/client.py"
MESSAGES, OTHERS, HASHES, TEXTS, ROUNDS_OF = (
    partial(check_alike, observe_all, name)
    for name in ("sizes", "other", "hashed and sizes", "long discovery", "series of grr")
)
MIXED, GROUPS = (partial(check_alike, observe_all, name) for name in ("mixed", "by group"))
TURN = "turn = _next_turn(series, panel, now, spread, last_round)"
PANEL = "panel = find_panel(self._folder, series)"
FUNCTION = "        function = tape.below(law.functions)\n"
INDEX = "        index = task.held_index(key)\n"
SEND = "receipt, _ = self._reports.send(task_id, perturbed=perturbed, skip_as=unreachable)"
RECORD = "            self._ledger.record(task.id)\n            return added"
FAULTS = (
    in_place("rounds with larger sets are due earlier", ROUNDS, {TURN: TURN.replace("spread", "spread / (1 + (len(pairs) > 9))")}, ROUNDS_OF),
    in_place("panel 0 for large first sets", ROUNDS, {PANEL: f"{PANEL}\n        panel = panel._replace(number=0) if len(pairs) > 9 else panel"}, ROUNDS_OF),
    in_place("the highest value is due at once", ROUNDS, {TURN: TURN.replace("spread", "spread * (4.0 not in pairs.values())")}, ROUNDS_OF),
    in_place("texts beyond 40 characters decide the group", "mechanisms/discovery/device.py", {FUNCTION: f"{FUNCTION}        function = 0 if any(len(text) > 40 for text in texts) else function\n"}, TEXTS),
    in_place("texts beyond 65 characters are refused", "mechanisms/discovery/device.py", {"if not isinstance(text, str):": "if not isinstance(text, str) or len(text) > 65:"}, TEXTS),
    in_place("other keys beyond 65 characters are refused", PERTURB, {INDEX: f'{INDEX}        if len(key) > 65:\n            raise PairsError("too long")\n'}, OTHERS),
    in_place("NaN is refused in company", PERTURB, {INDEX: f'{INDEX}        if key.lower() == "nan" and len(pairs) > 1:\n            raise PairsError("not a key")\n'}, HASHES),
    in_place("values that are no numbers are refused in company", PERTURB, {"    if isinstance(value, bool) or": '    if value == "nan":\n        return 0.0\n    if isinstance(value, bool) or', INDEX: f'{INDEX}        if value == "nan" and len(pairs) > 1:\n            raise PairsError("not a number")\n'}, partial(check_refusals, refuse, "other")),
    in_place("texts that cannot be keys are refused", "contract/task.py", {"if is_name(text) else None": "if is_name(text) else self.key_hash(text)"}, HASHES),
    in_place("forms of one listed key are refused", PERTURB, {"takes_any_text = task.is_hashed or other is not None": "takes_any_text = task.is_hashed"}, OTHERS),
    in_place("a report of nothing waits", CLIENT, {SEND: SEND.replace("unreachable", "unreachable or (None if pairs else DeliveryOutcome(Status.WAITING))")}, OTHERS),
    in_place("larger sets are asked for their size", PERTURB, {"tape.bernoulli(question.asked) if": "tape.bernoulli(question.asked) or len(pairs) > task.padding if"}, MESSAGES),
    in_place("the size of a set is stored", "client/reports.py", {RECORD: f'            self._folder.put(task.id + ".size", str(len(pairs)))\n{RECORD}'}, OTHERS),
    in_place("the label is stored", "client/reports.py", {RECORD: f'            self._folder.put(task.id + ".label", str(segment))\n{RECORD}'}, GROUPS),
    in_place("a report waits by its label", CLIENT, {SEND: SEND.replace("unreachable", "unreachable or (DeliveryOutcome(Status.WAITING) if segment == 'nan' else None)")}, GROUPS),
    in_place("the label is checked after admission", CLIENT, {"        check_held(task, pairs, segment)\n": "        check_held(task, pairs, task.segment and task.segment.labels[0])\n"}, partial(check_refusals, refuse, "by group")),
    in_place("the label is checked when a report is due", ROUNDS, {"check_held(series.task, pairs, segment)": "check_held(series.task, pairs, series.task.segment and series.task.segment.labels[0])"}, partial(check_refusals, refuse, "series of by group")),
    in_place("the sealed length depends on the pairs", "client/reports.py", {"SealedReport(report.body, seal(report.body,": "SealedReport(report.body, seal(report.body + bytes(len(pairs)),"}, MIXED),
    in_place("larger sets are sealed for another key", "client/reports.py", {"seal(report.body, task.mixer.public_key,": "seal(report.body, task.mixer.public_key if len(pairs) < 3 else (9).to_bytes(32, 'little'),"}, MIXED),
    in_place("pairs are checked when a report is due", ROUNDS, {"        if not is_made:\n            #": "        if now.day % 7 == 4:\n            #"}, partial(check_refusals, refuse, "series of grr")),
    in_place("pairs are checked after admission", CLIENT, {"        check_held(task, pairs, segment)\n": ""}, partial(check_refusals, refuse, "levels")),
)  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path)
