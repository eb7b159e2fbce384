"""What MemoryLayer keeps an eye on: critical content, patterns, health, activity (ML-30)."""

from __future__ import annotations

from typing import Any

from gitmem.mcp.compat import layer_patterns, layer_words, sifts, to_ours, to_theirs
from gitmem.mcp.compat.answer_shape import As, Const, Each
from gitmem.mcp.compat.documented_call import Call, Path, Step, To
from gitmem.mcp.compat.memory_layer import layer_call

_SHOWN = {"shown": Step("show", {"id": Path("id")})}
_CRITICAL: dict[str, Any] = {
    "id": "id",
    "type": As(layer_words.critical_type, "tags"),
    "content": "content",
    "reason": "title",
    "created_at": "created_at",
}
_CRITICALS = {
    "total": "total",
    "by_type": As(layer_words.by_critical_type, "memories"),
    "items": Each("memories", _CRITICAL),
}


_HEALTH: dict[str, Any] = {
    "health": As(layer_words.health, "fill.level"),
    "tokens_used": "fill.tokens",
    "tokens_limit": "fill.limit",
    "utilization": As(layer_words.percent, "fill.tokens", "fill.limit"),
    "drift_score": "drift.score",
    "drift_detected": As(layer_words.drifts, "drift.score"),
    "compaction_needed": As(layer_words.is_critical, "fill.level"),
    "suggestions": "drift.absent",
}
_HAPPENED: dict[str, Any] = {
    "time_range": {"since": "since", "until": "clock.utc"},
    "summary": As(layer_words.summed_up, "entries"),
    "changes": Each(
        "entries", {"timestamp": "at", "type": "type", "description": "text", "details": "ref"}, 20
    ),
    "decisions": As(layer_words.decisions_of, "entries"),
    "total_changes": As(to_theirs.count, "entries"),
}
_NOW = {"clock": Step("time", {})}


_MARK = layer_call(
    "mark_critical",
    "remember",
    {
        "content": To("string", "text", needed=True),
        "type": To("string", "tag", "custom", change=to_ours.as_tag,
                   choices=("decision", "requirement", "instruction", "custom")),
        "reason": To("string", "title"),
    },
    {
        "id": "id",
        "type": "asked.type",
        "content": "shown.memory.content",
        "reason": "shown.memory.title",
        "created_at": "shown.memory.created_at",
        "never_compress": "shown.memory.pinned",
    },
    fixed={"pin": True, "kind": "critical"},
    then=_SHOWN,
    departs="A pinned memory; its type is a tag.",
)  # fmt: skip
CRITICAL = layer_call(
    "get_critical_context",
    "list",
    {"type": To("string", sift=sifts.of_critical_type)},
    _CRITICALS,
    fixed={"pinned": True},
    page="memories",
)
_LEARN = layer_call(
    "learn_pattern",
    "remember",
    {
        "code": To("string", "text", needed=True),
        "name": To("string", "title", needed=True),
        "description": To("string", "metadata", change=to_ours.as_metadata("description")),
        "category": To("string", "tag"),
    },
    {"success": Const(True), "pattern_id": "id", "message": "action"},
    fixed={"kind": "pattern"},
)
HEALTH = layer_call(
    "get_context_health", "session health", {"include_history": To("boolean", why="Always told.")},
    _HEALTH,
)  # fmt: skip
_COMPACT = layer_call(
    "trigger_compaction",
    "session compact",
    {
        "strategy": To(
            "string",
            "strategy",
            change=to_ours.named({"summarize": "summarise"}),
            choices=("summarize", "summarise", "selective", "aggressive"),
        )
    },
    None,
    departs="What gitmem itself tells the session is cut down; its host compacts the rest.",
)
HAPPENED = layer_call(
    "what_happened",
    "timeline",
    {"since": To("string", "since", "7d", change=to_ours.period),
     "scope": To("string", why="The whole project: a timeline of one folder comes with history.")},
    _HAPPENED,
    then=_NOW,
    departs="Files are told with history (ML-33).",
)  # fmt: skip
CALLS: tuple[Call, ...] = (
    _MARK,
    CRITICAL,
    _LEARN,
    *layer_patterns.CALLS,
    HEALTH,
    _COMPACT,
    HAPPENED,
)
