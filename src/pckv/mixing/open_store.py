"""Choosing the store of a mixer by its address."""

from __future__ import annotations

from pckv.mixing.store import MixerStore
from pckv.store.open_store import sqlite_path


def open_mixer_store(url: str) -> MixerStore:
    """Return the store of a mixer that an address names; nothing is read, created or connected to yet."""
    path = sqlite_path(url)
    if path is not None:
        from pckv.mixing.sqlite import SqliteMixerStore  # noqa: PLC0415

        return SqliteMixerStore(path)
    from pckv.mixing.postgres import PostgresMixerStore  # noqa: PLC0415

    return PostgresMixerStore(url)
