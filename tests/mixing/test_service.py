"""A mixer over HTTP: who may do what, what is refused, and what happens on which day."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pckv import Series, Task
from pckv.base.seeded import seeded_source
from pckv.collector import background
from pckv.collector.service import openapi
from pckv.mixing import upkeep
from pckv.mixing.app import create_mixer
from support.collectors import bearer, check_problem, wait_until
from support.faults import Fault, in_place
from support.mixers import (
    CLOSES,
    DAY,
    OPERATOR,
    OPERATOR_TOKEN,
    ORIGIN,
    SETTINGS,
    Clock,
    RunningMixer,
    edited,
    entries_of,
    mixed_task,
    mixer_member,
    new_store,
    running_mixer,
    sealed,
)
from support.tiers import wide


@pytest.fixture(scope="module")
def mixer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningMixer]:
    """One for all tests that neither set its clock nor need a store of their own."""
    with new_store("sqlite", tmp_path_factory.mktemp("mixer")) as store, running_mixer(store) as running:
        yield running


@pytest.fixture(params=["sqlite", *wide("postgres")])
def own(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RunningMixer]:
    with new_store(request.param, tmp_path) as store, running_mixer(store) as running:
        yield running


def test_a_batch_from_the_first_report_to_the_last(own: RunningMixer) -> None:
    task = mixed_task(3)
    token = own.accepted(task)
    own.send_all(task, range(5))
    state = own.fetch(task, token).json()
    assert state == {
        "task": task.id,
        "state": "collecting",
        "closes": CLOSES,
        "count": None,
        "sha256": None,
        "page_entries": 10_000,
        "entry_bytes": 56,
        "acknowledged": False,
    }
    check_problem(own.fetch(task, token, "/0"), 404, "unknown")
    own.clock.pass_days(5)
    own.do_due()
    state = own.fetch(task, token).json()
    assert (state["state"], state["count"]) == ("released", 5)
    page = own.fetch(task, token, "/0")
    assert page.headers["content-type"] == "application/octet-stream"
    assert page.content == own.fetch(task, token, "/0").content
    assert sorted(entries_of(task, page.content)) == sorted(sealed(task, number) for number in range(5))
    assert state["sha256"] == hashlib.sha256(page.content).hexdigest()
    check_problem(own.fetch(task, token, "/1"), 404, "unknown")
    check_problem(own.acknowledge(task, token, "0" * 64), 400, "malformed", "sha256")
    for _ in range(2):
        assert own.acknowledge(task, token, state["sha256"]).json() == {"task": task.id, "state": "done"}
    state = own.fetch(task, token).json()
    assert (state["state"], state["acknowledged"], state["sha256"]) == ("done", True, None)
    check_problem(own.fetch(task, token, "/0"), 404, "unknown")


def test_too_few_reports_are_deleted_and_both_sides_say_so(tmp_path: Path) -> None:
    with new_store("sqlite", tmp_path) as store, running_mixer(store) as own:
        task = mixed_task(3)
        token = own.accepted(task)
        own.send_all(task, range(2))
        own.clock.pass_days(5)
        own.do_due()
        assert own.fetch(task, token).json()["state"] == "too few"
        check_problem(own.acknowledge(task, token, "0" * 64), 400, "malformed")
        [listed] = own.client.get("/tasks").json()["tasks"]
        assert (listed["state"], listed["waiting"]) == ("too few", None)


def test_the_public_routes(mixer: RunningMixer) -> None:
    task = mixed_task(3)
    check_problem(mixer.client.get(f"/tasks/{task.id}"), 404, "unknown")
    check_problem(mixer.send(task, sealed(task, 1)), 404, "unknown")
    mixer.accepted(task)
    fetched = mixer.client.get(f"/tasks/{task.id}")
    assert fetched.text == task.to_json()
    assert fetched.headers["access-control-allow-origin"] == "*"
    facts = mixer.client.get("/").json()
    assert (facts["operator"], facts["origin"]) == (OPERATOR, ORIGIN)
    assert "central ε" in facts["conditions"][1]
    assert "if at least as many reports" in facts["conditions"][1]
    admission = mixer.client.post(f"/tasks/{task.id}/admission", json={})
    assert admission.json() == {"coin": None}
    asked = mixer.client.options(f"/tasks/{task.id}/sealed")
    assert asked.headers["access-control-allow-headers"] == "Content-Type, PCKV-Invitation"
    for path in ("/healthz", "/readyz"):
        assert mixer.client.get(path).json() == {"status": "ok"}
    assert b"pckv_reports_accepted" in mixer.operate("GET", "/metrics").content


def test_counts_are_those_of_the_first_moment_of_a_day(tmp_path: Path) -> None:
    with new_store("sqlite", tmp_path) as store, running_mixer(store) as own:
        task = mixed_task(3)
        own.accepted(task)

        def listed() -> tuple[int, str]:
            [found] = own.client.get("/tasks").json()["tasks"]
            return found["waiting"], found["as_of"]

        own.send_all(task, range(2))
        own.do_due()
        assert listed() == (0, DAY)
        own.clock.pass_days(1)
        own.do_due()
        own.send_all(task, range(2, 4))
        own.do_due()
        assert listed() == (2, "2030-01-16")


def test_what_is_no_sealed_report_is_refused(mixer: RunningMixer) -> None:
    task = mixed_task(3)
    mixer.accepted(task)
    for content in (b"", sealed(task, 1)[:-1]):
        answer = mixer.send(task, content)
        check_problem(answer, 400, "malformed")
        assert answer.json()["detail"] == "a sealed report of this task has 56 bytes"
    check_problem(mixer.send(task, sealed(task, 1) + b"x"), 413, "too-large")
    check_problem(mixer.client.post(f"/tasks/{task.id}/sealed", json={}), 415, "unsupported-media")
    later = mixed_task(3, opens="2030-01-16")
    mixer.accepted(later)
    check_problem(mixer.send(later, sealed(later, 1)), 403, "not-open")


def test_reports_after_the_closing_day_are_refused(tmp_path: Path) -> None:
    with new_store("sqlite", tmp_path) as store, running_mixer(store) as own:
        task = mixed_task(3)
        own.accepted(task)
        own.clock.pass_days(5)
        check_problem(own.send(task, sealed(task, 1)), 403, "closed")
        check_problem(own.client.post(f"/tasks/{task.id}/admission", json={}), 403, "closed")


def test_bad_requests_are_one_problem_each(mixer: RunningMixer) -> None:
    task = mixed_task(3)
    recipient, operator = bearer(mixer.accepted(task)), bearer(OPERATOR_TOKEN)
    batch = f"/tasks/{task.id}/batch"
    for method, path, headers, body, problem in (
        ("POST", "/tasks/%00/admission", {}, "{}", "unknown"),
        ("GET", f"{batch}/-1", recipient, None, "malformed"),
        ("GET", f"{batch}/99999999999999999999", recipient, None, "malformed"),
        ("POST", f"{batch}/acknowledge", recipient, "{", "malformed"),
        ("POST", f"{batch}/acknowledge", recipient, '{"sha256": "zz"}', "malformed"),
        ("POST", f"{batch}/acknowledge", recipient, json.dumps({"sha256": "a" * 64, "more": 1}), "malformed"),
        ("POST", "/tasks", operator, "[]", "malformed"),
        ("POST", "/series", operator, task.to_json(), "malformed"),
        ("DELETE", "/tasks/%00", operator, None, "unknown"),
        ("DELETE", f"/series/{task.id}", operator, None, "unknown"),
        ("POST", f"/tasks/{task.id}/invitations?count=0", operator, None, "malformed"),
        ("GET", "/tasks?after=%00", {}, None, "malformed"),
        ("GET", "/status?limit=0", operator, None, "malformed"),
        ("GET", "/series/%00", {}, None, "unknown"),
        ("PUT", "/tasks", operator, None, "wrong-method"),
    ):
        sent = headers | ({} if body is None else {"Content-Type": "application/json"})
        answer = mixer.client.request(method, path, headers=sent, content=body)
        check_problem(answer, answer.status_code, problem)


def test_tasks_that_are_not_accepted(mixer: RunningMixer) -> None:
    plain = Task(name="plain", keys=11, values=(0, 1), epsilon=1, mechanism="grr")
    elsewhere = mixed_task(mixer=mixer_member(url="https://other.example"))
    by_others = mixed_task(mixer=mixer_member(operator="Others"))
    sound = mixed_task(epsilon=3, mixer=mixer_member(50_000, epsilon="0.5"))
    for task, reason in (
        (b"{}", "not a task"),
        (plain.to_json().encode(), "'plain' is not mixed: its reports go to the collector itself"),
        (elsewhere.to_json().encode(), f"names the mixer https://other.example, and this one is {ORIGIN}"),
        (by_others.to_json().encode(), f"names 'Others' as the mixer's operator, and this one is run by {OPERATOR!r}"),
        (mixed_task(closes=None).to_json().encode(), "is mixed and needs a day on which it closes"),
        (mixed_task(closes=DAY).to_json().encode(), f"closed on {DAY}"),
        (edited(sound, honest=20), "20 honest reports of local ε = 3"),
    ):
        answer = mixer.accept(task)
        check_problem(answer, 400, "malformed")
        assert reason in answer.json()["detail"]
    assert mixer.accept(sound).status_code == 201
    again = mixer.accept(sound)
    assert (again.status_code, again.json()["token"]) == (200, None)
    renewed = mixer.accept(sound, new_recipient=True)
    assert renewed.status_code == 201
    assert mixer.fetch(sound, renewed.json()["token"]).status_code == 200
    second = mixer.accept(mixed_task(4, name=sound.name.upper()))
    check_problem(second, 400, "malformed")
    assert f"{sound.id} was accepted under the name" in second.json()["detail"]


def test_every_token_opens_its_own_routes_alone(mixer: RunningMixer) -> None:
    task, other = mixed_task(3), mixed_task(3)
    token, others = mixer.accepted(task), mixer.accepted(other)
    for wrong in (others, OPERATOR_TOKEN, "nonsense"):
        check_problem(mixer.fetch(task, wrong), 401, "bad-token")
        check_problem(mixer.fetch(task, wrong, "/0"), 401, "bad-token")
        check_problem(mixer.acknowledge(task, wrong, "0" * 64), 401, "bad-token")
    check_problem(mixer.client.get(f"/tasks/{task.id}/batch"), 401, "bad-token")
    check_problem(mixer.client.get("/tasks/x%00/batch", headers=bearer(token)), 401, "bad-token")
    for method, path in (
        ("POST", "/tasks"),
        ("POST", "/series"),
        ("GET", "/status"),
        ("GET", "/metrics"),
        ("DELETE", f"/tasks/{task.id}"),
        ("DELETE", f"/series/{task.id}"),
        ("POST", f"/tasks/{task.id}/invitations"),
    ):
        check_problem(mixer.client.request(method, path, headers=bearer(token)), 401, "bad-token")


def test_invitations_of_the_mixer(mixer: RunningMixer) -> None:
    task = mixed_task(3)
    mixer.accepted(task)
    first, _ = mixer.operate("POST", f"/tasks/{task.id}/invitations", count=2).json()["invitations"]
    path = f"/tasks/{task.id}/admission"
    check_problem(mixer.client.post(path, json={}), 403, "invitation-unknown")
    assert mixer.client.post(path, json={"invitation": first}).json() == {"coin": None}
    check_problem(mixer.send(task, sealed(task, 1)), 403, "invitation-unknown")
    for _ in range(2):
        assert mixer.send(task, sealed(task, 1), first).status_code == 200
    check_problem(mixer.send(task, sealed(task, 2), first), 403, "invitation-spent")
    check_problem(mixer.client.post(path, json={"invitation": first}), 403, "invitation-spent")


def test_a_full_task_admits_no_more(mixer: RunningMixer) -> None:
    task = mixed_task(1)
    mixer.accepted(task)
    mixer.send_all(task, range(4))
    check_problem(mixer.send(task, sealed(task, 4)), 403, "closed")
    check_problem(mixer.client.post(f"/tasks/{task.id}/admission", json={}), 403, "closed")


def test_withdrawing(mixer: RunningMixer) -> None:
    task = mixed_task(3)
    token = mixer.accepted(task)
    mixer.send_all(task, range(2))
    check_problem(mixer.operate("DELETE", f"/tasks/{mixed_task(3).id}"), 404, "unknown")
    for _ in range(2):
        assert mixer.operate("DELETE", f"/tasks/{task.id}").json()["state"] == "withdrawn"
    check_problem(mixer.send(task, sealed(task, 1)), 410, "deleted")
    check_problem(mixer.fetch(task, token), 410, "deleted")
    check_problem(mixer.accept(task), 410, "deleted")


def test_a_series_is_accepted_once_with_its_rounds(mixer: RunningMixer) -> None:
    template = mixed_task(2, opens=None, closes=None)
    series = Series(task=template, first="2030-01-14", period=7, panels=2)
    headers = bearer(OPERATOR_TOKEN) | {"Content-Type": "application/json"}
    answer = mixer.client.post("/series", content=series.to_json().encode(), headers=headers)
    assert answer.status_code == 201
    token = answer.json()["token"]
    assert mixer.client.get(f"/series/{series.id}").text == series.to_json()
    current = series.task_of(1)
    mixer.send_all(current, range(2))
    assert mixer.fetch(current, token).json()["state"] == "collecting"
    check_problem(mixer.accept(current), 400, "malformed")
    check_problem(mixer.operate("POST", f"/tasks/{current.id}/invitations"), 400, "malformed")
    over = Series(task=mixed_task(2, opens=None, closes=None), first="2029-01-14", period=7, panels=1, rounds=2)
    refused = mixer.client.post("/series", content=over.to_json().encode(), headers=headers)
    check_problem(refused, 400, "malformed")
    withdrawn = mixer.operate("DELETE", f"/series/{series.id}").json()
    assert current.id in withdrawn["rounds"]
    check_problem(mixer.send(current, sealed(current, 3)), 410, "deleted")
    check_problem(mixer.fetch(current, token), 410, "deleted")
    again = mixer.client.post("/series", content=series.to_json().encode(), headers=headers)
    check_problem(again, 410, "deleted")


def test_status_says_what_waits_and_what_is_erased(tmp_path: Path) -> None:
    with new_store("sqlite", tmp_path) as store, running_mixer(store) as own:
        task = mixed_task(2)
        own.accepted(task)
        own.send_all(task, range(3))
        own.clock.pass_days(5)
        own.do_due()
        store.erase_deleted()
        [listed] = own.operate("GET", "/status").json()["tasks"]
        assert (listed["id"], listed["state"], listed["erasure"]) == (task.id, "released", "done")


def check_clock_jumps(own: RunningMixer) -> None:
    """A clock that jumps beyond the closing day, by a day or by years, releases nothing for an hour."""
    task = mixed_task(2)
    own.accepted(task)
    own.send_all(task, range(3))
    own.do_due()
    own.clock.pass_days(4)
    own.do_due()
    for days in (1, 400):
        own.clock.jump_days(days)
        own.service.maintenance.do_due()
        own.clock.pass_time(3599)
        own.service.maintenance.do_due()
        assert store_state(own, task) == "collecting", "released by a clock that had jumped"
        own.clock.jump_days(-days)
        own.service.maintenance.do_due()
    # Time itself passes: no jump.
    own.clock.pass_days(1)
    own.do_due()
    assert store_state(own, task) == "released"


def store_state(own: RunningMixer, task: Task) -> str:
    batch = own.store.find_batch(task.id)
    assert batch is not None
    return str(batch.state.value)


def test_a_clock_that_jumps_releases_nothing(tmp_path: Path) -> None:
    with new_store("sqlite", tmp_path) as store, running_mixer(store) as own:
        check_clock_jumps(own)


def test_a_start_waits_an_hour(tmp_path: Path) -> None:
    with new_store("sqlite", tmp_path) as store:
        task, clock = mixed_task(2), Clock()
        with running_mixer(store, clock) as own:
            own.accepted(task)
            own.send_all(task, range(3))
            own.do_due()
        clock.pass_days(6)
        with running_mixer(store, clock) as own:
            own.service.maintenance.do_due()
            assert store_state(own, task) == "collecting"
            own.do_due()
            assert store_state(own, task) == "released"
            content = own.store.find_page(task.id, 0)
        clock.pass_days(40)
        with running_mixer(store, clock) as own:
            own.service.maintenance.do_due()
            assert own.store.find_page(task.id, 0) == content
            own.do_due()
            assert (store_state(own, task), own.store.find_page(task.id, 0)) == ("done", None)


def check_arrival(own: RunningMixer) -> None:
    """Two orders of arrival over HTTP, with one tape: the same batch."""
    found = []
    for order in ((0, 1, 2, 3), (3, 0, 2, 1)):
        task = mixed_task(4)
        own.accepted(task)
        for number in order:
            assert own.send(task, sealed(task, number)).status_code == 200
        own.store.release(task.id, CLOSES, seeded_source(3))
        found.append(own.store.find_page(task.id, 0))
    assert found[0] == found[1], "the order of arrival is kept"


def check_one_entry(own: RunningMixer) -> None:
    """The same bytes three times are one entry."""
    task = mixed_task(2)
    own.accepted(task)
    for number in (1, 2, 1, 1):
        assert own.send(task, sealed(task, number)).status_code == 200
    own.store.release(task.id, CLOSES)
    assert len(own.store.find_page(task.id, 0) or b"") == 2 * 56, "copies are entries of their own"


DIGEST = "hashlib.sha256(body.content).digest()"
FAULTS = (
    in_place(
        "the order of arrival is kept",
        "mixing/public_routes.py",
        {f"Report({DIGEST}": 'Report(int(mixer.metrics._own[1]).to_bytes(32, "big")'},
        check_arrival,
        "is kept",
    ),
    in_place(
        "copies are entries of their own",
        "mixing/public_routes.py",
        {DIGEST: 'hashlib.sha256(body.content + b"%d" % mixer.metrics._own[1]).digest()'},
        check_one_entry,
        "entries of their own",
    ),
    in_place(
        "any clock is believed",
        "mixing/upkeep.py",
        {"        if is_steady:": "        if True:"},
        check_clock_jumps,
        "had jumped",
    ),
    in_place(
        "a day more or less is no jump",
        "collector/background.py",
        {"- passed) > self._tolerance:": "- passed) > max(self._tolerance, SECONDS_PER_DAY):"},
        check_clock_jumps,
        "had jumped",
    ),
)


def test_orders_and_copies_over_http(mixer: RunningMixer) -> None:
    check_arrival(mixer)
    check_one_entry(mixer)


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    with new_store("sqlite", tmp_path) as store, running_mixer(store) as own:
        fault.check_caught(tmp_path, own, raises=AssertionError)


def test_maintenance_releases_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "SECONDS_BETWEEN_RELEASES", 0.02)
    monkeypatch.setattr(background, "STEADY_SECONDS", 0.0)
    with new_store("sqlite", tmp_path) as store, running_mixer(store) as own:
        task = mixed_task(2)
        own.accepted(task)
        own.send_all(task, range(3))
        own.clock.pass_days(5)
        wait_until(lambda: store_state(own, task) == "released")


def test_the_openapi_document(mixer: RunningMixer, tmp_path: Path) -> None:
    document = mixer.client.get("/openapi.json").json()
    with new_store("sqlite", tmp_path) as store:
        assert document == json.loads(json.dumps(openapi(create_mixer(store, SETTINGS))))
    assert document["info"]["title"] == "pckv mixer"
    assert "/tasks/{task_id}/sealed" in document["paths"]
    assert document["paths"]["/tasks/{task_id}/batch"]["get"]["security"] == [{"token": []}]
