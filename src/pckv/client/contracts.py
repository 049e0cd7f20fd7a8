"""The contracts of a device: tasks and series, fetched once, checked against their ids, and stored.

What is mixed is stored only once its mixer has accepted it: the central claim rests on the mixer, which checks it.
"""

from __future__ import annotations

from typing import TypeVar

from pckv.base.canonical import is_id
from pckv.base.errors import ClientError, SeriesError, TaskError
from pckv.client.folder import StateFolder
from pckv.client.outbox import task_id_of
from pckv.client.transport import NOT_FOUND, OK, Transport, explain, problem_of
from pckv.contract.series import Series
from pckv.contract.task import Task

Contract = TypeVar("Contract", Task, Series)


def find_contract(kind: type[Contract], contract_id: str, folder: StateFolder, transport: Transport) -> Contract:
    """Return the task or series of an id: the stored one, or else the collector's, which is stored now.

    Raises:
        ClientError: if the collector does not know it, or its text does not have this id, or it is mixed and its mixer
            has not accepted it.
    """
    noun = "task" if kind is Task else "series"
    check_id(contract_id, noun)
    name = f"{contract_id}.{noun}"
    text = folder.get(name)
    if text is not None:
        if task_id_of(text) != contract_id:
            raise folder.damage_error(name)
        return kind.from_json(text)
    contract = _fetch(kind, noun, contract_id, transport)
    mixer = contract.mixer if isinstance(contract, Task) else contract.task.mixer
    if mixer is not None and mixer.url != transport.url:
        _fetch(kind, noun, contract_id, transport.at(mixer.url), is_mixer=True)
    with folder.locked():
        folder.put(name, contract.to_json())
    return contract


def _fetch(
    kind: type[Contract], noun: str, contract_id: str, transport: Transport, *, is_mixer: bool = False
) -> Contract:
    path = f"/tasks/{contract_id}" if kind is Task else f"/series/{contract_id}"
    answer, place = transport.fetch(path), transport.url + path
    if answer.status != OK:
        problem = problem_of(answer)
        if is_mixer and problem is not None and answer.status == NOT_FOUND:
            raise ClientError("not_accepted", f"{place}: the mixer has not accepted this {noun}; nothing was perturbed")
        code = "not_sent" if problem is None or answer.temporary else problem.kind.replace("-", "_")
        reason = explain(str(problem or answer), noun)
        raise ClientError(code, f"{place}: {reason}; nothing was perturbed")
    try:
        contract = kind.from_json(answer.body)
    except (TaskError, SeriesError) as error:
        raise ClientError(f"wrong_{noun}", f"{place}: {error}") from None
    # The id is the hash of the text: ε cannot be changed on the way.
    if contract.id != contract_id:
        reason = f"the answer is the {noun} {contract.id}, not the one asked for"
        raise ClientError(f"wrong_{noun}", f"{place}: {reason}")
    return contract


def check_id(contract_id: str, noun: str) -> None:
    """Refuse what is no id: it becomes the name of a file."""
    if not is_id(contract_id):
        raise ClientError(f"wrong_{noun}", f"{contract_id!r} is not the id of a {noun}")
