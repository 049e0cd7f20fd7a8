"""Mixers that are killed again and again: no batch is too small, too early, a second one, or one that changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.killed_mixers import KilledMixers, Serve, serve_before_commit, serve_releasing_in_parts
from support.killed_steps import MixerLife, is_killed, live_until
from support.mixers import opened
from support.stores import store_url

# A kill takes a fifth of a second; planted faults are caught within dozens.
KILLS, SOME_KILLS, MANY_KILLS = 6, 50, 1000


def test_killed_mixers_keep_the_promises(tmp_path: Path) -> None:
    KilledMixers(store_url("sqlite", tmp_path), tmp_path).run(KILLS)


@pytest.mark.verify
@pytest.mark.parametrize(("kind", "kills"), [("sqlite", MANY_KILLS), ("postgres", SOME_KILLS)])
def test_many_killed_mixers_keep_the_promises(kind: str, kills: int, tmp_path: Path) -> None:
    killed = KilledMixers(store_url(kind, tmp_path), tmp_path)
    killed.run(kills)
    assert min(killed.released, killed.too_few) > 0


@pytest.mark.parametrize("fault", [serve_before_commit, serve_releasing_in_parts])
def test_kills_catch_planted_faults(fault: Serve, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="acknowledged reports"):
        KilledMixers(store_url("sqlite", tmp_path), tmp_path, fault).run(MANY_KILLS)


def check_every_step(kind: str, folder: Path, first: int = 0, stride: int = 1) -> int:
    """Check that a mixer may be killed at any step of its transactions; return how many there are."""
    url = store_url(kind, folder)
    with opened(url) as store:
        for moment in range(first, 10_000, stride):
            life = MixerLife(folder)
            killed = is_killed(live_until, url, life, moment)
            life.live(store)
            life.check(store)
            if not killed:
                return moment
    raise AssertionError("it never ends by itself")


def test_a_mixer_may_be_killed_at_some_steps(tmp_path: Path) -> None:
    check_every_step("sqlite", tmp_path, 5, 40)


@pytest.mark.verify
@pytest.mark.parametrize(("kind", "stride"), [("sqlite", 1), ("postgres", 3)])
def test_a_mixer_may_be_killed_at_every_step(kind: str, stride: int, tmp_path: Path) -> None:
    assert check_every_step(kind, tmp_path, stride=stride) > 100
