"""From our values to those of MemoryLayer, which tells much in sentences. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gitmem.mcp.compat.to_ours import CRITICAL


def critical_type(tags: Iterable[str] | None) -> str:
    """The type that something was marked critical with."""
    return next((one[len(CRITICAL) :] for one in tags or () if one.startswith(CRITICAL)), "custom")


def by_critical_type(memories: Iterable[Mapping[str, Any]] | None) -> dict[str, int]:
    """How many of each type."""
    counts = dict.fromkeys(("decision", "requirement", "instruction", "custom"), 0)
    for one in memories or ():
        counts[critical_type(one["tags"])] = counts.get(critical_type(one["tags"]), 0) + 1
    return counts


def category(tags: Iterable[str] | None) -> str:
    """The first tag, or custom."""
    return next(iter(tags or ()), "custom")


def dependencies(manifests: Iterable[Mapping[str, Any]] | None) -> list[str]:
    """All that the manifests need, each once."""
    return list(dict.fromkeys(name for one in manifests or () for name in one["dependencies"]))


def notes(memories: Iterable[Mapping[str, Any]] | None) -> str:
    """The texts of memories, one below the other."""
    return "\n".join(one["content"] for one in memories or ())


def health(level: str) -> str:
    """How full a context is, in the words good, warning and critical; unknown stays so."""
    return {"ok": "good", "warn": "warning"}.get(level, level)


def percent(part: int | None, whole: int | None) -> str:
    """``42%``; unknown where no host told."""
    return "unknown" if part is None or not whole else f"{part * 100 // whole}%"


def drifts(score: float | None) -> bool:
    """Whether a session has left its goal: 0.3 and more (ML-31)."""
    return (score or 0.0) >= 0.3


def is_critical(level: str) -> bool:
    """Whether a context is so full that it has to be compacted."""
    return level == "critical"


def summed_up(entries: Iterable[Mapping[str, Any]] | None) -> str:
    """``3 commit, 1 decision``."""
    counts: dict[str, int] = {}
    for one in entries or ():
        counts[one["type"]] = counts.get(one["type"], 0) + 1
    return ", ".join(f"{many} {name}" for name, many in sorted(counts.items())) or "nothing"


def decisions_of(entries: Iterable[Mapping[str, Any]] | None) -> list[dict[str, Any]]:
    """The decisions of a timeline."""
    return [
        {"id": one["ref"], "title": one["text"], "date": one["at"]}
        for one in entries or ()
        if one["type"] == "decision"
    ]


def count_decisions(entries: Iterable[Mapping[str, Any]] | None) -> int:
    """How many decisions a timeline has."""
    return len(decisions_of(entries))


def recorded(action: str) -> str:
    """A sentence on what became of a decision."""
    return "Decision recorded successfully" if action == "added" else f"Decision {action}"


def changed_status(id: str, status: str) -> str:
    """A sentence on the status of a decision."""
    return f"Decision {id} status updated to: {status}"


def as_files(paths: Iterable[str] | None) -> list[dict[str, str]]:
    """Each path as an object."""
    return [{"file": one} for one in paths or ()]


def active(projects: Iterable[Mapping[str, Any]] | None) -> str | None:
    """The name of the project one is in."""
    return next((one["name"] for one in projects or () if one["here"]), None)


def switched(name: str) -> str:
    """A sentence on the project that calls work in now."""
    return f"Switched to project: {name}"


def paths(files: Iterable[Mapping[str, Any]] | None) -> list[str]:
    """The paths of files."""
    return [one["path"] for one in files or ()]


def predicted(files: Iterable[Mapping[str, Any]] | None) -> str:
    """A sentence on how many files are likely needed."""
    return f"Predicted {len(paths(files))} relevant files"


def current_feature(features: Iterable[Mapping[str, Any]] | None) -> dict[str, Any] | None:
    """The feature that is worked on here, with what it counts."""
    here = _here(features)
    return (
        None
        if here is None
        else {
            "name": here["name"],
            "files_count": len(here["files"]),
            "changes_count": len(here["commits"]),
        }
    )


def feature_in_words(features: Iterable[Mapping[str, Any]] | None) -> str:
    """A sentence on the feature that is worked on."""
    here = _here(features)
    if here is None:
        return "No active context"
    return f"{here['name']}: {len(here['files'])} files, {len(here['commits'])} commits"


def active_files(features: Iterable[Mapping[str, Any]] | None) -> list[dict[str, str]]:
    """The files of the feature that is worked on."""
    return [{"path": path} for path in (_here(features) or {"files": ()})["files"]]


def recent_changes(features: Iterable[Mapping[str, Any]] | None) -> list[dict[str, str]]:
    """The five newest commits of the feature that is worked on."""
    commits = (_here(features) or {"commits": ()})["commits"]
    return [
        {"commit": one["commit"], "description": one["subject"], "when": one["at"]}
        for one in commits[:5]
    ]


def recent_queries(features: Iterable[Mapping[str, Any]] | None) -> list[dict[str, str]]:
    """What was asked while the feature was worked on."""
    return [{"query": text} for text in (_here(features) or {"questions": ()})["questions"]]


def feature_status(current: bool, idle: bool) -> str:
    """``active``, or ``paused`` for what is not worked on now."""
    return "active" if current and not idle else "paused"


def tracking(name: str) -> str:
    """A sentence on the feature that was named."""
    return f"Now tracking: {name}"


def back_to(name: str) -> str:
    """A sentence on the feature that is worked on again."""
    return f"Switched to: {name}"


def _here(features: Iterable[Mapping[str, Any]] | None) -> Mapping[str, Any] | None:
    return next((one for one in features or () if one["current"]), None)
