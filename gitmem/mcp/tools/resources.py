"""What a client may read without calling a tool.

Reading a resource changes nothing: no presence is noted, no access counted. A client may hand one
to its model unasked, so what nobody here accepted stays out of all of them, each begins by saying
that it is data (Markdown in a frame, JSON with a notice in its first object), and none is longer
than ``MOST`` characters.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from mcp_types import Resource, ResourceTemplate

from gitmem.app import App
from gitmem.assembly import hotspots, orientation
from gitmem.clock import iso
from gitmem.errors import NotFound, NotInitialized
from gitmem.mcp.tools import fabric_resources
from gitmem.memory import trust
from gitmem.model.frozen import replace
from gitmem.operations.find.show import ShownMemories
from gitmem.operations.find.show import read as read_memory
from gitmem.operations.outcomes import Ids
from gitmem.operations.registry import plain
from gitmem.operations.skills.skill_read import (
    ShownSkill,
    SkillItem,
    SkillList,
    SkillShow,
    list_skills,
)
from gitmem.operations.skills.skill_read import show as show_skill
from gitmem.operations.start import summary
from gitmem.retrieval import annotate, request_filters
from gitmem.retrieval.memory_view import CommitItem, MemoryItem
from gitmem.text.fence import NOTICE, frame, inert_data, notice
from gitmem.text.redact import redact

T = TypeVar("T")
JSON, MARKDOWN = "application/json", "text/markdown"
ROOT = "gitmem://"
MEMORY, SKILL = ROOT + "memory/", ROOT + "skill/"
# Characters of a resource, of one text in a list, and of one shown by itself.
MOST, IN_LIST, ALONE = 200_000, 1_000, 64_000
LINKS = 100
_AROUND = 300  # characters of a frame or a notice
_COMMITS, _SKILLS = 20, 100


def _listing(most: int, *kinds: str) -> Callable[[App], object]:
    return lambda app: _memories(app, kinds, most)


def _commits(app: App) -> list[CommitItem]:
    """The newest commits of the branch that is checked out, from git itself."""
    head = app.head.commit
    if head is None:
        return []
    from gitmem.git import history  # noqa: PLC0415 - not needed to shake hands

    return [
        CommitItem(
            one.sha,
            redact(one.author).text,
            iso(one.committed_time * 1000),
            redact(one.subject).text[:IN_LIST],
        )
        for one in history.log(app.layout.cwd, until=head, limit=_COMMITS)
    ]


def _skills(app: App) -> list[SkillItem]:
    """The skills that may be told unasked, the last used first; reading counts no use."""
    found = list_skills(app, SkillList()).skills
    return _with_room([one for one in found if trust.injected(one.trust)][:_SKILLS])


def overview(app: App) -> str:
    """What the project is and how it stands, as Markdown; nobody is noted to have been here."""
    told = orientation.prepare(app).pack(markdown=True).text
    try:
        described = summary.facts(app)
    except NotInitialized:
        described = ""
    return f"## Project\n{described}\n\n{told}" if described else told


# Path -> name, description, and what it holds; text is Markdown, anything else JSON.
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
        overview,
    ),
    "commits/recent": ("commits", "The 20 newest commits of this branch.", _commits),
    "hotspots": (
        "hotspots",
        "The files changed most by recent commits, with their memories.",
        hotspots.hotspots,
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


def read(app: App, uri: str) -> tuple[str, str]:
    """The MIME type and text of a resource. Raises NotFound."""
    theirs = fabric_resources.path_of(uri)
    held = _held(app, ROOT + theirs if theirs else uri)
    if held is None:
        known = ", ".join(ROOT + path for path in _LISTED)
        raise NotFound(
            f"There is no resource {uri[:80]!r}.", f"Read {known}, {MEMORY}ID or {SKILL}NAME."
        )
    held = fabric_resources.told(uri, held) if theirs else held
    if not isinstance(held, str):
        return JSON, _json(held, notice(f"gitmem {uri[:80]}", iso(app.now)))
    delimiter = app.entropy(8).hex()
    return MARKDOWN, frame(held[: MOST - _AROUND], source=f"gitmem {uri}", delimiter=delimiter)


def _held(app: App, uri: str) -> object:
    """What a resource of ours holds; None: there is none with this address."""
    if uri.startswith(MEMORY) and len(uri) > len(MEMORY):
        return _memory(app, uri.removeprefix(MEMORY))
    if uri.startswith(SKILL) and len(uri) > len(SKILL):
        return _skill(app, uri.removeprefix(SKILL))
    found = _LISTED.get(uri.removeprefix(ROOT)) if uri.startswith(ROOT) else None
    return None if found is None else found[2](app)


def _memories(app: App, kinds: Sequence[str], limit: int) -> list[MemoryItem]:
    """The newest of some kinds (any if none is named), as far as there is room for them."""
    wanted = replace(request_filters.chosen(app, kind=tuple(kinds)), own=True)
    found = request_filters.newest(request_filters.views(app, "all", wanted), limit)
    return _with_room([_shortened(one) for one in annotate.items_of(app, found)])


def _with_room(items: list[T]) -> list[T]:
    """As many of them as a resource has room for."""
    room = MOST - 2 - _AROUND
    for number, one in enumerate(items):
        room -= len(_json([one]))
        if room < 0:
            return items[:number]
    return items


def _shortened(memory_item: MemoryItem) -> MemoryItem:
    """A text that is too long for a list says where the rest of it is."""
    if len(memory_item.content) <= IN_LIST:
        return memory_item
    rest = f"… ({len(memory_item.content)} characters: {MEMORY}{memory_item.id})"
    return replace(memory_item, content=memory_item.content[: IN_LIST - len(rest)] + rest)


def _memory(app: App, id: str) -> ShownMemories:
    found = read_memory(app, Ids((id,)))
    if not trust.injected(found.memory.trust):
        raise NotFound(
            f"Memory {found.memory.id} is foreign and has not been accepted here.",
            "The tool `show` shows it; `gitmem trust ID` accepts it.",
        )
    content, links = found.memory.content, found.links
    if len(content) > ALONE:
        content = content[:ALONE] + f"… ({len(content)} characters in all)"
    return replace(found, memory=replace(found.memory, content=content), links=links[:LINKS])


def _skill(app: App, slug: str) -> ShownSkill:
    found = show_skill(app, SkillShow(slug))
    if not trust.injected(found.skill.trust):
        raise NotFound(
            f"The skill {found.skill.slug} is foreign and has not been accepted here.",
            f"The tool `skill_show` shows it; `gitmem trust {found.skill.id[:12]}` accepts it.",
        )
    said = found.instructions
    if len(said) > ALONE:
        said = said[:ALONE] + f"… ({len(said)} characters in all)"
    return replace(found, instructions=said)


def _json(value: Any, said: str = "") -> str:
    """The value as JSON, with what is said in its first object."""
    told = inert_data(plain(value))
    if said and isinstance(told, dict):
        told = {NOTICE: said, **told}
    elif said and told:
        told[0] = {NOTICE: said, **told[0]}
    return json.dumps(told, ensure_ascii=False, indent=2)
