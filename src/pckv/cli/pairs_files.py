"""Files of pairs: the options that say how to read one, and what is said of its people."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from pckv.base.words import percent, plural
from pckv.cli.common import Command, with_options
from pckv.contract.task import Task
from pckv.files.pairs.findings import NAMES_COUNTED, RowFindings, SetSizeCounts
from pckv.files.pairs.rows import DECIMAL_MARKS, PLAIN_FORM, POINT, Columns, TextForm

# How many unlisted keys are named.
KEYS_NAMED = 10
# The share of people that a second suggested padding covers: covering all of them often adds more noise.
COVERED_SHARE = 0.99


def column_options(value_help: str | None = None, *, segments: bool = False) -> Callable[[Command], Command]:
    """Return a decorator that gives a command the options that name columns, and the `columns` they make.

    Where there is a `value_help`, values may be left out; with `segments`, there may be labels.
    """
    labels = click.option("--segment", help="The column of labels, where the task has a segment: one label per user.")

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_columns(user: str, key: str, value: str | None, segment: str | None = None, **others: Any) -> None:
            command(columns=Columns(user, key, value or "", segment or "").checked(), **others)

        return with_options(
            click.option("--user", required=True, help="The column of users."),
            click.option("--key", required=True, help="The column of keys."),
            click.option("--value", required=value_help is None, help=value_help or "The column of values."),
            *([labels] if segments else []),
        )(with_columns)

    return decorate


def text_form_options(command: Command) -> Command:
    """Give a command the options that say how DATA is written, and the `form` they make."""

    @wraps(command)
    def with_form(decimal: str, encoding: str, trim: bool, **others: Any) -> None:
        command(form=TextForm(encoding, decimal, trim), **others)

    return with_options(
        click.option(
            "--decimal",
            type=click.Choice(DECIMAL_MARKS),
            default=POINT,
            show_default=True,
            help="The mark before the decimals of values in a text file.",
        ),
        click.option(
            "--encoding",
            default=PLAIN_FORM.encoding,
            help="The encoding of a text file, such as latin-1 or utf-16. [default: utf-8]",
        ),
        click.option("--trim", is_flag=True, help="Leave out blanks around users, keys, labels and names of columns."),
    )(with_form)


def unlisted_sentence(task: Task, findings: RowFindings) -> str:
    """Say how many pairs have a key that the task does not list, and name the most frequent of these keys.

    Of keys without values, a pair is one participant's key.
    """
    if not findings.unlisted_pairs:
        return ""
    noun = "pair" if task.has_values else "held key"
    is_one = findings.unlisted_pairs == 1
    counts = "" if task.other is None else f" and {'counts' if is_one else 'count'} as {task.other!r}"
    different = len(findings.unlisted)
    named = ", ".join(
        repr(name) if different == 1 else f"{name!r} ({count:,})"
        for name, count in findings.unlisted.most_common(KEYS_NAMED)
    )
    if not findings.names_are_complete:
        which = f"The {KEYS_NAMED} most frequent of the first {NAMES_COUNTED:,} different ones:"
    elif different > KEYS_NAMED:
        which = f"The {KEYS_NAMED} most frequent of {different:,} different ones:"
    else:
        which = f"The keys, with their {'pairs' if task.has_values else 'numbers'}:" if different > 1 else "The key is"
    blanks = sum(count for name, count in findings.unlisted.items() if task.domain.find(name.strip()) is not None)
    listed = "have a listed key without blanks around it" if task.has_values else "be listed without blanks around it"
    hint = f" {plural(blanks, noun)} of these would {listed} (--trim)." if blanks else ""
    lacks = "a key that the task does not list" if task.has_values else "not listed by the task"
    verb = ("has" if is_one else "have") if task.has_values else ("is" if is_one else "are")
    return f"{plural(findings.unlisted_pairs, noun)} {verb} {lacks}{counts}. {which} {named}.{hint}"


def larger_sets_sentence(sizes: SetSizeCounts, noun: str) -> str:
    """Say how many people hold more than the padding, and what padding would be enough."""
    larger, people, padding = sizes.larger, sizes.people, sizes.padding
    if not larger:
        return ""
    most = sizes.covering(COVERED_SHARE)
    enough = f"A padding of {sizes.largest:,} would cover all people"
    if padding < most < sizes.largest:
        enough += f", one of {most:,} would cover {percent(COVERED_SHARE)} of them"
    hold = "people holds" if larger == 1 else "people hold"
    return (
        f"{larger:,} of {people:,} {hold} more than {plural(padding, noun)}, the padding of the task: a random choice "
        f"of their {noun}s is reported, and frequencies of keys that they hold come out too low. The largest set has "
        f"{sizes.largest:,} {noun}s. {enough}; a larger padding adds noise."
    )
