"""The resources, which a client can read without calling a tool.

Reading a resource changes nothing: no presence is noted, no access counted. A client may give it to
its model unasked, so it contains nothing that nobody here accepted, is marked as data (Markdown in
a frame, JSON with a notice in its first object), and has at most ``MOST`` characters.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from mcp_types import Resource, ResourceTemplate

from gitmem.app import App
from gitmem.assembly import hotspots, orientation
from gitmem.clock import format_iso
from gitmem.errors import NotFound, NotInitialized
from gitmem.mcp.compat import answer_template, tool_names
from gitmem.memory import trust
from gitmem.model.frozen import replace
from gitmem.operations.find.show import ShownMemories
from gitmem.operations.find.show import show_without_counting_uses as read_memory
from gitmem.operations.outcomes import MemoryIdsRequest
from gitmem.operations.registry import as_json_values
from gitmem.operations.skills.skill_read import (
    ListSkillsRequest,
    ShowSkillRequest,
    SkillDetails,
    SkillItem,
    list_skills,
)
from gitmem.operations.skills.skill_read import show_skill as show_skill
from gitmem.operations.start import summary
from gitmem.retrieval import annotate, request_filters
from gitmem.retrieval.memory_view import CommitItem, MemoryItem
from gitmem.text.fence import NOTICE, data_notice, escape_data_for_model, fence_text
from gitmem.text.redact import redact

T = TypeVar("T")
JSON, MARKDOWN = "application/json", "text/markdown"
ROOT = "gitmem://"
MEMORY, SKILL = ROOT + "memory/", ROOT + "skill/"
# Characters of a resource, of a text in a list, and of a text shown by itself.
MOST, IN_LIST, ALONE = 200_000, 1_000, 64_000
LINKS = 100
_AROUND = 300  # characters of a frame or a notice
_COMMITS, _SKILLS = 20, 100


def _listing(most: int, *kinds: str) -> Callable[[App], object]:
    return lambda app: _memories(app, kinds, most)


def _commits(app: App) -> list[CommitItem]:
    """The newest commits of the checked-out branch, from git itself."""
    head = app.git_head.commit
    if head is None:
        return []
    from gitmem.git import history  # noqa: PLC0415 - not needed to shake hands

    return [
        CommitItem(
            commit.sha,
            redact(commit.author).text,
            format_iso(commit.committed_time * 1000),
            redact(commit.subject).text[:IN_LIST],
        )
        for commit in history.list_commits(app.layout.cwd, until=head, limit=_COMMITS)
    ]


def _skills(app: App) -> list[SkillItem]:
    """The skills that may be shown unasked, the last used first; this counts as no use."""
    items = list_skills(app, ListSkillsRequest()).skills
    return _fit([skill for skill in items if trust.may_show_automatically(skill.trust)][:_SKILLS])


def project_overview(app: App) -> str:
    """A description of the project and its state, as Markdown; reading it is not a visit."""
    text = orientation.prepare_orientation(app).pack_to_budget(markdown=True).text
    try:
        described = summary.describe_project(app)
    except NotInitialized:
        described = ""
    return f"## Project\n{described}\n\n{text}" if described else text


# Path -> name, description, and a function for the content: a text is Markdown, else JSON.
_LISTED: dict[str, tuple[str, str, Callable[[App], object]]] = {
    "memories/recent": ("recent", "The 20 newest memories.", _listing(20)),
    "decisions/recent": ("recent-decisions", "The 10 newest decisions.", _listing(10, "decision")),
    "decisions": ("decisions", "At most 100 decisions, newest first.", _listing(100, "decision")),
    "conventions": (
        "conventions",
        "At most 100 conventions, newest first.",
        _listing(100, "convention"),
    ),
    "project/overview": (
        "overview",
        "What the project is and how it stands; reading it does not count as a visit.",
        project_overview,
    ),
    "commits/recent": ("commits", "The 20 newest commits of this branch.", _commits),
    "hotspots": (
        "hotspots",
        "The files changed most by recent commits, with their memories.",
        hotspots.hotspots_resource,
    ),
    "skills": ("skills", "At most 100 skills, the last used first.", _skills),
}
RESOURCES = [
    Resource(
        name=name,
        uri=ROOT + path,
        description=description,
        mime_type=MARKDOWN if path == "project/overview" else JSON,
    )
    for path, (name, description, _) in _LISTED.items()
]
TEMPLATES = [
    ResourceTemplate(
        name="memory",
        uri_template=MEMORY + "{id}",
        description="One memory in full, with its links.",
        mime_type=JSON,
    ),
    ResourceTemplate(
        name="skill",
        uri_template=SKILL + "{slug}",
        description="One skill in full, by its name.",
        mime_type=JSON,
    ),
]


def read_resource(app: App, uri: str) -> tuple[str, str]:
    """The MIME type and the text of the resource at an address such as ``gitmem://decisions``.

    Raises NotFound if there is none.
    """
    theirs = _our_path(uri)
    content = _content_of(app, ROOT + theirs if theirs else uri)
    if content is None:
        addresses = ", ".join(ROOT + path for path in _LISTED)
        raise NotFound(
            f"There is no resource {uri[:80]!r}.", f"Read {addresses}, {MEMORY}ID or {SKILL}NAME."
        )
    if uri == _LAYER_DECISIONS:
        content = answer_template.fill_answer_template(
            _LAYER_ROWS, {"decisions": as_json_values(content)}, {}
        )
    elif theirs and uri not in _LAYER_PATHS:
        content = _as_fabric(uri, content)
    if not isinstance(content, str):
        return JSON, _json(content, data_notice(f"gitmem {uri[:80]}", format_iso(app.now)))
    delimiter = app.entropy(8).hex()
    return MARKDOWN, fence_text(
        content[: MOST - _AROUND], source=f"gitmem {uri}", delimiter=delimiter
    )


def _content_of(app: App, uri: str) -> object:
    """The content of a resource; None if there is none with this address."""
    if uri.startswith(MEMORY) and len(uri) > len(MEMORY):
        return _memory(app, uri.removeprefix(MEMORY))
    if uri.startswith(SKILL) and len(uri) > len(SKILL):
        return _skill(app, uri.removeprefix(SKILL))
    entry = _LISTED.get(uri.removeprefix(ROOT)) if uri.startswith(ROOT) else None
    return None if entry is None else entry[2](app)


def _memories(app: App, kinds: Sequence[str], limit: int) -> list[MemoryItem]:
    """The newest memories of some kinds (default: all), as many as there is room for."""
    filter = replace(request_filters.build_memory_filter(app, kind=tuple(kinds)), trusted_only=True)
    memories = request_filters.newest_memories(
        request_filters.memory_filters_by_store(app, "all", filter), limit
    )
    return _fit([_shorten(memory) for memory in annotate.make_memory_items(app, memories)])


def _fit(items: list[T]) -> list[T]:
    """As many of the items as a resource has room for."""
    room = MOST - 2 - _AROUND
    for number, item in enumerate(items):
        room -= len(_json([item]))
        if room < 0:
            return items[:number]
    return items


def _shorten(memory: MemoryItem) -> MemoryItem:
    """The memory, with a long text cut for a list; its end says where the rest is."""
    if len(memory.content) <= IN_LIST:
        return memory
    rest = f"… ({len(memory.content)} characters: {MEMORY}{memory.id})"
    return replace(memory, content=memory.content[: IN_LIST - len(rest)] + rest)


def _memory(app: App, id: str) -> ShownMemories:
    shown = read_memory(app, MemoryIdsRequest((id,)))
    if not trust.may_show_automatically(shown.memory.trust):
        raise NotFound(
            f"Memory {shown.memory.id} is foreign and has not been accepted here.",
            "The tool `show` shows it; `gitmem trust ID` accepts it.",
        )
    content, links = shown.memory.content, shown.links
    if len(content) > ALONE:
        content = content[:ALONE] + f"… ({len(content)} characters in all)"
    return replace(shown, memory=replace(shown.memory, content=content), links=links[:LINKS])


def _skill(app: App, slug: str) -> SkillDetails:
    shown = show_skill(app, ShowSkillRequest(slug))
    if not trust.may_show_automatically(shown.skill.trust):
        raise NotFound(
            f"The skill {shown.skill.slug} is foreign and has not been accepted here.",
            f"The tool `skill_show` shows it; `gitmem trust {shown.skill.id[:12]}` accepts it.",
        )
    instructions = shown.instructions
    if len(instructions) > ALONE:
        instructions = instructions[:ALONE] + f"… ({len(instructions)} characters in all)"
    return replace(shown, instructions=instructions)


def _json(value: Any, note: str = "") -> str:
    """The value as JSON, with a note in its first object."""
    content = escape_data_for_model(as_json_values(value))
    if note and isinstance(content, dict):
        content = {NOTICE: note, **content}
    elif note and content:
        content[0] = {NOTICE: note, **content[0]}
    return json.dumps(content, ensure_ascii=False, indent=2)


# --- the resources of other systems: readable in every profile but the default one, listed in none

# Those of MemoryLayer, and the path of our resource with the same content.
_LAYER_DECISIONS = "memorylayer://decisions/recent"
_LAYER_PATHS = {
    _LAYER_DECISIONS: "decisions/recent",
    "memorylayer://project/overview": "project/overview",
}
_LAYER_ROWS = answer_template.ListTemplate(
    "decisions",
    {
        "id": "id",
        "title": "title",
        "description": "content",
        "files": "paths",
        "tags": "tags",
        "created_at": "created_at",
    },
)


_FABRIC_ROOT = "memory://"
# Address -> the path of our resource, and its most items.
_FABRIC_LISTS = {
    "recent": ("memories/recent", 20),
    "conventions": ("conventions", 100),
    "decisions": ("decisions", 100),
}
_FABRIC_SKILLS = "skills"


def _our_path(uri: str) -> str:
    """The path of our resource with the same content; empty if there is none."""
    if uri in _LAYER_PATHS:
        return _LAYER_PATHS[uri]
    name = uri.removeprefix(_FABRIC_ROOT)
    if not uri.startswith(_FABRIC_ROOT):
        return ""
    if name in _FABRIC_LISTS:
        return _FABRIC_LISTS[name][0]
    return name if name == _FABRIC_SKILLS or name.startswith(("memory/", "skill/")) else ""


def _as_fabric(uri: str, held: Any) -> Any:
    """The content of our resource in their form; a skill as Markdown."""
    name = uri.removeprefix(_FABRIC_ROOT)
    data = as_json_values(held)
    if name in _FABRIC_LISTS:
        shape = tool_names.CHOICES["context.list"].actions["list"].answers or {}
        items = answer_template.fill_answer_template(shape["memories"], {"memories": data}, {})
        most = _FABRIC_LISTS[name][1]
        return {"memories": items, "total": len(items), "limit": most, "offset": 0, "layer": 2}
    if name == _FABRIC_SKILLS:
        return answer_template.fill_answer_template(
            _fabric_shape("context.skill.list"), {"skills": data}, {}
        )
    if name.startswith("skill/"):
        return _markdown(data)
    return answer_template.fill_answer_template(_fabric_shape("context.get"), data, {})


def _fabric_shape(name: str) -> Any:
    return tool_names.CALLS[name].answers


def _markdown(data: dict[str, Any]) -> str:
    skill = data["skill"]
    lines = [f"# {skill['name']}", "", f"_{skill['description']}_", ""]
    if skill["triggers"]:
        triggers = ", ".join(f"`{trigger}`" for trigger in skill["triggers"])
        lines += [f"**Triggers:** {triggers}", ""]
    if data["parameters"]:
        lines += ["**Parameters:**", *map(_parameter, data["parameters"]), ""]
    return "\n".join([*lines, "## Instructions", "", data["instructions"]])


def _parameter(parameter: dict[str, Any]) -> str:
    needed = " *(required)*" if parameter["default"] is None else ""
    return f"- `{parameter['name']}`{needed}" + (
        f": {parameter['description']}" if parameter["description"] else ""
    )
