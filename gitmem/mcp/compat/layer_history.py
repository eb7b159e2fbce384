"""What MemoryLayer says of the past, what broke and what is there already (ML-27 to ML-35)."""

from __future__ import annotations

from typing import Any

from gitmem.mcp.compat import layer_past, sifts, to_ours, to_theirs
from gitmem.mcp.compat.answer_shape import As, Each
from gitmem.mcp.compat.documented_call import Call, To
from gitmem.mcp.compat.memory_layer import layer_call

_ERROR = To("string", "text", needed=True)
# Of `why_broke`, which is a tool of ours too.
_OURS = ("error", "fixes", "suspects", "places", "looked_at", "note")
CHANGED: dict[str, Any] = {
    "period": "asked.since",
    "since": "since",
    "until": "until",
    "total_files": "files",
    "by_author": As(layer_past.by_author, "areas"),
    "changes": As(layer_past.changes, "areas"),
    "message": As(layer_past.found_changes, "commits", "files"),
}
WHAT_CHANGED = layer_call(
    "what_changed",
    "changes",
    {
        "since": To("string", "since", needed=True, change=to_ours.period),
        "file": To("string", "path"),
        "author": To("string", "author"),
    },
    CHANGED,
    fixed={"limit": 100},
    departs="A change is a commit, its file the folder that most of it is in: the five newest of "
    "each folder. Lines are not counted (total_lines_added, total_lines_removed, by_type).",
)
_DAYS: dict[str, Any] = {
    "period": "asked.since",
    "days": As(layer_past.days, "entries", "asked.group_by", "asked.include_decisions"),
    "total_days": As(layer_past.found_days, "entries", "asked.group_by"),
}
CHANGELOG = layer_call(
    "get_changelog",
    "timeline",
    {
        "since": To("string", "since", "this week", change=to_ours.period),
        "group_by": To("string", default="day", choices=("day", "week")),
        "include_decisions": To("boolean", default=False),
    },
    _DAYS,
    fixed={"only": ("commits", "memories"), "limit": 1000},
    departs="What a commit is says the beginning of its subject: a fix, a change of form, else a "
    "feature. Files and lines are not told.",
)
_FUNCTION: dict[str, Any] = {
    "name": As(to_theirs.first_word, "symbol"),
    "file": "path",
    "line": "start_line",
    "signature": As(to_theirs.first_line, "snippet"),
    "similarity": As(to_theirs.similarity, "similarity", "score"),
}
EXISTING = layer_call(
    "suggest_existing",
    "search",
    {"intent": To("string", "query", needed=True), "limit": To("integer", "limit", 5)},
    {
        "total": As(to_theirs.count, "hits"),
        "suggestions": Each("hits", {**_FUNCTION, "description": As(to_theirs.second_line,
                                                                    "snippet")}),
        "message": As(layer_past.found_functions, "hits"),
    },
    fixed={"sources": ("code",), "only": "source"},
    page="hits",
    sifts=((sifts.having, "symbol"),),
    departs="What defines something by a name, nearest in words and meaning; how often it is used "
    "and its purpose come with the graph (ML-20).",
)  # fmt: skip
EXISTING_FUNCTIONS = Each("hits", _FUNCTION)
CALLS: tuple[Call, ...] = (
    WHAT_CHANGED,
    CHANGELOG,
    EXISTING,
    layer_call(
        "why_broke",
        "why-broke",
        {
            "error": _ERROR,
            "file": To("string", "file"),
            "line": To("integer", "line"),
        },
        {
            **{
                name: name for name in ("error", "fixes", "suspects", "places", "looked_at", "note")
            },
            "likely_cause": As(layer_past.likely_cause, "suspects"),
            "confidence": As(layer_past.cause_confidence, "suspects"),
            "related_changes": As(layer_past.related_changes, "suspects"),
            "past_similar_bugs": Each("fixes", {"fix": "text", "fix_commit": "commit"}),
            "suggested_fix": As(layer_past.suggested_fix, "fixes"),
            "reasoning": As(layer_past.reasoning, "suspects"),
            "message": As(layer_past.found_cause, "suspects"),
        },
        departs="Our own tool of this name, with our fields and theirs. A cause is a commit, not "
        "its diff.",
    ),
    *(
        layer_call(
            name,
            "adr export",
            {
                "output_dir": To("string", "folder"),
                "format": To("string", "format", "madr", choices=("madr", "nygard", "simple")),
                "include_index": To("boolean", default=True, why="Always written."),
            },
            {
                "message": As(layer_past.exported, "files"),
                "files": As(layer_past.exported_files, "files"),
                "format": "asked.format",
            },
            departs="A record that is in its file as it stands is not written again, nor told.",
        )
        for name in ("export_decisions_to_adr", "export_adr")
    ),
)
