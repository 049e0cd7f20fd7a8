"""Fixtures of the tests of the site and of the JavaScript client."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.collectors import Running, running
from support.node import NodeProcess, node


@pytest.fixture(scope="module")
def site() -> Iterator[Running]:
    """A site with a fixed day."""
    with running(clock=lambda: "2030-01-15") as started:
        yield started


@pytest.fixture(scope="module")
def process() -> NodeProcess:
    """The JavaScript client in Node."""
    return node()
