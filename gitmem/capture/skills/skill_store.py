"""Skills in the store: found by name as seen from here, made, changed and counted.

A name belongs to one skill: who would make a second is told of the first, on whatever branch and in
whichever scope that is. Where two came together all the same (by an import of memories, or one that
was restored), the project's comes before the user's, and two of one scope have to be told by id.
"""

from collections.abc import Callable
from contextlib import suppress

from gitmem.app import App
from gitmem.branches import subprojects, visible_here
from gitmem.capture.change import change
from gitmem.capture.provenance import origin, refuse_global
from gitmem.errors import Ambiguous, Conflict, GitmemError, NotFound
from gitmem.memory import draft, skill_format
from gitmem.memory.draft import Draft
from gitmem.memory.skill_format import Skill
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, memory_writes, short_ids, skill_rows
from gitmem.store.memory.filters import Filter

MOST = 1000


@dataclass(frozen=True, slots=True)
class Stored:
    """A skill with the memory that it is and the store that holds it.

    ``uses`` is how often it was handed out, ``last_at`` when last (milliseconds).
    """

    skill: Skill
    memory: Memory
    database: Database
    uses: int = 0
    last_at: int | None = None


def every(app: App, scope: str = "all") -> list[Stored]:
    """The skills that are seen from here, the last used first, then by name."""
    found = [
        one
        for database in app.stores()
        if scope in ("all", database.scope or "project")
        for one in _seen(app, database)
    ]
    return sorted(found, key=lambda one: (-(one.last_at or 0), one.skill.slug))


def find(app: App, text: str) -> Stored:
    """The skill that a name or an id means. Raises NotFound, Ambiguous."""
    name = text.strip().lower()
    for database in app.stores():
        found = _seen(app, database, name)
        if len(found) > 1:
            ids = ", ".join(one.memory.id for one in found)
            raise Ambiguous(f"Two skills are called {name[:64]!r}: {ids}.", "Give the id of one.")
        if found:
            return found[0]
    with suppress(NotFound):
        database, memory = short_ids.find(app.stores(), text)
        skill = skill_format.of_memory(memory)
        if skill is not None and memory.archived_at is None:
            return _stored(database, memory, skill)
    known = [one.skill.slug for one in every(app)]
    import difflib  # noqa: PLC0415 - only for the hint

    close = difflib.get_close_matches(name, known, 3)
    meant = f"Did you mean {' or '.join(close)}?" if close else "`gitmem skill list` shows them."
    raise NotFound(f"There is no skill {name[:80]!r}.", meant)


def _seen(app: App, database: Database, slug: str = "") -> list[Stored]:
    named = skill_rows.called(slug) if slug else skill_rows.NAMED
    hidden = visible_here.hidden(app, database).clause()
    beside = (*subprojects.seen(app, database), hidden, named)
    wanted = Filter(kinds=("skill",), now=app.now, beside=beside)
    found = []
    for memory in memories.select(database, wanted, limit=MOST):
        skill = skill_format.of_memory(memory)
        if skill is not None:
            found.append(_stored(database, memory, skill))
    return found


def _stored(database: Database, memory: Memory, skill: Skill) -> Stored:
    return Stored(skill, memory, database, *memories.usage(database, memory.id))


def prepared(app: App, skill: Skill, scope: str) -> draft.Prepared:
    """The memory for a new skill, not stored yet. Raises InvalidInput."""
    checked = skill_format.check(skill)
    said = Draft(
        content=checked.instructions,
        title=checked.title,
        kind="skill",
        scope=scope,
        metadata=checked.facts,
    )
    limit = app.settings.number("memory.max_bytes")
    return draft.prepare(said, origin(app, scope), max_bytes=limit)


def create(app: App, skill: Skill, scope: str) -> draft.Prepared:
    """Keep a new skill. Raises InvalidInput and Conflict."""
    made = prepared(app, skill, scope)
    if scope == "global":
        refuse_global(app, made.memory)
    database = app.store_for(scope)
    with database.write():
        refuse_taken(app, skill.slug)
        memory_writes.insert(database, made.memory)
    return made


def refuse_taken(app: App, slug: str) -> None:
    """Raise Conflict where a skill has this name already."""
    for database in app.stores():
        for there in skill_rows.holding(database, slug):
            where = f", made on branch {there.branch[:60]}" if there.branch else ""
            raise Conflict(
                f"There is a skill {slug!r} already: {there.id}{where}.",
                f"Change it with `gitmem skill update {slug}`, or take another name.",
            )


def update(app: App, stored: Stored, make: Callable[[Skill], Skill]) -> Skill:
    """Change a skill as it is now; its history is kept. Raises InvalidInput, Conflict, NotFound."""
    database = stored.database
    with database.write():
        memory = memories.get(database, stored.memory.id)
        skill = None if memory is None else skill_format.of_memory(memory)
        if memory is None or skill is None:
            raise NotFound("The skill was removed a moment ago.", "Run `gitmem skill list`.")
        new = skill_format.check(make(skill))
        if new != skill:
            change(app, database, memory, revised(app, memory, new), "updated")
    return new


def revised(app: App, memory: Memory, skill: Skill) -> Memory:
    """The memory of a skill after an edit, without secrets. Raises InvalidInput."""
    said = Draft(content=skill.instructions, title=skill.title, kind="skill", metadata=skill.facts)
    limit = app.settings.number("memory.max_bytes")
    made = draft.prepare(
        said, draft.Origin(id=memory.id, now=app.now, project=memory.project), max_bytes=limit
    ).memory
    facts = skill_format.joined(memory.metadata, made.metadata)
    return replace(memory, title=made.title, content=made.content, metadata=facts)


def count(app: App, stored: Stored) -> int:
    """Note that a skill was invoked; how often it was handed out, this time included.

    Counted in one statement, so that two at a time are two. No answer fails by it.
    """
    if stored.database.read_only:
        return stored.uses
    with suppress(GitmemError):
        with stored.database.write():
            memory_writes.count_access(stored.database, [stored.memory.id], app.now)
        return memories.usage(stored.database, stored.memory.id)[0]
    return stored.uses
