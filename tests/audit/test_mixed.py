"""The central claim of mixed tasks, against what their recipient receives: exact, at a few people, through a real mixer.

Where planted faults of mixed tasks are that the claim rests on is the table `PLANTED`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from audit.mixed_views import (
    Envelopes,
    Senders,
    any_envelope,
    largest_delta,
    own_envelope,
    tightest_claim,
    view_laws,
)
from pckv import Task
from pckv.auditing.variants import with_law
from pckv.base.budget import exp_lower
from pckv.contract.reporting import Reporting
from pckv.mechanisms.base import Law
from pckv.mechanisms.collision.law import CollisionLaw
from pckv.mechanisms.discovery.law import DiscoveryLaw
from pckv.mechanisms.registry import build
from pckv.mechanisms.size_question.law import SizeQuestion
from pckv.mixing.store import MixerStore
from support.faults import Fault, in_place, stand_in
from support.mixers import accept, mixed_task, mixer_member, new_store
from support.shuffles import Laws, enumeration_steps, exact_deltas, extreme_laws, report_laws

EPSILON = Fraction(2)
SHARES_OF_EPSILON = tuple(map(Fraction, ("0.1", "0.5", "0.9")))
# The enumeration of the product's floats, and what is enumerated of one number of people, at most.
ACCURACY, MAX_STEPS = 1e-9, 2_200_000
MOST_PEOPLE = 6
TESTS = Path(__file__).parents[1]


class Kind(NamedTuple):
    """Reports of a mixed task, few of which are different: a law, and how many people's are enumerated."""

    law: Law
    people: int
    asks: bool = False
    # What people may hold, where it is not any keys with any levels.
    sets: Sequence[Mapping[Any, int]] | None = None

    @property
    def question(self) -> SizeQuestion | None:
        return SizeQuestion(self.law.keys, self.law.padding, EPSILON, Fraction(1, 5)) if self.asks else None

    def distributions(self) -> Laws:
        return extreme_laws(report_laws(self.law, self.question, self.sets))

    def task(self, batch: int) -> Task:
        """Return a task with bodies of this length; its own claim is that of a report alone."""
        mechanism = "ue" if self.law.name == "ue" else "grr"
        keys = 1 if self.sets else self.law.keys
        members: dict[str, Any] = {"keys": keys, "mechanism": mechanism, "padding": 1, "size_share": 0}
        return mixed_task(epsilon=2, mixer=mixer_member(batch, epsilon=2), **members)

    def reporting(self) -> Reporting:
        return with_law(self.task(1), self.law, self.question).reporting

    def bodies(self, task: Task) -> list[bytes]:
        """Return all bodies, in the order of the laws' outputs."""
        distribution = self.law.distribution({})
        if self.question is not None:
            distribution = self.question.mix(distribution, 0, self.law.word_limit or 0)
        return [task.message_format.encode(output) for output in sorted(distribution.weights)]


def _kind(mechanism: str, keys: int, people: int, *, levels: int = 2, asks: bool = False, **more: object) -> Kind:
    return Kind(build(mechanism, keys, 1, EPSILON, more, levels), people, asks)


def _collision(keys: int, people: int, levels: int = 2) -> Kind:
    return Kind(CollisionLaw(keys, 1, EPSILON, symbols=3, functions=2, levels=levels), people)


# Texts as their prefixes of two lengths: equal in the first, or in none.
TEXTS: list[dict[Any, int]] = [{}, *({path: 0} for path in ((0, 0), (0, 1), (1, 2), (2, 3)))]

# Every mechanism, with two levels and more, with a size question, and without levels, as discoveries are.
KINDS = {
    "ue": _kind("ue", 1, 3),
    "ue, two keys": _kind("ue", 2, 2),
    "grr": _kind("grr", 1, 3),
    "grr, levels": _kind("grr", 1, 2, levels=5),
    "grr, sizes": _kind("grr", 2, 2, asks=True),
    "ue-compact": _kind("ue-compact", 1, 2, q=3),
    "ue-compact, levels": _kind("ue-compact", 1, 2, levels=3, q=5),
    "ue-compact, sizes": _kind("ue-compact", 2, 2, asks=True, q=3),
    "collision": _collision(1, 3),
    "collision, levels": _collision(1, 2, levels=3),
    "collision, no levels": _collision(2, 3, levels=1),
    "discovery": Kind(DiscoveryLaw(1, EPSILON, groups=2, symbols=3, indices=2), 2, sets=TEXTS),
}


def check_received(
    store: MixerStore,
    kind: Kind,
    senders: Senders,
    batch: int | None = None,
    envelopes: Envelopes | None = any_envelope,
) -> list[float]:
    """Check that what the recipient receives has at most the claimed δ, of a batch of all senders or of another size."""
    batch = batch or sum(senders)
    task, reporting, distributions = kind.task(batch), kind.reporting(), kind.distributions()
    accept(store, task)
    views = view_laws(store, task, kind.bodies(task), senders, envelopes)
    found = []
    for share in SHARES_OF_EPSILON:
        epsilon = share * EPSILON
        claimed = tightest_claim(reporting, batch, batch - senders.hostile, epsilon)
        exact = largest_delta(views, distributions, epsilon)
        assert exact <= claimed * (1 + Fraction(ACCURACY)), f"δ = {exact:.4g}, claimed {float(claimed):.4g}"
        found.append(exact)
    return found


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MixerStore]:
    with new_store("sqlite", tmp_path) as store:
        yield store


@pytest.mark.parametrize("name", KINDS)
def test_what_the_recipient_receives_has_the_claimed_delta(store: MixerStore, name: str) -> None:
    kind = KINDS[name]
    for people in range(2, kind.people + 1):
        check_shuffled(store, kind, Senders(people))


def check_shuffled(store: MixerStore, kind: Kind, senders: Senders, envelopes: Envelopes | None = any_envelope) -> None:
    """Check that the mixer adds nothing, and takes nothing away: it is the shuffle of the theorem."""
    found = check_received(store, kind, senders, envelopes=envelopes)
    ratios = [exp_lower(share * EPSILON) for share in SHARES_OF_EPSILON]
    exact = exact_deltas(kind.distributions(), senders.honest, ratios)
    assert found == pytest.approx(exact, abs=ACCURACY), f"δ = {found}, of a shuffle {exact}"


@pytest.mark.verify
@pytest.mark.parametrize("name", KINDS)
def test_claims_hold_for_up_to_six_people(name: str) -> None:
    kind, cells = KINDS[name], 0
    distributions, reporting = kind.distributions(), kind.reporting()
    for people in range(1, MOST_PEOPLE + 1):
        if enumeration_steps(distributions, people) > MAX_STEPS:
            break
        for share in SHARES_OF_EPSILON:
            [exact] = exact_deltas(distributions, people, [exp_lower(share * EPSILON)])
            assert exact <= tightest_claim(reporting, people, people, share * EPSILON) * (1 + Fraction(ACCURACY))
            cells += 1
    assert cells >= 9


@pytest.mark.verify
def test_the_same_in_postgresql(tmp_path: Path) -> None:
    with new_store("postgres", tmp_path) as store:
        check_received(store, KINDS["grr"], Senders(2))


@pytest.mark.verify
@pytest.mark.parametrize("name", ["ue", "grr"])
def test_four_people_whose_envelopes_are_not_looked_at(store: MixerStore, name: str) -> None:
    check_shuffled(store, KINDS[name], Senders(4), envelopes=None)


@pytest.mark.verify
def test_a_claim_counts_on_honest_reports_alone(store: MixerStore) -> None:
    check_hostile(store)


def check_hostile(store: MixerStore) -> None:
    """The recipient made a part of the entries itself, and knows them."""
    check_shuffled(store, KINDS["grr"], Senders(2, 1))
    check_shuffled(store, KINDS["ue"], Senders(2, 2), envelopes=None)


def check_all(store: MixerStore) -> None:
    check_received(store, KINDS["grr"], Senders(2))


def check_three(store: MixerStore) -> None:
    check_shuffled(store, KINDS["ue"], Senders(3), envelopes=None)


def check_short(store: MixerStore) -> None:
    """Of one entry fewer than the batch, the recipient receives nothing."""
    assert check_received(store, KINDS["grr"], Senders(2), batch=3) == [0, 0, 0]


def test_a_batch_that_is_one_short_tells_nothing(store: MixerStore) -> None:
    check_short(store)


TRANSACTIONS, MIXER = "mixing/transactions.py", "contract/mixer.py"
BY_ARRIVAL = {
    "batch.reports[:room], batch.invitations": (
        "[report._replace(id=(entries + place).to_bytes(32, 'big')) for place, report in enumerate(batch.reports)], "
        "batch.invitations"
    )
}
DRAWN = "order = random_order(len(digests) // DIGEST_BYTES, source)"
AS_IT_CAME = BY_ARRIVAL | {DRAWN: "order = range(len(digests) // DIGEST_BYTES)"}
TURNED = BY_ARRIVAL | {
    DRAWN: f"{DRAWN}\n    order = [(place + int(order[0])) % len(order) for place in range(len(order))]"
}
FAULTS = (
    in_place("the order of arrival is kept", TRANSACTIONS, AS_IT_CAME, check_all, "claimed"),
    in_place("the order of arrival is turned", TRANSACTIONS, TURNED, check_three, "of a shuffle"),
    in_place("a batch that is one short", TRANSACTIONS, {"if count < task.mixer.batch:": "if count < task.mixer.batch - 1:"}, check_short, "claimed"),
    in_place("the claim is computed at the batch", MIXER, {"_bound(reporting, self.honest)": "_bound(reporting, self.batch)"}, check_hostile, "claimed"),
    in_place("no claim is refused", MIXER, {"if Fraction(found) > Fraction(str(self.delta)):": "if False:"}, check_all, "does not hold"),
)  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_is_caught(store: MixerStore, fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path, store, raises=AssertionError)


def test_an_envelope_that_tells_who_sealed_it_is_caught(store: MixerStore, tmp_path: Path) -> None:
    def check(envelopes: Envelopes) -> None:
        check_received(store, KINDS["grr"], Senders(2), envelopes=envelopes)

    fault = stand_in("a link inside the envelope", own_envelope, check, "claimed")
    fault.check_caught(tmp_path, raises=AssertionError)


AUDIT, RELEASE, SERVICE, MODEL = (
    "audit/test_mixed.py",
    "mixing/test_release.py",
    "mixing/test_service.py",
    "mixing/test_model.py",
)
CONTRACT, RULES = "contract/test_mixer.py", "web/test_javascript_mixed.py"
PYTHON, JAVASCRIPT = "client/test_mixed.py", "web/test_javascript_mixed_clients.py"
SEALING, SEALING_SCRIPT = "sealing/test_sealing.py", "web/test_javascript_sealing.py"
SEEN, SEEN_SCRIPT = "client/test_data_independence.py", "web/test_javascript_data_independence.py"
COLLECTOR, BATCHES = "collector/test_mixed.py", "collector/test_mixed_batches.py"
# What would make the claim false, and where it is planted: in both languages, if both have the code.
PLANTED: dict[str, dict[str, tuple[str, ...]]] = {
    "order kept": {
        AUDIT: ("the order of arrival is kept", "the order of arrival is turned"),
        RELEASE: ("no permutation is drawn",),
        SERVICE: ("the order of arrival is kept",),
    },
    "an id or another link inside the envelope": {
        AUDIT: ("a link inside the envelope",),
        PYTHON: ("an id inside the envelope",),
        JAVASCRIPT: ("an id inside the envelope",),
        SEALING: ("a body is sealed once",),
        SEALING_SCRIPT: ("a key pair is used again",),
    },
    "batch one short": {
        AUDIT: ("a batch that is one short",),
        RELEASE: ("a batch that is one short",),
        BATCHES: ("fewer than the batch are taken",),
    },
    "key swapped": {
        SEEN: ("larger sets are sealed for another key",),
        PYTHON: ("sealed for another recipient", "a task is taken whose key was swapped"),
        JAVASCRIPT: ("sealed for another recipient", "a task is taken whose key was swapped"),
        COLLECTOR: ("the key is not compared", "the mixer's text is not compared"),
    },
    "low-order key": {
        CONTRACT: ("keys of small order are taken",),
        RULES: ("keys of small order are taken",),
        SEALING: ("keys of small order are taken", "keys of order 8 are taken"),
        SEALING_SCRIPT: ("keys of small order are taken", "keys of order 8 are taken"),
    },
    "coin allowed": {CONTRACT: ("coins are taken",), RULES: ("coins are taken",)},
    "claim computed at `batch` instead of `honest`": {
        AUDIT: ("the claim is computed at the batch",),
        CONTRACT: ("the claim is checked at the batch",),
        RELEASE: ("the claim is computed at the batch",),
    },
    "claim not computed again": {
        AUDIT: ("no claim is refused",),
        RELEASE: ("the claim is not computed", "the claim of a series is not computed"),
        COLLECTOR: ("the claim is believed",),
    },
    "second task of one survey name": {
        RELEASE: (
            "a second task of one survey",
            "a task of the name of a series",
            "a series of the name of a task",
        )
    },
    "sealed length depending on the pairs": {
        SEEN: ("the sealed length depends on the pairs",),
        SEEN_SCRIPT: ("the sealed length depends on the pairs",),
        PYTHON: ("the sealed length depends on the pairs",),
        JAVASCRIPT: ("the sealed length depends on the pairs",),
        SEALING: ("zeros at the end are left out",),
        SEALING_SCRIPT: ("zeros at the end are left out",),
    },
    "retry sealing anew": {PYTHON: ("a retry seals anew",), JAVASCRIPT: ("a retry seals anew",)},
    "bytes taken again after the release": {
        RELEASE: ("bytes are taken after the release", "a second batch"),
        MODEL: ("bytes are taken after the release",),
    },
}


@pytest.mark.parametrize("what", PLANTED)
def test_every_way_to_make_the_claim_false_is_planted(what: str) -> None:
    for file, faults in PLANTED[what].items():
        text = (TESTS / file).read_text(encoding="utf-8").partition("\nPLANTED: ")[0]
        assert [fault for fault in faults if f'"{fault}"' not in text] == [], file
