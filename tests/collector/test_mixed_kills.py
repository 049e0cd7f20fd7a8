"""Collectors and mixers that are killed while a batch is fetched: every report is counted once."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from pckv import Task
from pckv.base.wire import Report
from pckv.collector.http.auth import token_hash
from pckv.collector.recipient import batches
from pckv.mixing.settings import MixerSettings
from pckv.mixing.store import MixerStore
from pckv.mixing.transactions import BatchState
from pckv.sealing.recipient_key import RecipientKey
from pckv.store.base import FetchState, ReportOutcome, Upload
from support.crash_collectors import CollectorProcess
from support.fake_mixer import CLOSES, OPENS, TOKEN, put_key
from support.fake_mixer import running_mixer as fake_mixer
from support.killed_steps import fetch_until, is_killed, serve_until
from support.mixed_batches import Recipient
from support.mixers import opened as opened_mixer
from support.stores import opened, store_url


@contextmanager
def recipient(kind: str) -> Iterator[tuple[Recipient, str]]:
    """Return a collector over an empty store, and the address of the store."""
    with TemporaryDirectory() as folder, fake_mixer() as mixer:
        keys = Path(folder) / "keys"
        keys.mkdir(0o700)
        url = store_url(kind, Path(folder))
        with opened(url) as store:
            yield Recipient(store, mixer, keys, RecipientKey.generate()), url


def check_every_step(kind: str, first: int = 0, stride: int = 1) -> int:
    """Check that a collector may be killed at any step of its transactions and files; return how many there are."""
    with recipient(kind) as (collector, url):
        for moment in range(first, 10_000, stride):
            # A key of its own per task, which is deleted with its batch.
            collector.key = RecipientKey.generate()
            put_key(collector.folder, collector.key)
            task = collector.add(unreadable=2)
            collector.mixer.acknowledged.clear()
            killed = is_killed(fetch_until, url, collector.folder, collector.day, collector.seconds, moment)
            for _ in range(2):
                collector.fetch(batches.CLAIM_SECONDS)
                assert collector.batch(task).reason is None
            collector.check(task, unreadable=2)
            if not killed:
                return moment
    raise AssertionError("it never ends by itself")


def test_a_collector_may_be_killed_at_some_steps() -> None:
    check_every_step("sqlite", 9, 30)


@pytest.mark.verify
@pytest.mark.parametrize(("kind", "stride"), [("sqlite", 1), ("postgres", 3)])
def test_a_collector_may_be_killed_at_every_step(kind: str, stride: int) -> None:
    assert check_every_step(kind, stride=stride) > 50


def check_mixer_steps(kind: str, first: int = 0, stride: int = 1) -> int:
    """Check that a mixer may be killed at any step while its recipient fetches a batch."""
    with recipient(kind) as (collector, _), TemporaryDirectory() as name:
        folder = Path(name)
        url, port = store_url(kind, folder), free_port()
        collector.mixer.url = f"http://127.0.0.1:{port}"
        settings = MixerSettings(store=url, port=port, origin=collector.mixer.url, operator="A second party")
        with opened_mixer(url) as held:
            for moment in range(first, 10_000, stride):
                collector.key = RecipientKey.generate()
                put_key(collector.folder, collector.key)
                task = released(held, collector)
                mixer = CollectorProcess(url, folder / "log", partial(serve_until, moment=moment), settings)
                mixer.wait()
                collector.fetch()
                mixer.kill()
                killed = collector.batch(task).state is not FetchState.DONE
                again = CollectorProcess(url, folder / "log", partial(serve_until, moment=10_000), settings)
                again.wait()
                collector.fetch()
                again.kill()
                batch = held.find_batch(task.id)
                assert batch is not None
                assert (batch.state, batch.acknowledged) == (BatchState.DONE, True)
                collector.mixer.acknowledged = [task.id]
                collector.check(task)
                if not killed:
                    return moment
    raise AssertionError("it never ends by itself")


def released(held: MixerStore, collector: Recipient) -> Task:
    """Return a task whose batch the mixer has released, and its collector has not fetched."""
    task = collector.add()
    held.accept_task(task, OPENS, token_hash(TOKEN))
    uploads = [Upload(task.id, [Report(sha256(one).digest(), one)], [None]) for one in collector.entries[task.id]]
    outcomes = held.add_sealed(uploads, OPENS, 4)
    assert outcomes == [[ReportOutcome.STORED]] * len(uploads)
    assert held.release(task.id, CLOSES) is BatchState.RELEASED
    return task


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.mark.verify
@pytest.mark.parametrize(("kind", "stride"), [("sqlite", 1), ("postgres", 3)])
def test_a_mixer_may_be_killed_at_every_step_while_its_batch_is_fetched(kind: str, stride: int) -> None:
    assert check_mixer_steps(kind, stride=stride) > 10
