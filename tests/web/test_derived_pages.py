"""Tasks by group and with keys together on the collector: their forms, tables, charts and public results."""

from __future__ import annotations

import csv
import io
import random
from typing import Any

import pytest

import pckv
from pckv.base.errors import ParameterError
from pckv.charts.pairs import heat_map, pairs_chart
from pckv.charts.segments import segments_chart
from pckv.planning.planner import plan
from support.collectors import ADMINISTRATOR, Running, bearer, check_problem
from support.site import FORM, ask
from support.stores import add

KEYS = ["Alien", "Heat", "constructor", "Up"]
LABELS = ["under 30", "over 30", "no answer"]
SEGMENT = {"name": "age", "labels": LABELS}
WITHOUT_VALUES: dict[str, Any] = {name: value for name, value in FORM.items() if name not in {"low", "high"}}


def by_group(**members: Any) -> pckv.Task:
    """Return a task whose first key only those of the first label hold."""
    segment = pckv.Segment("age", LABELS)
    return pckv.Task(name="by group", keys=KEYS, epsilon=8, segment=segment, **members)


def together(**members: Any) -> pckv.Task:
    return pckv.Task(name="together", keys=KEYS, epsilon=8, together=True, **members)


@pytest.fixture(scope="module")
def grouped(site: Running) -> pckv.Task:
    """A task with a segment and reports, with public results."""
    task = by_group(more="refuse", padding=1)
    labels = [LABELS[number % 5 % 3] for number in range(600)]
    reports = [pckv.perturb(task, ["Alien" if label == LABELS[0] else "Heat"], segment=label) for label in labels]
    return stored(site, task, reports)


@pytest.fixture(scope="module")
def paired(site: Running) -> pckv.Task:
    """A task whose first two keys go together, with reports and public results."""
    task, drawn = together(more="refuse", padding=2), random.Random(1)
    held = [["Alien", "Heat"] if drawn.random() < 0.3 else ["constructor"] for _ in range(2000)]
    return stored(site, task, [pckv.perturb(task, keys) for keys in held])


def stored(site: Running, task: pckv.Task, reports: list[pckv.Report]) -> pckv.Task:
    site.administer("POST", "/tasks", task.to_json().encode()).raise_for_status()
    add(site.store, *reports, task=task)
    site.administer("PATCH", f"/tasks/{task.id}", b'{"public_results": true}').raise_for_status()
    return task


@pytest.mark.parametrize("member", [{"segment": SEGMENT}, {"together": True}], ids=str)
def test_a_form_becomes_the_task_that_was_planned(site: Running, member: dict[str, Any]) -> None:
    survey = WITHOUT_VALUES | {"name": f"with {member}", "keys": KEYS, **member}
    created = ask(site, "POST", "/tasks/new", bearer(ADMINISTRATOR), json=survey)
    task = pckv.Task.from_json(created.json()["task"])
    assert (task.segment, task.domain.together) == (
        (pckv.Segment("age", LABELS), False) if "segment" in member else (None, True)
    )
    asked = "labels=3" if "segment" in member else "together=true"
    hints = "&".join(f"{name}={survey[name]}" for name in ("epsilon", "users", "pairs"))
    answer = site.get(f"/plan?keys=4&{hints}&{asked}", ADMINISTRATOR).json()
    assert (answer["plan"]["padding"], answer["plan"]["mechanism"]) == (task.padding, task.mechanism)
    derived: dict[str, Any] = {"segment": 3} if "segment" in member else {"together": True}
    expected = plan(4, survey["users"], survey["epsilon"], survey["pairs"], **derived)
    assert answer["sections"] == [section.to_dict() for section in expected.sections()]
    shown = site.get(f"/tasks/{task.id}/overview").json()
    assert (shown["segment"], shown["together"]) == (member.get("segment"), "together" in member)


VALUES = {"low": "1", "high": "5"}


@pytest.mark.parametrize(
    ("wrong", "field", "says"),
    [
        ({"segment": SEGMENT | {"labels": [str(n) for n in range(17)]}}, "segment", "2 to 16 labels, not 17"),
        ({"segment": SEGMENT | {"labels": ["one"]}}, "segment", "2 to 16 labels, not 1"),
        ({"segment": SEGMENT | {"labels": ["a", "a"]}}, "segment", "'a'"),
        ({"segment": SEGMENT | {"name": ""}}, "segment", "name"),
        ({"segment": {"name": "age"}}, "segment", "a name and a list of labels"),
        ({"segment": SEGMENT, "keys": "hashed"}, "segment", "needs a list of keys"),
        ({"segment": SEGMENT, "together": True}, "together", "together must be false where there is a segment"),
        ({"together": True, "keys": 501}, "together", "2 to 500 keys, not 501"),
        ({"together": True, **VALUES}, "together", "keys without values"),
        ({"together": True, "other": "else"}, "together", "leave out other"),
        ({"together": "yes"}, "together", "true or false"),
    ],
    ids=str,
)
def test_what_cannot_be_asked_is_refused_in_one_line(
    site: Running, wrong: dict[str, Any], field: str, says: str
) -> None:
    answer = ask(site, "POST", "/tasks/new", bearer(ADMINISTRATOR), json=WITHOUT_VALUES | {"keys": KEYS} | wrong)
    check_problem(answer, 400, "malformed", field)
    detail = answer.json()["detail"]
    assert says in detail
    assert "\n" not in detail


@pytest.mark.parametrize("wrong", ["labels=1", "labels=17", "labels=x", "together=1&keys=501", "labels=2&together=1"])
def test_what_cannot_be_planned_is_refused(site: Running, wrong: str) -> None:
    query = {"keys": "5", "epsilon": "1", "users": "100"} | dict(part.split("=") for part in wrong.split("&"))
    answer = site.get("/plan?" + "&".join(f"{name}={value}" for name, value in query.items()), ADMINISTRATOR)
    check_problem(answer, 400, "malformed")


def rows_of(site: Running, task: pckv.Task, query: str) -> list[dict[str, str]]:
    """Return a table of a result as CSV gives it."""
    answer = site.get(f"/tasks/{task.id}/estimates?{query}", Accept="text/csv")
    assert answer.status_code == 200, answer.text
    assert int(answer.headers["x-total-count"]) >= 1
    return list(csv.DictReader(io.StringIO(answer.text)))


def test_tables_within_labels_are_downloads(site: Running, grouped: pckv.Task) -> None:
    """Those of the keys that are asked for, with a column for the label; the same numbers in every form."""
    cells = rows_of(site, grouped, "table=segments")
    assert [(row["segment"], row["key"]) for row in cells] == [(label, key) for label in LABELS for key in KEYS]
    assert [row["label"] for row in rows_of(site, grouped, "table=labels")] == LABELS
    differences = rows_of(site, grouped, "table=differences")
    assert {(row["key"], row["label_a"]) for row in differences} >= {("Alien", "under 30"), ("Heat", "over 30")}
    assert {row["key"] for row in rows_of(site, grouped, "table=segments&search=hea")} == {"Heat"}
    path = f"/tasks/{grouped.id}/estimates"
    answer = site.get(f"{path}?table=segments&offset=3&limit=2")
    assert (answer.headers["x-total-count"], len(answer.json()["rows"])) == ("12", 2)
    assert answer.json()["rows"][0]["share"] == float(cells[3]["share"])
    assert "segments" in answer.headers["content-disposition"]
    inside = site.get(f"{path}?limit=1").json()["segments"]["cells"]
    assert [row["segment"] for row in inside] == LABELS
    check_problem(site.get(f"{path}?table=pairs"), 400, "malformed")
    check_problem(site.get(f"{path}?table=other"), 400, "malformed")


def test_tables_of_pairs_are_downloads(site: Running, paired: pckv.Task) -> None:
    [first, *_] = rows_of(site, paired, "table=pairs")
    assert (first["first"], first["second"], first["relation"]) == ("Alien", "Heat", "together")
    path = f"/tasks/{paired.id}"
    for table in ("segments", "labels", "differences"):
        check_problem(site.get(f"{path}/estimates?table={table}"), 400, "malformed")
    check_problem(site.get(f"{path}/chart?table=segments"), 400, "malformed")
    partners = site.get(f"{path}/key?name=Alien").json()["pairs"]["rows"]
    assert all("Alien" in {row["first"], row["second"]} for row in partners)


def test_a_key_says_nothing_of_all_keys(site: Running, grouped: pckv.Task, paired: pckv.Task) -> None:
    """The sentences about groups and pairs count all of them: beside one key they would be false."""
    for task in (grouped, paired):
        whole, own = (site.get(f"/tasks/{task.id}/{place}").json() for place in ("estimates", "key?name=Alien"))
        said = {sentence for sentence in whole["verdict"] if "label" in sentence or "pair" in sentence}
        assert said
        assert not said & set(own["verdict"])


def test_panels_of_groups_have_one_scale_and_the_same_keys(site: Running, grouped: pckv.Task) -> None:
    spec = site.get(f"/tasks/{grouped.id}/chart?table=segments").json()
    assert [panel["title"]["text"] for panel in spec["concat"]] == LABELS
    scales = {str(panel["layer"][0]["encoding"]["x"]["scale"]) for panel in spec["concat"]}
    assert len(scales) == 1
    drawn = [[row["key"] for row in panel["data"]["values"]] for panel in spec["concat"]]
    assert sorted(drawn[0]) == sorted(KEYS)
    assert drawn == [drawn[0]] * len(LABELS)
    # A key that noise may explain has no share of all people to compare with.
    estimates = site.get(f"/tasks/{grouped.id}/estimates").json()["estimates"]
    overall = {row["key"]: row["frequency"] for row in estimates if row["detected"]}
    for panel in spec["concat"]:
        drawn_overall = {row["key"]: row["overall"] for row in panel["data"]["values"] if row["overall"] is not None}
        assert drawn_overall == pytest.approx(overall)


def test_a_heat_map_has_every_pair_once_and_colours_what_stands_out(site: Running, paired: pckv.Task) -> None:
    cells = site.get(f"/tasks/{paired.id}/chart?table=pairs").json()["data"]["values"]
    assert len({frozenset((cell["key"], cell["partner"])) for cell in cells}) == len(cells) == 6
    relations = {frozenset((cell["key"], cell["partner"])): cell["relation"] for cell in cells}
    assert relations[frozenset(("Alien", "Heat"))] == "together"
    assert relations[frozenset(("Alien", "Up"))] == ""
    strengths = {bool(cell["relation"]): cell["strength"] for cell in cells}
    assert strengths[True] > strengths[False]


def test_charts_refuse_what_they_do_not_draw() -> None:
    plain = pckv.estimate(pckv.Tally(pckv.Task(name="plain", keys=2, epsilon=1)))
    for chart in (segments_chart, pairs_chart):
        with pytest.raises(ParameterError, match="this task"):
            chart(plain)
    # A lift that is not known has no number, and one of 0 the fullest colour.
    row = {"first": "a", "second": "b", "relation": "apart", "lift_low": 0.0, "lift_high": 0.5}
    for lift in (None, 0.0):
        drawn = heat_map([row | {"lift": lift}], ["a", "b"], {"text": "two"})
        assert drawn.to_dict()["hconcat"]


def test_public_results_have_groups_and_pairs(site: Running, grouped: pckv.Task, paired: pckv.Task) -> None:
    shown = site.get(f"/tasks/{grouped.id}/results", None).json()
    assert [row["label"] for row in shown["segments"]["labels"]] == LABELS
    assert len(shown["chart"]["concat"]) == len(LABELS)
    shown = site.get(f"/tasks/{paired.id}/results", None).json()
    assert shown["pairs"]["rows"][0]["relation"] == "together"
    assert shown["pairs_found"] == len(shown["pairs"]["rows"])
    assert "hconcat" in shown["chart"]


def test_what_only_these_tasks_need_is_named_with_the_page(
    site: Running, grouped: pckv.Task, paired: pckv.Task
) -> None:
    for task, further in ((grouped, ["static/join/segment-field.js"]), (paired, [])):
        header = site.get(f"/join/{task.id}", None).headers["link"]
        paths = [path.partition(">")[0].removeprefix("</") for path in header.split(", ")]
        assert task.mechanism == "grr"
        shared = ["client/mechanisms/grr.js", "client/derived.js"]
        assert paths == [f"scripts/join/{path}" for path in (*shared, *further)]
        assert set(paths) <= set(site.app.state.static_files)
