"""Memories that name commits or issues: by id, by a number such as #12, or as what was fixed."""

import re
from collections.abc import Collection, Iterable, Sequence

from gitmem.app import App
from gitmem.capture import known_errors
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from gitmem.retrieval import request_filters
from gitmem.store.memory import memories, memory_search
from gitmem.store.memory.filters import Filter
from gitmem.text import issues

SHORTEST = 7  # hexadecimal digits that name a commit
_MOST = 100
_HEX = re.compile(r"\b[0-9a-f]{7,40}\b")


def naming(app: App, shas: Sequence[str], asked: Collection[str]) -> list[tuple[Memory, str]]:
    """Memories that belong here and name one of some commits or issues, and what they name.

    ``asked`` are issues as ``text.issues`` writes them. The newest first.
    """
    words = [f'"{sha[:SHORTEST]}"*' for sha in shas]
    words += [f'"{one.lstrip("#")}"' for one in asked]
    if not words or not app.has_store:
        return []
    wanted = request_filters.here(app, app.store, Filter(now=app.now, own=True))
    numbers = [n for n, _ in memory_search.match(app.store, " OR ".join(words), wanted, _MOST)]
    found = memories.by_seq(app.store, numbers, wanted) if numbers else []
    found += _fixes(app, shas, wanted, {one.id for one in found})
    pairs = [(one, named(one, shas, asked)) for one in found]
    told = [(one, why) for one, why in pairs if why]
    return sorted(told, key=lambda pair: (-pair[0].updated_at, pair[0].id))


def _fixes(app: App, shas: Sequence[str], filter: Filter, known: Collection[str]) -> list[Memory]:
    """How errors were mended is noted beside the text, not in it."""
    kept = replace(filter, kinds=(known_errors.FIX,))
    found = memories.select(app.store, kept, limit=_MOST, order="updated_at")
    return [
        one
        for one in found
        if one.id not in known and known_errors.fixed_by(one, surely=True) in shas
    ]


def named(memory: Memory, shas: Iterable[str], asked: Collection[str]) -> str:
    """What of some commits and issues a memory names; empty where it names none. Pure."""
    text = f"{memory.title}\n{memory.content}"
    written = _HEX.findall(text)
    for sha in shas:
        if any(sha.startswith(one) for one in written):
            return f"names commit {sha[:10]}"
        if memory.kind == known_errors.FIX and known_errors.fixed_by(memory, surely=True) == sha:
            return f"was mended by {sha[:10]}"
    said = [one for one in issues.named(text) if one in asked]
    return f"names {said[0]}" if said else ""
