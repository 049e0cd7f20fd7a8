"""The participant's page of tasks with levels: buttons for those that have names, or where nothing else is taken."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pckv
from pckv.tally.decode.support import key_support
from support.people import DESK, PHONE, Person, add_task, check_odds, count, explanation, shown_body
from support.serving import ServeProcess

HOURS = ["0", "0.5", "1", "2.5", "10"]


def buttons(person: Person, key: str) -> Any:
    """Return the buttons of a key, once they are there."""
    found = person.page.get_by_role("group", name=key).get_by_role("radio")
    found.first.wait_for()
    return found


def labels(found: Any) -> list[str]:
    return [str(text) for text in found.evaluate_all("(all) => all.map((each) => each.labels[0].textContent)")]


def claims(task: pckv.Task, body: str) -> list[str]:
    """Return what a report supports, as the page is to write it in English."""
    tally = pckv.Tally(task)
    tally.add(pckv.Report(bytes(16), bytes.fromhex(body)))
    supported = key_support(tally).counts
    found = []
    for key in range(task.key_count):
        values = [HOURS[level] for level in supported[:, key].nonzero()[0]]
        end = ", or " if len(values) > 2 else " or "
        if values:
            words = end.join(filter(None, (", ".join(values[:-1]), values[-1])))
            found.append(f"{task.key_name(key)}: with the value {words} h")
    return found


def test_named_levels_are_buttons(people: Any, server: ServeProcess) -> None:
    """By the keyboard alone, on a phone; what the page says of the report is what the collector counts."""
    task = add_task(
        server,
        name="named",
        keys=["Alien", "Heat", "Up"],
        values=(0, 10),
        levels=HOURS,
        about={"unit": "h"},
        mechanism="collision",
        padding=3,
        epsilon=4,
    )
    person = people(PHONE)
    person.go(f"/join/{task.id}")
    shown = buttons(person, "Alien")
    assert labels(shown) == HOURS
    note = person.page.locator("#scale-note").inner_text()
    assert note == "Values: 0 to 10. Unit: h. If your value is not among those offered, choose the nearest one."
    check_odds(task, explanation(person, "odds"))
    shown.first.focus()
    person.page.keyboard.press("ArrowRight")
    assert shown.nth(1).is_checked()
    buttons(person, "Up").nth(4).check()
    person.check()
    person.press("Send my answers")
    person.state("sent")
    entered = person.page.locator(".compare > div").first.locator("li").all_inner_texts()
    assert entered == ["Alien: 0.5 h", "Up: 10 h"]
    assert person.page.locator(".leaves li").all_inner_texts() == claims(task, shown_body(person))
    assert count(server, task.id) == 1


def test_levels_in_equal_steps(people: Any, server: ServeProcess) -> None:
    """Any value may be entered where it is rounded; where it would be refused, levels are buttons that fit a phone."""
    members: dict[str, Any] = {"keys": 1, "values": (0, 1000), "levels": 16, "epsilon": 4}
    rounds, refuses = (add_task(server, name=f"steps {rule}", between=rule, **members) for rule in ("round", "refuse"))
    person = people(PHONE, locale="de-DE")
    page = person.page
    person.go(f"/join/{rounds.id}")
    page.get_by_role("spinbutton", name="0, von 0 bis 1.000").wait_for()
    assert page.get_by_role("radio").count() == 0
    person.go(f"/join/{refuses.id}")
    shown = buttons(person, "0, von 0 bis 1.000")
    assert labels(shown)[:3] + labels(shown)[-1:] == ["0", "66,7", "133,3", "1.000"]
    assert page.get_by_role("spinbutton").count() == 0
    shown.nth(1).check()
    person.check()
    person.press("Antworten absenden")
    person.state("sent")
    assert page.locator(".compare > div").first.locator("li").all_inner_texts() == ["0: 66,7"]
    claimed = page.locator(".leaves li").all_inner_texts()
    assert all(claim.startswith("0: mit dem Wert ") for claim in claimed)
    assert count(server, refuses.id) == 1


def names_below(person: Person, row: int = 0) -> list[str]:
    return [str(text) for text in person.page.locator(".labels").nth(row).locator("span").all_inner_texts()]


def test_the_middle_has_a_name_below_its_step(people: Any, server: ServeProcess) -> None:
    """In both languages on a phone, where long names are broken and none runs over another."""
    german = {"low_label": "kaum wahrnehmbar", "middle_label": "beeinträchtigend", "high_label": "unerträglich"}
    about = {"low_label": "mild", "middle_label": "moderate", "high_label": "severe", "translations": {"de": german}}
    task = add_task(
        server, name="three steps", keys=["Cough", "Fever"], values=(1, 3), levels=3, epsilon=4, about=about
    )
    for locale, names, said in (
        ("en-US", ["mild", "moderate", "severe"], "1 (mild) to 3 (severe), in the middle 2 (moderate)"),
        (
            "de-DE",
            list(german.values()),
            "1 (kaum wahrnehmbar) bis 3 (unerträglich), in der Mitte 2 (beeinträchtigend)",
        ),
    ):
        person = people(PHONE, locale=locale)
        person.go(f"/join/{task.id}")
        buttons(person, f"Cough, {'von' if locale == 'de-DE' else 'from'} {said}").nth(1).check()
        assert names_below(person) == names
        assert person.page.locator("#scale-note").inner_text() in {f"Values: {said}.", f"Werte: {said}."}
        spans = person.page.locator(".labels").first.locator("span")
        assert spans.evaluate_all("(all) => all.every((each) => each.scrollWidth <= each.clientWidth)")
        boxes = [span.bounding_box() for span in spans.all()]
        assert all(one["x"] + one["width"] <= other["x"] for one, other in pairwise(boxes))
        step = person.page.locator(".scale").first.locator("label").nth(1).bounding_box()
        assert abs(step["x"] + step["width"] / 2 - boxes[1]["x"] - boxes[1]["width"] / 2) < 2
        person.check_width(DESK)
        person.check()


def test_a_middle_between_two_steps_and_that_of_a_slider_have_names_alone(people: Any, server: ServeProcess) -> None:
    """The middle one of named levels is not halfway, and may be the only one with a name."""
    about = {"middle_label": "fair"}
    person = people(PHONE)
    for name, members, said, note in (
        ("even", {"values": (1, 4)}, ["", "fair", ""], "Values: 1 to 4, in the middle fair."),
        # Halfway is above 2: no button stands there.
        ("uneven", {"values": (0, 10), "levels": (0, 1, 2, 10)}, ["", ""], "Values: 0 to 10, in the middle fair."),
        ("slider", {"values": (0, 100)}, ["", "fair", ""], "Values: 0 to 100, in the middle fair."),
        ("wide", {"values": (0, 10), "levels": HOURS}, ["", "fair", ""], "Values: 0 to 10, in the middle 1 (fair)."),
    ):
        task = add_task(server, name=f"middle {name}", keys=["Alien"], epsilon=4, about=about, **members)
        person.go(f"/join/{task.id}")
        person.page.locator("#scale-note").wait_for()
        assert names_below(person) == said
        assert person.page.locator("#scale-note").inner_text().startswith(note)
        person.check()
