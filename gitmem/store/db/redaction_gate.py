"""The one door through which text enters the store: no secret passes it.

Every writing function of this package sends its values through here, whoever calls it. What is
redacted once stays as it is, so callers that want to report what they found may redact before.
"""

from __future__ import annotations

import json

from gitmem.model.frozen import replace
from gitmem.model.memory import Memory


def clean(text: str) -> str:
    """The text with secrets replaced by visible placeholders, and fit to be stored as UTF-8."""
    if not text:
        return text
    from gitmem.text import redact  # noqa: PLC0415 - its rules are not for those who only read

    return redact.redact(_whole(text)).text


def _whole(text: str) -> str:
    """The text without halves of characters.

    JSON escapes and names of files and branches that are not UTF-8 bring some in.
    """
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def seal(memory: Memory) -> Memory:
    """The memory with every field that holds free text cleaned."""
    return replace(
        memory,
        project=clean(memory.project),
        title=clean(memory.title),
        content=clean(memory.content),
        tags=tuple(map(clean, memory.tags)),
        paths=tuple(map(clean, memory.paths)),
        source=clean(memory.source),
        agent=clean(memory.agent),
        author=clean(memory.author),
        session=clean(memory.session),
        branch=clean(memory.branch),
        commit=clean(memory.commit),
        metadata=clean_json(memory.metadata),
    )


def clean_json(text: str) -> str:
    """JSON text of an object with secrets replaced, also under telling key names."""
    if text in ("", "{}"):
        return "{}"
    from gitmem.text import redact  # noqa: PLC0415 - as above

    value, _ = redact.redact_value(json.loads(text))
    return _whole(json.dumps(value, ensure_ascii=False, sort_keys=True))
