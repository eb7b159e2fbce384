"""The gateways of MemoryLayer's later versions, and names that mean one of two calls (ML-21)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gitmem.mcp.compat import contextify, layer_words, memory_layer, to_ours, to_theirs
from gitmem.mcp.compat.answer_shape import As, Const
from gitmem.mcp.compat.documented_call import LAYER, Call, Choice, Path, To
from gitmem.mcp.compat.gateway_parts import (
    CHANGED_ACTION,
    CHANGELOG_ACTION,
    EXISTING_ACTION,
    SAID,
    SCOPE,
    inside,
)
from gitmem.mcp.compat.graph_calls import DEPENDENCIES
from gitmem.mcp.compat.layer_features import PREDICTED, PREDICTED_FILES
from gitmem.mcp.compat.layer_patterns import EXAMPLE, PATTERN_LIST, STATS, feedback
from gitmem.mcp.compat.layer_upkeep import CRITICAL, HAPPENED, HEALTH
from gitmem.mcp.compat.memory_layer import (
    FILE,
    FILE_SUMMARY,
    QUESTION_CONTEXT,
    SEARCH,
    SUMMARY,
    SYMBOL,
)

_QUERY = To("string", why="What else is given says what is wanted.")


_MOST = To("integer", "limit", 10)
_HITS = memory_layer.SEARCH.answers or {}
_SYMBOLS = SYMBOL.answers or {}
_FILE = To("string", "path", needed=True)

QUERY = Choice(
    LAYER,
    "memory_query",
    "action",
    {
        "context": inside(
            QUESTION_CONTEXT,
            "context",
            {
                "query": To("string", "query", needed=True),
                "max_tokens": To("integer", "max_tokens", 6000),
                "max_results": To("integer", why="The budget says how much is told."),
                **SAID,
            },
            {
                "content": "context",
                **{name: part for name, part in (QUESTION_CONTEXT.answers or {}).items()
                   if name != "context"},
            },
        ),
        "search": inside(
            SEARCH,
            "search_results",
            {"query": To("string", "query", needed=True), "max_results": _MOST, **SAID},
            _HITS["results"],
        ),
        "file": inside(FILE, "file_content", {"query": _QUERY, "file": _FILE, **SAID}),
        "summary": inside(
            FILE_SUMMARY, "file_summary", {"query": _QUERY, "file": _FILE, **SAID},
            {"path": "path", "summary": "summary"},
        ),
        "symbol": inside(
            SYMBOL,
            "symbols",
            {
                "query": _QUERY,
                "symbol": To("string", "query", needed=True),
                "symbol_kind": To("string", "kind"),
                "max_results": _MOST,
                **SAID,
            },
            _SYMBOLS["results"],
        ),
        "predict": inside(
            PREDICTED,
            "predicted_files",
            {
                "query": To("string", "query", needed=True),
                "file": To("string", "path"),
                "max_results": To("integer", why="At most ten are told."),
                **SAID,
            },
            PREDICTED_FILES,
        ),
        "dependencies": inside(
            DEPENDENCIES, "dependencies", {"query": _QUERY, "file": _FILE, **SAID}
        ),
        "existing": EXISTING_ACTION,
    },
    (("symbol", "symbol"), ("file", "file")),
    "context",
    departs="The actions confidence and sources wait: see those tools.",
)  # fmt: skip

_CONTENT = To("string", "text", needed=True)
_FILES, _TAGS = To("array", "path"), To("array", "tag")


def _kept(kind: str, of: Mapping[str, To], fixed: Mapping[str, Any], **more: Any) -> Call:
    return Call(
        LAYER,
        (),
        more.pop("operation", "remember"),
        of,
        {
            "success": Const(True),
            "type": Const(kind),
            "id": "id",
            "message": As(to_theirs.kept, "action"),
        },
        fixed=fixed,
        **more,
    )


RECORDS = Choice(
    LAYER,
    "memory_record",
    "type",
    {
        "decision": _kept(
            "decision",
            {
                "content": To("string", "why", needed=True),
                "title": To("string", "title", why="Else the first 50 characters (ML-23)."),
                "files": _FILES,
                "tags": _TAGS,
                "author": To("string", "author"),
                "status": To("string", "status"),
            },
            {"title": Path("asked.content", most=50)},
            operation="decide",
        ),
        "pattern": _kept(
            "pattern",
            {
                "content": _CONTENT,
                "pattern_name": To("string", "title"),
                "title": To("string", "title"),
                "code": To("string", "metadata", change=to_ours.as_metadata("code")),
                "files": _FILES,
                "tags": _TAGS,
            },
            {"kind": "pattern"},
        ),
        "critical": _kept(
            "critical",
            {
                "content": _CONTENT,
                "critical_type": To("string", "tag", "custom", change=to_ours.as_tag),
                "reason": To("string", "title"),
                "files": _FILES,
            },
            {"kind": "critical", "pin": True},
        ),
        "feature": Call(
            LAYER,
            (),
            "feature set",
            {
                "content": To("string", "name", needed=True),
                "files": To("array", why="Files belong to a feature as they are viewed."),
            },
            {
                "success": Const(True),
                "type": Const("feature"),
                "id": "name",
                "message": As(layer_words.tracking, "name"),
            },
        ),
        "note": _kept(
            "note",
            {"content": _CONTENT, "title": To("string", "title"), "files": _FILES, "tags": _TAGS},
            {},
        ),
        "feedback": feedback(
            "memory_record",
            {"content": To("string", needed=True), "query": To("string")},
            Path("asked.query", other="asked.content"),
            {
                "success": Const(True),
                "type": Const("feedback"),
                "record": {
                    "query": As(to_theirs.either, "asked.query", "asked.content"),
                    "was_useful": "asked.was_useful",
                },
            },
        ),
    },
    (("was_useful", "feedback"), ("critical_type", "critical"), ("pattern_name", "pattern"),
     ("author", "decision"), ("status", "decision"), ("title", "decision")),
    "note",
    guess=to_ours.worded_as,
    departs="An example is added with add_pattern_example. note is ours.",
)  # fmt: skip

STATUS = Choice(
    LAYER,
    "memory_status",
    "action",
    {
        "summary": inside(SUMMARY, "project", {"scope": SCOPE}),
        "happened": inside(
            HAPPENED,
            "activity",
            {
                "since": To("string", "since", "7d", change=to_ours.period),
                "author": To("string", "author"),
                "scope": SCOPE,
            },
            {
                "time_range": (HAPPENED.answers or {})["time_range"],
                "summary": (HAPPENED.answers or {})["summary"],
                "changes_count": As(to_theirs.count, "entries"),
                "decisions_count": As(layer_words.count_decisions, "entries"),
            },
        ),
        "changed": CHANGED_ACTION,
        "changelog": CHANGELOG_ACTION,
        "health": inside(
            HEALTH, "health",
            {"scope": SCOPE, "include_history": To("boolean", why="Always told.")},
        ),
        "patterns": inside(
            PATTERN_LIST,
            "patterns",
            {"scope": SCOPE, "category": To("string", "topic")},
        ),
        "critical": inside(CRITICAL, "critical", {"scope": SCOPE}),
        "stats": inside(
            STATS,
            "stats",
            {"scope": SCOPE},
            {
                "patterns_total": "known.total",
                "functions_total": "index.functions",
                "functions_exported": "index.exported",
            },
        ),
    },
    (
        *(("scope=" + scope, action) for scope, action in (
            ("project", "summary"), ("changes", "happened"), ("health", "health"),
            ("patterns", "patterns"))),
        ("since", "happened"),
    ),
    "summary",
    departs="The actions architecture, undocumented and learning wait: "
    "see those tools.",
)  # fmt: skip

CONTEXT = Choice(
    LAYER,
    "get_context",
    "",
    {"question": QUESTION_CONTEXT, "project": contextify.PROJECT_CONTEXT},
    (("query", "question"), ("current_file", "question"), ("max_tokens", "question")),
    "project",
    departs="MemoryLayer's with a question, Contextify's without.",
)
DECISION_STATUS = Choice(
    LAYER,
    "update_decision_status",
    "",
    {"replaced": memory_layer.REPLACED, "changed": memory_layer.STATUS_CHANGED},
    (("superseded_by", "replaced"),),
    "changed",
)
CHOICES = (CONTEXT, DECISION_STATUS, EXAMPLE, QUERY, RECORDS, STATUS)
_DOCS, _TESTS = "living documents (ML-30)", "tests (ML-37)"
WAITING = {
    "get_learning_stats": "counts of learning (ML-19): `stats` has those of use",
    "search_all_projects": "search across projects (ML-38)",
    "discover_projects": "looking for repositories that nobody has set up (ML-38)",
    "generate_docs": _DOCS,
    "get_architecture": _DOCS,
    "get_component_doc": _DOCS,
    "validate_docs": _DOCS,
    "find_undocumented": _DOCS,
    "get_confidence": "the confidence of a piece of code (ML-32)",
    "list_sources": "the confidence of a piece of code (ML-32)",
    "check_tests": _TESTS,
    "suggest_test_update": _TESTS,
    "get_test_coverage": _TESTS,
    "memory_review": "gates before a commit (ML-24)",
    "memory_verify": "gates before a commit (ML-25): `verify` and `affected` judge memories",
}
