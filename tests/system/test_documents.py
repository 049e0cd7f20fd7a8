"""Documents, proofs and help texts keep up with the code."""

from __future__ import annotations

import inspect
import json
import re
import shlex
import tomllib
from pathlib import Path

import click
import pytest

import pckv
from pckv.cli import main
from pckv.estimators.methods.registry import METHODS
from pckv.mechanisms.registry import LAWS
from support.parts import ROOT

DOCUMENTS = sorted(
    [
        *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY")),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "proofs").glob("*.md"),
        ROOT / "src/pckv/web/client/README.md",
    ]
)
BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
QUOTED = re.compile(r"`([^`]+)`")
PATH = re.compile(r"[\w.*-]+(/[\w.*-]+)+\.(py|js|md|json|toml)")


def document_name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_constraints_pin_versions_and_name_no_registry() -> None:
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    assert "://" not in text
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[^\s]+", line) for line in text.splitlines())
    assert "://" not in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_every_mechanism_and_method_has_a_proof() -> None:
    for name in (*LAWS, "corrected", "intervals", "size-question"):
        assert (ROOT / "proofs" / f"{name}.md").is_file()
    for law in LAWS.values():
        module = inspect.getmodule(law)
        assert module is not None
        assert f"proofs/{law.name}.md" in (module.__doc__ or "")


def test_documents_match_the_code() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme.index("make demo") < readme.index("make test") < 300
    for linked in re.findall(r"\]\((?!http)([^)#]+)\)", readme):
        assert (ROOT / linked).exists(), linked
    docs = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md"))
    for name in (*LAWS, *METHODS):
        assert f"`{name}`" in docs
    version = pckv.__version__
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", DOCUMENTS, ids=document_name)
def test_every_quoted_path_exists(path: Path) -> None:
    """Paths are relative to the root or to the package; `*` may stand in a name, NAME for a mechanism."""
    quoted = QUOTED.findall(BLOCK.sub("", path.read_text(encoding="utf-8")))
    paths = [text for text in quoted if PATH.fullmatch(text) and "NAME" not in text]
    missing = [name for name in paths if not any(any((ROOT / base).glob(name)) for base in ("", "src/pckv"))]
    assert not missing


def test_no_merge_is_left_unfinished() -> None:
    left = re.compile(r"^(<{7}|>{7}) ", re.MULTILINE)
    assert not [path for path in DOCUMENTS if left.search(path.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("path", DOCUMENTS, ids=document_name)
def test_every_named_make_target_exists(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    code = [*QUOTED.findall(BLOCK.sub("", text)), *"\n".join(BLOCK.findall(text)).splitlines()]
    named = {match[1] for line in code if (match := re.match(r"make\s+([a-z][\w-]*)", line))}
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert named <= set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))


def shell_commands(text: str) -> list[list[str]]:
    """Return the words of every `pckv` command in the blocks of a document, pipes taken apart.

    Blocks of a named language, such as `sh`, are not commands of this release.
    """
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    blocks = [block for language, block in found if language in {"", "text"}]
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    parts = [part.strip() for line in lines for part in line.split("|")]
    return [shlex.split(part, comments=True) for part in parts if part.startswith("pckv ")]


@pytest.mark.parametrize("path", DOCUMENTS, ids=document_name)
def test_every_command_and_option_exists(path: Path) -> None:
    for _, *given in shell_commands(path.read_text(encoding="utf-8")):
        command: click.Command = main
        words = list(given)
        while isinstance(command, click.Group):
            found = command.get_command(click.Context(command), words.pop(0))
            assert found is not None, given
            command = found
        # click keeps the first help option that it makes for a command.
        context = click.Context(command, **main.context_settings)
        command.make_parser(context).parse_args([word for word in words if word != "..."])


@pytest.mark.parametrize("path", DOCUMENTS, ids=document_name)
def test_code_and_data_can_be_read(path: Path) -> None:
    """Examples with a prompt are run as doctests; these need a network, a cluster or an app."""
    for language, block in re.findall(r"^```(\w+)\n(.*?)^```$", path.read_text("utf-8"), re.MULTILINE | re.DOTALL):
        if language == "json":
            json.loads(block)
        elif language == "toml":
            tomllib.loads(block)
        elif language == "python" and ">>>" not in block:
            compile(block, str(path), "exec")


def test_what_participants_read_in_the_examples_fits_a_task() -> None:
    for name in ("app-ratings", "symptoms-survey"):
        page = (ROOT / "docs" / "how-to" / f"{name}.md").read_text(encoding="utf-8")
        found = re.search(r"^```toml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        assert found is not None
        about = tomllib.loads(found[1])
        task = pckv.Task(name=name, keys=3, values=(0, 10), epsilon=1, about=about)
        assert json.loads(task.to_json())["about"]["question"] == about["question"]
