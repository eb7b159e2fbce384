"""Finding memories that name commits or issues: in their text, or as the commit of a fix."""

import re
from collections.abc import Collection, Iterable, Sequence

from gitmem.app import App
from gitmem.capture import known_errors
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from gitmem.retrieval import request_filters
from gitmem.store.memory import memories, memory_search
from gitmem.store.memory.filters import MemoryFilter
from gitmem.text import issues

MIN_SHA_LENGTH = 7  # hexadecimal digits that name a commit
_MAX_MEMORIES = 100
_HEX = re.compile(r"\b[0-9a-f]{7,40}\b")


def find_memories_naming_commits(
    app: App, shas: Sequence[str], issue_names: Collection[str]
) -> list[tuple[Memory, str]]:
    """Return the visible memories that name one of these commits or issues, newest first.

    Each comes with words such as ``names commit 01234abcde``. ``issue_names`` are such as ``#12``.
    """
    words = [f'"{sha[:MIN_SHA_LENGTH]}"*' for sha in shas]
    words += [f'"{issue.lstrip("#")}"' for issue in issue_names]
    if not words or not app.has_store:
        return []
    filter = request_filters.memory_filter_for_store(
        app, app.store, MemoryFilter(now=app.now, trusted_only=True)
    )
    numbers = [
        n
        for n, _ in memory_search.best_matching_memories(
            app.store, " OR ".join(words), filter, _MAX_MEMORIES
        )
    ]
    candidates = memories.memories_by_row_number(app.store, numbers, filter) if numbers else []
    candidates += _fixes_by(app, shas, filter, {memory.id for memory in candidates})
    pairs = [(memory, describe_commits_named(memory, shas, issue_names)) for memory in candidates]
    naming_pairs = [(memory, why) for memory, why in pairs if why]
    return sorted(naming_pairs, key=lambda pair: (-pair[0].updated_at, pair[0].id))


def _fixes_by(
    app: App, shas: Sequence[str], filter: MemoryFilter, known: Collection[str]
) -> list[Memory]:
    """The fixes by these commits, which are in their metadata rather than in the text."""
    fixes_only = replace(filter, kinds=(known_errors.FIX,))
    fixes = memories.select_memories(app.store, fixes_only, limit=_MAX_MEMORIES, order="updated_at")
    return [
        memory
        for memory in fixes
        if memory.id not in known
        and known_errors.fixing_commit_of_memory(memory, only_if_in_metadata=True) in shas
    ]


def describe_commits_named(
    memory: Memory, shas: Iterable[str], issue_names: Collection[str]
) -> str:
    """Return words on which of these commits or issues a memory names; empty if it names none."""
    text = f"{memory.title}\n{memory.content}"
    written = _HEX.findall(text)
    for sha in shas:
        if any(sha.startswith(prefix) for prefix in written):
            return f"names commit {sha[:10]}"
        if (
            memory.kind == known_errors.FIX
            and known_errors.fixing_commit_of_memory(memory, only_if_in_metadata=True) == sha
        ):
            return f"was mended by {sha[:10]}"
    named_issues = [issue for issue in issues.issue_references(text) if issue in issue_names]
    return f"names {named_issues[0]}" if named_issues else ""
