"""Questions about the past, whose truth is git's own: when added, who wrote, what changed or broke.

Drawn by a fixed seed from definitions, tags and commits that mend something. A definition was added
by the oldest commit in which its first line appears (``log -S``); its lines were written by whom
``blame`` names; between two tags lie the commits of ``rev-list``; the lines that a mend removes
were brought by the commits that ``blame`` names at its parent.
"""

from __future__ import annotations

import itertools
import random
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from gitmem import operations
from gitmem.app import App
from gitmem.code_relations import graph_target
from gitmem.store.code.symbols import Symbol
from tests.bench.graph.past_commits import git

Told = tuple[list[Any], int, bool]
Question = tuple[str, Callable[[], Told], set[Any]]
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? ", re.MULTILINE)
_MEND = r"\bfix\|\bbug"
_MOVED = ("-w", "-M", "-C")  # who moves a line did not write it


def forms(
    app: App, root: Path, defined: Sequence[Symbol], past: Path, most: int, chance: random.Random
) -> dict[str, list[Question]]:
    """Up to ``most`` questions of each form; ``past`` is another worktree, to look back in."""
    drawn = chance.sample(list(defined), min(6 * most, len(defined)))
    return {
        "when added": _first(_added(app, root, drawn), most),
        "who wrote": _first(_writers(app, root, drawn), most),
        "last changed": _first(_last(app, root, drawn), most),
        "what changed": _first(_between(app, root, chance), most),
        "what broke": _first(
            _broke(app, root, past, {item.path for item in defined}, chance), most
        ),
    }


def _first(questions: Iterator[Question], most: int) -> list[Question]:
    return [question for question, _ in zip(questions, range(most), strict=False)]


def _lines(root: Path, *query: str) -> list[str]:
    return git(root, *query).splitlines()


def _added(app: App, root: Path, drawn: Iterable[Symbol]) -> Iterator[Question]:
    """Of definitions whose head stands once in the tree."""
    for item in drawn:
        head = item.signature.split("\n")[0]
        head = head[: head.find(item.name) + len(item.name)].strip()
        observed = _lines(root, "grep", "-F", "-e", head, "HEAD", "--") if " " in head else []
        if len(observed) == 1 and observed[0].startswith(f"HEAD:{item.path}:"):
            alike = f"*.{item.path.rpartition('.')[2]}"  # large files may be absent in a copy
            # Words such as `static` come and go: what stands before the name stays.
            words = re.sub(r"([][\\.{}()*+?^$|])", r"\\\1", " ".join(head.split()[-2:]))
            expected = ["--pickaxe-regex", f"-S{words}([^[:alnum:]_]|$)"]
            commits = _lines(root, "log", "--reverse", "--format=%H", *expected, "--", alike)
            if commits:
                name = f"{item.path}::{graph_target.qualified_symbol_name(item)}"
                yield name, lambda name=name: _oldest(app, name), {commits[0][:10]}


def _why(app: App, target: str) -> Any:
    why = operations.load_operation("why")
    return why.run_request(app, why.request_class(target=target, limit=100))


def _oldest(app: App, target: str) -> Told:
    answer = _why(app, target)
    first = [commit.commit[:10] for commit in answer.commits if "first version" in commit.why]
    return first, len(first), bool(answer.note)


def _blamed(root: Path, path: str, first: int, last: int, at: str = "HEAD") -> Iterator[str]:
    """The commit of each line."""
    ignored = root / ".git-blame-ignore-revs"
    passed = ["--ignore-revs-file", ignored.name] if ignored.exists() else []
    span = ["-s", "-l", *_MOVED, *passed, f"-L{first},{last}", at, "--", path]
    yield from (line.split()[0].lstrip("^") for line in _lines(root, "blame", "--root", *span))


def _author(root: Path, commit: str) -> str:
    return git(root, "log", "-1", "--use-mailmap", "--format=%aN", commit).strip()


def _writers(app: App, root: Path, drawn: Iterable[Symbol]) -> Iterator[Question]:
    """Who has most lines of a definition, where it is one alone."""
    for item in drawn:
        if item.end_line - item.start_line < 3:
            continue
        lines = Counter(_blamed(root, item.path, item.start_line, item.end_line))
        authors: Counter[str] = Counter()
        for commit, count in lines.items():
            authors[_author(root, commit)] += count
        ranked = authors.most_common(2)
        if len(ranked) == 1 or ranked[0][1] > ranked[1][1]:
            place = f"{item.path}:{item.start_line}-{item.end_line}"
            yield place, lambda place=place: _writer(app, place), {ranked[0][0]}


def _writer(app: App, place: str) -> Told:
    answer = _why(app, place)
    authors: Counter[str] = Counter()
    for commit in answer.commits:
        authors[commit.author] += commit.lines
    return [name for name, _ in authors.most_common(1)], 1, bool(answer.note)


def _last(app: App, root: Path, drawn: Iterable[Symbol]) -> Iterator[Question]:
    for path in dict.fromkeys(item.path for item in drawn):
        truth = git(root, "log", "-1", "--no-merges", "--format=%H", "--", path).strip()[:10]
        yield path, lambda path=path: _newest(app, path), {truth}


def _newest(app: App, path: str) -> Told:
    answer = _why(app, path)
    last = [commit.commit[:10] for commit in answer.commits if "changed it last" in commit.why]
    return last, len(last), bool(answer.note)


def _between(app: App, root: Path, chance: random.Random) -> Iterator[Question]:
    """The commits between two tags that follow each other on the way to HEAD."""
    order = ["for-each-ref", "--sort=creatordate", "--merged=HEAD", "--format=%(refname:short)"]
    tags = _lines(root, *order, "refs/tags")
    pairs = list(itertools.pairwise(tags))
    for old, new in chance.sample(pairs, len(pairs)):
        truth = _lines(root, "rev-list", f"{old}..{new}")
        if truth:
            shas = {item[:10] for item in truth}
            ask = lambda old=old, new=new, shas=shas: _changed(app, old, new, shas)  # noqa: E731
            yield f"{old}..{new}", ask, shas


def _changed(app: App, old: str, new: str, truth: set[str]) -> Told:
    """The commits; of each area five are shown and the rest counted, so a cut list may be right."""
    changes = operations.load_operation("changes")
    answer = changes.run_request(app, changes.request_class(since=old, until=new, limit=100))
    listed = {item.commit[:10] for area in answer.areas for item in area.newest}
    if answer.commits == len(truth) and listed <= truth:
        listed = truth
    return sorted(listed), answer.commits, bool(answer.note)


def _broke(
    app: App, root: Path, past: Path, paths: set[str], chance: random.Random
) -> Iterator[Question]:
    """The first lines that a mend takes out of a file of code: what brought them."""
    mends = _lines(root, "log", "--no-merges", "-i", f"--grep={_MEND}", "--format=%H")
    for commit in chance.sample(mends, len(mends)):
        files = _lines(root, "diff", "--name-only", f"{commit}~", commit)
        code = [file for file in files if file in paths]
        if not code or len(files) > 5:
            continue
        text = git(root, "diff", "-U0", f"{commit}~", commit, "--", code[0])
        hunks = [(int(item[1]), int(item[2] or 1)) for item in _HUNK.finditer(text)]
        first, count = next((hunk for hunk in hunks if 0 < hunk[1] <= 20), (0, 0))
        if count:
            truth = {
                item[:10] for item in _blamed(root, code[0], first, first + count - 1, f"{commit}~")
            }
            place = f"{code[0]}:{first}-{first + count - 1}"
            try:
                git(past, "checkout", "-q", "--force", "--detach", f"{commit}~")
            except subprocess.CalledProcessError:
                continue  # a file that is absent in this copy
            ask = lambda at=f"{commit}~", place=place: _brought(app, past, at, place)  # noqa: E731
            yield f"{place} before {commit[:10]}", ask, truth


def _brought(app: App, past: Path, at: str, place: str) -> Told:
    git(past, "checkout", "-q", "--force", "--detach", at)
    there = App(app.settings, app.clock, str(past))
    try:
        answer = _why(there, place)
        found = [commit.commit[:10] for commit in answer.commits if commit.lines]
        return found, len(found), bool(answer.note)
    finally:
        there.close()
