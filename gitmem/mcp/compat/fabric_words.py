"""From our values to those of the later tools of Context Fabric. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gitmem.mcp.compat import to_theirs

# What becomes of a document here -> their word for it.
_IMPORTED = {
    "added": "stored",
    "updated": "stored",
    "would be added": "stored",
    "would be updated": "stored",
    "proposed": "proposed",
    "would be proposed": "proposed",
    "missing": "skipped-missing",
    "empty": "skipped-missing",
    "failed": "failed",
}


def parameters(ours: Iterable[Mapping[str, Any]] | None) -> list[dict[str, Any]]:
    """The parameters of a skill: required are those without a default."""
    return [
        {
            "name": one["name"],
            "description": one["description"],
            "required": one["default"] is None,
        }
        for one in ours or ()
    ]


def stored(items: Iterable[Mapping[str, Any]] | None) -> int:
    """How many items of a batch were kept."""
    return sum(not one["error"] for one in items or ())


def kept_items(
    items: Iterable[Mapping[str, Any]] | None, asked: Sequence[Any] | None
) -> list[dict[str, Any]]:
    """The items of a batch that were kept, with what was asked for each."""
    said = asked or ()
    return [
        {
            "id": one["id"],
            "layer": said[one["line"] - 1].get("layer"),
            "pinned": bool(said[one["line"] - 1].get("pinned")),
        }
        for one in items or ()
        if not one["error"]
    ]


def failed_items(items: Iterable[Mapping[str, Any]] | None) -> list[dict[str, Any]]:
    """The items of a batch that were not kept, counted from 0, and why."""
    return [
        {"index": one["line"] - 1, "error": one["error"]} for one in items or () if one["error"]
    ]


def imported(files: Iterable[Mapping[str, Any]] | None) -> list[dict[str, Any]]:
    """What became of each document, in their words; what is there already is a duplicate."""
    return [
        {"file": one["file"], "id": one["id"] or None, "status": _status(one)}
        for one in files or ()
    ]


def import_summary(files: Iterable[Mapping[str, Any]] | None) -> dict[str, int]:
    """How many documents there were, and how many were taken in."""
    found = [_status(one) for one in files or ()]
    taken = sum(one in ("stored", "proposed") for one in found)
    return {"total": len(found), "stored": taken, "skipped": len(found) - taken}


def _status(one: Mapping[str, Any]) -> str:
    return _IMPORTED.get(one["action"], "skipped-duplicate")


def health(failed: int) -> str:
    """``ok``, or ``degraded`` where a check found a problem."""
    return "degraded" if failed else "ok"


def checks(findings: Iterable[Mapping[str, Any]] | None) -> list[dict[str, str]]:
    """Each check with its state: ``ok`` or ``error``, and what it found."""
    return [
        {
            "name": one["check"],
            "status": "error" if one["state"] == "problem" else "ok",
            "detail": one["message"],
        }
        for one in findings or ()
    ]


def by_type(memories: Iterable[Mapping[str, Any]] | None) -> dict[str, int]:
    """How many of the memories are of each of their types, working ones left out."""
    kinds = [one["kind"] for one in memories or () if one["layer"] != "working"]
    return dict(Counter(to_theirs.FABRIC_TYPES.get(kind, kind) for kind in kinds))
