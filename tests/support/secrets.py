"""One made-up credential, joined when a test runs, so that no scanner finds it in a file."""

from __future__ import annotations

SECRET = "gh" + "p_" + "R2d2C3po" * 4 + "Ab9z"


def leaked(data: bytes) -> bool:
    """Whether the secret, in any case, stands in the data."""
    return SECRET.lower().encode() in data.lower()
