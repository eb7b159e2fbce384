"""The tool names of five other systems, and which of our tools does what each asks for.

Data only. Offered in the profile ``compat``, so that instructions and habits written for one of
them go on working; what no operation does yet is in ``LATER``, with the area it will come with.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gitmem.model.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Route:
    """One of our tools, with the arguments that have one value here."""

    tool: str
    fixed: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Gateway:
    """One name for several tools: which one is said by the argument ``by``, or found out.

    ``detect``: the first of these arguments that is given names the action; ``otherwise`` is it
    where none is.
    """

    by: str
    actions: Mapping[str, Route]
    detect: tuple[tuple[str, str], ...]
    otherwise: str


_SEARCH, _RECALL, _REMEMBER = Route("search"), Route("recall"), Route("remember")
_DECIDE, _TIMELINE, _STATUS = Route("decide"), Route("timeline"), Route("status")
_CODE = Route("search", {"sources": ("code",)})
_TESTS, _CONFIG = Route("search", {"mode": "tests"}), Route("search", {"mode": "config"})
_SYMBOL, _CALLERS = Route("search", {"mode": "symbol"}), Route("search", {"mode": "callers"})
_IMPORTERS = Route("search", {"mode": "importers"})

SAME: dict[str, Route] = {
    # Contextify (CT-16)
    "store_memory": _REMEMBER,
    "recall_memories": _RECALL,
    "search_memories": _RECALL,
    "get_memory": Route("show"),
    "update_memory": Route("revise"),
    "delete_memory": Route("forget"),
    "create_relationship": Route("link"),
    "get_related_memories": Route("related"),
    "promote_memory": Route("promote"),
    "find_similar": Route("recall", {"mode": "semantic"}),
    # MemoryLayer (ML-4 to ML-9, ML-21, ML-28 to ML-37)
    "search_codebase": _CODE,
    "record_decision": _DECIDE,
    "record_decision_with_author": _DECIDE,
    "update_decision_status": Route("revise"),
    "get_project_summary": Route("orient"),
    "get_file_context": Route("recall", {"query": "*"}),
    "get_symbol": _SYMBOL,
    "get_related_tests": _TESTS,
    "get_predicted_files": Route("predict"),
    "set_feature_context": Route("feature_set"),
    "switch_feature_context": Route("feature_switch"),
    "get_active_context": Route("session_show"),
    "list_recent_contexts": Route("session_list"),
    "get_changelog": Route("timeline", {"only": ("commits",)}),
    "what_happened": _TIMELINE,
    "what_changed": _TIMELINE,
    "mark_critical": Route("pin"),
    "get_critical_context": Route("list_memories", {"pinned": True}),
    "learn_pattern": Route("remember", {"kind": "pattern"}),
    "list_patterns": Route("list_memories", {"kind": ("pattern",)}),
    "get_pattern": Route("show"),
    "memory_ghost": Route("check"),
    "check_conflicts": Route("check"),
    "get_context_health": Route("session_health"),
    "memory_refresh": Route("index", {"action": "refresh"}),
    "get_refresh_status": _STATUS,
    # Context Engine (CE-8 to CE-22)
    "store": _REMEMBER,
    "find": _RECALL,
    "repo_search": _SEARCH,
    "context_search": _SEARCH,
    "info_request": _SEARCH,
    "code_search": _CODE,
    "search_tests_for": _TESTS,
    "search_config_for": _CONFIG,
    "search_callers_for": _CALLERS,
    "search_importers_for": _IMPORTERS,
    "search_commits_for": Route("search", {"sources": ("commits",)}),
    "index_root": Route("index", {"action": "refresh"}),
    "prune": Route("index", {"action": "prune"}),
    "workspace_info": _STATUS,
    "set_session_defaults": Route("session_defaults"),
    # Context Cache (CC-6)
    "kb_search": Route("search", {"sources": ("notes",)}),
    # Context Fabric (CF-19)
    "getCurrent": Route("orient"),
}

GATEWAYS: dict[str, Gateway] = {
    # CT-17, ML-4: with a question it is a search.
    "get_context": Gateway(
        "action", {"orient": Route("orient"), "search": _SEARCH}, (("query", "search"),), "orient"
    ),
    # CE-14
    "symbol_graph": Gateway(
        "query_type",
        {"definition": _SYMBOL, "callers": _CALLERS, "importers": _IMPORTERS},
        (),
        "definition",
    ),
    # ML-21 to ML-23
    "memory_query": Gateway(
        "action",
        {
            "context": Route("orient"),
            "search": _SEARCH,
            "memories": _RECALL,
            "file": Route("recall", {"query": "*"}),
            "symbol": _SYMBOL,
            "dependencies": _IMPORTERS,
            "existing": _CODE,
            "summary": Route("summary"),
            "predict": Route("predict"),
            "confidence": Route("context"),
            "sources": Route("context"),
        },
        (("symbol", "symbol"), ("query", "search"), ("path", "file")),
        "context",
    ),
    "memory_record": Gateway(
        "type",
        {
            "note": _REMEMBER,
            "decision": _DECIDE,
            "pattern": Route("remember", {"kind": "pattern"}),
            "example": Route("remember", {"kind": "pattern"}),
            "feedback": Route("remember", {"kind": "feedback"}),
            "feature": Route("remember", {"kind": "feature"}),
            "critical": Route("remember", {"kind": "critical", "pin": True}),
        },
        (("why", "decision"), ("supersedes", "decision"), ("decision", "decision")),
        "note",
    ),
    "memory_status": Gateway(
        "action",
        {
            "status": _STATUS,
            "health": Route("doctor"),
            "stats": Route("stats"),
            "changes": _TIMELINE,
            "sessions": Route("session_list"),
        },
        (("since", "changes"),),
        "status",
    ),
    "memory_verify": Gateway(
        "action",
        {"memories": Route("verify"), "diff": Route("affected")},
        (("revisions", "diff"), ("staged", "diff")),
        "memories",
    ),
}

# Area (docs/features.md) -> the names that come with it.
LATER: dict[str, tuple[str, ...]] = {
    "living memory": (
        *("consolidate_memories", "suggest_consolidations", "trigger_compaction"),
        *("validate_pattern", "add_pattern_example", "get_learning_stats"),
        *("mark_context_useful", "get_confidence"),
    ),
    "context": (*("context_answer", "get_file_summary", "list_sources"),),
    "graph": (
        *("get_dependencies", "find_circular_deps", "get_impact_analysis", "graph_query"),
        *("get_architecture", "get_architecture_stats", "get_component_doc"),
    ),
    "history": (
        *("change_history_for_path", "lineage_answer", "get_commit_diff", "why_broke"),
        *("find_similar_bugs", "suggest_fix"),
    ),
    "review": (
        *("memory_review", "suggest_existing", "check_tests", "suggest_test_update"),
        "get_test_coverage",
    ),
    "agents": (
        *("switch_project", "discover_projects", "list_projects", "search_all_projects"),
        *("list_workspaces", "collection_map", "report_event"),
    ),
    "sync": (
        *("export_adr", "export_decisions_to_adr", "importDocs", "generate_docs"),
        *("validate_docs", "find_undocumented"),
    ),
}
