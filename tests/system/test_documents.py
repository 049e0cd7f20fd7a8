"""Documents, proofs and help texts keep up with the code."""

from __future__ import annotations

import inspect
import re

import click

import pckv
from pckv.channels import MECHANISMS
from pckv.cli import main
from pckv.estimators.estimate import METHODS
from support.parts import ROOT


def test_constraints_pin_versions_and_name_no_registry() -> None:
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    assert "://" not in text
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[^\s]+", line) for line in text.splitlines())
    assert "://" not in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_every_mechanism_and_method_has_a_proof() -> None:
    for name in (*MECHANISMS, "corrected", "intervals"):
        assert (ROOT / "proofs" / f"{name}.md").is_file()
    for channel in MECHANISMS.values():
        module = inspect.getmodule(channel)
        assert module is not None
        assert f"proofs/{channel.name}.md" in (module.__doc__ or "")


def test_documents_match_the_code() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme.index("make demo") < readme.index("make test") < 300
    for linked in re.findall(r"\]\((?!http)([^)#]+)\)", readme):
        assert (ROOT / linked).exists(), linked
    docs = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md"))
    for name in (*MECHANISMS, *METHODS):
        assert f"`{name}`" in docs
    version = pckv.__version__
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def commands(group: click.Group, prefix: str = "pckv") -> dict[str, click.Command]:
    found: dict[str, click.Command] = {}
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            found |= commands(command, f"{prefix} {name}")
        else:
            found[f"{prefix} {name}"] = command
    return found


def test_every_command_teaches() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name, command in commands(main).items():
        assert command.help, name
        assert name in readme or name == "pckv demo", name
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help or parameter.name == "out", (name, parameter.name)
