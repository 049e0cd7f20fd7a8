"""What a page does, and when, does not depend on its pairs: all that is seen of it but the private part of its report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pckv.base.limits import SERVER_COIN
from pckv.contract.series import Series
from support.faults import Fault
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
from support.node import CLIENT
from support.observed_javascript import check_strangers, check_surroundings, observer, refuser

# A report of these is made only after a collector's answer.
NEED_ADMISSION = [
    name for name, subject in SUBJECTS.items() if isinstance(subject, Series) or subject.coin == SERVER_COIN
]


def test_devices_that_differ_in_their_pairs_look_alike() -> None:
    for name in SHORT:
        check_alike(observer(), name)


def test_wrong_pairs_are_refused_before_anything_is_asked_or_stored() -> None:
    for name in SHORT_REFUSALS:
        check_refusals(refuser(), name)


def test_devices_report_and_retry() -> None:
    """So that they are not alike for doing nothing."""
    for name in SHORT:
        held = nothing(task_of(SUBJECTS[name]))
        lost, unanswered, _, refused = observer()(SUBJECTS[name], [Run(held, way, 1) for way in range(len(FAILURES))])
        for seen in (lost, unanswered):
            assert {entry["status"] for entry in seen["results"][-1]} == {"sent"}
            assert sum(kind == "pause" for kind, *_ in seen["requests"]) >= 2
        assert refused["results"][-1][0]["status"] == "refused"


@pytest.mark.parametrize("name", ["series of grr", "other"])
def test_a_page_asks_its_browser_for_what_it_relies_on(name: str) -> None:
    check_surroundings(CLIENT, SUBJECTS[name])


@pytest.mark.parametrize("subject", NEED_ADMISSION)
def test_only_a_collector_confirms_a_round_or_gives_a_coin(subject: str) -> None:
    check_strangers(CLIENT, SUBJECTS[subject])


@pytest.mark.verify
@pytest.mark.parametrize("name", SUBJECTS)
def test_devices_with_all_kinds_of_pairs_look_alike(name: str) -> None:
    check_alike(observer(), name, few=name not in THOROUGH)
    check_refusals(refuser(), name)


def alike(name: str) -> Callable[[Path], None]:
    """Return the check of a client's folder that devices with different pairs look alike."""
    return lambda client: check_alike(observer(client), name)


def refused(name: str) -> Callable[[Path], None]:
    return lambda client: check_refusals(refuser(client), name)


TURN = "this.#turn(member, now, spread, last)"
READ = "const given = Array.from("
PAIRS = "    checkHeld();\n"
FAULTS = (
    Fault("rounds with three pairs or more are due earlier", "series.js", {TURN: "this.#turn(member, now, pairs.size > 2 ? spread / 2 : spread, last)"}, alike("series of grr")),
    Fault("panel 0 for large first sets", "series.js", {"const { series } = member;": "if (pairs.size > 9) member.panel = 0;\n    const { series } = member;"}, alike("series of grr")),
    Fault("texts beyond 40 characters decide the group", "mechanisms/collision.js", {"const { drawn = tape.below(this.functions) } = coin;": "const { drawn = tape.below(this.functions) * BigInt(!held.some(({ key }) => key.length > 40)) } = coin;"}, alike("long discovery")),
    Fault("texts beyond 65 characters are refused", "discovery.js", {'check(typeof text === "string"': 'check(typeof text === "string" && text.length <= 65'}, alike("long discovery")),
    Fault("NaN is refused in company", "listed-keys.js", {READ: f'check(pairs.size < 2 || !pairs.has("nan"), "bad_pairs", "not a key");\n    {READ}'}, alike("hashed and sizes")),
    Fault("values that are no numbers are refused in company", "listed-keys.js", {"pairs instanceof Map ? pairs :": 'pairs instanceof Map ? (pairs.size < 2 ? new Map([...pairs].map(([key, value]) => [key, value === "nan" ? 0 : value])) : pairs) :'}, refused("other")),
    Fault("texts that cannot be keys are refused", "unlisted.js", {"if (isHeld && !isName(text)) return undefined;": ""}, alike("hashed and sizes")),
    Fault("forms of one listed key are refused", "unlisted.js", {"  // A text may be given in two forms of Unicode.\n  checkRepeats() {}\n": ""}, alike("other, refuse")),
    Fault("forms of one listed key are refused after admission", "unlisted.js", {"if (others.length <= 1)": 'check(listed.length === pairs.length - others.length, "bad_pairs", "a key is given twice");\n    if (others.length <= 1)'}, alike("other, refuse")),
    Fault("a longer pause after larger sets", "index.js", {"return this._store(task, pairs, segment, coin, invitation);": "await new Promise((resolve) => setTimeout(resolve, 100 * pairs.size));\n    return this._store(task, pairs, segment, coin, invitation);"}, alike("other")),
    Fault("the size of a set is stored", "index.js", {'await on("spent", "add", entry);': 'await on("spent", "add", { ...entry, size: pairs.size });'}, alike("other")),
    Fault("larger sets wait less for an answer", "index.js", {"const perturbed = !made": "if (pairs.size > 2) this.retryPolicy = { ...this.retryPolicy, timeout: 9 };\n    const perturbed = !made"}, alike("other")),
    Fault("the sealed length depends on the pairs", "index.js", {"sealed: await seal(task, body) }": "sealed: Uint8Array.of(...(await seal(task, body)), ...Array(pairs.size).fill(0)) }"}, alike("mixed")),
    Fault("larger sets go to the collector", "index.js", {"const address = { url: this._origin(task),": "const address = { url: pairs.size > 9 ? this.url : this._origin(task),"}, alike("mixed")),
    Fault("the label is stored", "index.js", {'await on("spent", "add", entry);': 'await on("spent", "add", { ...entry, segment });'}, alike("by group")),
    Fault("the label is checked after admission", "index.js", {"() => checkPairs(task, pairs, segment)": "() => checkPairs(task, pairs, task.segment?.labels[0])"}, refused("by group")),
    Fault("pairs are checked after admission", "index.js", {PAIRS: ""}, refused("levels")),
    Fault("pairs are checked when a report is due", "series.js", {"    checkPairs(series.task, pairs, segment);\n": "", 'if (receipt.status !== "due") return receipt;': 'if (receipt.status !== "due") return receipt;\n    checkPairs(series.task, pairs, segment);'}, refused("series of grr")),
)  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path)


def strangers(client: Path) -> None:
    for name in NEED_ADMISSION:
        check_strangers(client, SUBJECTS[name])


def surroundings(client: Path) -> None:
    check_surroundings(client, SUBJECTS["other"])


COLLECTOR = "collector.js"
ASKED = (
    Fault("cookies of the same site are sent", COLLECTOR, {'credentials: "omit"': 'credentials: "same-origin"'}, surroundings, "is requested with"),
    Fault("the page's address is sent", COLLECTOR, {'      referrerPolicy: "no-referrer",\n': ""}, surroundings, "is requested with"),
    Fault("redirects are followed", COLLECTOR, {'      redirect: "manual",\n': ""}, surroundings, "is requested with"),
    Fault("what is stored may be lost", "storage.js", {', { durability: "strict" }': ""}, surroundings, "transactions are opened with"),
    Fault("the browser is not asked to keep what is stored", "index.js", {"    navigator.storage.persist().catch(() => {});\n": ""}, surroundings, "may clear what is stored"),
    Fault("a report is shown before it is sent", "index.js", {'status === "sent" ? report : undefined': "report"}, surroundings, "is shown that is waiting"),
)  # fmt: skip


@pytest.mark.parametrize("fault", ASKED, ids=str)
def test_a_fault_of_what_is_asked_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path)


BELIEVED = (
    Fault("any answer confirms a round", "series.js", {"if (said?.coin !== null) return": "if (!said) return"}, strangers, "stranger 1 is believed"),
    Fault("any object confirms a round", "series.js", {"if (said?.coin !== null) return": "if (!said || said.coin) return"}, strangers, "stranger 1 is believed"),
)  # fmt: skip


@pytest.mark.parametrize("fault", BELIEVED, ids=str)
def test_a_fault_that_believes_a_stranger_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path)
