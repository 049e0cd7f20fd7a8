"""`pckv serve` as a process: its settings, one clear line for what is wrong, and no traces of people."""

from __future__ import annotations

import itertools
import json
import re
import socket
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest
from click.testing import CliRunner

from pckv.base.errors import ParameterError
from pckv.cli import main
from pckv.collector import server
from pckv.collector.http.settings import Settings, load
from pckv.collector.server import listen
from support.collectors import SECONDS, as_items, bearer, new_task, report
from support.serving import CANARIES, SENDER, WITH_TOKEN, environment, refusal, serving
from support.stores import store_url


def stored_values(url: str) -> Iterator[Any]:
    """Yield every value of every table."""
    if url.startswith("sqlite"):
        with closing(apsw.Connection(url.removeprefix("sqlite:///"))) as database:
            names = [name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
            for name in names:
                yield from itertools.chain.from_iterable(database.execute(f'SELECT * FROM "{name}"'))  # noqa: S608
    else:
        with psycopg.connect(url) as connection:
            names = connection.execute(
                "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"
            ).fetchall()
            for (name,) in names:
                rows = connection.execute(f'SELECT * FROM "{name}"').fetchall()  # noqa: S608
                yield from itertools.chain.from_iterable(rows)


def is_moment(value: Any) -> bool:
    """Return whether a value is a time of day, or a time to the second or finer in any usual unit."""
    if isinstance(value, int | float):
        return any(abs(value / unit - time.time()) < 600 for unit in (1, 10**3, 10**6, 10**9))
    if isinstance(value, bytes):
        value = value.decode("latin-1")
    return not isinstance(value, str | None) or bool(re.search(r"\d\d:\d\d", value or ""))


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_nothing_about_people_is_left_anywhere(kind: str, tmp_path: Path) -> None:
    url = store_url(kind, tmp_path)
    task = new_task()
    token = "the token that nobody may ever find"  # noqa: S105
    with serving(tmp_path, "--requests-per-second", "1000", store=url, admin_token=token) as collector:
        administrator = bearer(token)
        collector.ask("POST", "/tasks", task.to_json().encode(), headers=administrator)
        path = f"/tasks/{task.id}/reports"
        good = json.dumps({"reports": as_items(*(report(number, task=task) for number in range(5)))}).encode()
        assert json.loads(collector.ask("POST", path, good)) == {"refused": []}
        invitation = json.loads(collector.ask("POST", f"/tasks/{task.id}/invitations", headers=administrator))[
            "invitations"
        ][0]
        invited = json.dumps({"reports": [as_items(report(9, task=task))[0] | {"invitation": invitation}]}).encode()
        assert json.loads(collector.ask("POST", path, invited)) == {"refused": []}
        for body in (b"[", b"{}", good.replace(b'"id"', b'"canary"'), b"\xff"):
            collector.ask("POST", path, body)
        collector.ask("GET", "/canary?canary=canary", headers=bearer("canary"))
        with socket.create_connection(("127.0.0.1", collector.port), SECONDS, (SENDER, 0)) as line:
            line.sendall(b"canary\r\n\r\n")
            line.recv(1000)
        page = collector.ask("GET", "/metrics", headers=administrator)
        stored = [value for value in stored_values(url) if value is not None]
        files = b"".join(file.read_bytes() for file in tmp_path.iterdir() if file.is_file())
    logs = collector.errors.read_bytes()
    everything = [
        page,
        logs,
        files,
        *(str(value).encode() for value in stored),
        *(v for v in stored if isinstance(v, bytes)),
    ]
    hidden = [SENDER.encode(), socket.inet_aton(SENDER), b"canary", *map(str.encode, (token, invitation))]
    hidden += [value.encode() for value in CANARIES.values()]
    for trace in hidden:
        assert not any(trace in text for text in everything), trace
    assert len(stored) > 6
    assert all(map(is_moment, (time.time(), time.time_ns(), "12:30", b"at 12:30")))
    moments = [value for value in stored if is_moment(value)]
    moments += [word for word in (page + logs).decode().split() if is_moment(word)]
    numbers = re.findall(r"[\d.]+(?:e\+?\d+)?", (page + logs).decode())
    moments += [number for number in numbers if number.count(".") < 2 and number != "." and is_moment(float(number))]
    assert moments == []


def refused(*flags: str, **settings: str) -> str:
    """Run a collector that must not start, in this process; return the one line that it prints."""
    ended = CliRunner().invoke(main, ["serve", *flags], env=environment(**settings))
    assert (ended.exit_code, ended.stdout) == (1, ""), ended.stderr
    assert re.fullmatch(r"pckv: .+\n", ended.stderr)
    return ended.stderr


def test_every_bad_setting_is_one_clear_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # Signals are for the tests.
    monkeypatch.setattr(server, "_exit_on_signals", lambda: None)
    with closing(listen("127.0.0.1", 0)) as line:
        taken = str(line.getsockname()[1])
        assert f"port {taken}" in refusal(tmp_path, "--port", taken, **WITH_TOKEN)
    flags = ("--port", "0")
    assert "no-such-place" in refused(*flags, "--store", "sqlite:///no-such-place/x.db", **WITH_TOKEN)
    (tmp_path / "text.db").write_text(
        "this is no database, but a text that is long enough to be read", encoding="utf-8"
    )
    assert "text.db" in refused(*flags, "--store", "sqlite:///text.db", **WITH_TOKEN)
    unreachable = refused(*flags, store="postgresql://someone:secret@127.0.0.1:1/none?connect_timeout=1", **WITH_TOKEN)
    assert "secret" not in unreachable
    assert "PCKV_ADMIN_TOKEN" in refused(*flags)
    assert "requests_per_second" in refused(*flags, requests_per_second="many")


def test_the_listening_socket_is_declared_as_tcp() -> None:
    """Otherwise asyncio does not turn off Nagle's algorithm, and every answer is 40 ms late."""
    with closing(listen("127.0.0.1", 0)) as line:
        assert line.proto == socket.IPPROTO_TCP
    for host, port in (("127.0.0.1", 70_000), ("host.invalid", 0), ("192.0.2.1", 0)):
        with pytest.raises(ParameterError, match=re.escape(host)):
            listen(host, port)


def test_flags_win_over_the_environment_and_that_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "pckv.toml"
    file.write_text(
        'host = "file"\nport = 1\nrequests_per_second = 1\nstore = "sqlite:///other.db"\n', encoding="utf-8"
    )
    loaded = load(
        {"port": 3, "host": None}, {"PCKV_PORT": "2", "PCKV_REQUESTS_PER_SECOND": "2", "PCKV_OTHER": "x"}, file
    )
    assert loaded == Settings(host="file", port=3, requests_per_second=2, store="sqlite:///other.db")
    assert load({}, {}) == Settings()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("port = 'x'", "port"),
        ("port = true", "port"),
        ("port = 1.5", "port"),
        ("requests_per_second = -1", "requests_per_second"),
        ("colour = 1", "colour"),
        ("port = ", "TOML"),
        ("\xff", "TOML"),
    ],
)
def test_a_bad_setting_is_named(text: str, named: str, tmp_path: Path) -> None:
    file = tmp_path / "pckv.toml"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(ParameterError, match=named) as error:
        load({}, {}, file)
    assert "\n" not in str(error.value)
    with pytest.raises(ParameterError, match="environment"):
        load({}, {"PCKV_PORT": "x"})
