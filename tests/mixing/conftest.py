"""Stores of mixers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pckv.mixing.sqlite import SqliteMixerStore
from pckv.mixing.store import MixerStore
from support.mixers import new_store
from support.tiers import wide


@pytest.fixture(params=["sqlite", *wide("postgres")])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MixerStore]:
    with new_store(request.param, tmp_path) as store:
        yield store


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[SqliteMixerStore]:
    with new_store("sqlite", tmp_path) as store:
        assert isinstance(store, SqliteMixerStore)
        yield store
