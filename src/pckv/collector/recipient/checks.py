"""What a mixed task or series needs before a collector takes it: its claim, its private key, and its mixer."""

from __future__ import annotations

from pckv.base.errors import DataError
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind, malformed_input
from pckv.collector.recipient.batches import is_finished
from pckv.collector.recipient.keys import MixerKeys
from pckv.collector.recipient.mixer_client import MixerClient
from pckv.contract.mixer import Mixer
from pckv.contract.series import Series
from pckv.contract.task import Task
from pckv.store.store import Store


def check_mixed(contract: Task | Series, store: Store, keys: MixerKeys) -> None:
    """Refuse a mixed task or series whose claim is false, whose key is not here, or that its mixer has not accepted.

    The mixer of a task must also take the recipient's token.
    """
    task = contract.task if isinstance(contract, Series) else contract
    mixer = task.mixer
    if mixer is None:
        return
    with malformed_input():
        if isinstance(contract, Task):
            contract.check_collectable()
        task.check_claim()
    try:
        keys.find(mixer)
        token = keys.token(mixer)
        _check_own_key(contract, store, mixer)
        MixerClient(mixer).check_accepted(contract)
        if isinstance(contract, Task):
            # A series has no batch before its first round.
            MixerClient(mixer, token).check_token(contract)
    except DataError as error:
        raise ProblemDetails(ProblemKind.NOT_MIXABLE, str(error)) from None


def _check_own_key(contract: Task | Series, store: Store, mixer: Mixer) -> None:
    """Refuse a key that another task or series has: it is deleted once that does not need it."""
    for task in store.tasks_with_key(mixer.key):
        if contract.id not in (task.id, task.series):
            other = task.series or task.id
            raise DataError(f"the recipient's key is that of {other}: make a new one for each task or series")


def forget_key(task: Task, store: Store, keys: MixerKeys, day: str) -> None:
    """Delete what opens the reports of a task that is being deleted, unless rounds of its series need it."""
    if task.mixer is not None:
        keys.delete_batch(task.id)
        if is_finished(store, task.mixer.key, day, without=task.id):
            keys.delete(task.mixer.key)
