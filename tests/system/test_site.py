"""`make docs` builds a site that needs no other, and refuses dead links and anything undocumented."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

import click
import pytest

from site_builder.build import DESCRIPTIONS, faults
from site_builder.commands import undocumented_commands
from site_builder.pages import FENCE, HOME, Pages, anchors
from site_builder.python_names import undocumented_parts
from site_builder.service import Service
from support.parts import ROOT

# Pages to be read from top to bottom; reference and appendix are for looking up.
MAX_WORDS_PER_PAGE = 1500
LOOKED_UP = ("docs/reference/", "docs/appendix/")
MAX_COLUMNS = 100
MAX_LINES_OF_README = 170


@pytest.fixture(scope="module")
def pages() -> Pages:
    return Pages(ROOT)


def test_nothing_is_undocumented_and_no_link_is_dead() -> None:
    assert not faults(ROOT)


def test_pages_have_one_purpose_and_a_next_step(pages: Pages) -> None:
    for name, text in pages.texts.items():
        if name.startswith("docs/"):
            assert name.startswith(LOOKED_UP) or len(text.split()) <= MAX_WORDS_PER_PAGE, name
            assert text.startswith("# "), name
            assert re.search(r"^\*\*Next:\*\* ", text.strip().split("\n\n")[-1]), name


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < MAX_LINES_OF_README


def test_lines_are_wrapped(pages: Pages) -> None:
    """Tables, pictures, links and code cannot be."""
    for name, text in pages.texts.items():
        for line in FENCE.sub("", text).splitlines():
            if name.startswith("docs/") and not line.startswith(("|", "!")) and "](" not in line:
                assert len(line) <= MAX_COLUMNS, (name, line)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build it as `make docs` does."""
    out = tmp_path_factory.mktemp("site")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT / "docs")))}
    command = [sys.executable, "-m", "site_builder", str(out)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return out


def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    loaded = re.compile(r'<(?:script|img|source|iframe)[^>]*\ssrc="([^"]+)"|<link[^>]*\shref="([^"]+)"')
    for page in site.rglob("*.html"):
        found = [first or second for first, second in loaded.findall(page.read_text(encoding="utf-8"))]
        assert found
        assert not [address for address in found if re.match(r"(?:[a-z]+:)?//", address)], page
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", sheet.read_text(encoding="utf-8")), sheet


def test_the_site_has_every_command_name_and_setting(site: Path) -> None:
    commands = (site / "reference/commands.html").read_text(encoding="utf-8")
    assert "pckv task new" in commands
    assert "--most-influence" in commands
    python = (site / "reference/python.html").read_text(encoding="utf-8")
    assert 'id="pckv.contract.task.Task"' in python
    assert "PCKV_BATCH_DELAY" in (site / "reference/settings.html").read_text(encoding="utf-8")
    assert "pckv_queue_reports" in (site / "reference/metrics.html").read_text(encoding="utf-8")
    assert "invitation-spent" in (site / "reference/http.html").read_text(encoding="utf-8")
    mixer = (site / "reference/mixer.html").read_text(encoding="utf-8")
    assert all(text in mixer for text in ("PCKV_MIX_ORIGIN", "/tasks/{task_id}/sealed", "batch/acknowledge"))


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """Return a copy of all pages, to plant faults in."""
    for folder in ("docs", "proofs", "src/pckv/web/client"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("*.js", "__pycache__"))
    for name in ("README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        shutil.copyfile(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize(
    ("added", "problem"),
    [
        ("[gone](gone.md)", "dead link gone.md"),
        ("[no heading](faq.md#nowhere)", "dead link faq.md#nowhere: there is no such heading"),
        ("![no picture](figures/none.svg)", "dead link figures/none.svg"),
        ('<img src="none.png">', "dead link none.png"),
    ],
)
def test_a_dead_link_is_found(copied: Path, added: str, problem: str) -> None:
    page = copied / "docs/glossary.md"
    page.write_text(page.read_text(encoding="utf-8") + f"\n{added}\n", encoding="utf-8")
    found = {(fault.place, fault.problem) for fault in Pages(copied).faults()}
    assert ("docs/glossary.md", problem) in found


def test_a_page_that_nothing_lists_is_found(copied: Path) -> None:
    (copied / "docs/lost.md").write_text("# Lost\n", encoding="utf-8")
    found = [str(fault) for fault in Pages(copied).faults()]
    assert f"docs/lost.md: {HOME} does not list it" in found


def test_pages_are_called_by_their_titles(copied: Path, tmp_path: Path) -> None:
    """What is not in the site is named, not linked."""
    page = copied / "docs/faq.md"
    page.write_text("# Q\n\n[glossary.md](glossary.md#glossary) [x](../README.md)\n", encoding="utf-8")
    pages = Pages(copied)
    pages.write(tmp_path / "out", defaultdict(lambda: str))
    assert "[Glossary](glossary.md#glossary) `README.md`" in (tmp_path / "out/faq.md").read_text(encoding="utf-8")


def test_headings_have_the_anchors_of_both_readers() -> None:
    assert anchors("# What is `ε`, and why?\n## 10^9 [reports](x.md)\n```\n# no heading\n```\n") == {
        "what-is-ε-and-why",
        "109-reports",
    }


@pytest.mark.parametrize("part", ["settings", "metrics", "problems", "reasons", "parameters"])
def test_a_missing_or_needless_description_is_found(part: str) -> None:
    descriptions = tomllib.loads((ROOT / DESCRIPTIONS).read_text(encoding="utf-8"))
    lost = min(descriptions[part])
    del descriptions[part][lost]
    descriptions[part]["invented"] = "Nothing."
    found = {fault.problem for fault in Service(descriptions).faults()}
    assert found == {f"undocumented name in [{part}]: {lost}", f"no such name in [{part}]: invented"}


def test_a_silent_command_or_option_is_found() -> None:
    @click.group()
    def program() -> None: ...

    @program.command()
    @click.option("--loud", help="Say more.")
    @click.option("--quiet")
    def silent(loud: str, quiet: str) -> None: ...

    found = [str(fault) for fault in undocumented_commands(program)]
    assert found == ["pckv silent: undocumented command", "pckv silent: undocumented option --quiet"]


def test_what_a_docstring_leaves_out_is_found() -> None:
    def silent(count: int) -> int:
        if count < 0:
            raise ValueError
        return count

    def complete(count: int) -> int:
        """Return a number.

        Args:
            count: A number.

        Returns:
            The same.
        """
        return count

    assert [fault.problem for fault in undocumented_parts("silent", silent)] == [
        "undocumented public name",
        "undocumented parameter count",
        "undocumented result",
        "undocumented error",
    ]
    assert not list(undocumented_parts("complete", complete))
