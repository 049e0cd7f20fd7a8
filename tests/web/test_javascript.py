"""The JavaScript client: the same bits as the Python side, on every vector, and the same audits."""

from __future__ import annotations

import gzip
import itertools
import json
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

import pckv
from client.test_client import MOVIES
from pckv import Report, Tally, Task
from pckv.auditing import conformance
from pckv.auditing.conformance import Subject
from pckv.budget import ALLOCATIONS
from pckv.channels import MECHANISMS, SIZES, BucketsChannel, Support
from pckv.client.outbox import id_of
from pckv.errors import AuditFailure
from pckv.tally.decode.support import key_support
from support.client_collector import Double, Reply
from support.node import CLIENT, Node, described, node, subject

VECTORS = Path(__file__).parents[2] / "vectors" / "v1"
QUICK = {"tries": 3, "seconds": 2, "firstPause": 0.001, "timeout": 0.3}
# What a page loads may take so many bytes, compressed.
MOST_BYTES = 8000


@pytest.fixture(scope="module")
def process() -> Iterator[Node]:
    with node() as running:
        yield running


# --- vectors ---


def vectors() -> dict[str, list[dict[str, Any]]]:
    """The vectors that a client can answer; pairs as lists, since JavaScript's objects order numbers."""
    names = ("thresholds", "tasks", "reports")
    found: dict[str, Any] = {
        name: json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8")) for name in names
    }
    for case in found["thresholds"]:
        case["mechanisms"] = [name for name in MECHANISMS if name in case]
    for case in found["reports"]:
        if "pairs" in case:
            case["pairs"] = list(case["pairs"].items())
    # A client makes bodies, and reads none but its own.
    found["reports"] = [case for case in found["reports"] if case.get("fails_at") != "report"]
    return found


def check_answers(given: dict[str, list[dict[str, Any]]], answers: dict[str, list[Any]]) -> None:
    """Thresholds, tasks and reports are those of the vectors; what must be refused is, at the step that is named."""
    for case, answer in zip(given["thresholds"], answers["thresholds"], strict=True):
        assert answer == {name: case[name] for name in ("exp_lower_times_2_256", *case["mechanisms"])}, case
    for case, answer in zip(given["tasks"], answers["tasks"], strict=True):
        if "fails_at" in case:
            assert (answer["fails_at"], answer["code"]) == (case["fails_at"], "bad_task"), case
            assert answer["message"].startswith("not a task: ")
            continue
        assert answer["id"] == case["id"]
        assert answer["realised_epsilon"] == case["realised_epsilon"], case
        assert answer["word_limit"] == (None if case["word_limit"] is None else str(case["word_limit"]))
    for case, answer in zip(given["reports"], answers["reports"], strict=True):
        if "fails_at" in case:
            assert (answer["fails_at"], answer["code"]) == (case["fails_at"], "bad_pairs"), case
        else:
            assert answer == {"id": case["id"], "body": case["body"]}, case


def test_vectors_in_node(process: Node) -> None:
    given = vectors()
    [answers] = process.ask({"do": "vectors", **given})
    check_answers(given, answers)


# --- audits ---


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize(
    "check",
    [conformance.check_sampler_epsilon, conformance.check_sampler_equals_law],
    ids=lambda check: check.__name__,
)
def test_the_sampler_keeps_its_word(process: Node, check: Callable[[Subject], None], name: str) -> None:
    """Run over every value of a toy tape, with the client's own thresholds and primitives, against Python's law."""
    check(subject(process, name, MECHANISMS[name]))


@dataclass(frozen=True)
class Mutant:
    """A text of the client replaced, and the check of a mechanism that must see it."""

    fault: str
    file: str
    right: str
    wrong: str
    mechanism: str
    caught_by: Callable[[Subject], None] = conformance.check_sampler_equals_law


MUTANTS = (
    Mutant(
        "a threshold that is met counts",
        "core.js",
        "this.draw() < threshold",
        "this.draw() <= threshold",
        "ue-compact",
    ),
    Mutant("biased below", "core.js", "if (number - result <= this.one - count) return", "return", "grr"),
    Mutant("padding ignored", "core.js", "Math.max(pairs.length, this.padding)", "pairs.length || 1", "ue"),
    Mutant("values shifted", "core.js", "value - low", "value", "grr"),
    Mutant(
        "wrong skip in grr",
        "mechanisms/grr.js",
        "other < (word & -this.setApart)",
        "other <= (word & -this.setApart)",
        "grr",
    ),
    Mutant(
        "only one dummy",
        "mechanisms/grr.js",
        "Number(tape.below(BigInt(this.padding)))",
        "0 * Number(tape.below(BigInt(this.padding)))",
        "grr",
        conformance.check_sampler_epsilon,
    ),
    Mutant(
        "fakes too seldom",
        "mechanisms/ue.js",
        ": 2n * this.fake)",
        ": this.fake)",
        "ue",
        conformance.check_sampler_epsilon,
    ),
    Mutant(
        "rounded up", "mechanisms/grr.js", ".over(value.plus(1)).floor", ".over(value.plus(1)).ceil", "grr"
    ),
    Mutant(
        "the true residue is not skipped",
        "mechanisms/ue-compact.js",
        "residue = other < first ? other",
        "residue = other < this.q ? other",
        "ue-compact",
    ),
    Mutant(
        "a digit is lost",
        "mechanisms/ue-compact.js",
        "rest /= this.q, drawn /= this.q",
        "rest = 0n",
        "ue-compact",
    ),
    Mutant(
        "the true bucket is not skipped",
        "mechanisms/buckets.js",
        "other < bucket ? other",
        "other < this.rows ? other",
        "buckets",
    ),
    Mutant(
        "a size falls into the next bucket",
        "mechanisms/buckets.js",
        "1; end < padding",
        "2; end < padding",
        "buckets",
    ),
    Mutant(
        "the true bucket too often",
        "mechanisms/buckets.js",
        "plus(others)).floor",
        "plus(others - 1n)).floor",
        "buckets",
        conformance.check_sampler_epsilon,
    ),
)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.fault)
def test_mutant_is_caught(mutant: Mutant, tmp_path: Path) -> None:
    faulty = tmp_path / "client"
    shutil.copytree(CLIENT, faulty)
    text = (faulty / mutant.file).read_text(encoding="utf-8")
    assert mutant.right in text
    (faulty / mutant.file).write_text(text.replace(mutant.right, mutant.wrong), encoding="utf-8")
    with node(faulty) as process, pytest.raises(AuditFailure):
        mutant.caught_by(subject(process, mutant.mechanism, MECHANISMS[mutant.mechanism]))


def law_task(name: str) -> Task:
    parameters = {"q": 3} if name == "ue-compact" else {}
    mechanism, kind = {"name": name, **parameters}, MECHANISMS[name].kind
    return Task(name="t", keys=3, values=(-1, 1), epsilon=2, padding=2, mechanism=mechanism, kind=kind)


# Where there are very many words, no number of reports shows them all; the exhaustive audits have those.
FEW_WORDS = [name for name in MECHANISMS if (law_task(name).word_limit or 0) < 1000]


@pytest.mark.parametrize("name", FEW_WORDS)
@pytest.mark.parametrize("held", [{}, {1: 0.5}, {0: 1.0, 1: -0.25, 2: -1.0}], ids=len)
def test_reports_follow_the_law(process: Node, name: str, held: dict[int, float]) -> None:
    """χ² at α = 1e-6 through all that makes a report, from seeded draws of 64 bits.

    The control, a law wrong by 10 % in its likeliest messages, must fail. They have p ≥ .1 together; with
    n = 10^5 the noncentrality is at least 111 and the power at least .998 with 27 words.
    """
    task = law_task(name)
    count = 100_000
    pairs = {task.key_name(key): value for key, value in held.items()}
    [found] = process.ask({"do": "many", "task": task.to_json(), "pairs": pairs, "count": count, "seed": 7})
    law = conformance.law_at(task.channel, held)
    assert {int(message) for message in found} <= law.keys()
    likeliest = {message for message, chance in law.items() if chance == max(law.values())}
    together = float(sum(law[message] for message in likeliest))
    rest = (1 - 1.1 * together) / (1 - together)
    wrong = {m: float(p) * (1.1 if m in likeliest else rest) for m, p in law.items()}
    assert p_value(found, {m: float(p) for m, p in law.items()}, count) > 1e-6
    assert p_value(found, wrong, count) < 1e-6


def p_value(found: dict[str, int], chances: dict[int, float], count: int) -> float:
    assert min(chances.values()) * count >= 5
    statistic = sum((found.get(str(m), 0) - count * p) ** 2 / (count * p) for m, p in chances.items())
    return float(stats.chi2.sf(statistic, len(chances) - 1))


def test_randomness_is_the_systems(process: Node) -> None:
    """One block: the id and the draws, in pieces that the browser allows. `Math.random` throws in that process."""
    for keys, mechanism, pieces in ((9, "grr", [16 + 40]), (9000, "ue", [65536, 16 + 8 * 9002 - 65536])):
        task = Task(name="t", keys=keys, values=(0, 1), epsilon=1, mechanism=mechanism)
        request = {"do": "taken", "task": task.to_json(), "pairs": {"3": 0.5}}
        first, second = process.ask(request)[0], process.ask(request)[0]
        # Draws may be rejected, and are then taken one by one.
        assert first["taken"][: len(pieces)] == pieces
        assert set(first["taken"][len(pieces) :]) <= {8}
        assert first["id"] != second["id"]
        assert first["size"] == task.channel.body_bytes


# --- what a page shows ---


def channels() -> Iterator[Task]:
    for name, channel in MECHANISMS.items():
        lengths = (1, 2, 3, 40, 512) if channel.kind == SIZES else (1, 3)
        for variant, keys, padding in itertools.product(
            channel.variants(), (["a"], ["a", "b", "c"]), lengths
        ):
            yield Task(
                name="t",
                keys=keys,
                values=(0, 1),
                epsilon="1.5",
                padding=padding,
                mechanism={"name": name, **variant},
                kind=channel.kind,
            )


def some_sign(support: Support) -> Fraction:
    return support.plus + support.minus + support.both


def test_odds_are_the_channels(process: Node) -> None:
    for task in channels():
        channel = task.channel
        [odds] = process.ask({"do": "odds", "channel": described(channel)})
        law, paper = channel.count_law, channel.probabilities
        expected = {"a": paper.a, "b": paper.b, "p": paper.p, "held": some_sign(law.holder_plus)}
        expected["absent"] = some_sign(law.absent)
        assert odds == pytest.approx({name: float(value) for name, value in expected.items()}, rel=1e-12)


def test_what_a_report_says_is_what_is_counted(process: Node) -> None:
    for task in channels():
        messages = list(itertools.islice(task.channel.law({0: 1}).weights, 300)) if small(task) else [0, 7]
        bodies = [task.channel.message_format.encode(message) for message in messages]
        [said] = process.ask(
            {"do": "says", "task": task.to_json(), "bodies": [body.hex() for body in bodies]}
        )
        for body, answer in zip(bodies, said, strict=True):
            tally = Tally(task)
            tally.add(Report(bytes(16), body))
            support = key_support(tally)
            plus, minus = (counts.astype(bool).tolist() for counts in (support.plus, support.minus))
            if isinstance(task.channel, BucketsChannel):
                assert ([label == answer for label in task.channel.labels], any(minus)) == (plus, False)
            else:
                assert [(key["plus"], key["minus"]) for key in answer] == list(zip(plus, minus, strict=True))


def small(task: Task) -> bool:
    return (task.word_limit or 0) < 1e5


# --- what a collector answers ---


@pytest.fixture
def double(monkeypatch: pytest.MonkeyPatch) -> Iterator[Double]:
    monkeypatch.setenv("no_proxy", "*")
    with Double(MOVIES).serving() as serving:
        yield serving


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (MOVIES.to_json().encode(), None),
        (Task(name="movies", keys=2, values=(1, 5), epsilon=20).to_json().encode(), "wrong_task"),
        (MOVIES.to_json().replace("movies", "\ufffd").encode(), "wrong_task"),
        (MOVIES.to_json().encode().replace(b"movies", b"\xff"), "wrong_task"),
        (MOVIES.to_json().encode() + b"\n", "bad_task"),
        (b"<h1>Welcome to the hotel", "bad_task"),
        (b"\xff", "bad_task"),
        (b"", "bad_task"),
    ],
)
def test_a_task_is_checked_against_its_id(
    process: Node, double: Double, text: bytes, code: str | None
) -> None:
    double.tasks[MOVIES.id] = text
    [answer] = process.ask({"do": "fetch", "url": double.url + "/", "task": MOVIES.id, "patience": QUICK})
    assert answer.get("code") == code
    assert code or answer["id"] == MOVIES.id


def test_a_text_with_its_own_id_must_still_be_a_task(process: Node, double: Double) -> None:
    for text in (MOVIES.to_json() + "\n", MOVIES.to_json().replace('"1"', '"01"'), "{}"):
        task_id = id_of(text)
        double.tasks[task_id] = text.encode()
        [answer] = process.ask({"do": "fetch", "url": double.url, "task": task_id, "patience": QUICK})
        assert answer["code"] == "bad_task"


@pytest.mark.parametrize("task_id", ["", "../../../etc/passwd", MOVIES.id[:-1], MOVIES.id + "=", "é" * 43])
def test_only_an_id_is_asked_for(process: Node, double: Double, task_id: str) -> None:
    [answer] = process.ask({"do": "fetch", "url": double.url, "task": task_id})
    assert answer["code"] == "wrong_task"
    assert double.received == []


@pytest.mark.parametrize(
    "url",
    ["", "example.org", "ftp://example.org", "http://", "http://a b", "http://a:x", "http://ä",
     "http://user:word@host", "http://host?query", "http://host#part", "http://[::1", "http://host/\n"],
)  # fmt: skip
def test_only_a_collectors_address(process: Node, url: str) -> None:
    [answer] = process.ask({"do": "fetch", "url": url, "task": MOVIES.id})
    assert answer["code"] == "bad_parameter"


def test_nothing_is_answered(process: Node, double: Double) -> None:
    double.answers.extend([Reply(500)] * 3)
    [answer] = process.ask({"do": "fetch", "url": double.url, "task": MOVIES.id, "patience": QUICK})
    assert (answer["code"], len(double.received)) == ("not_sent", 3)


# --- the package ---


def loaded_by(start: str) -> set[Path]:
    """A module and all that it imports."""
    found: set[Path] = set()
    waiting = [CLIENT / start]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            text = path.read_text(encoding="utf-8")
            waiting += [(path.parent / name).resolve() for name in re.findall(r'from "(\.[^"]+)"', text)]
    return found


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_page_loads_little(name: str) -> None:
    files = loaded_by("index.js") | loaded_by(f"mechanisms/{name}.js")
    together = gzip.compress(b"".join(path.read_bytes() for path in sorted(files)), 9, mtime=0)
    assert len(together) < MOST_BYTES


def test_the_package_is_what_it_says() -> None:
    package = json.loads((CLIENT / "package.json").read_text(encoding="utf-8"))
    assert package["version"] == pckv.__version__
    assert (package["type"], "dependencies" in package) == ("module", False)
    # Tapes are given through the files that tests import, and through nothing that a package's user can.
    assert list(package["exports"]) == ["."]
    code = {path: path.read_text(encoding="utf-8") for path in CLIENT.rglob("*.js")}
    assert {path.relative_to(CLIENT).as_posix() for path in code} >= {
        f"mechanisms/{name}.js" for name in MECHANISMS
    }
    for path, text in code.items():
        assert not re.search(r"Math\.random|\beval\b|new Function|innerHTML|document\.", text), path
    types = (CLIENT / "index.d.ts").read_text(encoding="utf-8")
    exported = [*re.findall(r"export (?:async function|class) (\w+)", code[CLIENT / "index.js"])]
    exported += re.findall(r"export \{ (.+) \} from", code[CLIENT / "index.js"])[0].split(", ")
    declared = re.findall(r"export declare (?:class|function) (\w+)", types)
    assert sorted(exported) == sorted(declared) == ["Client", "PckvError", "Task", "fetchTask", "perturb"]


def test_allocations_have_one_list() -> None:
    text = (CLIENT / "budget.js").read_text(encoding="utf-8")
    assert re.findall(r'\["([a-z-]+)", \[', text) == list(ALLOCATIONS)
