"""Where a memory is from, as facts in its metadata: an address, a pull request, an event (CF-43).

Who said it, in which session, on which branch and commit, is known of every memory. What lies
outside of that is told: ``provenance`` in the metadata, which is checked key by key, so that a slip
of the pen is no silent loss.
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


def of(said: Iterable[str]) -> dict[str, object]:
    """What somebody says it is from: a web address, ``#12``, a commit. Raises InvalidInput."""
    found: dict[str, object] = {}
    for text in said:
        key, value = _one(text.strip())
        if found.setdefault(key, value) != value:
            raise InvalidInput(
                f"It is from two places of one kind: {found[key]} and {value}.", "Give one of them."
            )
    return found


def _one(text: str) -> tuple[str, object]:
    if _ADDRESS.fullmatch(text):
        return "sourceUrl", text
    if number := _REQUEST.fullmatch(text):
        return "pullRequest", int(number[1])
    if _COMMIT.fullmatch(text):
        return "commitSha", text.lower()
    raise InvalidInput(
        f"{text[:60]!r} is no place that a memory can be from.",
        "Give a web address, a pull request (#12) or a commit.",
    )


def checked(value: object) -> Mapping[str, object]:
    """The provenance in the metadata, if it is what it is called. Raises InvalidInput."""
    known = f"It may hold: {', '.join(_KEYS)}."
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{KEY} in the metadata is no object.", known)
    for key, one in value.items():
        wanted = _KEYS.get(key)
        if wanted is None:
            raise InvalidInput(f"Unknown key {str(key)[:40]!r} in {KEY} of the metadata.", known)
        fits = isinstance(one, str) and len(one) <= _LONGEST
        if wanted == _NUMBER:
            fits = isinstance(one, int) and not isinstance(one, bool) and one > 0
        if not fits:
            raise InvalidInput(f"{KEY}.{key} in the metadata has to be {wanted}.", known)
    return value


def from_project(metadata: str, project: str) -> str:
    """The metadata, as JSON text, with the key of the project that it is from; empty: none."""
    facts = json.loads(metadata or "{}")
    held = facts.get(KEY)
    origin = {**(held if isinstance(held, dict) else {}), "project": project}
    facts[KEY] = {key: value for key, value in origin.items() if value}
    if not facts[KEY]:
        del facts[KEY]
    return json.dumps(facts, ensure_ascii=False, sort_keys=True)


def in_words(value: object) -> str:
    """``project acme/shop, PR #12, https://..., src/app.py:3-9, commit abc1234, by A``, or ""."""
    if not isinstance(value, Mapping):
        return ""
    lines = "-".join(str(value[one]) for one in ("lineStart", "lineEnd") if value.get(one))
    path = str(value.get("filePath") or "")
    told = (
        f"project {value['project']}" if value.get("project") else "",
        f"PR #{value['pullRequest']}" if value.get("pullRequest") else "",
        str(value.get("sourceUrl") or ""),
        f"{path}:{lines}" if path and lines else path,
        f"commit {value['commitSha']}" if value.get("commitSha") else "",
        f"event {value['eventId']}" if value.get("eventId") else "",
        f"tool call {value['toolCallId']}" if value.get("toolCallId") else "",
        f"by {value['author']}" if value.get("author") else "",
        f"at {value['capturedAt']}" if value.get("capturedAt") else "",
    )
    return ", ".join(filter(None, told))
