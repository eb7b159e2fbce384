"""Checking HTTP addresses."""

from __future__ import annotations

from urllib.parse import urlsplit


def is_http_address(value: str) -> bool:
    """Whether a text is an HTTP address with a host, without credentials, query or fragment."""
    try:
        place = urlsplit(value)
        valid = bool(place.hostname) and place.port != 0
    except ValueError:
        return False
    return place.scheme in ("http", "https") and valid and not set("@?# ") & set(value)


def is_loopback(value: str) -> bool:
    """Whether an address is on this machine."""
    from ipaddress import ip_address  # noqa: PLC0415 - only where a model is asked over HTTP

    host = urlsplit(value).hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:  # another name
        return False
