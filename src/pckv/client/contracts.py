"""The contracts of a device: tasks and series, fetched once, checked against their ids, and stored."""

from __future__ import annotations

from typing import TypeVar

from pckv.base.canonical import is_id
from pckv.base.errors import ClientError, SeriesError, TaskError
from pckv.client.folder import StateFolder
from pckv.client.outbox import task_id_of
from pckv.client.transport import OK, Transport, explain, problem_of
from pckv.contract.series import Series
from pckv.contract.task import Task

Contract = TypeVar("Contract", Task, Series)


def find_contract(kind: type[Contract], contract_id: str, folder: StateFolder, transport: Transport) -> Contract:
    """Return the task or series of an id: the stored one, or else the collector's, which is stored now.

    Raises:
        ClientError: if the collector does not know it, or its text does not have this id.
    """
    noun, path = ("task", "/tasks/") if kind is Task else ("series", "/series/")
    check_id(contract_id, noun)
    name = f"{contract_id}.{noun}"
    text = folder.get(name)
    if text is not None:
        if task_id_of(text) != contract_id:
            raise folder.damage_error(name)
        return kind.from_json(text)
    answer, place = transport.fetch(path + contract_id), transport.url + path + contract_id
    if answer.status != OK:
        problem = problem_of(answer)
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
    with folder.locked():
        folder.put(name, contract.to_json())
    return contract


def check_id(contract_id: str, noun: str) -> None:
    """Refuse what is no id: it becomes the name of a file."""
    if not is_id(contract_id):
        raise ClientError(f"wrong_{noun}", f"{contract_id!r} is not the id of a {noun}")
