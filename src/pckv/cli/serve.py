"""`pckv serve`: run a collector."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pckv.base.errors import require
from pckv.cli.common import FilePath

if TYPE_CHECKING:
    from pckv.collector.http.auth import AdministratorToken
    from pckv.collector.http.settings import ServiceSettings, Settings

# Addresses that stand for all addresses of a machine: a browser cannot open them.
EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104


@click.command("serve")
@click.option("--store", help="sqlite:///FILE or postgresql://… [default: sqlite:///pckv.db]")
@click.option("--host", help="The address to listen on. [default: 127.0.0.1]")
@click.option("--port", type=int, help="The port to listen on; 0 for any free one. [default: 8000]")
@click.option(
    "--public-url",
    metavar="URL",
    help="The address that links and QR codes begin with, such as https://survey.example.org. [default: as a proxy "
    "tells it]",
)
@click.option("--workers", type=int, help="Processes that take requests; several need PostgreSQL. [default: 1]")
@click.option("--token-file", help="Write the administrator's token here at the first start (mode 0600).")
@click.option(
    "--keep-reports",
    type=int,
    metavar="DAYS",
    help="Delete reports this many days after their task closed; the tally stays. [default: never]",
)
@click.option(
    "--requests-per-second", type=int, help="Requests per second that an address may send; 0 for no limit. [default: 0]"
)
@click.option("--config", type=FilePath, help="A TOML file with any of the settings.")
def serve_command(config: Path | None, **flags: str | int | None) -> None:
    """Take reports over HTTP, keep each once, and show estimates on a dashboard.

    Settings come from flags, then the environment (PCKV_STORE, PCKV_PORT, …), then --config. The
    administrator's token is PCKV_ADMIN_TOKEN, or is made at the first start and shown once. A terminal shows
    the dashboard's address and how to sign in; elsewhere the log on stderr has one JSON object per line.

    \b
    pckv serve
    pckv serve --store postgresql://pckv@db/pckv --host 0.0.0.0 \\
      --token-file admin.token
    """
    require("fastapi", extra="serve")
    require("uvicorn", extra="serve")
    from pckv.collector.http.settings import load  # noqa: PLC0415
    from pckv.collector.recipient.keys import check_key_folder  # noqa: PLC0415
    from pckv.collector.server import log_listening, serve  # noqa: PLC0415
    from pckv.web.site import create_site  # noqa: PLC0415

    settings = load(flags, file=config)
    check_key_folder(settings.mixer_keys, settings.store)
    serve(settings, create_site, _show if sys.stderr.isatty() else log_listening)


def _show(settings: Settings, port: int, token: AdministratorToken) -> None:
    for line in announcement(settings, port, token):
        click.echo(line, err=True)


def announcement(settings: Settings, port: int, token: AdministratorToken) -> list[str]:
    """Return what people read when a collector starts: the dashboard's address, and how to sign in."""
    lines = [f"The dashboard is at {address_of(settings, port)}", *_sign_in(settings, token)]
    return [*lines, *how_it_ends(settings, port, "collector")]


def address_of(settings: ServiceSettings, port: int) -> str:
    """Return the address by which a browser on this machine reaches a server."""
    host = EVERY_ADDRESS.get(settings.host, settings.host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def how_it_ends(settings: ServiceSettings, port: int, name: str) -> list[str]:
    """Say how other machines reach a server, and what stops it."""
    others = [f"Other machines reach it by this machine's name, on port {port}."]
    stop = f"Ctrl-C stops the {name}; everything that it has taken stays in its store."
    return [*(others if settings.host in EVERY_ADDRESS else []), stop]


def token_lines(settings: ServiceSettings, token: AdministratorToken, start: str) -> list[str]:
    """Say where the administrator's token is, in a sentence that begins with `start`; show it where it is new."""
    from pckv.collector.http.auth import TokenPlace  # noqa: PLC0415
    from pckv.collector.http.settings import TOKEN_VARIABLE  # noqa: PLC0415

    if token.place is TokenPlace.ENVIRONMENT:
        return [f"{start} is in {TOKEN_VARIABLE}."]
    if token.place is TokenPlace.NEW:
        return [f"{start} is shown this once:", f"    {token.token}"]
    if settings.token_file and Path(settings.token_file).exists():
        return [f"{start} is in {settings.token_file}."]
    return [f"{start} was shown or written at the first start."]


def _sign_in(settings: Settings, token: AdministratorToken) -> list[str]:
    from pckv.collector.http.auth import TokenPlace  # noqa: PLC0415
    from pckv.collector.http.settings import Settings  # noqa: PLC0415

    lines = token_lines(settings, token, "Sign in with the administrator's token, which")
    if token.place is TokenPlace.ENVIRONMENT:
        return lines
    command = "pckv token new"
    if settings.store.startswith("sqlite:") and settings.store != Settings.store:
        command += f" --store {shlex.quote(settings.store)}"
    elif settings.store != Settings.store:
        # The address may hold a password.
        command += " --store …"
    return [*lines, f"To replace it: {command}"]
