"""Many collections in rows: coverage, false claims, what must hold, and the page that says so."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple
from zlib import crc32

import numpy as np

from experiments.derived_populations import BY_GROUP, KEYS_BY_GROUP, KEYS_TOGETHER, POPULATIONS
from experiments.derived_scores import (
    DIFFER,
    DIFFERENCE,
    EXCLUDE,
    GIVEN,
    GO_TOGETHER,
    LIFT,
    STANDS_OUT,
    TOP,
    WITHIN,
    Scores,
)
from experiments.settings import Requirement, requirements_table
from pckv.statistics.detection import DEFAULT_FLAG_RATE

# The last ε is that of a report of a mixed task: a mixer changes the order of reports, and nothing that is counted.
EPSILONS, USERS = ("1", "2", "4", "5.3"), (20_000, 200_000)
# Where nothing should be claimed.
SILENT = ("1", 20_000)
# Rates and coverages of fewer are not stated.
MIN_CLAIMS = 200
MIN_COVERAGE, MIN_TOP_COVERAGE, MAX_ERROR_RATIO = 0.93, 0.9, 1.1
# How many standard errors a measured rate may be above the stated one.
ERRORS = 2
ALL_BY_GROUP, ALL_TOGETHER = "all by group", "all together"
# What is measured of each kind of population: intervals, claims.
INTERVALS = {ALL_BY_GROUP: (WITHIN, DIFFERENCE), ALL_TOGETHER: (GIVEN, LIFT)}
CLAIMS = {ALL_BY_GROUP: (STANDS_OUT, DIFFER), ALL_TOGETHER: (STANDS_OUT, GO_TOGETHER, EXCLUDE)}


class CollectionJob(NamedTuple):
    """One collection: of which people, at which ε, and which one of several."""

    name: str
    epsilon: str
    users: int
    repeat: int

    @property
    def seed(self) -> int:
        """A seed of its own."""
        return crc32(repr(tuple(self)).encode())


class ScoredCollection(NamedTuple):
    """What one collection shows, by the product and by the controls.

    `errors` are the mean squared errors of all items, and of their ratios to parents, relative to what the plan says.
    """

    job: CollectionJob
    scores: Scores
    controls: Scores
    errors: tuple[float, float]


@dataclass
class CollectionRow:
    """Several collections at one setting: of one population, or of all of a kind."""

    name: str
    kind: str
    epsilon: str
    users: int
    collected: list[ScoredCollection] = field(default_factory=list)

    @property
    def where(self) -> str:
        """The population and the setting, in words."""
        return f"{self.name}, ε = {self.epsilon}, {self.users:,} people"

    def coverage(self, quantity: str, which: str, *, control: bool = False) -> tuple[float, int]:
        """Return the share of intervals that hold the truth, of how many: `all_shown`, `known` or `top`."""
        counts = [getattr(self._scores(each, control).intervals[quantity], which) for each in self.collected]
        covered, shown = np.sum(counts, axis=0).tolist()
        return covered / max(shown, 1), shown

    def claims(self, kind: str, *, control: bool = False) -> int:
        """Return how many claims of a kind were made."""
        return sum(self._scores(each, control).claims[kind].made for each in self.collected)

    def false_share(self, kind: str, *, control: bool = False) -> tuple[float, float]:
        """Return the share of false claims on average over collections, with its standard error.

        Populations differ by more than chance: their averages are averaged.
        """
        shares: dict[str, list[float]] = {}
        for each in self.collected:
            shares.setdefault(each.job.name, []).append(self._scores(each, control).claims[kind].share_false)
        means = [float(np.mean(of_one)) for of_one in shares.values()]
        variances = [float(np.var(of_one, ddof=min(1, len(of_one) - 1))) / len(of_one) for of_one in shares.values()]
        return float(np.mean(means)), math.sqrt(sum(variances)) / len(means)

    @property
    def with_claims(self) -> float:
        """The share of collections that claim any relation."""
        kinds = CLAIMS[self.kind][1:]
        return float(np.mean([any(each.scores.claims[kind].made for kind in kinds) for each in self.collected]))

    @property
    def error_ratios(self) -> list[float]:
        """The standard errors measured of items and of ratios, relative to those of the plan."""
        return np.sqrt(np.mean([each.errors for each in self.collected], axis=0)).tolist()  # type: ignore[no-any-return]

    @property
    def texts(self) -> list[str]:
        """The cells of the row of a table."""
        cells = [self.name, self.epsilon, f"{self.users:,}", f"{len(self.collected)}"]
        for quantity in INTERVALS[self.kind]:
            for which in ("all_shown", "top"):
                share, shown = self.coverage(quantity, which)
                cells.append(f"{share:.3f} ({shown:,})" if shown else "")
        for kind in CLAIMS[self.kind]:
            made = self.claims(kind)
            share, error = self.false_share(kind)
            cells.append(f"{share:.3f} ± {error:.3f} ({made:,})" if made else "0")
        controls = [self.coverage(quantity, "all_shown", control=True)[0] for quantity in INTERVALS[self.kind]]
        false = [self.false_share(kind, control=True)[0] for kind in CLAIMS[self.kind][1:]]
        return [*cells, *(f"{share:.3f}" for share in (*self.error_ratios, *controls, *false))]

    @property
    def text(self) -> str:
        """The row of a table."""
        return f"| {' | '.join(self.texts)} |"

    @staticmethod
    def _scores(collected: ScoredCollection, control: bool) -> Scores:
        return collected.controls if control else collected.scores


def kind_of(name: str) -> str:
    """Return what a population is about."""
    return ALL_BY_GROUP if name in BY_GROUP else ALL_TOGETHER


def rows_of(collected: Iterable[ScoredCollection]) -> list[CollectionRow]:
    """Return a row per setting and population, and one for all populations of a kind."""
    rows: dict[tuple[str, str, int], CollectionRow] = {}
    for each in collected:
        name, epsilon, users, _ = each.job
        kind = kind_of(name)
        for group in (kind, name):
            rows.setdefault((group, epsilon, users), CollectionRow(group, kind, epsilon, users)).collected.append(each)
    order = [*INTERVALS, *POPULATIONS]
    return sorted(rows.values(), key=lambda row: (order.index(row.name), USERS.index(row.users), float(row.epsilon)))


def needs_more(rows: Sequence[CollectionRow]) -> set[tuple[str, str, int]]:
    """Return the populations and settings that made some claims, but too few to state a rate."""
    few = {
        (row.kind, row.epsilon, row.users)
        for row in rows
        if row.name == row.kind and any(0 < row.claims(kind) < MIN_CLAIMS for kind in CLAIMS[row.kind])
    }
    return {(name, *few_of[1:]) for few_of in few for name in POPULATIONS if kind_of(name) == few_of[0]}


def requirements(rows: Sequence[CollectionRow], enough: int = MIN_CLAIMS) -> Iterator[Requirement]:
    """Yield what must hold, of `enough` claims or intervals each, and the controls that must fail."""
    for kind, quantities in INTERVALS.items():
        of_kind = [row for row in rows if row.kind == kind]
        if not of_kind:
            continue
        for quantity, (which, least) in product(quantities, (("all_shown", MIN_COVERAGE), ("top", MIN_TOP_COVERAGE))):
            what = f"{quantity}: coverage, {'all shown' if which == 'all_shown' else f'{TOP} largest'}"
            yield _worst_coverage(what, [(*row.coverage(quantity, which), row.where) for row in of_kind], least, enough)
        for claim in CLAIMS[kind]:
            yield _worst_rate(f"{kind.removeprefix('all ')}: {claim}", of_kind, claim, enough)
        bar = f"{1 / MAX_ERROR_RATIO:.2f} to {MAX_ERROR_RATIO}"
        for place, what in enumerate(("shares of all people", "shares of a parent")):
            # Ratios share the errors of few parents: one population alone says little.
            ratios = [(row.error_ratios[place], row.where) for row in of_kind if row.name == kind]
            ratio, where = max(ratios, key=lambda each: abs(math.log(each[0])))
            holds = abs(math.log(ratio)) <= math.log(MAX_ERROR_RATIO)
            yield Requirement(f"{kind}: errors of {what} relative to the plan", bar, f"{ratio:.3f} ({where})", holds)
        yield from _controls(kind, of_kind)
    for row in rows:
        if (row.epsilon, row.users) == SILENT and row.name == row.kind:
            most = DEFAULT_FLAG_RATE + ERRORS * math.sqrt(DEFAULT_FLAG_RATE / len(row.collected))
            holds = row.with_claims <= most
            yield Requirement(f"{row.where}: claim a relation", f"≤ {most:.2f}", f"{row.with_claims:.3f}", holds)


def _worst_coverage(what: str, shares: Sequence[tuple[float, int, str]], least: float, enough: int) -> Requirement:
    """Judge the row with the lowest coverage, of those with enough intervals."""
    judged = [each for each in shares if each[1] >= enough]
    if not judged:
        return Requirement(what, f"≥ {least}", f"nothing is stated: fewer than {enough} shown", holds=True)
    share, shown, where = min(judged)
    return Requirement(what, f"≥ {least}", f"{share:.3f} of {shown:,} ({where})", share >= least)


def _worst_rate(what: str, rows: Sequence[CollectionRow], claim: str, enough: int) -> Requirement:
    """Judge the row with the largest share of false claims, less its standard errors, of those with enough claims."""
    bar = f"false ≤ {DEFAULT_FLAG_RATE} + {ERRORS} standard errors"
    rates = [(*row.false_share(claim), row) for row in rows if row.claims(claim) >= enough]
    if not rates:
        return Requirement(what, bar, f"nothing is stated: fewer than {enough} claims", holds=True)
    share, error, row = max(rates, key=lambda each: each[0] - ERRORS * each[1])
    measured = f"{share:.3f} ± {error:.3f} of {row.claims(claim):,} ({row.where})"
    return Requirement(what, bar, measured, share <= DEFAULT_FLAG_RATE + ERRORS * error)


def _controls(kind: str, rows: Sequence[CollectionRow]) -> Iterator[Requirement]:
    """Yield the controls: each must miss its bar somewhere."""
    for quantity in INTERVALS[kind]:
        shares = [(*row.coverage(quantity, "all_shown", control=True), row.where) for row in rows]
        share, shown, where = min((each for each in shares if each[1] >= MIN_CLAIMS), default=(1.0, 0, "nowhere"))
        measured = f"{share:.3f} of {shown:,} ({where})"
        yield Requirement(f"control, naive {quantity}", f"< {MIN_COVERAGE}", measured, share < MIN_COVERAGE)
    for claim in CLAIMS[kind][1:]:
        rates = [(*row.false_share(claim, control=True), row.where) for row in rows]
        share, error, where = max(rates, key=lambda each: each[0] - ERRORS * each[1])
        holds = share > DEFAULT_FLAG_RATE + ERRORS * error
        yield Requirement(
            f"control, {claim} without what larger sets hide",
            f"> {DEFAULT_FLAG_RATE} + {ERRORS} standard errors",
            f"{share:.3f} ± {error:.3f} ({where})",
            holds,
        )


PAGE = """# Results by group and of keys together

Written by `make experiment NAME=derived-items`.

Four populations with labels and {by_group} keys, and five with {together} keys that are asked about together:

{populations}

{settings}

{requirements}
## By group

{rows_by_group}

## Together

{rows_together}

{notes}

**Next:** [what is shown because it was detected](selection.md).
"""
SETTINGS_TEXT = (
    "Tasks are made with the hints that an operator gives: how many people they expect, {users}, and how many "
    "keys each holds on average, the right number unless the list says otherwise; all else is chosen by default. "
    "ε is {epsilons}; a report of a mixed task has the last one, and a mixer changes nothing that is counted. "
    "Every person's report is drawn by the vectorised code of the device, with seeds, counted, and estimated by "
    "the default method. The truth is that of all people, those with more keys than the padding included. No "
    "constant of the product was chosen on these populations. That lists of the largest need a level of their own "
    "showed on *baskets*: with one level for all that is shown, intervals held the truth for 67 to 77 % of the "
    "ten largest lifts at 200,000 people. *circles* was made after that."
)
NOTES = (
    "Intervals: the share that hold the truth, of how many, over all that is shown and over the {top} largest of "
    "what was selected. Claims: the share of false ones on average over collections ± one standard error, of how "
    "many claims; what has fewer than {least} is not judged. A relation is false if the people do not have it, or "
    "only as weakly as chance gives it to independent people in all but one of 10,000 cases. Where nothing should "
    "be claimed, that is about relations: single large cells do stand out. Errors: the root mean square error of "
    "unbiased shares, of all people and of those who have a well-known parent, relative to what the plan with the "
    "operator's hints says. Controls: the coverage of naive intervals (a child and its parents taken for "
    "independent, and nothing hidden), and the false claims of tests without what larger sets may hide."
)


def page(rows: Sequence[CollectionRow], bars: Sequence[Requirement]) -> str:
    """Return the page with all rows."""
    made = (f"- *{name}*: {' '.join((make.__doc__ or '').split())}" for name, make in POPULATIONS.items())
    settings = SETTINGS_TEXT.format(users=" or ".join(f"{users:,}" for users in USERS), epsilons=", ".join(EPSILONS))
    return PAGE.format(
        by_group=KEYS_BY_GROUP,
        together=KEYS_TOGETHER,
        populations="\n".join(_filled(text, "  ") for text in made),
        settings=_filled(settings),
        requirements=requirements_table(bars),
        rows_by_group=_table(rows, ALL_BY_GROUP),
        rows_together=_table(rows, ALL_TOGETHER),
        notes=_filled(NOTES.format(top=TOP, least=MIN_CLAIMS)),
    )


def _table(rows: Sequence[CollectionRow], kind: str) -> str:
    intervals = (f"{each}, {which}" for each in INTERVALS[kind] for which in ("all", f"{TOP} largest"))
    controls = (f"control: {each}" for each in (*INTERVALS[kind], *CLAIMS[kind][1:]))
    head = ["population", "ε", "people", "collections", *intervals, *(f"false: {each}" for each in CLAIMS[kind])]
    head += ["errors, items", "errors, ratios", *controls]
    lines = [f"| {' | '.join(head)} |", f"|---|{'---:|' * (len(head) - 1)}"]
    return "\n".join([*lines, *(row.text for row in rows if row.kind == kind)])


def _filled(text: str, indent: str = "") -> str:
    return textwrap.fill(text, 100, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
