"""The later tools of Context Fabric: skills, batches, documents, health (CF-42, CF-46, CF-47)."""

from __future__ import annotations

from typing import Any

from gitmem import __version__
from gitmem.mcp.compat import fabric_items, fabric_words, to_theirs
from gitmem.mcp.compat.answer_shape import As, Const, Each
from gitmem.mcp.compat.documented_call import FABRIC, Call, Path, Step, To
from gitmem.mcp.compat.fabric_memories import PROJECT

_SLUG = To("string", "slug", needed=True)
_PARAMETERS = To("array", "parameter", change=fabric_items.parameters)
_NAMED = {"shown": Step("skill show", {"slug": Path("slug")})}
_WRITTEN: dict[str, Any] = {
    "id": "id",
    "slug": "slug",
    "name": "shown.skill.name",
    "description": "shown.skill.description",
    "version": "version",
}


def _skill(at: str = "") -> dict[str, Any]:
    return {
        "slug": f"{at}slug",
        "name": f"{at}name",
        "description": f"{at}description",
        "version": f"{at}version",
        "invocationCount": f"{at}uses",
        "lastInvokedAt": As(to_theirs.milliseconds, f"{at}last_used"),
    }


_COUNTED = "A use is counted too where a skill was found by a search."
_SKILLS: tuple[Call, ...] = (
    Call(
        FABRIC,
        ("context.skill.create",),
        "skill create",
        {
            "slug": _SLUG,
            "name": To("string", "title", needed=True),
            "description": To("string", "description", needed=True),
            "instructions": To("string", "instructions", needed=True),
            "triggers": To("array", "trigger"),
            "parameters": _PARAMETERS,
            "tags": To("array", why="A skill is found by its triggers."),
            "projectPath": PROJECT,
        },
        _WRITTEN,
        then=_NAMED,
    ),
    Call(
        FABRIC,
        ("context.skill.list",),
        "skill list",
        {"projectPath": PROJECT},
        {
            "skills": Each("skills", {"id": "id", **_skill(), "triggers": "triggers"}),
            "count": As(to_theirs.count, "skills"),
        },
        departs=_COUNTED,
    ),
    Call(
        FABRIC,
        ("context.skill.get",),
        "skill show",
        {"slug": _SLUG, "projectPath": PROJECT},
        {
            "id": "skill.id",
            **_skill("skill."),
            "instructions": "instructions",
            "triggers": "skill.triggers",
            "parameters": As(fabric_words.parameters, "parameters"),
        },
        departs=_COUNTED,
    ),
    Call(
        FABRIC,
        ("context.skill.invoke",),
        "skill invoke",
        {
            "slug": _SLUG,
            "projectPath": PROJECT,
            "parameter": To("array", "parameter", why="Ours: what the skill is given, name=value."),
        },
        {
            **_skill("shown.skill."),
            "instructions": "instructions",
            "parameters": As(fabric_words.parameters, "shown.parameters"),
        },
        then=_NAMED,
        departs="A skill that has to be given something says so, and its instructions come with it "
        "filled in. A foreign skill is refused until a person accepts it.",
    ),
    Call(
        FABRIC,
        ("context.skill.update",),
        "skill update",
        {
            "slug": _SLUG,
            "name": To("string", "title"),
            "description": To("string", "description"),
            "instructions": To("string", "instructions"),
            "triggers": To("array", "trigger"),
            "parameters": _PARAMETERS,
            "projectPath": PROJECT,
        },
        _WRITTEN,
        then=_NAMED,
    ),
    Call(
        FABRIC,
        ("context.skill.delete",),
        "skill remove",
        {"slug": _SLUG, "projectPath": PROJECT},
        {"deleted": Const(True), "slug": "slug"},
        departs="Archived: a person can restore it. One that nobody has is refused by its name.",
    ),
)
CALLS: tuple[Call, ...] = (
    *_SKILLS,
    Call(
        FABRIC,
        ("context.storeBatch",),
        "remember",
        {
            "items": To("array", "text", needed=True, change=fabric_items.lines),
            "projectPath": PROJECT,
        },
        {
            "stored": As(fabric_words.stored, "items"),
            "failed": "failed",
            "results": As(fabric_words.kept_items, "items", "asked.items"),
            "errors": As(fabric_words.failed_items, "items"),
        },
        fixed={"piped": True},
        departs="Each item belongs to the project of the call. The layer of an item is told where "
        "it was given; context.get tells it of the others.",
    ),
    Call(
        FABRIC,
        ("context.importDocs",),
        "import-docs",
        {
            "files": To("array", "path"),
            "maxChars": To("integer", "max_chars", 50_000),
            "dryRun": To("boolean", "dry_run", False),
            "projectPath": PROJECT,
        },
        {
            "projectPath": "here.worktree",
            "imported": As(fabric_words.imported, "files"),
            "summary": As(fabric_words.import_summary, "files"),
            "dryRun": "dry_run",
        },
        departs="What an agent imports waits in the inbox, unpinned, until a person agrees: status "
        "says `proposed`. bytes and truncated are not told.",
    ),
    Call(
        FABRIC,
        ("context.health",),
        "doctor",
        {"projectPath": PROJECT},
        {
            "status": As(fabric_words.health, "failed"),
            "version": Const(__version__),
            "checks": As(fabric_words.checks, "findings"),
        },
        fixed={"fix": False, "live": False},
        departs="Checks are those of `gitmem doctor`, by its names.",
    ),
    Call(
        FABRIC,
        ("context.codeIndexRepair",),
        "index",
        {"dryRun": To("boolean", "dry_run", False), "projectPath": PROJECT},
        {
            "dryRun": "dry_run",
            "health": {
                "status": Const("ok"),
                "totalFiles": As(to_theirs.total, "added", "moved", "kept"),
            },
            "repair": {
                "scanned": As(to_theirs.total, "added", "moved", "kept"),
                "removedFiles": "dropped",
                "reindexedFiles": As(to_theirs.total, "added", "moved"),
                "reembeddedChunks": "vectors",
            },
        },
        fixed={"action": "refresh"},
        departs="Files are known by their content: what a look finds stale it reads again. Files "
        "are counted and not named; a damaged index is found by context.health.",
    ),
)
