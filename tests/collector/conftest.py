"""Collectors for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.collectors import DAY, Running, running
from support.stores import KINDS, opened, store_url


@pytest.fixture(scope="module", params=KINDS)
def collector(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    url = store_url(request.param, tmp_path_factory.mktemp("store"))
    with opened(url) as store, running(store, lambda: DAY) as started:
        yield started


@pytest.fixture(scope="module")
def small() -> Iterator[Running]:
    with running(clock=lambda: DAY) as started:
        yield started
