"""The address that links begin with: the setting, or what a proxy tells; and the invitations behind them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from pckv.base.errors import ParameterError
from pckv.collector.http.settings import load
from support.collectors import ANALYST, JSON, Running, as_items, check_problem, report

HTTPS = {"X-Forwarded-Proto": "https"}


@pytest.mark.parametrize(
    ("headers", "url", "reason"),
    [
        ({}, None, "loopback"),
        ({"Host": "localhost:8000"} | HTTPS, None, "loopback"),
        ({"Host": "[::1]:8000"} | HTTPS, None, "loopback"),
        ({"Host": "127.9.9.9"} | HTTPS, None, "loopback"),
        ({"Host": "survey.example.org"}, None, "plain"),
        ({"Host": "survey.example.org", "X-Forwarded-Proto": "http"}, None, "plain"),
        ({"Host": "Survey.example.org:443"} | HTTPS, "https://survey.example.org", None),
        ({"Host": "10.0.0.7:8443"} | HTTPS, "https://10.0.0.7:8443", None),
        ({"X-Forwarded-Host": "a.example, b.internal", "X-Forwarded-Proto": "https, http"}, "https://a.example", None),
        ({"Forwarded": 'for=1.2.3.4;proto=https;host="a.example:444", for=b;host=c'}, "https://a.example:444", None),
        ({"Host": "a.example", "Forwarded": "for=1.2.3.4;proto=http"} | HTTPS, None, "plain"),
        ({"X-Forwarded-Host": "a.example/<script>"} | HTTPS, None, "plain"),
        ({"X-Forwarded-Host": "a.example:99999"} | HTTPS, None, "plain"),
    ],
)
def test_the_address_is_what_a_proxy_tells(
    site: Running, headers: dict[str, str], url: str | None, reason: str | None
) -> None:
    assert site.get("/address", ANALYST, **headers).json() == {"url": url, "reason": reason}


def test_the_address_of_the_setting_wins(site: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = load({}, {"PCKV_PUBLIC_URL": "https://Survey.example.org:443"})
    collector = site.app.state.collector
    monkeypatch.setattr(collector, "settings", replace(collector.settings, public_url=settings.public_url))
    answer = site.get("/address", ANALYST, **HTTPS, Host="other.example")
    assert answer.json() == {"url": "https://survey.example.org", "reason": None}
    check_problem(site.get("/address", None), 401, "bad-token")


@pytest.mark.parametrize("url", ["", "http://a.example", "https://a.example/", "https://a b", "https://", "a.example"])
def test_what_links_cannot_begin_with_is_no_setting(url: str) -> None:
    with pytest.raises(ParameterError, match="public_url must be an address such as"):
        load({"public_url": url}, {})


@pytest.mark.parametrize("host", ["localhost", "a.localhost:8443", "127.0.0.1", "127.9.9.9:444", "[::1]", "[::]"])
def test_an_address_of_this_computer_alone_is_no_setting(host: str) -> None:
    with pytest.raises(ParameterError, match="public_url must be an address that other computers reach, not 'https://"):
        load({"public_url": f"https://{host}"}, {})


def test_the_overview_counts_invitations_and_used_ones(site: Running) -> None:
    task = site.add_task()
    overview = f"/tasks/{task.id}/overview"
    assert site.get(overview).json()["invitations"] == {"made": 0, "used": 0}
    made = site.administer("POST", f"/tasks/{task.id}/invitations?count=3")
    [first, *_] = made.json()["invitations"]
    sent = {"reports": [{**as_items(report(1, task=task))[0], "invitation": first}]}
    site.post(task, json.dumps(sent).encode(), JSON).raise_for_status()
    assert site.get(overview).json()["invitations"] == {"made": 3, "used": 1}
