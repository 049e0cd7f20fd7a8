"""The address by which browsers reach a collector: as a setting names it, or as a request shows it.

What a request shows is believed for what is displayed to the one who sent it, and for nothing else: any client may
send any header.
"""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING, NamedTuple

from pckv.base.errors import ParameterError

if TYPE_CHECKING:
    # Settings are read by commands that work without the collector's packages.
    from fastapi import Request

# Why there is no address to share: it has no https, or only this machine knows it.
PLAIN, LOOPBACK = "plain", "loopback"
MAX_HOST_LETTERS = 255
USUAL_PORT = 443

_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
# A name or an address, and a port.
_HOST = re.compile(rf"((?:{_LABEL}\.)*{_LABEL}|\[[0-9a-f:.]+\])(?::([1-9][0-9]{{0,4}}))?", re.IGNORECASE)
# One member of the header Forwarded (RFC 7239).
_FORWARDED = re.compile(r'(\w+)=(?:"([^"]*)"|([^;,\s"]*))')


class PublicAddress(NamedTuple):
    """The origin that links begin with, or why there is none."""

    url: str | None
    reason: str | None


def check_public_url(url: str) -> str:
    """Return an address that links may begin with, in its one form, or raise a `ParameterError`."""
    host = _checked_host(url.removeprefix("https://")) if url.startswith("https://") else None
    if host is None:
        raise ParameterError(
            "public_url must be an address such as https://survey.example.org: with https, and without a path or a "
            f"slash at the end, not {url!r}"
        )
    if _is_loopback(host):
        raise ParameterError(
            f"public_url must be an address that other computers reach, not {url!r}: only this one does"
        )
    return f"https://{host}"


def public_address(setting: str | None, request: Request) -> PublicAddress:
    """Return the address of the setting, else the one by which this request came."""
    if setting is not None:
        return PublicAddress(setting, None)
    scheme, host = _as_forwarded(request)
    checked = _checked_host(host)
    if checked is not None and _is_loopback(checked):
        return PublicAddress(None, LOOPBACK)
    if checked is None or scheme != "https":
        return PublicAddress(None, PLAIN)
    return PublicAddress(f"https://{checked}", None)


def _as_forwarded(request: Request) -> tuple[str, str]:
    """Return the scheme and the host that the first proxy of a request saw, where proxies tell."""
    headers = request.headers
    scheme, host = request.url.scheme, headers.get("host", "")
    # The first of several is the one that the browser reached.
    first = headers.get("forwarded", "").partition(",")[0]
    members = {name.lower(): quoted or plain for name, quoted, plain in _FORWARDED.findall(first)}
    told = {"proto": headers.get("x-forwarded-proto", ""), "host": headers.get("x-forwarded-host", "")}
    told = {name: value.partition(",")[0].strip() for name, value in told.items()} | members
    return (told["proto"] or scheme).lower(), told["host"] or host


def _checked_host(host: str) -> str | None:
    """Return a host in small letters without the usual port; None if it is none."""
    match = _HOST.fullmatch(host) if len(host) <= MAX_HOST_LETTERS else None
    if match is None:
        return None
    name, port = match[1].lower(), int(match[2] or USUAL_PORT)
    if port > 2**16 - 1 or (name.startswith("[") and _address(name) is None):
        return None
    return name if port == USUAL_PORT else f"{name}:{port}"


def _is_loopback(host: str) -> bool:
    name = re.sub(r":\d+$", "", host)
    address = _address(name)
    # 0.0.0.0 and :: stand for this machine, too.
    is_own = address is not None and (address.is_loopback or address.is_unspecified)
    return is_own or name == "localhost" or name.endswith(".localhost")


def _address(name: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(name.strip("[]"))
    except ValueError:
        return None
