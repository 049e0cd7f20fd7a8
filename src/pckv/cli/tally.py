"""`pckv tally`: count reports."""

from __future__ import annotations

from pathlib import Path

import click

from pckv.cli.common import FilePath, force_option, json_option, task_option
from pckv.cli.inputs import read_task
from pckv.cli.terminal import print_json, row_bar
from pckv.counting.job import ENGINES
from pckv.counting.run import Collected, Options, count_inputs
from pckv.files.outputs import check_free, whole_file

PROBLEMS_PRINTED = 20


@click.command("tally", short_help="Count reports.")
@click.argument("reports", nargs=-1, required=True, type=FilePath)
@task_option
@click.option("--out", type=FilePath, required=True, help="The tally file to write.")
@click.option(
    "--engine",
    type=click.Choice(list(ENGINES)),
    default="numpy",
    show_default=True,
    help="The engine that counts; the tally is the same.",
)
@click.option("--spark-master", help="Where Spark runs. [default: local[*], or what spark-submit says]")
@click.option(
    "--dedupe", is_flag=True, help="Count each report id once; different bodies under one id are an error."
)
@click.option("--skip-bad", is_flag=True, help="Skip what cannot be counted, and say what it was.")
@click.option(
    "--resume", is_flag=True, help="Keep progress in OUT.progress after every file, and continue from it."
)
@force_option
@json_option
def tally_command(
    reports: tuple[Path, ...],
    task_file: Path,
    out: Path,
    engine: str,
    spark_master: str | None,
    dedupe: bool,
    skip_bad: bool,
    resume: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Count the reports of REPORTS into one tally.

    REPORTS are report files, folders of them, patterns ('day-*.parquet'), tallies to merge, or - for an
    Arrow stream on standard input. Any partition of the same reports gives the same bytes.

    \b
    pckv tally reports/ --task task.json --out counts.tally --dedupe
    pckv tally reports/ --task task.json --out counts.tally \\
      --engine spark --spark-master 'local[4]'
    pckv perturb ratings.csv … --out - | \\
      pckv tally - --task task.json --out counts.tally
    """
    if spark_master and engine != "spark":
        raise click.UsageError("--spark-master is for --engine spark")
    check_free(out, force=force)
    progress_file = out.with_name(f"{out.name}.progress") if resume else None
    options = Options(engine, spark_master, dedupe, skip_bad, progress_file)
    collected = count_inputs(read_task(task_file), reports, options, row_bar("Counting"))
    with whole_file(out, force=force) as part:
        part.write_bytes(bytes(collected.tally))
    if progress_file:
        progress_file.unlink(missing_ok=True)
    if as_json:
        print_json(facts(collected, engine))
    else:
        click.echo(f"{collected.tally.reports:,} reports counted into {out}{_skipped_text(collected)}")
    _print_problems(collected)


def facts(collected: Collected, engine: str) -> dict[str, object]:
    """Return what a run did, as plain values."""
    counted = collected.counted
    return {
        "task": counted.tally.task.id,
        "engine": engine,
        "files": collected.files,
        "reports": counted.tally.reports,
        "repeated": counted.repeated,
        "skipped": [problem._asdict() for problem in counted.problems],
    }


def _skipped_text(collected: Collected) -> str:
    counted = collected.counted
    skipped = sum(problem.reports or 0 for problem in counted.problems)
    files = sum(problem.reports is None for problem in counted.problems)
    numbers = {"repeated": counted.repeated, "skipped": skipped, "whole files skipped": files}
    return "".join(f", {number:,} {what}" for what, number in numbers.items() if number)


def _print_problems(collected: Collected) -> None:
    problems = collected.counted.problems
    for where, reason, reports in problems[:PROBLEMS_PRINTED]:
        more = f" (and {reports - 1:,} more like it)" if reports and reports > 1 else ""
        click.echo(f"skipped: {where}: {reason}{more}", err=True)
    if len(problems) > PROBLEMS_PRINTED:
        click.echo(
            f"skipped: … and {len(problems) - PROBLEMS_PRINTED:,} more places (--json lists them)", err=True
        )
