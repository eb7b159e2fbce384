"""Finding the memories that are skills, by the name in their metadata."""

from __future__ import annotations

from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory.filters import STATE_SQL
from gitmem.store.memory.memory_rows import read_memories

_SLUG = "json_extract(m.metadata, '$.skill.slug')"
# A condition for ``MemoryFilter.extra_conditions``: skills that can be invoked by name.
NAMED = (f"{_SLUG} IS NOT NULL", ())


def skill_name_sql_condition(slug: str) -> tuple[str, tuple[str]]:
    """(SQL condition, values) for ``MemoryFilter.extra_conditions``: only skills of this name."""
    return f"{_SLUG} = ?", (slug,)


def skills_named(database: Database, slug: str) -> list[Memory]:
    """The memories in use that are skills (instructions) of this name, oldest first."""
    in_use = f"({STATE_SQL['active']} OR {STATE_SQL['proposed']})"
    return read_memories(
        database, f"WHERE m.kind = 'skill' AND {_SLUG} = ? AND {in_use} ORDER BY m.seq", (slug,)
    )
