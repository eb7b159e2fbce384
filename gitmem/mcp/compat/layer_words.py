"""Converting our values into those of MemoryLayer's answers, many of which are sentences. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from gitmem.mcp.compat.to_ours import CRITICAL
from gitmem.mcp.compat.to_theirs import Rows
from gitmem.search import copies
from gitmem.text import purpose
from gitmem.text.quantity import quantity

_CHANGES, _TOP = 20, 5
# The points that a violation of a pattern takes from their score of 100.
_COSTS = {"error": 20, "warning": 10}
_LEVELS = ((80, "high"), (50, "medium"), (30, "low"))


def context_sources(context_parts: Rows) -> list[str]:
    """The sources of the parts of a context: paths, commits and memory ids."""
    sources = (item["path"] or item["commit"] or item["id"] for item in context_parts or ())
    return list(dict.fromkeys(filter(None, sources)))


def dependency_names(manifests: Rows) -> list[str]:
    """The names of the dependencies in all manifests, without repeats."""
    return list(dict.fromkeys(name for row in manifests or () for name in row["dependencies"]))


def joined_memory_texts(memories: Rows) -> str:
    """The texts of memories, joined by line ends."""
    return "\n".join(memory["content"] for memory in memories or ())


def describe_decision_recording(action: str) -> str:
    """A sentence that says whether a decision was recorded."""
    new = action in ("added", "suggested")  # merging it with one alike waits in the inbox
    return "Decision recorded successfully" if new else f"Decision {action}"


def file_objects(paths: Iterable[str] | None) -> list[dict[str, str]]:
    """The paths as objects ``{"file": path}``."""
    return [{"file": path} for path in paths or ()]


def file_paths(files: Rows) -> list[str]:
    """The paths of files."""
    return [file["path"] for file in files or ()]


def test_file_paths(files: Rows) -> list[str]:
    """The paths of the tests among the files that a change affects."""
    return [file["path"] for file in files or () if file["test"]]


def count_cycle_imports(cycle_files: Sequence[str]) -> int:
    """The number of imports in an import cycle, given as files of which the first ends it too."""
    return len(cycle_files) - 1


def projects_with_ids(projects: Rows) -> list[dict[str, Any]]:
    """The user's projects in MemoryLayer's fields; the id is a project's key, or its folder."""
    return [
        {
            "id": id,
            "name": project["name"],
            "path": project["path"],
            "is_active": project["here"],
            "last_accessed": project["written_at"],
        }
        for id, project in _with_ids(projects)
    ]


def _with_ids(projects: Rows) -> list[tuple[str, Mapping[str, Any]]]:
    """Each project with its id: its key, or the folder of a clone that shares its key."""
    keys = Counter(project["project"] for project in projects or ())
    return [
        (project["project"] if keys[project["project"]] == 1 else project["path"], project)
        for project in projects or ()
    ]


def hits_by_project(projects: Rows) -> list[dict[str, Any]]:
    """For each project with hits: name, id, and the hits as file, preview and relevance."""
    return [
        {
            "project": project["name"],
            "project_id": id,
            "matches": [
                {"file": hit["path"], "preview": hit["snippet"], "relevance": hit["score"]}
                for hit in project["matches"]
            ],
        }
        for id, project in _with_ids(projects)
        if project["matches"]
    ]


def current_project(projects: Rows) -> str | None:
    """The name of the project marked as the current one."""
    return next((project["name"] for project in projects or () if project["here"]), None)


# --- critical content, the session, activity -----------------------------------------------------


def critical_type_in_tags(tags: Iterable[str] | None) -> str:
    """The type under which a memory was marked critical, by its tags; ``custom`` without one."""
    return next((tag[len(CRITICAL) :] for tag in tags or () if tag.startswith(CRITICAL)), "custom")


def sum_field(rows: Rows, field_name: str) -> int:
    """The sum of a count over all agents."""
    return sum(use[field_name] for use in rows or ())


def count_viewed_files(sessions: Rows) -> int:
    """How many files sessions viewed, each once in a session."""
    return sum(len(session["files"]) for session in sessions or ())


def most_viewed_files(sessions: Rows) -> list[dict[str, Any]]:
    """The five files that most sessions viewed, as ``{"path", "count"}``."""
    counts = Counter(file for session in sessions or () for file in session["files"])
    return [{"path": path, "count": count} for path, count in counts.most_common(_TOP)]


def count_by_critical_type(memories: Rows) -> dict[str, int]:
    """The number of critical memories of each type."""
    none = dict.fromkeys(("decision", "requirement", "instruction", "custom"), 0)
    return {**none, **Counter(critical_type_in_tags(memory["tags"]) for memory in memories or ())}


def context_fill_level(level: str) -> str:
    """How full a context is, in MemoryLayer's words: good, warning, critical or unknown."""
    return {"ok": "good", "warn": "warning"}.get(level, level)


def percentage_text(count: int | None, total: int | None) -> str:
    """A part of a whole as text such as ``42%``; ``unknown`` if either is not known."""
    return "unknown" if count is None or not total else f"{count * 100 // total}%"


def has_drifted_from_goal(drift_score: float | None) -> bool:
    """Whether a session has drifted from its goal: a score of at least 0.3."""
    return (drift_score or 0.0) >= 0.3


def needs_compaction(fill_level: str) -> bool:
    """Whether a context with this fill level has to be compacted."""
    return fill_level == "critical"


def count_entry_types(entries: Rows) -> str:
    """The number of timeline entries of each type, as text: ``3 commit, 1 decision``."""
    counts = Counter(entry["type"] for entry in entries or ())
    return ", ".join(f"{number} {name}" for name, number in sorted(counts.items())) or "nothing"


def decision_entries(entries: Rows) -> list[dict[str, Any]]:
    """The decisions among the entries of a timeline."""
    return [
        {"id": entry["ref"], "title": entry["text"], "date": entry["at"]}
        for entry in entries or ()
        if entry["type"] == "decision"
    ]


def describe_feedback_outcome(items: Rows, useful: bool) -> str:
    """A sentence that says which memories were marked as useful or as wrong."""
    if not useful:
        return (
            "Nothing is marked: what did not help is not wrong by that. Mark what is wrong with "
            "`feedback`."
        )
    ids = [item["id"] for item in items or () if not item["error"]]
    if not ids:
        return (
            "Nothing is marked: this connection was given no memory for this query. "
            "`feedback` marks memories by their ids."
        )
    return f"Feedback recorded: context was useful ({', '.join(ids)})"


# --- features ------------------------------------------------------------------------------------


def _here(features: Rows) -> Mapping[str, Any] | None:
    return next((feature for feature in features or () if feature["current"]), None)


def current_feature(features: Rows) -> dict[str, Any] | None:
    """The feature being worked on: its name, numbers of files and commits; None without one."""
    here = _here(features)
    if here is None:
        return None
    files, commits = len(here["files"]), len(here["commits"])
    return {"name": here["name"], "files_count": files, "changes_count": commits}


def describe_feature(features: Rows) -> str:
    """A sentence about the feature being worked on, with numbers of files and commits."""
    here = _here(features)
    if here is None:
        return "No active context"
    return f"{here['name']}: {len(here['files'])} files, {len(here['commits'])} commits"


def files_of_current_feature(features: Rows) -> list[dict[str, str]]:
    """The files of the feature being worked on, as objects ``{"path": path}``."""
    return [{"path": path} for path in (_here(features) or {"files": ()})["files"]]


def commits_of_current_feature(features: Rows) -> list[dict[str, str]]:
    """The five newest commits of the feature being worked on: id, description, time."""
    commits = (_here(features) or {"commits": ()})["commits"]
    return [
        {"commit": commit["commit"], "description": commit["subject"], "when": commit["at"]}
        for commit in commits[:_TOP]
    ]


def queries_of_current_feature(features: Rows) -> list[dict[str, str]]:
    """The questions asked while the current feature was worked on."""
    return [{"query": text} for text in (_here(features) or {"questions": ()})["questions"]]


def feature_status(is_current: bool, is_idle: bool) -> str:
    """``active``, or ``paused`` for a feature that is not current or was left idle."""
    return "active" if is_current and not is_idle else "paused"


# --- patterns ------------------------------------------------------------------------------------


def category_of_topic(topic: str) -> str:
    """A pattern's topic as MemoryLayer, another system, names it: ``custom`` if there is none."""
    return topic or "custom"


def count_rules(rule: str) -> int:
    """The number of rules that a pattern has: one or none."""
    return int(bool(rule))


def rule_objects(rule: str, pattern_state: str) -> list[dict[str, str]]:
    """A pattern's rule in MemoryLayer's form: a list of one object, empty without a rule."""
    severity = "critical" if pattern_state == "active" else "info"
    return [{"rule": rule, "severity": severity}] if rule else []


def code_examples(texts: Sequence[str]) -> list[dict[str, str]]:
    """A list of objects, each with an example's code."""
    return [{"code": text} for text in texts]


def has_no_violations(findings: Sequence[object], pattern_count: int) -> bool | None:
    """Whether a check found no violations; None if no pattern was checked."""
    return not findings if pattern_count else None


def compliance_score(findings: Sequence[Mapping[str, Any]], pattern_count: int) -> int | None:
    """How well code follows the patterns, from 0 to 100; None if no pattern was checked."""
    if not pattern_count:
        return None
    return max(0, 100 - sum(_COSTS[finding["severity"]] for finding in findings))


def first_violated_pattern(findings: Sequence[Mapping[str, Any]]) -> str | None:
    """The pattern that the first finding of a check violates."""
    return str(findings[0]["pattern"]) if findings else None


def violation_severity(severity: str) -> str:
    """A violation's severity as MemoryLayer has it: ``critical`` for gitmem's ``error``."""
    return "critical" if severity == "error" else severity


def describe_replacement(replacement: str) -> str:
    """A sentence that says what to write instead of the code that was found."""
    return f"Use {replacement}." if replacement else ""


def learned_example_action(patterns: Sequence[Mapping[str, Any]]) -> str:
    """What was done with a learned example, such as added or unchanged."""
    return str(patterns[0]["action"]) if patterns else ""


def code_example_label(is_anti_pattern: bool) -> str:
    """What MemoryLayer calls an example: ``Anti-pattern`` or ``Example``."""
    return "Anti-pattern" if is_anti_pattern else "Example"


def count_patterns_by_category(patterns: Rows) -> dict[str, int]:
    """The number of patterns of each topic."""
    return dict(Counter(category_of_topic(pattern["topic"]) for pattern in patterns or ()))


def most_used_patterns(patterns: Rows) -> list[dict[str, Any]]:
    """The five patterns that are used most."""
    used = sorted(patterns or (), key=lambda pattern: -pattern["uses"])
    return [{"name": row["title"], "usageCount": row["uses"]} for row in used[:_TOP]]


# --- changes, causes of errors, existing code ----------------------------------------------------


def _commit(row: Mapping[str, Any], file: str) -> dict[str, Any]:
    return {
        "file": file,
        "author": row["author"],
        "timestamp": row["at"],
        "commit_message": row["subject"],
        "commit_hash": row["commit"][:7],
    }


def commits_of_areas(areas: Rows, file: str | None = None) -> list[dict[str, Any]]:
    """At most 20 commits of all areas, the newest first, each with ``file`` or else its area."""
    commits: dict[str, dict[str, Any]] = {}
    for area in areas or ():
        for row in area["newest"]:
            commits.setdefault(row["commit"], _commit(row, file or area["area"]))
    return sorted(commits.values(), key=lambda row: row["timestamp"], reverse=True)[:_CHANGES]


def describe_changes(commit_count: int, file_count: int) -> str:
    """A sentence with the numbers of changes and files."""
    found = f"Found {commit_count} changes across {file_count} files"
    return found if commit_count else "No changes found"


def entries_by_date(entries: Rows, group_by: str, include_decisions: bool) -> list[dict[str, Any]]:
    """Commits and decisions by day, or by the Monday of the week, the newest first."""
    by_day: dict[str, list[Mapping[str, Any]]] = {}
    for entry in entries or ():
        day = date.fromisoformat(entry["at"][:10])
        day -= timedelta(day.weekday() if group_by == "week" else 0)
        by_day.setdefault(day.isoformat(), []).append(entry)
    return [_day(day, by_day[day], include_decisions) for day in sorted(by_day, reverse=True)]


def _day(day: str, entries: Sequence[Mapping[str, Any]], decisions: bool) -> dict[str, Any]:
    commits = [entry for entry in entries if entry["type"] == "commit"]
    by_sort: dict[str, list[dict[str, str]]] = {"features": [], "fixes": [], "refactors": []}
    for commit in commits:
        row = {"description": commit["text"], "commit": commit["ref"]}
        by_sort[_sort(commit["text"])].append(row)
    decided = [entry["text"] for entry in entries if entry["type"] == "decision"]
    summary = ", ".join(f"{len(rows)} {name}" for name, rows in by_sort.items() if rows)
    return {
        "date": day,
        "summary": summary or f"{len(decided)} decisions",
        **by_sort,
        "decisions": decided if decisions else [],
        "metrics": {"commits": len(commits)},
    }


def _sort(subject: str) -> str:
    """The sort of a commit, by the beginning of its subject."""
    scope = r"(?:[\w./-]+(?:\([^)]*\))?!?: *)?"
    if re.match(scope + "(?:hot|bug)?fix", subject.lower()):
        return "fixes"
    again = re.match(scope + "(?:refactor|clean|simplif|renam|mov)", subject.lower())
    return "refactors" if again else "features"


def purpose_of(symbol: str | None, documentation: str) -> str:
    """What a function is for, by its name (without its kind) and documentation."""
    return purpose.purpose_of_name((symbol or "").rpartition(" ")[2], documentation)


def suggested_fix(fixes: Rows) -> str | None:
    """The text of the fix that the same error had before, or None."""
    return next((fix["text"] for fix in fixes or ()), None)


def likely_cause(suspects: Rows) -> dict[str, Any] | None:
    """The commit that most likely caused an error, in MemoryLayer's fields; None if unknown."""
    suspect = next(iter(suspects or ()), None)
    return None if suspect is None else _commit(suspect, next(iter(suspect["paths"]), ""))


def cause_confidence(suspects: Rows) -> int:
    """How likely the first suspected commit is the cause of an error, in percent."""
    return round(100 * next((suspect["score"] for suspect in suspects or ()), 0.0))


def other_suspected_commits(suspects: Rows) -> list[dict[str, Any]]:
    """The suspected commits after the first: file, time and message of each."""
    return [
        {
            "file": next(iter(suspect["paths"]), ""),
            "timestamp": suspect["at"],
            "commit_message": suspect["subject"],
        }
        for suspect in list(suspects or ())[1:]
    ]


def suspicion_reasons(suspects: Rows) -> str:
    """The reasons to suspect the first commit, joined by semicolons."""
    return "; ".join(next((suspect["why"] for suspect in suspects or ()), ()))


def describe_cause(suspects: Rows) -> str:
    """A sentence that names the commit which likely caused an error."""
    cause = likely_cause(suspects)
    if cause is None:
        return "Could not identify specific cause"
    sure = cause_confidence(suspects)
    return f"Found likely cause in {cause['file'] or cause['commit_hash']} ({sure}% confidence)"


def exported_record_paths(files: Rows) -> list[str]:
    """The paths of the exported decision records."""
    return [file["file"] for file in files or () if file["action"] in ("written", "updated")]


def describe_export(files: Rows) -> str:
    """How many decision records were written, and what was not written and why."""
    problems = (f"; {file['file']}: {file['error']}" for file in files or () if file["error"])
    return f"Exported {len(exported_record_paths(files))} ADR files" + "".join(problems)


# --- what a piece of code rests on ----------------------------------------------------------------


def _shares(code: str, hits: Rows) -> list[tuple[float, Mapping[str, Any]]]:
    """The hits that have a part of a piece of code, the largest part first."""
    own = copies.word_triples(code)
    found = [(_share(own, copies.word_triples(hit["content"])), hit) for hit in hits or ()]
    return sorted((pair for pair in found if pair[0] >= copies.COPIED), key=lambda pair: -pair[0])


def _share(own: copies.Shingles, others: copies.Shingles) -> float:
    """The part that others have; of a piece too short to compare parts, all of it or nothing."""
    if len(own) < copies.FEWEST:
        return float(bool(own) and own <= others)
    return copies.overlap_fraction(own, others)


def near_copies(source_code: str, hits: Rows) -> list[dict[str, Any]]:
    """The places that are near copies of a piece of code: file, lines, function, similarity."""
    return [
        {
            "file": hit["path"],
            "line_start": hit["start_line"],
            "line_end": hit["end_line"],
            "function": (hit["definition"] or {}).get("name", ""),
            "similarity": round(share, 2),
        }
        for share, hit in _shares(source_code, hits)[:_TOP]
    ]


def decisions_on_copies(source_code: str, hits: Rows, decisions: Rows) -> list[dict[str, Any]]:
    """The decisions, as id and title, that cite a file with a near copy of the code."""
    files = tuple({hit["path"] for _, hit in _shares(source_code, hits)})
    return [
        {"id": row["id"], "title": row["title"]}
        for row in decisions or ()
        if files and any(path.startswith(files) for path in row["paths"])
    ]


def confidence_score(source_code: str, hits: Rows, findings: Rows) -> int:
    """How much of a piece of code the repository already has, in percent, less violations."""
    own = copies.word_triples(source_code)
    known = [copies.word_triples(hit["content"]) for _, hit in _shares(source_code, hits)]
    share = len(own & frozenset().union(*known)) / len(own) if own else 0.0
    costs = sum(_COSTS[finding["severity"]] for finding in findings or ())
    return max(0, round(100 * share) - costs)


def confidence_level(source_code: str, hits: Rows, findings: Rows) -> str:
    """The ``confidence_score`` in a word: high, medium, low or guess."""
    score = confidence_score(source_code, hits, findings)
    return next((word for least, word in _LEVELS if score >= least), "guess")


def confidence_reason(source_code: str, hits: Rows, findings: Rows) -> str:
    """A sentence on what the ``confidence_score`` is made of."""
    found = len(_shares(source_code, hits))
    places = "No code is like it"
    if found:
        are = quantity(found, "place in the code is", "places in the code are")
        places = f"{are} nearly the same"
    elif not copies.word_triples(source_code):
        places = "The piece is too short to compare"
    violated = sum(1 for _ in findings or ())
    patterns = quantity(violated, "pattern is", "patterns are")
    return f"{places}; {patterns} violated." if violated else f"{places}."
