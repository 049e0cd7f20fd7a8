"""The name and logo of the organisation: changed by administrators, shown to all."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from pckv.collector.contracts.organisation import MAX_LOGO_BYTES
from support.collectors import Running, check_problem, running

PNG, JPEG, WEBP = b"\x89PNG\r\n\x1a\n picture", b"\xff\xd8\xff picture", b"RIFF\x10\0\0\0WEBPVP8 "


def url(content: bytes, media: str = "image/png") -> str:
    return f"data:{media};base64,{base64.b64encode(content).decode()}"


def change(collector: Running, **members: Any) -> Any:
    return collector.administer("PUT", "/organisation", json.dumps(members).encode())


def shown(collector: Running) -> Any:
    return collector.get("/organisation", None).json()


def test_all_see_the_name_and_logo_that_the_administrator_gives(collector: Running) -> None:
    assert shown(collector) == {"name": None, "logo": False}
    check_problem(collector.get("/organisation/logo", None), 404, "unknown")
    named = {"name": "Mieterverein Süd", "logo": False}
    assert change(collector, name=" Mieterverein Süd ").json() == shown(collector) == named
    # What the bytes are decides, not what they are called.
    for content, media in ((PNG, "image/png"), (JPEG, "image/jpeg"), (WEBP, "image/webp")):
        assert change(collector, name="Mieterverein Süd", logo=url(content)).json()["logo"] is True
        logo = collector.get("/organisation/logo", None)
        assert (logo.content, logo.headers["content-type"]) == (content, media)
        assert logo.headers["x-content-type-options"] == "nosniff"
    tag = {"If-None-Match": logo.headers["etag"]}
    assert collector.get("/organisation/logo", None, **tag).status_code == 304
    # What is not named stays.
    assert change(collector, name="").json() == shown(collector) == {"name": None, "logo": True}
    assert change(collector, name=None, logo=None).json() == shown(collector) == {"name": None, "logo": False}
    check_problem(collector.get("/organisation/logo", None), 404, "unknown")


@pytest.mark.parametrize(
    "logo",
    ["", "x", "data:image/png,x", "data:image/png;base64,é", "data:image/png;base64,x", url(b"<svg/>"), url(b"GIF89a")],
)
def test_what_is_no_picture_is_refused(small: Running, logo: str) -> None:
    check_problem(change(small, name="x", logo=logo), 400, "malformed", "logo")
    assert shown(small) == {"name": None, "logo": False}


def test_a_logo_and_a_name_are_bounded() -> None:
    with running() as collector:
        most = PNG + bytes(MAX_LOGO_BYTES - len(PNG))
        assert change(collector, name="x", logo=url(most)).status_code == 200
        check_problem(change(collector, name="x", logo=url(most + b"x")), 413, "too-large", "logo")
        for name in ("x" * 257, "two\nlines", "\0"):
            check_problem(change(collector, name=name), 400, "malformed", "name")
        check_problem(collector.administer("PUT", "/organisation", b'{"logo": null}'), 400, "malformed", "name")
