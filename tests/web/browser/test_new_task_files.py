"""Answer options of a new survey that come from a file or a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from support.people import open_step
from support.task_forms import open_form, problems_at

FILES = {
    "keys.txt": (b"Alien, the film\r\nHeat\r\n", "Alien, the film\nHeat\n"),
    "keys.csv": ('\ufeffAlien;8\n"Heat; ""1995""";9\n'.encode(), 'Alien\nHeat; "1995"'),
    "one column.csv": (b"Alien\nHeat, and more\n", "Alien\nHeat, and more"),
}
BAD_FILES = {
    "latin.txt": (b"caf\xe9", "save it as “CSV UTF-8”"),
    "open.csv": (b'"Alien\nHeat', "a quotation mark of the file is not closed"),
    "lines.csv": (b'"Ali\nen",1\n', "the file has a name with a line break: “Ali"),
}


HEADINGS = {
    "heading.csv": (b"Answer,Votes\nAlien,8\nHeat,9\n", "Answer"),
    "heading.txt": (b"Name\nAlien\nHeat\n", "Name"),
    "columns.csv": (b"Film;Director\nAlien;Scott\nHeat;Mann\n", "Film"),
}


def test_keys_come_from_a_file(people: Any, tmp_path: Path) -> None:
    operator = people()
    open_form(operator)
    page = operator.page
    page.get_by_label("Name", exact=True).fill("from a file")
    operator.press("Next")
    names = page.get_by_label("Answer options, one per line")
    for name, (data, shown) in FILES.items():
        (tmp_path / name).write_bytes(data)
        page.get_by_label("Or take them from a file").set_input_files(tmp_path / name)
        page.get_by_text("2 answer options.").wait_for()
        assert names.input_value() == shown
        names.fill("")
    for name, (data, why) in BAD_FILES.items():
        (tmp_path / name).write_bytes(data)
        page.get_by_label("Or take them from a file").set_input_files(tmp_path / name)
        page.get_by_text(f"Nothing was taken from {name}: {why}").wait_for()
        assert names.input_value() == ""
    for name, (data, heading) in HEADINGS.items():
        (tmp_path / name).write_bytes(data)
        page.get_by_label("Or take them from a file").set_input_files(tmp_path / name)
        page.get_by_text(f"The first line, “{heading}”, looks like a heading and is left out.").wait_for()
        assert names.input_value().split() == ["Alien", "Heat"]
        operator.press(f"“{heading}” is an answer: put it back")
        assert names.input_value().split() == [heading, "Alien", "Heat"]
        assert page.get_by_text("looks like a heading").is_hidden()
    # A table may have a heading of any word, and begins with an answer as often.
    (tmp_path / "films.csv").write_bytes(b"Film\nAlien\nHeat\n")
    page.get_by_label("Or take them from a file").set_input_files(tmp_path / "films.csv")
    page.get_by_text("3 answer options.").wait_for()
    operator.press("“Film” is a heading: leave it out")
    assert names.input_value().split() == ["Alien", "Heat"]
    operator.press("“Film” is an answer: put it back")
    assert names.input_value().split() == ["Film", "Alien", "Heat"]
    # A table of a spreadsheet is pasted with tabs.
    names.fill("")
    pasted = "key\tvalue\nAlien\t8\nHeat\t9"
    names.evaluate(
        """(element, text) => { const data = new DataTransfer(); data.setData("text/plain", text);
        element.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })); }""",
        pasted,
    )
    assert names.input_value() == "Alien\nHeat"
    open_step(operator, 2)
    page.get_by_label("Just numbers").check()
    assert names.is_hidden()
    page.get_by_label("Number of answer options").fill("0")
    operator.press("Next")
    assert problems_at(page)["Number of answer options"] == "This must be at least 1."
