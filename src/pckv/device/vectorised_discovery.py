"""The device half of discovery for many participants at once: the same law, vectorised."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pckv.base.arrays import Integers
from pckv.base.errors import ParameterError
from pckv.base.population import Population
from pckv.base.randomness import Source
from pckv.contract.task import Task
from pckv.device.vectorised import (
    DRAWS_PER_BATCH,
    ReportBatch,
    VectorisedTape,
    choose_rows,
    part_of,
    send_items,
)
from pckv.mechanisms.discovery.law import DiscoveryLaw

# No item has this number.
_UNKNOWN = -1


class PrefixItems:
    """The items of the prefixes of many texts, each computed once, where it is first asked for."""

    def __init__(self, task: Task, texts: Sequence[str]) -> None:
        self._tree, self._digest, self._texts = task.tree, task.digest, texts
        self._known: NDArray[np.int32] = np.full(len(texts) * task.tree.groups, _UNKNOWN, np.int32)

    def items(self, texts: Integers, groups: Integers) -> Integers:
        """Return the items of some texts, given by their numbers, each in its group."""
        places = texts * self._tree.groups + groups
        wanted = np.unique(places[self._known[places] == _UNKNOWN])
        numbers, its_groups = np.divmod(wanted, self._tree.groups)
        self._known[wanted] = [
            self._tree.item(self._digest, self._tree.prefix(self._texts[number], group), group)
            for number, group in zip(numbers.tolist(), its_groups.tolist(), strict=True)
        ]
        return np.asarray(self._known[places], np.int64)


def perturb_texts(
    task: Task, texts: Sequence[str], population: Population, source: Source = os.urandom
) -> Iterator[ReportBatch]:
    """Yield one report for every participant, in batches of bounded size, in the same order.

    Args:
        task: A discovery.
        texts: Different texts that can be found, as `PrefixTree.cut` returns them.
        population: Its keys are numbers of `texts`, each of which a participant holds once at most.
        source: Where randomness comes from.
    """
    return perturb_texts_from(VectorisedTape(source), task, texts, population)


def perturb_texts_from(
    tape: VectorisedTape,
    task: Task,
    texts: Sequence[str],
    population: Population,
    draws_per_batch: int = DRAWS_PER_BATCH,
) -> Iterator[ReportBatch]:
    """Yield reports made from a given tape: for audits."""
    law = task.law
    if not isinstance(law, DiscoveryLaw):
        raise ParameterError(f"task {task.name!r} is not a discovery")
    known = PrefixItems(task, texts)
    batch = max(1, draws_per_batch // task.draws)
    for start in range(0, len(population), batch):
        part = part_of(population, start, start + batch)
        participants = np.arange(start, start + len(part))
        ids = tape.report_ids(participants)
        holders, chosen = choose_rows(part, law.padding, participants, tape)
        functions = tape.below(participants, np.uint64(law.functions))
        items = known.items(part.keys[chosen].astype(np.int64), law.group_of(functions)[holders])
        yield ReportBatch(ids, send_items(law, functions, holders, items, participants, tape))
