"""Progress on stderr."""

from __future__ import annotations

import io

import pytest

from pckv.cli.common import progress_bar, row_bar


class Terminal(io.StringIO):
    """A terminal that keeps what it is shown."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("total", "shown"), [(2000, "1,000 of 2,000 rows"), (None, "1,000 rows")])
def test_a_terminal_shows_the_rows_that_are_done(
    total: int | None, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    with row_bar("Counting")(total) as done:
        done(1000)
    assert "Counting" in terminal.getvalue()
    assert shown in terminal.getvalue()


def test_a_pipe_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", pipe := io.StringIO())
    with row_bar("Counting")(2000) as rows_done:
        rows_done(1000)
    with progress_bar("Decoding") as progress:
        progress(0.5)
    assert not pipe.getvalue()
