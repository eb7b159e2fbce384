"""Whether a commit made the kind of change that a question about the past names. Pure.

"When was X dropped" asks for the commit that dropped X, although the one that added it says more.
"""

from __future__ import annotations

import re

_FORMS = {
    "add": (
        "add(?:s|ed|ing)?|introduc(?:e|es|ed|ing)|creat(?:e|es|ed|ing)|implement(?:s|ed|ing)?|new"
    ),
    "remove": (
        "remov(?:e|es|ed|ing)|drop(?:s|ped|ping)?|delet(?:e|es|ed|ing)|deprecat(?:e|es|ed|ing)|"
        "get rid|gone|disappear(?:s|ed)?|(?:thrown|taken) out"
    ),
    "change": (
        "chang(?:e|es|ed|ing)|replac(?:e|es|ed|ing)|renam(?:e|es|ed|ing)|mov(?:e|es|ed|ing)|"
        "switch(?:es|ed|ing)?|migrat(?:e|es|ed|ing)|bump(?:s|ed|ing)?|upgrad(?:e|es|ed|ing)|"
        "updat(?:e|es|ed|ing)|rewr(?:ite|ites|ote|itten)"
    ),
    "fix": "fix(?:es|ed|ing)?|resolv(?:e|es|ed|ing)|repair(?:s|ed|ing)?",
    "revert": "revert(?:s|ed|ing)?|roll(?:s|ed)? back",
}
_VERB = r"\b(?:" + "|".join(f"(?P<{kind}>{forms})" for kind, forms in _FORMS.items()) + r")\b"
SAME, OTHER = 1.2, 0.85


def kinds_of_change(text: str) -> frozenset[str]:
    """The kinds of change that a question names: add, remove, change, fix or revert."""
    return frozenset(found.lastgroup or "" for found in re.finditer(_VERB, text.lower()))


def factor(requested: frozenset[str], subject: str) -> float:
    """The ranking factor of a commit with this subject, for the kinds of change asked for.

    1 where the question or the subject names no known change.
    """
    done = kinds_of_change(subject) if requested else requested
    if not done:
        return 1.0
    return SAME if requested & done else OTHER
