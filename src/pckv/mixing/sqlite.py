"""The store of a mixer in one SQLite file."""

from __future__ import annotations

from pckv.mixing.store import MixerStore
from pckv.store.sqlite import SqliteDatabase


class SqliteMixerStore(SqliteDatabase, MixerStore):
    """A `MixerStore` in one file."""
