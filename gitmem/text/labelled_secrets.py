"""Secrets without a format of their own, told by their label: ``password = ...``, ``API_KEY: ...``.

Precision first: a false redaction destroys knowledge for good. A value counts only when it is a
literal that a person or a machine would have made as a secret; names, calls, look-ups of the
environment, placeholders and words of prose stay.
"""

from __future__ import annotations

import functools
import itertools
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_LABELS = ("pass", "pwd", "secret", "token", "key", "_auth")
_PASS_ENDINGS = ("word", "wd", "phrase", "code")
# "key" alone says nothing; after one of these words it does.
_KEY_WORDS = (
    *("api", "access", "secret", "private", "encryption", "signing", "master", "app", "auth"),
    *("application", "account", "storage", "shared", "license", "session", "subscription"),
)
_AFTER_LABEL = frozenset("\\\"'`]:= \t>")
_PLACEHOLDER = "[redacted:"
_LONGEST_PLACEHOLDER = 60
# The operator: an assignment (with a type, perhaps), an option's blank, an XML tag's end, prose.
_SPOKEN = r"[`'\"]?\s{1,2}(?:is|was)\s{1,2}(?:now |set to |currently )?"
_TYPED = r"\s?:\s?(?:str|string|&str|&'static str|const char ?\*)(?:\s?\|\s?none)?\s{0,3}=\s{0,3}"
_ASSIGNED = r"\\?[\"'`]?\]?[ \t]{0,20}(?::=|=>|[:=](?![:=]))[ \t]{0,20}"
# Longer bare values are followed to their end only once they are known to be secrets.
_LONGEST_BARE = 512
_BARE = r"[^\s\"'`,;&<>(){}\[\]|\\]"
_VALUE = (
    r"(?:(?P<open>(?:[rbuf]?[\"'])|`|\\\")(?P<quoted>[^\"'`\n\\]{4,4096}+)(?:[\"'`]|\\\")"
    rf"|(?P<bare>{_BARE}{{4,{_LONGEST_BARE}}}+)"
    r"(?P<next>[(\[{]|::|\s{0,2}\()?)"
)


@functools.cache
def _rest() -> re.Pattern[str]:
    """Operator and value after a label; compiled on first use: most processes never meet one."""
    operator = rf"(?:(?P<typed>{_TYPED})|(?P<said>{_SPOKEN})|{_ASSIGNED}|(?P<xml>>)|(?P<blank> +))"
    return re.compile(operator + _VALUE)


# Programs, formats and algorithms whose names hold digits, and the usual stand-ins.
_STEMS = re.compile(
    r"pass|pwd|secret|token|key|user|name|value|field|input|test|example|sample|dummy|fake|mock"
    r"|demo|default|change|your|placeholder|redacted|insert|none|null|true|false|todo|xxx|\*\*\*"
    r"|sha\d|md5|oauth|base64|base32|pbkdf|argon|bcrypt|scrypt|hmac|utf|ascii|latin|pkcs|x509|http"
    r"|rfc|iso\d|python|django|version|string|int\d|uint|bytes?\d|param|arg|var|self|ctx|row|col"
    r"|foo|bar|baz|abc|123456|qwert|asdf|0000"
)
_FILLER = re.compile(
    r"x{4,}|\*{3,}|\.{3}|…|example|placeholder|change.?me|redacted|dummy|replace|insert|your.?(?:api"
    r"|own|key|token|secret|pass|app|client)|^<.*>$|^\$|^%|\{\{|\$\{|\$\(|^__\w+__$|12345|abcdef|qwerty"
    r"|0{6}|^(?:my|the|a|some|any|new|old|user|db|root|admin|test|bad|good|wrong|invalid|valid|super)?"
    r"[-_ ]?(?:top)?[-_ ]?(?:password|passwd|pass|pwd|secret|token|key|pw)[-_ ]?\d{0,4}$"
)
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_NUMERIC = re.compile(r"[\d.,:_+-]+(?:[a-z%]{1,12})?")  # 3600s, 1.2.3rc1, 2026-11-21, 12-character
_WORDS = re.compile(r"[a-z]*(?:[-_./: +@][a-z]*)*")
_NAMED = re.compile(r"(?:[a-z]{2,}\d{0,3}|\d{1,4})(?:[-_./:][a-z]*\d{0,4})*")
_PATH = re.compile(
    r"[~.]{0,2}/[\w./-]*|[a-z]:\\.*|[\w-]+/[\w./-]+\.\w{1,5}|.*://.*|.*\.(?:py|txt|md|json|ya?ml|pem)"
)
_CODE = re.compile(r"[a-z_]\w*(?:(?:\.|->|::)[a-z_]\w*)+[.:;!]*")
_SPECIAL = re.compile(r"[!@#$%^&*+?~]")


def find(text: str, low: str) -> list[tuple[int, int, str]]:
    """Spans of labelled secrets as (start, end, kind). ``low`` is ``text`` in lower case and just
    as long; labels are matched there.
    """
    rest = _rest()
    found = []
    for label, begin, stop in _labels(low):
        match = rest.match(low, stop)
        if match is None:
            continue
        start, end = match.span("bare" if match["quoted"] is None else "quoted")
        value = text[start:end]
        if match["quoted"] is None:
            value = value.rstrip(".:!?") if match["said"] else value.rstrip(".:")
        before = low[max(0, begin - 24) : begin]
        if _fits(match, before) and _is_literal(value, match):
            loud = text[begin:start].isupper()
            if _password(value, match, loud) if label == "pass" else _key(value, match, before):
                end = start + len(value)
                if len(value) == _LONGEST_BARE and match["quoted"] is None:
                    end = _end_of_bare(low, end)
                found.append((start, end, _KINDS.get(label, label)))
    return found


def _end_of_bare(low: str, start: int) -> int:
    match = re.compile(f"{_BARE}*+").match(low, start)
    return match.end() if match else start


_KINDS = {"pass": "password", "key": "api-key", "_auth": "auth"}


def _labels(low: str) -> Iterator[tuple[str, int, int]]:
    """Every label that something may follow, as (word, start, end)."""
    for word in _LABELS:
        begin = low.find(word)
        while begin >= 0:
            end = begin + len(word)
            if word == "pass":
                end += _pass_ending(low, end)
            if low[end : end + 1] in _AFTER_LABEL and _is_label(word, low, begin, end):
                yield ("pass" if word == "pwd" else word), begin, end
            begin = low.find(word, end)


def _pass_ending(low: str, end: int) -> int:
    for ending in _PASS_ENDINGS:
        if low.startswith(ending, end):
            return len(ending)
    return 0


def _is_label(word: str, low: str, begin: int, end: int) -> bool:
    if low[end : end + 1] == "]" and _in_placeholder(low, begin):
        return False
    if word == "key":
        return low[max(0, begin - 14) : begin].rstrip("_. -").endswith(_KEY_WORDS)
    # A bare "pass" is a verb; DB_PASS is a label.
    return word != "pass" or end - begin > 4 or low[begin - 1 : begin] in {"_", "-"}


def _in_placeholder(low: str, begin: int) -> bool:
    """Whether a word belongs to ``[redacted:private-key]``, which names what was, not what follows.

    A secret is found by its own looks or its own label; the pass before must not make one up.
    """
    start = low.rfind("[", max(0, begin - _LONGEST_PLACEHOLDER), begin)
    return start >= 0 and low.startswith(_PLACEHOLDER, start) and "]" not in low[start:begin]


def _fits(match: re.Match[str], before: str) -> bool:
    """Whether the operator belongs to the label: an option's blank, an XML tag that is closed."""
    if "public" in before[-12:]:
        return False
    if match["blank"]:
        return "--" in before[len(before.rstrip(_OPTION_LETTERS)) :]
    return not match["xml"] or match.string.startswith("</", match.end())


_OPTION_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789-_"


def _is_literal(value: str, match: re.Match[str]) -> bool:
    """Neither a stand-in nor a number, a path, a name or a call."""
    low = value.lower()
    if match["quoted"] is None and len(value) > 100 and "=" in value.rstrip("="):
        return False  # a chain of assignments; its own labels are read one by one
    if len(value) < 6 or not value.isascii() or _FILLER.search(low) or _NUMERIC.fullmatch(low):
        return False
    if match["quoted"] is None:
        if match["next"] or _CODE.fullmatch(low):
            return False
    elif any(char.isspace() for char in value):
        return False
    return not _PATH.fullmatch(low) or _mixed_case(value)


def _password(value: str, match: re.Match[str], loud: bool) -> bool:
    """Letters with digits or special characters; not the name of something."""
    low = value.lower()
    if _WORDS.fullmatch(low):
        return _mixed_case(value)
    if not any(char.isalpha() for char in low):
        return len(value) >= 8 and bool(_SPECIAL.search(value))
    if _STEMS.search(low):
        name = low.isidentifier() and match["quoted"] is None and not loud
        if name or _NAMED.fullmatch(low):
            return False
    return match["quoted"] is not None or not re.fullmatch(r"\d+[-_][a-z]+|[=@].*", low)


def _key(value: str, match: re.Match[str], before: str) -> bool:
    """Machine-made: long, letters and digits mixed, or letters in random case."""
    low = value.lower()
    if _UUID.fullmatch(low):  # a secret only when the label leaves no doubt
        return "token" not in match.string[match.start() - 5 : match.start()] or before.rstrip(
            "_- "
        ).endswith(_TOKEN_OWNERS)
    if len(value) < 10:
        return False
    if _mixed_case(value):
        return True
    digits = sum(char.isdigit() for char in value)
    if digits < 2 or digits == len(value) or _NAMED.fullmatch(low):
        return False
    if match["quoted"] is None and (_STEMS.search(low) and len(value) < 24):
        return False
    return len(set(value)) >= 7


_TOKEN_OWNERS = ("access", "auth", "api", "refresh", "bearer", "secret")


def _mixed_case(value: str) -> bool:
    """Letters that change case as chance would, not as camelCase does."""
    changes = sum(a.isupper() != b.isupper() for a, b in itertools.pairwise(value))
    return len(value) >= 20 and changes > 0.35 * len(value)
