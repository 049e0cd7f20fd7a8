"""`pckv serve`: run a collector."""

from __future__ import annotations

from pathlib import Path

import click

from pckv.cli.common import FilePath
from pckv.errors import require


@click.command("serve", short_help="Run a collector.")
@click.option("--store", help="sqlite:///FILE or postgresql://… [default: sqlite:///pckv.db]")
@click.option("--host", help="The address to listen on. [default: 127.0.0.1]")
@click.option("--port", type=int, help="The port to listen on; 0 for any free one. [default: 8000]")
@click.option(
    "--workers", type=int, help="Processes that take requests; several need PostgreSQL. [default: 1]"
)
@click.option("--token-file", help="Write the administrator's token here at the first start (mode 0600).")
@click.option(
    "--keep-reports",
    type=int,
    metavar="DAYS",
    help="Delete reports this many days after their task closed; the tally stays. [default: never]",
)
@click.option(
    "--rate", type=int, help="Requests per second that an address may send; 0 for no limit. [default: 0]"
)
@click.option("--config", type=FilePath, help="A TOML file with any of the settings.")
def serve_command(
    store: str | None,
    host: str | None,
    port: int | None,
    workers: int | None,
    token_file: str | None,
    keep_reports: int | None,
    rate: int | None,
    config: Path | None,
) -> None:
    """Take reports over HTTP, keep each once, and show estimates on a dashboard.

    Settings come from flags, then the environment (PCKV_STORE, PCKV_PORT, …), then --config. The administrator's
    token is PCKV_ADMIN_TOKEN, or is made at the first start and shown once.

    \b
    pckv serve
    pckv serve --store postgresql://pckv@db/pckv --host 0.0.0.0 \\
      --token-file admin.token
    """
    require("fastapi", extra="serve")
    require("uvicorn", extra="serve")
    from pckv.collector.server import serve  # noqa: PLC0415
    from pckv.collector.settings import load  # noqa: PLC0415
    from pckv.web.site import create_site  # noqa: PLC0415

    flags = {
        "store": store,
        "host": host,
        "port": port,
        "workers": workers,
        "token_file": token_file,
        "keep_reports": keep_reports,
        "rate": rate,
    }
    serve(load(flags, file=config), create_site)
