"""`pckv tally`: count reports."""

from __future__ import annotations

from pathlib import Path

import click

from pckv.base.words import plural
from pckv.cli.common import FilePath, force_option, json_option, print_json, task_option
from pckv.cli.inputs import count_named, read_task
from pckv.counting.job import ENGINES, CountResult
from pckv.counting.run import CountOptions
from pckv.files.outputs import check_free, whole_file

PLACES_PRINTED = 20


@click.command("tally")
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
@click.option("--dedupe", is_flag=True, help="Count each report id once; different bodies under one id are an error.")
@click.option("--skip-bad", is_flag=True, help="Skip what cannot be counted, and say what it was.")
@click.option("--resume", is_flag=True, help="Keep progress in OUT.progress after every file, and continue from it.")
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
    options = CountOptions(engine, spark_master, dedupe, skip_bad, progress_file)
    result = count_named(read_task(task_file), reports, options)
    with whole_file(out, force=force) as part:
        part.write_bytes(bytes(result.tally))
    if progress_file:
        progress_file.unlink(missing_ok=True)
    if as_json:
        print_json(
            {
                "task": result.tally.task.id,
                "engine": engine,
                "files": result.files,
                "reports": result.tally.reports,
                "repeated": result.repeated,
                "skipped": [bad._asdict() for bad in result.skipped],
            }
        )
    else:
        click.echo(f"{plural(result.tally.reports, 'report')} counted into {out}{_skipped_text(result)}")
    _print_skipped(result)


def _skipped_text(result: CountResult) -> str:
    skipped = sum(bad.reports or 0 for bad in result.skipped)
    files = sum(bad.reports is None for bad in result.skipped)
    numbers = {"repeated": result.repeated, "skipped": skipped}
    text = "".join(f", {number:,} {what}" for what, number in numbers.items() if number)
    return f"{text}, {plural(files, 'whole file')} skipped" if files else text


def _print_skipped(result: CountResult) -> None:
    skipped = result.skipped
    for where, reason, reports in skipped[:PLACES_PRINTED]:
        more = f" (and {reports - 1:,} more like it)" if reports and reports > 1 else ""
        click.echo(f"skipped: {where}: {reason}{more}", err=True)
    if len(skipped) > PLACES_PRINTED:
        click.echo(f"skipped: … and {len(skipped) - PLACES_PRINTED:,} more places (--json lists them)", err=True)
