"""Which tools an agent needs: what of a later change each tool's answer names, for its tokens.

    python -m tests.bench.tools --choose CLONE --choose CLONE --check CLONE --check CLONE
        [--tasks 10] [--keep DIR] [--out RUN.jsonl] [--read RUN.jsonl]

A task is a commit: its message is what is to be done, its first parent what is there. Those are the
newest without merges and releases that change two or more files of source, of which one to eight
are no tests. Decision records and what commits before the first task decided are remembered first,
by the program's own rules. Each tool is asked with what an agent has at that time: the message; the
file that the commit changes most (as ``why``); or that file already changed (as ``affected``).
Counted is what the answer names of

- the other files of code that the commit changes,
- the names of the definitions that it changes, as git shows them,
- the tests that it changes,
- the reasons: decisions that cite these files, and the five commits that wrote most of the lines
  that it replaces,

without what was given: of a file that an agent has it knows the path and the definitions. A task's
share is the mean over those of the four that it has. The list is made greedily on ``--choose``: the
tool next whose answer adds most per token to what those before name together, until no tool adds
``LEAST``; then those are taken off, the dearest first, that the others make needless. So chosen it
is tried on ``--check``. ``--read`` takes the answers of a run before instead.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from gitmem import languages
from gitmem.app import App
from gitmem.capture import pipeline
from gitmem.capture.pipeline import SaveMemoryRequest
from gitmem.errors import GitmemError, NotFound
from gitmem.git import history
from gitmem.mcp.tools import calls as tool_calls
from gitmem.mcp.tools import profiles
from gitmem.mcp.tools.defaults import SessionState
from gitmem.memory import decision_finder
from gitmem.memory.draft import MemoryDraft
from gitmem.operations.remember import adr
from gitmem.search import file_kinds
from gitmem.store.memory import short_ids
from tests.bench import measure, stores

LEAST = 0.005
# Of many reasons so many are enough; a file that everything changes has dozens.
ENOUGH = 5
_CODE_FILES, _CITED, _BLAMED, _MESSAGE = 8, 5, 5, 500
_SHORTEST_NAME = 4
_RELEASE = re.compile(r"^(?:chore\(release\)|release|version|bump|prepare|\d)|release v?\d", re.I)
_DEFINED = re.compile(
    r"\b(?:def|class|function|func|fn|type|interface|const|struct)\s+(?:\([^)]*\)\s*)?(\w+)"
    r"|([\w.]+)\s*=\s*(?:async\s+)?function"
)
# The same for every task of a session, so none of these is chosen by what it names of one.
ALWAYS: dict[str, dict[str, Any]] = {
    "orient": {},
    "summary": {},
    "list_memories": {},
    "timeline": {},
    "changes": {},
    "churn": {},
    "pattern_list": {},
}
# Tool -> its arguments: {task} is the message, {file} the file, {lines} most of what is replaced in
# it, {id} the first memory recalled. A number behind a name tells two calls apart.
BEFORE: dict[str, dict[str, Any]] = {
    "recall": {"query": "{task}"},
    "search": {"query": "{task}"},
    "ask": {"question": "{task}"},
    "context": {"query": "{task}"},
    "context 1500": {"query": "{task}", "max_tokens": 1500},
    "show": {"id": "{id}"},
}
AT_FILE: dict[str, dict[str, Any]] = {
    "check": {"plan": "{task}", "file": ["{file}"]},
    "file_context": {"path": "{file}"},
    "predict": {"path": "{file}"},
    "why": {"target": "{lines}"},
    "why_broke": {"text": "{task}", "file": "{file}"},
    "similar_bugs": {"text": "{task}"},
    "deps": {"path": "{file}"},
    "impact": {"target": "{file}"},
    "related": {"id": "{file}"},
}
EDITED: dict[str, dict[str, Any]] = {
    "affected": {},
    "verify": {"changed": True},
    "pattern_validate": {"target": "{file}"},
}
Task = dict[str, Any]


def main(words: list[str] | None = None) -> int:
    """Run it; the exit status is always 0: there is no bar."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--choose", action="append", default=[])
    parser.add_argument("--check", action="append", default=[])
    parser.add_argument("--tasks", type=int, default=10)
    for name in ("--keep", "--out", "--read"):
        parser.add_argument(name, default="")
    given = parser.parse_args(words)
    if given.read:
        every = stores.rows(given.read)
    else:
        with stores.home(given.keep or None) as place:
            halves = [(clone, True) for clone in given.choose]
            halves += [(clone, False) for clone in given.check]
            every = [
                task | {"chooses": chooses}
                for clone, chooses in halves
                for task in _measured(Path(clone), place, given.tasks)
            ]
    if given.out:
        stores.write_rows(given.out, every)
    chooses, checks = (
        [item for item in every if item["chooses"] is half] for half in (True, False)
    )
    print(measure.machine())
    print(_table(chooses, checks))
    return 0


# --- tasks ---------------------------------------------------------------------------------------


def _measured(clone: Path, place: Path, count: int) -> Iterator[Task]:
    """The tasks of a clone, the oldest first, each with what every tool's answer names."""
    tasks = list(_tasks(clone, count))[::-1]
    with stores.being_made(place / "tools" / clone.name) as fresh:
        if fresh:
            stores.git(fresh, _env(place), "clone", "-q", str(clone), "work")
    work = place / "tools" / clone.name / "work"
    app = stores.app_in(work, stores.settings(place))
    _go(work, place, tasks[0]["parent"])
    stores.set_up(app)
    _remember(app)
    for task in tasks:
        _go(work, place, task["parent"])
        app.close()
        app = stores.app_in(work, stores.settings(place))
        stores.refreshed(app)
        task["reasons"] += _decisions(app, task)
        yield {"repository": clone.name} | task | {"named": dict(_answers(app, task, work, place))}
        print(f"{clone.name} {task['commit'][:10]}", file=sys.stderr, flush=True)
    app.close()


def _env(place: Path) -> dict[str, str]:
    return stores.environment(place)


def _go(work: Path, place: Path, commit: str) -> None:
    stores.git(work, _env(place), "checkout", "-q", "-f", "--detach", commit)


def _tasks(clone: Path, count: int) -> Iterator[Task]:
    for commit in history.list_commits(str(clone), with_paths=True, merges=False):
        if count and commit.parents and not _RELEASE.search(commit.subject):
            task = _task(clone, commit)
            if task is not None:
                count -= 1
                yield task


def _task(clone: Path, commit: Any) -> Task | None:
    parent = commit.parents[0]
    there = set(_git(clone, "ls-tree", "-r", "--name-only", parent).splitlines())
    kinds = {
        path: file_kinds.kinds_of_file(path, languages.language(path))
        for path in commit.paths
        if path in there and languages.language(path)
    }
    tests = [item for item, kind in kinds.items() if "test" in kind]
    code = [item for item, kind in kinds.items() if not kind]
    several = len(code) + len(tests) > 1
    if not (several and 0 < len(code) <= _CODE_FILES) or len(commit.subject.split()) < 4:
        return None
    replaced = {item: list(_hunks(clone, parent, commit.sha, item)) for item in code}
    message = f"{commit.subject}\n{commit.body}".strip()[:_MESSAGE]
    file = max(code, key=lambda item: sum(count for _, count, _ in replaced[item]))
    line, count, _ = max(replaced[file], key=lambda item: item[1], default=(1, 1, ""))
    names = {(name, path) for path, hunks in replaced.items() for _, _, name in hunks}
    return {
        "commit": commit.sha,
        "parent": parent,
        "message": message,
        "file": file,
        "lines": f"{file}:{max(1, line)}-{max(1, line + count - 1)}",
        "files": [item for item in code if item not in message],
        "symbols": sorted(
            {item for item, _ in names if len(item) >= _SHORTEST_NAME and item not in message}
        ),
        "elsewhere": sorted({item for item, path in names if path != file}),
        "tests": tests,
        "reasons": _blamed(clone, parent, replaced),
    }


def _git(clone: Path, *words: str) -> str:
    return stores.git(clone, {"PATH": "/usr/bin:/bin"}, *words).decode("utf-8", "replace")


def _hunks(clone: Path, old: str, new: str, path: str) -> Iterator[tuple[int, int, str]]:
    """First line, number of lines and definition of what is replaced."""
    text = _git(clone, "diff", "-U0", old, new, "--", path)
    for line, count, context in re.findall(r"(?m)^@@ -(\d+)(?:,(\d+))? \+\S+ @@ ?(.*)$", text):
        found = _DEFINED.search(context)
        name = (found[1] or found[2].rpartition(".")[2]) if found else ""
        yield int(line), int(count or 1), name


def _blamed(clone: Path, parent: str, replaced: Mapping[str, Any]) -> list[list[str]]:
    """The commits that wrote most of the replaced lines, each by what an answer may call it."""
    lines: dict[str, int] = {}
    for path, hunks in replaced.items():
        ranges = [f"-L{line},+{count}" for line, count, _ in hunks if count]
        if ranges:
            output = _git(clone, "blame", "-l", "-s", *ranges, parent, "--", path)
            for line in output.splitlines():
                sha = line.split()[0].lstrip("^")
                lines[sha] = lines.get(sha, 0) + 1
    most = sorted(lines, key=lambda item: -lines[item])[:_BLAMED]
    return [[sha[:7], _git(clone, "show", "-s", "--format=%s", sha).strip()] for sha in most]


# --- memories ------------------------------------------------------------------------------------


def _remember(app: App) -> None:
    """Decision records, and what the messages of the commits so far decide."""
    with suppress(NotFound):  # most repositories have none
        adr.import_adrs(app, adr.ImportAdrsRequest())
    for commit in history.list_commits(app.worktree, with_paths=True, merges=False):
        result = decision_finder.find_decision_in_message(commit.subject, commit.body)
        if result is None:
            continue
        paths = tuple(path for path in commit.paths if (Path(app.worktree) / path).is_file())
        cited = paths if len(commit.paths) <= _CITED else ()
        draft = MemoryDraft(result.why, title=result.title, kind="decision", paths=cited)
        with suppress(GitmemError):  # one that says a secret, or the same again
            pipeline.save_memory(app, SaveMemoryRequest(draft, layer="project"))


def _decisions(app: App, task: Task) -> list[list[str]]:
    """The decisions that cite a file of the task, each by what an answer may call it."""
    marks = ",".join("?" * len(task["files"]))
    rows = app.store.rows(
        f"SELECT DISTINCT m.id, m.title FROM memories m JOIN anchors a ON a.memory = m.id"
        f" WHERE a.path IN ({marks})",
        tuple(task["files"]),
    )
    return [[short_ids.shortest_unique_prefix(app.store, id), title] for id, title in rows]


# --- answers -------------------------------------------------------------------------------------


def _answers(app: App, task: Task, work: Path, place: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    known = {"task": task["message"], "file": task["file"], "lines": task["lines"], "id": ""}
    for stage in (ALWAYS, BEFORE, AT_FILE, EDITED):
        if stage is EDITED:
            stores.git(work, _env(place), "checkout", task["commit"], "--", task["file"])
        for tool, arguments in stage.items():
            text = _answer(app, tool, _filled(arguments, known))
            if tool == "recall" and (found := re.search(r"\b01[0-9A-Z]{6,24}\b", text)):
                known["id"] = found[0]
            yield tool, _named(text, task, task["file"] if stage in (AT_FILE, EDITED) else "")


def _filled(value: Any, known: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _filled(item, known) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, known) for item in value]
    return value.format(**known) if isinstance(value, str) else value


def _answer(app: App, tool: str, arguments: dict[str, Any]) -> str:
    try:
        found = tool_calls.perform_tool_call(app, _tool(tool), arguments, SessionState(), "full")
    except GitmemError as error:
        return f"{error.message} {error.hint}"
    return found.text


def _named(text: str, task: Task, given: str) -> dict[str, Any]:
    def has(name: str) -> bool:
        return re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text) is not None

    return {
        "tokens": -(-len(text) // 4),
        "files": [file for file in task["files"] if file != given and file in text],
        "symbols": [
            symbol
            for symbol in task["symbols"]
            if has(symbol) and (not given or symbol in task["elsewhere"])
        ],
        "tests": [test for test in task["tests"] if test in text],
        "reasons": [key for key, title in task["reasons"] if key in text or title in text],
    }


# --- choosing ------------------------------------------------------------------------------------

_KINDS = ("files", "symbols", "tests", "reasons")


def share(tasks: Sequence[Task], tools: Sequence[str], kinds: Sequence[str] = _KINDS) -> float:
    """What these tools name together: the mean over tasks of that over the kinds a task has."""
    shares = []
    for task in tasks:
        parts = [
            min(1, len({name for tool in tools for name in task["named"][tool][kind]}) / most)
            for kind in kinds
            if (most := min(ENOUGH, len(task[kind])))
        ]
        if parts:
            shares.append(sum(parts) / len(parts))
    return sum(shares) / max(1, len(shares))


def tokens(tasks: Sequence[Task], tool: str) -> float:
    """The tokens of its answer, in the mean."""
    return sum(task["named"][tool]["tokens"] for task in tasks) / max(1, len(tasks))


def chosen(tasks: Sequence[Task]) -> list[str]:
    """The tools, the one first that adds most for its tokens."""
    left = sorted(tasks[0]["named"].keys() - ALWAYS)
    order: list[str] = []
    while left:
        before = share(tasks, order)
        gains = {item: share(tasks, [*order, item]) - before for item in left}
        left = [item for item in left if gains[item] >= LEAST]
        if left:
            best = max(left, key=lambda item: gains[item] / tokens(tasks, item))
            order.append(best)
            left = [item for item in left if _tool(item) != _tool(best)]
    whole = share(tasks, order)
    for item in sorted(order, key=lambda item: -tokens(tasks, item)):
        rest = [other for other in order if other != item]
        if whole - share(tasks, rest) < LEAST:
            order, whole = rest, share(tasks, rest)
    return order


def _tool(call: str) -> str:
    return call.partition(" ")[0]


def _table(chooses: Sequence[Task], checks: Sequence[Task]) -> str:
    order = chosen(chooses)
    rest = sorted(set(chooses[0]["named"]) - set(order), key=lambda item: -share(chooses, [item]))
    rows: list[tuple[object, ...]] = []
    for number, tool in enumerate([*order, *rest]):
        so_far = order[: number + 1] if tool in order else []
        rows.append(
            (
                tool,
                round(tokens(chooses, tool)),
                *(f"{share(chooses, [tool], [kind]):.2f}" for kind in _KINDS),
                f"{share(chooses, [tool]):.3f}",
                f"{share(chooses, so_far):.3f}" if so_far else "",
                round(tokens(checks, tool)),
                f"{share(checks, [tool]):.3f}",
                f"{share(checks, so_far):.3f}" if so_far else "",
            )
        )
    calls = {_tool(call): call for call in [*rest, *order]}
    listed = [calls[item] for item in profiles.DEFAULT if item in calls]
    both = [f"{share(half, listed):.3f}" for half in (chooses, checks)]
    rows.append(("the default list", *[""] * 6, both[0], "", "", both[1]))
    heads = ("tool", "tokens", *_KINDS, "alone", "so far", "tokens", "alone", "so far")
    return measure.table(heads, rows)


if __name__ == "__main__":
    sys.exit(main())
