"""Planted faults of the JavaScript client of series, which its checks catch."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.faults import Fault
from support.series_checks import check_panels, check_schedules

MUTANTS = (
    Fault("a panel is drawn anew at every call", "series.js", {"const member = stored ?? (": "const member = (", "if (stored) return stored;": "", '"series", "add"': '"series", "put"'}, check_schedules),
    Fault("a missed round is made up for in the next one", "series.js", {"series.nextRound(member.panel, earliest - 1)": "earliest"}, check_schedules),
    Fault("no window, where a panel was removed", "series.js", {"last && last + panels": "0", "!(round >= entry.round + panels)": "false"}, check_schedules),
    Fault("a report is made offline", "series.js", {"if (said?.coin !== null) return": "if (false) return"}, check_schedules),
    Fault("a report is made although it would be refused", "series.js", {"if (kind && !temporary) return": "if (false) return", "if (said?.coin !== null) return": "if (temporary) return"}, check_schedules),
    Fault("the panel is stored after it is used", "series.js", {'await on("series", "add", member, series.id);': ""}, check_schedules),
    Fault("the panel is that of the series", "series.js", {"Number(new Tape(1).below(BigInt(panels)))": "new Tape(1).reportId.length % panels"}, check_panels),
    Fault("a remainder of all draws", "series.js", {"Number(new Tape(1).below(BigInt(panels)))": "Number(new Tape(1).draw() % BigInt(panels))"}, check_panels),
    Fault("all devices share their delays", "series.js", {"secret: crypto.getRandomValues(new Uint8Array(SECRET_BYTES))": "secret: new Uint8Array(SECRET_BYTES)"}, check_panels),
)  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_a_mutant_is_caught(mutant: Fault, tmp_path: Path) -> None:
    mutant.check_caught(tmp_path)
