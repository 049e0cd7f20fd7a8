"""The window of rounds in the ledger alone: it holds whatever the client above it decides."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from pckv import Series, Task, perturb
from pckv.base.errors import ClientError
from pckv.client.caps import Caps
from pckv.client.folder import StateFolder
from pckv.client.ledger import Ledger, ReportCost
from pckv.client.outbox import Outbox, StoredReport

TASK = Task(name="ratings", keys=3, values=(1, 5), epsilon=1, padding=2, mechanism="grr", size_share=0)


@pytest.mark.parametrize("panels", [1, 2, 4])
def test_the_ledger_refuses_every_round_of_the_window(tmp_path: Path, panels: int) -> None:
    series = Series(task=TASK, first="2030-01-07", period=7, panels=panels)
    folder = StateFolder(tmp_path / "state")
    outbox = Outbox(folder)
    ledger = Ledger(outbox, Caps(folder, 10, None))
    made, day = series.task_of(9), series.opens(9)
    with folder.locked():
        outbox.add(made.id, StoredReport(perturb(made, {}), made.to_json(), Decimal(1), day, "http://a", None))
        for number in range(1, 9 + panels):
            with pytest.raises(ClientError) as caught:
                ledger.check(series.task_of(number), ReportCost(Decimal(1)), day)
            assert caught.value.code == "not_due", number
        assert ledger.check(series.task_of(9 + panels), ReportCost(Decimal(1)), day) == day
