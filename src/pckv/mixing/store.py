"""The store of a mixer: its transactions, over the connections, migrations and erasure of every store."""

from __future__ import annotations

from collections.abc import Iterator

from pckv.mixing import transactions
from pckv.mixing.transactions import StoredBatch
from pckv.store.base import TASKS_PER_PAGE
from pckv.store.contract_store import ContractStore, reading, writing


class MixerStore(ContractStore):
    """All transactions of a mixer; no table says in which order sealed reports came, when, or from where."""

    package = "pckv.mixing"
    versions = "mixer_schema_version"

    accept_task = writing(transactions.accept_task)
    accept_series = writing(transactions.accept_series)
    add_round = writing(transactions.add_round)
    is_recipient = reading(transactions.is_recipient)
    add_sealed = writing(transactions.add_sealed)
    release = writing(transactions.release)
    find_batch = reading(transactions.find_batch)
    list_batches = reading(transactions.list_batches)
    find_page = reading(transactions.find_page)
    acknowledge = writing(transactions.acknowledge)
    expire = writing(transactions.expire)
    publish_counts = writing(transactions.publish_counts)
    withdraw = writing(transactions.withdraw)
    unreleased_rounds = reading(transactions.unreleased_rounds)

    def all_batches(self) -> Iterator[StoredBatch]:
        """Yield all batches in the order of their tasks' ids, with one query per page."""
        after = ""
        while page := self.list_batches(TASKS_PER_PAGE, after):
            yield from page
            after = page[-1].task
