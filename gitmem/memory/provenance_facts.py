"""The ``provenance`` object in a memory's metadata: web address, pull request, event and so on.

Author, session, branch and commit are fields of every memory; other sources are given here. Keys
are checked: a misspelt one is refused rather than stored where nobody finds it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from gitmem.errors import InvalidInput

KEY = "provenance"
_TEXT, _NUMBER = "text", "a whole number"
_KEYS = {
    **dict.fromkeys(("sessionId", "eventId", "toolCallId", "filePath", "commitSha"), _TEXT),
    **dict.fromkeys(("lineStart", "lineEnd", "pullRequest"), _NUMBER),
    **dict.fromkeys(("sourceUrl", "author", "capturedAt", "project"), _TEXT),
}
_LONGEST = 2000
_ADDRESS = re.compile(r"https?://[^\s<>\"']+")
_REQUEST = re.compile(r"(?:#|pr\s*#?|![ ]?)(\d{1,9})", re.IGNORECASE)
_COMMIT = re.compile(r"[0-9a-f]{7,64}", re.IGNORECASE)


def parse_provenance_sources(source_texts: Iterable[str]) -> dict[str, object]:
    """The ``provenance`` object of a memory's metadata, from texts such as ``#12``.

    Each is a URL (key ``sourceUrl``), a pull request (``pullRequest``) or a commit (``commitSha``).
    Raises InvalidInput for any other text, and for two sources of a kind.
    """
    facts: dict[str, object] = {}
    for text in source_texts:
        key, value = _read_reference(text.strip())
        if facts.setdefault(key, value) != value:
            raise InvalidInput(
                f"A memory cannot have two sources of a kind: {facts[key]} and {value}.",
                "Give one of them.",
            )
    return facts


def _read_reference(text: str) -> tuple[str, object]:
    if _ADDRESS.fullmatch(text):
        return "sourceUrl", text
    if number := _REQUEST.fullmatch(text):
        return "pullRequest", int(number[1])
    if _COMMIT.fullmatch(text):
        return "commitSha", text.lower()
    raise InvalidInput(
        f"{text[:60]!r} is not a source of a memory.",
        "Give a web address, a pull request (#12) or a commit.",
    )


def check_provenance_object(provenance: object) -> Mapping[str, object]:
    """The ``provenance`` object of a memory's metadata, unchanged.

    Raises InvalidInput for an unknown key and for a value of the wrong type.
    """
    hint = f"It may hold: {', '.join(_KEYS)}."
    if not isinstance(provenance, Mapping):
        raise InvalidInput(f"{KEY} in the metadata is not an object.", hint)
    for key, entry in provenance.items():
        expected = _KEYS.get(key)
        if expected is None:
            raise InvalidInput(f"Unknown key {str(key)[:40]!r} in {KEY} of the metadata.", hint)
        fits = isinstance(entry, str) and len(entry) <= _LONGEST
        if expected == _NUMBER:
            fits = isinstance(entry, int) and not isinstance(entry, bool) and entry > 0
        if key == "capturedAt":  # a date, or milliseconds since 1970
            fits = fits or (isinstance(entry, int) and not isinstance(entry, bool) and entry > 0)
        if not fits:
            raise InvalidInput(f"{KEY}.{key} in the metadata has to be {expected}.", hint)
    first, last = provenance.get("lineStart"), provenance.get("lineEnd")
    if isinstance(first, int) and isinstance(last, int) and last < first:
        raise InvalidInput(f"{KEY}.lineEnd {last} is before lineStart {first}.", "Swap the two.")
    return provenance


def set_origin_project(metadata: str, project: str) -> str:
    """The metadata (JSON text) with ``project`` as the key of the project that a memory comes from.

    It is set in the object ``provenance``; an empty key removes it.
    """
    facts = json.loads(metadata or "{}")
    provenance = facts.get(KEY)
    origin = {**(provenance if isinstance(provenance, dict) else {}), "project": project}
    facts[KEY] = {key: value for key, value in origin.items() if value}
    if not facts[KEY]:
        del facts[KEY]
    return json.dumps(facts, ensure_ascii=False, sort_keys=True)


def describe_provenance(provenance: object) -> str:
    """A ``provenance`` object in words, such as ``PR #12, src/app.py:3-9, commit abc1234``."""
    if not isinstance(provenance, Mapping):
        return ""
    lines = "-".join(
        str(provenance[name]) for name in ("lineStart", "lineEnd") if provenance.get(name)
    )
    path = str(provenance.get("filePath") or "")
    parts = (
        f"project {provenance['project']}" if provenance.get("project") else "",
        f"PR #{provenance['pullRequest']}" if provenance.get("pullRequest") else "",
        str(provenance.get("sourceUrl") or ""),
        f"{path}:{lines}" if path and lines else path,
        f"commit {provenance['commitSha']}" if provenance.get("commitSha") else "",
        f"event {provenance['eventId']}" if provenance.get("eventId") else "",
        f"tool call {provenance['toolCallId']}" if provenance.get("toolCallId") else "",
        f"by {provenance['author']}" if provenance.get("author") else "",
        f"at {provenance['capturedAt']}" if provenance.get("capturedAt") else "",
    )
    return ", ".join(filter(None, parts))
