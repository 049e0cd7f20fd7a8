"""`pckv serve` on a terminal: where the dashboard is, and how to sign in."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from pckv.cli.remote import RemoteCollector
from pckv.cli.serve import announcement
from pckv.collector.http.auth import AdministratorToken, TokenPlace
from pckv.collector.http.settings import TOKEN_VARIABLE, Settings
from support.pseudo_terminal import on_a_terminal
from support.serving import command, environment

EVERYWHERE = "0.0.0.0"  # noqa: S104
EARLIER, IN_FILE = AdministratorToken(TokenPlace.EARLIER), AdministratorToken(TokenPlace.FILE)


def test_a_terminal_shows_the_address_and_how_to_sign_in(tmp_path: Path) -> None:
    with on_a_terminal(command("--port", "0"), tmp_path, environment()) as program:
        shown = program.read_until("Ready.")
        address, token = re.findall(r"at (http://127\.0\.0\.1:\d+)\n.*shown this once:\n +(\S+)\n", shown)[0]
        assert RemoteCollector(address, token).ask("GET", "/tasks") == {"tasks": []}
        assert "{" not in shown
        assert program.press_ctrl_c() == 0
        assert program.read_until("nothing more").endswith("Stopped.\n")


@pytest.mark.parametrize(
    ("host", "address"),
    [("127.0.0.1", "http://127.0.0.1:80"), ("::1", "http://[::1]:80"), (EVERYWHERE, "http://127.0.0.1:80")],
)
def test_the_address_can_be_opened(host: str, address: str) -> None:
    lines = announcement(Settings(host=host), 80, EARLIER)
    assert lines[0] == f"The dashboard is at {address}"
    assert any("Other machines" in line for line in lines) == (host == EVERYWHERE)


def test_how_to_sign_in_says_where_the_token_is() -> None:
    Path("admin.token").touch()
    in_file = Settings(token_file="admin.token", store="sqlite:///a b.db")  # noqa: S106
    new, in_environment = (
        AdministratorToken(TokenPlace.NEW, "secret"),
        AdministratorToken(TokenPlace.ENVIRONMENT),
    )
    for settings, token, told in (
        (Settings(), new, "is shown this once:\n    secret\nTo replace it: pckv token new\n"),
        (Settings(), in_environment, f"is in {TOKEN_VARIABLE}.\nCtrl-C"),
        (Settings(), EARLIER, "was shown or written at the first start.\nTo replace it: pckv token new\n"),
        (in_file, IN_FILE, "is in admin.token.\nTo replace it: pckv token new --store 'sqlite:///a b.db'\n"),
        (in_file, EARLIER, "is in admin.token.\n"),
        (replace(in_file, token_file="none"), EARLIER, "was shown or written at the first start.\n"),  # noqa: S106
    ):
        assert told in "\n".join(announcement(settings, 8000, token))


def test_a_password_of_the_store_is_not_shown() -> None:
    settings = Settings(store="postgresql://pckv:secret@db/pckv")
    assert "secret" not in "\n".join(announcement(settings, 8000, EARLIER))
