"""Settings of a collector or a mixer: flags override the environment, which overrides the file."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from pckv.base.errors import ParameterError
from pckv.collector.http.address import check_public_url

PREFIX = "PCKV_"
# The administrator's token; not a setting, so that no file of settings holds it.
TOKEN_VARIABLE = "PCKV_ADMIN_TOKEN"  # noqa: S105


@dataclass(frozen=True)
class ServiceSettings:
    """The settings that a collector and a mixer both have, with their defaults."""

    store: str = "sqlite:///pckv.db"
    host: str = "127.0.0.1"
    port: int = 8000
    # Processes that take requests; several need PostgreSQL.
    workers: int = 1
    token_file: str | None = None
    # Most reports per commit, least milliseconds between commits, and most reports that may wait.
    batch_reports: int = 10_000
    batch_delay: int = 3
    queue_reports: int = 100_000
    # The largest body of a request in bytes, and how many seconds it may take to arrive.
    body_bytes: int = 16 * 2**20
    body_seconds: int = 20
    # Seconds until a head must have arrived, and until a piece of an answer must have been read.
    head_seconds: int = 10
    write_seconds: int = 20
    # The most connections at the same time; fewer if the process has too few file descriptors.
    connections: int = 2000
    # The most bytes that all heads, bodies, queued reports and answers may take together.
    budget_bytes: int = 256 * 2**20
    # Requests per second that one network address may send on average; 0 for no limit.
    requests_per_second: int = 0


@dataclass(frozen=True)
class Settings(ServiceSettings):
    """All settings of a collector, with their defaults."""

    # Days after a task has closed until its reports are deleted; its tally stays. None: never.
    keep_reports: int | None = None
    # The folder of the private keys of mixed tasks, and of the tokens for their mixers; apart from the store.
    mixer_keys: str | None = None
    # How many seconds a request for estimates, a chart or a file of reports waits for it.
    analysis_seconds: int = 60
    # The address by which browsers reach it, which links and QR codes begin with. None: as requests show it.
    public_url: str | None = None


Kind = TypeVar("Kind", bound=ServiceSettings)


def load(flags: Mapping[str, Any], environment: Mapping[str, str] = os.environ, file: Path | None = None) -> Settings:
    """Return the settings of a collector."""
    settings = load_settings(Settings(), PREFIX, flags, environment, file)
    if settings.public_url is None:
        return settings
    return replace(settings, public_url=check_public_url(settings.public_url))


def load_settings(
    settings: Kind, prefix: str, flags: Mapping[str, Any], environment: Mapping[str, str], file: Path | None
) -> Kind:
    """Return the settings of a TOML file, overridden by the environment (PCKV_PORT, …), then by flags."""
    if file is not None:
        settings = _with(settings, _read(file), str(file))
    named = {field.name: environment.get(prefix + field.name.upper()) for field in fields(settings)}
    settings = _with(settings, {name: value for name, value in named.items() if value is not None}, "environment")
    return _with(settings, {name: value for name, value in flags.items() if value is not None}, "flags")


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ParameterError(f"{file}: not a TOML file ({error})") from None


def _with(settings: Kind, values: Mapping[str, Any], source: str) -> Kind:
    kinds = {field.name: str(field.type) for field in fields(settings)}
    checked: dict[str, Any] = {}
    for name, value in values.items():
        if name not in kinds:
            raise ParameterError(f"{source}: no setting is called {name!r}")
        checked[name] = _number(name, value, source) if "int" in kinds[name] else str(value)
    return replace(settings, **checked)


def _number(name: str, value: Any, source: str) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = -1
    if number < 0 or isinstance(value, bool | float):
        raise ParameterError(f"{source}: {name} must be a whole number from 0 on, not {value!r}")
    return number
