"""Converting our values into those of Context Fabric's answers. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from gitmem import __version__
from gitmem.clock import durations, time_anchor, time_report
from gitmem.mcp.compat import argument_converters
from gitmem.mcp.compat.answer_converters import (
    Rows,
    fabric_type,
    language_of_file,
    layer_number,
    make_answer_word_translator,
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
    """A time in ISO 8601 as milliseconds since 1970; None for None or an empty text."""
    return milliseconds(iso_time) if iso_time else None


def kind_of_entity_key(key: str) -> str:
    """The kind in an entity's key: ``file`` for ``file:src/app.py``."""
    return key.partition(":")[0]


def name_of_entity_key(key: str) -> str:
    """The name in an entity's key: ``src/app.py`` for ``file:src/app.py``."""
    return key.partition(":")[2]


def count_memories_by_type(memories: Rows) -> dict[str, int]:
    """A dict: type of memory, in the words of Context Fabric -> number of memories."""
    return dict(Counter(fabric_type(row["kind"]) for row in memories or ()))


def recall_counts_by_mode(statistics: _StatisticsByMode) -> dict[str, int]:
    """A dict: ``recall.MODE`` -> ``count`` of recalls (searches in memories) in that mode."""
    return {f"recall.{mode}": row["count"] for mode, row in (statistics or {}).items()}


def recall_time_histograms(statistics: _StatisticsByMode) -> dict[str, Mapping[str, int]]:
    """A dict: ``recall.MODE.ms`` -> count and durations in ms (percentiles p50, p95, p99)."""
    return {f"recall.{mode}.ms": row for mode, row in (statistics or {}).items()}


def time_since_last_visit(
    elapsed_seconds: int | None, last_visit_at: str | None, added_memories: int | None
) -> dict[str, Any] | None:
    """How long ago the last visit was, as a dict; None if ``elapsed_seconds`` is None.

    Keys: durationMs, durationHuman (text), from (milliseconds since 1970), memoriesAdded.
    """
    if elapsed_seconds is None:
        return None
    return {
        "durationMs": elapsed_seconds * 1000,
        "durationHuman": durations.format_duration(elapsed_seconds * 1000),
        "from": milliseconds(last_visit_at),
        "memoriesAdded": added_memories or 0,
    }


def moment_in_time_zones(
    time_zones: Any, fallback_zones: Any, resolved_moment: Any, current_moment: Any
) -> list[dict[str, Any]]:
    """A moment as it is in each of ``time_zones``, or else ``fallback_zones``: a list of dicts.

    The moment is ``resolved_moment``, or else ``current_moment`` (dicts with ``epochMs``). Keys of
    each dict: epochMs, timezone, iso, timeOfDay, date, utcOffset.
    """
    moment = (resolved_moment or current_moment)["epochMs"]
    fields = ("epochMs", "timezone", "iso", "timeOfDay", "date", "utcOffset")
    anchors = (
        time_anchor.make_time_anchor(time_report.describe_moment(moment, zone["timezone"], ()))
        for zone in time_zones or fallback_zones or ()
    )
    return [{field: getattr(anchor, field) for field in fields} for anchor in anchors]


def is_index_stale(index_state: str) -> bool:
    """Whether the state of an index is another than ``current``."""
    return index_state != "current"


fabric_symbol = make_answer_word_translator(
    {
        "constant": "const",
        **{ours: its for its, all in argument_converters.FABRIC_SYMBOLS.items() for ours in all},
    }
)


def skill_parameters_as_dicts(parameters: Rows) -> list[dict[str, Any]]:
    """A skill's parameters as dicts: name, description, required (True without a default)."""
    return [
        {
            "name": row["name"],
            "description": row["description"],
            "required": row["default"] is None,
        }
        for row in parameters or ()
    ]


def memory_as_fabric_metadata(
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
    """A memory's fields as a dict in the format of Context Fabric, with its ``metadata`` on top.

    ``fileContext`` is the first of ``paths`` (``path:3-9``), as path, lineStart, lineEnd, language.
    ``temporal`` has the validity in milliseconds since 1970, if it is limited.
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


def describe_pending_promotions(promotions: Rows) -> list[str]:
    """A sentence for each memory whose promotion is only proposed: it waits for a person."""
    return [
        "It waits in the inbox until a person agrees."
        for row in promotions or ()
        if row["action"] == "proposed"
    ]


def search_score_parts(memory_id: str, scores: Rows) -> dict[str, float]:
    """A dict: part of a memory's search score (``bm25Score`` ...) -> value; {} if not scored."""
    parts: Mapping[str, float] = next(
        (row["parts"] for row in scores or () if row["id"] == memory_id), {}
    )
    return {_PARTS.get(name, name): value for name, value in parts.items()}


def deduplication_outcome(store_action: str) -> str:
    """What was done with a repeated memory: ``skip`` for ``reinforced``, ``merge`` for ``merged``.

    Any other action is ``allow``: both memories were stored.
    """
    return {"reinforced": "skip", "merged": "merge"}.get(store_action, "allow")


def stored_batch_items(
    outcomes: Rows, submitted_items: Sequence[Any] | None
) -> list[dict[str, Any]]:
    """The items of a batch that were stored, as dicts: id, layer (number 1 to 3), pinned.

    ``outcomes`` are dicts: ``line`` (the item's number from 1), id, layer, error.
    """
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
    """The items of a batch that were not stored, as dicts: index (from 0), error (sentences).

    ``outcomes`` are dicts: ``line`` (the item's number from 1), id, layer, error.
    """
    given = submitted_items or ()
    failed = [(item["line"] - 1, item["error"]) for item in outcomes or () if item["error"]]
    return [
        {
            "index": index,
            "error": argument_converters.why_item_invalid(index, given[index]) or error,
        }
        for index, error in failed
    ]


def imported_document_states(imported_files: Rows) -> list[dict[str, Any]]:
    """For each imported document a dict: file, id, status, and error if it has one.

    The status is stored, proposed, failed, skipped-missing or skipped-duplicate (known already).
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
    """Numbers of documents as a dict: ``total``, ``stored`` (or proposed), ``skipped`` (others)."""
    status = [file["status"] for file in imported_document_states(imported_files)]
    taken = sum(word in ("stored", "proposed") for word in status)
    return {"total": len(status), "stored": taken, "skipped": len(status) - taken}


def health_status(failed_check_count: int) -> str:
    """``ok``, or ``degraded`` if a check found a problem."""
    return "degraded" if failed_check_count else "ok"


def index_check_messages(findings: Rows, finding_state: str) -> list[str]:
    """Messages of the self-check's findings on the index in ``finding_state`` (problem, fixed)."""
    return [
        finding["message"]
        for finding in findings or ()
        if finding["check"] in _INDEX_CHECKS and finding["state"] == finding_state
    ]


def count_embedded_vectors(repaired_vector_count: int, findings: Rows) -> int:
    """``repaired_vector_count`` plus the numbers of vectors that the ``fixed`` findings name."""
    counts = (
        text.split()[0] for text in index_check_messages(findings, "fixed") if "embedded" in text
    )
    return repaired_vector_count + sum(int(number) for number in counts)


def describe_index_issues(
    findings: Rows, is_dry_run: bool, changed_files: int, missing_files: int
) -> list[str]:
    """A list of sentences: each problem of the code index, then the numbers of outdated files.

    Files that changed or are missing are only named if ``is_dry_run``.
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
    """``degraded`` if a finding on the code index is a problem, or files changed; else ``ok``.

    ``changed_files`` and ``missing_files`` count only if ``is_dry_run``.
    """
    return health_status(
        len(describe_index_issues(findings, is_dry_run, changed_files, missing_files))
    )


def doctor_check_results(findings: Rows) -> list[dict[str, str]]:
    """Each finding of the self-check as a dict: name, status (``ok``, ``error``), detail (text)."""
    return [
        {
            "name": finding["check"],
            "status": "error" if finding["state"] == "problem" else "ok",
            "detail": finding["message"],
        }
        for finding in findings or ()
    ]
