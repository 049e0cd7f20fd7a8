"""The loss of a discovery's reports: the device's own code, run on intervals of its 64-bit draws."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import islice, product

from pckv.auditing.choices import MAX_CHOICES, FixedChoice, ordered_choices, representatives
from pckv.auditing.interval_tape import Leaf, PiecewiseLaw, explore, turning_points, worst_ratio_at
from pckv.auditing.sampler_loss import (
    MANY_PAIRS,
    MAX_SENT_APART,
    MAX_TAKEN,
    SamplerLoss,
    check_choices_made,
    tried_functions,
)
from pckv.auditing.traced import Held, Number, Seed, plain
from pckv.auditing.variants import with_remembered_symbols
from pckv.base.errors import AuditFailure, ParameterError
from pckv.base.limits import SERVER_COIN
from pckv.base.progress import Progress, no_progress
from pckv.base.randomness import Tape
from pckv.contract.task import Task
from pckv.mechanisms.discovery import device as discovery
from pckv.mechanisms.discovery.law import DiscoveryLaw, Path
from pckv.mechanisms.discovery.prefix_tree import PrefixTree

# Texts that a function sends apart are looked for among this many per text that a report takes.
TEXTS_PER_TEXT = 20

# Takes a law, a tree, a task's digest, texts and a tape; where there are coins, also the function.
TextSampler = Callable[..., Number]


class TracedTree(PrefixTree):
    """A tree whose items let no decision depend on them alone; the public group gives the prefix length."""

    def prefix(self, text: str, group: Number) -> str:
        """Return what a group reports of a text."""
        return super().prefix(text, plain(group))

    def item(self, digest: bytes, prefix: str, group: Number) -> int:
        """Return the number of a prefix, on which no decision may depend."""
        return Held(super().item(digest, prefix, plain(group)))


def discovery_loss(
    task: Task, sampler: TextSampler = discovery.perturb, progress: Progress = no_progress
) -> SamplerLoss:
    """Return the exact loss of a discovery's reports over sets of texts of all kinds.

    Raises:
        AuditFailure: if a report does not follow the stated law exactly.
    """
    task = with_remembered_symbols(task)
    law = task.law
    if not isinstance(law, DiscoveryLaw):
        raise ParameterError(f"task {task.name!r} is not a discovery")
    functions = tried_functions(task)
    sets = list(dict.fromkeys(texts for function in functions for texts in _visited(task, law, function)))
    paths, given_choices, worst = 0, 0, Fraction(1)
    for place, function in enumerate(functions):
        found: list[tuple[tuple[str, ...], PiecewiseLaw]] = []
        for texts in sets:
            if len(texts) > MANY_PAIRS and function != functions[-1]:
                continue
            for fixed, reported in _choices(law, texts):
                leaves = _leaves(task, sampler, texts, function, fixed)
                found.append((reported, PiecewiseLaw(leaves)))
                paths += len(leaves)
                given_choices += bool(fixed)
        messages = turning_points([distribution for _, distribution in found], law.word_limit)
        for reported, distribution in found:
            _check_law(task, law, reported, function, distribution, messages)
        worst = max(worst, worst_ratio_at([distribution.chance for _, distribution in found], messages))
        progress((place + 1) / len(functions))
    return SamplerLoss(worst, Fraction(1), len(sets), len(functions), paths, given_choices)


def _choices(law: DiscoveryLaw, texts: tuple[str, ...]) -> Iterator[tuple[Sequence[FixedChoice], tuple[str, ...]]]:
    """Yield all texts, all choices among which are visited; or representatives of the choices, and what is chosen."""
    if ordered_choices(len(texts), law.padding) <= MAX_CHOICES:
        yield (), texts
        return
    for fixed, places in representatives(len(texts), law.padding):
        yield fixed, tuple(texts[place] for place in places)


def _leaves(
    task: Task, sampler: TextSampler, texts: tuple[str, ...], function: int, choices: Sequence[FixedChoice]
) -> list[Leaf]:
    """Return all paths of making a report of these texts, given its function and choices."""
    law, tree = task.law, TracedTree(task.tree.alphabet, task.tree.characters, task.tree.groups)
    given = (Seed(function),) if task.coin == SERVER_COIN else ()

    def run(tape: Tape) -> Number:
        message = sampler(law, tree, task.digest, texts, tape, *given)
        drawn: set[int] = getattr(tape, "function_limits", set())
        if drawn != (set() if given else {law.functions}):
            raise AuditFailure(f"interval tape: functions are drawn below {sorted(drawn)}")
        check_choices_made(tape, choices, len(texts))
        return message

    return explore(run, function, law.bits, choices)


def _visited(task: Task, law: DiscoveryLaw, function: int) -> Iterator[tuple[str, ...]]:
    """Yield sets of texts: none, one, some that begin alike, and some that a function sends apart."""
    tree, most = task.tree, min(task.padding, MAX_TAKEN)
    first, last = tree.alphabet[0], tree.alphabet[-1]
    yield from ((), (first,), (last * tree.characters,))
    alike = tuple(first * length for length in range(1, min(tree.characters, most) + 1))
    yield alike
    apart = _sent_apart(tree, task.digest, law, function, min(task.padding, MAX_SENT_APART))
    yield from (apart[:1], apart[:most], (*apart[:most], first))
    if most == task.padding:
        yield from (tuple(islice(_texts(tree), size)) for size in (most + 1, 2 * most))
    elif task.padding <= MAX_SENT_APART:
        yield apart


def _sent_apart(tree: PrefixTree, digest: bytes, law: DiscoveryLaw, function: int, count: int) -> tuple[str, ...]:
    """Return texts that a function sends to distinct symbols, none that of the first: the most is lost."""
    group, apart = law.group_of(function), []
    texts = islice(_texts(tree), TEXTS_PER_TEXT * (count + 1))
    taken: set[int] = set()
    for text in texts:
        symbol = law.symbol(function, tree.item(digest, tree.prefix(text, group), group))
        if symbol not in taken:
            taken.add(symbol)
            apart.append(text)
    return tuple(apart[1 : count + 1])


def _texts(tree: PrefixTree) -> Iterator[str]:
    """Yield different texts, from the shortest on."""
    for length in range(1, tree.characters + 1):
        yield from map("".join, product(tree.alphabet, repeat=length))


def _check_law(  # noqa: PLR0917
    task: Task,
    law: DiscoveryLaw,
    texts: tuple[str, ...],
    function: int,
    distribution: PiecewiseLaw,
    messages: list[int],
) -> None:
    if distribution.mass != 1:
        raise AuditFailure(
            f"interval tape: the paths of {len(texts)} texts have chance {float(distribution.mass)} together"
        )
    held: dict[Path, int] = {_path(task, text): 0 for text in texts}
    for message in messages:
        own = message // law.symbols == function
        stated = law.functions * law.chance(held, message) if own else Fraction(0)  # type: ignore[arg-type]
        if distribution.chance(message) != stated:
            raise AuditFailure(f"interval tape: message {message} of {len(texts)} texts has another chance than stated")


def _path(task: Task, text: str) -> Path:
    tree = task.tree
    return tuple(tree.item(task.digest, tree.prefix(text, group), group) for group in range(tree.groups))
