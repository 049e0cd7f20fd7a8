"""How often default intervals hold the true frequency, where people hold more pairs than was said.

Sizes are not given: a task is made from a typical number of pairs alone, as on the first page and in the
form. Five collections know the right number of pairs, or nearly so; of the others the author says the right
average, a third or three times of it, or nothing. The small ones of the five are collected with real reports;
for the others counts are drawn from their exact law, and the size question is answered by the device's own code.
"""

from __future__ import annotations

import itertools
import textwrap
import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.random import default_rng

from experiments.settings import ExperimentSettings, Requirement, requirements_table, show_requirements
from experiments.size_populations import HINTS, LARGER_SETS, POPULATIONS, make_hinted_task
from pckv import Tally, Task, estimate
from pckv.base.arrays import Floats, Integers
from pckv.base.seeded import seeded_source
from pckv.device.vectorised import VectorisedTape, answer_sizes, perturb_many
from pckv.estimators.estimate import default_method
from pckv.estimators.key_columns import own_standard_error
from pckv.estimators.methods.registry import METHODS
from pckv.estimators.sets import SECOND_FACTOR, HiddenShare, hidden_share, raise_limits
from pckv.files.pairs.rows import Columns
from pckv.lab.counting import SamplingModel, count_reports
from pckv.lab.dataset import Dataset, read_ratings
from pckv.lab.populations import movielike, zipf_sets
from pckv.mechanisms.base import CountLaw
from pckv.statistics.moments import CountMoments
from pckv.tally.decode.support import KeySupport, key_support

EPSILONS = ("1", "2", "4")
SEED, REPEATS, TOP, LEVEL = 20_264, 20, 10, 0.95
MIN_COVERAGE, MIN_TOP_COVERAGE, MAX_WIDTH_RATIO, MIN_GAIN = 0.93, 0.90, 1.5, 1.25
MAX_USERS_WITH_REPORTS = 20_000
COLLECTED = ("first page", "form", "Clothing", "Goodbooks", "movielike")
HINTED = POPULATIONS | LARGER_SETS
PARTS = (*COLLECTED, *HINTED)
PAGE = """# Measured: intervals and larger sets

How often do intervals contain the true frequency if people hold more pairs than a report stands
for? The method is explained in
[estimates.md](../explanation/estimates.md#people-with-more-pairs-than-the-padding). `make
experiment NAME=coverage DATA=FOLDER` wrote this page in {minutes:.0f} minutes.

- No sizes are given: a task is made from a typical number of pairs alone. People of the first page
  hold 1 to 5 pairs (typical: 3), those of the form 4.1 of 12 keys (typical: 3, 440 people); for the
  other three of the first table the typical number is the rounded average. `movielike` is
  synthetic.
- "Hold more" is the true share of people with more pairs than the padding, "hidden" the true bound
  Λ of what that hides. Coverage is that over all keys, and over the ten most frequent.
- "Width" is the median over these ten; "to known sizes" is that width relative to intervals with
  all sizes known.
- "Narrower" is what the second bound (θ = 4, `proofs/size-question.md`) gains: the average width of
  all keys with the first bound alone, divided by that with both, from the same counts. It gains
  little where the padding suits the people, as in most of the first table.
- "Control" is the coverage over all keys if the second bound leaves out Λ_4, the people with more
  than four times the padding, which it must not.

"""
HINTED_TEXT = """
What the author says of the number of pairs ("pairs") is the right average, a third of it (at least
1), three times of it (at most the number of keys), or nothing. A task that is the same with two of
these has one row, and one that does not ask for sizes has none.

{populations}
"""
HEAD = (
    "| population | pairs | ε | mechanism, padding | size share | collections | hold more | hidden | all keys | top 10 "
    "| width | to known sizes | narrower | control |\n|---|---|---|---|" + "---:|" * 10 + "\n"
)
# With this many keys a collection takes seconds.
MANY_KEYS, REPEATS_OF_MANY_KEYS = 10_000, 5
# With fewer keys than this, collections are repeated more often: shares of intervals are to be as precise.
MIN_KEYS = 40


class Collected(NamedTuple):
    """People, and what the author of the task expected of them."""

    name: str
    dataset: Dataset
    typical_pairs: float
    expected_users: int


class Intervals(NamedTuple):
    """The intervals of all keys: as given, by the first bound alone, by sizes that are known, and by a false bound."""

    low: Floats
    high: Floats
    first_high: Floats
    informed_high: Floats
    false_high: Floats


class Counted(NamedTuple):
    """What a collection counts of pairs, with the law of counts, and of sizes; the tally if there is one."""

    support: KeySupport
    reports: int
    count_law: CountLaw
    answers: Integers
    tally: Tally | None


class Coverage(NamedTuple):
    """One population at one ε: shares of intervals that hold the truth, and widths.

    `narrower` is how many times the average width of all keys is that with both bounds where the first is alone,
    and `widest` the largest ratio of a width with both to one with the first, of any key and collection.
    """

    name: str
    hint: str
    epsilon: str
    task: Task
    collections: int
    larger: float
    hidden: float
    all_keys: float
    top_keys: float
    width: float
    informed_width: float
    narrower: float
    widest: float
    control: float

    @property
    def to_known_sizes(self) -> float:
        """The width relative to that with sizes known."""
        return self.width / self.informed_width

    @property
    def row(self) -> str:
        """The row of the table."""
        task = self.task
        numbers = (self.hidden, self.all_keys, self.top_keys, self.width)
        cells = (
            self.name,
            self.hint,
            self.epsilon,
            f"`{task.mechanism}`, {task.padding}",
            f"{task.size_share:g}",
            str(self.collections),
            f"{100 * self.larger:.1f} %",
            *(f"{number:.3f}" for number in numbers),
            f"{self.to_known_sizes:.2f}",
            f"{self.narrower:.2f}",
            f"{self.control:.3f}",
        )
        return f"| {' | '.join(cells)} |\n"


def populations(settings: ExperimentSettings) -> Iterator[Collected]:
    """Yield the populations asked for, from fixed seeds."""
    wanted = settings.parts or PARTS
    columns = Columns("user", "item", "rating")
    if "first page" in wanted:
        rng = default_rng(SEED)
        yield Collected("first page", zipf_sets(rng.integers(1, 6, 20_000), 100, rng), 3, 20_000)
    if "form" in wanted:
        rng = default_rng(SEED + 1)
        sizes = np.maximum(rng.binomial(12, 4.1 / 12, 440), 1)
        yield Collected("form", zipf_sets(sizes, 12, rng, exponent=0.7), 3, 500)
    if "Clothing" in wanted:
        data = read_ratings(settings.data / "pckv_clothing_fit.parquet", columns, repeated="last")
        yield _as_it_is("Clothing", data)
    if "Goodbooks" in wanted:
        data = read_ratings(settings.data / "goodbooks10k_v1.parquet", columns, repeated="last")
        yield _as_it_is("Goodbooks", data)
    if "movielike" in wanted:
        yield _as_it_is("movielike", movielike(default_rng(SEED + 2)))


def _as_it_is(name: str, dataset: Dataset) -> Collected:
    """Let the author know how many people there are, and how many pairs they hold on average."""
    return Collected(name, dataset, max(1, round(float(dataset.population.sizes.mean()))), dataset.users)


def make_task(collected: Collected, epsilon: str) -> Task:
    """Return the task that an operator makes who only knows what is typical."""
    dataset = collected.dataset
    return Task(
        name=collected.name,
        keys=dataset.keys,
        values=(-1, 1),
        epsilon=epsilon,
        pairs=collected.typical_pairs,
        users=collected.expected_users,
    )


def collect_reports(task: Task, collected: Collected, repeat: int) -> Counted:
    """Make real reports and count them."""
    tally = Tally(task)
    for batch in perturb_many(task, collected.dataset.population, seeded_source(SEED + repeat)):
        tally.add_many(batch.messages)
    return Counted(key_support(tally), tally.pair_reports, tally.count_law, tally.size_answers, tally)


def draw_counts(task: Task, collected: Collected, repeat: int) -> Counted:
    """Draw the counts of pairs, and let the device's code answer the size question."""
    rng, dataset = default_rng([SEED, repeat]), collected.dataset
    sampled = _model(collected).prepare(task.law, rng, task.size_share)
    support, _, count_law = count_reports(task.law, sampled, rng)
    if task.size_question is None:
        return Counted(support, sampled.users, count_law, np.zeros(0, np.int64), None)
    asked = rng.choice(dataset.population.sizes, dataset.users - sampled.users, replace=False)
    tape = VectorisedTape(seeded_source(SEED + repeat))
    answers = answer_sizes(task.size_question, asked, np.arange(asked.size), tape)
    counts = np.bincount(answers, minlength=len(task.size_question.ends))
    return Counted(support, sampled.users, count_law, counts, None)


@lru_cache(1)
def _model(collected: Collected) -> SamplingModel:
    return SamplingModel(collected.dataset)


def intervals(task: Task, collected: Collected, counted: Counted) -> Intervals:
    """Return the intervals that the product gives, and others that they are compared with."""
    dataset = collected.dataset
    moments = CountMoments.of(counted.count_law, 1 - counted.reports / dataset.users)
    bare = METHODS[default_method(task)].estimate_with_intervals(counted.support, counted.reports, moments, LEVEL)
    low, high = bare.frequency_interval
    errors, none = own_standard_error(counted.support, counted.reports, moments), np.zeros_like(high)
    first = hidden_share(task, counted.answers, LEVEL).raise_limits(high, errors, LEVEL)
    raised = raise_limits(task, counted.answers, high, errors, LEVEL)
    known = [HiddenShare(dataset.hidden_share(task.padding, each), factor=each) for each in (1, SECOND_FACTOR)]
    informed = np.minimum(*(bound.raise_limits(high, none, LEVEL) for bound in known))
    false = np.minimum(first, HiddenShare(factor=SECOND_FACTOR).raise_limits(high, errors, LEVEL))
    if counted.tally is not None:
        found = estimate(counted.tally)
        low, raised = found.frequency_low, found.frequency_high
        # An interval contains its estimate.
        first, informed, false = (np.maximum(each, found.frequency) for each in (first, informed, false))
    return Intervals(low, raised, first, informed, false)


def measure(collected: Collected, task: Task, hint: str, repeats: int) -> Coverage:
    """Collect several times and compare the intervals with the truth."""
    dataset = collected.dataset
    truth, top = dataset.truth[0], dataset.top(TOP)
    has_reports = dataset.users <= MAX_USERS_WITH_REPORTS and collected.name in COLLECTED
    collect = collect_reports if has_reports else draw_counts
    repeats = min(repeats, REPEATS_OF_MANY_KEYS) if dataset.keys >= MANY_KEYS else repeats
    repeats *= max(1, MIN_KEYS // dataset.keys)
    shares, widths, totals, widest = [], [], [], 0.0
    for repeat in range(repeats):
        low, high, first, informed, false = intervals(task, collected, collect(task, collected, repeat))
        inside, inside_false = ((low <= truth) & (truth <= end) for end in (high, false))
        shares.append((inside.mean(), inside[top].mean(), inside_false.mean()))
        widths.append([np.median((end - low)[top]) for end in (high, informed)])
        totals.append([(end - low).mean() for end in (first, high)])
        widest = max(widest, float(((high - low) / (first - low)).max()))
    all_keys, top_keys, control = np.mean(shares, axis=0).tolist()
    width, informed_width = np.median(widths, axis=0).tolist()
    of_first, of_both = np.mean(totals, axis=0).tolist()
    return Coverage(
        name=collected.name,
        hint=hint,
        epsilon=f"{task.epsilon:g}",
        task=task,
        collections=repeats,
        larger=float(np.mean(dataset.population.sizes > task.padding)),
        hidden=dataset.hidden_share(task.padding),
        all_keys=all_keys,
        top_keys=top_keys,
        width=width,
        informed_width=informed_width,
        narrower=of_first / of_both,
        widest=widest,
        control=control,
    )


def measure_all(settings: ExperimentSettings) -> Iterator[Coverage]:
    """Yield the rows of both tables."""
    repeats = settings.repeats or REPEATS
    for collected in populations(settings):
        for epsilon in EPSILONS:
            yield measure(collected, make_task(collected, epsilon), "as said", repeats)
    for name in (name for name in HINTED if name in (settings.parts or PARTS)):
        dataset = HINTED[name](default_rng(SEED))
        seen = set()
        for hint, epsilon in itertools.product(HINTS, EPSILONS):
            task = make_hinted_task(dataset, epsilon, hint)
            if task.size_question is not None and task.id not in seen:
                yield measure(Collected(name, dataset, 0, dataset.users), task, hint, repeats)
            seen.add(task.id)


def requirements(rows: Sequence[Coverage]) -> Iterator[Requirement]:
    """Yield what must hold: coverage in every row, widths, and the control."""
    for which, field, least in (("all keys", "all_keys", MIN_COVERAGE), (f"top {TOP}", "top_keys", MIN_TOP_COVERAGE)):
        worst = min(rows, key=attrgetter(field))
        value = getattr(worst, field)
        yield Requirement(f"coverage, {which}, least", f"≥ {least}", f"{value:.3f} ({_where(worst)})", value >= least)
    known = [row for row in rows if row.name in COLLECTED]
    if known:
        worst = max(known, key=attrgetter("to_known_sizes"))
        yield Requirement(
            "first table: width, most",
            f"≤ {MAX_WIDTH_RATIO} × with sizes known",
            f"{worst.to_known_sizes:.2f} ({_where(worst)})",
            worst.to_known_sizes <= MAX_WIDTH_RATIO,
        )
    widest = max(row.widest for row in rows)
    yield Requirement("width of any key with both bounds", "≤ 1 × with the first", f"{widest:.3f}", widest <= 1 + 1e-9)
    at_four = [row for row in rows if row.epsilon == EPSILONS[-1]]
    gain = _geometric_mean(at_four)
    yield Requirement(
        f"narrower, ε = {EPSILONS[-1]}, geometric mean of {len(at_four)} rows",
        f"≥ {MIN_GAIN}",
        f"{gain:.2f} (first table {_geometric_mean([row for row in at_four if row in known]):.2f})",
        gain >= MIN_GAIN,
    )
    control = min(rows, key=attrgetter("control"))
    yield Requirement(
        "control, least coverage",
        f"< {MIN_COVERAGE}",
        f"{control.control:.3f} ({_where(control)})",
        control.control < MIN_COVERAGE,
    )


def _geometric_mean(rows: Sequence[Coverage]) -> float:
    return float(np.exp(np.mean(np.log([row.narrower for row in rows])))) if rows else 1.0


def _where(row: Coverage) -> str:
    return f"{row.name}, {row.hint}, ε = {row.epsilon}"


def run(settings: ExperimentSettings) -> bool:
    """Measure all populations, print the bars and write the page; return whether all bars are met."""
    start, rows = time.perf_counter(), []
    for row in measure_all(settings):
        rows.append(row)
        print(row.row, end="", flush=True)
    bars = list(requirements(rows))
    if not settings.parts:
        minutes = max((time.perf_counter() - start) / 60, 1)
        (settings.out / "larger-sets.md").write_text(_page(rows, bars, minutes), encoding="utf-8")
    return show_requirements(bars)


def _page(rows: Sequence[Coverage], bars: Sequence[Requirement], minutes: float) -> str:
    first, second = ([row.row for row in rows if (row.name in COLLECTED) is known] for known in (True, False))
    made = "\n".join(
        textwrap.fill(f"- *{name}*: {make.__doc__}", 100, subsequent_indent="  ") for name, make in HINTED.items()
    )
    return "".join(
        (
            PAGE.format(minutes=minutes),
            HEAD,
            *first,
            HINTED_TEXT.format(populations=made),
            "\n" + HEAD,
            *second,
            "\n" + requirements_table(bars),
            "\n**Next:** [coverage by rank](coverage.md).\n",
        )
    )
