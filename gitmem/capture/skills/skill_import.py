"""Importing SKILL.md folders of the repository as skills: all of them, or none.

An imported skill has the tier ``repository``, whoever imports it: it is shown as data until a
person accepts it (`gitmem trust`). If a file of an accepted skill changes, the consent lapses.
"""

import os

from gitmem.app import App
from gitmem.capture.change import store_memory_version
from gitmem.capture.skills import skill_folder, skill_store
from gitmem.errors import Conflict, InvalidInput
from gitmem.git import listing
from gitmem.memory import trust
from gitmem.memory.draft import PreparedMemory
from gitmem.memory.skills import skill_format
from gitmem.memory.skills.skill_format import Skill
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.store.memory import memory_writes, skill_rows

TRUST = "repository"


@dataclass(frozen=True, slots=True)
class SkillOutcome:
    """What was done with a skill: ``action`` is added, updated, unchanged, written or copied.

    ``slug`` is its name, ``id`` that of its memory, ``resources`` are the files beside SKILL.md,
    ``redacted`` the kinds of secrets masked. ``lapsed``: as the files changed, a person has to
    accept the skill again.
    """

    slug: str
    id: str
    action: str
    file: str
    resources: tuple[str, ...] = ()
    redacted: tuple[str, ...] = ()
    lapsed: bool = False


def import_skills(app: App, paths: tuple[str, ...], *, dry_run: bool) -> list[SkillOutcome]:
    """Import the skills in some folders, all or none; returns a SkillOutcome for each.

    Raises InvalidInput, NotFound or Conflict for the first that fails.
    """
    skills = skill_folder.read_skill_folders(listing.listed_files_root(app.layout), paths)
    prepared = [(skill, _prepare(app, skill)) for skill in skills]
    with app.store.write() as database:
        outcomes = []
        for skill, new in prepared:
            same_named = skill_rows.skills_named(database, skill.slug)
            if not same_named:
                skill_store.check_skill_name_unused(app, skill.slug)
                memory = replace(new.memory, trust=TRUST)
                if not dry_run:
                    memory_writes.insert_memory(database, memory)
                outcomes.append(_outcome(skill, memory.id, "added", new.redacted))
                continue
            action, lapsed = _update_known(app, same_named[0], skill, dry_run=dry_run)
            outcome = _outcome(skill, same_named[0].id, action, new.redacted)
            outcomes.append(replace(outcome, lapsed=lapsed))
    return [_as_dry_run(outcome) for outcome in outcomes] if dry_run else outcomes


def _prepare(app: App, skill: Skill) -> PreparedMemory:
    """The memory for a skill that was read. Raises InvalidInput, naming the file."""
    try:
        return skill_store.prepare_skill(app, skill, "project")
    except InvalidInput as error:
        raise InvalidInput(
            f"{skill.file}: {error.message}",
            "Raise memory.max_bytes, or import the others by name.",
        ) from error


def _outcome(skill: Skill, id: str, action: str, redacted: tuple[str, ...]) -> SkillOutcome:
    return SkillOutcome(skill.slug, id, action, skill.file, skill.resources, redacted)


def _as_dry_run(skill_outcome: SkillOutcome) -> SkillOutcome:
    action = (
        skill_outcome.action
        if skill_outcome.action == "unchanged"
        else f"would be {skill_outcome.action}"
    )
    return replace(skill_outcome, action=action)


def _update_known(app: App, memory: Memory, skill: Skill, *, dry_run: bool) -> tuple[str, bool]:
    """Update a known skill from its file; what was done, and whether a consent lapsed.

    Raises Conflict where the name belongs to a skill of another file.
    """
    old_skill = skill_format.skill_of_memory(memory)
    assert old_skill is not None
    if _same(old_skill, skill):
        return "unchanged", False
    root = listing.listed_files_root(app.layout)
    moved = old_skill.file and not os.path.lexists(os.path.join(root, old_skill.file))
    if old_skill.file != skill.file and not moved:
        where = f"made of {old_skill.file[:200]}" if old_skill.file else "made here"
        raise Conflict(
            f"{skill.file[:200]}: there is a skill {skill.slug!r} already, {where} ({memory.id}).",
            f"Rename one of the two skills, or run `gitmem skill remove {skill.slug}` first.",
        )
    version = skill_format.update_skill_version(
        old_skill, replace(skill, version=old_skill.version)
    ).version
    new = skill_store.memory_of_edited_skill(app, memory, replace(skill, version=version))
    other = (old_skill.blob, old_skill.resources, old_skill.sums) != (
        skill.blob,
        skill.resources,
        skill.sums,
    )
    lapsed = other and trust.is_more_trusted(memory.trust_tier, TRUST)
    new = replace(new, trust=TRUST) if lapsed else new
    if new == memory:
        return "unchanged", False
    if not dry_run:
        store_memory_version(app, app.store, memory, new, "imported")
    return "updated", lapsed


def _same(old_skill: Skill, skill: Skill) -> bool:
    """Whether a file has the known content: as it was read, or as it would be written."""
    if old_skill.file == skill.file and old_skill.blob == skill.blob:
        return (old_skill.resources, old_skill.sums) == (skill.resources, skill.sums)
    return not old_skill.file and skill_format.render_skill(old_skill) == skill_format.render_skill(
        skill
    )
