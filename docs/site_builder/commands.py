"""The reference of the command line, made from the commands themselves."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import click

from site_builder.pages import Fault

# A bare option line says enough of these.
SELF_EVIDENT = {"help"}


def commands(group: click.Group, prefix: str = "pckv") -> dict[str, click.Command]:
    """Return all commands of a group by their full names, those of its groups included."""
    found: dict[str, click.Command] = {}
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            found |= commands(command, f"{prefix} {name}")
        elif command is not None and not command.hidden:
            found[f"{prefix} {name}"] = command
    return found


def undocumented_commands(group: click.Group) -> Iterator[Fault]:
    """Yield every command without a text, and every option that does not say what it does."""
    for name, command in commands(group).items():
        if not command.help:
            yield Fault(name, "undocumented command")
        for option in _options(command):
            if not option.help:
                yield Fault(name, f"undocumented option {option.opts[-1]}")


def command_pages(group: click.Group) -> str:
    """Return a section per command: what it does, how it is called, and its options."""
    return "\n".join(line for name, command in commands(group).items() for line in _section(name, command))


def _section(name: str, command: click.Command) -> Iterator[str]:
    # click keeps the first help option that it makes for a command.
    context = click.Context(command, info_name=name, help_option_names=["-h", "--help"])
    yield from (f"## `{name}`", "")
    yield from _prose(command.help or "")
    yield from ("```text", *command.get_usage(context).splitlines(), "```", "")
    rows = [_row(option, context) for option in _options(command)]
    if rows:
        yield from ("| option | meaning |", "|---|---|", *rows, "")


def _prose(text: str) -> Iterator[str]:
    """Paragraphs as they are; those that click prints verbatim become blocks of code."""
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(text.replace("\f", "\n\n"))):
        if paragraph.lstrip().startswith("\b"):
            yield from ("```text", *paragraph.splitlines()[1:], "```", "")
        else:
            yield from (paragraph, "")


def _row(option: click.Option, context: click.Context) -> str:
    record = option.get_help_record(context)
    names, text = record or (", ".join(option.opts), "")
    return f"| `{cell(names)}` | {cell(prose(text))} |"


def _options(command: click.Command) -> list[click.Option]:
    found = [option for option in command.params if isinstance(option, click.Option) and not option.hidden]
    return [option for option in found if option.name not in SELF_EVIDENT]


def cell(text: str) -> str:
    """Return a text that may stand in a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def prose(text: str) -> str:
    """Return a text whose signs Markdown would take for its own are taken literally."""
    return re.sub(r"([*_<\[\]#])", r"\\\1", text)
