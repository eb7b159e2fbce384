"""Memories that cite given files, or the recent files of a session."""

from collections.abc import Iterable, Iterator, Sequence

from gitmem.app import App
from gitmem.clock import MINUTE
from gitmem.errors import InvalidInput
from gitmem.memory import citations
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from gitmem.retrieval import request_filters
from gitmem.sessions.current_session import current_session
from gitmem.store.db.columns import json_array
from gitmem.store.db.connection import Database
from gitmem.store.memory import cited_by, memories
from gitmem.store.memory.filters import MemoryFilter
from gitmem.store.session import sessions

# The 20 newest files of an hour, and what the last half hour touched.
MOST_ACTIVE, ACTIVE_MS, IMPACT_MS = 20, 60 * MINUTE, 30 * MINUTE

MOST_READ = 500


def find_citing_memories(app: App, files: Sequence[str]) -> list[tuple[Memory, Database]]:
    """The memories that cite one of the files or a folder above it, as (memory, its store).

    Those of the greatest weight (1 to 5) come first. Empty without a store.
    """
    if not files or not app.has_store:
        return []
    ids = list(_cited(app.store, files))
    found = [memory for memory in _visible(app, ids) if memory.scope == "project"]
    found.sort(key=lambda memory: (-memory.weight, -memory.updated_at, memory.id))
    return [(memory, app.store) for memory in found]


def recent_files_with_memories(
    app: App, session_id: str
) -> Iterator[tuple[str, int, tuple[str, ...]]]:
    """Yield (path, time, ids of memories that cite it) of files that a session viewed lately.

    That is in the last hour, the newest first; times are milliseconds since 1970. Files viewed over
    half an hour ago have no ids. Nothing if the session is not known.
    """
    session = current_session(app, session_id) if app.has_store else None
    if session is None:
        return
    recent = sessions.files_viewed_since(app.store, session.id, app.now - ACTIVE_MS, MOST_ACTIVE)
    lately = [path for path, at in recent if at >= app.now - IMPACT_MS]
    cited = _cited(app.store, lately)
    visible = {memory.id for memory in _visible(app, list(cited))}
    for path, at in recent:
        yield path, at, tuple(id for id, here in cited.items() if path in here and id in visible)


def _visible(app: App, ids: Sequence[str]) -> list[Memory]:
    """The newest memories with these ids that belong to what is checked out."""
    if not ids:
        return []
    filter = request_filters.memory_filter_for_store(
        app, app.store, MemoryFilter(now=app.now, trusted_only=True)
    )
    among = ("m.id IN (SELECT value FROM json_each(?))", [json_array(ids)])
    return memories.select_memories(
        app.store,
        replace(filter, extra_conditions=(*filter.extra_conditions, among)),
        limit=MOST_READ,
    )


def _cited(database: Database, files: Iterable[str]) -> dict[str, set[str]]:
    """Id of each memory that cites one of the files or a folder above it -> which of them."""
    found: dict[str, set[str]] = {}
    for file in dict.fromkeys(citations.parse_citation(file).path.rstrip("/") for file in files):
        for id, cited in cited_by.memories_citing_path(database, file):
            if any(_covers(_path(text), file) for text in cited):
                found.setdefault(id, set()).add(file)
    return found


def _covers(cited: str, file: str) -> bool:
    """Whether a cited path is the file, a folder above it, or (of a folder) something in it."""
    return cited == file or file.startswith(f"{cited}/") or cited.startswith(f"{file}/")


def _path(cited: str) -> str:
    try:
        return citations.parse_citation(cited).path.rstrip("/")
    except InvalidInput:
        return cited
