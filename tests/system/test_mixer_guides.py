"""The guides to mixers: their commands run as they stand, against a mixer and a collector, until results are there."""

from __future__ import annotations

import hashlib
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from pckv import Task
from pckv.base.days import utc_day
from pckv.base.population import Population
from pckv.base.seeded import seeded_source
from pckv.base.wire import Report
from pckv.collector.http.auth import token_hash
from pckv.device.vectorised import perturb_many
from pckv.sealing.seal import seal
from pckv.store.base import FetchState, ReportOutcome, Role, Upload
from support.cli import run
from support.collectors import Running, running
from support.mixers import OPERATOR_TOKEN, Clock, RunningMixer, new_store, running_mixer
from support.parts import ROOT

# Those with a language are not for this test: they need a terminal each, or a place that is not here.
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
# Nine days before the task closes.
OPENS = "2030-02-20"
# As the guides name them.
MIXER, COLLECTOR, OPERATOR = "https://mix.example", "https://collect.example", "Example Foundation"
KEYS = 100
ADMINISTRATOR_TOKEN = "a-token-of-an-administrator"  # noqa: S105

pytestmark = pytest.mark.verify


def commands(page: str) -> list[str]:
    text = (ROOT / "docs" / "how-to" / f"{page}.md").read_text(encoding="utf-8")
    blocks = [block for language, block in BLOCK.findall(text) if not language]
    return [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]


@dataclass
class Parties:
    """The second party and the organisation, on a day that both clocks show, and what a reader replaces."""

    mixer: RunningMixer
    collector: Running
    clock: Clock
    placeholders: dict[str, str]

    def run(self, page: str, start: str) -> str:
        """Run the one command of a guide that begins so; return what it prints."""
        [command] = [line for line in commands(page) if line.startswith(start)]
        for placeholder, text in self.placeholders.items():
            command = command.replace(placeholder, text)
        if not command.startswith("pckv "):
            subprocess.run(command, shell=True, check=True)  # noqa: S602
            return ""
        result = run(command.removeprefix("pckv "))
        assert result.exit_code == 0, (command, result.output)
        return result.stdout


@pytest.fixture
def parties(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Parties]:
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    clock = Clock(OPENS)
    with ExitStack() as stack:
        store = stack.enter_context(new_store("sqlite", tmp_path))
        mixer = stack.enter_context(running_mixer(store, clock, operator=OPERATOR))
        # Its port is known now.
        origin = f"http://127.0.0.1:{mixer.port}"
        mixer.service.settings = replace(mixer.service.settings, origin=origin)
        collector = stack.enter_context(running(clock=lambda: utc_day(clock.now()), mixer_keys="mixer-keys"))
        collector.store.set_token(Role.ADMINISTRATOR, token_hash(ADMINISTRATOR_TOKEN))
        places = {MIXER: origin, COLLECTOR: f"http://127.0.0.1:{collector.port}"}
        yield Parties(mixer, collector, clock, places)


def write_private(name: str, text: str) -> None:
    path = Path(name)
    path.touch(0o600)
    path.write_text(f"{text}\n", encoding="utf-8")


def send_reports(mixer: RunningMixer, task: Task, invitations: list[str]) -> None:
    """Send a sealed report per invitation, of people who hold one of the first keys, by the mixer's own transaction."""
    assert task.mixer is not None
    people = len(invitations)
    held = np.arange(people, dtype=np.int32) % 5
    population = Population(np.arange(people + 1), held, np.full(people, 3.0))
    messages = [word for batch in perturb_many(task, population, seeded_source(1)) for word in batch.messages.tolist()]
    bodies = [int(word).to_bytes(8, "little") for word in messages]
    sealed = [seal(body, task.mixer.public_key, task.digest) for body in bodies]
    entries = [Report(hashlib.sha256(each).digest(), each) for each in sealed]
    outcomes = mixer.store.add_sealed([Upload(task.id, entries, [token_hash(each) for each in invitations])], OPENS, 4)
    assert set(outcomes[0]) == {ReportOutcome.STORED}


def fetch_batch(collector: Running, task: Task) -> None:
    """Fetch the batch now, though maintenance may have asked for it too early, and would ask again in ten minutes."""
    while (batch := collector.store.find_batch(task.id)) is None or batch.state is not FetchState.DONE:
        if batch is not None:
            collector.store.record_batch(task.id, batch._replace(next_try=0))
        collector.app.state.collector.fetcher.fetch_due()
        time.sleep(0.05)


def test_a_batch_is_collected_as_both_guides_say(parties: Parties) -> None:
    own, other = "collect-with-a-mixer", "run-a-mixer"
    write_private("operator.token", OPERATOR_TOKEN)
    write_private("admin.token", ADMINISTRATOR_TOKEN)
    Path("keys.txt").write_text("".join(f"key {number}\n" for number in range(KEYS)), encoding="utf-8")

    key = parties.run(own, "pckv mix key").strip()
    parties.placeholders["PUBLIC-KEY"] = key
    assert "if the mixer follows the protocol" in parties.run(own, "pckv task new")
    assert "The central claim holds" in parties.run(own, "pckv audit")
    parties.run(own, "pckv card")
    assert "as one batch, of at least 10,000" in Path("card.md").read_text(encoding="utf-8")
    task = Task.from_json(Path("task.json").read_bytes())

    token = parties.run(other, "pckv mix accept").split()[-1]
    write_private("recipient.token", token)
    parties.run(other, "pckv mix invitations")
    invitations = Path("invitations.txt").read_text(encoding="utf-8").split()
    assert len(invitations) == 20_000

    for start in ("mkdir", "install -m 600 task.key", "install -m 600 recipient.token"):
        parties.run(own, start)
    # This collector has the setting of the command.
    assert any("PCKV_MIXER_KEYS=mixer-keys pckv serve" in line for line in commands(own))
    assert "link for participants" in parties.run(own, "pckv task push")

    send_reports(parties.mixer, task, invitations[: task.mixer.batch])  # type: ignore[union-attr]
    assert f"{task.id}  movies  collecting" in parties.run(other, "pckv mix status")
    parties.clock.pass_days(9)
    parties.mixer.do_due()
    assert "released" in parties.run(other, "pckv mix status")

    batch = parties.mixer.fetch(task, token).json()
    pages = range(-(-batch["count"] // batch["page_entries"]))
    Path("batch.bin").write_bytes(b"".join(parties.mixer.fetch(task, token, f"/{page}").content for page in pages))
    fetch_batch(parties.collector, task)
    # Lines are as wide as the table.
    found = " ".join(parties.run(own, "pckv estimate task.json").split())
    assert "10,000 reports" in found
    assert "One batch of a mixer; towards a recipient who sees only that batch: ε = 1 with δ = 0.0000005" in found
    assert not list(Path("mixer-keys").glob("*.key"))
    assert "done" in parties.run(other, "pckv mix status")

    assert "10,000 reports" in parties.run(own, "pckv mix open")
    assert "10,000 reports" in parties.run(own, "pckv estimate reports.parquet")


def test_every_other_command_of_the_guides_is_known() -> None:
    """`serve` and `withdraw` are run by other tests, and documents' tests read all of them."""
    run_here = (
        "pckv mix key",
        "pckv task new",
        "pckv audit",
        "pckv card",
        "pckv task push",
        "pckv estimate",
        "pckv mix",
    )
    lines = [line for page in ("collect-with-a-mixer", "run-a-mixer") for line in commands(page)]
    left = [line for line in lines if line.startswith("pckv ") and not line.startswith(run_here)]
    assert left == ["pckv plan --keys 100 --mixed 20000 --epsilon 1 --pairs 3 --low 1 --high 5"]
