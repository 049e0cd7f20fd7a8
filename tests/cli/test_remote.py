"""Commands that talk to a collector as its administrator."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.cli import run_refused

COMMANDS = ("task push {task} --url {url}", "task close x --url {url}", "task delete x --url {url} --yes")
# Nobody listens there.
ADDRESS = "http://127.0.0.1:9"


@pytest.mark.parametrize(
    "content",
    [b"secret word", b"secret\nline", "secret-\u20ac".encode(), b"secret\xff\x00", b"secret\x7f"],
    ids=["space", "line", "euro", "bytes", "control"],
)
@pytest.mark.parametrize("command", COMMANDS, ids=["push", "close", "delete"])
def test_a_token_that_cannot_be_one_is_refused_and_not_shown(command: str, content: bytes) -> None:
    Path("bad.token").write_bytes(content)
    line = run_refused(command.format(task="grr.json", url=ADDRESS) + " --token-file bad.token")
    assert line == "pckv: bad.token: not a token: one line of ASCII characters without spaces\n"


def test_a_token_of_the_environment_is_checked_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PCKV_ADMIN_TOKEN", "secret word")
    line = run_refused(f"task close x --url {ADDRESS}")
    assert line == "pckv: PCKV_ADMIN_TOKEN: not a token: one line of ASCII characters without spaces\n"
