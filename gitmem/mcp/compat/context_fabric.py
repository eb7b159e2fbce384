"""The tools of Context Fabric: the twelve of its documents, and the later ones (CF-19 to CF-58)."""

from __future__ import annotations

from gitmem.mcp.compat import sifts, to_ours, to_theirs
from gitmem.mcp.compat.answer_shape import As, Each, When
from gitmem.mcp.compat.documented_call import FABRIC, Call, Path, Step, To
from gitmem.mcp.compat.fabric_memories import PROJECT, SESSION, TAGS, layer, memory

_RECALL = Call(
    FABRIC,
    ("context.recall",),
    "recall",
    {
        "query": To("string", "query", needed=True),
        "sessionId": SESSION,
        "limit": To("integer", "limit", 10),
        "offset": To("integer", sift=sifts.skip),
        "threshold": To(
            "number",
            sift=sifts.at_least("similarity", "score"),
            why="Compared with the cosine of the answer. Their default of 0.7 is of a fused score "
            "whose best is always 1: here nothing is left out unless it is given.",
        ),
        "mode": To("string", "mode", "hybrid", choices=("hybrid", "semantic", "keyword")),
        "filter": To(
            "object",
            inside={
                "types": To("array", "kind"),
                "layers": To("array", sift=sifts.in_layers),
                "tags": TAGS,
                "projectPath": PROJECT,
            },
        ),
        "includeSuperseded": To("boolean", "state", change=to_ours.replaced_too),
        "asOf": To("any", "as_of", change=to_ours.moment),
    },
    {
        "results": Each(
            "memories",
            {
                "memory": memory(ms=False),
                "similarity": As(to_theirs.similarity, "similarity", "score"),
                "layer": layer("layer"),
            },
        ),
        "total": As(to_theirs.count, "memories"),
    },
    page="memories",
)
_CURRENT = Call(
    FABRIC,
    ("context.getCurrent", "getCurrent"),
    "context",
    {
        "sessionId": SESSION,
        "currentFile": To("string", "file"),
        "currentCommand": To("string", "command"),
        "projectPath": PROJECT,
        "language": To("string", why="Patterns are those of the project, in any language."),
        "filePath": To("string", why="Patterns are those of the project, in any file."),
    },
    {
        "context": {
            "working": Each("now.working", memory(ms=False)),
            "relevant": Each("now.relevant", memory("memory", ms=False)),
            "patterns": Each(
                "now.patterns",
                {
                    "id": "id",
                    "name": As(to_theirs.either, "title", "content"),
                    "description": "content",
                },
            ),
            "suggestions": "now.suggestions",
            "ghostMessages": Each(
                "now.ghost_messages",
                {
                    "role": "role",
                    "content": "content",
                    "trigger": "trigger",
                    "isVisible": "visible",
                },
            ),
        }
    },
    departs="Of a pattern its name and text: language and usageCount are in context.getPatterns.",
)
_PATTERNS = Call(
    FABRIC,
    ("context.getPatterns",),
    "pattern list",
    {
        "language": To("string", "language"),
        "filePath": To("string", "file"),
        "limit": To("integer", "limit", 5),
        "projectPath": PROJECT,
    },
    {
        "patterns": Each(
            "patterns",
            {
                "id": "id",
                "name": "title",
                "description": "text",
                "language": "language",
                "usageCount": "uses",
            },
        )
    },
    departs="Those of the language and file come first, others after. Of their first versions; "
    "code is in `pattern_show`, relatedFiles and lastUsedAt are not told.",
)
_ORIENT = Call(
    FABRIC,
    ("context.orient",),
    "orient",
    {
        "timezone": To("string", "timezone"),
        "projectPath": PROJECT,
        "expression": To("string", why="Resolved beside the orientation."),
        "also": To("array", why="Shown beside the orientation."),
    },
    {
        "summary": "text",
        "time": "clock.anchor",
        "projectPath": "worktree",
        "offlineGap": As(to_theirs.offline_gap, "gap_seconds", "since", "memories"),
        "recentMemories": Each("memories", memory()),
        "resolved": When("asked.expression", "resolved.anchor.epochMs"),
        "conversions": When(
            "asked.also",
            As(
                to_theirs.conversions,
                "resolved.also",
                "clock.also",
                "resolved.anchor",
                "clock.anchor",
            ),
        ),
    },
    then={
        "clock": Step("time", {"tz": Path("asked.timezone"), "also": Path("asked.also")}),
        "resolved": Step(
            "time",
            {
                "expression": Path("asked.expression"),
                "tz": Path("asked.timezone"),
                "also": Path("asked.also"),
            },
            where="asked.expression",
        ),
    },
)
_TIME = Call(
    FABRIC,
    ("context.time",),
    "time",
    {
        "timezone": To("string", "tz"),
        "expression": To("string", "expression", "now"),
        "also": To("array", "also"),
    },
    {
        **{
            name: f"anchor.{name}"
            for name in (
                *("epochMs", "iso", "timezone", "utcOffset", "timeOfDay", "date", "dateShort"),
                *("dayOfWeek", "isWeekend", "weekNumber", "startOfDay", "endOfDay"),
                *("startOfNextDay", "startOfYesterday", "startOfWeek", "endOfWeek"),
                "startOfNextWeek",
            )
        },
        "conversions": When(
            "asked.also", As(to_theirs.conversions, "also", "also", "anchor", "anchor")
        ),
    },
)
_SEARCH_CODE = Call(
    FABRIC,
    ("context.searchCode",),
    "search",
    {
        "query": To("string", "query", needed=True),
        "mode": To(
            "string",
            "mode",
            "semantic",
            change=to_ours.named({"text": "keyword"}),
            choices=("text", "symbol", "semantic"),
        ),
        "language": To("string", "lang"),
        "filePattern": To("string", "path", change=to_ours.one_glob),
        "symbolKind": To("string", "kind"),
        "limit": To("integer", "limit", 10),
        "threshold": To(
            "number",
            sift=sifts.at_least("similarity", "score"),
            why="Compared with the cosine. Their default of 0.5 is for another model: here nothing "
            "is left out unless it is given.",
        ),
        "includeContent": To("boolean", default=True, why="Short enough to be there always."),
        "projectPath": PROJECT,
    },
    {
        "results": Each(
            "hits",
            {
                "filePath": "path",
                "language": As(to_theirs.language, "path"),
                "similarity": As(to_theirs.similarity, "similarity", "score"),
                "content": "snippet",
                "symbol": {
                    "name": As(to_theirs.first_word, "symbol"),
                    "kind": "context",
                    "signature": As(to_theirs.first_line, "snippet"),
                    "lineStart": "start_line",
                    "lineEnd": "end_line",
                    "docComment": As(to_theirs.second_line, "snippet"),
                },
            },
        ),
        "indexStatus": {
            "totalFiles": "whole.total.files",
            "lastIndexed": "index.commit",
            "isStale": As(to_theirs.is_stale, "index.state"),
        },
        "total": As(to_theirs.count, "hits"),
    },
    fixed={"sources": ("code",)},
    then={"whole": Step("summary", {})},
    page="hits",
    departs="The index belongs to a commit, not to a time: lastIndexed is that commit. Symbols are "
    "not counted (totalSymbols).",
)
_EVENT = {
    "type": To("string", "type"),
    "payload": To("object", "payload", change=to_ours.as_json),
    "timestamp": To("any", "at", change=to_ours.moment),
    "sessionId": SESSION,
    "cliType": To("string", why="A connection has one agent, which is found by the client."),
    "projectPath": PROJECT,
}
_REPORT_EVENT = Call(
    FABRIC,
    ("context.reportEvent",),
    "event",
    {
        "event": To("object", inside=_EVENT, why="Also without the object, as in the first ones:"),
        **_EVENT,
    },
    {
        "processed": "processed",
        "memoryId": "memory_id",
        "triggeredActions": "triggered_actions",
        "message": "message",
    },
    departs="An error that was met before is answered with what mended it, in the message.",
)
_SUMMARIZE = Call(
    FABRIC,
    ("context.summarize",),
    "summarize",
    {
        "layer": To("integer", why="The project's are summarised; what is global fades by itself."),
        "olderThanDays": To("integer", "older_than", 30, change=to_ours.days),
        "targetTokens": To("integer", "tokens"),
        "focusTypes": To("array", "kind"),
        "includePatterns": To("boolean", why="Where focusTypes names them."),
        "includeDecisions": To("boolean", why="Decisions are never summarised."),
        "projectPath": PROJECT,
    },
    None,
    departs="The originals are archived, and come back with summarize and undo.",
)
CALLS: tuple[Call, ...] = (
    _RECALL,
    _SUMMARIZE,
    _REPORT_EVENT,
    _CURRENT,
    _PATTERNS,
    _ORIENT,
    _TIME,
    _SEARCH_CODE,
)
WAITING = {
    "context.setup": "a person's act: `gitmem setup AGENT` (CF-51)",
    "context.backup": "a person's act: `gitmem backup` (CF-53)",
    "context.export": "a person's act: `gitmem export` (CF-52)",
    "context.import": "a person's act: `gitmem import` (CF-52)",
    "context.graph.export": "a person's act: `gitmem entity export` (CF-48)",
    "context.graph.import": "a person's act: `gitmem entity import` (CF-48)",
}  # fmt: skip
