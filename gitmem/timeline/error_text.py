"""The words of an error without what changes from run to run and from machine to machine. Pure.

Paths lose their folders, and lines, addresses, versions, times and ids become placeholders. What
tells two errors apart stays: names, codes, ports, and the numbers of a status.
"""

from __future__ import annotations

import re

LONGEST = 300

# Applied in this order: what is longer and more certain goes first.
_RULES = (
    (r"\x1b\[[0-9;?]*[A-Za-z]", ""),
    (r"[\u2018\u2019`]", "'"),
    (r"[\u201c\u201d]", '"'),
    # Times and ids.
    (
        r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?"
        r"|\b\d{4}/\d\d/\d\d(?: \d\d:\d\d:\d\d)?|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b",
        "<time>",
    ),
    (r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b", "<id>"),
    (r"\b0[xX][0-9a-fA-F]+\b", "<address>"),
    (r"@[0-9a-f]{5,16}\b", "@<address>"),
    # An address on the net: which port it is tells two services apart.
    (r"\b\d{1,3}(?:\.\d{1,3}){3}\b|\[::1?\]|::1?(?=:\d)|\blocalhost\b(?=:\d)", "<host>"),
    # A path with its line; of it the name of the file is left.
    (
        r"(?:file://|(?<![\w.<>)/\\])[A-Za-z]:|(?<![\w.<>)\\/:]))(?:[\\/]{1,2}[\w.@+~$-]+)*[\\/]{1,2}"
        r"([\w.@+~$-]+)",
        r"\1",
    ),
    (r"(\.\w{1,6})(?::\d+){1,2}\b|(\.\w{1,6})(?:\(\d+(?:,\d+)?\)|:?\[\d+,\d+\])", r"\1\2"),
    (r"\btmp\w{4,}", "<temporary>"),
    # Versions, then what is left of numbers. Before these: exit codes, ports, line 1 of a format.
    (
        r"\bv?\d+\.\d+(?:\.\d+)+(?:[-+.]?(?:alpha|beta|rc|dev|post|snapshot|[ab])[\w.]*)?",
        "<version>",
    ),
    (r"(?i)([@=<>^~]|\bversion |\bpython|\bv)\d+(?:\.\d+)+\b", r"\1<version>"),
    (r"\b\d+(?:\.\d+)?(?: ?(?:ns|[u\u00b5]s|ms|s|sec|seconds?|m|min))\b", "<n>"),
    (r"\b(?=\w*[a-f])(?=(?:\w*\d){2})[0-9a-f]{7,64}\b", "<id>"),
    (r"\b(?=(?:[a-z_]*\d){3})(?=[0-9_]*[a-z])[a-z0-9]{8,}\b", "<id>"),
)
# Numbers that say which error it is.
_TELLING = (
    r"(?i)(?:\b(?:status|code|errno|error|exit|http|signal)\W{0,3}(?:(?:code|status|value)\W{0,3})?"
    r"|\[errno )$"
)
_NUMBER = r"(?<![\w.])[+-]?\d+(?:[.,]\d+)*(?!\w)"
_EPHEMERAL = 32_768


def plain(text: str) -> str:
    """What is the same of a message each time the error occurs; at most ``LONGEST`` characters."""
    said = text[: 4 * LONGEST]
    for pattern, instead in _RULES:
        said = re.sub(pattern, instead, said)
    said = re.sub(_NUMBER, _number, said)
    return " ".join(said.split())[:LONGEST]


def _number(found: re.Match[str]) -> str:
    before = found.string[: found.start()]
    if re.search(_TELLING, before[-24:]):
        return found[0]
    if before.endswith(("<host>:", "port ")) and found[0].isdigit():
        return found[0] if int(found[0]) < _EPHEMERAL else "<n>"
    return "<n>"
