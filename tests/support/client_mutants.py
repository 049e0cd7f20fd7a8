"""Mutants of the JavaScript client: one planted fault each, which the check that it names must catch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from pckv.base.errors import AuditFailure
from support.node import faulty_client


@dataclass(frozen=True)
class ClientMutant:
    """Replacements in one file of the client, and the check of a client's folder that must fail."""

    fault: str
    file: str
    replaced: dict[str, str]
    caught_by: Callable[[Path], None]
    says: str | None = None

    def __str__(self) -> str:
        return self.fault


def check_client_mutant(mutant: ClientMutant, folder: Path) -> None:
    """Assert that the named check fails on the faulty client; a test of its own shows that it passes otherwise."""
    faulty = faulty_client(folder, mutant.file, mutant.replaced)
    with pytest.raises(AuditFailure, match=mutant.says):
        mutant.caught_by(faulty)
