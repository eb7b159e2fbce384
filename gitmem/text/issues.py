"""Finding the issues that a text names: ``#123``, ``GH-123`` and ``PROJ-123``. Pure."""

from __future__ import annotations

import re

# owner/repo#12 is an issue of another repository, &#39; an apostrophe.
_NUMBER = re.compile(r"(?<![\w&])(?:#|(?:GH|gh)-)(\d{1,7})\b")
_KEY = re.compile(r"(?<![\w-])([A-Z][A-Z0-9]{1,9}-\d{1,7})(?![\w-])")
# Names with a number that look like an issue of a project.
_NO_KEYS = frozenset(
    (
        "AES",
        "CP",
        "CVE",
        "CWE",
        "ES",
        "GH",
        "HTTP",
        "ISO",
        "MD",
        "PEP",
        "RFC",
        "RSA",
        "SHA",
        "TLS",
        "UTF",
    )
)


def issue_references(text: str) -> tuple[str, ...]:
    """Return the issues that a text names, without repeats, as ``#123`` or ``PROJ-123``."""
    numbers = ["#" + number.lstrip("0") for number in _NUMBER.findall(text) if int(number)]
    keys = [key for key in _KEY.findall(text) if key.partition("-")[0] not in _NO_KEYS]
    return tuple(dict.fromkeys([*numbers, *keys]))
