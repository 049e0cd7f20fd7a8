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


class StoredContracts:
    """The tasks and series of one collector, each as it was first seen."""

    def __init__(self, folder: StateFolder, transport: Transport) -> None:
        self._folder, self._transport = folder, transport

    def task(self, task_id: str) -> Task:
        """Return the task of an id; one that the collector does not know, or does not fit it, is a `ClientError`."""
        return self._find(Task, task_id, "task", "/tasks/")

    def series(self, series_id: str) -> Series:
        """Return the series of an id, or raise a `ClientError` in the same way."""
        return self._find(Series, series_id, "series", "/series/")

    def _find(self, kind: type[Contract], contract_id: str, noun: str, path: str) -> Contract:
        check_id(contract_id, noun)
        name = f"{contract_id}.{noun}"
        text = self._folder.get(name)
        if text is not None:
            if task_id_of(text) != contract_id:
                raise self._folder.damage_error(name)
            return kind.from_json(text)
        contract = self._fetch(kind, contract_id, noun, path + contract_id)
        with self._folder.locked():
            self._folder.put(name, contract.to_json())
        return contract

    def _fetch(self, kind: type[Contract], contract_id: str, noun: str, path: str) -> Contract:
        answer, place = self._transport.fetch(path), self._transport.url + path
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
        return contract


def check_id(contract_id: str, noun: str) -> None:
    """Refuse what is no id: it becomes the name of a file."""
    if not is_id(contract_id):
        raise ClientError(f"wrong_{noun}", f"{contract_id!r} is not the id of a {noun}")
