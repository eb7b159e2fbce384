"""A commit: what it says, what it changed, and the memories that were saved at it."""

from __future__ import annotations

from typing import Any

from gitmem.app import App
from gitmem.clock import iso
from gitmem.errors import NotFound
from gitmem.http.pages.code_map import file_link
from gitmem.http.pages.page import Page, Query
from gitmem.operations.registry import plain
from gitmem.retrieval import annotate
from gitmem.store.code import commits
from gitmem.store.memory import memories
from gitmem.store.memory.filters import Filter

_PATHS, _MEMORIES = 100, 20


def read(app: App, query: Query) -> dict[str, Any]:
    """An indexed commit by its id or the beginning of it. Raises NotFound."""
    sha = query.text("sha")
    numbers = commits.numbers_by_prefix(app.store, [sha]) if len(sha) >= 4 else []
    if not numbers:
        raise NotFound(
            f"No single indexed commit begins with {sha[:40]!r}.",
            "`gitmem index` indexes what is new.",
        )
    commit = commits.commits_by_number(app.store, numbers)[numbers[0]]
    saved = memories.select(app.store, Filter(commits=[commit.sha]), limit=_MEMORIES)
    items = annotate.items_of(app, [(memory, app.store) for memory in saved])
    return {
        "commit": commit.sha,
        "author": commit.author,
        "at": iso(commit.at),
        "subject": commit.subject,
        "body": commit.body,
        "paths": [{"path": path, "href": file_link(path)} for path in commit.paths[:_PATHS]],
        "more_paths": max(0, len(commit.paths) - _PATHS),
        "memories": [plain(item) for item in items],
    }


COMMIT = Page("commit", "/commits/{sha}", "What did this commit change?", read)
