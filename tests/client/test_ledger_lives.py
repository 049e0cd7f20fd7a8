"""Years of surveys and rounds of the Python client, compared with a model of the ledger, and planted faults that it catches."""

from __future__ import annotations

import secrets
from functools import partial
from pathlib import Path

import pytest

from support.faults import Fault, in_place
from support.ledger_life_checks import check_life
from support.ledger_life_device import PythonLife
from support.ledger_lives import FAULT_SEEDS, LONG, SEEDS, SHORT, SLOW_LIVES, Life
from support.tiers import wide


def live(seed: str, steps: int = SHORT, place: Path | None = None) -> None:
    with pytest.MonkeyPatch.context() as patch:
        life = Life(seed, steps)
        check_life(PythonLife(life.contracts, patch, place), life)


@pytest.mark.parametrize("seed", [*SEEDS[:2], *wide(*SEEDS[2:])])
def test_five_years_are_as_the_model_says(seed: str) -> None:
    live(seed)


@pytest.mark.verify
def test_many_surveys_are_as_the_model_says() -> None:
    live("many", LONG)


@pytest.mark.verify
def test_files_on_disk_are_as_the_model_says(tmp_path: Path) -> None:
    live("files", place=tmp_path)


@pytest.mark.verify
def test_lives_never_seen_before(request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("--slow"):
        pytest.skip("slow")
    start = secrets.token_hex(4)
    for number in range(SLOW_LIVES):
        live(f"{start} {number}")


def check_lives() -> None:
    for seed in FAULT_SEEDS:
        live(seed)


LEDGER, REPORTS, PANEL, CAPS = (f"client/{name}.py" for name in ("ledger", "reports", "panel", "caps"))
LATELY = "if days_between(entry.day, day) < period.days"
ROUNDS = "for entry in entries if entry.series == series_id"
DAY = "day = max([today, *(entry.day for entry in entries)])"
# Removes a report, and what is remembered of it.
ANEW = """for suffix in (".report", ".spent", ".outcome"):
                self._folder.remove(task_id + suffix)
            return None
        return stored
"""
FOUND = "        return self._outbox.find(task_id)\n"
OLD = f"""        stored = self._outbox.find(task_id)
        waits = stored is not None and self._outbox.outcome(task_id).status is Status.WAITING
        if waits and (read_clock(self._clock).date() - dt.date.fromisoformat(stored.day)).days > 400:
            {ANEW}"""
REFUSED = f"""        stored = self._outbox.find(task_id)
        if stored is not None and self._outbox.outcome(task_id).reason.startswith("too"):
            {ANEW}"""

planted = partial(in_place, check=check_lives, says="seed")
FAULTS = (
    planted("a cap per period by calendar year", LEDGER, {LATELY: "if entry.day[:4] == day[:4]"}),
    planted("nothing of last year counts", LEDGER, {LATELY: f"{LATELY} and entry.day[:4] == day[:4]"}),
    planted("a period is a day too short", LEDGER, {LATELY: LATELY.replace("<", "+ 1 <")}),
    planted("a period is a day too long", LEDGER, {LATELY: LATELY.replace("<", "- 1 <")}),
    planted("surveys are compared with the latest ten", LEDGER, {"for entry in entries:\n        is_other": "for entry in entries[-10:]:\n        is_other"}),
    planted("a report that waits for 400 days is made anew", REPORTS, {FOUND: OLD}),
    planted("one kind of refusal makes a report anew", REPORTS, {FOUND: REFUSED}),
    planted("refused rounds do not count", LEDGER, {ROUNDS: f"{ROUNDS} and entry.status is not Status.REFUSED"}),
    planted("only the latest entry counts for a window", LEDGER, {ROUNDS: ROUNDS.replace("entries", "entries[-1:]")}),
    planted("no window in the ledger", LEDGER, {"if last and series.round < last + series.panels": "if last < 0"}),
    planted("waiting reports do not count in a period", LEDGER, {LATELY: f"{LATELY} and entry.status is not Status.WAITING"}),
    planted("removed reports do not count in a period", LEDGER, {LATELY: f"{LATELY} and entry.status is not Status.REMOVED"}),
    planted("a survey is forgotten after two years", LEDGER, {"entries = self.entries()\n": "entries = [entry for entry in self.entries() if days_between(entry.day, today) < 730]\n"}),
    planted("the day decreases with the clock", LEDGER, {DAY: "day = today"}),
    planted("a client stays with the cap that it read first", CAPS, {"text = self._folder.get(name)\n        if text is None:\n            return default": "text = vars(self).setdefault(name, self._folder.get(name))\n        if text is None:\n            return default"}),
    planted("caps are forgotten", CAPS, {"if text != self._folder.get(name):": "if not name:"}),
    planted("no cap per period", LEDGER, {"self._caps.local, self._caps.per_period\n        price": "self._caps.local, None\n        price"}),
    planted("no total", LEDGER, {"_check_cap(new.recipients, spent.recipients, most, refusal)": "_ = refusal"}),
    planted("no local cap", LEDGER, {"_check_cap(new.local, spent.local, local, refusal)": "_ = refusal"}),
    planted("claims of one sum count in the other", LEDGER, {"_sum(each.epsilon for each in spent),": "_sum(each.epsilon if each.claim is None else each.claim.epsilon for each in spent),"}),
    planted("δ of the last three counts", LEDGER, {"_check_cap(new.delta, spent.delta,": "_check_cap(new.delta, SpentSums.of(entries[-3:]).delta,"}),
    planted("a period counts the own ε of mixed reports", LEDGER, {"< period.days).recipients": "< period.days).local"}),
    planted("removed mixed reports have no claim", LEDGER, {"return cls(survey, Decimal(epsilon), day, series, claim) if valid else None": "return cls(survey, Decimal(epsilon), day, series, None) if valid else None"}),
    planted("the last process to draw a panel wins", PANEL, {"folder.put(name, _draw(series.panels).to_json())": "folder.put(name, _draw(series.panels).to_json(), replace=True)"}),
)  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path, raises=AssertionError)
