"""Armoured private keys: PEM, OpenSSH, PGP and PuTTY, also inside JSON strings, quotes and diffs.

A block without its END line (truncated) counts as far as it looks like key material. A BEGIN line
without material, as in prose or in code that searches for it, is left alone.
"""

from __future__ import annotations

import re

from gitmem.text.lazy_pattern import lazy_pattern

_LONGEST = 32_768  # characters of one block
_BETWEEN = r"(?:\s|\\[nrt]|[\"'`,>|#*])"
_HEADER = r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): [^\n\\]{0,200}+"
_ALONE = r"[A-Za-z0-9+/=]{1,15}+(?=[\"'`,]{0,3}[ \t\r]*+(?:\\n|\n|$|-----END))"
_begin = lazy_pattern(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"|---- BEGIN SSH2 [A-Z ]{0,20}PRIVATE KEY ----|Private-Lines: [0-9]{1,4}"
)
_material = lazy_pattern(
    rf"(?:{_BETWEEN}{{0,12}}+{_HEADER})*+(?:{_BETWEEN}{{1,12}}+[A-Za-z0-9+/=]{{16,}}+)++"
    rf"(?:{_BETWEEN}{{1,12}}+{_ALONE}){{0,2}}+"
)
_end = lazy_pattern(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")


def find_private_keys(text: str) -> list[tuple[int, int, str]]:
    """Return where a text has private keys, as (start, end, "private-key")."""
    begins = list(_begin().finditer(text))
    spans = []
    for index, begin in enumerate(begins):
        following = begins[index + 1].start() if index + 1 < len(begins) else len(text)
        stop = _stop(text, begin.end(), min(following, begin.end() + _LONGEST))
        if stop:
            spans.append((begin.start(), stop, "private-key"))
    return spans


def _stop(text: str, start: int, limit: int) -> int:
    """Where the block whose BEGIN line ends at ``start`` ends; 0 if it holds no key."""
    end = _end().search(text, start, limit)
    if end and re.search(r"[A-Za-z0-9+/]{24}", text[start : end.start()]):
        return end.end()
    material = _material().match(text, start, limit)
    return material.end() if material else 0
