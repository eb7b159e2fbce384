"""Answers of known form against an oracle's: callers, callees, importers, imports, tests, cycles.

``python -m tests.bench.graph.answers REPOSITORY ORACLE.jsonl [--most 60] [--seed 7] [--show N]
[--past WORKTREE]``

The repository has an index of yours; the oracle is one of those beside this (`python_oracle` with
jedi, `typescript_oracle` with the compiler), asked of all calls; of Python `ast` says what is
imported. A list of up to 20 is right where it is the same set; a longer one where its count is
within 5 % and the first 20 belong to it. With ``--past`` a sixth as many of each form of
history are asked (`history_forms`). An answer that is not right counts as warned where it says
that something is unknown, else as wrong.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from gitmem import operations
from gitmem.app import App
from gitmem.clock import SystemClock
from gitmem.code_relations import graph_target, relations
from gitmem.code_relations.by_name import KNOWN
from gitmem.errors import GitmemError
from gitmem.graph import circles
from gitmem.graph.source_file import CALLABLE
from gitmem.search import file_kinds
from gitmem.settings import Settings
from gitmem.store.code import indexed_files, symbols
from gitmem.store.code.symbols import Symbol
from tests.bench.graph import history_forms
from tests.bench.graph.tree import tracked

Told = tuple[list[Any], int, bool]  # the list, how many there are, whether something is unknown
FEW, NEAR = 20, 0.05


class Oracle:
    """What the oracle knows: who calls what, and which file imports which."""

    def __init__(self, rows: Sequence[dict[str, Any]]) -> None:
        self.callers: dict[tuple[str, str], set[tuple[str, int]]] = defaultdict(set)
        self.calls: dict[str, list[tuple[int, tuple[tuple[str, str], ...]]]] = defaultdict(list)
        self.unsure: set[str] = set()  # names of calls that it does not know itself
        self.unknown: dict[str, set[tuple[int, str]]] = defaultdict(set)  # these calls, by file
        self.importers: dict[str, set[str]] = defaultdict(set)
        self.imports: dict[str, set[str]] = defaultdict(set)
        for row in rows:
            path, line = row["path"], row["line"]
            if "import" in row:
                for file in row["import"]:
                    if file != path:
                        self.importers[file].add(path)
                        self.imports[path].add(file)
                continue
            targets = [(place, name) for place, name in row["targets"] if place]
            if len(targets) != 1:
                self.unsure.add(row["name"])
                self.unknown[path].add((line, row["name"]))
            if targets:
                self.calls[path].append((line, tuple(targets)))
            for target in targets:
                self.callers[target].add((path, line))


def python_imports(root: Path) -> Iterator[dict[str, Any]]:
    """What `ast` says each file of Python imports from the repository."""
    paths = {path for path in tracked(root) if path.endswith((".py", ".pyi"))}
    tops = [top for top in ("", "src/") if any(path.startswith(top) for path in paths)]
    for path in sorted(paths):
        for node in ast.walk(ast.parse((root / path).read_text())):
            modules: list[list[str]] = []
            if isinstance(node, ast.Import):
                modules = [name.name.split(".") for name in node.names]
                bases = tops
            elif isinstance(node, ast.ImportFrom):
                start = (node.module or "").split(".") if node.module else []
                up = path.split("/")[: -node.level] if node.level else []
                bases = ["".join(f"{part}/" for part in up)] if node.level else tops
                # Of each name the module of that name, else what holds it.
                modules = [[*start, name.name] for name in node.names]
            for parts in modules:
                shorter = [parts[:-1]] if isinstance(node, ast.ImportFrom) else []
                places = [base + "/".join(item) for item in (parts, *shorter) for base in bases]
                ends = [
                    f"{place.rstrip('/')}{end}"
                    for place in places
                    for end in (".py", "/__init__.py", ".pyi", "/__init__.pyi")
                ]
                found = [end for end in ends if end in paths]
                if found and found[0] != path:
                    yield {"path": path, "line": node.lineno, "import": found[:1]}


def judge(output: Told, truth: set[Any]) -> str:
    """right, warned or wrong."""
    listed, total, unknown = output
    if len(truth) <= FEW:
        right = set(listed) == truth
    else:
        first = listed[:FEW]
        right = abs(total - len(truth)) <= NEAR * len(truth) and set(first) <= truth
    return "right" if right else "warned" if unknown else "wrong"


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("repository", type=Path)
    options.add_argument("oracle", type=Path)
    options.add_argument("--most", type=int, default=60)
    options.add_argument("--seed", type=int, default=7)
    options.add_argument("--show", type=int, default=0)
    options.add_argument("--past", type=Path, help="another worktree: questions of history as well")
    query = options.parse_args()
    rows = [json.loads(row) for row in query.oracle.read_text().splitlines()]
    if any(row["path"].endswith(".py") for row in rows):
        # jedi follows an import to what is defined, and here it is asked which file is taken.
        rows = [row for row in rows if "import" not in row]
        rows += python_imports(query.repository.resolve())
    oracle = Oracle(rows)
    root = query.repository.resolve()
    app = App(Settings(dict(os.environ)), SystemClock(), str(root))
    chance = random.Random(query.seed)
    total: Counter[str] = Counter()
    asked_of = forms(app, oracle)
    if query.past:
        defined = _by_definition(app, oracle)
        asked_of |= history_forms.forms(app, root, defined, query.past, query.most // 6, chance)
    for form, questions in asked_of.items():
        counts: Counter[str] = Counter()
        chosen = chance.sample(questions, min(query.most, len(questions)))
        for name, ask, truth in chosen:
            try:
                output = ask()
            except GitmemError:
                output = [], 0, True
            verdict = judge(output, truth)
            counts[verdict] += 1
            if verdict != "right" and counts["shown"] < query.show:
                counts["shown"] += 1
                lacks, more = sorted(truth - set(output[0]))[:3], sorted(set(output[0]) - truth)[:3]
                print(f"  {verdict} {form} of {name}: lacks {lacks}, more {more}")
        tell(form, counts)
        total += counts
    tell("together", total)
    app.close()


def tell(form: str, counts: Counter[str]) -> None:
    """A line with the shares of a form of question."""
    query = counts["right"] + counts["warned"] + counts["wrong"]
    shares = ", ".join(
        f"{what} {counts[what] / query if query else 0:.1%}"
        for what in ("right", "warned", "wrong")
    )
    print(f"{form}: {query} questions, {shares}")


Question = tuple[str, Callable[[], Told], set[Any]]


def forms(app: App, oracle: Oracle) -> dict[str, list[Question]]:
    """The questions of each form, with how they are asked and the truth."""
    called = _by_definition(app, oracle)
    cyclic = circles.find_cycles((a, b) for a, some in oracle.imports.items() for b in some)
    return {
        "callers": [
            (
                _named(item),
                lambda item=item: _callers(app, item),
                oracle.callers[item.path, item.name],
            )
            for item in called
        ],
        "tests": [
            (_named(item), lambda item=item: _tests(app, item), truth)
            for item in called
            if (truth := _in_tests(_from_outside(oracle, item)))
        ],
        "callees": [
            (_named(item), lambda item=item: _callees(app, item, oracle), truth)
            for item in called
            if item.kind in CALLABLE and (truth := _callees_of(oracle, item))
        ],
        "importers": [
            (path, lambda path=path: _deps(app, path, "imported_by"), truth)
            for path, truth in sorted(oracle.importers.items())
        ],
        "imports": [
            (path, lambda path=path: _deps(app, path, "imports"), truth)
            for path, truth in sorted(oracle.imports.items())
        ],
        "impact": [
            (_named(item), lambda item=item, truth=truth: _impact(app, item, truth), truth)
            for item in called
            if (truth := {path for path, _ in oracle.callers[item.path, item.name]} - {item.path})
        ],
        "cycles": [
            (group[0], lambda group=group: _cycle(app, group[0]), set(group)) for group in cyclic
        ],
    }


def _named(symbol: Symbol) -> str:
    return f"{symbol.path}:{graph_target.qualified_symbol_name(symbol)}"


def _by_definition(app: App, oracle: Oracle) -> list[Symbol]:
    """The definitions that the oracle knows callers of, where it can tell them apart."""
    found = []
    for path, name in sorted(oracle.callers):
        there = [
            item
            for item in symbols.symbols_of_path(app.store, app.worktree, path)
            if item.name == name
        ]
        if len(there) == 1 and name not in oracle.unsure:
            found.append(there[0])
    return found


def _callers(app: App, symbol: Symbol) -> Told:
    meant = graph_target.find_graph_target(app, _named(symbol))
    places = relations.find_call_occurrences(app, meant)
    sure = list(
        dict.fromkeys((each.path, each.line) for each in places if each.confidence >= KNOWN)
    )
    unknown = relations.find_related(app, meant, "callers", 1, 1).unknown
    return sure, len(sure), bool(unknown)


def _tests(app: App, symbol: Symbol) -> Told:
    request = operations.load_operation("impact").request_class(
        target=_named(symbol), depth=1, limit=1000
    )
    answer = operations.load_operation("impact").run_request(app, request)
    direct = [each.path for each in answer.files if each.test and each.depth == 1]
    return direct, len(direct), bool(answer.unknown)


def _impact(app: App, symbol: Symbol, truth: set[str]) -> Told:
    """The files one step away; others than callers are right where they name it."""
    request = operations.load_operation("impact").request_class(
        target=_named(symbol), depth=1, limit=1000
    )
    answer = operations.load_operation("impact").run_request(app, request)
    direct = [each.path for each in answer.files if each.depth == 1]
    word = re.compile(rf"(?<!\w){re.escape(symbol.name)}(?!\w)")
    root = Path(app.worktree)
    naming = {
        path for path in direct if path in truth or word.search((root / path).read_text("utf-8"))
    }
    callers = [path for path in direct if path in truth]
    return (callers if naming == set(direct) else direct), len(callers), bool(answer.unknown)


def _from_outside(oracle: Oracle, symbol: Symbol) -> set[tuple[str, int]]:
    """Where it is called, but for the lines in which it calls itself."""
    called = oracle.callers[symbol.path, symbol.name]
    return {
        (path, line) for path, line in called if path != symbol.path or not _inside(symbol, line)
    }


def _in_tests(places: set[tuple[str, int]]) -> set[str]:
    return {path for path, _ in places if "test" in file_kinds.kinds_of_file(path, "")}


def _callees(app: App, symbol: Symbol, oracle: Oracle) -> Told:
    meant = graph_target.find_graph_target(app, _named(symbol))
    found = relations.find_related(app, meant, "callees", 1, 1000)
    queries = {name for line, name in oracle.unknown[symbol.path] if _inside(symbol, line)}
    # What the oracle does not know itself is not judged.
    ends = [(each.path, _bare(each.path, each.name)) for each in found.items]
    ends = [end for end in ends if end[1] not in queries]
    return list(dict.fromkeys(ends)), len(set(ends)), bool(found.unknown)


def _inside(symbol: Symbol, line: int) -> bool:
    return symbol.start_line <= line <= symbol.end_line


def _bare(path: str, name: str) -> str:
    parts = name.split(".")
    return parts[-2] if len(parts) > 1 and _constructs(path, parts[-1]) else parts[-1]


def _constructs(path: str, name: str) -> bool:
    """Whether a class is called through a name; in Rust `new` is a function as others are."""
    return name in graph_target.CONSTRUCTORS and not path.endswith(".rs")


def _callees_of(oracle: Oracle, symbol: Symbol) -> set[tuple[str, str]]:
    return {
        (path, symbol.name if _constructs(path, name) else name)
        for line, targets in oracle.calls[symbol.path]
        if _inside(symbol, line)
        for path, name in targets
        if name not in {each for at, each in oracle.unknown[symbol.path] if _inside(symbol, at)}
    }


def _deps(app: App, path: str, field: str) -> Told:
    try:
        if path.endswith("/"):  # a package: any of its files is asked
            inside = indexed_files.paths_with_prefix(
                app.store, app.worktree, path.lstrip("/"), 1000
            )
            folder = path.strip("/")
            path = min(
                item
                for item in inside
                if item.endswith(".go")
                and "_test." not in item
                and item.rpartition("/")[0] == folder
            )
        answer = operations.load_operation("deps").run_request(
            app, operations.load_operation("deps").request_class(path=path, limit=1000)
        )
    except GitmemError:
        return [], 0, True
    named = [
        item.path
        for item in getattr(answer, field)
        if item.confidence >= KNOWN and not item.through
    ]
    links = list(dict.fromkeys(each for item in named for each in _files(app, path, item)))
    return links, len(links), bool(answer.note)


def _files(app: App, path: str, link: str) -> list[str]:
    """A file, or those of a package of Java that is taken as a whole."""
    if not link.endswith("/") or not path.endswith(".java"):
        return [link]
    inside = indexed_files.paths_with_prefix(app.store, app.worktree, link, 1000)
    return [item for item in inside if item.rpartition("/")[0] == link.rstrip("/") and item != path]


def _cycle(app: App, path: str) -> Told:
    request = operations.load_operation("cycles").request_class(path=path, all=True)
    answer = operations.load_operation("cycles").run_request(app, request)
    files = [file for cycle in answer.cycles if path in cycle.files for file in cycle.files]
    return files, len(files), bool(answer.note)


if __name__ == "__main__":
    main()
