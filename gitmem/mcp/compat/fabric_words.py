"""From our values to those of Context Fabric. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from gitmem import __version__
from gitmem.clock import durations, time_anchor, time_report
from gitmem.mcp.compat.to_theirs import Rows, fabric_type, milliseconds

# What becomes of a document here -> their word for it.
_IMPORTED = {
    **dict.fromkeys(("added", "updated", "would be added", "would be updated"), "stored"),
    **dict.fromkeys(("proposed", "would be proposed"), "proposed"),
    **dict.fromkeys(("missing", "empty"), "skipped-missing"),
    "failed": "failed",
}
_Modes = Mapping[str, Mapping[str, int]] | None


def version() -> str:
    """That of gitmem."""
    return __version__


def milliseconds_if(moment: str | None) -> int | None:
    """ISO 8601 as milliseconds since 1970; null for an empty one."""
    return milliseconds(moment) if moment else None


def before_colon(key: str) -> str:
    """The kind of an entity, of its key."""
    return key.partition(":")[0]


def behind_colon(key: str) -> str:
    """The name of an entity, of its key."""
    return key.partition(":")[2]


def working(memories: Rows) -> int:
    """How many of the memories are working ones."""
    return sum(memory["layer"] == "working" for memory in memories or ())


def lasting(number: int, memories: Rows) -> int:
    """How many of so many memories are no working ones."""
    return number - working(memories)


def by_type(memories: Rows) -> dict[str, int]:
    """How many of the memories are of each of their types, working ones left out."""
    return dict(
        Counter(fabric_type(row["kind"]) for row in memories or () if row["layer"] != "working")
    )


def recalls(modes: _Modes) -> dict[str, int]:
    """How many recalls there were, by mode."""
    return {f"recall.{mode}": row["count"] for mode, row in (modes or {}).items()}


def histograms(modes: _Modes) -> dict[str, Mapping[str, int]]:
    """How long recalls took, by mode."""
    return {f"recall.{mode}.ms": row for mode, row in (modes or {}).items()}


def offline_gap(seconds: int | None, since: str | None, memories: Rows) -> dict[str, Any] | None:
    """How long nobody was here; nothing at the first session (CF-28)."""
    if seconds is None:
        return None
    return {
        "durationMs": seconds * 1000,
        "durationHuman": durations.human(seconds * 1000),
        "from": milliseconds(since),
        "memoriesAdded": sum(row["created_at"] >= (since or "") for row in memories or ()),
    }


def conversions(first: Any, second: Any, resolved: Any, now: Any) -> list[dict[str, Any]]:
    """A moment in other time zones: the one that was resolved, else now."""
    moment = (resolved or now)["epochMs"]
    fields = ("epochMs", "timezone", "iso", "timeOfDay", "date", "utcOffset")
    anchors = (
        time_anchor.time_anchor(time_report.anchor(moment, zone["timezone"], ()))
        for zone in first or second or ()
    )
    return [{field: getattr(anchor, field) for field in fields} for anchor in anchors]


def is_stale(state: str) -> bool:
    """Whether the index lacks something."""
    return state != "current"


def parameters(ours: Rows) -> list[dict[str, Any]]:
    """The parameters of a skill: required are those without a default."""
    return [
        {
            "name": row["name"],
            "description": row["description"],
            "required": row["default"] is None,
        }
        for row in ours or ()
    ]


def stored_items(items: Rows, given_items: Sequence[Any] | None) -> list[dict[str, Any]]:
    """The items of a batch that were stored, with what was asked for each."""
    given = given_items or ()
    return [
        {
            "id": item["id"],
            "layer": given[item["line"] - 1].get("layer"),
            "pinned": bool(given[item["line"] - 1].get("pinned")),
        }
        for item in items or ()
        if not item["error"]
    ]


def failed_items(items: Rows) -> list[dict[str, Any]]:
    """The items of a batch that were not stored, counted from 0, and why."""
    return [
        {"index": item["line"] - 1, "error": item["error"]} for item in items or () if item["error"]
    ]


def imported(files: Rows) -> list[dict[str, Any]]:
    """What became of each document, in their words; what is there already is a duplicate."""
    return [
        {
            "file": file["file"],
            "id": file["id"] or None,
            "status": _IMPORTED.get(file["action"], "skipped-duplicate"),
        }
        for file in files or ()
    ]


def import_summary(files: Rows) -> dict[str, int]:
    """How many documents there were, and how many were taken in."""
    status = [file["status"] for file in imported(files)]
    taken = sum(word in ("stored", "proposed") for word in status)
    return {"total": len(status), "stored": taken, "skipped": len(status) - taken}


def health(failed: int) -> str:
    """``ok``, or ``degraded`` where a check found a problem."""
    return "degraded" if failed else "ok"


def checks(findings: Rows) -> list[dict[str, str]]:
    """Each check with its state: ``ok`` or ``error``, and what it found."""
    return [
        {
            "name": finding["check"],
            "status": "error" if finding["state"] == "problem" else "ok",
            "detail": finding["message"],
        }
        for finding in findings or ()
    ]


def decision_key(id: str) -> str:
    """The key of a decision."""
    return f"decision:{id}"
