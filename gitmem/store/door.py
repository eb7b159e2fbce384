"""The one door through which text enters the store: no secret passes it.

Every writing function of this package sends its values through here, whoever calls it. What is
redacted once stays as it is, so callers that want to report what they found may redact before.
"""

from __future__ import annotations

import json
from dataclasses import replace

from gitmem.model.memory import Memory
from gitmem.text import redact


def clean(text: str) -> str:
    """The text with secrets replaced by visible placeholders."""
    return redact.redact(text).text if text else text


def seal(memory: Memory) -> Memory:
    """The memory with every field that holds free text cleaned."""
    return replace(
        memory,
        title=clean(memory.title),
        content=clean(memory.content),
        tags=tuple(map(clean, memory.tags)),
        paths=tuple(map(clean, memory.paths)),
        author=clean(memory.author),
        branch=clean(memory.branch),
        metadata=clean_json(memory.metadata),
    )


def clean_json(text: str) -> str:
    """JSON text of an object with secrets replaced, also under telling key names."""
    if text in ("", "{}"):
        return "{}"
    value, _ = redact.redact_value(json.loads(text))
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
