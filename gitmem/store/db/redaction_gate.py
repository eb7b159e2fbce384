"""Redacting all text before it is stored: secrets are replaced by placeholders.

Every writing function of this package passes its values through it, whoever calls. Redacting twice
changes nothing, so callers that report what they found may redact before.
"""

from __future__ import annotations

from gitmem.model.frozen import replace
from gitmem.model.memory import Memory

TYPE_CHECKING = False  # importing typing costs 4 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import Any

# The fields of a memory with free text; the others are ids, names from lists and numbers.
_TEXTS = (
    *("project", "title", "content", "source", "agent", "author", "session", "branch", "commit"),
)
_LISTS = ("tags", "paths")


def redact_text(text: str, *, keep_line_count: bool = False) -> str:
    """The text with secrets replaced by placeholders (``[redacted ...]``), valid as UTF-8.

    With ``keep_line_count`` it has as many lines as before.
    """
    if not text:
        return text
    # From the module itself: looking the name up in the package again costs more than the rest.
    from gitmem.text.redact import redact  # noqa: PLC0415 - readers do not need its rules

    return redact(_without_surrogates(text), keep_line_ends=keep_line_count).text


def contains_secret(text: str) -> bool:
    """Whether a text, such as a path, holds something recognised as a secret."""
    from gitmem.text import redact  # noqa: PLC0415 - as above

    return bool(redact.redact(text).found)


def _without_surrogates(text: str) -> str:
    """The text without lone surrogates, which come from JSON escapes and names not in UTF-8."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def redact_memory(memory: Memory) -> Memory:
    """The memory with secrets replaced by placeholders in every field of free text."""
    cleaned: dict[str, Any] = {
        name: redact_text(text) for name in _TEXTS if (text := getattr(memory, name))
    }
    for name in _LISTS:
        if texts := getattr(memory, name):
            cleaned[name] = tuple(map(redact_text, texts))
    cleaned["metadata"] = redact_json(memory.metadata)
    if all(getattr(memory, name) == text for name, text in cleaned.items()):
        return memory
    return replace(memory, **cleaned)


def redact_json(text: str) -> str:
    """The JSON text of an object with secrets replaced, also values of keys like "password"."""
    if text in ("", "{}"):
        return "{}"
    import json  # noqa: PLC0415 - 2 ms, and seldom needed

    from gitmem.text import redact  # noqa: PLC0415 - as above

    value, _ = redact.redact_value(json.loads(text))
    return _without_surrogates(json.dumps(value, ensure_ascii=False, sort_keys=True))
