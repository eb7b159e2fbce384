"""Making, changing and removing skills."""

from gitmem.app import App
from gitmem.capture.change import edit_memory
from gitmem.capture.skills import skill_store
from gitmem.errors import InvalidInput
from gitmem.memory import edit as memory_edit
from gitmem.memory.skills import skill_format, skill_parameters
from gitmem.memory.skills.skill_format import Skill
from gitmem.model.frozen import dataclass, replace
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import (
    DELETE,
    WRITE,
    Annotated,
    Arg,
    Operation,
    Texts,
    positional_arg,
    unquoted_words_arg,
)

_EMPTIED = ("-",)  # an option given as a dash empties its list


@dataclass(frozen=True, slots=True)
class CreateSkillRequest:
    """Arguments of `gitmem skill create`: the name of a skill (``slug``), and what to do.

    In ``instructions`` {{tag}} stands for a parameter; ``parameter`` are texts such as "tag: The
    release" or "format=md: How"; ``trigger`` are words that call for the skill; ``scope`` is
    project or global.
    """

    slug: Annotated[str, positional_arg("The name it is invoked by: release-notes", metavar="NAME")]
    instructions: Annotated[
        str, unquoted_words_arg("What to do; {{tag}} stands for a parameter", max_stdin_mb=1)
    ]
    title: Annotated[str, Arg("What people call it (default: its name)", short="-t")] = ""
    description: Annotated[str, Arg("What it does, and when to use it", short="-d")] = ""
    trigger: Annotated[Texts, Arg("Words that call for it")] = ()
    parameter: Annotated[
        Texts, Arg('What it is given: "tag: The release", "format=md: How"', short="-p")
    ] = ()
    scope: shared.AppliesTo = "project"
    piped: shared.Piped = False


@dataclass(frozen=True, slots=True)
class UpdateSkillRequest:
    """Arguments of `gitmem skill update`: a skill's name or id, and the fields to change.

    Empty fields stay as they are; ``trigger`` and ``parameter`` replace all, ``-`` removes them.
    """

    slug: shared.SkillName
    instructions: Annotated[str, unquoted_words_arg("What to do from now on", max_stdin_mb=1)] = ""
    title: Annotated[str, Arg("What people call it", short="-t")] = ""
    description: Annotated[str, Arg("What it does, and when to use it", short="-d")] = ""
    trigger: Annotated[Texts, Arg("Replace the words that call for it; - for none")] = ()
    parameter: Annotated[Texts, Arg("Replace its parameters; - for none", short="-p")] = ()
    piped: shared.Piped = False


@dataclass(frozen=True, slots=True)
class RemoveSkillRequest:
    """Arguments of `gitmem skill remove`: the name or id of the skill to archive."""

    slug: shared.SkillName


@dataclass(frozen=True, slots=True)
class SkillChange:
    """What was done with a skill: ``action`` is created, updated, unchanged or removed.

    ``version`` counts changes of the skill's name, description and instructions. ``redacted`` names
    the kinds of secrets that were removed.
    """

    slug: str
    id: str
    action: str
    version: int
    redacted: tuple[str, ...] = ()


def create_skill(app: App, request: CreateSkillRequest) -> SkillChange:
    """Save a procedure as a skill that can be invoked by name.

    A skill is a memory: it has a history, secrets are removed, and `gitmem recall` finds it. It
    never fades. `gitmem skill export` writes it as a SKILL.md that agents read. The result has the
    skill's name, the id of its memory, and its version (1).
    """
    skill = Skill(
        slug=request.slug.strip(),
        instructions=_instructions(request.instructions),
        name=request.title,
        description=" ".join(request.description.split()),
        triggers=_triggers(request.trigger),
        parameters=tuple(map(skill_parameters.parse_parameter, request.parameter)),
    )
    created = skill_store.create_skill(app, skill, request.scope)
    return SkillChange(skill.slug, created.memory.id, "created", 1, created.redacted)


def update_skill(app: App, request: UpdateSkillRequest) -> SkillChange:
    """Change a skill; its history is kept.

    Its version goes up if name, description or instructions change. When an imported skill is
    exported, only what was changed is written differently. The result says whether anything
    changed.
    """
    stored = skill_store.find_skill(app, request.slug)

    def apply_skill_edits(old_skill: Skill) -> Skill:
        return skill_format.update_skill_version(old_skill, _edit(old_skill, request))

    new = skill_store.update_skill(app, stored, apply_skill_edits)
    action = "unchanged" if new == stored.skill else "updated"
    return SkillChange(new.slug, stored.memory.id, action, new.version)


def _edit(old: Skill, request: UpdateSkillRequest) -> Skill:
    new = old
    if request.instructions.strip():
        new = replace(new, instructions=_instructions(request.instructions))
    if request.title:
        new = replace(new, name=" ".join(request.title.split()))
    if request.description:
        new = replace(new, description=" ".join(request.description.split()))
    if request.trigger:
        new = replace(new, triggers=_triggers(_list_of(request.trigger)))
    if request.parameter:
        parameters = map(skill_parameters.parse_parameter, _list_of(request.parameter))
        new = replace(new, parameters=tuple(parameters))
    return new


def _list_of(values: tuple[str, ...]) -> tuple[str, ...]:
    return () if values == _EMPTIED else values


def _triggers(given: tuple[str, ...]) -> tuple[str, ...]:
    triggers = (" ".join(text.split()) for text in given)
    return tuple(dict.fromkeys(text for text in triggers if text))


def _instructions(text: str) -> str:
    instructions = text.strip("\r\n").rstrip()
    if not instructions.strip():
        raise InvalidInput(
            "The skill has no instructions.", "Give the instructions, or - to pipe them."
        )
    return instructions


def remove_skill(app: App, request: RemoveSkillRequest) -> SkillChange:
    """Archive a skill; `gitmem restore ID` brings it back.

    The result has the skill's name and the id of its memory.
    """
    stored = skill_store.find_skill(app, request.slug)
    with stored.database.write():
        edit_memory(
            app,
            stored.database,
            stored.memory,
            lambda memory: memory_edit.archive_memory(memory, now_ms=app.now),
            "archived",
        )
    return SkillChange(stored.skill.slug, stored.memory.id, "removed", stored.skill.version)


def view(result: SkillChange) -> str:
    """Return the text to print: whether the skill was created, updated or removed."""
    line = f"{result.action} {result.slug} ({result.id}), version {result.version}"
    if result.redacted:
        line += "\nsecrets redacted before storing: " + ", ".join(sorted(set(result.redacted)))
    return line


CREATE = Operation(
    "skill create",
    create_skill,
    view,
    WRITE,
    'release-notes "List what changed since {{tag}}" -p tag',
    tool="skill_create",
)
UPDATE = Operation(
    "skill update",
    update_skill,
    view,
    WRITE,
    'release-notes -d "Use before each release"',
    tool="skill_update",
)
REMOVE = Operation("skill remove", remove_skill, view, DELETE, "release-notes", tool="skill_remove")
