"""What the recipient of a mixed task receives, enumerated through the transactions of a mixer behind a stub cipher.

The stub stands for a perfect cipher whose recipient opens every entry: an entry is the envelope's random bytes, the body,
and zeros. Envelopes are a set of different bytes, of which every device has each one equally often; the recipient knows
who sent when, but not who has which.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from itertools import count, permutations, product
from typing import NamedTuple, NoReturn

import numpy as np
import pytest

from pckv import Mixer, Task
from pckv.base.arrays import Floats
from pckv.base.budget import exp_lower
from pckv.base.errors import ParameterError
from pckv.base.randomness import DRAW_BYTES, Source
from pckv.base.wire import Report
from pckv.contract import mixer as mixer_module
from pckv.contract.mixer import entry_bytes
from pckv.contract.reporting import Reporting
from pckv.mixing import transactions
from pckv.mixing.store import MixerStore
from pckv.sealing.envelope import sealed_length
from pckv.store.base import ReportOutcome, Upload
from pckv.store.sql.transactions import Transaction
from support.mixers import CLOSES, DAY, mixer_member
from support.shuffles import Laws, as_floats

ENVELOPE_BYTES, TAG_BYTES = 32, 16
# Claims are in steps of this, so that one that holds is next to one that does not.
STEP = Decimal("1e-12")

# A state and all pages: what a recipient is told.
View = tuple[str | None, bytes]
# Who has which envelope, by the places of people: all ways, equally likely.
Envelopes = Callable[[int], Sequence[tuple[int, ...]]]


def any_envelope(people: int) -> list[tuple[int, ...]]:
    """Every device draws its envelope: all ways to hand them out are equally likely."""
    return list(permutations(range(people)))


def own_envelope(people: int) -> list[tuple[int, ...]]:
    """A fault: every device has an envelope that tells who it is."""
    return [tuple(range(people))]


class Senders(NamedTuple):
    """Who sends to a mixer: honest people in the order of their arrival, and entries that the recipient made itself."""

    honest: int
    hostile: int = 0


def stub_entry(task: Task, body: bytes, envelope: int) -> bytes:
    """Return a body as a recipient sees it who can open all."""
    entry = hashlib.sha256(b"envelope %d" % envelope).digest() + body + bytes(TAG_BYTES)
    assert len(entry) == sealed_length(task.message_format.body_bytes) == len(body) + ENVELOPE_BYTES + TAG_BYTES
    return entry


class _Undone(Exception):
    """Ends a transaction without a commit, so that the next one begins as it did."""


def released_views(store: MixerStore, task: Task, entries: Sequence[bytes]) -> Counter[View]:
    """Return what the recipient receives of entries that come one after the other, once for every order of the tape."""
    found: Counter[View] = Counter()

    def work(tx: Transaction) -> NoReturn:
        for entry in entries:
            upload = Upload(task.id, [Report(hashlib.sha256(entry).digest(), entry)], [None])
            assert transactions.add_sealed(tx, [upload], DAY, 4) == [[ReportOutcome.STORED]]
        for order in permutations(range(len(entries))):
            tx.script("SAVEPOINT unreleased")
            state = transactions.release(tx, task.id, CLOSES, _tape(order))
            found[state and state.value, b"".join(_pages(tx, task))] += 1
            tx.script("ROLLBACK TO unreleased")
        raise _Undone

    with pytest.raises(_Undone):
        store._write(work)
    return found


def _tape(order: Sequence[int]) -> Source:
    """Return a source that makes the mixer's one permutation this one."""
    tape = b"".join(key.to_bytes(DRAW_BYTES, "little") for key in order)

    def source(length: int) -> bytes:
        assert length == len(tape), "the mixer draws something else than one permutation"
        return tape

    return source


def _pages(tx: Transaction, task: Task) -> Iterator[bytes]:
    for number in count():
        page = transactions.find_page(tx, task.id, number)
        if page is None:
            return
        yield page


def without_envelopes(task: Task, view: View) -> View:
    """Leave out the random bytes of envelopes, so that it does not matter who has which."""
    state, pages = view
    entries = (pages[start:] for start in range(0, len(pages), entry_bytes(task)))
    return state, b"".join(entry[ENVELOPE_BYTES:][: task.message_format.body_bytes] for entry in entries)


def view_laws(
    store: MixerStore, task: Task, bodies: Sequence[bytes], senders: Senders, envelopes: Envelopes | None = any_envelope
) -> Floats:
    """Return the law of what the recipient receives, by what people's reports are: an axis per person, then views.

    Without `envelopes`, the recipient sees all of the entries but their envelopes: many fewer cases.
    """
    people = senders.honest
    own = [stub_entry(task, bodies[0], people + number) for number in range(senders.hostile)]
    counts: list[Counter[View]] = []
    for reports in product(bodies, repeat=people):
        found: Counter[View] = Counter()
        for handed_out in (envelopes or own_envelope)(people):
            sent = [stub_entry(task, body, envelope) for body, envelope in zip(reports, handed_out, strict=True)]
            for view, times in released_views(store, task, [*sent, *own]).items():
                found[view if envelopes else without_envelopes(task, view)] += times
        counts.append(found)
    views = {view: place for place, view in enumerate(dict.fromkeys(view for found in counts for view in found))}
    chances = np.zeros((len(counts), len(views)))
    for row, found in zip(chances, counts, strict=True):
        for view, times in found.items():
            row[views[view]] = times / found.total()
    return chances.reshape(*[len(bodies)] * people, len(views))


def largest_delta(views: Floats, distributions: Laws, epsilon: Fraction) -> float:
    """Return δ at an ε: the largest over all data sets, all people, and all that this person may hold in place of it."""
    chances, ratio, people = as_floats(distributions), float(exp_lower(epsilon)), views.ndim - 1
    for _ in range(people):
        # The first axis becomes that of what the person holds, and goes to the end of the people's.
        views = np.moveaxis(np.tensordot(chances, views, axes=(1, 0)), 0, people - 1)
    worst = 0.0
    for person in range(people):
        by_person = np.moveaxis(views, person, 0)
        gaps = np.maximum(by_person[:, None] - ratio * by_person[None], 0.0)
        worst = max(worst, float(gaps.sum(axis=-1).max()))
    return worst


def tightest_claim(reporting: Reporting, batch: int, honest: int, epsilon: Fraction) -> Fraction:
    """Return the least δ that a task's mixer may claim at an ε; at so few reports it is beyond what a contract allows."""

    def claim(delta: Decimal) -> Mixer:
        return Mixer(**mixer_member(batch, honest, Decimal(epsilon.numerator) / epsilon.denominator, delta=delta))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mixer_module, "MAX_CENTRAL_DELTA", Fraction(1))
        least = Decimal(claim(STEP).central_delta(reporting)).quantize(STEP, ROUND_CEILING)
        claim(least).check_claim(reporting)
        try:
            claim(least - STEP).check_claim(reporting)
        except ParameterError:
            return Fraction(least)
    raise AssertionError("a claim is taken that does not hold")
