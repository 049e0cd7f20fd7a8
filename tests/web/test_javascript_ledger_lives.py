"""Years of surveys and rounds of the JavaScript client, compared with a model of the ledger, and planted faults that it catches."""

from __future__ import annotations

import secrets
from functools import partial
from pathlib import Path

import pytest

from support.faults import Fault
from support.ledger_life_checks import check_life
from support.ledger_life_pages import JavaScriptLife
from support.ledger_lives import FAULT_SEEDS, LONG, SEEDS, SHORT, SLOW_LIVES, Life
from support.node import CLIENT


def live(client: Path, seed: str, steps: int = SHORT) -> None:
    life = Life(seed, steps)
    check_life(JavaScriptLife(life.contracts, client), life)


@pytest.mark.parametrize("seed", SEEDS)
def test_five_years_are_as_the_model_says(seed: str) -> None:
    live(CLIENT, seed)


@pytest.mark.verify
def test_many_surveys_are_as_the_model_says() -> None:
    live(CLIENT, "many", LONG)


@pytest.mark.verify
def test_lives_never_seen_before(request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("--slow"):
        pytest.skip("slow")
    start = secrets.token_hex(4)
    for number in range(SLOW_LIVES):
        live(CLIENT, f"{start} {number}")


def check_lives(client: Path) -> None:
    for seed in FAULT_SEEDS:
        live(client, seed)


INDEX, LEDGER, SERIES = "index.js", "ledger.js", "series.js"
LATELY = "Date.parse(day) - Date.parse(entry.day) < DAY * days"
ENTRIES, MADE = "const entries = await entriesOf(on);", "const made = await this.receipt(id);"
EARLY = "entries.find((entry) => entry.series === id && !(round >= entry.round + panels))"
# Deletes a report, and what is remembered of it, before another one is made.
ANEW = """await this._locked(async (on) => {
      const old = await on("reports", "get", id);
      if (CONDITION) for (const store of ["reports", "spent"]) await on(store, "delete", id);
    });
    """
WAITED = 'old?.status === "waiting" && Date.parse(this._today()) - Date.parse(old.entry.day) > 400 * 864e5'

planted = partial(Fault, caught_by=check_lives, says="seed")
FAULTS = (
    planted("a cap per period by calendar year", LEDGER, {LATELY: "entry.day.slice(0, 4) === day.slice(0, 4)"}),
    planted("a period is a day too short", LEDGER, {"DAY * days": "DAY * (days - 1)"}),
    planted("a period is a day too long", LEDGER, {"DAY * days": "DAY * (days + 1)"}),
    planted("surveys are compared with ten entries", INDEX, {"entries.find(({ survey })": "entries.slice(-10).find(({ survey })"}),
    planted("only the last ten are summed", LEDGER, {"sumsOf(counted)[name]": "sumsOf(counted.slice(-10))[name]"}),
    planted("little costs nothing", LEDGER, {"sums.local += unitsAbove(epsilon)": "sums.local += unitsAbove(epsilon) < 10n ** 13n ? 0n : unitsAbove(epsilon)"}),
    planted("a report that waits for 400 days is made anew", INDEX, {MADE: ANEW.replace("CONDITION", WAITED) + MADE}),
    planted("one kind of refusal makes a report anew", INDEX, {MADE: ANEW.replace("CONDITION", 'old?.reason.startsWith("too")') + MADE}),
    planted("refused rounds do not count", SERIES, {EARLY: EARLY.replace("(entry) =>", '(entry) => entry.status !== "refused" &&'), "...entries.map(({ round }) => round)": '...entries.filter(({ status }) => status !== "refused").map(({ round }) => round)'}),
    planted("a window is compared with one entry alone", SERIES, {EARLY: EARLY.replace("entries", "entries.slice(-1)"), "...entries.map(": "...entries.slice(-1).map("}),
    planted("the ledger compares a window with one entry alone", SERIES, {EARLY: EARLY.replace("entries", "entries.slice(-1)")}),
    planted("no window in the ledger", SERIES, {EARLY: "undefined"}),
    planted("the panel of another tab's series", SERIES, {'const stored = await on("series", "get", series.id);': 'const [stored] = await on("series", "getAll");'}),
    planted("the last tab to draw a panel wins", SERIES, {"if (stored) return stored;": "", '"series", "add"': '"series", "put"'}),
    planted("a page stays with what it read first", INDEX, {ENTRIES: "const entries = (this.read ??= await entriesOf(on));"}),
    planted("forgotten after two years", LEDGER, {"return [...entries.values()];": "return [...entries.values()].filter(({ day }) => !(Date.now() - Date.parse(day) > 730 * DAY));"}),
    planted("records without a day", INDEX, {"return { ...spending, day };": "return spending;"}),
    planted("the day goes back with the clock", INDEX, {"latestDay(entries, this._today())": "this._today()"}),
    planted("days of the device's time zone", INDEX, {"this.clock().toJSON().slice(0, 10)": 'new Intl.DateTimeFormat("sv").format(this.clock())'}),
    planted("no local cap", LEDGER, {'checkSum("local", entries, epsilon,': 'checkSum("local", entries, "1000",'}),
    planted("δ of the last three counts", LEDGER, {'checkSum("delta", entries,': 'checkSum("delta", entries.slice(-3),'}),
    planted("a period counts the own ε of mixed reports", LEDGER, {'checkSum("recipients", lately,': 'checkSum("local", lately,'}),
    planted("caps are forgotten", LEDGER, {"...remembered": "...{}"}),
)  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path, raises=AssertionError)
