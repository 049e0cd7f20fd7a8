"""The loss of a discovery's reports: the device's own code, run on intervals of its 64-bit draws."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import islice, product
from math import perm

from pckv.auditing.interval_tape import Leaf, PiecewiseLaw, explore, turning_points, worst_ratio_at
from pckv.auditing.sampler_loss import MAX_CHOICES, MAX_PADDING, SamplerLoss, tried_functions
from pckv.auditing.traced import Held, Number, Seed, plain
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
    law = task.law
    if not isinstance(law, DiscoveryLaw):
        raise ParameterError(f"task {task.name!r} is not a discovery")
    functions = tried_functions(task)
    sets = list(dict.fromkeys(texts for function in functions for texts in _visited(task, law, function)))
    paths, worst = 0, Fraction(1)
    for place, function in enumerate(functions):
        distributions = []
        for texts in sets:
            leaves = _leaves(task, law, sampler, texts, function)
            distributions.append(PiecewiseLaw(leaves))
            paths += len(leaves)
        messages = turning_points(distributions, law.word_limit)
        for texts, distribution in zip(sets, distributions, strict=True):
            _check_law(task, law, texts, function, distribution, messages)
        worst = max(worst, worst_ratio_at(distributions, messages))
        progress((place + 1) / len(functions))
    return SamplerLoss(worst, Fraction(1), len(sets), len(functions), paths)


def _leaves(task: Task, law: DiscoveryLaw, sampler: TextSampler, texts: tuple[str, ...], function: int) -> list[Leaf]:
    """Return all paths of making a report of these texts, given its function."""
    tree = TracedTree(task.tree.alphabet, task.tree.characters, task.tree.groups)
    given = (Seed(function),) if task.coin == SERVER_COIN else ()

    def run(tape: Tape) -> Number:
        message = sampler(law, tree, task.digest, texts, tape, *given)
        drawn: set[int] = getattr(tape, "function_limits", set())
        if drawn != (set() if given else {law.functions}):
            raise AuditFailure(f"interval tape: functions are drawn below {sorted(drawn)}")
        return message

    return explore(run, function, law.bits)


def _visited(task: Task, law: DiscoveryLaw, function: int) -> Iterator[tuple[str, ...]]:
    """Yield sets of texts: none, one, some that begin alike, and some that a function sends apart."""
    tree, most = task.tree, min(task.padding, MAX_PADDING)
    first, last = tree.alphabet[0], tree.alphabet[-1]
    yield from ((), (first,), (last * tree.characters,))
    alike = tuple(first * length for length in range(1, min(tree.characters, most) + 1))
    yield alike
    apart = _sent_apart(tree, task.digest, law, function)
    yield from (apart[:1], apart[:most], (*apart[:most], first))
    for size in (most + 1, 2 * most):
        if perm(size, most) <= MAX_CHOICES:
            yield tuple(islice(_texts(tree), size))


def _sent_apart(tree: PrefixTree, digest: bytes, law: DiscoveryLaw, function: int) -> tuple[str, ...]:
    """Return texts that a function sends to distinct symbols, none that of the first: the most is lost."""
    group, apart = law.group_of(function), []
    texts = islice(_texts(tree), TEXTS_PER_TEXT * (law.padding + 1))
    taken: set[int] = set()
    for text in texts:
        symbol = law.symbol(function, tree.item(digest, tree.prefix(text, group), group))
        if symbol not in taken:
            taken.add(symbol)
            apart.append(text)
    return tuple(apart[1 : law.padding + 1])


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
