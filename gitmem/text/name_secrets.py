"""Secrets in names that git shows: branches, authors, subjects of commits.

They are read by commands that must answer at once, and next to none holds a secret. So the rules
are loaded only for a name in which one could be: a long run with a digit, an address, a label.
"""

from __future__ import annotations

import functools

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    import re


_RUN = 18  # letters and digits without a break


def hide(name: str) -> str:
    """The name with secrets replaced by ``[redacted:kind]``."""
    if _is_plain(name) or not _suspicious().search(name):
        return name
    from gitmem.text.redact import redact  # noqa: PLC0415 - see above

    return redact(name).text


def _is_plain(name: str) -> bool:
    """Whether it is words in small letters, as most branches are: nothing is loaded for those."""
    words = name.replace("/", "-").replace("_", "-").replace(".", "-").split("-")
    return name.isascii() and all(
        not word or (word.isalpha() and word.islower() and len(word) < _RUN) for word in words
    )


@functools.cache
def _suspicious() -> re.Pattern[str]:
    import re  # noqa: PLC0415 - for names that are not plain words

    return re.compile(
        rf"[A-Za-z0-9]{{{_RUN}}}"
        r"|(?=[A-Za-z_+/=.-]{0,64}[0-9])[A-Za-z0-9_+/=.-]{16}"
        r"|[^\x20-\x7e]|://|\\|[\"'`]\s*\+"
        r"|(?i:pass|pwd|secret|token|key|auth|cred|login|cookie|bearer|basic)[^\n]{0,40}[0-9A-Z=:\"'$]"
    )
