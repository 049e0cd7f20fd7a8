"""The mixer of a task: what it may say, and that its central claim holds at the reports that it counts on."""

from __future__ import annotations

import subprocess
import sys
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pckv import Mixer, Series, Task, perturb
from pckv.base.errors import AuditFailure, ParameterError, TaskError
from pckv.base.limits import MAX_BATCH, MAX_CENTRAL_DELTA
from pckv.contract.facts import said
from pckv.contract.mixer import MEMBERS
from pckv.planning.shuffle import MAX_REPORTS, ReportLaws, ShuffleBound
from support.faults import Fault, in_place
from support.mixed_tasks import KEY, MIXER, a_mixed_task
from support.tasks import a_task

# Every kind of report: words, bit planes, those with a size question, and texts.
LAWS: tuple[dict[str, Any], ...] = (
    {"mechanism": "grr"},
    {"mechanism": "ue"},
    {"mechanism": {"name": "ue-compact", "q": 5}, "size_share": "0.2"},
    {"mechanism": {"name": "collision", "symbols": 40}, "levels": 3},
)


def test_a_task_keeps_its_mixer() -> None:
    task = a_mixed_task()
    assert task.mixer == Mixer(**MIXER)
    assert Task.from_json(task.to_json()) == task == a_mixed_task({"epsilon": 1.0, "delta": 1e-6})
    assert task.mixer.to_member() == MIXER
    assert task.mixer.public_key == bytes([9, *[0] * 31])
    assert len({task.id, a_mixed_task().id, *(_other(name).id for name in MEMBERS)}) == 1 + len(MEMBERS)


def _other(name: str) -> Task:
    others = {"url": "https://other.example", "operator": "other", "key": "Cg" + KEY[2:], "batch": 1999, "honest": 1501}
    return a_mixed_task({name: (others | {"epsilon": "1.1", "delta": "0.000002"})[name]})


@pytest.mark.parametrize(
    ("member", "value", "message"),
    [
        ("url", "http://mix.example", "mixer.url must be an origin such as https://mix.example: in small letters, wit"),
        ("url", "https://mix.example/", "mixer.url must be an origin .*, not 'https://mix.example/'$"),
        ("url", "https://mix.example:443", "mixer.url must be an origin"),
        ("url", "https://" + "a" * 1000, "mixer.url must be an origin .*, not 'https://aaaaaaaaaaaa'…$"),
        ("url", None, "mixer.url must be an origin .*, not None$"),
        ("operator", "", "mixer.operator is empty$"),
        ("operator", 3, "mixer.operator must be text, not 3$"),
        ("operator", "a\nb", "mixer.operator 'a.*nb' holds a control character or a line break$"),
        ("key", KEY[:-1], "the recipient's key is not 32 bytes in base64url without padding$"),
        ("key", "A" * 43, "the recipient's key is of small order: anyone could open what is sealed for it$"),
        ("batch", 0, "mixer.batch must be at least 1 and at most 1,000,000,000, not 0$"),
        ("batch", True, "mixer.batch must be a whole number, not True$"),
        ("batch", 1499, "mixer.honest must be at most mixer.batch, 1,499, not 1,500$"),
        ("honest", 2001, "mixer.honest must be at most mixer.batch, 2,000, not 2,001$"),
        ("honest", "1500", "mixer.honest must be a whole number, not '1500'$"),
        ("epsilon", 0, "mixer.epsilon must be above 0 and at most 20, not 0$"),
        ("epsilon", "much", "mixer.epsilon must be a number, not 'much'$"),
        ("epsilon", "2.01", "mixer.epsilon must be at most the ε of a report, 2, not 2.01$"),
        ("delta", 0, "mixer.delta must be above 0 and at most 0.00001, not 0$"),
        ("delta", "0.000011", "mixer.delta must be above 0 and at most 0.00001, not 0.000011$"),
        ("delta", "1e-99", "mixer.delta needs more than 40 digits$"),
        ("zeal", 1, "mixer has no member 'zeal': choose from batch, delta, epsilon, honest, key, operator, url$"),
    ],
)
def test_what_a_mixer_cannot_be_is_refused_in_one_line(member: str, value: object, message: str) -> None:
    with pytest.raises(ParameterError, match=message) as refusal:
        a_mixed_task({member: value})
    assert "\n" not in str(refusal.value)


def test_half_a_mixer_is_refused() -> None:
    half: Any = {name: MIXER[name] for name in MEMBERS if name not in {"batch", "honest"}}
    for mixer, message in ((half, "mixer needs batch, honest$"), ("mix", "a Mixer or an object .*, not 'mix'$")):
        with pytest.raises(ParameterError, match=message):
            a_task(keys=3, mixer=mixer)


# --- what is claimed ---


def check_claims() -> None:
    """Check that a claim is taken where the bound at `honest` reports allows it, and refused just below."""
    for law in LAWS:
        plain = a_mixed_task({"epsilon": 2}, **law)
        laws = ReportLaws.of(plain.law, plain.size_question)
        honest = next(count for count in range(50, 1500, 50) if 0 < _delta(count, laws) < MAX_CENTRAL_DELTA)
        bound = Decimal(_delta(honest, laws))
        above, below = (bound.quantize(Decimal("1e-30"), end) for end in (ROUND_CEILING, ROUND_FLOOR))
        # Many more would be enough, but they are not counted on.
        mixer = {"batch": 100 * honest, "honest": honest}
        _check_claim(law, mixer | {"delta": above}, holds=True)
        _check_claim(law, mixer | {"delta": below}, holds=False)


def _delta(honest: int, laws: ReportLaws) -> float:
    return ShuffleBound(honest, *laws).delta(Fraction(1))


def _check_claim(law: dict[str, Any], mixer: dict[str, Any], *, holds: bool) -> None:
    refusal = "taken"
    try:
        a_mixed_task(mixer, **law)
    except ParameterError as error:
        refusal = str(error)
    if refusal != "taken" if holds else "above the claimed" not in refusal:
        raise AuditFailure(f"claim: {law}, {mixer}: {refusal}")


def check_claims_of_discoveries() -> None:
    """Check that a discovery's claim is computed, too."""
    try:
        Task.discovery(name="t", epsilon=8, closes="2031-01-01", mixer=MIXER | {"honest": 10})
    except ParameterError as error:
        if "10 honest reports of local ε = 8 have δ = " in str(error):
            return
    raise AuditFailure("claim: that of a discovery is not checked")


def check_reports_a_mixer_can_hide() -> None:
    """Check that coins are refused, when a task is made and when it is read."""
    law = {"mechanism": {"name": "collision", "symbols": 40}}
    text = a_mixed_task(**law).to_json()
    _require_refused(lambda: a_mixed_task(**law, coin="server"), "coin must be 'device' with a mixer")
    server = text.replace('"coin":"device"', '"coin":"server"')
    _require_refused(lambda: Task.from_json(server), "coin must be 'device' with a mixer")


def check_keys() -> None:
    """Check that no report is sealed for a key whose secret all know."""
    for key in ("A" * 43, "AQ" + "A" * 41):
        _require_refused(partial(Mixer, **MIXER | {"key": key}), "of small order")


def _require_refused(make: Any, message: str) -> None:
    try:
        make()
    except (ParameterError, TaskError) as error:
        if message in str(error):
            return
    raise AuditFailure(f"not refused: {message}")


CHECKS = (check_claims, check_claims_of_discoveries, check_reports_a_mixer_can_hide, check_keys)
CONTRACT, TASK = "contract/mixer.py", "contract/task.py"
FAULTS = [
    in_place("the claim is checked at the batch", CONTRACT, {"_bound(reporting, self.honest)": "_bound(reporting, self.batch)"}, check_claims, "taken"),
    in_place("the claim is not checked", TASK, {"        self.check_claim()\n": ""}, check_claims, "taken"),
    in_place("the claim of a discovery is not checked", TASK, {"        task.check_claim()\n": ""}, check_claims_of_discoveries),
    in_place("the size question is left out of the claim", CONTRACT, {"reporting.law, reporting.size_question": "reporting.law, None"}, check_claims),
    in_place("a claim may be missed by a tenth", CONTRACT, {"if Fraction(found) > Fraction": "if Fraction(found) > Fraction(11, 10) * Fraction"}, check_claims, "taken"),
    in_place("coins are taken", CONTRACT, {"if reporting.coin != DEVICE_COIN:": "if False:"}, check_reports_a_mixer_can_hide),
    in_place("keys of small order are taken", "sealing/public_key.py", {"if point in _SMALL_ORDER:": "if False:"}, check_keys),
]  # fmt: skip


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_what_is_claimed_is_checked_when_a_task_is_made(check: Any) -> None:
    check()


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_faults_are_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path)


def test_a_claim_is_computed_for_as_many_reports_as_a_batch_may_have() -> None:
    assert MAX_BATCH == MAX_REPORTS


def test_a_refused_claim_says_what_holds() -> None:
    message = (
        "10 honest reports of local ε = 2 have δ = 0.1 at the claimed ε = 1, above the claimed δ = 1e-06: claim less"
    )
    with pytest.raises(ParameterError, match=message.replace("0.1 at", r"0\.\d+ at")):
        a_mixed_task({"honest": 10})


def test_a_device_reads_a_task_without_computing_its_claim() -> None:
    """What it would load for that, the planner and numpy, takes longer than everything else it does."""
    text = a_mixed_task().to_json().replace('"honest":1500', '"honest":1')
    program = (
        "import sys; from pckv import Mixer, Task; task = Task.from_json(sys.argv[1]); "
        "assert isinstance(task.mixer, Mixer); "
        "print(*{'numpy', 'cryptography', 'pckv.planning'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", program, text], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"
    with pytest.raises(ParameterError, match="1 honest reports"):
        Task.from_json(text).check_claim()


def test_what_is_claimed_is_said_with_its_condition() -> None:
    assert dict(said(a_mixed_task().facts()))["mixer"] == (
        "reports are sealed for their recipient and held by A second party (https://mix.example), which hands them over "
        "as one batch, of at least 2,000, in a random order; towards a recipient who sees only that batch: ε = 1 with δ = 0.000001 "
        "(central), if the mixer follows the protocol and at least 1,500 of the reports are honest; towards all others "
        "who see reports, and if mixer and recipient work together: the ε of a report, 2"
    )


# --- which tasks are collected ---


def test_a_mixed_task_without_a_last_day_is_only_for_series() -> None:
    template = a_mixed_task(closes=None)
    with pytest.raises(ParameterError, match="task 't' is mixed and needs a day on which it closes: its batch leaves"):
        perturb(template, {})
    rounds = Series(task=template, first="2031-01-06", period=7, panels=4)
    task = rounds.task_of(3)
    task.check_collectable()
    assert task.mixer == template.mixer
    assert Series.from_json(rounds.to_json()).task_of(3) == task
    assert perturb(task, {}).body
    assert "A second party" in dict(said(rounds.facts()))["mixer"]
