"""What the dashboard shows of a mixed task: how many reports wait, when they come, and what its mixer decides."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pckv import Task
from pckv.collector import upkeep
from pckv.collector.recipient import batches
from pckv.sealing.recipient_key import RecipientKey
from support.collectors import Running, running
from support.fake_mixer import CLOSES, FakeMixer, garbage, mixed_task, put_key, running_mixer, sealed_reports
from support.people import DESK, PHONE, Person, has_address

DAY = "2030-01-15"


class Setting(NamedTuple):
    """An operator in front of a collector with one mixed task, and the mixer of that task."""

    operator: Person
    collector: Running
    mixer: FakeMixer
    task: Task
    key: RecipientKey
    day: list[str]

    def open(self) -> Any:
        self.operator.go(f"/#/tasks/{self.task.id}")
        self.operator.page.locator("#batch").wait_for()
        return self.operator.page

    def batch(self, words: str) -> str:
        """Wait until the page says something of the batch; return all that it says of it."""
        said = self.operator.page.locator("#batch", has_text=words)
        said.wait_for()
        return str(said.inner_text())


@pytest.fixture
def setting(browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Setting]:
    monkeypatch.setattr(upkeep, "SECONDS_BETWEEN_BATCHES", 0.02)
    monkeypatch.setattr(batches, "SECONDS_BETWEEN_QUESTIONS", 0)
    monkeypatch.setattr(batches, "CLAIM_SECONDS", 0)
    day, key = [DAY], RecipientKey.generate()
    with running_mixer() as mixer, running(clock=lambda: day[0], mixer_keys=str(tmp_path)) as collector:
        task = mixed_task(mixer, key)
        put_key(tmp_path, key)
        mixer.accept(task)
        assert collector.administer("POST", "/tasks", task.to_json().encode()).status_code == 201
        context = browser.new_context()
        operator = Person(context, f"http://127.0.0.1:{collector.port}")
        operator.begin(PHONE, "light")
        operator.sign_in()
        yield Setting(operator, collector, mixer, task, key, day)
        assert operator.problems == []
        context.close()


def test_it_is_told_how_many_wait_and_when_they_come(setting: Setting) -> None:
    page = setting.open()
    page.locator(".counts", has_text="5 sealed responses at the mixer").wait_for()
    assert "come together from January 20, 2030 on" in setting.batch("5 wait")
    assert (
        "62.5 % of the 8 that the mixer hands over at least, as it said on January 15, 2030"
        in page.locator(".counts").inner_text()
    )
    setting.operator.check_in_both_colours(DESK)
    # What the mixer decides is not offered.
    setting.operator.press("Settings", "link")
    page.locator("[aria-label=End]", has_text="A second party").wait_for()
    for name in ("Close the survey …", "Create invitations", "Say how many you expect"):
        assert page.get_by_text(name, exact=True).filter(visible=True).count() == 0
    has_address(setting.operator)
    setting.operator.press("Share", "link")
    page.reload()
    page.get_by_text("Devices send sealed responses").wait_for()
    share = page.locator("[aria-label='Take part']").inner_text()
    assert "A second party or a third party make invitations" in share
    setting.operator.unfold("Ask from an app or a page")
    for lines in page.locator(".snippet textarea").filter(visible=True).all():
        assert f'lient("{setting.mixer.url}"' in lines.input_value()
    setting.operator.go("/")
    row = page.locator("tr", has_text=setting.task.name)
    row.get_by_text("5 at the mixer").wait_for()
    assert "through a mixer" in row.inner_text()


def test_a_batch_that_came_and_what_could_not_be_read_are_told(setting: Setting) -> None:
    page = setting.open()
    setting.mixer.release(setting.task, [garbage(setting.task, 1), *sealed_reports(setting.task, setting.key)])
    setting.day[0] = CLOSES
    said = setting.batch("8 responses came")
    assert said == "8 responses came from the mixer of A second party; 1 more could not be read."
    assert page.locator("#batch").get_attribute("class") == "note"
    page.locator(".counts", has_text="8 responses").wait_for()
    setting.operator.check(DESK)


def test_too_few_are_told(setting: Setting) -> None:
    page = setting.open()
    setting.mixer.states[setting.task.id] = "too few"
    setting.day[0] = CLOSES
    assert "deleted them unread, and there are no results" in setting.batch("had come")
    page.locator(".counts", has_text="0 responses").wait_for()
    assert page.locator("#batch").get_attribute("class") == "note"
    assert page.get_by_text("come together").filter(visible=True).count() == 0
    setting.operator.check(DESK)
