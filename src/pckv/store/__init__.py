"""What a collector stores: one protocol, and one module per database."""

from __future__ import annotations

from pckv.store.open_store import open_store

__all__ = ["open_store"]
