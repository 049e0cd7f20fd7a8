"""Optional parts of the product that some tests need, and the paths of folders."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SUPPORT = Path(__file__).parent
# Options for Java in tests, where most of its code runs once: optimizing it takes more time than it saves.
SHORT_LIVED_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def missing_part(what: str) -> None:
    """Skip the test if parts may be missing; fail where everything must be installed."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is missing")
    pytest.skip(f"{what} is missing")
