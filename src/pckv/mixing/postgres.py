"""The store of a mixer in PostgreSQL."""

from __future__ import annotations

from pckv.mixing.store import MixerStore
from pckv.store.postgres import PostgresDatabase


class PostgresMixerStore(PostgresDatabase, MixerStore):
    """A `MixerStore` that several workers can share."""
