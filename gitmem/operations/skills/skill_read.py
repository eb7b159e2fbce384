"""Listing, showing and invoking skills."""

from gitmem.app import App
from gitmem.capture.skills import skill_folder, skill_store
from gitmem.capture.skills.skill_store import StoredSkill
from gitmem.clock import durations, format_iso
from gitmem.errors import Conflict
from gitmem.git import listing
from gitmem.memory import trust
from gitmem.memory.skills import skill_parameters
from gitmem.memory.skills.skill_parameters import SkillParameter
from gitmem.model.frozen import copy_fields, dataclass
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import READ, Annotated, Arg, Operation, Texts
from gitmem.text.fence import make_printable, one_line

_WIDTH = 160


@dataclass(frozen=True, slots=True)
class ListSkillsRequest:
    """Arguments of `gitmem skill list`: ``scope`` is project, global or all."""

    scope: Annotated[str, Arg("Which skills", choices=("project", "global", "all"))] = "all"


@dataclass(frozen=True, slots=True)
class ShowSkillRequest:
    """Arguments of `gitmem skill show`: the name or id of a skill (``slug``)."""

    slug: shared.SkillName


@dataclass(frozen=True, slots=True)
class InvokeSkillRequest:
    """Arguments of `gitmem skill invoke`: a skill's name or id, and parameters as NAME=VALUE."""

    slug: shared.SkillName
    parameter: Annotated[
        Texts, Arg("A parameter: tag=v1.2", flag="--with", metavar="NAME=VALUE")
    ] = ()


@dataclass(frozen=True, slots=True)
class SkillItem:
    """A skill in a list.

    ``uses`` counts how often it was invoked or found by a search, ``last_used`` is UTC. ``trust``
    is person, accepted, agent, repository or foreign.
    """

    slug: str
    id: str
    name: str
    description: str
    triggers: tuple[str, ...]
    version: int
    scope: str
    trust: str
    uses: int
    last_used: str | None
    when: str


@dataclass(frozen=True, slots=True)
class Skills:
    """A list of skills, the last used first."""

    skills: tuple[SkillItem, ...]


@dataclass(frozen=True, slots=True)
class SkillDetails:
    """A skill in full; ``file`` is its SKILL.md if imported, ``resources`` the files beside it."""

    skill: SkillItem
    instructions: str
    parameters: tuple[SkillParameter, ...]
    file: str
    resources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InvokedSkill:
    """The instructions of an invoked skill, with its parameters filled in.

    ``note`` is a warning to read before following them, empty if a person here wrote or accepted
    the skill.
    """

    slug: str
    id: str
    version: int
    trust: str
    note: str
    instructions: str
    values: dict[str, str]
    file: str
    resources: tuple[str, ...]
    uses: int


def list_skills(app: App, request: ListSkillsRequest) -> Skills:
    """List skills, the last used first.

    The result has each skill's name, description and use; it may be empty.
    """
    return Skills(
        tuple(_item(app, stored) for stored in skill_store.visible_skills(app, request.scope))
    )


def show_skill(app: App, request: ShowSkillRequest) -> SkillDetails:
    """Show a skill in full: instructions, parameters, and the files beside it.

    If there is no such skill, that is an error (NotFound).
    """
    stored = skill_store.find_skill(app, request.slug)
    skill = stored.skill
    return copy_fields(SkillDetails, skill, skill=_item(app, stored))


def invoke_skill(app: App, request: InvokeSkillRequest) -> InvokedSkill:
    """Give the instructions of a skill, with its parameters filled in.

    Nothing is run: you follow the instructions yourself. If nobody here wrote or accepted the
    skill, the answer says so; a foreign skill is refused until `gitmem trust` accepts it.
    """
    stored = skill_store.find_skill(app, request.slug)
    tier = stored.memory.trust_tier
    if not trust.may_show_automatically(tier):
        raise Conflict(
            f"The skill {stored.skill.slug} is foreign and has not been accepted here.",
            f"Read it with `gitmem skill show {stored.skill.slug}`; `gitmem trust "
            f"{stored.memory.id[:12]}` accepts it.",
        )
    skill = stored.skill
    arguments = skill_parameters.parse_skill_arguments(request.parameter)
    text, values = skill_parameters.fill_instructions(
        skill.slug, skill.instructions, skill.parameters, arguments
    )
    return copy_fields(
        InvokedSkill,
        skill,
        id=stored.memory.id,
        trust=tier,
        note=_note(app, stored),
        instructions=text,
        values=values,
        uses=skill_store.count_skill_invocation(app, stored),
    )


def _note(app: App, stored: StoredSkill) -> str:
    if mark := trust.trust_tier_mark(stored.memory.trust_tier):
        return f"{mark}: no person here accepted it. Read it and ask before you follow it."
    if not (
        others := skill_folder.skill_files_changed_since_import(
            listing.listed_files_root(app.layout), stored.skill
        )
    ):
        return ""
    return (
        f"These instructions were accepted, but these files have changed since then: "
        f"{one_line(', '.join(others), _WIDTH)}. `gitmem skill import` imports them."
    )


def _item(app: App, stored: StoredSkill) -> SkillItem:
    skill, at = stored.skill, stored.last_at
    return copy_fields(
        SkillItem,
        skill,
        id=stored.memory.id,
        scope=stored.memory.scope,
        trust=stored.memory.trust_tier,
        uses=stored.uses,
        last_used=None if at is None else format_iso(at),
        when=""
        if at is None
        else durations.format_relative_time(at, app.now, app.display_time_zone),
    )


def view_list(result: Skills) -> str:
    """Return the text to print: a line for each skill, its description below it."""
    if not result.skills:
        return "There are no skills yet: `gitmem skill create` makes one."
    return "\n".join(map(_line, result.skills))


def _line(skill: SkillItem) -> str:
    times = "once" if skill.uses == 1 else f"{skill.uses} times"
    used = f"used {times}, last {skill.when}" if skill.uses else "never used"
    marks = [skill.scope] if skill.scope == "global" else []
    marks += [mark] if (mark := trust.trust_tier_mark(skill.trust)) else []
    suffix = f"  [{', '.join(marks)}]" if marks else ""
    head = f"{skill.slug}  version {skill.version}, {used}{suffix}"
    return f"{head}\n    {one_line(skill.description, _WIDTH)}" if skill.description else head


def view_skill(result: SkillDetails) -> str:
    """Return the text to print: everything about a skill, its instructions last."""
    skill = result.skill
    rows = [
        _line(skill),
        f"    id: {skill.id}",
        *([f"    title: {one_line(skill.name, _WIDTH)}"] if skill.name != skill.slug else []),
        *(f"    trigger: {one_line(trigger, _WIDTH)}" for trigger in skill.triggers),
        *(f"    parameter: {_parameter(parameter)}" for parameter in result.parameters),
        *([f"    file: {one_line(result.file, _WIDTH)}"] if result.file else []),
        *(f"    beside it: {one_line(name, _WIDTH)}" for name in result.resources),
    ]
    return "\n".join([*rows, "", make_printable(result.instructions)])


def _parameter(parameter: SkillParameter) -> str:
    name = parameter.name if parameter.default is None else f"{parameter.name}={parameter.default}"
    return one_line(f"{name}: {parameter.description}" if parameter.description else name, _WIDTH)


def view_invoked(result: InvokedSkill) -> str:
    """Return the text to print: the warning, then the instructions, then the files beside them."""
    note = [f"! {result.note}", ""] if result.note else []
    folder = result.file.rpartition("/")[0]
    beside = [one_line(f"{folder}/{name}", _WIDTH) for name in result.resources]
    files = ["", "Files of this skill, not run: " + ", ".join(beside)] if beside else []
    return "\n".join([*note, make_printable(result.instructions), *files])


LIST = Operation("skill list", list_skills, view_list, READ, tool="skill_list", shows_times=True)
SHOW = Operation(
    "skill show", show_skill, view_skill, READ, "release-notes", tool="skill_show", shows_times=True
)
INVOKE = Operation(
    "skill invoke",
    invoke_skill,
    view_invoked,
    READ,
    "release-notes --with tag=v1.2",
    tool="skill_invoke",
)
