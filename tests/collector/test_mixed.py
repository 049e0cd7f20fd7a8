"""Mixed tasks at a collector: what it checks before it takes one, what it refuses, and what it tells."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from pckv import Task
from pckv.base.errors import ParameterError
from pckv.cli import main
from pckv.collector import upkeep
from pckv.collector.http.auth import token_hash
from pckv.collector.recipient import batches
from pckv.collector.recipient.keys import check_key_folder
from pckv.contract.series import Series
from pckv.sealing.recipient_key import RecipientKey
from pckv.store.base import FetchState, Role
from support.collectors import Running, as_items, check_problem, report, running, wait_until
from support.fake_mixer import (
    AFTER,
    CLOSES,
    FakeMixer,
    garbage,
    mixed_task,
    put_key,
    running_mixer,
    sealed_reports,
)
from support.faults import Fault, in_place
from support.stores import opened, store_url

DAY = "2030-01-15"


class Setting(NamedTuple):
    """A collector, its mixer, and where it looks for keys."""

    collector: Running
    mixer: FakeMixer
    folder: Path
    key: RecipientKey
    day: list[str]

    def push(self, contract: Task | Series) -> Any:
        kind = "series?force=true" if isinstance(contract, Series) else "tasks"
        return self.collector.administer("POST", f"/{kind}", contract.to_json().encode())

    def accepted(self, **members: Any) -> Task:
        """Return a task that the mixer and the collector have."""
        task = mixed_task(self.mixer, self.key, **members)
        self.mixer.accept(task)
        assert self.push(task).status_code == 201
        return task

    def overview(self, task: Task) -> dict[str, Any]:
        told: dict[str, Any] = self.collector.get(f"/tasks/{task.id}/overview").json()
        return told


@contextmanager
def a_setting(kind: str = "memory", **settings: Any) -> Iterator[Setting]:
    day = [DAY]
    with TemporaryDirectory() as folder, running_mixer() as mixer:
        keys = Path(folder) / "keys"
        keys.mkdir(0o700)
        key = RecipientKey.generate()
        put_key(keys, key)
        with (
            opened(store_url(kind, Path(folder))) as store,
            running(store, lambda: day[0], mixer_keys=str(keys), **settings) as collector,
        ):
            yield Setting(collector, mixer, keys, key, day)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.verify)])
def setting(request: pytest.FixtureRequest) -> Iterator[Setting]:
    with a_setting(request.param) as started:
        yield started


def refused(answer: Any, kind: str, status: int, line: str) -> None:
    check_problem(answer, status, kind)
    assert line in answer.json()["detail"]
    assert "\n" not in answer.json()["detail"]


# What can be wrong when a task is pushed: what to do about the setting, and the line that the operator reads.
def without_key(setting: Setting) -> None:
    next(setting.folder.glob("*.key")).unlink()


def without_token(setting: Setting) -> None:
    next(setting.folder.glob("*.token")).unlink()


def with_wrong_token(setting: Setting) -> None:
    next(setting.folder.glob("*.token")).write_text("wrong\n", encoding="utf-8")


def with_other_key(setting: Setting) -> None:
    path = next(setting.folder.glob("*.key"))
    path.unlink()
    RecipientKey.generate().write(path)


def with_readable_key(setting: Setting) -> None:
    next(setting.folder.glob("*.key")).chmod(0o644)


def not_accepted(setting: Setting) -> None:
    setting.mixer.contracts.clear()


def with_another_text(setting: Setting) -> None:
    setting.mixer.lie = lambda _, status, content: (status, content.replace(b"mixed", b"mixes"))


def with_an_endless_text(setting: Setting) -> None:
    setting.mixer.lie = lambda _, status, content: (status, content * 2)


def down(setting: Setting) -> None:
    setting.mixer.lie = lambda _, __, ___: (502, b"")


WRONG: dict[str, tuple[Callable[[Setting], None], str]] = {
    "no key": (without_key, ".key: the private key of this task is missing"),
    "no token": (without_token, ".token: the recipient's token for the mixer is missing"),
    "another token": (with_wrong_token, "it does not take the recipient's token of this task"),
    "another key": (with_other_key, "this is the private key of another public key"),
    "a key that others can read": (with_readable_key, "at most 0600, not 0644"),
    "not accepted": (not_accepted, "it has not accepted this task"),
    "another text": (with_another_text, "it has another task under this id"),
    "an endless text": (with_an_endless_text, "an answer of more than"),
    "down": (down, "502"),
}


def check_push(wrong: str) -> None:
    with a_setting() as setting:
        task = mixed_task(setting.mixer, setting.key)
        setting.mixer.accept(task)
        change, line = WRONG[wrong]
        change(setting)
        refused(setting.push(task), "not-mixable", 409, line)
        assert setting.collector.store.find_task(task.id) is None


@pytest.mark.parametrize(
    "wrong", [pytest.param(name, marks=[] if name == "no key" else pytest.mark.verify) for name in WRONG]
)
def test_a_task_that_cannot_be_collected_is_refused_in_one_line(wrong: str) -> None:
    check_push(wrong)


def check_claim_is_computed() -> None:
    with a_setting() as setting:
        task = mixed_task(setting.mixer, setting.key)
        text = task.to_json()
        false = text.replace('"epsilon":"1","honest"', '"epsilon":"0.1","honest"')
        without_end = text.replace(f'"closes":"{CLOSES}"', '"closes":null')
        for pushed, line in ((false, "above the claimed δ"), (without_end, "needs a day on which it closes")):
            assert pushed != text
            refused(setting.collector.administer("POST", "/tasks", pushed.encode()), "malformed", 400, line)


@pytest.mark.verify
def test_a_false_claim_and_a_task_without_an_end_are_refused() -> None:
    check_claim_is_computed()


@pytest.mark.verify
def test_a_collector_without_a_folder_of_keys_takes_no_mixed_task() -> None:
    with running_mixer() as mixer, running(clock=lambda: DAY) as collector:
        task = mixed_task(mixer, RecipientKey.generate())
        mixer.accept(task)
        answer = collector.administer("POST", "/tasks", task.to_json().encode())
        refused(answer, "not-mixable", 409, "no folder of private keys")


@pytest.mark.verify
def test_a_key_is_for_one_task_or_series(setting: Setting) -> None:
    task = setting.accepted()
    assert setting.push(task).status_code == 200
    other = mixed_task(setting.mixer, setting.key)
    setting.mixer.accept(other)
    refused(setting.push(other), "not-mixable", 409, f"the recipient's key is that of {task.id}")


@pytest.mark.verify
def test_a_series_is_pushed_once_its_mixer_has_accepted_it(setting: Setting) -> None:
    series = Series(task=mixed_task(setting.mixer, setting.key, days=False), first=DAY, period=7, panels=1)
    refused(setting.push(series), "not-mixable", 409, "it has not accepted this series")
    setting.mixer.accept(series)
    assert setting.push(series).status_code == 201
    assert setting.push(series).status_code == 200
    rounds = setting.collector.store.rounds(series.id, 10)
    assert [one.number for one in rounds] == [1, 2]
    assert setting.collector.store.unfinished_batches() == sorted(one.task for one in rounds)


def check_refusals() -> None:
    with a_setting() as setting:
        collector, task = setting.collector, setting.accepted()
        for day in (DAY, AFTER):
            setting.day[0] = day
            for answer in (
                collector.send(task, as_items(report(1, task=task))),
                collector.client.post(f"/tasks/{task.id}/admission", json={}),
                collector.administer("POST", f"/tasks/{task.id}/invitations"),
                collector.administer("POST", f"/tasks/{task.id}/close"),
            ):
                refused(answer, "mixed", 403, f"A second party, {setting.mixer.url}")
        collector.check(task)


def test_reports_in_clear_and_invitations_are_refused_and_the_mixer_named() -> None:
    check_refusals()


def policy_of(setting: Setting, path: str) -> str:
    policies: list[str] = setting.collector.client.get(path).headers.get_list("content-security-policy")
    # Browsers obey all that they are sent.
    assert len(policies) == 1
    return policies[0]


LONG_KEYS = ["k" * 250 + str(number) for number in range(100)]


def check_page(keys: object = 11) -> None:
    """Check that the page of a task may ask and tell the mixer alone, and knows where that is."""
    with a_setting() as setting:
        task, plain = setting.accepted(keys=keys), setting.collector.add_task()
        policy = policy_of(setting, f"/join/{task.id}")
        assert f"; connect-src {setting.mixer.url};" in policy
        assert "; form-action 'none'" in policy
        assert "script-src 'self'" in policy
        for path in (f"/join/{plain.id}", "/"):
            assert "; connect-src 'self';" in policy_of(setting, path)
        page = setting.collector.client.get(f"/join/{task.id}")
        # Whether an invitation is needed, its mixer alone knows.
        assert '<meta name="anyone"' not in page.text
        assert '<meta name="anyone"' in setting.collector.client.get(f"/join/{plain.id}").text
        assert f'<meta name="mixer" content="{setting.mixer.url}" />' in page.text
        assert '<meta name="epsilon-of-few" content="1" />' in page.text
        # The page asks the mixer for a large task.
        assert ('<meta name="task"' in page.text) == (keys != LONG_KEYS)
        assert "</scripts/join/client/mixed.js>; rel=modulepreload" in page.headers["link"]


@pytest.mark.verify
@pytest.mark.parametrize("keys", [11, LONG_KEYS], ids=["small", "large"])
def test_the_page_of_a_mixed_task_may_ask_and_tell_its_mixer_alone(keys: object) -> None:
    check_page(keys)


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgres", marks=pytest.mark.verify)])
def test_a_batch_comes_by_itself_and_is_told(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "SECONDS_BETWEEN_BATCHES", 0.02)
    monkeypatch.setattr(batches, "SECONDS_BETWEEN_QUESTIONS", 0)
    monkeypatch.setattr(batches, "CLAIM_SECONDS", 0)
    with a_setting(kind) as setting:
        check_told(setting)


def check_told(setting: Setting) -> None:
    collector, task = setting.collector, setting.accepted()
    wait_until(lambda: setting.overview(task)["batch"]["waiting"] == 5)
    told = setting.overview(task)["batch"]
    assert (told["state"], told["comes"], told["asked"], told["failed"]) == ("waiting", CLOSES, DAY, None)
    assert "come together from 2030-01-20 on; as it said on 2030-01-15, 5 wait" in told["sentence"]
    sealed = sealed_reports(task, setting.key)
    setting.mixer.release(task, [garbage(task, 1), *sealed])
    setting.day[0] = CLOSES
    wait_until(lambda: setting.overview(task)["batch"]["state"] == "done")
    told = setting.overview(task)
    assert (told["reports"], told["phase"], told["last_report"]) == (8, "closed", CLOSES)
    assert (told["batch"]["opened"], told["batch"]["unreadable"], told["batch"]["waiting"]) == (8, 1, None)
    sentence = "8 reports came from the mixer of A second party; 1 more could not be read."
    assert (told["batch"]["sentence"], told["facts"][-1]) == (sentence, ["batch", sentence])
    [listed] = collector.get("/overview").json()["tasks"]
    assert listed["batch"] == told["batch"]
    estimates = collector.get(f"/tasks/{task.id}/estimates")
    assert (estimates.status_code, estimates.json()["reports"]) == (200, 8)
    wait_until(lambda: list(setting.folder.iterdir()) == [])


def check_retention() -> None:
    """Check that reports are deleted some days after closing, and never before their batch is in."""
    with a_setting() as setting:
        task, store = setting.accepted(), setting.collector.store
        maintenance = setting.collector.app.state.collector.maintenance
        setting.day[0] = CLOSES
        maintenance.finish_closed_tasks(0, CLOSES)
        setting.mixer.release(task, sealed_reports(task, setting.key))
        maintenance._fetcher.fetch_due()
        batch = store.find_batch(task.id)
        assert batch is not None
        assert batch.state is FetchState.DONE, batch
        assert sum(map(len, store.reports(task.id))) == 8
        maintenance.finish_closed_tasks(3, "2030-01-22")
        assert sum(map(len, store.reports(task.id))) == 8
        maintenance.finish_closed_tasks(3, "2030-01-23")
        assert sum(map(len, store.reports(task.id))) == 0
        assert setting.overview(task)["reports"] == 8


def test_reports_are_kept_until_their_batch_is_in_and_as_long_as_others_then() -> None:
    check_retention()


def test_the_key_of_a_task_in_the_bin_waits_with_it() -> None:
    with a_setting() as setting:
        task, maintenance = setting.accepted(), setting.collector.app.state.collector.maintenance
        held = sorted(setting.folder.iterdir())
        until = setting.collector.administer("DELETE", f"/tasks/{task.id}").json()["until"]
        for day in (DAY, until):
            maintenance.empty_bin(day)
            maintenance._fetcher.delete_unneeded()
            assert sorted(setting.folder.iterdir()) == held
        maintenance.empty_bin("2999-01-01")
        assert list(setting.folder.iterdir()) == []
        assert setting.collector.store.find_deletion(task.id) is not None


def check_deletion() -> None:
    with a_setting() as setting:
        task = setting.accepted()
        (setting.folder / f"{task.id}.batch").write_bytes(b"sealed")
        assert setting.collector.administer("DELETE", f"/tasks/{task.id}?now=true").status_code == 200
        assert list(setting.folder.iterdir()) == []
        assert setting.collector.store.unfinished_batches() == []


@pytest.mark.verify
def test_the_key_is_deleted_with_its_task() -> None:
    check_deletion()


@pytest.mark.verify
def test_a_deleted_round_leaves_the_key_of_its_series(setting: Setting) -> None:
    series = Series(task=mixed_task(setting.mixer, setting.key, days=False), first=DAY, period=7, panels=1)
    setting.mixer.accept(series)
    setting.push(series)
    for number in (1, 2):
        assert setting.collector.administer("DELETE", f"/tasks/{series.task_of(number).id}?now=true").status_code == 200
    assert len(list(setting.folder.iterdir())) == 2
    setting.collector.administer("POST", f"/series/{series.id}/close")
    setting.collector.app.state.collector.maintenance._fetcher.fetch_due()
    assert list(setting.folder.iterdir()) == []


@pytest.mark.verify
def test_commands_say_what_is_mixed(tmp_path: Path) -> None:
    with a_setting() as setting:
        token, file, administrator = tmp_path / "token", tmp_path / "task.json", "administrators-token"
        token.write_text(administrator)
        setting.collector.store.set_token(Role.ADMINISTRATOR, token_hash(administrator))
        task = mixed_task(setting.mixer, setting.key)
        file.write_text(task.to_json())
        options = ["--url", f"http://127.0.0.1:{setting.collector.port}", "--token-file", str(token)]

        def printed(*arguments: str) -> str:
            return CliRunner().invoke(main, [*arguments, *options]).output

        line = printed("task", "push", str(file))
        assert line.count("\n") == 1
        assert "not ready. the mixer" in line
        assert line.endswith("it has not accepted this task: its operator does so first\n")
        setting.mixer.accept(task)
        assert printed("task", "push", str(file)).startswith(f"{task.id}  link for participants")
        status = " ".join(printed("task", "status", task.id).split())
        assert "mixed reports Reports go to the mixer of A second party and come together from 2030-01-20" in status
        assert "who may take part whom the mixer admits" in status
        printed_estimates = " ".join(printed("estimate", task.id).split())
        assert "if the mixer follows the protocol and at least 6 of the reports are honest" in printed_estimates
        line = printed("invitations", "new", task.id, "--count", "1", "--out", str(tmp_path / "links"))
        assert f"its mixer, {setting.mixer.url}, makes invitations" in line


def test_a_folder_of_keys_is_apart_from_the_store(tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    for store, line in ((f"sqlite:///{keys}/pckv.db", "is not a folder"),):
        with pytest.raises(ParameterError, match=line):
            check_key_folder(str(keys), store)
    keys.mkdir(0o700)
    check_key_folder(str(keys), f"sqlite:///{tmp_path}/pckv.db")
    check_key_folder(None, "")
    with pytest.raises(ParameterError, match="keep private keys apart from it and its backups"):
        check_key_folder(str(keys), f"sqlite:///{keys}/pckv.db")
    keys.chmod(0o777)
    with pytest.raises(ParameterError, match="others can write to"):
        check_key_folder(str(keys), "postgresql://db/pckv")


CHECKS, CLIENT, CONTRACTS = (
    "collector/recipient/checks.py",
    "collector/recipient/mixer_client.py",
    "collector/contracts/contracts.py",
)
FAULTS = [
    in_place("a clear report is taken", CONTRACTS, {"        refuse_mixed(stored.task)\n": ""}, check_refusals),
    in_place("invitations are made", CONTRACTS, {"        refuse_mixed((await self.find(task_id)).task)\n": ""}, check_refusals),
    in_place("the claim is believed", CHECKS, {"        task.check_claim()\n": "        pass\n"}, check_claim_is_computed),
    in_place("a task without an end is taken", CHECKS, {"            contract.check_collectable()\n": "            pass\n"}, check_claim_is_computed),
    in_place("the key is not looked for", CHECKS, {"        keys.find(mixer)\n": ""}, lambda: check_push("no key")),
    in_place("the token is not tried", CHECKS, {"            MixerClient(mixer, token).check_token(contract)\n": "            pass\n"}, lambda: check_push("another token")),
    in_place("the key is not compared", "collector/recipient/keys.py", {"if base64url(key.public_key) != mixer.key:": "if not key:"}, lambda: check_push("another key")),
    in_place("the token is not looked for", CHECKS, {"token = keys.token(mixer)": "token = keys and mixer.key"}, lambda: check_push("no token")),
    in_place("the mixer is not asked", CHECKS, {"        MixerClient(mixer).check_accepted(contract)\n": ""}, lambda: check_push("not accepted")),
    in_place("the mixer's text is not compared", CLIENT, {"if answer != text:": "if not answer:"}, lambda: check_push("another text")),
    in_place("a large task is asked of the collector", "web/static_files.py", {'told.append(("mixer", task.mixer.url))': "pass"}, check_page),
    in_place("the page may send to the collector", "web/static_files.py", {'{"connect-src": task.mixer.url,': '{"connect-src": f"\'self\' {task.mixer.url}",'}, check_page),
    in_place("two policies are sent", "collector/http/bodies.py", {"if header[0] not in said": ""}, check_page),
    in_place("reports are forgotten before they come", "collector/upkeep.py", {" or self._is_batch_to_come(stored.task)": ""}, check_retention),
    in_place("the key outlives its task", CHECKS, {"            keys.delete(task.mixer.key)\n": "            pass\n"}, check_deletion),
    in_place("the sealed batch outlives its task", CHECKS, {"        keys.delete_batch(task.id)\n": ""}, check_deletion),
]  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_every_planted_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path, raises=(AssertionError,))
