"""Mixed tasks of the Python client: sealed once, sent to the mixer alone, counted in both sums, and planted faults."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner

from pckv.cli import main
from support.faults import Fault, in_place
from support.mixed_checks import (
    CHECKS,
    MakeDevice,
    check_answers,
    check_lengths,
    check_not_accepted,
    check_retries,
    check_rounds,
    check_sums,
    check_swapped_key,
    check_trial,
    check_unanswered,
    check_way,
    opened,
    places,
)
from support.mixed_python import MixedPython


def devices(folder: Path) -> MakeDevice:
    return lambda place: MixedPython(place, folder / "state")


@pytest.mark.parametrize("check", CHECKS)
def test_mixed_tasks(check: object, tmp_path: Path) -> None:
    assert callable(check)
    check(devices(tmp_path))


def test_submit_seals_and_perturb_refuses(tmp_path: Path) -> None:
    (pairs := tmp_path / "pairs.json").write_text('{"alien": 5}', encoding="utf-8")
    (rows := tmp_path / "pairs.csv").write_text("user,key,value\na,alien,5\n", encoding="utf-8")
    with places() as place:
        task = place.task()
        (contract := tmp_path / "task.json").write_text(task.to_json(), encoding="utf-8")
        options = ["--url", place.collector.url, "--task", str(contract), "--state", str(tmp_path / "state")]
        done = CliRunner().invoke(main, ["submit", str(pairs), *options])
        assert done.exit_code == 0, done.output
        first, recipients, local = done.stdout.splitlines()
        assert first == f"{task.id}  Sent."
        assert recipients.startswith(
            "Towards recipients, ε = 0.5 and δ = 0.000001 are spent, of at most 10 and 0.00001 in all, if "
        )
        assert local == f"Whatever fails, ε = {task.realised_epsilon:g} is spent, of at most 40 in all."
        opened(task, place.mixer.sent[0])
        columns = ["--user", "user", "--key", "key", "--value", "value", "--out", str(tmp_path / "reports.parquet")]
        refused = CliRunner().invoke(main, ["perturb", str(rows), "--task", str(contract), *columns])
    assert refused.exit_code == 1
    assert "this task is mixed, and its collector takes no reports in clear" in refused.stderr
    assert not (tmp_path / "reports.parquet").exists()


CLIENT, REPORTS, LEDGER, CONTRACTS, ROUNDS = (
    f"client/{name}.py" for name in ("client", "reports", "ledger", "contracts", "rounds")
)
SEAL = "seal(report.body, task.mixer.public_key, task.digest)"
SENT = "send_sealed(task_id, report.sealed, stored.invitation)"
ADD = "            added = self._outbox.add(task.id, stored)\n"
SEALED_ANEW = "send_sealed(task_id, seal(report.body, Task.from_json(stored.task).mixer.public_key, Task.from_json(stored.task).digest), stored.invitation)"  # fmt: skip


def planted(fault: str, file: str, replaced: dict[str, str], check: object) -> Fault:
    def run() -> None:
        assert callable(check)
        with TemporaryDirectory() as folder:
            check(devices(Path(folder)))

    return in_place(fault, file, replaced, run)


FAULTS = (
    planted("an id inside the envelope", REPORTS, {SEAL: SEAL.replace("report.body", "report.id + report.body")}, check_way),
    planted("a retry seals anew", REPORTS, {SENT: SEALED_ANEW}, check_retries),
    planted("any answer in JSON is a mixer's", "client/transport.py", {""" and answer.body == b'{"held":true}'""": ""}, check_answers),
    planted("the sealed length depends on the pairs", REPORTS, {SEAL: SEAL.replace("report.body", "report.body + bytes(len(pairs))")}, check_lengths),
    planted("sealed for another task", REPORTS, {SEAL: SEAL.replace("task.digest", "task.digest[::-1]")}, check_way),
    planted("sealed for another recipient", REPORTS, {SEAL: SEAL.replace("task.mixer.public_key", "bytes([9, *bytes(31)])")}, check_way),
    planted("a task is taken whose key was swapped", CONTRACTS, {"    if contract.id != contract_id:": "    if not contract.id:"}, check_swapped_key),
    planted("admission is asked of the collector", CLIENT, {"ask_admission(self._reports.transport_of(task), task": "ask_admission(self._transport, task"}, check_way),
    planted("admission of a round is asked of the collector", ROUNDS, {"self._reports.transport_of(task), task": "self._reports._transport, task"}, check_rounds),
    planted("the mixer is not asked whether it accepted", CONTRACTS, {"if mixer is not None and": "if not contract_id and"}, check_not_accepted),
    planted("the claim is not counted", LEDGER, {"each.epsilon if each.claim is None else each.claim.epsilon": "each.epsilon if each.claim is None else 0 * each.epsilon"}, check_sums),
    planted("the own ε counts towards recipients", LEDGER, {"each.epsilon if each.claim is None else each.claim.epsilon": "each.epsilon"}, check_sums),
    planted("the local cap is ignored", LEDGER, {"_check_cap(new.local, spent.local, local, refusal)": "_ = refusal"}, check_sums),
    planted("claims are summed in the local sum", LEDGER, {"_sum(each.epsilon for each in spent),": "_sum(each.epsilon if each.claim is None else each.claim.epsilon for each in spent),"}, check_sums),
    planted("δ is not summed", LEDGER, {"_check_cap(new.delta, spent.delta,": "_check_cap(new.delta, 0 * spent.delta,"}, check_sums),
    planted("sent before it is stored", REPORTS, {ADD: f"            if task.mixer: self.transport_of(task).send_sealed(task.id, stored.report.sealed, invitation)\n{ADD}"}, check_way),
    planted("a report is made without the mixer's answer", "client/transport.py", {"if admission.undecided and task.mixer is not None:": "if not task.id:"}, check_unanswered),
    planted("no trial", CLIENT, {"        self._reports.try_seal(task)\n": ""}, check_trial),
    planted("no trial in rounds", ROUNDS, {"            self._reports.try_seal(task)\n": ""}, check_trial),
)  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path, raises=AssertionError)
