"""The form for a mixed task: its plan, its recipient's key and token, and that it is taken once its mixer has it."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest

import pckv
from pckv.base.canonical import base64url
from pckv.cli.plan import plan_command
from pckv.contract.series import Series
from pckv.planning.discovery import plan_discovery
from pckv.planning.mixing import QUESTION
from pckv.planning.planner import plan
from pckv.web import static_files
from support.collectors import ADMINISTRATOR, Running, bearer, check_problem, running
from support.faults import Fault, in_place
from support.mixed import MIXER
from support.mixers import CLOSES, DAY, OPERATOR, RunningMixer, new_store, running_mixer
from support.site import ask

ENDS = {"name": "mixed", "low": "1", "high": "5", "closes": CLOSES}
# People who give one answer each: there is least to plan.
ONE = {"keys": ["Alien", "Heat"], "users": 400, "epsilon": "1", "most_pairs": 1, "more": "refuse"}
NAMED = {"mixer": MIXER.url, "mixer_operator": MIXER.operator, "recipient_key": MIXER.key}


class Parties(NamedTuple):
    """A collector with a folder of keys, and a mixer that it can ask."""

    collector: Running
    mixer: RunningMixer
    folder: Path

    def post(self, path: str, content: Any) -> Any:
        return self.collector.administer("POST", path, json.dumps(content, ensure_ascii=False).encode())

    def planned(self, **members: Any) -> str:
        """Return the text of the task that a form becomes."""
        named = {"mixer": self.mixer.take_own_address(), "mixer_operator": OPERATOR}
        answer = self.post("/tasks/new?preview=true", ENDS | ONE | named | members)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["task"])

    def set_token(self, key: str, token: str) -> Any:
        content = json.dumps({"token": token}).encode()
        return self.collector.administer("PUT", f"/mixer-keys/{key}/token", content)


@contextmanager
def running_parties(folder: Path) -> Iterator[Parties]:
    keys = folder / "keys"
    keys.mkdir(0o700)
    with (
        new_store("sqlite", folder) as store,
        running_mixer(store) as mixer,
        running(clock=lambda: DAY, mixer_keys=str(keys)) as collector,
    ):
        yield Parties(collector, mixer, keys)


@pytest.fixture(scope="module")
def parties(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Parties]:
    with running_parties(tmp_path_factory.mktemp("parties")) as started:
        yield started


def refused(answer: Any, line: str) -> None:
    check_problem(answer, 409, "not-mixable")
    assert line in answer.json()["detail"]
    assert "\n" not in answer.json()["detail"]


def check_the_way(parties: Parties) -> None:
    """Check the order that the page keeps: a key, a file for the mixer, its token; what is missing is one line."""
    previewed = pckv.Task.from_json(parties.planned())
    assert list(parties.folder.iterdir()) == []
    made = parties.post("/mixer-keys", None)
    assert made.status_code == 201
    key = made.json()["key"]
    [path] = parties.folder.iterdir()
    assert (path.name, stat.S_IMODE(path.stat().st_mode)) == (made.json()["file"], 0o600)
    text = parties.planned(recipient_key=key)
    task = pckv.Task.from_json(text)
    assert task.mixer is not None
    assert (task.mixer.key, task.mixer.epsilon, task.mixer.batch, task.mixer.honest) == (key, "1", 200, 150)
    assert task.reporting.to_members() == previewed.reporting.to_members()
    assert 1 < task.epsilon < 8

    def push() -> Any:
        return parties.collector.administer("POST", "/tasks", text.encode())

    refused(push(), f"{key}.token: the recipient's token for the mixer is missing")
    assert parties.set_token(key, "guessed").status_code == 200
    refused(push(), "it has not accepted this task: its operator does so first")
    token = parties.mixer.accepted(task)
    refused(push(), "it does not take the recipient's token of this task")
    assert parties.set_token(key, f" {token}\n").status_code == 200
    assert (parties.folder / f"{key}.token").read_text(encoding="utf-8") == f"{token}\n"
    assert stat.S_IMODE((parties.folder / f"{key}.token").stat().st_mode) == 0o600
    assert push().status_code == 201
    # The form itself is checked in the same way, and finds the task.
    answer = parties.post("/tasks/new", ENDS | ONE | NAMED | {"mixer": task.mixer.url, "recipient_key": key})
    refused(answer, "the recipient's key is that of")


def test_a_task_of_the_form_is_taken_once_its_mixer_has_it(parties: Parties) -> None:
    check_the_way(parties)


def check_another_way() -> None:
    with TemporaryDirectory() as folder, running_parties(Path(folder)) as parties:
        check_the_way(parties)


KEYS_FILE, FORM_FILE = "collector/recipient/keys.py", "web/new_task.py"
# fmt: off
FAULTS = [
    in_place("others can read the token", KEYS_FILE, {'write_new(path, content + b"\\n", PRIVATE_MODE)': 'write_new(path, content + b"\\n", 0o644)'}, check_another_way),
    in_place("an earlier token stays", KEYS_FILE, {"            path.unlink(missing_ok=True)\n": "            if path.exists():\n                return\n"}, check_another_way),
    in_place("a preview takes another key", FORM_FILE, {"form.recipient_key is None": "form.recipient_key is not form"}, check_another_way),
]
# fmt: on


@pytest.mark.verify
@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_every_planted_fault_of_the_way_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path, raises=(AssertionError,))


KEYLESS = base64url(b"\x09" + bytes(31))


@pytest.mark.parametrize(
    ("key", "token", "status", "line"),
    [
        (KEYLESS, "a-token", 409, "this collector has no private key of this public key"),
        ("..", "a-token", 404, ""),
        ("..%2f..%2fetc", "a-token", 404, ""),
        ("x", "a-token", 400, "the recipient's key is not 32 bytes"),
        ("", "", 409, "not a token: one line of ASCII characters without spaces"),
        ("", "two words", 409, "not a token"),
        ("", "two\nlines", 409, "not a token"),
        ("", "schlüssel", 409, "not a token"),
        ("", "\ud800", 400, ""),
        ("", "x" * 1025, 400, "token"),
        ("", "x" * 9000, 413, ""),
    ],
)
def test_a_token_goes_beside_its_key_or_nowhere(parties: Parties, key: str, token: str, status: int, line: str) -> None:
    key = key or parties.post("/mixer-keys", None).json()["key"]
    answer = parties.set_token(key, token)
    assert answer.status_code == status, answer.text
    assert line in answer.json().get("detail", "")
    assert token not in answer.text or len(token) < 10
    assert list(parties.folder.glob(f"*{key}.token")) == []


def test_a_collector_without_a_folder_says_so_before_a_file_is_made(site: Running, tmp_path: Path) -> None:
    refused(site.administer("POST", "/mixer-keys"), "this collector has no folder of private keys: set mixer_keys")
    (tmp_path / "keys").mkdir(0o700)
    with running(mixer_keys=str(tmp_path / "keys")) as collector:
        (tmp_path / "keys").rmdir()
        refused(collector.administer("POST", "/mixer-keys"), "No such file or directory")


MISTAKES: list[tuple[dict[str, Any], str, str]] = [
    ({"mixer": "mix.example"}, "mixer", "mixer.url must be an origin such as https://mix.example: in small letters"),
    ({"mixer": "http://mix.example"}, "mixer", "mixer.url must be an origin such as https://mix.example"),
    ({"mixer": 1}, "mixer", "the address of the mixer must be text"),
    ({"mixer_operator": ""}, "mixer_operator", "the name of the mixer's operator is empty"),
    ({"mixer_operator": None}, "mixer_operator", "the name of the mixer's operator is empty"),
    ({"mixer_operator": "a\tb"}, "mixer_operator", "holds a control character"),
    ({"recipient_key": None}, "recipient_key", "the recipient's key is not 32 bytes in base64url without padding"),
    ({"recipient_key": base64url(bytes(32))}, "recipient_key", "the recipient's key is of small order"),
    ({"closes": None}, "closes", "a mixed task needs a day on which it closes: its batch leaves then"),
    ({"coin": "server"}, "coin", "with a mixer every device draws all of its report's randomness"),
    ({"users": 3}, "mixed", "mixed must be at least 4, not 3: a batch is half of the people"),
    ({"panels": 300, "closes": None}, "mixed", "a batch is half of the people of a round"),
    ({"panels": 401, "closes": None}, "panels", "400 people cannot be in 401 panels"),
    ({"panels": 0}, "panels", "the panels must be a whole number from 1 to 1,000"),
    ({"mixer": None}, "mixer_operator", "mixer_operator is for a task with a mixer: name its address, too"),
    ({"mixer": None, "mixer_operator": None}, "recipient_key", "recipient_key is for a task with a mixer"),
    (
        {"mixer": None, "mixer_operator": None, "recipient_key": None, "panels": 2},
        "panels",
        "panels and rounds are planned with a mixer only",
    ),
]


@pytest.mark.parametrize(("wrong", "field", "line"), MISTAKES, ids=lambda value: str(value)[:40])
def test_what_is_wrong_with_a_mixer_is_one_line_at_its_field(
    site: Running, wrong: dict[str, Any], field: str, line: str
) -> None:
    answer = ask(site, "POST", "/tasks/new", bearer(ADMINISTRATOR), json=ENDS | ONE | NAMED | wrong)
    check_problem(answer, 400, "malformed", field)
    assert line in answer.json()["detail"]
    assert "\n" not in answer.json()["detail"]


def test_a_mixed_discovery_needs_the_number_of_people(site: Running) -> None:
    form = {"kind": "discovery", "name": "found", "epsilon": "1", "closes": CLOSES} | NAMED
    check_problem(ask(site, "POST", "/tasks/new", bearer(ADMINISTRATOR), json=form), 400, "malformed", "users")


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ("mixed=0", "mixed"),
        ("mixed=3", "mixed"),
        ("mixed=101", "mixed"),
        ("mixed=many", "mixed"),
        ("mixed=100&coin=server", "mixed"),
        ("mixed=100&panels=101", "panels"),
        ("mixed=100&panels=60", "mixed"),
        ("mixed=100&panels=4&rounds=3", "panels"),
        ("mixed=100&rounds=3", "panels"),
        ("panels=4", "panels"),
        ("rounds=4", "panels"),
    ],
)
def test_a_mixed_plan_that_cannot_be_is_refused(site: Running, wrong: str, field: str) -> None:
    answer = site.get(f"/plan?keys=5&epsilon=1&users=100&{wrong}", ADMINISTRATOR)
    check_problem(answer, 400, "malformed", field)


def test_the_question_is_asked_in_the_same_words_everywhere() -> None:
    script = Path(static_files.__file__).parent / "static" / "new-task" / "mixer-fields.js"
    assert f'"{QUESTION}"' in script.read_text(encoding="utf-8")
    assert QUESTION in " ".join(str(plan_command.help).split())


NO_VALUES = {"low": None, "high": None}
SURVEYS: list[dict[str, Any]] = [
    {"keys": 12, "users": 500, "epsilon": "2", "pairs": 3},
    {"keys": 12, "users": 2000, "epsilon": "1", "pairs": 3, "levels": [1, 2, 5], "objective": "mean"},
    {"keys": 100, "users": 20_000, "epsilon": "1", "pairs": 3, "most_pairs": 5, "more": "refuse"},
    {"keys": 12, "users": 8000, "epsilon": "1", "pairs": 0.5, "holding": 0.4, "panels": 4},
    {"keys": "hashed", "users": 100_000, "epsilon": "2", "pairs": 3},
    {"keys": 12, "users": 2000, "epsilon": "1", "pairs": 3, **NO_VALUES},
    {"keys": 12, "users": 8000, "epsilon": "1", "pairs": 3, "panels": 4, **NO_VALUES},
]


@pytest.mark.verify
@pytest.mark.parametrize("survey", SURVEYS, ids=str)
def test_form_plan_and_library_agree_on_mixed_reports(parties: Parties, survey: dict[str, Any]) -> None:
    levels = survey.get("levels")
    text = {"levels": ",".join(map(str, levels))} if levels else {}
    ends = {"low": 1, "high": 5} | {name: survey[name] for name in NO_VALUES if name in survey}
    asked = survey | text | ends | {"mixed": survey["users"]}
    query = urlencode({name: value for name, value in asked.items() if value is not None})
    shown = parties.collector.get(f"/plan?{query}", ADMINISTRATOR).json()
    people = {name: value for name, value in survey.items() if name not in NO_VALUES}
    expected = plan(**people, mixed=survey["users"], values=None if ends == NO_VALUES else (1, 5))
    assert shown["plan"] == json.loads(json.dumps(expected.to_dict()))
    assert shown["sections"] == [section.to_dict() for section in expected.sections()]
    assert [section["title"] for section in shown["sections"]][1] == QUESTION
    assert shown["sections"][0]["light"] == expected.light
    assert shown["by_epsilon"] is shown["by_users"] is None
    form = survey | ({"closes": None} if "panels" in survey else {})
    form |= {"levels": [str(level) for level in levels]} if levels else {}
    named = {name: None for name in ("most_pairs", "more") if name not in survey and name != "more"}
    task = pckv.Task.from_json(parties.planned(**(named | {"name": "planned", "more": "sample"} | form)))
    assert task.mixer is not None
    assert expected.mixed is not None
    proposed = expected.mixed.mixer
    claim = (task.mixer.batch, task.mixer.honest, task.mixer.epsilon, task.mixer.delta)
    assert claim == (proposed.batch, proposed.honest, proposed.epsilon, proposed.delta)
    assert (task.epsilon, task.mechanism, task.padding, task.size_share, task.parameters) == (
        expected.mixed.local_epsilon,
        expected.mechanism,
        expected.padding,
        expected.size_share,
        expected.parameters,
    )
    if "panels" in survey:
        # What the page makes of it: the mixer and the collector take the same text.
        Series(task=task, first="2030-02-01", period=7, panels=4)


def test_a_name_that_another_survey_has_is_refused_before_the_mixer_is_asked(parties: Parties) -> None:
    parties.collector.add_task(name="Taken")
    form = ENDS | ONE | NAMED | {"name": " taken"}
    keys: list[dict[str, Any]] = [{}, {"recipient_key": parties.post("/mixer-keys", None).json()["key"]}]
    for key in keys:
        check_problem(parties.post("/tasks/new?preview=true", form | key), 409, "name-taken", "name")


@pytest.mark.verify
def test_a_mixed_discovery_is_planned_as_the_library_does(parties: Parties) -> None:
    tree: dict[str, Any] = {"users": 20_000, "epsilon": "1", "characters": 4, "padding": 2}
    shown = parties.collector.get(f"/plan/discovery?{urlencode(tree | {'mixed': 20_000})}", ADMINISTRATOR).json()
    expected = plan_discovery(**tree, mixed=20_000)
    assert shown["sections"] == [section.to_dict() for section in expected.sections()]
    form = {"kind": "discovery", "name": "found", "closes": CLOSES} | NAMED | tree
    answer = parties.post("/tasks/new?preview=true", form)
    task = pckv.Task.from_json(answer.json()["task"])
    assert task.mixer is not None
    assert expected.mixed is not None
    assert (task.epsilon, task.mixer.batch) == (expected.mixed.local_epsilon, expected.mixed.mixer.batch)


ABOUT = {
    "question": "Welche?",
    "language": "de",
    "translations": {"en": {"question": "Which?", "keys": ["Alien!", "Heat!"]}, "fr": {"name": "films"}},
}


def test_texts_in_other_languages_become_part_of_the_task(site: Running) -> None:
    form = ENDS | ONE | {"name": "in languages", "about": ABOUT}
    answer = ask(site, "POST", "/tasks/new?preview=true", bearer(ADMINISTRATOR), json=form)
    about = pckv.Task.from_json(answer.json()["task"]).about
    assert (about.language, sorted(about.translations)) == ("de", ["en", "fr"])
    assert about.translations["en"].keys == ("Alien!", "Heat!")


@pytest.mark.parametrize(
    ("about", "keys", "field", "line"),
    [
        (
            {"translations": {"de": {"segment_name": "Alter"}}},
            2,
            "translations",
            "translation 'de' is of a segment, which the task does not have",
        ),
        (ABOUT, ["a", "b", "c"], "translations", "translation 'en' has 2 names for 3 keys"),
        (ABOUT, 2, "translations", "translation 'en' names keys, which have no names in the task"),
        ({"translations": {"Klingon": {}}}, 2, "translations", "the language of a translation must be a tag"),
        ({"translations": {"en": {}}}, 2, "translations", "translations has the texts' own language, 'en'"),
        ({"translations": {"de": {"question": 1}}}, 2, "translations", "translation 'de': question must be text"),
        ({"translations": []}, 2, "translations", "translations must be an object of languages"),
        ({"language": "deutsch"}, 2, "language", "language must be a tag such as en, de-CH or zh-Hant"),
        ({"question": 1}, 2, "question", "question must be text, not 1"),
        ({"title": "x"}, 2, "title", "about has no member 'title'"),
        ([], 2, "about", "about must be an object of texts"),
    ],
)
def test_texts_that_do_not_fit_are_refused(site: Running, about: Any, keys: Any, field: str, line: str) -> None:
    form = ENDS | ONE | {"about": about, "keys": keys}
    answer = ask(site, "POST", "/tasks/new", bearer(ADMINISTRATOR), json=form)
    check_problem(answer, 400, "malformed", field)
    assert line in answer.json()["detail"]
