"""Whether a text is an address that can be asked over HTTP."""

from __future__ import annotations

from urllib.parse import urlsplit


def is_address(value: str) -> bool:
    """Whether it has a host, and no name and password, query or fragment."""
    try:
        place = urlsplit(value)
        valid = bool(place.hostname) and place.port != 0
    except ValueError:
        return False
    return place.scheme in ("http", "https") and valid and not set("@?# ") & set(value)


def is_loopback(value: str) -> bool:
    """Whether it is one of this machine itself."""
    from ipaddress import ip_address  # noqa: PLC0415 - for who asks a model

    host = urlsplit(value).hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:  # another name
        return False
