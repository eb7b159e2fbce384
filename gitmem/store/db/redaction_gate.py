"""The gate through which all text enters the store: secrets are replaced here.

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


def clean(text: str, *, keep_lines: bool = False) -> str:
    """The text with secrets replaced by visible placeholders, and fit to be stored as UTF-8.

    With ``keep_lines`` it has as many lines as before.
    """
    if not text:
        return text
    # From the module itself: looking the name up in the package again costs more than the rest.
    from gitmem.text.redact import redact  # noqa: PLC0415 - readers do not need its rules

    return redact(_without_surrogates(text), keep_lines=keep_lines).text


def holds_secret(text: str) -> bool:
    """Whether a text that cannot be stored redacted, such as a path, holds a secret."""
    from gitmem.text import redact  # noqa: PLC0415 - as above

    return bool(redact.redact(text).found)


def _without_surrogates(text: str) -> str:
    """The text without lone surrogates, which come from JSON escapes and names not in UTF-8."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def seal(memory: Memory) -> Memory:
    """The memory with every field that holds free text cleaned."""
    cleaned: dict[str, Any] = {
        name: clean(text) for name in _TEXTS if (text := getattr(memory, name))
    }
    for name in _LISTS:
        if texts := getattr(memory, name):
            cleaned[name] = tuple(map(clean, texts))
    cleaned["metadata"] = clean_json(memory.metadata)
    if all(getattr(memory, name) == text for name, text in cleaned.items()):
        return memory
    return replace(memory, **cleaned)


def clean_json(text: str) -> str:
    """JSON text of an object with secrets replaced, also those known by the name of their key."""
    if text in ("", "{}"):
        return "{}"
    import json  # noqa: PLC0415 - 2 ms, and seldom needed

    from gitmem.text import redact  # noqa: PLC0415 - as above

    value, _ = redact.redact_value(json.loads(text))
    return _without_surrogates(json.dumps(value, ensure_ascii=False, sort_keys=True))
