"""Skills in the store: finding them by name, creating, updating and counting them.

A name belongs to one skill, over all branches and scopes; a second one is refused. Where an import
of memories or a restore made two all the same, the project's comes before the user's, and two of
one scope have to be named by id.
"""

from collections.abc import Callable
from contextlib import suppress

from gitmem.app import App
from gitmem.branches import subprojects, visible_here
from gitmem.capture.change import store_memory_version
from gitmem.capture.provenance import check_may_be_global, memory_origin
from gitmem.errors import AmbiguousReference, Conflict, GitmemError, NotFound
from gitmem.memory import draft
from gitmem.memory.draft import MemoryDraft
from gitmem.memory.skills import skill_format
from gitmem.memory.skills.skill_format import Skill
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, memory_writes, short_ids, skill_rows
from gitmem.store.memory.filters import MemoryFilter

MAX_SKILLS = 1000


@dataclass(frozen=True, slots=True)
class StoredSkill:
    """A skill with its memory and its store; ``uses`` counts its invocations.

    ``last_at`` is the time of the last (ms since 1970), None if never.
    """

    skill: Skill
    memory: Memory
    database: Database
    uses: int = 0
    last_at: int | None = None


def visible_skills(app: App, scope: str = "all") -> list[StoredSkill]:
    """The StoredSkills of this branch and sub-project, the last used first.

    ``scope`` is the store to search: project, global or all.
    """
    skills = [
        stored
        for database in app.stores()
        if scope in ("all", database.scope or "project")
        for stored in _find_visible(app, database)
    ]
    return sorted(skills, key=lambda stored: (-(stored.last_at or 0), stored.skill.slug))


def find_skill(app: App, slug_or_id: str) -> StoredSkill:
    """The StoredSkill with this name or id. Raises NotFound, AmbiguousReference for several."""
    name = slug_or_id.strip().lower()
    for database in app.stores():
        named = _find_visible(app, database, name)
        if len(named) > 1:
            ids = ", ".join(stored.memory.id for stored in named)
            raise AmbiguousReference(
                f"Two skills are called {name[:64]!r}: {ids}.", "Give the id of the skill you mean."
            )
        if named:
            return named[0]
    with suppress(NotFound):
        database, memory = short_ids.find_memory(app.stores(), slug_or_id)
        skill = skill_format.skill_of_memory(memory)
        if skill is not None and memory.archived_at is None:
            return _stored(database, memory, skill)
    slugs = [stored.skill.slug for stored in visible_skills(app)]
    import difflib  # noqa: PLC0415 - only for the hint

    close = difflib.get_close_matches(name, slugs, 3)
    meant = (
        f"Did you mean {' or '.join(close)}?" if close else "`gitmem skill list` shows the skills."
    )
    raise NotFound(f"There is no skill {name[:80]!r}.", meant)


def _find_visible(app: App, database: Database, slug: str = "") -> list[StoredSkill]:
    named = skill_rows.skill_name_sql_condition(slug) if slug else skill_rows.NAMED
    hidden = visible_here.hidden_memories(app, database).visible_sql_condition()
    beside = (*subprojects.visible_memory_sql_conditions(app, database), hidden, named)
    filter = MemoryFilter(kinds=("skill",), now=app.now, extra_conditions=beside)
    skills = []
    for memory in memories.select_memories(database, filter, limit=MAX_SKILLS):
        skill = skill_format.skill_of_memory(memory)
        if skill is not None:
            skills.append(_stored(database, memory, skill))
    return skills


def _stored(database: Database, memory: Memory, skill: Skill) -> StoredSkill:
    return StoredSkill(
        skill, memory, database, *memories.access_count_and_time(database, memory.id)
    )


def prepare_skill(app: App, skill: Skill, scope: str) -> draft.PreparedMemory:
    """The PreparedMemory for a new skill of a scope, project or global. Raises InvalidInput."""
    checked = skill_format.check_skill(skill)
    skill_draft = MemoryDraft(
        content=checked.instructions,
        title=checked.title,
        kind="skill",
        scope=scope,
        metadata=checked.memory_metadata,
    )
    limit = app.settings.number("memory.max_bytes")
    return draft.prepare_memory(skill_draft, memory_origin(app, scope), max_bytes=limit)


def create_skill(app: App, skill: Skill, scope: str) -> draft.PreparedMemory:
    """Store a new skill; ``scope`` is project or global. Returns the PreparedMemory.

    Raises InvalidInput for a wrong field, Conflict for a name that is taken.
    """
    prepared = prepare_skill(app, skill, scope)
    if scope == "global":
        check_may_be_global(app, prepared.memory)
    database = app.store_for_scope(scope)
    with database.write():
        check_skill_name_unused(app, skill.slug)
        memory_writes.insert_memory(database, prepared.memory)
    return prepared


def check_skill_name_unused(app: App, slug: str) -> None:
    """Raise Conflict if a skill has the name ``slug`` already."""
    for database in app.stores():
        for there in skill_rows.skills_named(database, slug):
            where = f", made on branch {there.branch[:60]}" if there.branch else ""
            raise Conflict(
                f"There is a skill {slug!r} already: {there.id}{where}.",
                f"Change it with `gitmem skill update {slug}`, or take another name.",
            )


def update_skill(app: App, stored_skill: StoredSkill, make_edit: Callable[[Skill], Skill]) -> Skill:
    """Store what ``make_edit`` returns for a skill's current version; returns the new skill.

    Raises InvalidInput, Conflict and NotFound.
    """
    database = stored_skill.database
    with database.write():
        memory = memories.get_memory(database, stored_skill.memory.id)
        skill = None if memory is None else skill_format.skill_of_memory(memory)
        if memory is None or skill is None:
            raise NotFound(
                "The skill was removed a moment ago.",
                "`gitmem skill list` shows the skills that exist.",
            )
        new = skill_format.check_skill(make_edit(skill))
        if new != skill:
            store_memory_version(
                app, database, memory, memory_of_edited_skill(app, memory, new), "updated"
            )
    return new


def memory_of_edited_skill(app: App, memory: Memory, skill: Skill) -> Memory:
    """``memory`` with the edited ``skill``, secrets masked; not stored. Raises InvalidInput."""
    skill_draft = MemoryDraft(
        content=skill.instructions, title=skill.title, kind="skill", metadata=skill.memory_metadata
    )
    limit = app.settings.number("memory.max_bytes")
    prepared = draft.prepare_memory(
        skill_draft,
        draft.MemoryOrigin(id=memory.id, now=app.now, project=memory.project),
        max_bytes=limit,
    ).memory
    facts = skill_format.merge_skill_metadata(memory.metadata, prepared.metadata)
    return replace(memory, title=prepared.title, content=prepared.content, metadata=facts)


def count_skill_invocation(app: App, stored_skill: StoredSkill) -> int:
    """Count an invocation of a skill; returns how often it was invoked. Ignores GitmemError."""
    if stored_skill.database.read_only:
        return stored_skill.uses
    with suppress(GitmemError):
        with stored_skill.database.write():
            memory_writes.increment_access_counts(
                stored_skill.database, [stored_skill.memory.id], app.now
            )
        return memories.access_count_and_time(stored_skill.database, stored_skill.memory.id)[0]
    return stored_skill.uses
