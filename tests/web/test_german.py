"""German of what the server says: a word for every sentence, no English left, and texts of people as they are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tree_sitter import Language, Node, Parser
from tree_sitter_javascript import language as javascript

import pckv
from pckv import Segment, Tally, Task, estimate
from pckv.base.canonical import check_names
from pckv.base.errors import ParameterError
from pckv.charts.estimates import estimates_chart
from pckv.charts.pairs import pairs_chart
from pckv.charts.segments import segments_chart
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind
from pckv.contract.domain import checked_other
from pckv.contract.facts import facts_of, said
from pckv.estimators.results.sheet_words import GERMAN as WORKBOOKS
from pckv.planning.sections import Section
from pckv.planning.set_sizes import SetSizes
from pckv.web.task_form import EXPECTED, DiscoveryPlanInputs, PlanInputs, planned_mixed
from support.derived import collect, people_who_hold
from support.german import (
    ENGLISH,
    STATIC,
    TECHNICAL,
    catalog,
    charts_in_german,
    english_left,
    in_german,
    technical_left,
)
from support.mixed_tasks import a_mixed_task
from support.node import run_module
from support.task_kinds import task_kinds

SOURCE = Path(pckv.__path__[0])
# Modules that make sentences of pages, and modules whose refusals a form or a page shows.
SPOKEN = (
    *(
        "planning/*.py",
        "estimators/*.py",
        "estimators/*/*.py",
        "contract/*.py",
        "charts/*.py",
        "web/*.py",
        "store/base.py",
    ),
    *("base/days.py", "base/levels.py", "base/limits.py", "base/words.py", "mechanisms/derivation.py"),
    *("sealing/public_key.py", "collector/computations.py", "collector/http/problem_details.py"),
    *("collector/http/rate_limit.py", "collector/analysis/*.py", "collector/contracts/*.py"),
    *("collector/recipient/mixer_client.py", "collector/recipient/status.py"),
)
# What these say, no page shows.
SILENT = {
    "planning/shuffle.py": "the bound of `pckv shuffle`",
    "planning/set_sizes.py": "files of sizes",
    "contract/coins.py": "coins, which clients read",
    "contract/members.py": "members of a task's text",
    "contract/series.py": "the text of a series, and its lines in a terminal",
    "estimators/results/sheet_words.py": "workbooks, in both languages",
    "web/bundles.py": "scripts",
    "web/chart_script.py": "a command",
    "web/problem_page.py": "a page that is written in both languages",
    "web/help_pages.py": "pages that are written in both languages",
}
# Texts that are no sentences, or that only commands and clients of others show.
UNTOLD = {
    "mixer.url must be an origin such as https://mix.example: in small letters, without a path, a slash at the end or the "
    "usual port, not {}": "in the catalog with a hole for the address: pages have none",
    '  <meta name="{}" content="{}" />\n  ': "a tag",
    "mean point:Q": "a field of a chart",
    "{}: pictures are written as {}": "a file of a command",
    "a trend that was read has no counts: compare rounds where they are counted": "a trend from a file",
    "task {} is not a round of series {}": "tallies of a command",
    "round {} is given twice: merge its tallies": "tallies of a command",
    "keys were asked for that are not decoded in round {}": "tallies of a command",
    "key {} is not a text": "pairs of a device",
    "label {} is not one of the segment {}: {}": "pairs of a device",
    "the segment {} needs a label: {}": "pairs of a device",
    "size answers": "the name of a test",
    "repeated functions": "the name of a test",
    "fewest bits": "the name of a test",
    "most bits": "the name of a test",
    "a tenth as frequent": "the name of a rule",
    "texts of up to {} characters": "left out of its sentence",
    "a task without values": "left out of its sentence",
    "The task exists already.": "the description of an answer",
    "The task was created.": "the description of an answer",
    "Frequency and, of keys with values, mean of every key, and the shares of more than two levels, with intervals.": (
        "the description of an answer"
    ),
}
# Errors that no request leads to: of programs, and of texts that a client wrote.
OF_PROGRAMS = {"TypeError", "ValueError", "DataError", "TaskError", "SeriesError"}
# Strings of these are not told: members of tables, names of tests, and documentation.
UNTOLD_CALLS = {"log", "Query", "AlarmTest", "_Counts", "binomial"}


def template(node: ast.AST) -> str | None:
    """A text of a program, with a hole where it is filled in."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def untold(tree: ast.AST) -> Iterator[ast.AST]:
    """Docstrings, decorators, names for notebooks, and errors of programs."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from (line for line in node.body[:1] if isinstance(line, ast.Expr))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from [*node.decorator_list, *([node] if node.name == "__repr__" else [])]
        if isinstance(node, ast.ClassDef):
            fixed = (line for line in node.body if isinstance(line, ast.AnnAssign))
            yield from (line for line in fixed if "ClassVar" in ast.unparse(line.annotation))
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in OF_PROGRAMS:
                yield node
            elif name in UNTOLD_CALLS:
                yield from (each for each in node.args[:1] if template(each))
        if isinstance(node, ast.JoinedStr):
            yield from (part for part in node.values if isinstance(part, ast.Constant))


def spoken() -> dict[str, str]:
    """Texts of several words of the modules, each with one that has it."""
    found: dict[str, str] = {}
    for path in sorted({path for pattern in SPOKEN for path in SOURCE.glob(pattern)}):
        name = path.relative_to(SOURCE).as_posix()
        if name in SILENT:
            continue
        tree = ast.parse(path.read_text())
        left_out = {id(inner) for node in untold(tree) for inner in ast.walk(node)}
        for node in ast.walk(tree):
            text = None if id(node) in left_out else template(node)
            # Texts of workbooks have their German beside them.
            if text is None or text in WORKBOOKS:
                continue
            if len(re.findall(r"[A-Za-z]{2,}", text)) > 1 and re.search(r"\w \w", text):
                found.setdefault(text, name)
    return found


def pieces(text: str) -> list[str]:
    """What stands between the holes of a text."""
    return [piece.strip(" .,;:±()") for piece in text.split("{}") if re.search(r"[A-Za-z]{2}", piece)]


def test_every_text_of_the_modules_is_in_the_catalog() -> None:
    """A sentence may be made of several templates: every piece of each stands in an entry, and no entry is of none."""
    known = "\n".join(catalog("server")).lower()
    texts = spoken()
    missing = {text: name for text, name in texts.items() if not all(each.lower() in known for each in pieces(text))}
    assert {text: name for text, name in missing.items() if text not in UNTOLD} == {}
    assert set(UNTOLD) <= set(missing)


@pytest.mark.parametrize("language", ["german", "english"])
def test_entries_name_the_holes_of_their_english(language: str) -> None:
    for english, german in catalog("server", language).items():
        named = {int(number) for number in re.findall(r"\{(\d+)(?::\w+)?\}", german)}
        assert named <= set(range(1, english.count("{}") + 1)), english
        assert "{}" not in german, english
        assert language == "english" or not ENGLISH.search(re.sub(r"[„(\"]\w+|'\w+'", "", german)), german


@cache
def plans() -> tuple[Section, ...]:
    """What plans say for people who answer forms in many ways."""
    sections: list[Section] = []
    ways: tuple[dict[str, Any], ...] = (
        {},
        {"low": 1, "high": 5, "levels": "5"},
        {"pairs": 2.5, "most_pairs": 6, "holding": 0.6},
        {"more": "refuse", "coin": "server", "low": -0.5, "high": 0},
        {"labels": 3, "objective": "frequency"},
        {"together": True},
        {"mixed": 1},
        {"mixed": 1, "panels": 4, "rounds": 12},
    )
    for (keys, users, epsilon), way in product(
        [("1", 100, "0.2"), ("3", 2000, "4"), ("40", 200_000, "1"), ("hashed", 2000, "1")], ways
    ):
        options = way | ({"mixed": users} if "mixed" in way else {})
        try:
            inputs = PlanInputs(keys=keys, users=users, epsilon=epsilon, **options)
            plan = planned_mixed(inputs) if inputs.mixed else inputs.planner().plan()
        except ProblemDetails:
            continue
        sections += plan.sections()
    for users, mixed in ((100, None), (20_000, 20_000)):
        sections += DiscoveryPlanInputs(users=users, epsilon="1", characters=8, mixed=mixed).plan().sections()
    return tuple(sections)


def test_no_english_is_left_in_plans() -> None:
    texts = [
        text
        for section in plans()
        for text in (
            section.title,
            *section.sentences,
            *section.columns,
            *(cell for row in section.rows for cell in row),
        )
    ]
    assert len(set(texts)) > 500
    assert english_left(texts) == {}


def test_no_english_is_left_in_refusals_and_facts() -> None:
    tasks = [kind.task for kind in task_kinds()] + [a_mixed_task()]
    facts = {text for task in tasks for name, text in said(facts_of(task)) for text in (name, text)}
    names = {task.name for task in tasks}
    assert len(facts) > 60
    assert english_left((facts | set(EXPECTED.values())) - names) == {}


def test_no_english_is_left_in_verdicts() -> None:
    """Of groups and of two together, from no reports to enough, whatever none, some or many of them say."""
    texts: set[str] = set()
    rng = np.random.default_rng(1)
    ways: tuple[dict[str, Any], ...] = ({}, {"segment": Segment("“age”", ["young", "old"])}, {"together": True})
    for way, keys, people in product(ways, (2, 5), (0, 40, 4000)):
        held, of_label = rng.random((people, keys)) < np.linspace(0.6, 0.01, keys), np.arange(people) % 2
        held[:, 1] |= held[:, 0] if way.get("together") else False
        held[of_label == 1, 0] = False
        task = Task(name="t", keys=keys, epsilon=3, padding=2, **way)
        counted = collect(task, people_who_hold(held, of_label if task.segment else None)) if people else Tally(task)
        for hostile in (0, "1%", "20%"):
            texts |= {*estimate(counted, hostile=hostile).verdict}
    assert sum("whatever" in text and "of such flags" in text for text in texts) > 5
    assert english_left(texts) == {}
    assert technical_left(texts) == {}


def test_what_people_wrote_stays_as_it_is() -> None:
    """Names of keys, labels and mixers are not told, although they look like words of the server, or numbers."""
    own = ("3.5", "1,000", "the noise", "key", "2030-01-01")
    for name in own:
        sentences = (
            f"“{name}” is counted 1,200 times in 5,000 reports, where at most 636 are expected whatever people hold",
            f"Within the labels of “{name}”, no key stands out from the noise.",
            f"{name}, which runs the mixer, withdrew the task: its reports were deleted unread, and there are no results.",
            f"key 3 {name!r} is the same as key 1",
        )
        assert all(
            name in german and german != text for text, german in zip(sentences, in_german(sentences), strict=True)
        )


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("1,234 of 2,000 keys stand out from the noise; the others may be zero.", "1.234 von 2.000 "),
        (
            "from 0.5 (poor) to 5 (great) stars; halfway is “3.5”",
            "von 0,5 (poor) bis 5 (great) stars; in der Mitte „3.5“",
        ),
        ("from 0 to 9; 2.5 is “key”", "von 0 bis 9; 2,5 ist „key“"),
        ("it opens on 2030-03-01", "sie beginnt am 1. März 2030"),
        ("low must be below high: 0.5 ≥ -3.25", "der kleinste Wert muss unter dem größten liegen: 0,5 ≥ −3,25"),
        ("Low must be below high: 1 ≥ 0.", "Der kleinste Wert muss unter dem größten liegen: 1 ≥ 0."),
        ("The task has 12 wings. There are no reports yet.", "The task has 12 wings. Es gibt noch keine Antworten."),
        (
            (
                "mixer.url must be an origin such as https://mix.example: in small letters, without a path, a slash at the end "
                "or the usual port, not 'http://a'"
            ),
            "die Adresse des Mixers muss wie https://mix.example aussehen: klein geschrieben",
        ),
        (
            "There is a mistake in what was sent. Hostile reports must be a number such as 100, or a share such as 1%, not 'a'.",
            "In dem, was gesendet wurde, ist ein Fehler. Die gefälschten Antworten müssen eine ganze Zahl wie 100 oder ein Anteil wie 1 % sein",
        ),
        (
            (
                "A change of any key by 1 point from round 6 to round 7 stands out at least four times out of five, and one by 16 "
                "points from round 6 to round 7; smaller ones may not."
            ),
            (
                "Eine Veränderung irgendeiner Antwortmöglichkeit um 1 Prozentpunkt von Runde 6 auf Runde 7 hebt sich in mindestens "
                "vier von fünf Fällen ab, ebenso eine um 16 Prozentpunkte von Runde 6 auf Runde 7; kleinere vielleicht nicht."
            ),
        ),
        (
            "50 reports came from the mixer of a; 1 more could not be read.",
            "50 Antworten kamen vom Mixer von a; 1 weitere war nicht lesbar.",
        ),
        ("±5,500 %", "±5.500 %"),
        ("±1.3", "±1,3"),
        ("de, translated into en, fr", "Deutsch; Übersetzungen: Englisch, Französisch"),
        ("An unknown sentence about 1,000 things.", "An unknown sentence about 1,000 things."),
    ],
)
def test_numbers_and_days_are_written_as_in_german(english: str, german: str) -> None:
    assert in_german([english])[0].startswith(german)


def test_an_english_page_says_it_in_everyday_words() -> None:
    """What operators see of a plan at first sight has no words of analysts; what the catalog leaves is as it was."""
    texts = ["1 of 1,300 keys stands out from the noise; the others may be zero.", "It costs 1,000.5 coins."]
    # An end alone does not make a text a number of keys.
    texts.append("this is the private key of another public key")
    said = "1 of 1,300 answer options is clearly above zero; the others may be zero."
    assert in_german([*texts, "it opens on 2030-03-01", "2030-13-01"], "en") == [
        *(said, *texts[1:]),
        *("it opens on March 1, 2030", "2030-13-01"),
    ]
    refused = "the first day, 2030-01-14, is in the past: use force if that is meant"
    assert in_german([refused], "en") == ["the first day, January 14, 2030, is in the past"]
    sights = [text for section in plans() if section.light for text in (section.title, *section.sentences)]
    assert technical_left(sights) == {}


_SHARED = """
const [, folder] = process.argv;
const { count } = await import(`${folder}/shared/page.js`);
const { Refusal } = await import(`${folder}/shared/request.js`);
const { levelTexts } = await import(`${folder}/shared/ranges.js`);
const refused = (detail) => new Refusal(400, { title: "A mistake.", detail }).message;
console.log(JSON.stringify([refused("level is 3"), refused("ε must be less"), count(-5), ...levelTexts([-0.5, 1])]));
"""


def test_refusals_are_sentences_and_negative_numbers_have_a_minus() -> None:
    said = ["A mistake. Level is 3", "A mistake. ε must be less", "−5", "−0.5", "1"]
    assert run_module(_SHARED, str(STATIC)) == said


def rows_of(chart: Any) -> Iterator[dict[str, Any]]:
    """The rows that a specification draws."""
    for name, part in chart.items() if isinstance(chart, dict) else enumerate(chart) if isinstance(chart, list) else ():
        yield from part if name == "values" else rows_of(part)


def test_problems_are_told_in_the_words_of_operators() -> None:
    titles = [kind.value.title for kind in ProblemKind]
    assert english_left(titles) == {}
    assert [text for text in in_german(titles, "en") if re.search(r"\b(task|reports?)\b", text)] == []


def test_charts_are_told_without_the_names_in_them() -> None:
    keys, labels = ("key", "share of people", "mean"), ("unknown", "group")
    task = Task(name="t", keys=keys, epsilon=4, users=3000, segment=Segment("frequency", labels))
    held = np.random.default_rng(1).random((3000, len(keys))) < (0.5, 0.3, 0.01)
    found = estimate(collect(task, people_who_hold(held, np.arange(3000) % 2)))
    for english in (estimates_chart(found, name="reports").to_dict(), segments_chart(found, name="reports").to_dict()):
        [german] = charts_in_german([english])
        assert german != english
        for chart in (english, german):
            rows = list(rows_of(chart))
            assert {row["key"] for row in rows} == set(keys)
            assert {row.get("segment", "group") for row in rows} <= set(labels)
        assert german["title"]["text"].startswith("reports: ")
        assert not ENGLISH.search(german["title"]["text"].removeprefix("reports: "))
        assert "Anteil" in str(german)
        assert not re.search(r"'title': '(at most|share|key)", str(german))


def refusals() -> Iterator[str]:
    """What people who fill in a form are told of numbers and names that cannot be."""
    for wrong in (
        lambda: SetSizes.assumed(3, 2, keys=5),
        lambda: SetSizes.assumed(3, 2, keys=5, holding=0.9),
        lambda: SetSizes.assumed(5, None, keys=3),
        lambda: SetSizes.assumed(2, None, keys=3, holding=0.4),
        lambda: SetSizes.assumed(0.3, None, keys=3, holding=0.4),
        lambda: check_names(("a", "a"), "label"),
        lambda: checked_other("a", ("a",)),
    ):
        with pytest.raises(ParameterError) as refused:
            wrong()
        yield str(refused.value)


def test_refusals_and_alarms_are_told_in_everyday_words() -> None:
    counted = "is counted 12 times in 50 reports, where at most 6 are expected whatever people hold"
    items = ("“a”", "“a” with the value 3", "The label “b”", "“a” within the label “b”", "“a” together with “b”")
    alarms = [f"{item} {counted}{more}" for item in items for more in ("", " (and 3 other counts of this kind)")]
    alarms.append("200 pairs of reports name the same function, where 3 are expected")
    texts = [*refusals(), *alarms]
    assert technical_left(texts) == {}
    assert english_left(texts) == {}
    assert in_german(["label 2 'a' is the same as label 1"]) == ["Gruppe 2, „a“, ist dieselbe wie Gruppe 1"]


@pytest.mark.parametrize(
    ("language", "title", "below"),
    [
        ("en", "t: 3 answer options, every two together", "40 responses, 95 % ranges, blue: "),
        ("de", "t: 3 Antwortmöglichkeiten, je zwei zusammen", "40 Antworten, 95-%-Bereiche, blau: "),
    ],
)
def test_below_a_chart_stands_nothing_of_its_mechanism(language: str, title: str, below: str) -> None:
    """Nor its method, ε, and what a mixer promises: pages have these under "Details"."""
    mixed, task = a_mixed_task(keys=3), Task(name="t", keys=3, epsilon=4, padding=2, together=True)
    promised = estimate(collect(mixed, people_who_hold(np.ones((40, 3), bool))))
    pairs = pairs_chart(estimate(collect(task, people_who_hold(np.ones((40, 3), bool)))), name="t").to_dict()
    [drawn, one] = charts_in_german([pairs, estimates_chart(promised).to_dict()], language)
    assert drawn["title"]["text"] == title
    assert drawn["title"]["subtitle"].startswith(below)
    [line] = one["title"]["subtitle"]
    assert not TECHNICAL.search(f"{drawn['title']} {line}")
    assert line.startswith(below.split(", ", maxsplit=1)[0])


def test_pages_without_scripts_say_so_in_both_languages() -> None:
    for page in sorted(STATIC.glob("*.html")):
        [said] = re.findall("<noscript.*?</noscript", page.read_text(), re.DOTALL)
        assert 'lang="de"' in said, page.name


# What the pages themselves say, which their parts translate.
CATALOGS = {"shared": "shared", "dashboard": "dashboard", "new-task": "new-task", "results": "results"}
NAME = re.compile(r"\{(\w+)\}")


def literals(folder: str) -> set[str]:
    """The texts that scripts of a folder give to `t`, and both forms of the nouns that they give to `plural`."""
    parser = Parser(Language(javascript()))
    found: set[str] = set()
    for path in sorted((STATIC / folder).rglob("*.js")):
        nodes = [parser.parse(path.read_bytes()).root_node]
        while nodes:
            node = nodes.pop()
            nodes += node.children
            found |= _given(node)
    return found


def _given(node: Node) -> set[str]:
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if (
        node.type != "call_expression"
        or function is None
        or arguments is None
        or function.text not in {b"t", b"plural"}
    ):
        return set()
    place = 0 if function.text == b"t" else 1
    texts = [_texts(each) for each in arguments.named_children if each.type != "comment"]
    given = texts[place] if len(texts) > place else set()
    return given if place == 0 else {f"{{number}} {noun}{end}" for noun in given for end in ("", "s")}


def _texts(node: Node) -> set[str]:
    """The literals of an expression: a text, or either branch of a choice."""
    if node.type == "string":
        return {ast.literal_eval(node.text.decode())} if node.text else set()
    if node.type == "ternary_expression":
        ends = (node.child_by_field_name("consequence"), node.child_by_field_name("alternative"))
        return {text for end in ends if end is not None for text in _texts(end)}
    return _texts(node.named_children[0]) if node.type == "parenthesized_expression" else set()


@pytest.mark.parametrize("folder", CATALOGS)
def test_every_text_of_a_page_has_a_german_one(folder: str) -> None:
    """In the catalog of its folder or in that of what pages share, which have no entry that no page says."""
    of_folder, shared = catalog(CATALOGS[folder]), catalog("shared")
    given = literals(folder)
    if not of_folder and all(text.startswith("{number} ") for text in given):
        pytest.skip("the page has no texts in German yet")
    assert {text for text in given if text not in {**shared, **of_folder}} == set()
    everywhere = given if folder != "shared" else {text for each in CATALOGS for text in literals(each)}
    # `plural` itself looks its nouns up by a template.
    assert {text for text in of_folder if text not in everywhere} == set()
    for english, german in of_folder.items():
        assert set(NAME.findall(english)) == set(NAME.findall(german)), english
