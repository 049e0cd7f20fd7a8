"""The form for a new survey in a browser: what it tells, and its draft."""

from __future__ import annotations

from typing import Any

from support.people import Person


def problems_at(page: Any) -> dict[str, str]:
    """Return what is told at fields, by their labels."""
    told = page.evaluate(
        """[...document.querySelectorAll(".field-problem:not([hidden])")].map(({ id, textContent }) =>
            [document.querySelector(`[aria-describedby~="${id}"]`).labels[0].textContent, textContent])"""
    )
    return dict(told)


def check_refused(operator: Person, label: str, says: str) -> None:
    """Wait for what the collector says of one field; the browser logs its answer as a failure."""
    operator.page.locator(".field-problem", has_text=says).wait_for()
    assert problems_at(operator.page) == {label: says}
    assert focused(operator.page) == label
    operator.forgive("400")


def focused(page: Any) -> str:
    """Return the label of what has the focus."""
    return str(page.evaluate("document.activeElement.labels[0].textContent"))


def saved(operator: Person) -> None:
    """Save the draft, and wait until it is."""
    operator.press("Save draft")
    operator.page.locator(".saved", has_text="Saved").wait_for()


def open_form(operator: Person, *, planned: bool = False, template: str = "choose") -> None:
    """Open the form. Plans take long, and stay without an answer in all but one test."""
    if not planned:
        operator.page.route("**/plan?*", lambda _: None)
    operator.sign_in()
    operator.go(f"/#/new?template={template}")
    operator.page.get_by_role("heading", name="What do you ask?").wait_for()
