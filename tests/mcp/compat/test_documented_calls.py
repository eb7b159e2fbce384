"""The documented calls of five other systems, made by a client of the SDK over the whole server.

The fields are those that their documents show, written down here a second time: `[]` is the first
item of a list, which has to be there. Where an answer departs, docs/reference/compat.md says why.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal
from mcp import Client, MCPError
from mcp_types import CallToolResult, Implementation

from gitmem.errors import Conflict, InvalidInput
from gitmem.mcp import handlers
from gitmem.mcp.compat import tool_names
from gitmem.mcp.connection import ClientConnection
from gitmem.mcp.rpc.executor import CallExecutor as Server
from gitmem.mcp.tools import call_arguments
from tests.mcp.agents import Agent, remembering, shop
from tests.mcp.peers import Connected
from tests.support.apps import MINUTE, Desk, small_repo
from tests.support.conversations import put
from tests.support.repos import RepoBuilder

MEMORY = "id type content metadata.tags tags pinned createdAt updatedAt"
ANCHOR = (
    "epochMs iso timezone utcOffset timeOfDay date dateShort dayOfWeek isWeekend weekNumber "
    "startOfDay endOfDay startOfNextDay startOfYesterday startOfWeek endOfWeek startOfNextWeek"
)
CONTEXTIFY = (
    "id title content summary type scope project_id agent_source tags importance ttl_seconds? "
    "access_count expires_at? version merged_from replaced_by created_at updated_at"
)
DECISION = "id title description files tags created_at message"
SKILL = "slug name description version invocationCount"
HIT = "score path symbol start_line end_line snippet highlights metadata.language"


def under(path: str, names: str) -> str:
    """Each of the names below a path."""
    return " ".join(f"{path}.{name}" for name in names.split())


# One call of each tool as its documents show it, and the fields of its answer. A value that begins
# with $ is the id that an earlier line has kept under that name; a field with ? may be null.
CALLS: list[tuple[str, dict[str, Any], str, str]] = [
    ("context.store", {"type": "decision", "content": "Use Zod for all input validation.",
      "metadata": {"tags": ["validation", "zod"], "confidence": 0.95, "weight": 5,
                   "source": "user_explicit", "title": "Zod", "fileContext":
                   {"path": "src/server.py", "lineStart": 4, "lineEnd": 9}}},
     "id success layer", "zod=id"),
    ("context.store", {"type": "bug_fix", "content": "Lock the token refresh of the session.",
      "metadata": {"tags": ["auth"]}, "layer": 2, "pinned": True}, "id success layer", "fix=id"),
    ("context.store", {"type": "code_pattern", "layer": 3,
      "content": "Use Promise.allSettled for batches of calls.", "metadata": {"tags": ["http"],
      "provenance": {"sessionId": "s", "filePath": "src/server.py", "lineStart": 18, "lineEnd": 34,
      "commitSha": "abc1234"}, "dedupe": {"strategy": "merge", "threshold": 0.92}}},
     "id success layer", "settled=id"),
    ("context.store", {"type": "code_pattern", "layer": 3,
      "content": "Use Promise.allSettled for batches of calls!",
      "metadata": {"dedupe": {"strategy": "merge"}}},
     "id success layer " + under("_dedupe", "strategy similarity existingId"), ""),
    ("context.store", {"type": "code_pattern", "layer": 3,
      "content": "Await each call by itself.", "metadata": {"supersedes": "$settled"}},
     "id success layer", ""),
    ("context.store", {"type": "scratchpad", "content": "Refactoring the auth module now.",
      "metadata": {}, "layer": 1, "ttl": 600}, "id success layer", "scratch=id"),
    ("context.recall", {"query": "input validation", "sessionId": "s", "limit": 5,
      "mode": "hybrid", "filter": {"types": ["decision"], "layers": [2, 3], "tags": ["zod"]}},
     under("results[].memory", "id type content metadata.tags createdAt updatedAt")
     + " results[].similarity results[].layer total", ""),
    ("context.getCurrent", {"sessionId": "s", "currentFile": "src/server.py",
      "currentCommand": "npm test", "language": "python"},
     "context.working context.relevant context.patterns context.suggestions context.ghostMessages "
     + under("context.relevant[]", "id type content metadata createdAt"), ""),
    ("getCurrent", {"sessionId": "s"}, "context.working context.patterns", ""),
    ("context.orient", {"timezone": "Europe/London"},
     f"summary projectPath offlineGap? recentMemories {under('time', ANCHOR)}", ""),
    ("context.orient", {"timezone": "America/New_York", "expression": "next Monday",
      "also": ["Europe/London", "Asia/Tokyo"]},
     "summary time.timezone resolved "
     + under("conversions[]", "epochMs timezone iso timeOfDay date utcOffset"), ""),
    ("context.time", {"timezone": "Asia/Tokyo", "also": ["Europe/London"]},
     f"{ANCHOR} conversions[].timezone", ""),
    ("context.searchCode", {"query": "Server", "mode": "symbol", "symbolKind": "class", "limit": 5},
     "results[].filePath results[].language "
     + under("results[].symbol", "name kind signature lineStart lineEnd docComment")
     + " total " + under("indexStatus", "totalFiles totalSymbols lastIndexed isStale"), ""),
    ("context.searchCode", {"query": "port", "mode": "text", "filePattern": "src/**/*.py"},
     "results[].content total", ""),
    # Nothing is a thousand days old: what is told is our own.
    ("context.summarize", {"layer": 2, "olderThanDays": 1000, "targetTokens": 500,
      "focusTypes": ["general"], "includeDecisions": False}, "made stays", ""),
    ("context.reportEvent", {"type": "error_occurred", "payload": {"error": "KeyError: 'price'"},
      "timestamp": 1_700_000_000_000, "sessionId": "s", "cliType": "claude"},
     "processed memoryId triggeredActions[] message", ""),
    ("context.reportEvent", {"event": {"type": "session_end", "payload": {"summary": "Signed."},
      "timestamp": "2026-02-25T09:00:00.000Z", "sessionId": "s", "cliType": "claude-code"}},
     "processed memoryId triggeredActions[] message", ""),
    ("context.skill.create", {"slug": "review-pr", "name": "Review a pull request",
      "description": "The checklist.", "triggers": ["pr"], "instructions": "Read {{prUrl}}.",
      "parameters": [{"name": "prUrl", "required": True}, {"name": "depth", "required": False,
      "description": "How deep"}]}, "id slug name description version", ""),
    ("context.skill.list", {}, under("skills[]", f"id {SKILL} triggers[]") + " count", ""),
    ("context.skill.get", {"slug": "review-pr"}, f"id {SKILL} instructions triggers[] "
     + under("parameters[]", "name description required"), ""),
    ("context.skill.invoke", {"slug": "review-pr", "parameter": ["prUrl=#12"]},
     f"{SKILL} lastInvokedAt instructions " + under("parameters[]", "name required"), ""),
    ("context.skill.update", {"slug": "review-pr", "instructions": "Read it."},
     "id slug name description version", ""),
    ("context.skill.delete", {"slug": "review-pr"}, "deleted slug", ""),
    ("context.storeBatch", {"items": [
      {"type": "decision", "content": "Postgres is the primary store.",
       "metadata": {"tags": ["db"], "weight": 5}, "layer": 2, "pinned": True},
      {"type": "decision", "content": " ", "metadata": {}}]},
     "stored failed " + under("results[]", "id layer pinned") + " "
     + under("errors[]", "index error"), ""),
    ("context.importDocs", {"files": ["README.md"], "maxChars": 1000},
     "projectPath dryRun " + under("imported[]", "file id status") + " "
     + under("summary", "total stored skipped"), ""),
    ("context.health", {}, "status version " + under("checks[]", "name status detail"), ""),
    ("context.codeIndexRepair", {"dryRun": True}, "dryRun health.status health.totalFiles "
     + under("repair", "scanned removedFiles reindexedFiles reembeddedChunks"), ""),
    ("context.get", {"memoryId": "$zod"}, under("memory", MEMORY + " accessCount") + " layer", ""),
    ("context.update", {"memoryId": "$zod", "content": "Use Zod for all validation.",
      "tags": ["validation", "zod", "api"]}, under("memory", MEMORY) + " layer success", ""),
    ("context.update", {"memoryId": "$zod", "pinned": True}, "memory.pinned layer success", ""),
    ("context.update", {"memoryId": "$zod", "pinned": False}, "memory.pinned layer success", ""),
    ("context.update", {"memoryId": "$scratch", "targetLayer": 2},
     "success memoryId newLayer", ""),
    ("context.list", {"layer": 2, "type": "decision", "limit": 10, "offset": 0},
     under("memories[]", MEMORY) + " total limit offset layer", ""),
    ("context.list", {"stats": True}, "l1 l2 l3 total pinned.l2 pinned.l3", ""),
    ("context.stats", {}, "l1.count l2.count l2.pinned l2.byType.decision l3.count l3.pinned total",
     ""),
    ("context.promote", {"memoryId": "$fix", "fromLayer": 2}, "success memoryId newLayer", ""),
    ("context.ghost", {"sessionId": "s", "trigger": "file_opened",
      "currentContext": "Working on authentication service"},
     under("messages[]", "id role content timestamp trigger") + " "
     + under("relevantMemories[]", "id type content") + " suggestedActions", ""),
    ("context.delete", {"memoryId": "$scratch"}, "success deletedFrom", ""),
    ("context.metrics", {"reset": False},
     under("stats", "l1 l2 l3 total pinned.l2 pinned.l3") + " counters.recall\\.hybrid "
     + under("histograms.recall\\.hybrid\\.ms", "count p50 p95 p99") + " reset?", ""),
    ("context.getPatterns", {"language": "typescript", "limit": 5},
     under("patterns[]", "id name description language? usageCount"), ""),
    ("kb_search", {"query": "shop", "limit": 5},
     under("results[]", "file_path chunk_index content score"), ""),
    ("conversations_search", {"query": "shop", "limit": 5, "after": "2026-01-31"},
     under("results[]", "conversationId exchangeIndex exchangeId timestamp source userMessage "
           "assistantMessage score archivePath"), ""),
    ("conversation_show", {"path": "01KAJ0000000000000000000T1#1"},
     "session source timestamp summary exchangeCount "
     + under("exchanges[]", "exchangeIndex timestamp userMessage assistantMessage"), ""),
    ("record_decision", {"title": "Keep SQLite", "description": "One file beats a server.",
      "files": ["src/server.py"], "tags": ["database"]}, DECISION, "sqlite=id"),
    ("record_decision_with_author", {"title": "Sign cookies", "description": "Keys rotate weekly.",
      "author": "Ada", "status": "proposed"}, f"{DECISION} author status", "cookies=id"),
    ("update_decision_status", {"decision_id": "$cookies", "status": "deprecated"},
     "message decision_id new_status superseded_by?", ""),
    ("update_decision_status", {"decision_id": "$cookies", "status": "superseded",
      "superseded_by": "$sqlite"}, "message decision_id new_status superseded_by", ""),
    ("get_context", {"query": "does SQLite beat a server", "current_file": "src/server.py",
      "max_tokens": 900},
     "context sources[] token_count decisions " + under("decisions[]", "id title description "
     "created_at"), ""),
    ("search_codebase", {"query": "port of Redis", "limit": 3},
     under("results[]", "file preview relevance line_start line_end"), ""),
    ("get_file_context", {"path": "src/server.py"}, "path content language lines", ""),
    ("get_file_summary", {"path": "src/server.py"}, "path summary message", ""),
    ("get_project_summary", {},
     "name description languages[] total_files total_lines key_directories[] dependencies "
     "architecture_notes " + under("recent_decisions[]", "id title description created_at"), ""),
    ("get_dependencies", {"path": "src/server.py"},
     "file imports external imported_by symbols[].name symbols[].kind", ""),
    ("find_circular_deps", {}, "cycles total has_cycles", ""),
    ("get_impact_analysis", {"file": "src/server.py", "depth": 2},
     "file risk risk_score reasons affected_files affected_tests total_affected", ""),
    ("get_symbol", {"name": "Server", "kind": "class", "limit": 3},
     under("results[]", "name kind file line_start line_end signature"), ""),
    ("mark_critical", {"content": "Never delete the log", "type": "requirement", "reason": "law"},
     "id type content reason created_at never_compress", ""),
    ("get_critical_context", {"type": "requirement"},
     "total by_type.requirement " + under("items[]", "id type content reason created_at"), ""),
    ("learn_pattern", {"code": "with lock: refresh()", "name": "Locked refresh",
      "description": "One at a time.", "category": "authentication"},
     "success pattern_id message", "pattern=pattern_id"),
    ("list_patterns", {"category": "authentication"},
     "total " + under("patterns[]", "id name category description usage_count created_at"), ""),
    ("get_pattern", {"id": "$pattern"},
     "id name category description usage_count created_at examples rules", ""),
    ("add_pattern_example", {"pattern_id": "$pattern", "code": "with lock: load()",
      "explanation": "it waits"}, "success pattern_id type message", ""),
    ("add_pattern_example", {"pattern_id": "$pattern", "code": "load()", "explanation": "no lock",
      "is_anti_pattern": True}, "success pattern_id type message", ""),
    ("validate_pattern", {"code": "x = 1", "type": "auto"}, "valid? score? violations", ""),
    ("memory_verify", {"code": "import servr", "file": "src/new.py", "checks": ["imports"]},
     "verdict score sources_used[] summary imports.valid imports.issues imports.warnings "
     "security.safe security.score security.issues dependencies.valid dependencies.issues "
     "patterns.violations suggestions", ""),
    ("what_happened", {"since": "this week"},
     "time_range.since time_range.until summary total_changes "
     + under("changes[]", "timestamp type description") + " decisions[].title", ""),
    ("check_conflicts", {"code": "replace SQLite by a server"},
     "has_conflicts " + under("conflicts[]", "decision_id decision_title decision_date "
     "conflict_description"), ""),
    ("get_predicted_files", {"current_file": "src/server.py", "query": "where is the port set"},
     "predicted_files pre_fetched message", ""),
    ("set_feature_context", {"name": "auth refactor", "files": ["src/server.py"]},
     "success message context_id name", "feature=context_id"),
    ("get_active_context", {},
     "summary current_feature.name current_feature.files_count current_feature.changes_count "
     "active_files recent_changes recent_queries", ""),
    ("list_recent_contexts", {},
     "current.name " + under("recent[]", "id name files_count changes_count status last_active"),
     ""),
    ("switch_feature_context", {"context_id": "$feature"},
     "success message current.name current.files current.changes", ""),
    ("memory_query", {"query": "the port", "action": "predict", "file": "src/server.py"},
     "sources_used[] predicted_files.files predicted_files.pre_fetched", ""),
    ("memory_record", {"content": "signing", "type": "feature",
      "files": ["src/server.py"]}, "success type id message", ""),
    ("what_changed", {"since": "2023-12-01", "file": "src", "author": "Grace"},
     "period since until total_files by_author message " + under("changes[]", "file author "
     "timestamp commit_message commit_hash"), ""),
    ("get_changelog", {"since": "2023-12-01", "group_by": "week", "include_decisions": True},
     "period total_days " + under("days[]", "date summary features fixes refactors decisions[] "
     "metrics.commits"), ""),
    ("memory_status", {"action": "changelog", "since": "2023-12-01"},
     "sources_used[] changelog[].date changelog[].summary", ""),
    ("suggest_existing", {"intent": "start the server", "limit": 2},
     "total message " + under("suggestions[]", "name file line signature description purpose "
     "similarity"),
     ""),
    ("check_tests", {"change": "def start(self):\n    return 0\n", "file": "src/server.py"},
     "safe related_tests would_fail suggested_updates framework untested", ""),
    ("memory_review", {"code": "def start(self, port=6380):\n    return port\n",
      "intent": "replace SQLite by a server", "file": "src/server.py"},
     "verdict risk_score sources_used[] patterns.violations conflicts.has_conflicts "
     "conflicts.conflicts test_impact.safe test_impact.would_fail", ""),
    ("memory_review", {"code": "def start(self): pass", "action": "pattern"},
     "verdict risk_score sources_used[] patterns.violations", ""),
    ("memory_review", {"code": "replace SQLite by a server", "action": "conflicts"},
     "verdict risk_score sources_used[] conflicts.has_conflicts " + under("conflicts.conflicts[]",
     "decision_id decision_title conflict_description"), ""),
    ("memory_review", {"code": "def start(self): pass", "file": "src/server.py",
      "action": "tests"}, "verdict risk_score sources_used[] test_impact.safe "
     "test_impact.would_fail test_impact.suggested_updates", ""),
    ("memory_review", {"code": "def start(self): pass", "file": "src/server.py",
      "action": "coverage"}, "verdict risk_score sources_used[] coverage.file "
     "coverage.total_tests coverage.uncovered_functions", ""),
    ("memory_review", {"code": "def start(self): pass", "action": "confidence"},
     "verdict risk_score sources_used[] confidence score reasoning", ""),
    ("memory_review", {"error": "ZeroDivisionError: division by zero", "action": "bugs"},
     "verdict risk_score sources_used[] similar_bugs", ""),
    ("context.reportEvent", {"type": "error_occurred", "payload":
      {"error": "ZeroDivisionError: division by zero", "fix": "Skip empty carts."}},
     "processed", ""),
    ("get_confidence", {"code": "def start(self, port=6380):\n    return port\n"},
     "confidence score reasoning sources.codebase sources.decisions sources.patterns warnings", ""),
    ("list_sources", {"code": "def start(self, port=6380):\n    return port\n"},
     "codebase decisions patterns", ""),
    ("memory_query", {"action": "confidence", "code": "def start(self): pass"},
     "sources_used[] confidence.confidence confidence.score confidence.sources.codebase", ""),
    ("memory_query", {"action": "sources", "code": "def start(self): pass"},
     "sources_used[] sources.codebase", ""),
    ("find_similar_bugs", {"error": "ZeroDivisionError: division by zero", "limit": 5},
     "total message " + under("bugs[]", "id error similarity date fix") + " "
     + under("seen_before[]", "type id text date similarity"), ""),
    ("suggest_fix", {"error": "ZeroDivisionError: division by zero", "context": "the cart"},
     "total message " + under("suggestions[]", "fix confidence reason source"), ""),
    ("why_broke", {"error": "KeyError: 'port' in src/server.py", "file": "src/server.py"},
     under("likely_cause", "file author timestamp commit_message commit_hash") + " confidence "
     "related_changes past_similar_bugs suggested_fix? reasoning message suspects[] fixes", ""),
    ("export_decisions_to_adr", {"output_dir": "docs/decisions", "format": "nygard"},
     "message files[] format", ""),
    ("export_adr", {}, "message files format", ""),
    ("memory_query", {"query": "start the server", "action": "existing"},
     "sources_used[] " + under("existing_functions[]", "name file line signature similarity"), ""),
    ("memory_status", {"action": "changed", "since": "2023-12-01"},
     "sources_used[] " + under("changes", "period total_files by_author recent[]"), ""),
    ("get_related_tests", {"file": "src/server.py"}, "file total tests[].file framework", ""),
    ("get_related_tests", {"file": "src/server.py", "function": "Server"},
     "file function total framework " + under("tests[]", "name? file line_start"), ""),
    ("session_note", {"text": "Start", "goal": "sign cookies", "file": ["src/server.py"]},
     "action", ""),
    ("get_learning_stats", {}, under("usage", "total_queries total_file_views recent_activity")
     + " usage.top_files[].path usage.top_files[].count compression.tokens_saved "
     "cache.hot_cache_size cache.cached_files", ""),
    ("memory_status", {"action": "learning"},
     "sources_used[] " + under("learning", "total_queries total_file_views") +
     " learning.top_files[].path learning.cache_size", ""),
    ("trigger_compaction", {"strategy": "summarize"}, "strategy share kept critical", ""),
    ("get_context_health", {"include_history": True},
     "health tokens_used? tokens_limit utilization drift_score drift_detected compaction_needed "
     "suggestions", ""),
    ("list_projects", {}, under("projects[]", "id name path is_active last_accessed")
     + " active_project", ""),
    ("switch_project", {"project_id": "github.com/acme/shop"},
     "message project.id project.name project.path", ""),
    ("search_all_projects", {"query": "port of Redis", "limit": 2},
     under("results[]", "project project_id") + " total_projects_searched "
     + under("results[].matches[]", "file preview relevance"), ""),
    ("discover_projects", {}, "message projects", ""),
    ("memory_refresh", {}, "added kept", ""),
    ("get_refresh_status", {}, "project commit", ""),
    ("memory_ghost", {"plan": "replace SQLite"}, "conflicts[]", ""),
    ("memory_query", {"query": "port of Redis", "max_tokens": 500},
     "sources_used[] context.content context.sources context.token_count", ""),
    ("memory_query", {"query": "port", "action": "search", "max_results": 2},
     "sources_used[] " + under("search_results[]", "file preview relevance"), ""),
    ("memory_query", {"query": "it", "file": "src/server.py"},
     under("file_content", "path content language lines"), ""),
    ("memory_query", {"query": "it", "file": "src/server.py", "action": "summary"},
     "file_summary.path file_summary.summary", ""),
    ("memory_query", {"query": "it", "symbol": "Server"},
     under("symbols[]", "name kind file line_start line_end"), ""),
    ("memory_record", {"content": "Tests run on Redis 7.", "title": "Redis 7"},
     "success type id message", ""),
    ("memory_record", {"content": "Never log keys", "type": "critical", "reason": "law"},
     "success type id message", ""),
    ("memory_record", {"content": "def x(): ...", "pattern_name": "x", "code": "x()"},
     "success type id message", ""),
    ("memory_status", {"scope": "project"},
     under("project", "name languages total_files total_lines key_directories"), ""),
    ("memory_status", {"since": "yesterday"},
     "activity.time_range.since activity.summary activity.changes_count", ""),
    ("memory_status", {"action": "health"}, "health.health health.tokens_limit", ""),
    ("memory_status", {"action": "patterns"}, "patterns.total patterns.patterns[].id", ""),
    ("memory_status", {"action": "critical"}, "critical.total critical.items[].content", ""),
    ("memory_query", {"query": "it", "file": "src/server.py", "action": "dependencies"},
     "sources_used[] dependencies.file dependencies.imports dependencies.imported_by "
     "dependencies.symbols[].name", ""),
    ("memory_status", {"action": "stats"},
     "sources_used[] " + under("stats", "patterns_total functions_total functions_exported"), ""),
    ("get_architecture_stats", {},
     under("patterns", "total by_category") + " patterns.top_patterns[].name "
     "patterns.top_patterns[].usageCount functions.total functions.exported "
     "functions.by_purpose.other message", ""),
    ("mark_context_useful", {"query": "which Redis do the tests run on", "was_useful": True},
     "message query", ""),
    ("memory_record", {"content": "which Redis do the tests run on", "was_useful": False},
     "success type message record.query record.was_useful?", ""),
    ("store_memory", {"title": "Port", "content": "Redis listens on 6380 here.",
      "type": "solution", "scope": "project", "project_id": "github.com/acme/shop",
      "agent_source": "claude-code", "tags": ["db"], "importance": 0.7, "ttl_seconds": 86400},
     "action " + under("memory", CONTEXTIFY), "port=memory.id"),
    ("store_memory", {"title": "Cart", "content": "The cart is kept per worker.",
      "type": "whatever", "importance": 0.9}, "action memory.type", "cart=memory.id"),
    ("recall_memories", {"query": "where does redis listen", "project_id": "shop", "tags": ["db"],
      "type": "solution", "min_importance": 0.6, "limit": 3},
     under("results[].memory", CONTEXTIFY) + " results[].score results[].match_type", ""),
    ("search_memories", {"query": "*", "scope": "project", "agent_source": "claude-code",
      "min_importance": 0.5, "limit": 2, "offset": 1}, under("results[].memory", CONTEXTIFY), ""),
    ("get_memory", {"memory_id": "$port"}, CONTEXTIFY, ""),
    ("update_memory", {"memory_id": "$port", "title": "Port of Redis", "tags": ["db", "redis"],
      "importance": 0.8}, CONTEXTIFY, ""),
    ("create_relationship", {"from_memory_id": "$port", "to_memory_id": "$cart",
      "relationship": "REQUIRES", "strength": 0.9, "context": "both need it"},
     "from_memory_id to_memory_id relationship strength context", ""),
    ("get_related_memories", {"memory_id": "$port", "relationship_types": ["REQUIRES"]},
     "memories[].id memories[].title " + under("relationships[]", "from_memory_id to_memory_id "
     "relationship strength context"), ""),
    ("get_context", {"project_id": "github.com/acme/shop"}, under("memories[]", CONTEXTIFY), ""),
    ("find_similar", {"memory_id": "$port", "threshold": 0.1, "limit": 2},
     under("results[].memory", CONTEXTIFY) + " results[].similarity", ""),
    ("promote_memory", {"memory_id": "$port"}, "message", ""),
    ("store_memory", {"title": "Redis", "content": "Redis listens on port 6380."},
     "memory.id", "redis=memory.id"),
    ("suggest_consolidations", {"project_id": "shop", "limit": 10}, "suggestions total", ""),
    ("consolidate_memories", {"target_id": "$port", "source_ids": ["$redis"],
      "strategy": "smart_merge"}, under("memory", CONTEXTIFY) + " merged_count message", ""),
    ("delete_memory", {"memory_id": "$cart"}, "message", ""),
    ("store", {"information": "Generators keep large files out of memory.", "metadata":
      {"kind": "pattern", "language": "python", "path": "src/part0.py", "tags": ["python"],
       "priority": 8, "topic": "performance", "code": "yield line"}}, "ok id message", ""),
    ("memory_store", {"information": "Workers share one pool."}, "ok id message", ""),
    ("find", {"query": "large files", "language": "python", "kind": "pattern", "limit": 5,
      "priority_min": 7, "tags": "python"},
     "ok total query " + under("results[]", "id information metadata.kind metadata.path "
     "metadata.tags metadata.priority metadata.created_at score highlights[]"), ""),
    ("memory_find", {"query": "pool of workers", "collection": "github.com/acme/shop"},
     "ok results[].information total query", ""),
    ("context_answer", {"query": ["Which port does the server listen on?"], "budget_tokens": 2000,
      "include_snippet": True, "mode": "stitch", "expand": True, "temperature": 0.2},
     "ok answer query[] generation_time_ms decoder_used "
     + under("citations[]", "path start_line end_line snippet relevance"), ""),
    ("info_request", {"info_request": "port of the server", "include_relationships": True},
     "ok total search_strategy " + under("results[]", "information relevance_score score path "
     "symbol start_line end_line snippet"), ""),
    ("info_request", {"information_request": "Server port", "include_explanation": True,
      "language": "python", "under": "src/"},
     "summary primary_locations[] related_concepts grouped_results.by_file "
     + under("confidence", "level score symbol_matches") + " "
     + under("query_understanding", "intent detected_language detected_symbols search_strategy"),
     ""),
    ("repo_search", {"query": ["port of Redis", "listener"], "language": "python", "limit": 20,
      "path_glob": "**/*.py", "not_glob": ["**/test_*.py"], "per_path": 1,
      "rerank_enabled": True}, "ok total query used_rerank " + under("results[]", HIT), ""),
    ("repo_search", {"query": "Server", "symbol": "Server", "include_snippet": True,
      "repo": "shop"},
     "ok " + under("results[]", HIT), ""),
    ("code_search", {"query": "port", "under": "src/", "ext": "py"}, under("results[]", HIT), ""),
    ("context_search", {"query": "Redis port", "include_memories": True, "memory_weight": 1.5,
      "per_source_limits": {"code": 8, "memory": 4}},
     "ok total sources[] query results[].source results[].score", ""),
    ("search_tests_for", {"query": "Server", "language": "python"}, "ok results[].path total", ""),
    ("search_config_for", {"query": "port"}, "ok results total", ""),
    ("search_callers_for", {"query": "Server"}, "ok results total", ""),
    ("search_importers_for", {"query": "src.server"}, "ok results[].path total", ""),
    ("search_commits_for", {"query": "port", "author": "Ada", "limit": 2},
     "ok total " + under("results[]", "commit message author date score"), ""),
    ("symbol_graph", {"symbol": "Server", "query_type": "definition", "limit": 10},
     "symbol query_type count collection "
     + under("results[]", "path start_line end_line symbol_path kind"), ""),
    ("symbol_graph", {"symbol": "start", "under": "src/"}, "results symbol query_type count", ""),
    ("symbol_graph", {"symbol": "Server", "query_type": "subclasses", "depth": 2},
     "results symbol query_type count collection", ""),
    ("graph_query", {"symbol": "Server", "query_type": "transitive_callers", "include_paths": True},
     "ok results paths symbol query_type total", ""),
    ("neo4j_graph_query", {"symbol": "src/server.py", "query_type": "impact"},
     "ok results symbol query_type total", ""),
    ("graph_query", {"query_type": "cycles"}, "ok results query_type total", ""),
    ("index_root", {"recreate": False}, "ok operation collection recreate message "
     + under("stats", "files_processed vectors_generated processing_time_seconds errors"), ""),
    ("qdrant_index_root", {}, "ok stats.files_processed", ""),
    ("qdrant_index", {"subdir": "src"}, "ok operation stats.errors", ""),
    ("prune", {}, "ok operation points_removed processing_time_ms message", ""),
    ("qdrant_prune", {}, "ok points_removed", ""),
    ("qdrant_status", {"max_points": 100, "batch": 10},
     "ok collection exists count scanned_points last_ingested_at.unix last_ingested_at.iso "
     "vectors_config storage_size_mb status", ""),
    ("qdrant_list", {}, "ok " + under("collections[]", "name vectors_count points_count "
     "indexed_vectors_count status"), ""),
    ("collection_map", {"include_samples": True, "repo_name": "shop", "limit": 1},
     "ok total " + under("collections[]", "collection repo_name workspace_path samples[].path"),
     ""),
    ("embedding_stats", {}, "ok model dimension vectors pending caches", ""),
    ("workspace_info", {}, "ok workspace_path default_collection source state.workspace_id "
     "state.files_count state.total_size_bytes", ""),
    ("list_workspaces", {}, "ok " + under("workspaces[]", "workspace_path collection_name "
     "last_updated indexing_state"), ""),
    ("change_history_for_path", {"path": "src/server.py"},
     "ok summary.path summary.last_modified", ""),
    ("set_session_defaults", {}, "defaults format", ""),
    ("context.graph.query", {"op": "decisions", "currentOnly": True},
     under("decisions[]", "id kind label validFrom"), ""),
    ("context.graph.query", {"op": "neighbors", "entityId": "src/server.py", "direction": "in"},
     under("neighbors[]", "direction entity.id entity.kind relationship.type "
           "relationship.fromEntityId relationship.toEntityId relationship.validFrom"), ""),
    ("context.graph.query", {"op": "timeline", "entityId": "src/server.py"},
     under("timeline[]", "type entityId validFrom"), ""),
    ("context.graph.query", {"op": "path", "fromEntityId": "HEAD", "toEntityId": "author:Ada"},
     "path", ""),
    ("context.graph.query", {"op": "lineage", "entityId": "src/server.py"}, "lineage", ""),
    ("get_confidence", {"code": "def start(self, port=6380):\n    return port\n"},
     "confidence score reasoning sources.codebase sources.decisions sources.patterns warnings", ""),
    ("list_sources", {"code": "def start(self, port=6380):\n    return port\n"},
     "codebase decisions patterns", ""),
    ("memory_query", {"action": "confidence", "code": "def start(self): pass"},
     "sources_used[] confidence.confidence confidence.score confidence.sources.codebase", ""),
    ("memory_query", {"action": "sources", "code": "def start(self): pass"},
     "sources_used[] sources.codebase", ""),
    ("find_similar_bugs", {"error": "KeyError in server"}, "total bugs message", ""),
    ("suggest_fix", {"error": "KeyError in server"}, "total suggestions message", ""),
    ("get_commit_diff", {}, "commit goal files[].patch", ""),
    ("lineage_answer", {"query": "When did the server change?"}, "", ""),
]  # fmt: skip


class Peer:
    """A client of the whole server, in this process; ids that were kept stand for ``$name``."""

    def __init__(self, connected: Connected) -> None:
        self._connected = connected
        self.kept: dict[str, str] = {}

    def call(self, tool: str, arguments: dict[str, Any]) -> CallToolResult:
        """The answer of the server."""
        given = {name: self._meant(value) for name, value in arguments.items()}
        answer = self._connected.ask("call_tool", tool, given)
        assert isinstance(answer, CallToolResult)
        return answer

    def ask(self, method: str, *arguments: Any) -> object:
        """The answer to a request other than a call."""
        return self._connected.ask(method, *arguments)

    def _meant(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self._meant(item) for name, item in value.items()}
        if isinstance(value, list):
            return [self._meant(item) for item in value]
        return self.kept[value[1:]] if isinstance(value, str) and value[:1] == "$" else value

    def data(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The data of an answer that went well."""
        answer = self.call(tool, arguments)
        assert not answer.is_error, (tool, answer.content)
        assert isinstance(answer.structured_content, dict), tool
        return answer.structured_content

    def refused(self, tool: str, **arguments: Any) -> str:
        """What a call that fails is told."""
        answer = self.call(tool, arguments)
        assert answer.is_error, (tool, answer.structured_content)
        return " ".join(item.text for item in answer.content if item.type == "text")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    desk = shop(tmp_path_factory.mktemp("documented"))
    put(desk, (("Where is the shop?", "In src/server.py.", ()),))
    return desk


@pytest.fixture(scope="module")
def peer(desk: Desk) -> Iterator[Peer]:
    with connected(desk) as peer:
        yield peer


@contextmanager
def connected(desk: Desk) -> Iterator[Peer]:
    """A client of a server of its own."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [item for item in os.environ if item.startswith("GITMEM_")]:
            patch.delenv(name)
        for name, value in desk.env.items():
            patch.setenv(name, value)
        with start_blocking_portal() as portal:
            client = Client(
                portal.call(built, str(desk.place)),
                client_info=Implementation(name="Claude Code", version="1.0"),
            )
            with portal.wrap_async_context_manager(client):
                yield Peer(Connected(portal, client))


async def built(place: str) -> Any:
    """The server, made where its thread runs."""
    return handlers.build_server(ClientConnection(Server(place), "compat"))


def at(value: Any, path: str) -> Any:
    """What is at a path of names; ``[]`` is the first item, a dot of a name is escaped.

    Raises KeyError or IndexError.
    """
    for name in re.split(r"(?<!\\)\.", path):
        name = name.replace("\\.", ".")
        many = name.endswith("[]")
        value = value[name.removesuffix("[]")]
        value = value[0] if many else value
    return value


def test_every_documented_call_answers_with_its_documented_fields(peer: Peer) -> None:
    """CF-19 to CF-45, CC-6, ML-4 to ML-38, CT-16, CE-8 to CE-22."""
    missing = []
    for tool, arguments, fields, keep in CALLS:
        data = peer.data(tool, **arguments)
        for path in fields.split():
            try:
                value = at(data, path.removesuffix("?"))
            except (KeyError, IndexError, TypeError):
                value = None
                path = path.removesuffix("?")
            if value is None and not path.endswith("?"):
                missing.append((tool, arguments, path))
        if keep:
            name, _, path = keep.partition("=")
            peer.kept[name] = at(data, path)
    assert not missing, "\n".join(map(str, missing))


def test_every_name_that_is_offered_has_a_documented_call_here() -> None:
    offered = {*tool_names.CALLS, *tool_names.CHOICES, *tool_names.SAME}
    assert offered == {tool for tool, *_ in CALLS} - {"session_note"}


def test_the_list_of_tools_names_the_fields_that_are_answered() -> None:
    """A host that finds no schema for a field may drop it."""
    for tool, _, fields, _ in CALLS:
        calls = [tool_names.CALLS.get(tool)]
        if tool in tool_names.CHOICES:
            calls = list(tool_names.CHOICES[tool].actions.values())
        known = [set(call.answers) for call in calls if call and call.answers]
        names = {path.partition(".")[0].rstrip("[]?") for path in fields.split()}
        assert not known or any(names <= some for some in known), tool


def test_values_are_theirs_not_only_names(peer: Peer) -> None:
    """What a client computes with: layers as numbers, moments as milliseconds, their types."""
    id = peer.data("context.store", type="code_pattern", content="Guard clauses first",
                   layer=3, metadata={"projectPath": None})["id"]  # fmt: skip
    found = peer.data("context.get", memoryId=id)
    # Only a person keeps something for every project: it waits for that.
    assert (found["memory"]["type"], found["layer"]) == ("code_pattern", 2)
    assert peer.data("context.promote", memoryId=id, fromLayer=2)["newLayer"] == 2
    assert found["memory"]["createdAt"] > 1_600_000_000_000
    peer.data("context.update", memoryId=id, pinned=True)
    assert peer.data("context.get", memoryId=id)["memory"]["pinned"] is True
    stored = peer.data("store_memory", title="t", content="A log of turns", ttl_seconds=60,
                       type="nonsense")["memory"]  # fmt: skip
    assert (stored["type"], stored["scope"]) == ("general", "project")
    assert stored["expires_at"]
    shown = peer.data("show", id=stored["id"])["memory"]
    assert shown.get("layer", "project") == "project"  # CT-7: a time to live does not move it
    again = peer.data("store_memory", title="t", content="A log of turns", type="nonsense")
    assert again["action"] == "updated"
    orient = peer.data("context.orient", expression="tomorrow")
    assert orient["resolved"] == orient["time"]["startOfNextDay"]
    assert "conversions" not in orient
    now = peer.data("context.orient", also=["Asia/Tokyo"])
    assert now["conversions"][0]["epochMs"] == now["time"]["epochMs"]


def test_a_memory_is_an_entity_by_its_id_alone(peer: Peer) -> None:
    """CF-48: all that it is tied to, and not its links alone."""
    old = peer.data("record_decision", title="Prices are floats", description="Simple",
                    files=["src/server.py"])["id"]  # fmt: skip
    new = peer.data("context.store", type="decision", content="Prices are cents",
                    metadata={"supersedes": old, "projectPath": None})["id"]  # fmt: skip
    around = peer.data("context.graph.query", op="neighbors", entityId=old)["neighbors"]
    observed = {item["relationship"]["type"]: item["entity"] for item in around}
    assert observed["decides_for"]["id"] == "file:src/server.py"
    assert observed["supersedes"] == {
        "id": f"decision:{new}", "kind": "decision", "key": new, "name": "Prices are cents",
    }  # fmt: skip
    (line,) = peer.data("context.graph.query", op="lineage", entityId=new)["lineage"]
    assert (line["id"], line["supersededBy"]) == (f"decision:{old}", f"decision:{new}")
    way = peer.data("context.graph.query", op="path", fromEntityId=old, toEntityId=new)["path"]
    assert [item["id"] for item in way] == [f"decision:{new}"]


def test_features_predictions_and_answers_tell_what_ours_do(peer: Peer) -> None:
    """CE-11, ML-17, ML-29."""
    peer.data("set_feature_context", name="auth refactor")
    here = peer.data("get_active_context")
    assert here["current_feature"]["name"] == "auth refactor"
    assert here["summary"].startswith("auth refactor: ")
    peer.data("set_feature_context", name="signing")
    listed = peer.data("list_recent_contexts")
    status = {item["name"]: item["status"] for item in listed["recent"]}
    assert (listed["current"]["name"], status["auth refactor"]) == ("signing", "paused")
    back = peer.data("switch_feature_context", context_id="auth refactor")
    assert back["current"]["name"] == "auth refactor"
    predicted = peer.data("get_predicted_files", current_file="src/server.py", query="the port")
    ours = peer.data("predict", path="src/server.py", query="the port")
    assert predicted["predicted_files"] == [file["path"] for file in ours["files"]]
    answer = peer.data("context_answer", query="Which port does the server listen on?")
    assert answer["decoder_used"] == "extract"
    for citation in answer["citations"]:
        assert citation["start_line"] is None or citation["start_line"] <= citation["end_line"]
        assert all(line in answer["answer"] for line in citation["snippet"].split("\n"))


def test_a_question_to_one_tool_has_its_limit_by_its_words_and_is_explained(peer: Peer) -> None:
    """CE-12: 15 results of two words, 8 of a question, 10 otherwise."""
    choice = tool_names.CHOICES["info_request"]
    for query, most in (("part value", 15), ("port", 15), ("How does a part start", 8),
                        ("part of the value", 10), ("show what is told", 8)):  # fmt: skip
        for name in ("info_request", "informationRequest"):
            part, _ = call_arguments.choose_action(choice, {name: query})
            assert choice.actions[part].takes["limit"].default == most, query
    found = peer.data("info_request", info_request="part value")
    assert found.keys() == {"quoted", "ok", "results", "total", "search_strategy"}
    assert found["total"] == len(found["results"]) > 1
    output = peer.data(
        "info_request", information_request="Server", include_explanation=True, under="src"
    )
    first = output["results"][0]
    lines = f"(lines {first['start_line']}-{first['end_line']})"
    assert first["information"] == f"Found class 'Server' in src/server.py {lines}"
    assert output["primary_locations"][0] == "src/server.py"
    assert output["grouped_results"]["by_file"]["src/server.py"]["top_symbols"][0] == "Server"
    assert output["query_understanding"]["detected_symbols"] == ["Server"]
    assert output["search_strategy"] == "hybrid+path_filtered"
    assert output["confidence"]["symbol_matches"] >= 1
    both = {"info_request": "a port", "information_request": "another"}
    assert "mean the same" in peer.refused("info_request", **both)
    assert "no words" in peer.refused("info_request", limit=3)


def test_what_helped_is_marked_and_what_did_not_marks_nothing(peer: Peer) -> None:
    """ML-19: only memories that were given for it; nothing is called wrong by a no."""
    made = peer.data("store", information="The nightly job empties the quarantine folder.")["id"]
    query = "what empties the quarantine folder"

    def marks() -> int:
        """How often it was marked, this one included."""
        return int(peer.data("feedback", id=[made], useful=True)["items"][0]["useful"])

    def message(useful: bool, query: str = query) -> str:
        return str(peer.data("mark_context_useful", query=query, was_useful=useful)["message"])

    assert message(False).startswith("Nothing is marked") and marks() == 1
    # The query would find the memory, but nobody was given it.
    assert "given no memory" in message(True) and marks() == 2
    peer.data("recall", query="which host runs the tests")
    given = {
        decision["id"] for decision in peer.data("get_context", query=f"{query} ")["decisions"]
    }
    given |= {memory["id"] for memory in peer.data("recall", query=query.upper())["memories"]}
    answer = peer.call("mark_context_useful", {"query": query, "was_useful": True})
    (text,) = [item.text for item in answer.content if item.type == "text"]
    ids = re.findall(r"\b01[0-9A-Z]{24}\b", text)
    assert "Feedback recorded" in text and made in ids and set(ids) <= given and marks() == 4
    record = peer.data("memory_record", type="feedback", content=query, was_useful=True)
    assert made in record["message"] and marks() == 6
    assert "given no memory" in message(True, "zyxwv qqqq")
    assert "'was_useful'" in peer.refused("mark_context_useful", query=query)


def test_a_record_is_a_decision_by_its_words_and_takes_its_title_from_them(peer: Peer) -> None:
    """ML-23."""
    text = "We decided to keep the sessions of all workers in one file, since it is simple."
    made = peer.data("memory_record", content=text)
    assert made["type"] == "decision"
    title = peer.data("show", id=made["id"])["memory"]["title"]
    assert title == "We decided to keep the sessions of all workers in…"
    noted = peer.data("memory_record", action="note", content=f"{text} A note by its action.")
    assert noted["type"] == "note"
    assert "'action'" in peer.refused("memory_record", action="magic", content=text)
    for more in ({"type": "note"}, {"pattern_name": "x", "code": "x()"}):
        assert peer.data("memory_record", content=f"{text} {more}", **more)["type"] != "decision"


def test_an_example_is_recorded_for_its_pattern_and_files_belong_to_a_feature(peer: Peer) -> None:
    """ML-23, ML-29."""
    id = peer.data("learn_pattern", code="with lock: save()", name="Locked save",
                   description="One at a time")["pattern_id"]  # fmt: skip
    good = peer.data(
        "memory_record", type="example", pattern_id=id, content="", code="with lock: x()"
    )
    assert (good["type"], good["message"]) == ("example", f"Example added to pattern {id}")
    bad = peer.data("memory_record", pattern_id=id, content="It races", code="x()",
                    is_anti_pattern=True)  # fmt: skip
    assert bad["record"] == {"pattern_id": id, "is_anti_pattern": True}
    pattern = peer.data("get_pattern", id=id)
    assert (pattern["name"], pattern["description"]) == ("Locked save", "One at a time")
    assert pattern["examples"] == [{"code": "with lock: save()"}, {"code": "with lock: x()"}]
    assert pattern["anti_patterns"] == [{"code": "x()"}]
    assert "'code' is missing" in peer.refused("memory_record", type="example", pattern_id=id)
    untitled = peer.data("memory_record", type="decision", title="", content="Keep one file.")
    assert peer.data("show", id=untitled["id"])["memory"]["title"] == "Keep one file."
    assert "'content' is empty" in peer.refused("memory_record", type="note", content=" ")
    files = ["src/server.py", "src/part0.py"]
    peer.data("set_feature_context", name="parts", files=files)
    active = peer.data("get_active_context")
    assert active["current_feature"]["files_count"] == 2
    assert sorted(file["path"] for file in active["active_files"]) == sorted(files)
    peer.data("memory_record", type="feature", content="other parts", files=["src/part1.py"])
    counts = {item["name"]: item["files_count"] for item in
              peer.data("list_recent_contexts")["recent"]}  # fmt: skip
    assert (counts["parts"], counts["other parts"]) == (2, 1)
    many = [f"src/part{number}.py" for number in range(21)]
    assert "at most 20" in peer.refused("set_feature_context", name="all", files=many)
    assert "not a path" in peer.refused("set_feature_context", name="all", files=["../x"])


def test_what_other_projects_hold_is_marked_as_data(peer: Peer) -> None:
    found = peer.data("search_all_projects", query="port of Redis")
    assert "never instructions" in found["quoted"] and found["total_projects_searched"] == 1
    assert "'query' is empty" in peer.refused("search_all_projects", query=" ")


def test_what_is_compared_after_the_search_only_takes_away(peer: Peer) -> None:
    for number in range(6):
        peer.data("store_memory", title=f"n{number}", content=f"The kettle number {number} boils",
                  importance=number / 10)  # fmt: skip

    def found(**arguments: Any) -> list[str]:
        results = peer.data("search_memories", query="kettle boils", **arguments)["results"]
        return [result["memory"]["title"] for result in results]

    every = found(limit=100)
    assert len(every) >= 6
    assert found(limit=2, offset=0) + found(limit=2, offset=2) + found(limit=100, offset=4) == every
    assert set(found(min_importance=0.4)) == {"n4", "n5"}
    assert found(offset=1000) == []
    assert peer.data("context.recall", query="kettle", sessionId="s", threshold=1)["total"] == 0
    for tool in ("context.recall", "context.searchCode"):
        assert "threshold cannot be 7" in peer.refused(tool, query="kettle", threshold=7), tool
    none = peer.data("context.recall", query="kettle", sessionId="s", filter={"layers": [1]})
    assert (none["results"], none["total"]) == ([], 0)
    paths = [item["path"] for item in peer.data("repo_search", query="port", limit=50)["results"]]
    assert "src/server.py" in paths
    left = peer.data("repo_search", query="port", not_glob="src/server.py", limit=50)["results"]
    assert [path["path"] for path in left] == [item for item in paths if item != "src/server.py"]
    assert peer.data("repo_search", query="port", ext=".md,.rst")["results"] == []
    item, wide = (
        peer.data("repo_search", query="cookie is signed", limit=1, **more)["results"][0]["snippet"]
        for more in ({"context_lines": 0}, {"context_lines": 3})
    )
    assert len(wide.split("\n")) > len(item.split("\n"))
    # Each question of a list is asked by itself: one of them finds what the other does not.
    query = peer.data("repo_search", query=["cookie is signed", "part3"], limit=50)["results"]
    assert {"src/server.py", "src/part3.py"} <= {item["path"] for item in query[:4]}
    assert peer.data("kb_search", query="shop", minScore=5)["results"] == []
    both = peer.data("context_search", query="kettle port", include_memories=False)
    assert "memory" not in both["sources"]
    light = peer.data("context_search", query="kettle", memory_weight=0.0, limit=100)["results"]
    sources = [item["source"] for item in light]
    assert sources == sorted(sources, key=lambda item: item == "memory")


def test_bad_input_is_refused_in_a_sentence_with_the_name_that_was_given(peer: Peer) -> None:
    for tool, arguments, expected in (
        ("recall_memories", {"query": "a", "project_id": "nobody/knows"}, ("nobody/knows",)),
        ("context.recall", {"query": "a", "filter": {"projectPath": "/nowhere/at/all"}},
         ("may not use that repository",)),
        ("recall_memories", {"query": "a", "project_id": "shop", "repo": "other"},
         ("'project_id'", "'repo'", "mean the same")),
        ("get_context", {"query": "a", "current_file": "a.py", "file": "b.py"},
         ("'current_file'", "'file'", "mean the same")),
        ("recall_memories", {"query": "a", "limit": 3, "top_k": 4}, ("'limit'", "'top_k'")),
        ("kb_search", {"query": "a", "minScore": "high"}, ("'minScore'", "a number")),
        ("context.recall", {"query": "a", "filter": {"layers": [7]}},
         ("layer cannot be 7", "working")),
        ("context.store", {"type": "note", "content": "a", "metadata": {}, "layer": 0},
         ("layer cannot be 0",)),
        ("context.store", {"type": "decision", "content": "a", "metadata": "x"}, ("'metadata'",)),
        ("context.store", {"type": "decision", "metadata": {}}, ("'content'", "missing")),
        ("context.searchCode", {"query": "a", "mode": "magic"}, ("'mode'", "symbol")),
        ("store", {"information": "a", "metadata": {"priority": 11}}, ("priority cannot be 11",)),
        ("find", {"query": "a", "limit": 1000}, ("'limit'",)),
        ("find", {"query": "a", "collection": "nobody"}, ("nobody",)),
        ("qdrant_index", {"subdir": "nowhere"}, ("nowhere", "no file or folder")),
        ("recall", {"query": "a", "top_k": "many"}, ("'top_k'", "'limit'")),
        ("repo_search", {"query": "a", "colour": "red"}, ("no argument 'colour'", "per_path")),
        ("repo_search", {"query": ["a"] * 1000}, ("1000 queries",)),
        ("get_memory", {"memory_id": 3}, ("'memory_id'", "a string")),
        ("switch_project", {"project_id": "nobody"}, ("nobody",)),
        ("memory_query", {"query": "a", "action": "magic"}, ("'action'", "context")),
        ("context.storeBatch", {"items": []}, ("0 items", "500")),
        ("context.storeBatch", {"items": [{"type": "note"}] * 501}, ("501 items", "500")),
        ("context.skill.create", {"slug": "a", "name": "a", "description": "a",
          "instructions": "a", "parameters": [3]}, ("parameter",)),
        ("context.skill.invoke", {"slug": "nobody"}, ("nobody",)),
        ("context.reportEvent", {"event": {"type": "error_occurred"}, "type": "session_end"},
         ("'type'",)),
        ("consolidate_memories", {"target_id": "00000000", "source_ids": ["1"]}, ("00000000",)),
        ("consolidate_memories", {"target_id": "1", "source_ids": []}, ("'source_ids'",)),
        ("consolidate_memories", {"target_id": "1", "source_ids": "2", "strategy": "best"},
         ("'strategy'", "append")),
        ("export_adr", {"format": "docx"}, ("'format'", "nygard")),
        ("context.summarize", {"layer": 5}, ("layer cannot be 5",)),
        ("context.summarize", {"layer": 1}, ("Layer 1", "Only layer 2")),
        ("context.summarize", {"layer": 3}, ("Layer 3", "fade")),
        ("code_search", {"query": "a", "q": "b"}, ("'query'", "'q'")),
        ("switch_feature_context", {"context_id": "nobody"}, ("nobody", "feature")),
        ("context_answer", {"query": "a", "kind": "function"}, ("no argument 'kind'",)),
        ("set_feature_context", {"name": " "}, ("name",)),
        ("delete_memory", {"memory_id": "00000000"}, ("00000000",)),
    ):  # fmt: skip
        error = peer.refused(tool, **arguments)
        for part in expected:
            assert part in error, (tool, arguments, error)


def test_a_name_that_waits_says_what_for(peer: Peer) -> None:
    for name, reason in (("expand_query", "expansion"),):
        with pytest.raises(MCPError, match=reason):
            peer.call(name, {})
    for names in tool_names.WAITING.values():
        assert all(reason for reason in names.values())


def test_a_part_of_a_batch_cannot_go_elsewhere(peer: Peer) -> None:
    part = {"tool": "recall_memories", "arguments": {"query": "a", "project_id": "shop"}}
    answer = peer.data("batch", calls=[part])
    assert "whole call" in str(answer)


def test_switching_the_project_moves_later_calls_that_name_none(desk: Desk, tmp_path: Path) -> None:
    """ML-38. By a connection of its own, since that stays where it went."""
    with connected(desk) as peer:
        _switch(desk, peer, tmp_path)


def _switch(desk: Desk, peer: Peer, tmp_path: Path) -> None:
    home = peer.data("status")["worktree"]
    assert "may not use" in peer.refused("switch_project", project_id=str(tmp_path))
    assert peer.data("status")["worktree"] == home
    other = small_repo(tmp_path).path
    Desk(other, desk.home, GITMEM_BACKUP_INTERVAL_HOURS="0", GITMEM_COPY_MODE="off").run(
        "init", no_hooks=True
    )
    assert "may not use" in peer.refused("switch_project", project_id=str(other))
    desk.run("config", key="mcp.projects", value=str(other), user=True)
    output = peer.data("switch_project", project_id=str(other))
    assert output["project"]["path"] == peer.data("status")["worktree"] == str(other)
    assert peer.data("status", repo=home)["worktree"] == home
    assert peer.data("workspace_info", workspace_path=home)["workspace_path"] == home
    assert "'project_id' is missing" in peer.refused("switch_project")
    # A clone of the same repository: each id of the list leads to one of them.
    clone = tmp_path / "clone"
    RepoBuilder(clone, init=False).git("clone", "-q", str(other), str(clone), cwd=tmp_path)
    for place in (other, clone):
        RepoBuilder(place, init=False).git("remote", "remove", "origin", check=False)
        Desk(place, desk.home, GITMEM_BACKUP_INTERVAL_HOURS="0", GITMEM_COPY_MODE="off").run(
            "init", no_hooks=True
        )
    desk.run("config", key="mcp.projects", value="*", user=True)
    listed = peer.data("list_projects")["projects"]
    assert {row["path"] for row in listed} >= {str(other), str(clone)}
    assert len({row["id"] for row in listed}) == len(listed)
    for row in listed:
        assert peer.data("switch_project", project_id=row["id"])["project"]["path"] == row["path"]
        assert peer.data("status")["worktree"] == row["path"]
    key = peer.data("switch_project", project_id=str(clone))["project"]["id"]
    both = peer.refused("switch_project", project_id=key)
    assert str(other) in both and str(clone) in both and "Give its folder." in both


def test_an_argument_under_our_own_name_counts_beside_the_call_too(tmp_path: Path) -> None:
    """What is shown after a call is looked up by the id, whatever name that came under."""
    agent = Agent(shop(tmp_path), "compat")
    id = agent.data("context.store", type="decision", content="Deploy on Mondays", layer=1)["id"]
    assert agent.data("context.promote", id=id, fromLayer=1)["memoryId"] == id
    assert agent.data("context.update", id=id, pinned=True)["memory"]["pinned"]
    assert agent.data("promote_memory", id=id)["id"] == id
    assert agent.data("context.delete", id=id)["deletedFrom"] == 2
    with pytest.raises(InvalidInput, match="'memoryId' is missing"):
        agent("context.delete")


def test_a_value_that_cannot_be_translated_is_refused_by_its_name(tmp_path: Path) -> None:
    agent = Agent(shop(tmp_path), "compat")
    for tool, arguments in (
        ("find", {"query": "server", "tags": 3.5}),
        ("code_search", {"query": "server", "ext": 3.5}),
        ("context.recall", {"query": "server", "asOf": 1e18}),
    ):
        with pytest.raises(InvalidInput, match=f"'{list(arguments)[-1]}' is not valid"):
            agent(tool, **arguments)


def test_a_context_says_what_did_not_fit(tmp_path: Path) -> None:
    """ML-6: with a tiny budget of the call."""
    desk = shop(tmp_path)
    remembering(desk)
    agent = Agent(desk, "compat")
    none = agent.data("get_context", query="session cookie", max_tokens=20)
    assert "Nothing fits" in none["notes"][0] and none["left_out"] > 0
    some = agent.data("get_context", query="session cookie", max_tokens=200)
    assert some["left_out"] > 0 and "notes" not in some


def test_code_and_records_are_reported_as_asked(tmp_path: Path) -> None:
    """ML-8, ML-20, ML-35."""
    agent = Agent(shop(tmp_path), "compat")
    root = agent.desk.place
    (root / "src/test_server.py").write_text("from src.server import Server\n")
    (root / "src/long.py").write_text("x = 1\n" * 9_000)
    agent.desk.run("index")
    long = agent.data("get_file_context", path="src/long.py")
    assert long["lines"] == 9_000 > long["shown_lines"] == long["content"].count("\n") + 1
    most = agent.data("get_file_context", path="src/long.py", max_tokens=200_000)
    assert most["lines"] == 9_000 > most["shown_lines"] == len(most["content"].splitlines())
    assert agent.data("find_circular_deps") == {"cycles": [], "total": 0, "has_cycles": False}
    (root / "src/ring_a.py").write_text("import src.ring_b\n")
    (root / "src/ring_b.py").write_text("def late():\n    import src.ring_a\n")
    agent.desk.run("index")
    rings = agent.data("find_circular_deps")
    (ring,) = rings["cycles"]
    assert rings["has_cycles"] and not ring["while_loading"]
    assert ring["length"] == len(ring["files"]) - 1 == len(ring["group"]) == 2
    assert agent.data("graph_query", query_type="cycles")["total"] == rings["total"] == 1
    kinds = [hit["kind"] for hit in agent.data("get_symbol", name="start")["results"]]
    assert kinds == ["method"]
    tests = "src/test_server.py"
    whole = agent.data("get_impact_analysis", file="src/server.py")
    assert tests in whole["affected_tests"]
    code = agent.data("get_impact_analysis", file="src/server.py", include_tests=False)
    without = whole["total_affected"] - len(whole["affected_tests"])
    assert (code["affected_tests"], code["total_affected"]) == ([], without)
    assert tests not in [file["file"] for file in code["affected_files"]]

    agent.data("record_decision", title="Use SQLite", description="One file")
    first = agent.data("export_decisions_to_adr", output_dir="adr", include_index=False)
    files = ["adr/0001-use-sqlite.md"]
    assert (first["files"], first["message"]) == (files, "Exported 1 ADR files")
    assert [path.name for path in (root / "adr").iterdir()] == ["0001-use-sqlite.md"]
    again = agent.data("export_adr", output_dir="adr")
    assert again["files"] == ["adr/index.md"]
    record = root / files[0]
    record.write_text(record.read_text().replace("One file", "One file, no daemon"))
    edited = agent.data("export_adr", output_dir="adr")
    assert edited["files"] == [] and files[0] in edited["message"]


def test_what_context_fabric_stores_is_read_back_with_every_field(tmp_path: Path) -> None:
    """CF-8, CF-42: by one call, by a batch, and in each of the calls that list memories."""
    agent = Agent(shop(tmp_path), "compat")
    given: dict[str, Any] = {
        "tags": ["queue"], "title": "Queues", "confidence": 0.95, "weight": 4,
        "source": "user_explicit", "cliType": "codex",
        "fileContext": {"path": "src/server.py", "lineStart": 4, "lineEnd": 9, "language": "py"},
        "codeBlock": {"code": "q.get()", "language": "python", "filePath": "src/server.py"},
        "provenance": {"sessionId": "s", "toolCallId": "t1", "commitSha": "abc1234",
                       "capturedAt": 1_772_029_800_000},
    }  # fmt: skip
    entry = agent.data("context.store", type="bug_fix", content="Use sqs.", metadata=given)["id"]
    item = {"type": "bug_fix", "content": "Drop kafka.", "metadata": given, "layer": 2}
    (two,) = agent.data("context.storeBatch", items=[item])["results"]
    assert two["layer"] == 2
    listed = agent.data("context.list")["memories"]
    recalled = agent.data("context.recall", query="sqs kafka")["results"]
    found = [*listed, *(hit["memory"] for hit in recalled)]
    assert {memory["id"] for memory in found} == {entry, two["id"]} and len(found) == 4
    for memory in [agent.data("context.get", memoryId=id)["memory"] for id in (entry, two["id"])]:
        assert memory["metadata"] == given
        assert memory["metadata"]["tags"] == memory["tags"]
    assert all(memory["metadata"] == given for memory in found)
    plain = agent.data("context.store", type="decision", content="Plain.", metadata={})["id"]
    metadata = agent.data("context.get", memoryId=plain)["memory"]["metadata"]
    assert (metadata["confidence"], metadata["source"]) == (0.8, "ai_inferred")


def test_where_a_memory_is_from_says_when_it_was_captured(tmp_path: Path) -> None:
    """CF-43: the time at which it was stored, where none is given; lines in their order."""
    agent = Agent(shop(tmp_path), "compat")
    stored = agent.data("context.store", type="bug_fix", content="Use sqs.",
                        metadata={"provenance": {"eventId": "e1"}})["id"]  # fmt: skip
    memory = agent.data("context.get", memoryId=stored)["memory"]
    origin = {"eventId": "e1", "capturedAt": memory["createdAt"]}
    assert memory["metadata"]["provenance"] == origin
    for wrong, words in (
        ({"capturedAt": True}, "capturedAt"), ({"lineStart": 9, "lineEnd": 2}, "before lineStart 9")
    ):  # fmt: skip
        with pytest.raises(InvalidInput, match=words):
            agent("context.store", type="note", content="a", metadata={"provenance": wrong})


def test_what_was_superseded_or_deleted_says_so(tmp_path: Path) -> None:
    """CF-39, CF-45, CF-48: by what and since when; as of a moment before it was in force."""
    agent = Agent(shop(tmp_path), "compat")
    old = agent.data("context.store", type="decision", content="Sessions are in Memcached.",
                     metadata={"fileContext": {"path": "src/server.py"}})["id"]  # fmt: skip
    before = agent.data("context.get", memoryId=old)["memory"]["createdAt"] + 1000
    new = agent.data("context.store", type="decision", content="Sessions are in Redis.",
                     metadata={"supersedes": old})["id"]  # fmt: skip
    hits = agent.data("context.recall", query="sessions", includeSuperseded=True)["results"]
    facts = {hit["memory"]["id"]: hit["memory"]["metadata"].get("temporal") for hit in hits}
    assert facts[new] is None and facts[old]["supersededById"] == new
    assert before < facts[old]["validUntil"] and facts[old]["validFrom"] < before
    (then,) = agent.data("context.graph.query", op="decisions", asOf=before)["decisions"]
    assert then["key"] == old
    around = agent.data("context.graph.query", entityId="src/server.py", asOf=before)["neighbors"]
    assert f"decision:{old}" in [item["entity"]["id"] for item in around]
    agent.data("context.delete", memoryId=new)
    states = [agent.data("context.get", memoryId=id)["memory"]["state"] for id in (old, new)]
    assert states == ["superseded", "archived"]


def test_metadata_that_context_fabric_does_not_have_is_refused_by_its_name(tmp_path: Path) -> None:
    """CF-8, CF-42, CF-44: also in a batch, and nothing is stored."""
    agent = Agent(shop(tmp_path), "compat")
    for wrong, parts in (
        ({"confidence": 2}, ("confidence",)),
        ({"source": "bogus"}, ("source", "user_explicit")),
        ({"foo": 1}, ("foo", "confidence")),
        ({"fileContext": {"file": "a.py"}}, ("fileContext", "'file'", "path")),
        ({"fileContext": {"lineStart": 3}}, ("fileContext has no path",)),
        ({"codeBlock": {"text": "x"}}, ("'text'", "codeBlock", "filePath")),
        ({"provenance": {"session": "s"}}, ("'session'", "sessionId")),
    ):  # fmt: skip
        with pytest.raises(InvalidInput) as single:
            agent("context.store", type="decision", content="a", metadata=wrong)
        result = [single.value.as_sentences()]
        try:
            (error,) = agent.data("context.storeBatch", items=[
                {"type": "decision", "content": "a", "metadata": wrong}])["errors"]  # fmt: skip
            result.append(error["error"])
        except InvalidInput as refused:
            result.append(refused.as_sentences())
        for text in result:
            assert all(part in text for part in parts), text
    for wrong, part in (
        ({"dedupe": {"strategy": "never"}}, "skip, merge, allow"),
        ({"dedupe": {"strategy": "skip", "threshold": 7}}, "dedupe.threshold cannot be 7"),
        ({"dedupe": {"limit": 3}}, "dedupe has no field 'limit'"),
    ):
        with pytest.raises(InvalidInput) as single:
            agent("context.store", type="decision", content="a", metadata=wrong)
        assert part in single.value.as_sentences()
    assert agent.data("context.list")["total"] == 0


def test_each_entity_of_the_graph_has_a_name(tmp_path: Path) -> None:
    """CF-48: a decision without a title its first line, a file its path."""
    agent = Agent(shop(tmp_path), "compat")
    agent.data("context.store", type="decision", content="Use sqs.\nIt is there.", metadata={
        "fileContext": {"path": "src/server.py"}})  # fmt: skip
    (decision,) = agent.data("context.graph.query", op="decisions")["decisions"]
    assert (decision["label"], decision["name"]) == ("Use sqs.", "Use sqs.")
    around = agent.data("context.graph.query", op="neighbors", entityId=decision["id"])
    names = {
        neighbor["entity"]["kind"]: neighbor["entity"]["name"] for neighbor in around["neighbors"]
    }
    assert names["file"] == "src/server.py" and all(names.values())
    assert around["total"] == len(around["neighbors"])


def test_a_batch_stores_all_but_the_items_that_are_refused(tmp_path: Path) -> None:
    """CF-42: each has its error, by its index, whatever is wrong with it."""
    agent = Agent(shop(tmp_path), "compat")
    wrong: tuple[tuple[Any, tuple[str, ...]], ...] = (
        ("b", ("Item 0", "metadata")),
        ({"content": "a", "layer": 7}, ("layer cannot be 7",)),
        ({"content": "a", "ttl": "soon"}, ("Item 2 is not valid",)),
        ({"content": "a", "tags": ["x"]}, ("Item 3 has no field 'tags'",)),
        ({"content": "a", "metadata": {"supersedes": "x"}}, ("Item 4 has 'supersedes'",)),
        ({"content": "a", "metadata": {"dedupe": {}}}, ("Item 5 has 'dedupe'",)),
        ({"content": "a", "metadata": {"fileContext": "x"}}, ("Item 6 is not valid",)),
        ({"content": "a", "metadata": {"projectPath": "/elsewhere"}}, ("Item 7", "projectPath")),
        ({"content": "a"}, ("Item 8 has no type",)),
    )
    items = [*(item for item, _ in wrong), {"type": "decision", "content": "Keep this."}]
    answer = agent.data("context.storeBatch", items=items)
    assert (answer["stored"], answer["failed"]) == (1, len(wrong))
    assert [error["index"] for error in answer["errors"]] == list(range(len(wrong)))
    for error, (_, parts) in zip(answer["errors"], wrong, strict=True):
        assert all(part in error["error"] for part in parts), error
    (memory,) = agent.data("context.list")["memories"]
    assert memory["content"] == "Keep this."


def test_an_update_takes_any_mix_of_its_arguments(tmp_path: Path) -> None:
    """CF-39: a decision without a title too."""
    agent = Agent(shop(tmp_path), "compat")
    id = agent.data("context.store", type="decision", content="We use sqs.", metadata={})["id"]
    output = agent.data("context.update", memoryId=id, pinned=True, weight=5, content="We use sns.",
                      tags=["queue"], metadata={"confidence": 0.4})  # fmt: skip
    memory = output["memory"]
    assert (memory["content"], memory["pinned"], memory["tags"]) == ("We use sns.", True, ["queue"])
    assert (memory["metadata"]["weight"], memory["metadata"]["confidence"]) == (5, 0.4)
    assert (output["layer"], output["success"]) == (2, True)
    assert not agent.data("context.update", memoryId=id, pinned=False)["memory"]["pinned"]
    note = agent.data("context.store", type="scratchpad", content="Look at auth.", metadata={})
    assert note["layer"] == 1
    moved = agent.data("context.update", memoryId=note["id"], content="Looked.", targetLayer=2)
    assert (moved["memory"]["content"], moved["layer"], moved["newLayer"]) == ("Looked.", 2, 2)
    assert moved["notes"] == []
    assert agent.data("context.update", memoryId=id, tags=[])["memory"]["tags"] == []
    for arguments, match in (
        ({"targetLayer": 7}, "layer cannot be 7"),
        ({"weight": 9}, "'weight'"),
        ({"metadata": {"confidence": 3}}, "confidence"),
        ({"metadata": {"bar": 3}}, "no field 'bar'"),
        ({"content": "", "weight": 2}, "'content'"),
        ({"tags": ["a"], "metadata": {"tags": ["b"]}}, "'tags' has two different values"),
        ({}, "nothing to change"),
    ):
        with pytest.raises(InvalidInput, match=match):
            agent("context.update", memoryId=id, **arguments)
    agent.data("context.delete", memoryId=note["id"])
    with pytest.raises(Conflict, match="archived"):
        agent("context.update", memoryId=note["id"], weight=2, targetLayer=2)


def test_what_waits_for_a_person_to_be_global_says_so(tmp_path: Path) -> None:
    """CF-40: the layer stays until somebody agrees."""
    agent = Agent(shop(tmp_path), "compat")
    id = agent.data("context.store", type="decision", content="We use sqs.", metadata={})["id"]
    waits = ["It waits in the inbox until a person agrees."]
    for arguments in ({"targetLayer": 3}, {"targetLayer": 3, "weight": 4}):
        moved = agent.data("context.update", memoryId=id, **arguments)
        assert (moved["newLayer"], moved["notes"]) == (2, waits)
    assert agent.data("context.promote", memoryId=id, fromLayer=2)["notes"] == waits


def test_a_skipped_duplicate_is_not_stored_and_what_differs_is(tmp_path: Path) -> None:
    """CF-44: the answer says which of both was done."""
    agent = Agent(shop(tmp_path), "compat")

    def store(content: str, strategy: str = "skip") -> dict[str, Any]:
        return agent.data("context.store", type="code_pattern", content=content,
                          metadata={"dedupe": {"strategy": strategy}})  # fmt: skip

    first = store("Use Promise.allSettled for large batches of HTTP calls.")
    for same in ("use Promise.allSettled for large batches of HTTP calls",
                 "Use Promise.allSettled for batches of HTTP calls."):  # fmt: skip
        again = store(same)
        assert (again["id"], again["_dedupe"]["strategy"]) == (first["id"], "skip")
        assert again["_dedupe"]["existingId"] == first["id"]
    other = store("Use Promise.allSettled for large batches of SMTP calls.")
    assert other["id"] != first["id"]
    assert other.get("_dedupe", {"strategy": "allow"})["strategy"] == "allow"
    fuller = store("Use Promise.allSettled for large batches of HTTP calls.", "allow")
    assert (fuller["_dedupe"]["strategy"], fuller["id"] != first["id"]) == ("allow", True)
    assert agent.data("context.list")["total"] == 3
    exact = store("Use Promise.allSettled for large batches of SMTP calls.")
    assert exact["_dedupe"] == {
        "strategy": "skip", "similarity": 1.0, "existingId": other["id"]}  # fmt: skip


def test_triggers_and_parameters_of_a_skill_can_be_emptied(tmp_path: Path) -> None:
    """CF-46: what is left out of an update stays."""
    agent = Agent(shop(tmp_path), "compat")
    skill = {"slug": "review-pr", "name": "Review", "description": "d", "instructions": "Read it."}
    agent.data("context.skill.create", **skill, triggers=["pr"], parameters=[{"name": "url"}])

    def update(**change: Any) -> list[int]:
        agent.data("context.skill.update", slug="review-pr", **change)
        output = agent.data("context.skill.get", slug="review-pr")
        return [len(output["triggers"]), len(output["parameters"]), output["version"]]

    assert update(name="Read a change") == [1, 1, 2]
    assert update(parameters=[]) == [1, 0, 2]
    assert update(triggers=[], parameters=[{"name": "depth"}]) == [0, 1, 2]


def test_a_decision_that_is_all_title_has_a_content(tmp_path: Path) -> None:
    """CF-37: an event that says what was decided, and no more."""
    agent = Agent(shop(tmp_path), "compat")
    agent.data("context.reportEvent", type="decision_made", payload={"decision": "Use sqs"})
    (memory,) = agent.data("context.list", type="decision")["memories"]
    assert memory["content"] == memory["metadata"]["title"] == "Use sqs"


@pytest.mark.parametrize(
    ("type", "payload", "kind", "content"),
    [
        ("decision_made", {"title": "Use zstd", "content": "Half the size"}, "decision", ""),
        ("decision_made", {"content": "Use zstd", "message": "Half the size"}, "decision", ""),
        ("pattern_detected", {"name": "zip", "content": "Half the size"}, "code_pattern", ""),
        ("pattern_detected", {"name": "zip", "text": "Half the size", "code": "z()"},
         "code_pattern", "\n\nz()"),
    ],
)  # fmt: skip
def test_what_an_event_tells_besides_its_title_is_stored(
    tmp_path: Path, type: str, payload: dict[str, str], kind: str, content: str
) -> None:
    """CF-37: under any name of a text."""
    agent = Agent(shop(tmp_path), "compat")
    agent.data("context.reportEvent", type=type, payload=payload, sessionId="s")
    (memory,) = agent.data("context.list", type=kind)["memories"]
    assert memory["content"] == f"Half the size{content}"


def test_the_files_of_a_pattern_are_those_of_its_code_and_its_json(tmp_path: Path) -> None:
    """CF-25: what is alike to the path of its code comes first."""
    agent = Agent(shop(tmp_path), "compat")
    block = {"code": "q.get()", "language": "python", "filePath": "src/net/queue.py"}
    retry = {"name": "Retry thrice", "description": "Retry.", "relatedFiles": ["src/net/call.py"]}
    for content, metadata in (
        ("Read from the queue", {"codeBlock": block}),
        (json.dumps(retry), {}),
        ("Close what was opened", {"fileContext": {"path": "src/server.py"}}),
    ):
        agent.data("context.store", type="code_pattern", content=content, metadata=metadata)
    patterns = agent.data("context.getPatterns", filePath="src/net/queue.py")["patterns"]
    assert [pattern["relatedFiles"] for pattern in patterns] == [
        ["src/net/queue.py"], ["src/net/call.py"], ["src/server.py"],
    ]  # fmt: skip
    assert {pattern["language"] for pattern in patterns} == {"python"}


def test_what_a_session_repeats_of_an_ended_one_is_in_its_own_context(tmp_path: Path) -> None:
    """CF-37: the file and the command of a session before, which no list of this one has."""
    desk = shop(tmp_path)
    desk.env["GITMEM_NO_BACKGROUND"] = "1"  # whose clock is not that of the desk
    agent = Agent(desk, "compat")
    events = (
        ("file_opened", {"path": "src/server.py", "content": "class Server"}),
        ("command_executed", {"command": "pytest -q", "output": "3 passed"}),
    )
    ids: list[set[str]] = []
    for session in ("one", "two"):
        for type, payload in events:
            for _ in range(2):
                agent.data("context.reportEvent", type=type, payload=payload, sessionId=session)
        agent.data("context.store", type="scratchpad", content="Try it", metadata={}, layer=1)
        working = agent.data("context.getCurrent", sessionId=session)["context"]["working"]
        ids.append({item["id"] for item in working})
        assert sorted(item["type"] for item in working) == [
            "command", "file_context", "scratchpad",
        ]  # fmt: skip
        agent.data("context.reportEvent", type="session_end", payload={}, sessionId=session)
    assert not ids[0] & ids[1]


def test_the_counts_of_layers_are_those_of_their_lists(tmp_path: Path) -> None:
    """CF-39: also after a session ended, whose working memories no list has."""
    agent = Agent(shop(tmp_path), "compat")
    agent.data("context.store", type="decision", content="Use sqs.", metadata={})
    agent.data("context.store", type="scratchpad", content="Now.", metadata={}, layer=1)
    for type, payload in (("command_executed", {"command": "ls"}), ("session_end", {})):
        agent.data("context.reportEvent", type=type, payload=payload, sessionId="s")
        stats = agent.data("context.list", stats=True)
        counts = [agent.data("context.list", layer=layer)["total"] for layer in (1, 2)]
        assert [stats["l1"], stats["l2"]] == counts
        assert stats["total"] == sum(counts) == agent.data("context.metrics")["stats"]["total"]
        old = agent.data("context.stats")
        assert [old["l1"]["count"], old["l2"]["count"]] == counts


def test_an_error_is_answered_with_a_stored_fix_that_quotes_it(tmp_path: Path) -> None:
    """CF-38: the flow of its document, a fix that was stored by hand and no event before it."""
    agent = Agent(shop(tmp_path), "compat")
    fix = "IndexError: list index out of range is fixed by looking at the length first."
    agent.data("context.store", type="decision", content=f"No {fix}", metadata={})
    trouble = {
        "type": "error_occurred",
        "payload": {"error": "IndexError: list index out of range"},
    }
    assert "no fix is known" in agent.data("context.reportEvent", **trouble)["message"]
    agent.data("context.store", type="bug_fix", content=fix, metadata={})
    assert agent.data("context.reportEvent", event=trouble)["message"].endswith(fix)
    newer = f"Since the rewrite {fix.replace('looking at', 'asking for')}"
    agent.data("context.store", type="bug_fix", content=newer, metadata={})
    assert agent.data("context.reportEvent", event=trouble)["message"].endswith(newer)
    trouble["payload"] = {"error": "KeyError: list index out of range"}
    assert "no fix is known" in agent.data("context.reportEvent", **trouble)["message"]


def test_the_working_memories_of_a_session_are_those_of_its_context(tmp_path: Path) -> None:
    """CF-19: with the client's id of the session, with another and with none."""
    desk = shop(tmp_path)
    desk.env["GITMEM_NO_BACKGROUND"] = "1"  # upkeep would read the real clock
    agent = Agent(desk, "compat")

    def working(**arguments: Any) -> list[str]:
        context = agent.data("context.getCurrent", **arguments)["context"]
        assert not {m["id"] for m in context["working"]} & {m["id"] for m in context["relevant"]}
        return [memory["content"] for memory in context["working"]]

    def note(content: str) -> None:
        assert agent.data("context.store", type="scratchpad", content=content)["layer"] == 1

    note("Before a session")
    assert working() == working(sessionId="s1") == ["Before a session"]
    agent.data("context.reportEvent", type="session_start", sessionId="s1", cliType="claude",
               timestamp=1_700_000_000_000, payload={"goal": "sign cookies"})  # fmt: skip
    note("Looking at the cookies")
    observed = agent.data("context.reportEvent", type="file_opened", sessionId="s1",
                      payload={"path": "src/server.py"})["memoryId"]  # fmt: skip
    assert working(sessionId="s1")[1:] == [
        "Looking at the cookies", "sign cookies", "Before a session"]  # fmt: skip
    working_ids = [m["id"] for m in agent.data("context.getCurrent")["context"]["working"]]
    assert working_ids[0] == observed
    agent.data("context.reportEvent", type="session_start", sessionId="s2", payload={})
    note("Another matter")
    assert "Another matter" in working(sessionId="s2")
    assert not {"Looking at the cookies", "sign cookies"} & {*working(sessionId="s2")}
    assert "Another matter" not in working(sessionId="s1")
    agent.data("context.reportEvent", type="session_end", sessionId="s1",
               payload={"summary": "Cookies are signed"})  # fmt: skip
    last = next(s for s in desk.run("session list").sessions if s.client_id == "s1")
    assert (last.goal, last.summary, bool(last.ended_at)) == (
        "sign cookies", "Cookies are signed", True)  # fmt: skip
    listed = agent.data("context.recall", query="a session", sessionId="s2")["results"]
    assert "Before a session" in [hit["memory"]["content"] for hit in listed]


def test_the_first_event_of_a_session_begins_it(tmp_path: Path) -> None:
    """CF-23: its error is in the context; CF-21: no line of a memory without words is empty."""
    desk = shop(tmp_path)
    desk.env["GITMEM_NO_BACKGROUND"] = "1"
    agent = Agent(desk, "compat")
    agent.data("context.reportEvent", type="error_occurred", sessionId="s1",
               payload={"error": "KeyError: price"})  # fmt: skip
    agent.data("context.reportEvent", type="session_start", sessionId="s1", payload={})
    now = agent.data("context.getCurrent", sessionId="s1")["context"]
    lines = {section["name"]: section["lines"] for section in now["sections"]}
    assert lines["errors"] == ["- KeyError: price"]
    assert "- Session started" in lines["working"] and "- " not in lines["working"]
    assert "error" in [suggestion["type"] for suggestion in now["suggestions"]]
    assert [s.client_id for s in desk.run("session list").sessions] == ["s1"]
    agent.data("context.reportEvent", type="session_end", sessionId="unknown", payload={})
    assert [s.client_id for s in desk.run("session list").sessions] == ["s1"]


def test_a_stored_memory_says_what_the_router_advised(tmp_path: Path) -> None:
    """CF-5: with the reason and confidence; CF-1: and why it is not where it was asked for."""
    agent = Agent(shop(tmp_path), "compat")
    layer = agent.data("context.store", type="decision", content="Ports are even.", layer=3)
    assert (layer["layer"], layer["routing"]["layer"], layer["routing"]["confidence"]) == (2, 3, 1)
    assert "waits in the inbox" in layer["notes"][0]
    for advised, call in (
        (3, {"type": "convention", "content": "Indent YAML by two."}),
        (1, {"type": "decision", "content": "Deploys rest in July.", "ttl": 200_000}),
    ):
        stays = agent.data("context.store", **call)
        assert (stays["layer"], stays["routing"]["layer"]) == (2, advised)
    asks = agent.desk.run("inbox").items
    assert [item.memory for item in asks] == [layer["id"]], "by its type alone nothing waits"
    message = agent.data("context.store", type="message", content="The tests are slow today.")
    assert (message["layer"], "notes" in message) == (2, False)
    assert message["routing"] == {
        "layer": 1, "confidence": 0.8, "reason": "messages are short-lived"}  # fmt: skip


def test_a_memory_added_just_after_a_first_visit_is_told(tmp_path: Path) -> None:
    """CF-28: within thirty seconds too."""
    agent = Agent(shop(tmp_path), "compat")
    assert agent.data("context.orient")["offlineGap"] is None
    agent.call("context.store", {"type": "decision", "content": "Ports are even."})
    answer = agent.call("context.orient", {}).structured_content
    assert answer is not None
    assert (answer["offlineGap"]["durationMs"], answer["offlineGap"]["memoriesAdded"]) == (0, 1)
    assert answer["offlineGap"]["from"] == answer["time"]["epochMs"] // 1000 * 1000
    assert [memory["content"] for memory in answer["recentMemories"]] == ["Ports are even."]


def test_an_offset_below_nothing_is_refused(tmp_path: Path) -> None:
    """CF-9: it was counted from the end."""
    agent = Agent(shop(tmp_path), "compat")
    for tool, more in (("context.recall", {"query": "port"}), ("context.list", {})):
        with pytest.raises(InvalidInput, match="The offset cannot be -1"):
            agent(tool, offset=-1, **more)


def test_moments_are_milliseconds_in_every_call(tmp_path: Path) -> None:
    agent = Agent(shop(tmp_path), "compat")
    for number in range(3):
        agent.data("context.store", type="decision", content=f"The ledger keeps copy {number}.")
    recalled = agent.data("context.recall", query="ledger copy", limit=2)
    assert (recalled["total"], recalled["hasMore"]) == (2, True)
    rest = agent.data("context.recall", query="ledger copy", limit=2, offset=2)
    assert (rest["total"], rest["hasMore"]) == (1, False)
    id = recalled["results"][0]["memory"]["id"]
    context = agent.data("context.getCurrent")["context"]
    memories = [
        *(hit["memory"] for hit in (*recalled["results"], *rest["results"])),
        agent.data("context.get", memoryId=id)["memory"],
        *agent.data("context.list")["memories"],
        *context["relevant"],
        *agent.data("context.orient")["recentMemories"],
        *agent.data("context.ghost")["relevantMemories"],
        agent.data("context.update", memoryId=id, weight=4)["memory"],
    ]
    assert len(memories) > 12
    for memory in memories:
        assert 1e12 < memory["createdAt"] <= memory["updatedAt"] < 1e13, memory


def test_a_recall_is_narrowed_by_layer_and_explained(tmp_path: Path) -> None:
    """CF-12, CF-13."""
    agent = Agent(shop(tmp_path), "compat")
    agent.data("context.store", type="decision", content="The ledger is on disk.")
    agent.data("context.store", type="scratchpad", content="The ledger looks odd.")

    def found(**arguments: Any) -> list[dict[str, Any]]:
        results = agent.data("context.recall", query="ledger", **arguments)["results"]
        assert isinstance(results, list)
        return results

    assert [hit["layer"] for hit in found(filter={"layers": [1]})] == [1]
    assert [hit["layer"] for hit in found(filter={"layers": [2, 3]})] == [2]
    assert "explanation" not in found()[0]
    (hit,) = found(explain=True, scoringProfile="temporal", filter={"layers": [2]})
    assert {*hit["explanation"]} >= {"bm25Score", "vectorScore", "weight", "profile", "final"}
    with pytest.raises(InvalidInput, match="'scoringProfile'"):
        found(scoringProfile="magic")
    assert [m["content"] for m in agent.data("context.list", layer=1)["memories"]] == [
        "The ledger looks odd."]  # fmt: skip
    page = agent.data("context.list", layer=2, limit=1)
    assert (page["total"], len(page["memories"])) == (1, 1)


def test_a_pattern_in_json_is_a_pattern_with_its_fields(tmp_path: Path) -> None:
    """CF-24: and CF-21, the context names those of a language and a file first."""
    agent = Agent(shop(tmp_path), "compat")
    retry = {"name": "Retry thrice", "description": "Retry network calls three times.",
             "code": "for attempt in range(3): go()", "language": "Python"}  # fmt: skip
    first = agent.data("context.store", type="code_pattern", content=json.dumps(retry),
                       metadata={"fileContext": {"path": "src/server.py"}})["id"]  # fmt: skip
    second = agent.data("context.store", type="code_pattern", content="Await all calls at once.",
                        metadata={"codeBlock": {"code": "Promise.all(calls)",
                                                "language": "typescript"}})["id"]  # fmt: skip
    agent.data("context.store", type="code_pattern", content='{"name": 3}', metadata={})
    patterns = agent.data("context.getPatterns", language="python")["patterns"]
    found = {pattern["id"]: pattern for pattern in patterns}
    assert patterns[0]["id"] == first and len(patterns) == 3
    assert {name: found[first][name] for name in ("name", "description", "code", "language")} == {
        **retry, "language": "python"}  # fmt: skip
    assert (found[first]["relatedFiles"], found[first]["usageCount"]) == (["src/server.py"], 0)
    assert found[first]["lastUsedAt"] is None
    assert found[second]["code"] == "Promise.all(calls)"
    assert found[second]["language"] == "typescript"
    assert '{"name": 3}' in [pattern["description"] for pattern in patterns]
    assert agent.desk.run("pattern show", name="retry-thrice").examples == (retry["code"],)
    guard = {"name": "Guard", "description": "Guard first.", "code": "if x: pass"}
    event = agent.data("context.reportEvent", type="pattern_detected",
                       payload={**guard, "language": "Python"})["memoryId"]  # fmt: skip
    detected = {each["id"]: each for each in agent.data("context.getPatterns")["patterns"]}[event]
    assert {name: detected[name] for name in guard} == guard and detected["language"] == "python"
    context = agent.data("context.getCurrent", language="typescript")["context"]
    assert context["patterns"][0]["id"] == second
    context = agent.data("context.getCurrent", currentFile="src/server.py")["context"]
    assert context["patterns"][0]["id"] == first
    assert (context["activeSymbol"], context["relatedMemoryIds"]) == ("Server", [first])
    priorities = [section["priority"] for section in context["sections"]]
    assert priorities == sorted(priorities, reverse=True) and priorities[0] == 100
    assert all(section["name"] and section["lines"] for section in context["sections"])
    texts = {each["memories"][0]: each["text"] for each in context["suggestions"]
             if each["type"] == "pattern"}  # fmt: skip
    assert texts[first] == "Follow: Retry thrice"
    now = agent.desk.run("context", lang="typescript").now
    assert now.patterns[0].id == second
    with pytest.raises(InvalidInput, match="no language"):
        agent("context.getCurrent", language="klingon")


def test_a_working_memory_that_is_used_ends_later_and_then_never(tmp_path: Path) -> None:
    """CF-2: each use puts the end off by half, and after the fifth there is none."""
    desk = shop(tmp_path)
    agent = Agent(desk, "compat")
    seldom, often = (
        agent.data("context.store", type="scratchpad", content=text, ttl=600)["id"]
        for text in ("Rename the walrus module.", "Rename the ostrich module.")
    )
    desk.clock.advance(7 * MINUTE)
    agent("context.recall", query="walrus", limit=1, mode="keyword")
    for _ in range(5):
        agent.call("context.recall", {"query": "ostrich", "limit": 1, "mode": "keyword"})
    desk.clock.advance(3 * MINUTE)
    mine = {seldom, often}
    assert {m["id"] for m in agent.data("context.list", layer=1)["memories"]} >= mine
    desk.clock.advance(6 * MINUTE)
    assert mine & {m["id"] for m in agent.data("context.list", layer=1)["memories"]} == {often}
    desk.run("upkeep")
    ended = agent.data("context.get", memoryId=seldom)
    assert (ended["memory"]["state"], ended["layer"]) == ("archived", 2)


def test_a_type_is_no_word_of_a_memory(tmp_path: Path) -> None:
    """CF-3: a type is asked for by its filter, not by its word."""
    agent = Agent(shop(tmp_path), "compat")
    agent("context.store", type="bug_fix", content="Lock the token refresh.")
    assert not agent.data("context.recall", query="bug_fix", mode="keyword")["results"]
    assert agent.data("context.recall", query="lock", filter={"types": ["bug_fix"]})["results"]


def test_code_of_a_named_session_is_advised_for_the_working_layer(tmp_path: Path) -> None:
    """CF-6: the session is that of the provenance."""
    agent = Agent(shop(tmp_path), "compat")
    routing = [
        agent.data("context.store", type="code", content=f"x = {number}", metadata=facts)["routing"]
        for number, facts in enumerate(({}, {"provenance": {"sessionId": "s1"}}))
    ]
    assert [(r["layer"], r["confidence"]) for r in routing] == [(2, 0.7), (1, 0.75)]


def test_a_filter_by_message_is_one_by_observation(tmp_path: Path) -> None:
    """CF-7: the three are one kind."""
    agent = Agent(shop(tmp_path), "compat")
    for kind in ("message", "thought", "observation"):
        agent("context.store", type=kind, content=f"A {kind} about walruses.")
    answer = agent.data("context.list", type="message")
    assert [m["type"] for m in answer["memories"]] == ["observation"] * 3


def test_many_working_memories_leave_the_relevant_ones_their_places(tmp_path: Path) -> None:
    """CF-19: five of the project's newest, also below more than ten working memories."""
    agent = Agent(shop(tmp_path), "compat")
    for number in range(6):
        agent("context.store", type="bug_fix", content=f"Fix {number} of the walrus.")
    for number in range(16):
        agent("context.store", type="scratchpad", content=f"Walrus note {number}.", ttl=80_000)
    context = agent.data("context.getCurrent")["context"]
    assert len(context["working"]) == 10
    assert {m["type"] for m in context["relevant"]} == {"bug_fix"}
    assert len(context["relevant"]) == 6


def test_a_language_goes_by_its_name_in_an_editor(tmp_path: Path) -> None:
    """CF-21: as the agents of editors name it."""
    agent = Agent(shop(tmp_path), "compat")
    for name in ("typescriptreact", "javascriptreact", "shellscript", "plaintext", "TypeScript"):
        assert "context" in agent.data("context.getCurrent", language=name)
        assert "patterns" in agent.data("context.getPatterns", language=name)
    with pytest.raises(InvalidInput, match="There is no language 'klingon'"):
        agent("context.getCurrent", language="klingon")


def test_no_ghost_says_what_another_says(tmp_path: Path) -> None:
    """CF-22: nor the same text twice; five at most, the published ones first."""
    agent = Agent(shop(tmp_path), "compat")
    agent("context.store", type="decision", content="Walruses sign the cookie.")
    for type, facts in (
        ("session_start", {}),
        ("file_opened", {"path": "src/server.py"}),
        ("command_executed", {"command": "pytest -q"}),
        ("error_occurred", {"error": "TypeError: no walrus"}),
    ):
        agent("context.reportEvent", type=type, sessionId="s", payload=facts)
    messages = agent.data("context.ghost", sessionId="s")["messages"]
    texts = [(message["trigger"], message["content"]) for message in messages]
    assert texts == [
        ("session_context", "Recent files: src/server.py"),
        ("relevant_decision", "Walruses sign the cookie."),
        ("bug_fix_context", "TypeError: no walrus"),
        ("active_code_context", "At Server in src/server.py"),
        ("command_context", "Last check: pytest -q"),
    ]


def test_the_news_of_a_visit_is_repeated_within_thirty_seconds(tmp_path: Path) -> None:
    """CF-28: with the gap since then."""
    agent = Agent(shop(tmp_path), "compat")
    first = agent.data("context.orient")
    assert "first time here" in first["summary"] and first["recentMemories"] == []
    agent("context.store", type="decision", content="Ports are even.")
    agent.desk.clock.advance(60_000)
    once, again = (agent.call("context.orient", {}).structured_content for _ in range(2))
    assert once and again
    assert (once["offlineGap"]["durationMs"], again["offlineGap"]["durationMs"]) == (120_000, 0)
    assert once["offlineGap"]["from"] == again["offlineGap"]["from"]
    assert once["recentMemories"] == again["recentMemories"]


def test_a_title_that_begins_the_text_is_not_repeated(tmp_path: Path) -> None:
    """CF-21, CF-28: an error has its first line as its title."""
    agent = Agent(shop(tmp_path), "compat")
    agent("context.reportEvent", type="error_occurred", payload={"error": "ValueError: no walrus"})
    relevant = {
        section["name"]: section["lines"]
        for section in agent.data("context.getCurrent")["context"]["sections"]
    }["relevant"]
    lines = [*relevant, *agent.data("context.orient")["summary"].split("\n")]
    assert [line.count("no walrus") for line in lines if "no walrus" in line] == [1, 1]


def test_what_fades_is_of_the_project_too_and_never_a_decision(tmp_path: Path) -> None:
    """CF-17: as the page of calls says of context.orient."""
    desk = shop(tmp_path)
    agent = Agent(desk, "compat")
    fades = agent.data("context.store", type="code_pattern", content="Walruses swim.")["id"]
    for kind in ("decision", "convention"):
        agent("context.store", type=kind, content=f"A {kind} on walruses.")
    desk.clock.advance(60 * 24 * 60 * MINUTE)
    assert [item.id for item in desk.run("decay").archived] == [fades]
    gone = agent.data("context.get", memoryId=fades)
    assert gone["memory"]["state"] == "archived"
