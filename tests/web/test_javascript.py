"""The JavaScript client in Node: the same bits as the Python side on every vector, the law of its reports, its package."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest
from scipy import stats

import pckv
from audit import conformance
from pckv import Task
from pckv.base.budget import ALLOCATIONS
from pckv.client import ledger, transport
from pckv.mechanisms.registry import LAWS, REGISTRY
from pckv.web.static_files import load_files
from support.client_vectors import check_answers, vectors
from support.node import CLIENT, NodeProcess

# The most bytes that a page loads of the client, as collectors send them: each file compressed by itself, without
# comments. `collision` takes most, because it checks a prime and its primitive root. README.md
# states these figures.
MAX_BYTES = 19_600
# What keys that a task does not list add, or a discovery in place of them; half of it is a hash that answers at once.
MAX_BYTES_OF_UNLISTED = 2_500
# What items that are derived from keys add.
MAX_BYTES_OF_DERIVED = 1_600
# What the page of a mixed task adds, and texts in several languages.
MAX_BYTES_OF_MIXED, MAX_BYTES_OF_TRANSLATIONS = 2_000, 1_200


def test_vectors_in_node(process: NodeProcess) -> None:
    cases = vectors()
    [answers] = process.ask({"do": "vectors", **cases})
    check_answers(cases, answers)


def law_task(name: str) -> Task:
    mechanism = {"name": name, **({"q": 3} if name == "ue-compact" else {})}
    share = "0" if name == "ue" else "0.5"
    return Task(name="t", keys=3, values=(-1, 1), epsilon=2, padding=2, mechanism=mechanism, size_share=share)


@pytest.mark.parametrize(
    ("file", "users"),
    [
        ("size-question.js", {"task.js"}),
        ("unlisted.js", {"task.js"}),
        ("derived.js", {"task.js"}),
        ("discovery.js", {"task.js"}),
        ("sha256.js", {"unlisted.js", "discovery.js"}),
        ("mixed.js", {"task.js", "index.js"}),
        ("translations.js", {"task.js"}),
    ],
)
def test_a_file_is_loaded_by_tasks_that_need_it(file: str, users: set[str]) -> None:
    """Others import it where a task needs it."""
    importing = re.compile(rf'(from |import\()"\./{file}"')
    named = {path.name for path in CLIENT.rglob("*.js") if importing.search(path.read_text(encoding="utf-8"))}
    assert named == users
    assert CLIENT / file not in loaded_by("index.js")


@pytest.mark.parametrize("held", [{}, {1: 0.5}, {0: 1.0, 1: -0.25, 2: -1.0}], ids=len)
def test_reports_follow_the_law(process: NodeProcess, held: dict[int, float]) -> None:
    """χ² at α = 1e-6 of complete reports of one mechanism, from seeded draws of 64 bits.

    The control, a law wrong by 10 % in its likeliest message, must fail. It has p = .44; with n = 30,000 the
    noncentrality is 232 against 11 degrees of freedom, and the power above .9999.
    """
    task = law_task("grr")
    count = 30_000
    pairs = {task.key_name(key): value for key, value in held.items()}
    [observed] = process.ask({"do": "many", "task": task.to_json(), "pairs": pairs, "count": count, "seed": 7})
    distribution = report_law(task, held)
    assert {int(message) for message in observed} <= distribution.keys()
    likeliest = {message for message, chance in distribution.items() if chance == max(distribution.values())}
    total_chance = float(sum(distribution[message] for message in likeliest))
    rest = (1 - 1.1 * total_chance) / (1 - total_chance)
    wrong = {m: float(p) * (1.1 if m in likeliest else rest) for m, p in distribution.items()}
    assert p_value(observed, {m: float(p) for m, p in distribution.items()}, count) > 1e-6
    assert p_value(observed, wrong, count) < 1e-6


def report_law(task: Task, held: dict[int, float]) -> dict[int, Fraction]:
    """Return the exact law of a report, of pairs or of their number."""
    pairs, question = conformance.law_at(task.law, held), task.size_question
    if question is None or task.law.word_limit is None:
        return pairs
    asked, answers = Fraction(question.asked, question.one), question.distribution(len(held))
    distribution = {message: (1 - asked) * chance for message, chance in pairs.items()}
    for answer, weight in answers.weights.items():
        distribution[task.law.word_limit + answer] = asked * Fraction(weight, answers.total)
    return distribution


def p_value(observed: dict[str, int], chances: dict[int, float], count: int) -> float:
    assert min(chances.values()) * count >= 5
    statistic = sum((observed.get(str(m), 0) - count * p) ** 2 / (count * p) for m, p in chances.items())
    return float(stats.chi2.sf(statistic, len(chances) - 1))


def loaded_by(start: str) -> set[Path]:
    """Return a module and all modules that it imports."""
    modules: set[Path] = set()
    waiting = [CLIENT / start]
    while waiting:
        path = waiting.pop()
        if path not in modules:
            modules.add(path)
            text = path.read_text(encoding="utf-8")
            waiting += [(path.parent / name).resolve() for name in re.findall(r'from "(\.[^"]+)"', text)]
    return modules


@pytest.mark.parametrize("name", LAWS)
def test_a_page_loads_little(name: str) -> None:
    files = loaded_by("index.js") | loaded_by(f"mechanisms/{name}.js")
    if law_task(name).size_question is not None:
        files |= loaded_by("size-question.js")
    assert sent_bytes(files) < MAX_BYTES
    assert sent_bytes(files | loaded_by("unlisted.js")) < MAX_BYTES + MAX_BYTES_OF_UNLISTED


def test_a_page_of_a_discovery_loads_little() -> None:
    assert sent_bytes(loaded_by("index.js") | loaded_by("discovery.js")) < MAX_BYTES + MAX_BYTES_OF_UNLISTED


def test_a_page_of_derived_items_loads_little_more() -> None:
    files = loaded_by("index.js") | loaded_by("mechanisms/collision.js")
    assert sent_bytes(loaded_by("derived.js") - files) < MAX_BYTES_OF_DERIVED


def test_a_page_in_several_languages_loads_little_more() -> None:
    assert sent_bytes(loaded_by("translations.js") - loaded_by("index.js")) < MAX_BYTES_OF_TRANSLATIONS


def test_a_page_of_a_mixed_task_loads_little_more() -> None:
    assert sent_bytes(loaded_by("mixed.js") - loaded_by("index.js")) <= MAX_BYTES_OF_MIXED


def test_the_readme_states_the_size_of_the_client() -> None:
    text = " ".join((CLIENT / "README.md").read_text(encoding="utf-8").split())
    assert f"at most {MAX_BYTES / 1000:g} kB" in text
    assert f"up to {MAX_BYTES_OF_UNLISTED / 1000:g} kB" in text
    assert f"segment or pairs of keys up to {MAX_BYTES_OF_DERIVED / 1000:g} kB" in text
    assert f"a mixed task up to {MAX_BYTES_OF_MIXED / 1000:g} kB" in text


def sent_bytes(files: set[Path]) -> int:
    """Return the bytes of some files as a collector sends them."""
    served = load_files()
    sent = [served[f"client/{path.relative_to(CLIENT).as_posix()}"].gzipped for path in files]
    return sum(len(content or b"") for content in sent)


def test_the_package_is_what_it_says() -> None:
    package = json.loads((CLIENT / "package.json").read_text(encoding="utf-8"))
    assert package["version"] == pckv.__version__
    assert (package["type"], "dependencies" in package) == ("module", False)
    # Only files that tests import accept tapes; the package's exports do not.
    assert list(package["exports"]) == [".", "./series.js"]
    code = {path: path.read_text(encoding="utf-8") for path in CLIENT.rglob("*.js")}
    assert {path.relative_to(CLIENT).as_posix() for path in code} >= {f"mechanisms/{name}.js" for name in LAWS}
    # The last bits of roots and powers differ between engines.
    for path, text in code.items():
        assert not re.search(
            r"Math\.(?:random|sqrt|cbrt|exp|log|pow)|\beval\b|new Function|innerHTML|document\.", text
        ), path


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("index", ["Client", "PckvError", "Task", "coinOf", "fetchTask", "perturb"]),
        ("series", ["PckvError", "Series", "SeriesClient"]),
    ],
)
def test_what_a_module_exports_has_types(module: str, names: list[str]) -> None:
    code, types = ((CLIENT / f"{module}.{suffix}").read_text(encoding="utf-8") for suffix in ("js", "d.ts"))
    for text, pattern in (
        (code, r"export (?:async )?(?:function|class) (\w+)"),
        (types, r"export declare (?:class|function) (\w+)"),
    ):
        exported = re.findall(pattern, text)
        for again in re.findall(r"export \{ (.+) \} from", text):
            exported += again.split(", ")
        assert sorted(exported) == names


def test_mechanisms_have_one_list() -> None:
    """`task-rules.js` names them all with their files, written out for bundlers, and no other file of the client does."""
    text = (CLIENT / "task-rules.js").read_text(encoding="utf-8")
    listed = re.findall(r'^  "?([a-z-]+)"?: \(\) => import\("\./([^"]+)"\),$', text, re.MULTILINE)
    assert dict(listed) == {name: REGISTRY[name].javascript for name in LAWS}
    assert [name for name, _ in listed] == list(LAWS)
    for path in CLIENT.rglob("*.*s"):
        if path.name != "task-rules.js":
            assert "collision" not in re.findall(r'"([a-z-]+)"', path.read_text(encoding="utf-8")), path


def test_reasons_have_one_list() -> None:
    """Both clients say the same sentences."""
    text = (CLIENT / "words.js").read_text(encoding="utf-8")
    [table] = re.findall(r"const MEANINGS = \{\n(.*?)\n\};", text, re.DOTALL)
    assert dict(re.findall(r'(\w+): "(.+)",', table)) == transport.MEANINGS
    [table] = re.findall(r"const STATES = \{\n(.*?)\n\};", text, re.DOTALL)
    assert dict(re.findall(r'(\w+): "(.+)",', table)) == ledger._STATES


def test_allocations_have_one_list() -> None:
    text = (CLIENT / "mechanisms/budget.js").read_text(encoding="utf-8")
    assert re.findall(r'\["([a-z-]+)", \[', text) == list(ALLOCATIONS)
