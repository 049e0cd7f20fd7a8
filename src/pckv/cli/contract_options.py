"""Options that say what is collected, from whom and how: what `task new`, `series new` and `plan` share."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from pckv.base import limits
from pckv.base.budget import ALLOCATIONS
from pckv.base.canonical import is_typed_decimal
from pckv.cli.common import NUMBER, STREAM, FilePath, print_paragraph, with_options
from pckv.cli.inputs import read_about_file, read_keys, read_task
from pckv.cli.mixer_options import mixer_options, read_mixer_options
from pckv.client.caps import DEFAULT_CAP
from pckv.contract.about import TEXT_MEMBERS
from pckv.contract.domain import distinct_segment
from pckv.contract.facts import central_text
from pckv.contract.series import Series
from pckv.contract.task import Task
from pckv.files.outputs import whole_file
from pckv.files.set_sizes import read_set_sizes
from pckv.mechanisms.discovery.prefix_tree import DEFAULT_CHARACTERS
from pckv.mechanisms.registry import LAWS
from pckv.mechanisms.ue.law import TUNED
from pckv.planning.people import DEFAULT_CANDIDATES, expect
from pckv.planning.prediction import OBJECTIVES

# What only a discovery has.
TREE_OPTIONS = ("characters", "alphabet", "groups")
discovery_options = with_options(
    click.option(
        "--discover",
        is_flag=True,
        help="Instead of keys: find unlisted texts that many people hold (pckv discover).",
    ),
    click.option(
        "--characters",
        type=int,
        help=f"With --discover: how many characters of a text are found at most. [default: {DEFAULT_CHARACTERS}]",
    ),
    click.option(
        "--alphabet",
        help="With --discover: the characters that texts consist of; texts with others are not found. "
        "[default: a-z, 0-9 and most punctuation]",
    ),
    click.option(
        "--groups",
        type=int,
        help="With --discover: how many groups of devices report prefixes of different lengths. [default: "
        "one per character]",
    ),
)


def read_discovery_options(options: dict[str, Any], allowed: Collection[str]) -> dict[str, Any] | None:
    """Return what was given of a discovery; None where none is wanted.

    They are taken out of all `options` of the command. Others than those `allowed` are refused.
    """
    wanted = options.pop("discover")
    given = {name: options.pop(name) for name in TREE_OPTIONS}
    tree = {name: value for name, value in given.items() if value is not None}
    if not wanted and tree:
        raise click.UsageError(f"--{next(iter(tree))} is for --discover")
    if not wanted:
        return None
    context = click.get_current_context()
    for parameter in context.command.params:
        typed = context.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE
        if typed and parameter.name not in {*allowed, *TREE_OPTIONS, "discover"}:
            raise click.UsageError(f"{parameter.opts[0]} is not for --discover")
    return tree


LEVELS_HELP = (
    f"How many levels values are reported as, from {limits.MIN_LEVELS} to {limits.MAX_LEVELS} at equal "
    "distances, or the value of each, as in 1,2,3,4,5. With more than two, the whole distribution of the values "
    "is estimated."
)


class LevelsType(click.ParamType[Any]):
    """A number of levels, or their values separated by commas."""

    name = "levels"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return a number, or a tuple of texts; the library says whether a task can have such levels."""
        if not isinstance(value, str):
            return value
        parts = tuple(part.strip() for part in value.split(","))
        if not all(map(is_typed_decimal, parts)):
            self.fail(f"{value!r} is neither a number of levels nor their values, separated by commas.", param, ctx)
        if len(parts) > 1:
            return parts
        try:
            return int(value)
        except ValueError:
            self.fail(f"{value!r} is not a whole number of levels.", param, ctx)


LEVELS = LevelsType()


# Who will take part.
expected_people_options = with_options(
    click.option(
        "--pairs",
        type=NUMBER,
        help="How many pairs people hold on average, those without any included. [default: one, or the padding if one "
        "is given, for each person who holds any]",
    ),
    click.option(
        "--most-pairs",
        type=int,
        help="The largest number of pairs per person, where known. [default: three times the average of those who "
        "hold any]",
    ),
    click.option(
        "--holding",
        type=NUMBER,
        help="The share of people who hold any pair, such as 0.4. [default: all, unless they would hold fewer than "
        "two pairs on average, or fewer than one with --more refuse: then as many as would hold that]",
    ),
    click.option(
        "--sizes",
        "sizes_file",
        type=FilePath,
        help="How many people hold how many pairs, instead of these three: a .csv with the columns size (0 for people "
        "without pairs) and people, the .json that `pckv estimate --out` wrote for an earlier task, or (with "
        "--sizes-task) its tally.",
    ),
    click.option("--sizes-task", "sizes_task_file", type=FilePath, help="The earlier task that --sizes is a tally of."),
    click.option(
        "--frequency",
        type=NUMBER,
        help="The share of people who hold a key that matters to you. [default: the most frequent keys, by Zipf's law]",
    ),
    click.option(
        "--objective",
        type=click.Choice(OBJECTIVES),
        help="The error to minimise; with all but mse, what people with many pairs hide stays within the noise. "
        "[default: both, or frequency where keys have no values]",
    ),
    click.option(
        "--more",
        type=click.Choice(limits.MORE),
        default=limits.SAMPLE,
        show_default=True,
        help="What happens to a person with more pairs than the padding: a random choice of them is "
        "reported, or they are refused where pairs are entered.",
    ),
    click.option(
        "--most-influence",
        type=NUMBER,
        help="The most people that one hostile report may count as, for one key; settings with more are not chosen.",
    ),
)
# Not of series: their rounds have no invitations.
coin_option = click.option(
    "--coin",
    type=click.Choice(limits.COINS),
    default=limits.DEVICE_COIN,
    show_default=True,
    help="Who draws the public function of a report (ue-compact, collision). server: the collector does, "
    "by one coin per invitation, so that senders of hostile reports cannot choose it.",
)


# What these options, and the number of users, are called in Python.
EXPECTED_PEOPLE = (
    "users",
    "pairs",
    "most_pairs",
    "holding",
    "sizes",
    "frequency",
    "objective",
    "more",
    "coin",
    "most_influence",
)


def read_expected_people(*, sizes_file: Path | None, sizes_task_file: Path | None, **others: Any) -> dict[str, Any]:
    """Return options as `pckv.plan` and `pckv.Task` take them, with sizes read from their file."""
    if sizes_task_file is not None and sizes_file is None:
        raise click.UsageError("--sizes-task is for the tally that --sizes names")
    earlier = None if sizes_task_file is None else read_task(sizes_task_file)
    sizes = None if sizes_file is None else read_set_sizes(sizes_file, earlier)
    return {"sizes": sizes, **others}


# Which keys there are; `named_keys` reads them.
keys_options = with_options(
    click.option("--keys-file", type=FilePath, help="A text file with one key name per line."),
    click.option(
        "--keys", "key_count", type=int, help="Instead of names: how many keys there are, called 0, 1, 2 and so on."
    ),
    click.option(
        "--hashed",
        is_flag=True,
        help="Instead of names: any text is a key, and those to estimate are named afterwards.",
    ),
)


def named_keys(keys_file: Path | None, key_count: int | None, *, hashed: bool) -> tuple[str, ...] | int | str:
    """Return the keys of a file, or how many there are, or that they are hashed."""
    if [keys_file is not None, key_count is not None, hashed].count(True) != 1:
        raise click.UsageError("give one of --keys-file, --keys and --hashed")
    if hashed:
        return limits.HASHED
    return read_keys(keys_file) if keys_file is not None else key_count or 0


class SegmentType(click.ParamType[Any]):
    """A segment: its name, and its labels, or a file of them with one per line."""

    name = "segment"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return a segment; the library says which labels it can have."""
        if not isinstance(value, str):
            return value
        name, separator, labels = value.partition("=")
        if not separator:
            self.fail(f"{value!r} names no labels: write NAME=LABEL,LABEL,… or NAME=FILE.", param, ctx)
        if "," not in labels and not Path(labels).is_file():
            self.fail(f"{labels!r} is neither a file nor several labels with commas between them.", param, ctx)
        listed = labels.split(",") if "," in labels else read_keys(Path(labels))
        return distinct_segment(name, [label.strip() for label in listed])


def _only_segment(ctx: click.Context, param: click.Parameter, value: tuple[Any, ...]) -> Any:
    """Return the one segment, or None; a second one would otherwise replace the first without a word."""
    if len(value) > 1:
        raise click.BadParameter("a task has one segment.", ctx, param)
    return value[0] if value else None


def check_derivation(given: Mapping[str, Any]) -> None:
    """Refuse options of derived items that exclude each other, in the words of the command line."""
    if not given["together"]:
        return
    if given["segment"] is not None:
        raise click.UsageError("give --segment or --together: one task cannot ask both")
    if given["most_pairs"] == 1:
        raise click.UsageError("--together is not for people who hold one key each (--most-pairs 1)")


SEGMENT = SegmentType()
# What is asked besides the keys; both are read as they are by `pckv.plan` and `pckv.Task`.
derivation_options = with_options(
    click.option(
        "--segment",
        type=SEGMENT,
        multiple=True,
        callback=_only_segment,
        metavar="NAME=LABELS",
        help="Ask for one label besides the keys, such as age=under 30,30 to 60,over 60, or age=FILE with one label "
        "per line, and estimate keys within every label, too. Labels stay private as the keys do.",
    ),
    click.option(
        "--together",
        is_flag=True,
        help="Also estimate which keys people hold together: of at most 500 keys without values.",
    ),
)

# What the key for all that are not listed is called unless it is named otherwise.
OTHER = "other"
# What is collected, from whom, and how.
contract_options = with_options(
    click.option("--name", required=True, help="The name that distinguishes this collection from others."),
    keys_options,
    click.option(
        "--other",
        is_flag=False,
        flag_value=OTHER,
        metavar="[NAME]",
        help=f"Add a key for all that are not listed, called {OTHER} unless named otherwise.",
    ),
    derivation_options,
    click.option(
        "--low",
        help="The smallest value a key may have. [default: that of the levels, where they are named; without either, "
        "keys have no values]",
    ),
    click.option(
        "--high", help="The largest value a key may have. [default: that of the levels, where they are named]"
    ),
    click.option("--levels", type=LEVELS, help=f"{LEVELS_HELP} [default: 2, where keys have values]"),
    click.option(
        "--between",
        type=click.Choice(limits.BETWEEN),
        help="What happens to a value between two levels: it is rounded to one of them at random, so that "
        "means are right on average, or refused.  [default: refuse where the values of levels are named, else round]",
    ),
    click.option("--epsilon", required=True, help="The privacy budget, above 0 and at most 20."),
    click.option(
        "--users",
        type=int,
        help="How many participants are expected: padding and mechanism are chosen for them. Required unless both "
        "are named.",
    ),
    expected_people_options,
    click.option("--padding", type=int, help="How many pairs a report stands for at most. [default: chosen]"),
    click.option(
        "--size-share",
        help="The share of reports that say how many pairs a person holds instead of which, 0 to 0.5. "
        "[default: chosen]",
    ),
    click.option(
        "--mechanism",
        type=click.Choice([limits.AUTO, *LAWS]),
        default=limits.AUTO,
        show_default=True,
        help="How a report is made; auto is the mechanism with the least predicted error.",
    ),
    click.option(
        "--allocation",
        type=click.Choice([*ALLOCATIONS, TUNED]),
        help="How ue and grr split ε; tuned is for ue. [default: optimized]",
    ),
    click.option("--beta", help="The probability with which tuned ue fakes either sign. [default: chosen]"),
    click.option("--q", type=int, help="The prime of ue-compact. [default: chosen]"),
    click.option("--r", type=int, help="With --q: how many residues a level has. [default: 1]"),
    click.option("--o", type=int, help="With --q: how many of them two levels share. [default: 0]"),
    click.option("--symbols", type=int, help="How many symbols collision sends keys to. [default: chosen]"),
    click.option("--positions", type=int, help="How many positions collision has, a prime. [default: chosen]"),
    click.option(
        "--generator",
        type=int,
        help="The primitive root of these positions; others than the chosen one may bias estimates. [default: chosen]",
    ),
    click.option(
        "--about",
        "about_file",
        type=FilePath,
        help=f"What participants read: a .toml file of the texts {', '.join(TEXT_MEMBERS)}, each of which may be left "
        "out; of their language, by default en; and of the same texts, name, keys, segment_name and segment_labels in "
        "others, such as [translations.de].",
    ),
    mixer_options,
)
# Options that are parameters of a mechanism.
PARAMETERS = ("allocation", "beta", "q", "r", "o", "symbols", "positions", "generator")


def named_range(low: str | None, high: str | None, levels: Any) -> tuple[str, str] | None:
    """Return the ends of the values, which named levels say, too; None where nothing does."""
    if (low is None) != (high is None):
        raise click.UsageError("give both --low and --high, or none of them")
    if low is None or high is None:
        return (levels[0], levels[-1]) if isinstance(levels, tuple) else None
    return low, high


def cap_note(epsilon: float) -> str:
    """Say that clients refuse an ε by default; empty where they do not."""
    if epsilon <= DEFAULT_CAP:
        return ""
    return (
        f"Clients spend at most ε = {DEFAULT_CAP:f} in all by default: they refuse to make a report with "
        f"ε = {epsilon:g} unless they are given a higher cap."
    )


def read_contract(
    *,
    keys_file: Path | None,
    key_count: int | None,
    hashed: bool,
    other: str | None,
    low: str | None,
    high: str | None,
    mechanism: str,
    about_file: Path | None,
    **options: Any,
) -> tuple[Task, str]:
    """Make a task from the options; say what was chosen for it, or nothing."""
    check_derivation(options)
    values = named_range(low, high, options["levels"])
    if values is None and options["levels"] is not None:
        raise click.UsageError("--levels needs values: give --low and --high, or --levels with the value of each")
    given = {name: options.pop(name) for name in PARAMETERS}
    parameters = {name: value for name, value in given.items() if value is not None}
    keys = named_keys(keys_file, key_count, hashed=hashed)
    if options["users"] is None:
        if mechanism == limits.AUTO or options["padding"] is None:
            raise click.UsageError(
                "give --users, how many people you expect: padding and mechanism are chosen for them, or name both"
            )
        options["users"] = limits.DEFAULT_USERS
    mixer = read_mixer_options(options)
    people = read_expected_people(**options)
    about = None if about_file is None else read_about_file(about_file)
    task = Task(
        keys=keys,
        other=other,
        values=values,
        mechanism={"name": mechanism, **parameters},
        about=about,
        mixer=mixer,
        **people,
    )
    if people["padding"] is not None:
        return task, ""
    named = {name: people[name] for name in EXPECTED_PEOPLE}
    # How many keys will be asked for changes no choice.
    candidates = DEFAULT_CANDIDATES if hashed else None
    expected = expect(
        task.key_count, levels=task.level_count, candidates=candidates, derivation=task.derivation, **named
    )
    return task, f"Padding {task.padding:,} was chosen. {expected.sentence}"


def write_contract(contract: Task | Series, out: Path, said: str, choice: str = "", *, force: bool) -> None:
    """Write the JSON of a contract, exactly and without a newline; say what it is, and what was chosen for it."""
    to_stdout, text = out == STREAM, contract.to_json().encode()
    if to_stdout:
        # Bytes, so that no encoding of the terminal changes them.
        click.echo(text, nl=False)
    else:
        with whole_file(out, force=force) as part:
            part.write_bytes(text)
    print_paragraph(f"{said}, written to {'standard output' if to_stdout else out}", err=to_stdout)
    print_paragraph(choice, err=to_stdout)
    task = contract.task if isinstance(contract, Series) else contract
    if task.mixer is not None:
        print_paragraph(f"Mixed by {task.mixer.operator}; {central_text(task.mixer)}.", err=to_stdout)
    # Caps count what recipients learn.
    print_paragraph(cap_note(task.epsilon if task.mixer is None else float(task.mixer.epsilon)), err=to_stdout)
