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

TASK_SUFFIX, SERIES_SUFFIX = ".task", ".series"
Contract = TypeVar("Contract", Task, Series)


class StoredContracts:
    """The tasks and series of one collector, each as it was first seen."""

    def __init__(self, folder: StateFolder, transport: Transport) -> None:
        self._folder, self._transport = folder, transport

    def task(self, task_id: str) -> Task:
        """Return the task of an id.

        Raises:
            ClientError: if the collector does not know it, or its text does not have this id.
        """
        check_id(task_id, "task")
        return self._find(Task, task_id, "task", f"/tasks/{task_id}", TASK_SUFFIX)

    def series(self, series_id: str) -> Series:
        """Return the series of an id.

        Raises:
            ClientError: if the collector does not know it, or its text does not have this id.
        """
        check_id(series_id, "series")
        return self._find(Series, series_id, "series", f"/series/{series_id}", SERIES_SUFFIX)

    def _find(self, kind: type[Contract], contract_id: str, noun: str, path: str, suffix: str) -> Contract:
        text = self._folder.get(contract_id + suffix)
        if text is not None:
            if task_id_of(text) != contract_id:
                raise self._folder.damage_error(contract_id + suffix)
            return kind.from_json(text)
        contract = self._fetch(kind, contract_id, noun, path)
        with self._folder.locked():
            self._folder.put(contract_id + suffix, contract.to_json())
        return contract

    def _fetch(self, kind: type[Contract], contract_id: str, noun: str, path: str) -> Contract:
        answer, place = self._transport.fetch(path), self._transport.url + path
        if answer.status != OK:
            problem = problem_of(answer)
            code = "not_sent" if problem is None or answer.temporary else problem.kind.replace("-", "_")
            raise ClientError(
                code, f"{place}: {explain(str(problem or answer), noun)}; nothing was perturbed"
            )
        try:
            contract = kind.from_json(answer.body)
        except (TaskError, SeriesError) as error:
            raise ClientError(f"wrong_{noun}", f"{place}: {error}") from None
        # The id is the hash of the text: ε cannot be changed on the way.
        if contract.id != contract_id:
            raise ClientError(
                f"wrong_{noun}", f"{place}: the answer is the {noun} {contract.id}, not the one asked for"
            )
        return contract


def check_id(contract_id: str, noun: str) -> None:
    """Refuse what is no id: it becomes the name of a file."""
    if not is_id(contract_id):
        raise ClientError(f"wrong_{noun}", f"{contract_id!r} is not the id of a {noun}")
