"""Turning a draft into a memory to store: checking its fields and redacting secrets. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from gitmem.errors import InvalidInput
from gitmem.model import kinds
from gitmem.model.frozen import dataclass
from gitmem.model.kinds import require_one_of as require_one_of
from gitmem.model.memory import Memory
from gitmem.text import redact

MOST_TAGS = 32
LONGEST_TAG = 64
LONGEST_TITLE = 200
MOST_PATHS = 50
# The time to live of what nobody asked for: a day, and none for what is important.
AUTO = "auto"
# Bytes of what is taken from a file of the repository (``store.memory.imported_files``): 50,000
# characters of any script. It is quoted by its beginning, as every long memory.
DOCUMENT_BYTES = 200_000
_FROM_FILE = "from"


@dataclass(frozen=True, slots=True)
class MemoryDraft:
    """The fields of a memory that is to be stored, unchecked; None and empty mean "not given".

    ``layer`` is working (of one session), project or global (of every project), or empty if the
    rules are to choose. ``ttl_ms`` is the time to live in milliseconds; with ``fixed``, reading the
    memory does not prolong it. ``is_temporary``: it ends after a while unless it is important.
    """

    content: str
    title: str = ""
    kind: str = ""
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    weight: int | None = None
    importance: float | None = None
    confidence: float | None = None
    pinned: bool = False
    scope: str = "project"
    status: str = ""
    ttl_ms: int | None = None
    metadata: Mapping[str, object] | None = None
    fixed: bool = False
    layer: str = ""
    is_temporary: bool = False


@dataclass(frozen=True, slots=True)
class MemoryOrigin:
    """Where a new memory comes from: its id, project and commit, who writes it, and when.

    ``now`` is in milliseconds since 1970, ``agent`` the name of the writing program, empty for a
    person, ``author`` the person's name in git, ``source`` how it came, such as ``user_explicit``.
    """

    id: str
    now: int
    project: str
    agent: str = ""
    author: str = ""
    session: str = ""
    branch: str = ""
    commit: str = ""
    source: str = "user_explicit"


@dataclass(frozen=True, slots=True)
class PreparedMemory:
    """A checked memory, not stored yet; ``redacted`` names the kinds of secrets masked in it."""

    memory: Memory
    redacted: tuple[str, ...]


def prepare_memory(draft: MemoryDraft, origin: MemoryOrigin, *, max_bytes: int) -> PreparedMemory:
    """Check a draft and mask the secrets in it; returns the PreparedMemory, which is not stored.

    ``max_bytes`` is the greatest length of its content and of its metadata (UTF-8). Raises
    InvalidInput, naming the wrong field.
    """
    check_fixed_draft_has_ttl(draft)
    secrets_found: list[str] = []

    def redacted(text: str) -> str:
        result = redact.redact(text)
        secrets_found.extend(result.found)
        return result.text

    most = max_content_bytes(draft, max_bytes)
    content = redacted(check_content(draft.content, most, allow_empty=bool(draft.title.strip())))
    facts = dict(draft.metadata or {})
    if alias := kinds.narrower_kind_name(draft.kind):
        facts[kinds.GIVEN_AS] = alias
    metadata, secrets = redact.redact_value(check_metadata_size(facts, max_bytes))
    secrets_found.extend(secrets)
    memory = Memory(
        id=origin.id,
        scope=require_one_of("scope", draft.scope, ("project", "global")),
        project=origin.project if draft.scope == "project" else "",
        kind=check_memory_kind(draft.kind or "note"),
        title=redacted(check_title(draft.title)),
        content=content,
        # Redacted before the check makes them lower case, which would hide a key.
        tags=check_tags(redacted(tag) for tag in draft.tags),
        paths=tuple(redacted(path) for path in check_paths(draft.paths)),
        weight=int(check_bounds("weight", draft.weight, 1, 5, 3)),
        importance=check_bounds("importance", draft.importance, 0, 1, 0.5),
        confidence=check_bounds("confidence", draft.confidence, 0, 1, 0.8),
        pinned=draft.pinned,
        source=origin.source,
        agent=origin.agent,
        author=origin.author,
        session=origin.session,
        branch=origin.branch,
        commit=origin.commit,
        status=_status(draft),
        metadata=json.dumps(metadata, ensure_ascii=False, sort_keys=True),
        ttl_ms=draft.ttl_ms,
        expires_at=None if draft.ttl_ms is None else origin.now + draft.ttl_ms,
        archived_at=None,
        superseded_by="",
        created_at=origin.now,
        updated_at=origin.now,
        version=1,
    )
    return PreparedMemory(memory, tuple(secrets_found))


def max_content_bytes(draft: MemoryDraft, max_bytes: int) -> int:
    """How many bytes the content of a draft may have: at least the ``max_bytes`` of the settings.

    A document that was imported from the repository may have 200,000.
    """
    document = isinstance((draft.metadata or {}).get(_FROM_FILE), Mapping)
    return max(max_bytes, DOCUMENT_BYTES) if document else max_bytes


def check_fixed_draft_has_ttl(draft: MemoryDraft) -> None:
    """Raise InvalidInput if a draft is ``fixed`` but has no ``ttl_ms``, or is pinned."""
    if draft.fixed and draft.ttl_ms is None:
        raise InvalidInput(
            "--fixed needs a time to live.", "Give one with --ttl 7d, or leave out --fixed."
        )
    if draft.fixed and draft.pinned:
        raise InvalidInput(
            "A pinned memory never expires, so --fixed has no meaning for it.",
            "Leave out --pin or --fixed.",
        )


def _status(draft: MemoryDraft) -> str:
    """The status: of a decision by default ``accepted``, of other kinds always empty."""
    status = check_memory_status(draft.status)
    if check_memory_kind(draft.kind or "note") == "decision":
        return status or "accepted"
    if status:
        raise InvalidInput("Only a decision has a status.", "Use --kind decision, or leave it out.")
    return ""


def check_metadata_size(metadata: Mapping[str, object], max_bytes: int) -> dict[str, object]:
    """A copy of the metadata. Raises InvalidInput if it exceeds ``max_bytes`` bytes as JSON."""
    size = len(json.dumps(dict(metadata), ensure_ascii=False).encode("utf-8", "replace"))
    if size > max_bytes:
        raise InvalidInput(
            f"The metadata has {size:,} bytes; a memory holds at most {max_bytes:,}.",
            "Move some of the metadata to a file and cite the file, or raise memory.max_bytes.",
        )
    return dict(metadata)


def check_content(text: str, max_bytes: int, *, allow_empty: bool = False) -> str:
    """The text without blank lines around it.

    Raises InvalidInput if it has more than ``max_bytes`` bytes (UTF-8), a NUL character, or nothing
    but blanks, unless ``allow_empty``.
    """
    if "\x00" in text:
        raise InvalidInput(
            "The text contains a NUL character.", "Give plain text; binary data cannot be stored."
        )
    content = text.strip("\r\n").rstrip()
    if not content.strip() and not allow_empty:
        raise InvalidInput(
            "There is nothing to remember: the text is empty.",
            'Give it as a sentence: gitmem remember "Tests need Redis on port 6380".',
        )
    size = len(content.encode("utf-8", "surrogatepass"))
    if size > max_bytes:
        raise InvalidInput(
            f"The text has {size:,} bytes; a memory holds at most {max_bytes:,}.",
            "Keep the fact and point to the file with --path; or raise memory.max_bytes.",
        )
    return content


def check_title(title: str) -> str:
    """The title as one line. Raises InvalidInput if it has more than 200 characters."""
    folded = " ".join(title.replace("\x00", " ").split())
    if len(folded) > LONGEST_TITLE:
        raise InvalidInput(
            f"The title has {len(folded)} characters; at most {LONGEST_TITLE} are allowed.",
            "Move the rest into the text.",
        )
    return folded


def check_memory_kind(kind_name: str) -> str:
    """The kind of memory with this name or alias, such as ``decision``.

    Raises InvalidInput for an unknown one, listing similar names and all kinds.
    """
    kind = kinds.canonical_memory_kind(kind_name)
    if kind is None:
        import difflib  # noqa: PLC0415 - only for the hint

        close = difflib.get_close_matches(kind_name.lower(), [*kinds.KINDS, *kinds.ALIASES], 3)
        suggestion = f"Did you mean {' or '.join(close)}? " if close else ""
        raise InvalidInput(
            f"Unknown kind {kind_name[:40]!r}.", f"{suggestion}Kinds: {', '.join(kinds.KINDS)}."
        )
    return kind


def check_memory_status(status: str) -> str:
    """The status of a decision in lower case; empty stays empty.

    Raises InvalidInput if it is not proposed, accepted, deprecated or superseded.
    """
    return require_one_of("status", status.lower(), kinds.STATUSES) if status else ""


def check_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """The tags in lower case, sorted, without repeats; commas separate tags.

    Raises InvalidInput for over 32 tags, one of over 64 characters, and control characters.
    """
    split = [part.strip().lower() for tag in tags for part in tag.split(",")]
    unique = sorted({re.sub(r"\s+", "-", part) for part in split if part})
    if len(unique) > MOST_TAGS or any(len(tag) > LONGEST_TAG for tag in unique):
        raise InvalidInput(
            f"A memory has at most {MOST_TAGS} tags of at most {LONGEST_TAG} characters.",
            "Use fewer or shorter tags.",
        )
    # Bytes that are not UTF-8 are all stored as one sign: two such tags would become equal.
    if any(ord(letter) < 32 or 0xD800 <= ord(letter) < 0xE000 for tag in unique for letter in tag):
        raise InvalidInput(
            "A tag contains a control character or bytes that are not UTF-8.",
            "Use letters, digits and dashes.",
        )
    return tuple(unique)


def check_paths(paths: Iterable[str]) -> tuple[str, ...]:
    """The paths with ``/`` between folders, without repeats, in order; lines (``:4-6``) may follow.

    Raises InvalidInput for more than 50 paths, one of more than 1,024 characters, absolute paths,
    and paths that leave the repository.
    """
    checked = []
    for path in paths:
        plain = path.replace("\\", "/").removeprefix("./").strip()
        parts = plain.split("/")
        if not plain or plain.startswith(("/", "~")) or ".." in parts or "\x00" in plain:
            raise InvalidInput(
                f"{path[:80]!r} is not a path inside the repository.",
                "Give it relative to the repository's root, such as src/app.py:40-60.",
            )
        if len(plain) > 1024:
            raise InvalidInput("A path is longer than 1,024 characters.", "Cite a shorter path.")
        checked.append(plain)
    if len(checked) > MOST_PATHS:
        raise InvalidInput(f"A memory cites at most {MOST_PATHS} paths.", "Cite a folder instead.")
    return tuple(dict.fromkeys(checked))


def check_bounds(
    value_name: str, value: float | None, min_value: float, max_value: float, default: float
) -> float:
    """``value``, or the default for None. Raises InvalidInput, with its name, if out of bounds."""
    if value is None:
        return default
    if not min_value <= value <= max_value:
        shown_value = str(value)[:20] if isinstance(value, int) else f"{value:g}"
        raise InvalidInput(
            f"{value_name} cannot be {shown_value}.",
            f"Give a number from {min_value:g} to {max_value:g}.",
        )
    return float(value)
