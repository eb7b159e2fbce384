"""Secrets in names that git shows: branches, authors, subjects of commits.

They are read by commands that must answer at once, and next to none holds a secret. So the rules
are loaded only for a name in which one could be: a long run with a digit, an address, a label.
"""

from __future__ import annotations

import functools
import re


def hide(name: str) -> str:
    """The name with secrets replaced by ``[redacted:kind]``."""
    if not _suspicious().search(name):
        return name
    from gitmem.text.redact import redact  # noqa: PLC0415 - see above

    return redact(name).text


@functools.cache
def _suspicious() -> re.Pattern[str]:
    return re.compile(
        r"[A-Za-z0-9]{18}|(?=[A-Za-z_+/=.-]{0,64}[0-9])[A-Za-z0-9_+/=.-]{16}"
        r"|[^\x20-\x7e]|://|\\|[\"'`]\s*\+"
        r"|(?i:pass|pwd|secret|token|key|auth|cred|login|cookie|bearer|basic)[^\n]{0,40}[0-9A-Z=:\"'$]"
    )
