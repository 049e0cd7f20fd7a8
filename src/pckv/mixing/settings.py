"""Settings of a mixer: those of every service, and who runs it where."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pckv.base.canonical import check_name
from pckv.base.errors import ParameterError
from pckv.collector.http.settings import ServiceSettings, load_settings
from pckv.contract.mixer import check_origin

PREFIX = "PCKV_MIX_"


@dataclass(frozen=True)
class MixerSettings(ServiceSettings):
    """All settings of a mixer, with their defaults."""

    store: str = "sqlite:///mixer.db"
    port: int = 8001
    # The address by which devices reach it, as tasks name it, and the name of the party that runs it.
    origin: str = ""
    operator: str = ""
    # How many sealed reports a task may have, as a multiple of its batch.
    batches_held: int = 4


def load_mixer_settings(
    flags: Mapping[str, Any], environment: Mapping[str, str] = os.environ, file: Path | None = None
) -> MixerSettings:
    """Return the settings of a mixer, or refuse those without an origin and an operator."""
    settings = load_settings(MixerSettings(), PREFIX, flags, environment, file)
    for name in ("origin", "operator"):
        if not getattr(settings, name):
            raise ParameterError(f"a mixer needs the setting {name}, as the tasks that it takes have it")
    check_origin(settings.origin)
    check_name(settings.operator, "the mixer's operator")
    if settings.batches_held < 1:
        raise ParameterError("a mixer holds at least 1 batch of a task, not 0")
    return settings
