"""Converting our values into those of MemoryLayer's answers, many of which are sentences. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from gitmem.mcp.compat.answer_converters import Rows
from gitmem.mcp.compat.argument_converters import CRITICAL
from gitmem.search import copies
from gitmem.text import purpose
from gitmem.text.quantity import quantity

_CHANGES, _TOP = 20, 5
# The points that a violation of a pattern takes from their score of 100.
_COSTS = {"error": 20, "warning": 10}
_LEVELS = ((80, "high"), (50, "medium"), (30, "low"))


def sources_of_context_parts(context_parts: Rows) -> list[str]:
    """The sources of a context's parts, each once: a path, else a commit, else a memory's id."""
    sources = (item["path"] or item["commit"] or item["id"] for item in context_parts or ())
    return list(dict.fromkeys(filter(None, sources)))


def dependency_names(manifests: Rows) -> list[str]:
    """The names of the dependencies in all manifests, without repeats."""
    return list(dict.fromkeys(name for row in manifests or () for name in row["dependencies"]))


def joined_memory_texts(memories: Rows) -> str:
    """The texts of memories, joined by line ends."""
    return "\n".join(memory["content"] for memory in memories or ())


def describe_decision_recording(action: str) -> str:
    """``Decision recorded successfully`` if added or suggested, else ``Decision ACTION``."""
    new = action in ("added", "suggested")  # merging it with one alike waits in the inbox
    return "Decision recorded successfully" if new else f"Decision {action}"


def paths_as_file_objects(paths: Iterable[str] | None) -> list[dict[str, str]]:
    """The paths as objects ``{"file": path}``."""
    return [{"file": path} for path in paths or ()]


def file_paths(files: Rows) -> list[str]:
    """The paths of files."""
    return [file["path"] for file in files or ()]


def test_file_paths(files: Rows) -> list[str]:
    """The paths of those ``files`` that hold tests (their field ``test`` is true)."""
    return [file["path"] for file in files or () if file["test"]]


def count_cycle_imports(cycle_files: Sequence[str]) -> int:
    """The number of imports in a circle of files, whose list ends with its first file again."""
    return len(cycle_files) - 1


def projects_as_dicts_with_ids(projects: Rows) -> list[dict[str, Any]]:
    """The user's projects as dicts: id, name, path, is_active, last_accessed (ISO 8601 or None)."""
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


def search_hits_by_project(projects_with_hits: Rows) -> list[dict[str, Any]]:
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
        for id, project in _with_ids(projects_with_hits)
        if project["matches"]
    ]


def current_project(projects: Rows) -> str | None:
    """The name of the project marked as the current one (``here``); None if none is."""
    return next((project["name"] for project in projects or () if project["here"]), None)


# --- critical content, the session, activity -----------------------------------------------------


def type_from_critical_tag(tags: Iterable[str] | None) -> str:
    """The type in the first tag such as ``critical-decision``; ``custom`` without such a tag."""
    return next((tag[len(CRITICAL) :] for tag in tags or () if tag.startswith(CRITICAL)), "custom")


def sum_field(rows: Rows, field_name: str) -> int:
    """The sum of the number ``field_name`` over all rows; 0 for None."""
    return sum(use[field_name] for use in rows or ())


def count_viewed_files(sessions: Rows) -> int:
    """How many files sessions viewed, each once in a session."""
    return sum(len(session["files"]) for session in sessions or ())


def most_viewed_files(sessions: Rows) -> list[dict[str, Any]]:
    """The five files that most sessions viewed, as ``{"path", "count"}``."""
    counts = Counter(file for session in sessions or () for file in session["files"])
    return [{"path": path, "count": count} for path, count in counts.most_common(_TOP)]


def count_memories_by_critical_tag(memories: Rows) -> dict[str, int]:
    """A dict: type, as the tag ``critical-TYPE`` of a memory names it -> number of memories."""
    none = dict.fromkeys(("decision", "requirement", "instruction", "custom"), 0)
    return {**none, **Counter(type_from_critical_tag(memory["tags"]) for memory in memories or ())}


def translate_context_fill_level(level: str) -> str:
    """How full a context is: ``good`` for ``ok``, ``warning`` for ``warn``; else ``level``."""
    return {"ok": "good", "warn": "warning"}.get(level, level)


def percentage_text(count: int | None, total: int | None) -> str:
    """A part of a whole as text such as ``42%``; ``unknown`` if either is not known."""
    return "unknown" if count is None or not total else f"{count * 100 // total}%"


def has_drifted_from_goal(drift_score: float | None) -> bool:
    """Whether a session has drifted from its goal: a score of at least 0.3."""
    return (drift_score or 0.0) >= 0.3


def needs_compaction(fill_level: str) -> bool:
    """Whether a context has to be compacted: its fill level is ``critical``."""
    return fill_level == "critical"


def describe_entry_counts(entries: Rows) -> str:
    """The number of timeline entries of each type, as text: ``3 commit, 1 decision``."""
    counts = Counter(entry["type"] for entry in entries or ())
    return ", ".join(f"{number} {name}" for name, number in sorted(counts.items())) or "nothing"


def decision_entries(entries: Rows) -> list[dict[str, Any]]:
    """The decisions among the entries of a timeline, as dicts: id, title, date (ISO 8601)."""
    return [
        {"id": entry["ref"], "title": entry["text"], "date": entry["at"]}
        for entry in entries or ()
        if entry["type"] == "decision"
    ]


def describe_feedback_outcome(items: Rows, useful: bool) -> str:
    """A sentence: the ids of the memories marked as useful, or why none was marked."""
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
    """The current feature (task being worked on): name, files_count, changes_count; or None."""
    here = _here(features)
    if here is None:
        return None
    files, commits = len(here["files"]), len(here["commits"])
    return {"name": here["name"], "files_count": files, "changes_count": commits}


def describe_feature(features: Rows) -> str:
    """The current feature (task being worked on) as ``NAME: 3 files, 2 commits``."""
    here = _here(features)
    if here is None:
        return "No active context"
    return f"{here['name']}: {len(here['files'])} files, {len(here['commits'])} commits"


def files_of_current_feature(features: Rows) -> list[dict[str, str]]:
    """The files of the current feature (task being worked on), as objects ``{"path": path}``."""
    return [{"path": path} for path in (_here(features) or {"files": ()})["files"]]


def commits_of_current_feature(features: Rows) -> list[dict[str, str]]:
    """Five newest commits of the current feature (task), as dicts: commit, description, when."""
    commits = (_here(features) or {"commits": ()})["commits"]
    return [
        {"commit": commit["commit"], "description": commit["subject"], "when": commit["at"]}
        for commit in commits[:_TOP]
    ]


def queries_of_current_feature(features: Rows) -> list[dict[str, str]]:
    """Questions asked during the current feature (task), as objects ``{"query": text}``."""
    return [{"query": text} for text in (_here(features) or {"questions": ()})["questions"]]


def feature_status(is_current: bool, is_idle: bool) -> str:
    """``active``, or ``paused`` for a feature that is not current or was left idle."""
    return "active" if is_current and not is_idle else "paused"


# --- patterns ------------------------------------------------------------------------------------


def category_of_pattern_topic(pattern_topic: str) -> str:
    """The topic of a pattern (code convention), or ``custom`` if it is empty."""
    return pattern_topic or "custom"


def one_if_nonempty(text: str) -> int:
    """1, or 0 if the text, such as the rule of a pattern (code convention), is empty."""
    return int(bool(text))


def rules_with_severity(rule_text: str, pattern_state: str) -> list[dict[str, str]]:
    """``[{"rule", "severity"}]``, critical for an ``active`` pattern, else info; [] for no rule."""
    severity = "critical" if pattern_state == "active" else "info"
    return [{"rule": rule_text, "severity": severity}] if rule_text else []


def texts_as_code_objects(texts: Sequence[str]) -> list[dict[str, str]]:
    """The texts as objects ``{"code": text}``."""
    return [{"code": text} for text in texts]


def has_no_violations(findings: Sequence[object], pattern_count: int) -> bool | None:
    """True if there are no findings; None if no pattern (code convention) was checked."""
    return not findings if pattern_count else None


def compliance_score(findings: Sequence[Mapping[str, Any]], pattern_count: int) -> int | None:
    """100, less 20 for each error and 10 for each warning found; None if no pattern was checked."""
    if not pattern_count:
        return None
    return max(0, 100 - sum(_COSTS[finding["severity"]] for finding in findings))


def first_violated_pattern(findings: Sequence[Mapping[str, Any]]) -> str | None:
    """The name of the pattern that the first finding violates; None without findings."""
    return str(findings[0]["pattern"]) if findings else None


def translate_violation_severity(severity: str) -> str:
    """A violation's severity as MemoryLayer has it: ``critical`` for gitmem's ``error``."""
    return "critical" if severity == "error" else severity


def describe_replacement(replacement: str) -> str:
    """``Use REPLACEMENT.``; an empty text if there is no replacement."""
    return f"Use {replacement}." if replacement else ""


def action_on_first_pattern(patterns: Sequence[Mapping[str, Any]]) -> str:
    """What was done with the first pattern, such as ``added``; an empty text without one."""
    return str(patterns[0]["action"]) if patterns else ""


def code_example_label(is_anti_pattern: bool) -> str:
    """What MemoryLayer calls an example: ``Anti-pattern`` or ``Example``."""
    return "Anti-pattern" if is_anti_pattern else "Example"


def count_patterns_by_category(patterns: Rows) -> dict[str, int]:
    """A dict: topic of patterns (code conventions), ``custom`` if empty -> number of patterns."""
    return dict(Counter(category_of_pattern_topic(pattern["topic"]) for pattern in patterns or ()))


def most_used_patterns(patterns: Rows) -> list[dict[str, Any]]:
    """The five most used patterns (code conventions), as dicts: name, usageCount."""
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


def newest_commits_of_folders(folders: Rows, file_path: str | None = None) -> list[dict[str, Any]]:
    """The 20 newest commits of folders, as dicts; each has ``file_path`` or else its folder."""
    commits: dict[str, dict[str, Any]] = {}
    for area in folders or ():
        for row in area["newest"]:
            commits.setdefault(row["commit"], _commit(row, file_path or area["area"]))
    return sorted(commits.values(), key=lambda row: row["timestamp"], reverse=True)[:_CHANGES]


def describe_changes(commit_count: int, file_count: int) -> str:
    """``Found 3 changes across 2 files``, or ``No changes found``."""
    sentence = f"Found {commit_count} changes across {file_count} files"
    return sentence if commit_count else "No changes found"


def entries_by_period(entries: Rows, period: str, include_decisions: bool) -> list[dict[str, Any]]:
    """A dict for each day or week (its Monday), newest first: date, features, fixes, decisions."""
    by_day: dict[str, list[Mapping[str, Any]]] = {}
    for entry in entries or ():
        day = date.fromisoformat(entry["at"][:10])
        day -= timedelta(day.weekday() if period == "week" else 0)
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


def purpose_of_symbol(symbol: str | None, documentation: str) -> str:
    """A word for what a function does, such as ``storage``, guessed from its name and comment."""
    return purpose.function_purpose((symbol or "").rpartition(" ")[2], documentation)


def suggested_fix(earlier_fixes: Rows) -> str | None:
    """The text of the first of ``earlier_fixes`` (of the same error, earlier); None without any."""
    return next((fix["text"] for fix in earlier_fixes or ()), None)


def likely_cause_commit(suspected_commits: Rows) -> dict[str, Any] | None:
    """The first suspected commit, as a dict: file, author, timestamp, message, hash; or None."""
    suspect = next(iter(suspected_commits or ()), None)
    return None if suspect is None else _commit(suspect, next(iter(suspect["paths"]), ""))


def cause_confidence(suspected_commits: Rows) -> int:
    """How sure it is, 0 to 100 %, that the first suspected commit caused the error."""
    return round(100 * next((suspect["score"] for suspect in suspected_commits or ()), 0.0))


def other_suspected_commits(suspected_commits: Rows) -> list[dict[str, Any]]:
    """The suspected commits after the first, as dicts: file, timestamp, commit_message."""
    return [
        {
            "file": next(iter(suspect["paths"]), ""),
            "timestamp": suspect["at"],
            "commit_message": suspect["subject"],
        }
        for suspect in list(suspected_commits or ())[1:]
    ]


def suspicion_reasons(suspected_commits: Rows) -> str:
    """Why the first of the commits is suspected: reasons joined by semicolons, or ""."""
    return "; ".join(next((suspect["why"] for suspect in suspected_commits or ()), ()))


def describe_likely_cause(suspected_commits: Rows) -> str:
    """A sentence: which file or commit likely caused an error, or that none was identified."""
    cause = likely_cause_commit(suspected_commits)
    if cause is None:
        return "Could not identify specific cause"
    sure = cause_confidence(suspected_commits)
    return f"Found likely cause in {cause['file'] or cause['commit_hash']} ({sure}% confidence)"


def exported_decision_paths(files: Rows) -> list[str]:
    """The paths of the decision records (files) that an export wrote or updated."""
    return [file["file"] for file in files or () if file["action"] in ("written", "updated")]


def describe_export(files: Rows) -> str:
    """``Exported 3 ADR files`` (decision records), then each file that failed, with its error."""
    problems = (f"; {file['file']}: {file['error']}" for file in files or () if file["error"])
    return f"Exported {len(exported_decision_paths(files))} ADR files" + "".join(problems)


# --- what a piece of code rests on ----------------------------------------------------------------


def _shares(code: str, hits: Rows) -> list[tuple[float, Mapping[str, Any]]]:
    """The hits that have a part of a piece of code, the largest part first."""
    own = copies.word_triples(code)
    shares = [(_share(own, copies.word_triples(hit["content"])), hit) for hit in hits or ()]
    return sorted((pair for pair in shares if pair[0] >= copies.COPIED), key=lambda pair: -pair[0])


def _share(own: copies.Shingles, others: copies.Shingles) -> float:
    """The part that others have; of a piece too short to compare parts, all of it or nothing."""
    if len(own) < copies.FEWEST:
        return float(bool(own) and own <= others)
    return copies.overlap_fraction(own, others)


def near_copies_of_code(source_code: str, hits: Rows) -> list[dict[str, Any]]:
    """At most five hits that repeat half of the code: file, lines, function, similarity 0 to 1."""
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
    """The decisions (id, title) that cite the file of a hit that repeats half of the code."""
    files = tuple({hit["path"] for _, hit in _shares(source_code, hits)})
    return [
        {"id": row["id"], "title": row["title"]}
        for row in decisions or ()
        if files and any(path.startswith(files) for path in row["paths"])
    ]


def code_confidence_score(source_code: str, hits: Rows, findings: Rows) -> int:
    """The percentage of ``source_code`` that ``hits`` repeat, less 20 or 10 for each violation."""
    own = copies.word_triples(source_code)
    copied = [copies.word_triples(hit["content"]) for _, hit in _shares(source_code, hits)]
    share = len(own & frozenset().union(*copied)) / len(own) if own else 0.0
    costs = sum(_COSTS[finding["severity"]] for finding in findings or ())
    return max(0, round(100 * share) - costs)


def code_confidence_level(source_code: str, hits: Rows, findings: Rows) -> str:
    """The ``code_confidence_score`` as a word: high from 80, medium 50, low 30, or guess."""
    score = code_confidence_score(source_code, hits, findings)
    return next((word for least, word in _LEVELS if score >= least), "guess")


def code_confidence_reason(source_code: str, hits: Rows, findings: Rows) -> str:
    """A sentence: how many search hits nearly repeat the code, how many patterns it violates."""
    copy_count = len(_shares(source_code, hits))
    places = "No code is like it"
    if copy_count:
        are = quantity(copy_count, "place in the code is", "places in the code are")
        places = f"{are} nearly the same"
    elif not copies.word_triples(source_code):
        places = "The piece is too short to compare"
    violated = sum(1 for _ in findings or ())
    patterns = quantity(violated, "pattern is", "patterns are")
    return f"{places}; {patterns} violated." if violated else f"{places}."
