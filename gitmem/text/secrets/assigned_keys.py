"""Keys without a known format or provider's name: random values assigned to a name.

Such as ``owm = "3k14..."`` in code or configuration. Hexadecimal digits, UUIDs and base64 of a text
never count: digests and test vectors look like that. Neither do values whose name says that they
are something else: an id, a nonce, a checksum. How often code and messages hold other values that
look like these is in docs/benchmarks.md.
"""

from __future__ import annotations

import re

from gitmem.text.lazy_pattern import lazy_pattern
from gitmem.text.secrets.secret_checks import decoded, machine_made, mixed_with_digits

_SHORTEST_QUOTED = 20
_SHORTEST = 24
_SHORTEST_ARGUMENT = 32
# Names of values that are looked up, compared or shown, and are not secret.
_HARMLESS = re.compile(
    r"(?:\b|[\w.-])(?:ids?|uuid|guid|name|nonce|opaque|hash|digest|sha|sum|integrity|etag|cursor"
    r"|version|rev|ref|commit|slug|path|file|url|uri|src|href|class|color|fingerprint|challenge"
    r"|expected|actual|input|output|sample|data|content|body|payload|text|message|public|publickey"
    r"|public_key|alphabet|boundary|chars|charset|state|label|title|type|kind|address|account|user|sitekey)"
)
# The form of a digest in web pages and lock files, whatever its name.
_DIGEST = re.compile(r"sha(?:1|224|256|384|512)-")
# Words before a quoted value that say nothing about it: keywords, and words for a string.
_WORDS = frozenset(
    (
        *(
            "return",
            "yield",
            "in",
            "of",
            "is",
            "and",
            "or",
            "not",
            "case",
            "when",
            "from",
            "import",
        ),
        *("require", "to", "as", "by", "the", "a", "with", "like", "string", "echo", "print", "id"),
        *(
            "commit",
            "hash",
            "digest",
            "assert",
            "expect",
            "equals",
            "equal",
            "file",
            "name",
            "value",
        ),
    )
)
# A name, an operator and perhaps an opening quote, at the end of a text.
_assigned = lazy_pattern(
    r"(?<![\w.-])(?P<name>[a-z_$][\w.-]{0,48})[\"'`]?(?:\[\w{0,4})?\]?[ \t]{0,4}"
    r"(?::=|=>|\?=|[:=])[ \t]{0,4}(?:[urb@]?(?P<quote>[\"'`]))?$"
)
# A word and a quote, at the end of a text.
_spoken = lazy_pattern(r"(?<![\w.-])([a-z]\w{1,40})[ \t]{1,2}[\"'`]$")


def is_key(value: str, before: str) -> bool:
    """Whether a value is a key, judged by itself and by the text (lower case) before it."""
    if len(value) < _SHORTEST_QUOTED or value == value.upper():
        return False  # capitals and digits: a number of a ticket, licence or the like
    if _DIGEST.match(value) or not machine_made(value) or _encodes_text(value):
        return False
    match = _assigned().search(before)
    if match is None:
        return _is_literal(value, before)
    if _HARMLESS.fullmatch(match["name"]) or _is_harmless_end(match["name"]):
        return False
    return bool(match["quote"]) or _is_bare_key(value, match)


def _is_literal(value: str, before: str) -> bool:
    """Whether it is quoted after a word, or an argument: there the value must look more random."""
    if before[-1:] not in {'"', "'", "`"}:
        return False
    word = _spoken().search(before)
    if word:
        return len(value) >= _SHORTEST and word[1] not in _WORDS
    argument = before[:-1].rstrip()[-1:] in {"(", ","}
    return argument and len(value) >= _SHORTEST_ARGUMENT and mixed_with_digits(value)


def _is_harmless_end(name: str) -> bool:
    word = name.replace("-", "_").replace(".", "_").rsplit("_", 1)[-1]
    return _HARMLESS.fullmatch(word) is not None or name.endswith(("id", "hash", "sum", "nonce"))


def _is_bare_key(value: str, match: re.Match[str]) -> bool:
    """Whether an unquoted value is one run of letters and digits, and not part of an address."""
    start = match.start()
    return (
        len(value) >= _SHORTEST
        and value.isalnum()
        and (mixed_with_digits(value) or (match[0].endswith("=") and " " not in match[0]))
        and match.string[start - 1 : start] not in {"?", "&", "/", "%", "#"}
    )


def _encodes_text(value: str) -> bool:
    """Whether it is base64 of readable text."""
    plain = decoded(value)
    return bool(plain) and plain.isascii()
