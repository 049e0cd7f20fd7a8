"""Mixed tasks of the JavaScript client: sealed once, sent to the mixer alone, counted in both sums, and planted faults."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from support.faults import Fault
from support.mixed_checks import (
    CHECKS,
    MakeDevice,
    check_lengths,
    check_not_accepted,
    check_retries,
    check_rounds,
    check_sums,
    check_swapped_key,
    check_trial,
    check_unanswered,
    check_way,
)
from support.mixed_javascript import pages
from support.mixed_tasks import KEY

Check = Callable[[MakeDevice], None]


def test_mixed_tasks() -> None:
    for check in CHECKS:
        check(pages())


def planted(fault: str, file: str, replaced: dict[str, str], check: Check) -> Fault:
    return Fault(fault, file, replaced, lambda client: check(pages(client)))


INDEX, SERIES, LEDGER, MIXED = "index.js", "series.js", "ledger.js", "mixed.js"
SEAL, SENT = "const { body } = makeReport(task, pairs, undefined, segment);", "body: report.sealed"
ORIGIN = 'this._post(this._origin(task), task.id, "admission"'
LOCKED = "    return this._locked(async (on) => {\n      const entry = await this._allow(on, task);"
FAULTS = (
    planted("an id inside the envelope", INDEX, {SEAL: "const made = makeReport(task, pairs, undefined, segment);\n    const body = Uint8Array.of(...made.id, ...made.body);"}, check_way),
    planted("a retry seals anew", INDEX, {"return sendSealed(this._ask.bind(this), stored);": 'const { seal } = await import("./mixed.js");\n    const report = { sealed: await seal(await this.task(stored.task), stored.report.body) };\n    return sendSealed(this._ask.bind(this), { ...stored, report });'}, check_retries),
    planted("the sealed length depends on the pairs", INDEX, {"sealed: await seal(task, body)": "sealed: await seal(task, Uint8Array.of(...body, ...Object.keys(pairs).map(() => 0)))"}, check_lengths),
    planted("sealed for another task", MIXED, {", digestOfId(id))": ", digestOfId(id).reverse())"}, check_way),
    planted("sealed for another recipient", MIXED, {"exchange(fromBase64url(mixer.key)": f'exchange(fromBase64url("{KEY}")'}, check_way),
    planted("a task is taken whose key was swapped", INDEX, {'check(task.id === id, "wrong_task"': 'check(true, "wrong_task"'}, check_swapped_key),
    planted("admission is asked of the collector", INDEX, {ORIGIN: ORIGIN.replace("this._origin(task)", "this.url")}, check_way),
    planted("admission of a round is asked of the collector", SERIES, {ORIGIN: ORIGIN.replace("this._origin(task)", "this.url")}, check_rounds),
    planted("the mixer is not asked whether it accepted", INDEX, {"if (!mixer) return;": "return;"}, check_not_accepted),
    planted("the claim is not counted", LEDGER, {"unitsAbove(claim?.epsilon ?? epsilon)": 'unitsAbove(claim ? "0" : epsilon)'}, check_sums),
    planted("the own ε counts towards recipients", LEDGER, {"claim?.epsilon ?? epsilon": "epsilon"}, check_sums),
    planted("the local cap is ignored", LEDGER, {'checkSum("local", entries, epsilon,': 'checkSum("local", entries, "1000",'}, check_sums),
    planted("claims are summed in the local sum", LEDGER, {"sums.local += unitsAbove(epsilon)": "sums.local += unitsAbove(claim?.epsilon ?? epsilon)"}, check_sums),
    planted("δ is not summed", LEDGER, {'checkSum("delta", entries,': 'checkSum("delta", [],'}, check_sums),
    planted("sent before it is stored", INDEX, {LOCKED: f"    if (sealed) await this.#sendSealed({{ url: this._origin(task), task: task.id, report: sealed, invitation }});\n{LOCKED}"}, check_way),
    planted("a report is made without the mixer's answer", INDEX, {"if (task.mixer) await requireAnswer(": "if (!task.id) await requireAnswer("}, check_unanswered),
    planted("no trial", INDEX, {"    await this._checkSealing(task);\n": ""}, check_trial),
    planted("no trial in rounds", SERIES, {"    await this._checkSealing(task);\n": ""}, check_trial),
)  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path, raises=AssertionError)
