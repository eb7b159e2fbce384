"""Questions of known form: whether `gitmem ask` gives the answer of an oracle that is not gitmem.

    python -m tests.bench.known_forms --clones DIR [--keep DIR] [--held] [--show N]

DIR holds clones of ``REPOSITORIES`` by their names. Targets are drawn by a fixed seed, each form is
asked in several wordings; ``--held`` asks other targets in other wordings, which were written with
the first ones and before any answer was looked at. The oracle of code is `ast` (definitions of a
name that the repository defines once), that of the past is git: pickaxe, blame, the log of lines.

A list of up to 20 is right where it is the same set; a longer one where its count is within 5 % and
what is listed is true. What is not right is ``warned`` where the answer says that something is not
known or knows nothing, else ``wrong``.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from gitmem.graph import circles
from gitmem.operations.find import ask
from tests.bench import measure, stores
from tests.bench.everyday import _indexed
from tests.bench.graph.answers import python_imports

REPOSITORIES = {
    "click": "2c8cd3ac958a7eb316d67f2d316c27086c4c0369",
    "httpx": "ae1b9f66238f75ced3ced5e4485408435de10768",
    "datasette": "481df7ff6d78a8ccf919984d27f27201b081bd53",
}
SEED, FEW, NEAR = 11, 20, 0.05
# Form -> targets of each half in each repository, wordings to develop with, wordings held out.
FORMS: dict[str, tuple[int, tuple[str, ...], tuple[str, ...]]] = {
    "callers": (
        3,
        ("who calls {0}?", "What are the callers of {0}", "where is `{0}` called?"),
        ("Where do we call {0} from?", "list the call sites of {0}", "who is calling {0}()"),
    ),
    "definition": (
        8,
        ("where is {0} defined?", "which file defines {0}", "where is `{0}`?"),
        ("Where do we define {0}", "definition of {0}", "where is {0} declared?", "where is {0}"),
    ),
    "callees": (
        2,
        ("what does {0} call?", "which functions are called by {0}"),
        ("What functions does {0} invoke?", "list everything {0} calls"),
    ),
    "importers": (
        2,
        ("which files import {0}?", "importers of {0}"),
        ("What imports {0}?", "where is {0} imported?"),
    ),
    "imports": (
        2,
        ("what does {0} import?", "imports of {0}"),
        ("which modules does {0} import", "list the imports of {0}"),
    ),
    "tests": (
        2,
        ("which tests should I run after changing {0}?", "what tests cover {0}"),
        ("if I change {0}, which tests do I have to run?", "which tests exercise {0}?"),
    ),
    "impact": (
        2,
        ("what depends on {0}?", "what would be affected by a change of {0}"),
        ("what is the impact of changing {0}?", "what breaks if I touch {0}?"),
    ),
    "cycles": (
        1,
        ("are there import cycles?",),
        ("which files import each other in a circle?",),
    ),
    "added": (
        3,
        ("when was {0} added?", "which commit introduced {0}", "when did {0} first appear"),
        ("since when do we have {0}?", "which commit added `{0}`?", "When was {0} introduced"),
    ),
    "wrote": (
        2,
        ("who wrote {0}?", "who is the author of {0}"),
        ("who wrote most of {0}?", "who has written `{0}`"),
    ),
    "changed last": (
        2,
        ("when was {0} last changed?", "who changed {0} last"),
        ("what was the last change to {0}", "who touched {0} most recently?"),
    ),
    "changes": (
        3,
        ("what changed between {0} and {1}?", "what has changed from {0} to {1}",
         "what happened between {0} and {1}"),
        ("What is new from {0} to {1}?", "which changes were made between {0} and {1}?",
         "summarise the changes from {0} to {1}"),
    ),
}  # fmt: skip


@dataclass
class Truth:
    """What is true: places (``path:line``, a path, a commit or an author) and how many they are."""

    about: tuple[str, ...]
    places: set[str]
    least: bool = False  # the answer may say more than this


@dataclass
class Code:
    """What `ast` tells of a repository."""

    root: Path
    defined: dict[str, list[tuple[str, ast.AST]]] = field(default_factory=lambda: defaultdict(list))
    # By name what calls it: a path, and the function around, empty on the level of the module.
    calls: dict[str, set[tuple[str, str]]] = field(default_factory=lambda: defaultdict(set))

    def __post_init__(self) -> None:
        for path in _git(self.root, "ls-files", "*.py").split():
            tree = ast.parse((self.root / path).read_text())
            self._read(path, tree, "")

    def _read(self, path: str, node: ast.AST, around: str) -> None:
        for item in ast.iter_child_nodes(node):
            inside = around
            if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self.defined[item.name].append((path, item))
                for decorator in item.decorator_list:  # it stands outside
                    self._read(path, ast.Expr(decorator), around)
                inside = item.name
            elif isinstance(item, ast.Call) and (name := _called(item)):
                self.calls[name].add((path, around))
            self._read(path, item, inside)

    def unique(self) -> list[tuple[str, str, ast.AST]]:
        """Functions and classes of the program whose names stand for nothing else."""
        return [
            (name, *found[0])
            for name, found in sorted(self.defined.items())
            if len(found) == 1 and len(name) > 7 and not _is_test(found[0][0]) and name[:2] != "__"
        ]


def _called(node: ast.Call) -> str:
    return getattr(node.func, "id", "") or getattr(node.func, "attr", "")


def _is_test(path: str) -> bool:
    return path.startswith("tests/") or "/test_" in path


def _git(root: Path, *args: str) -> str:
    done = subprocess.run(["git", "-C", root, *args], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace").strip()


def truths(root: Path) -> dict[str, list[Truth]]:
    """Of each form all that can be asked about in a repository; the past is asked of git later."""
    code = Code(root)
    found: dict[str, list[Truth]] = {form: [] for form in FORMS}
    for name, ends in code.defined.items():
        found["definition"].append(Truth((name,), {path for path, _ in ends}, least=True))
    for name, _, node in code.unique():
        users = code.calls[name]
        output = {f"{path}:{around}" for path, around in users}
        if output and len(output) <= 60:
            found["callers"].append(Truth((name,), output))
            found["impact"].append(Truth((name,), {path for path, _ in users}, least=True))
        if tests := {path for path, _ in users if _is_test(path)}:
            found["tests"].append(Truth((name,), tests, least=True))
        inside = {_called(item) for item in ast.walk(node) if isinstance(item, ast.Call)} - {""}
        ours = {item for item in inside if item in code.defined}
        if (
            isinstance(node, ast.FunctionDef)
            and ours
            and all(len(code.defined[o]) == 1 for o in ours)
        ):
            ends = [code.defined[our][0] for our in ours]
            callees = {f"{path}:{item.name}" for path, item in ends}  # type: ignore[attr-defined]
            found["callees"].append(Truth((name,), callees))
        if len(name) > 9:
            for form in ("added", "wrote", "changed last"):
                found[form].append(Truth((name,), set()))
    users_of, used = defaultdict(set), defaultdict(set)
    for row in python_imports(root):
        used[row["path"]].add(row["import"][0])
        users_of[row["import"][0]].add(row["path"])
    found["importers"] = [Truth((item,), users_of[item]) for item in sorted(users_of)]
    found["imports"] = [Truth((item,), used[item]) for item in sorted(used) if not _is_test(item)]
    found["cycles"] = [Truth((), {item for group in _circles(root) for item in group})]
    tags = _git(root, "tag", "--sort=creatordate", "--merged", "HEAD").split()
    pairs = list(pairwise(tags))
    found["changes"] = [Truth(pair, set()) for pair in pairs[len(pairs) // 2 :]]
    return found


def _circles(root: Path) -> list[list[str]]:
    """The groups of files that import each other while they load."""
    edges = []
    for row in python_imports(root):
        loaded = _loaded(ast.parse((root / row["path"]).read_text()))
        if row["line"] in loaded:
            edges.append((row["path"], row["import"][0]))
    return circles.find_cycles(edges)


def _loaded(node: ast.AST) -> set[int]:
    """The lines of the imports done while a file loads: none in functions, or for types."""
    lines = set()
    for item in ast.iter_child_nodes(node):
        if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(item, ast.If) and "TYPE_CHECKING" in ast.unparse(item.test):
            continue
        lines |= {item.lineno} if isinstance(item, ast.Import | ast.ImportFrom) else _loaded(item)
    return lines


def filled(form: str, truth: Truth, root: Path) -> Truth:
    """The same with what git says, for the forms that ask of the past."""
    if form == "added":
        log = _git(
            root, "log", "--reverse", "--format=%H", "-G", rf"(def|class) {truth.about[0]}\b"
        )
        return Truth(truth.about, set(log.split()[:1]))
    if form == "changes":
        return Truth(
            truth.about, set(_git(root, "rev-list", f"{truth.about[0]}..{truth.about[1]}").split())
        )
    if form in ("wrote", "changed last"):
        path, node = next((p, n) for name, p, n in Code(root).unique() if name == truth.about[0])
        first = min([node.lineno, *(each.lineno for each in node.decorator_list)])  # type: ignore[attr-defined]
        span = f"{first},{node.end_lineno}"  # type: ignore[attr-defined]
        if form == "changed last":
            log = _git(root, "log", "-1", "-s", "--format=%H", f"-L{span}:{path}")
            return Truth(truth.about, {log})
        lines = _git(root, "blame", "-w", "--line-porcelain", f"-L{span}", "--", path)
        counts = Counter(re.findall(r"^author (.*)$", lines, re.MULTILINE))
        most = max(counts.values())
        return Truth(truth.about, {name for name, count in counts.items() if count == most})
    return truth


def answered(form: str, found: ask.AskResult) -> tuple[list[str], int, bool]:
    """What an answer lists, how many it says there are, and whether it says what is not known."""
    warned = not found.known or "unknown" in found.answer or bool(re.search(_WARNED, found.answer))
    total = found.plan.steps[0].found or 0
    if form == "wrote":
        authors = re.findall(r"^\w{10} [\d-]{10} (.*?): ", found.answer, re.MULTILINE)
        return authors[:1], 1, warned
    if form in ("added", "changed last", "changes"):
        commits = [source.commit for source in found.sources if source.commit]
        return (commits if form == "changes" else commits[:1]), total, warned
    if form in ("callers", "callees"):
        ends = re.findall(r"^  [\d.]+ (\S+):\d+ (\S*) *\(", found.answer, re.MULTILINE)
        messages = [f"{path}:{name.rpartition('.')[2]}" for path, name in ends]
        return list(dict.fromkeys(messages)), total, warned
    return list(dict.fromkeys(source.path for source in found.sources)), total, warned


_WARNED = r"not known|was stopped|is stopped|may be missing|No such|Nothing named|There is no"


def judge(form: str, truth: Truth, found: ask.AskResult) -> str:
    """right, warned or wrong."""
    output, total, warned = answered(form, found)
    expected = truth.places
    if form == "wrote":
        right = bool(set(output) & expected)
    elif truth.least:
        right = expected <= set(output) or (len(output) >= FEW and total > len(output))
    elif form == "changes" or len(expected) > FEW:
        near = abs(total - len(expected)) <= NEAR * len(expected)
        right = near and set(output) <= expected
    else:
        right = set(output) == expected
    return "right" if right else "warned" if warned else "wrong"


def questions(root: Path, *, held: bool) -> Iterator[tuple[str, str, Truth]]:
    """Form, question and truth of one half."""
    every = truths(root)
    for form, (count, *wordings) in FORMS.items():
        chance = random.Random(f"{SEED} {form}")
        chosen = chance.sample(every[form], min(2 * count, len(every[form])))
        half = chosen[count:] if held and len(chosen) > count else chosen[:count]
        for number, item in enumerate(half):
            words = wordings[held]
            yield form, words[number % len(words)].format(*item.about), filled(form, item, root)


def main(words: list[str] | None = None) -> int:
    """Run it; the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clones", required=True)
    parser.add_argument("--keep")
    parser.add_argument("--held", action="store_true")
    parser.add_argument("--show", type=int, default=0)
    given = parser.parse_args(words)
    verdicts: dict[str, Counter[str]] = defaultdict(Counter)
    with stores.home(given.keep) as place:
        for name, commit in REPOSITORIES.items():
            app = _indexed(name, commit, Path(given.clones), place)
            for form, question, truth in questions(Path(app.worktree), held=given.held):
                found = ask.answer_question(app, ask.AskRequest(question))
                verdict = judge(form, truth, found)
                verdicts[form][verdict] += 1
                if verdict != "right" and verdicts[form]["shown"] < given.show:
                    verdicts[form]["shown"] += 1
                    _show(form, question, verdict, truth, found)
            app.close()
    total = sum(verdicts.values(), Counter[str]())
    rows = [_row(form, counts) for form, counts in verdicts.items()]
    print(
        measure.table(
            ("form", "questions", "right", "warned", "wrong"), [*rows, _row("all", total)]
        )
    )
    return 0


def _show(form: str, question: str, verdict: str, truth: Truth, found: Any) -> None:
    output, total, _ = answered(form, found)
    lacks, more = sorted(truth.places - set(output))[:4], sorted(set(output) - truth.places)[:4]
    print(f"\n{verdict} {form}: {question}")
    print(f"  of {len(truth.places)}, says {total}; lacks {lacks}, more {more}")
    print("  " + ask.view(found)[:1200].replace("\n", "\n  "))


def _row(form: str, counts: Counter[str]) -> tuple[object, ...]:
    query = counts["right"] + counts["warned"] + counts["wrong"]
    return form, query, *(f"{counts[item] / query:.0%}" for item in ("right", "warned", "wrong"))


if __name__ == "__main__":
    sys.exit(main())
