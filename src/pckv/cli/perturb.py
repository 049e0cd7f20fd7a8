"""`pckv perturb`: one report per user, from a file of pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path

import click

from pckv.base.errors import DataError, ParameterError
from pckv.base.limits import DISCOVERY, REFUSE, SERVER_COIN
from pckv.base.population import Population
from pckv.base.words import plural
from pckv.cli.common import (
    STREAM,
    FilePath,
    force_option,
    print_paragraph,
    progress_bar,
    row_bar,
    task_option,
    with_hint,
)
from pckv.cli.inputs import ReportOutput, read_task, standard_input_as_file
from pckv.cli.pairs_files import column_options, larger_sets_sentence, text_form_options, unlisted_sentence
from pckv.contract.task import Task
from pckv.device.checked_pairs import set_sizes
from pckv.device.vectorised import ReportBatch, perturb_many, perturb_texts
from pckv.files.pairs.findings import Fault, SetSizeCounts
from pckv.files.pairs.population import REPEATED, TOO_MANY_PAIRS, Repairs, read_populations
from pckv.files.pairs.rows import Columns, PairsSource, TextForm
from pckv.files.pairs.sources import open_pairs
from pckv.files.pairs.texts import HeldTexts


@click.command("perturb")
@click.argument("data", type=FilePath)
@task_option
@column_options(value_help="The column of values; none where keys have no values, and for a discovery.", segments=True)
@click.option(
    "--out", type=FilePath, help="The report file to write (.parquet), or - for an Arrow stream on standard output."
)
@click.option(
    "--clip",
    is_flag=True,
    help="Move values outside the range to its nearest end, and those between two levels to the nearest one "
    "where the task refuses them.",
)
@click.option(
    "--repeated",
    type=click.Choice(REPEATED),
    help="Which value counts where a user has a key twice. [default: it is refused]",
)
@text_form_options
@click.option(
    "--check",
    is_flag=True,
    help="Perturb and write nothing: say what is wrong in all rows of DATA and, if there are any, how many people hold "
    "more pairs than the padding, and which keys are not listed. The exit code is 1 if DATA would be refused.",
)
@force_option
def perturb_command(
    data: Path,
    task_file: Path,
    columns: Columns,
    out: Path | None,
    clip: bool,
    repeated: str | None,
    form: TextForm,
    check: bool,
    force: bool,
) -> None:
    """Perturb DATA as the participants' devices would: one report per user.

    DATA has one row per pair: text separated by commas, semicolons or tabs (compressed, too: .gz), or
    Parquet, where columns may also hold lists, with one row per user; - is standard input. A row with an
    empty key and an empty value is a user without pairs. Where keys have no values, there is no such column.

    Where the task has a segment, every row names the label of its user, and a user has one label in all rows.

    A key that the task does not list counts as the task's other key, and the most frequent of these keys
    are named; where the task has no other key, the row is refused.

    Randomness is the operating system's. Running this again makes new reports and spends ε again. A task
    whose collector gives coins is refused, and so is a mixed one: its reports are made one by one, by pckv submit.

    \b
    pckv perturb ratings.csv --task task.json --user user --key movie \\
      --value stars --check
    pckv perturb ratings.csv --task task.json --user user --key movie \\
      --value stars --out reports.parquet
    pckv perturb visits.csv --task task.json --user user --key page \\
      --segment age --out reports.parquet
    """
    task = read_task(task_file)
    task.check_collectable()
    if task.coin == SERVER_COIN:
        raise ParameterError(
            f"{task_file}: every report of this task needs a coin from its collector, which pckv submit asks for"
        )
    if task.mixer is not None:
        raise ParameterError(
            f"{task_file}: this task is mixed, and its collector takes no reports in clear: pckv submit seals them for "
            "its mixer, one by one"
        )
    if not task.has_values and (columns.value or clip or repeated is not None):
        kind = task.domain.kind_text
        raise click.UsageError(f"--value, --clip and --repeated are not for {kind}, which has no values")
    if task.has_values and not columns.value:
        raise click.UsageError("Missing option '--value'.")
    if task.segment is not None and not columns.segment:
        raise click.UsageError(f"Missing option '--segment', the column of labels of {task.segment.name!r}.")
    if task.segment is None and columns.segment:
        raise click.UsageError("--segment is not for this task, which has no segment")
    if out is None and not check:
        raise click.UsageError("Missing option '--out'.")
    output = None if out is None else ReportOutput(out, force)
    if output is not None:
        output.check()
    with _pairs_file(data) as (path, name):
        repairs = Repairs.of(task, clip=clip, repeated=repeated)
        people = _People(task, open_pairs(path, columns, name, form), repairs)
        if check or output is None:
            people.check()
        else:
            people.perturb(output)


@contextmanager
def _pairs_file(data: Path) -> Iterator[tuple[Path, str]]:
    """Return a file of pairs, and what messages call it."""
    if data != STREAM:
        yield data, str(data)
        return
    with standard_input_as_file() as path:
        yield path, "standard input"


class _People:
    """The people of a file, whose reports are made, or whose rows are checked."""

    def __init__(self, task: Task, file: PairsSource, repairs: Repairs) -> None:
        self._task, self._file, self._repairs = task, file, repairs
        self._sizes = SetSizeCounts(task.padding)
        self._merged, self._left_out = 0, 0
        # The different texts of a discovery.
        self._texts: list[str] = []

    def perturb(self, output: ReportOutput) -> None:
        """Write one report per user, and say what became of the rows."""
        parts = self._populations()
        # Whatever is wrong with the data shows before anything is written.
        first = next(parts)
        written = output.write(self._task, self._reports(chain([first], parts)))
        output.print_written(written, "".join(f", {text}" for text in self._repaired()))
        for sentence in self._sentences():
            print_paragraph(sentence, err=output.is_stream)

    def check(self) -> None:
        """Say what is wrong with all rows; refuse the file if anything is."""
        self._file.count_faults()
        unreadable: DataError | None = None
        try:
            for _ in self._populations():
                pass
        except DataError as error:
            unreadable = error
        faults = self._file.findings.faults or {}
        if self._file.findings.rows:
            click.echo(f"{plural(self._file.findings.rows, 'row')} read.")
        for fault in faults.values():
            print_paragraph(self._fault_sentence(fault))
        unlisted, larger = self._sentences()
        said = [*(f"{text}." for text in self._repaired()), unlisted, larger]
        if self._task.other is None:
            # These rows are among those that are refused.
            said.remove(unlisted)
            print_paragraph(unlisted)
        if any(said) and faults:
            click.echo("Of the other rows:")
        for sentence in said:
            print_paragraph(sentence)
        if unreadable is not None:
            raise unreadable
        if faults:
            raise self._file.error("would be refused")
        click.echo("No row would be refused.")

    def _populations(self) -> Iterator[Population]:
        """Yield all people, some at a time, and count what is found of them."""
        return self._people_with_texts() if self._task.kind == DISCOVERY else self._people_with_pairs()

    def _people_with_texts(self) -> Iterator[Population]:
        with progress_bar(f"Reading {self._file.name}") as progress:
            held = HeldTexts(self._file, self._task.tree, progress)
        self._texts, self._left_out = held.texts, held.left_out
        for population in held.populations():
            self._sizes.add(population.sizes)
            yield population

    def _people_with_pairs(self) -> Iterator[Population]:
        # All rows are read before the first people are there; a terminal shows one bar at a time.
        with progress_bar(f"Reading {self._file.name}") as progress:
            parts = read_populations(self._file, self._task, self._repairs, progress)
            first = list(islice(parts, 1))
        for population, merged in chain(first, parts):
            self._merged += merged
            self._sizes.add(set_sizes(self._task, population))
            yield population

    def _reports(self, populations: Iterable[Population]) -> Iterator[ReportBatch]:
        """Yield the participants' reports in batches."""
        reports = 0
        with row_bar("Perturbing")(None) as progress:
            for population in populations:
                is_discovery = self._task.kind == DISCOVERY
                for batch in (
                    perturb_texts(self._task, self._texts, population)
                    if is_discovery
                    else perturb_many(self._task, population)
                ):
                    yield batch
                    reports += len(batch.ids)
                    progress(reports)

    def _repaired(self) -> list[str]:
        """Say what was not used as it is."""
        noun = self._task.domain.noun
        same = "another of the same user and key" if self._task.has_values else "the same key of the same user"
        counts = (
            (self._file.findings.clipped, "value", "clipped"),
            (self._merged, noun, f"merged with {same}"),
            (self._file.findings.left_out, noun, "left out, with a text that cannot be a key"),
            (self._left_out, "text", "left out, for it cannot be found"),
        )
        return [f"{plural(count, thing)} {what}" for count, thing, what in counts if count]

    def _sentences(self) -> tuple[str, str]:
        """Say which keys are not listed, and how many people hold more pairs than the padding; empty where none do."""
        noun = self._task.domain.noun
        # Where people with more pairs are refused, no choice of theirs is reported.
        larger = "" if self._task.more == REFUSE else larger_sets_sentence(self._sizes, noun)
        return unlisted_sentence(self._task, self._file.findings), larger

    def _fault_sentence(self, fault: Fault) -> str:
        """Say how many rows or people are refused, where the first ones are, and what is wrong with the first."""
        places = self._file.places(fault.first)
        which = f"{self._file.PLACE}{'s' * (fault.count > 1)} {', '.join(map(str, places))}"
        more = ", …" if fault.count > len(places) else ""
        refused = plural(fault.count, "row")
        if fault.code == TOO_MANY_PAIRS:
            # One row of each of them is named: the first that is too many.
            refused = "1 person" if fault.count == 1 else f"{fault.count:,} people"
        example = ", for example" if fault.differ else ""
        return f"{refused} refused ({which}{more}){example}: {with_hint(fault.reason, fault.code)}"
