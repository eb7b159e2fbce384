"""Redacting names from git: branches, authors, subjects of commits.

Commands that must answer at once read them, and next to none holds a secret. So the rules are
loaded only for a name that could hold one: with a long run with a digit, an address, a label.
"""

from __future__ import annotations

import functools

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    import re


_RUN = 18  # letters and digits without a break
_MOST_DIGITS = 4  # behind a word: a version, a year, the number of an issue
# Words before a number that make it a password.
_LABELS = ("pass", "pwd", "secret", "token", "key", "auth", "cred", "_pat")


def redact_name(name: str) -> str:
    """Return a name from git (a branch, an author) with secrets replaced by ``[redacted:kind]``."""
    if _is_plain(name) or not _suspicious().search(name):
        return name
    from gitmem.text.redact import redact  # noqa: PLC0415 - see above

    return redact(name).text


def _is_plain(name: str) -> bool:
    """Whether a name is plain words, as most branches are, and needs no rules."""
    words = name.replace("/", "-").replace("_", "-").replace(".", "-").split("-")
    if not name.isascii() or not all(map(_is_word, words)):
        return False
    low = name.lower()
    bare = name == low and not any(word[-1:].isdigit() for word in words)
    return bare or not any(label in low for label in _LABELS)


def _is_word(word: str) -> bool:
    """Whether it is letters in ordinary case, then perhaps a short number."""
    letters = word.rstrip("0123456789")
    if len(word) >= _RUN or len(word) - len(letters) > _MOST_DIGITS:
        return False
    return not letters or (
        letters.isalpha() and letters in (letters.lower(), letters.upper(), letters.capitalize())
    )


@functools.cache
def _suspicious() -> re.Pattern[str]:
    import re  # noqa: PLC0415 - for names that are not plain words

    return re.compile(
        rf"[A-Za-z0-9]{{{_RUN}}}"
        r"|(?=[A-Za-z_+/=.-]{0,64}[0-9])[A-Za-z0-9_+/=.-]{16}"
        # Letters in random case.
        r"|(?=(?:[A-Z0-9_+/=.-]*+[a-z0-9_+/=.-]*+(?<=[a-z])(?=[A-Z])){3})[A-Za-z0-9_+/=.-]{16}"
        r"|gl[a-z]{2,5}-|[^\x20-\x7e]|://|\\|[\"'`]\s*\+"
        r"|(?i:pass|pwd|secret|token|key|auth|cred|login|cookie|bearer|basic)[^\n]{0,40}[0-9A-Z=:\"'$]"
    )
