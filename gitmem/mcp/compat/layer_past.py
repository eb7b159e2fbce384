"""From our words on the past to those of MemoryLayer. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

_Items = Iterable[Mapping[str, Any]] | None
_CHANGES = 20


def changes(areas: _Items) -> list[dict[str, Any]]:
    """The commits of all areas, each once, the newest first, with the area as their file."""
    found: dict[str, dict[str, Any]] = {}
    for area in areas or ():
        for one in area["newest"]:
            made = {
                "file": area["area"],
                "author": one["author"],
                "timestamp": one["at"],
                "commit_message": one["subject"],
                "commit_hash": one["commit"][:7],
            }
            found.setdefault(one["commit"], made)
    return sorted(found.values(), key=lambda one: one["timestamp"], reverse=True)[:_CHANGES]


def by_author(areas: _Items) -> dict[str, int]:
    """Author -> how many of the commits told are theirs."""
    counts: dict[str, int] = {}
    for one in changes(areas):
        counts[one["author"]] = counts.get(one["author"], 0) + 1
    return counts


def found_changes(commits: int, files: int) -> str:
    """A sentence on how much changed."""
    if not commits:
        return "No changes found"
    return f"Found {commits} changes across {files} files"


def days(entries: _Items, group_by: str, decisions: bool) -> list[dict[str, Any]]:
    """What was committed and decided, by day or by the Monday of its week, the newest first."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for one in entries or ():
        found.setdefault(_day(one["at"][:10], group_by), []).append(one)
    return [_one_day(day, found[day], decisions) for day in sorted(found, reverse=True)]


def found_days(entries: _Items, group_by: str) -> int:
    """On how many days, or in how many weeks, something was committed or decided."""
    return len(days(entries, group_by, False))


def _day(day: str, group_by: str) -> str:
    moment = date.fromisoformat(day)
    return (moment - timedelta(moment.weekday() if group_by == "week" else 0)).isoformat()


def _one_day(day: str, entries: Sequence[Mapping[str, Any]], decisions: bool) -> dict[str, Any]:
    commits = [one for one in entries if one["type"] == "commit"]
    by_sort: dict[str, list[dict[str, str]]] = {"features": [], "fixes": [], "refactors": []}
    for one in commits:
        by_sort[_sort(one["text"])].append({"description": one["text"], "commit": one["ref"]})
    decided = [one["text"] for one in entries if one["type"] == "decision"]
    told = ", ".join(f"{len(some)} {name}" for name, some in by_sort.items() if some)
    return {
        "date": day,
        "summary": told or f"{len(decided)} decisions",
        **by_sort,
        "decisions": decided if decisions else [],
        "metrics": {"commits": len(commits)},
    }


def _sort(subject: str) -> str:
    """What a commit is, by how its subject begins."""
    low = subject.lower()
    if re.match(r"(?:[\w./-]+(?:\([^)]*\))?!?: *)?(?:hot|bug)?fix", low):
        return "fixes"
    again = r"(?:[\w./-]+(?:\([^)]*\))?!?: *)?(?:refactor|clean|simplif|renam|mov)"
    return "refactors" if re.match(again, low) else "features"


def found_functions(hits: Sequence[Any] | None) -> str:
    """A sentence on what is there already."""
    return f"Found {len(hits or ())} existing pieces of code that might help"


def suggested_fix(fixes: _Items) -> str | None:
    """What mended the same error before."""
    return next((one["text"] for one in fixes or ()), None)


def likely_cause(suspects: _Items) -> dict[str, Any] | None:
    """The commit that most likely broke it."""
    one = next(iter(suspects or ()), None)
    if one is None:
        return None
    return {
        "file": next(iter(one["paths"]), ""),
        "author": one["author"],
        "timestamp": one["at"],
        "commit_message": one["subject"],
        "commit_hash": one["commit"][:7],
    }


def cause_confidence(suspects: _Items) -> int:
    """How surely that commit broke it, of 100."""
    return round(100 * next((one["score"] for one in suspects or ()), 0.0))


def related_changes(suspects: _Items) -> list[dict[str, Any]]:
    """The other suspects."""
    return [
        {
            "file": next(iter(one["paths"]), ""),
            "timestamp": one["at"],
            "commit_message": one["subject"],
        }
        for one in list(suspects or ())[1:]
    ]


def reasoning(suspects: _Items) -> str:
    """Why the first suspect is one."""
    return "; ".join(next((one["why"] for one in suspects or ()), ()))


def found_cause(suspects: _Items) -> str:
    """A sentence on the likely cause."""
    cause = likely_cause(suspects)
    if cause is None:
        return "Could not identify specific cause"
    sure = cause_confidence(suspects)
    return f"Found likely cause in {cause['file'] or cause['commit_hash']} ({sure}% confidence)"


def exported(files: _Items) -> str:
    """A sentence on how many decision records were written."""
    return f"Exported {len(exported_files(files))} ADR files"


def exported_files(files: _Items) -> list[str]:
    """The decision records that are in files now."""
    return [one["file"] for one in files or () if not one["error"]]
