"""Requests to a site by HTTP, with a session or without."""

from __future__ import annotations

from typing import Any

import httpx2

from support.collectors import ADMINISTRATOR, NO_CERTIFICATES, Running

OWN_PAGE = {"X-Pckv": "1"}
HOSTILE = "<script>alert(1)</script>"
FORM = {
    "name": "movies",
    "keys": ["Alien", HOSTILE],
    "low": "1",
    "high": "5",
    "epsilon": "1",
    "users": 1000,
    "pairs": 1,
}


def sign_in(collector: Running, token: str = ADMINISTRATOR, **headers: str) -> httpx2.Response:
    return httpx2.post(
        f"http://127.0.0.1:{collector.port}/session",
        json={"token": token},
        headers=OWN_PAGE | headers,
        verify=NO_CERTIFICATES,
    )


def cookie(collector: Running, token: str = ADMINISTRATOR) -> dict[str, str]:
    """Sign in and return the cookie header."""
    answer = sign_in(collector, token)
    assert answer.status_code == 200
    [(name, value)] = answer.cookies.items()
    return {"Cookie": f"{name}={value}"}


def ask(collector: Running, method: str, path: str, headers: dict[str, str], **options: Any) -> httpx2.Response:
    # A client of its own: this one keeps no cookies.
    address = f"http://127.0.0.1:{collector.port}{path}"
    return httpx2.request(method, address, headers=headers, verify=NO_CERTIFICATES, **options)
