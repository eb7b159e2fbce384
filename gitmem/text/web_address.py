"""Checking HTTP addresses."""

from __future__ import annotations

from urllib.parse import urlsplit


def is_http_address(value: str) -> bool:
    """Return whether a text is an http or https URL without credentials, query or fragment."""
    try:
        place = urlsplit(value)
        valid = bool(place.hostname) and place.port != 0
    except ValueError:
        return False
    return place.scheme in ("http", "https") and valid and not set("@?# ") & set(value)


def is_loopback_url(value: str) -> bool:
    """Return whether a URL's host is this machine (localhost, 127.0.0.1 ...)."""
    from ipaddress import ip_address  # noqa: PLC0415 - only where a model is asked over HTTP

    host = urlsplit(value).hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:  # another name
        return False
