"""The form for a new task in a browser: what it tells, and its draft."""

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
    return str(page.evaluate("document.activeElement.labels[0].textContent"))


def draft(page: Any) -> str:
    return str(page.evaluate("localStorage.getItem('pckv-draft')"))


def open_form(operator: Person, *, planned: bool = False) -> None:
    """Open the form. Plans take long, and stay without an answer in all but one test."""
    if not planned:
        operator.page.route("**/plan?*", lambda _: None)
    operator.sign_in()
    operator.go("/#/new")
    operator.page.get_by_role("heading", name="New task").wait_for()
