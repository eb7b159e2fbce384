"""Converting our values into those of Context Fabric's answers. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from gitmem import __version__
from gitmem.clock import durations, time_anchor, time_report
from gitmem.mcp.compat import to_ours
from gitmem.mcp.compat.to_theirs import (
    Rows,
    fabric_type,
    language_of_file,
    layer_number,
    make_back_translator,
    milliseconds,
)
from gitmem.text.quantity import quantity

# Our action for an imported document -> their word.
_IMPORTED = {
    **dict.fromkeys(("added", "updated", "would be added", "would be updated"), "stored"),
    **dict.fromkeys(("proposed", "would be proposed"), "proposed"),
    **dict.fromkeys(("missing", "empty"), "skipped-missing"),
    **dict.fromkeys(("failed", "left alone"), "failed"),
}
# Our name for a part of a score -> theirs.
_PARTS = {
    "words": "bm25Score",
    "words_rank": "bm25Rank",
    "meaning": "vectorScore",
    "meaning_rank": "vectorRank",
}
# The checks of `gitmem doctor` that are about the code index.
_INDEX_CHECKS = ("index", "search", "files", "commits", "content", "vectors", "index run")
_StatisticsByMode = Mapping[str, Mapping[str, int]] | None


def gitmem_version() -> str:
    """The version number of gitmem."""
    return __version__


def milliseconds_or_none(iso_time: str | None) -> int | None:
    """ISO 8601 as milliseconds since 1970; null for an empty one."""
    return milliseconds(iso_time) if iso_time else None


def kind_of_entity_key(key: str) -> str:
    """The kind in an entity's key: ``file`` for ``file:src/app.py``."""
    return key.partition(":")[0]


def name_of_entity_key(key: str) -> str:
    """The name in an entity's key: ``src/app.py`` for ``file:src/app.py``."""
    return key.partition(":")[2]


def count_memories_by_type(memories: Rows) -> dict[str, int]:
    """The number of memories of each type, in the words of Context Fabric, another system."""
    return dict(Counter(fabric_type(row["kind"]) for row in memories or ()))


def recall_counts_by_mode(statistics: _StatisticsByMode) -> dict[str, int]:
    """The number of recalls made in each search mode."""
    return {f"recall.{mode}": row["count"] for mode, row in (statistics or {}).items()}


def recall_time_histograms(statistics: _StatisticsByMode) -> dict[str, Mapping[str, int]]:
    """The durations of recalls (searches in memories), by search mode."""
    return {f"recall.{mode}.ms": row for mode, row in (statistics or {}).items()}


def time_since_visit(
    elapsed_seconds: int | None, last_visit_at: str | None, added_memories: int | None
) -> dict[str, Any] | None:
    """The time since the last visit, and the memories added; None at the first session."""
    if elapsed_seconds is None:
        return None
    return {
        "durationMs": elapsed_seconds * 1000,
        "durationHuman": durations.format_duration(elapsed_seconds * 1000),
        "from": milliseconds(last_visit_at),
        "memoriesAdded": added_memories or 0,
    }


def time_zone_conversions(
    zones: Any, fallback_zones: Any, resolved_time: Any, current_time: Any
) -> list[dict[str, Any]]:
    """A moment in other time zones: the resolved moment if there is one, else now."""
    moment = (resolved_time or current_time)["epochMs"]
    fields = ("epochMs", "timezone", "iso", "timeOfDay", "date", "utcOffset")
    anchors = (
        time_anchor.time_anchor(time_report.describe_moment(moment, zone["timezone"], ()))
        for zone in zones or fallback_zones or ()
    )
    return [{field: getattr(anchor, field) for field in fields} for anchor in anchors]


def is_index_stale(index_state: str) -> bool:
    """Whether the index is not up to date."""
    return index_state != "current"


fabric_symbol = make_back_translator(
    {
        "constant": "const",
        **{ours: its for its, all in to_ours.FABRIC_SYMBOLS.items() for ours in all},
    }
)


def skill_parameters(parameters: Rows) -> list[dict[str, Any]]:
    """The parameters of a skill; a parameter without a default is required."""
    return [
        {
            "name": row["name"],
            "description": row["description"],
            "required": row["default"] is None,
        }
        for row in parameters or ()
    ]


def fabric_metadata(
    title: str,
    tags: Sequence[str],
    weight: int,
    confidence: float,
    source: str,
    agent: str,
    paths: Sequence[str],
    metadata: Mapping[str, Any] | None,
    created_at: str,
    valid_from: str | None,
    valid_until: str | None,
    superseded_by: str,
) -> dict[str, Any]:
    """The metadata of a memory: its fields, and what else was given with it.

    Without a fileContext of its own it has the first path that the memory cites. Its ``temporal``
    says from and until when it holds, if that is not from its creation on.
    """
    facts = {"title": title, "tags": tags, "weight": weight, "confidence": confidence,
             "source": source, "cliType": agent}  # fmt: skip
    path, _, lines = (paths[0] if paths else "").partition(":")
    if path:
        first, _, last = lines.partition("-")
        ends = {"lineStart": int(first), "lineEnd": int(last or first)} if first.isdigit() else {}
        facts["fileContext"] = {"path": path, **ends, "language": language_of_file(path)}
    if valid_from or valid_until:
        facts["temporal"] = {
            "validFrom": milliseconds(valid_from or created_at),
            "validUntil": milliseconds_or_none(valid_until),
            "supersededById": superseded_by or None,
        }
    given = dict(metadata or {})
    if isinstance(origin := given.get("provenance"), Mapping):
        given["provenance"] = {"capturedAt": milliseconds(created_at), **origin}
    return {**facts, **given}


def notes_on_promotions(promotions: Rows) -> list[str]:
    """What still has to happen to memories that an agent moves to layer 3 (global): sentences."""
    return [
        "It waits in the inbox until a person agrees."
        for row in promotions or ()
        if row["action"] == "proposed"
    ]


def score_parts(memory_id: str, scores: Rows) -> dict[str, float]:
    """The parts of a memory's score by name, with Context Fabric's names where it has some."""
    parts: Mapping[str, float] = next(
        (row["parts"] for row in scores or () if row["id"] == memory_id), {}
    )
    return {_PARTS.get(name, name): value for name, value in parts.items()}


def dedupe_word_for_action(action: str) -> str:
    """What was done with a memory that repeats another: ``skip``, ``merge`` or ``allow``.

    ``allow``: both were stored.
    """
    return {"reinforced": "skip", "merged": "merge"}.get(action, "allow")


def stored_batch_items(
    outcomes: Rows, submitted_items: Sequence[Any] | None
) -> list[dict[str, Any]]:
    """The items of a batch that were stored: id, number of the layer, and if pinned."""
    given = submitted_items or ()
    return [
        {
            "id": item["id"],
            "layer": layer_number(item["layer"]),
            "pinned": bool(given[item["line"] - 1].get("pinned")),
        }
        for item in outcomes or ()
        if not item["error"]
    ]


def failed_batch_items(
    outcomes: Rows, submitted_items: Sequence[Any] | None
) -> list[dict[str, Any]]:
    """The items of a batch that were not stored: index from 0, and error."""
    given = submitted_items or ()
    failed = [(item["line"] - 1, item["error"]) for item in outcomes or () if item["error"]]
    return [
        {"index": index, "error": to_ours.why_item_invalid(index, given[index]) or error}
        for index, error in failed
    ]


def imported_document_states(imported_files: Rows) -> list[dict[str, Any]]:
    """The status of each imported document in Context Fabric's words.

    A document that was known already is a duplicate.
    """
    return [
        {
            "file": file["file"],
            "id": file["id"] or None,
            "status": _IMPORTED.get(file["action"], "skipped-duplicate"),
            **({"error": file["error"]} if file["error"] and file["action"] != "missing" else {}),
        }
        for file in imported_files or ()
    ]


def count_imports_by_state(imported_files: Rows) -> dict[str, int]:
    """How many documents there were (``total``), and how many were ``stored`` and ``skipped``."""
    status = [file["status"] for file in imported_document_states(imported_files)]
    taken = sum(word in ("stored", "proposed") for word in status)
    return {"total": len(status), "stored": taken, "skipped": len(status) - taken}


def health_status(failed_checks: int) -> str:
    """``ok``, or ``degraded`` if a check found a problem."""
    return "degraded" if failed_checks else "ok"


def index_check_messages(findings: Rows, state: str) -> list[str]:
    """Messages of the checks of the code index that have a state: ``problem`` or ``fixed``."""
    return [
        finding["message"]
        for finding in findings or ()
        if finding["check"] in _INDEX_CHECKS and finding["state"] == state
    ]


def count_embedded_vectors(repaired_vectors: int, findings: Rows) -> int:
    """The number of vectors that a repair made, with those that its checks made."""
    made = (
        text.split()[0] for text in index_check_messages(findings, "fixed") if "embedded" in text
    )
    return repaired_vectors + sum(int(number) for number in made)


def describe_index_issues(
    findings: Rows, is_dry_run: bool, changed_files: int, missing_files: int
) -> list[str]:
    """Sentences on what is wrong with the code index, and on files that changed or are gone.

    The latter (``changed_files``, ``missing_files``) count in a dry run (``is_dry_run``) only.
    """
    stale = (
        f"{quantity(changed_files, 'indexed file')} changed since"
        if is_dry_run and changed_files
        else ""
    )
    gone = (
        f"{quantity(missing_files, 'indexed file')} no longer there"
        if is_dry_run and missing_files
        else ""
    )
    return [*index_check_messages(findings, "problem"), *filter(None, (stale, gone))]


def index_health(findings: Rows, is_dry_run: bool, changed_files: int, missing_files: int) -> str:
    """``ok``, or ``degraded`` if there is an issue with the code index."""
    return health_status(
        len(describe_index_issues(findings, is_dry_run, changed_files, missing_files))
    )


def doctor_check_results(findings: Rows) -> list[dict[str, str]]:
    """Each check as name, status (``ok`` or ``error``) and what it found."""
    return [
        {
            "name": finding["check"],
            "status": "error" if finding["state"] == "problem" else "ok",
            "detail": finding["message"],
        }
        for finding in findings or ()
    ]
