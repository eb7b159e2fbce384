"""The one place where secrets are taken out of text.

Every write path, every export and every answer passes here. A secret becomes a visible
``[redacted:kind]``; what stays is otherwise unchanged. Precision comes first (a false redaction
destroys knowledge for good): formats with a signature, key blocks, URLs with credentials, labelled
values. Randomness alone is never a reason, so hashes, UUIDs and digests stay.
"""

from __future__ import annotations

import functools
import re

from gitmem.errors import InvalidInput
from gitmem.model.frozen import dataclass
from gitmem.text import secret_rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Span = tuple[int, int, str]

_DEEPEST = 200
_PASSES = 4
# The end of a key's name (letters only) that makes the whole value a secret.
_SENSITIVE = (
    *("password", "passwd", "passphrase", "pwd", "secret", "token", "apikey", "accesskey"),
    *("privatekey", "secretkey", "authorization", "credential", "credentials", "cookie", "authkey"),
    *("signingkey", "encryptionkey", "connectionstring"),
)
_HARMLESS = ("pagetoken", "nexttoken", "continuationtoken", "synctoken", "cancellationtoken")


@dataclass(frozen=True, slots=True)
class Redaction:
    """A text without its secrets, and the kinds that were found, in order, with repeats."""

    text: str
    found: tuple[str, ...] = ()


def redact(text: str) -> Redaction:
    """Replace every secret by ``[redacted:kind]``. Redacting again changes nothing."""
    if not text:
        return Redaction(text)
    found: list[str] = []
    # A replaced secret can lay bare a second one that was glued to it.
    for _ in range(_PASSES):
        spans = _spans(text)
        if not spans:
            break
        text = _replaced(text, spans)
        found += [kind for _, _, kind in spans]
    return Redaction(text, tuple(found))


def _spans(text: str) -> list[Span]:
    """Where the secrets are: (start, end, kind), sorted, without overlaps."""
    low = _lowered(text)
    spans: list[Span] = []
    if "private key" in low or "private-lines:" in low:
        from gitmem.text import private_keys  # noqa: PLC0415  # only for texts that hold one

        spans += private_keys.find(text)
    for index, rule in enumerate(secret_rules.RULES):
        for trigger in rule.triggers:
            if trigger in low:
                spans += _matches(index, text)
                break
    if _has_label(low):
        from gitmem.text import labelled_secrets  # noqa: PLC0415  # only for texts that name a secret

        spans += labelled_secrets.find(text, low)
    return _merged(spans) if spans else spans


def _lowered(text: str) -> str:
    """Lower case of the same length (a few letters, such as İ, grow otherwise)."""
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join([char.lower() if char.isascii() else char for char in text])


def _has_label(low: str) -> bool:
    return (
        "pass" in low
        or "token" in low
        or "secret" in low
        or "key" in low
        or "pwd" in low
        or "_auth" in low
    )


@functools.cache
def _compiled(index: int) -> re.Pattern[str]:
    """The rule's pattern, with its literal beginning before the look-behind.

    The search for a literal is many times faster than trying a look-behind at every character.
    """
    pattern = secret_rules.RULES[index].pattern
    behind = secret_rules.NOT_INSIDE_A_WORD
    if pattern.startswith(behind):
        rest = pattern[len(behind) :]
        literal = re.match(r"[\w-]*", rest)
        if literal and literal[0]:
            pattern = f"{literal[0]}{behind[:-1]}{literal[0]}){rest[literal.end() :]}"
    return re.compile(pattern)


def _matches(index: int, text: str) -> list[Span]:
    rule = secret_rules.RULES[index]
    pattern = _compiled(index)
    group = 1 if pattern.groups else 0
    accept = rule.accept or secret_rules.looks_random
    return [
        (*match.span(group), rule.kind) for match in pattern.finditer(text) if accept(match[group])
    ]


def _merged(spans: list[Span]) -> list[Span]:
    """Sorted by place; overlapping ones become one span, of the kind that was listed first."""
    merged: list[Span] = []
    rank: list[int] = []
    for place, (start, end, kind) in sorted(enumerate(spans), key=lambda item: item[1][:2]):
        if merged and start < merged[-1][1]:
            last_start, last_end, last_kind = merged[-1]
            better = kind if place < rank[-1] else last_kind
            merged[-1] = (last_start, max(end, last_end), better)
            rank[-1] = min(place, rank[-1])
        else:
            merged.append((start, end, kind))
            rank.append(place)
    return merged


def _replaced(text: str, spans: list[Span]) -> str:
    parts: list[str] = []
    at = 0
    for start, end, kind in spans:
        parts += (text[at:start], f"[redacted:{kind}]")
        at = end
    return "".join([*parts, text[at:]])


def redact_value(value: Any) -> tuple[Any, tuple[str, ...]]:
    """A JSON-like value with every string redacted, and the kinds that were found, in order.

    Lists, tuples and dicts are rebuilt (keys are redacted too); strings under a key such as
    ``password`` or ``Authorization`` are replaced whole unless they are empty or a redaction
    already. Other types are returned as they are. Raises InvalidInput below 200 levels.
    """
    found: list[str] = []
    return _walk(value, found, sensitive="", depth=0), tuple(found)


def _walk(value: Any, found: list[str], sensitive: str, depth: int) -> Any:
    if depth > _DEEPEST:
        raise InvalidInput(
            f"The value is nested deeper than {_DEEPEST} levels.", "Pass a flatter value."
        )
    if isinstance(value, str):
        return _text_value(value, found, sensitive)
    if isinstance(value, dict):
        return {
            _text_value(key, found, "") if isinstance(key, str) else key: _walk(
                item, found, _sensitive_kind(key) or sensitive, depth + 1
            )
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        items = [_walk(item, found, sensitive, depth + 1) for item in value]
        return tuple(items) if isinstance(value, tuple) else items
    return value


def _text_value(value: str, found: list[str], sensitive: str) -> str:
    redaction = redact(value)
    found += redaction.found
    if not sensitive or redaction.found or "[redacted:" in value or _stand_in(value):
        return redaction.text
    found.append(sensitive)
    return f"[redacted:{sensitive}]"


def _stand_in(value: str) -> bool:
    """Empty, a reference to a variable, or a mask: nothing to hide."""
    return not value.strip("*x.- ") or value.startswith(("$", "<", "{{", "%"))


def _sensitive_kind(key: object) -> str:
    """What a key of a dict says about its value; "" for an ordinary one."""
    if not isinstance(key, str):
        return ""
    letters = "".join([char for char in key.lower() if char.isalnum()])
    if not letters.endswith(_SENSITIVE) or letters.endswith(_HARMLESS):
        return ""
    if letters.endswith(("password", "passwd", "passphrase", "pwd")):
        return "password"
    if letters.endswith("key"):
        return "api-key"
    return "token" if letters.endswith("token") else "secret"
