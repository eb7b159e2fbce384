"""`gitmem review`: what it says of commits that brought a fault, and of clean ones; and its time.

    python -m tests.bench.review faults --clones DIR [DIR ...] [--each 10] [--clean 10]
        [--only A,B] [--out FILE] [--decisions]
    python -m tests.bench.review report --clones FILE [FILE ...]
    python -m tests.bench.review planted --clones DIR [DIR ...] [--each 10] [--only A,B]
    python -m tests.bench.review memories --clones DIR [DIR ...] [--only A,B] [--merges 50]
    python -m tests.bench.review speed [--lines 100000] --clones DIR [DIR ...]

``faults``: DIR holds clones. A fix, and the commit that brought the fault, are those of
``tests.bench.why_broke`` (blame of the source lines that the fix takes away, by git alone). A clean
commit changes source, and no line of it was taken away by any of the fixes that were looked at
(the newest 60); of the commits between the faults every n-th is drawn, as many as faults or
``--clean``. Each is reviewed in the work
tree after it, indexed there, with no later commit in the index, and with no memory. Counted are
the commits with a finding (warning or error), and of the faults the source files with one. With
``--decisions`` those of ``check_plans.json`` are in the store: none of them is of these projects.
``report`` sums up what several runs wrote with ``--out``.

``planted``: what a review is for. ``undone``: the source files of a fix as they were before it.
``copied``: a function of the newest state in a new file, under another name. ``renamed``: a
definition that others import, without its users. Each alone, drawn by a seed.

``memories``: before each merge twelve memories are anchored in files that it changes and others,
to lines drawn by a seed; which of them it concerns is computed from ``git diff -U0`` alone.

``speed``: the code of the clones is put together to a repository of so many lines. Reviewed are
diffs of 500 and of 50,000 lines, cold, as a process; CPU with that of git.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gitmem.app import App
from gitmem.history import culprits
from gitmem.operations.remember import decide, remember
from gitmem.review import broken_uses, cited_lines, reviewed_diff
from gitmem.review import review as reviews
from gitmem.review.review import ReviewResult
from gitmem.store.code import chunks, symbols
from gitmem.store.memory import memories as memories_
from gitmem.store.memory.filters import MemoryFilter
from tests.bench import measure, stores, why_broke
from tests.bench.why_broke import git

_FIXES = 60


@dataclass(frozen=True)
class Outcome:
    """A reviewed commit."""

    clone: str
    sha: str
    fault: bool
    files: Sequence[str]
    review: ReviewResult


def drawn(clone: Path, each: int, many: int) -> list[tuple[str, bool]]:
    """Commits that brought a fault (True) and ``many`` clean ones, oldest first."""
    known = why_broke.cases(clone, _FIXES)
    brought = {case.culprit: None for case in known}
    log = git(clone, "log", "--no-merges", "--format=%H", "-n", "3000").split()
    place = {sha: number for number, sha in enumerate(log)}
    faults = sorted((sha for sha in brought if sha in place), key=place.__getitem__)[:each]
    if not faults:
        return []
    # The newest had no time yet to be found faulty.
    among = [sha for sha in log[place[faults[0]] : place[faults[-1]] + 1] if sha not in brought]
    among = [sha for sha in among if culprits.has_source_file(_paths(clone, sha))]
    clean = among[:: max(1, len(among) // many)][:many]
    chosen = {**dict.fromkeys(clean, False), **dict.fromkeys(faults, True)}
    return sorted(chosen.items(), key=lambda pair: -place[pair[0]])


def _paths(clone: Path, sha: str) -> list[str]:
    return git(clone, "show", "--format=", "--name-only", "--no-renames", sha).split("\n")


def _decisions() -> list[str]:
    groups = json.loads(Path(__file__).with_name("check_plans.json").read_text()).values()
    return [text for group in groups for text in group["decisions"].values()]


def outcomes(
    clone: Path, folder: Path, each: int, clean: int, decisions: Sequence[str] = ()
) -> Iterator[Outcome]:
    """The reviews of the drawn commits, in a copy that is moved forward through its history."""
    chosen = drawn(clone, each, clean)
    folder.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "clone", "-q", "--shared", str(clone), str(folder)], check=True)
    settings = stores.settings(folder.parent)
    for sha, fault in chosen:
        git(folder, "checkout", "-q", "--force", "--detach", sha)
        app = stores.app_in(folder, settings)
        try:
            stores.set_up(app)
            stores.refreshed(app)
            for text in (
                decisions
                if not memories_.count_filtered_memories(app.store, MemoryFilter(states=()))
                else ()
            ):
                decide.record_decision(
                    app, decide.RecordDecisionRequest(title=text[:200], duplicates="skip")
                )
            diff = reviewed_diff.read_git_diff(app, f"{sha}~1..{sha}")
            files = [file.path for file in diff.files if file.is_source]
            yield Outcome(clone.name, sha, fault, files, reviews.review_diff(app, diff))
        finally:
            app.close()


def faults(
    clones: Sequence[Path], each: int, clean: int, out: str, decisions: Sequence[str] = ()
) -> int:
    """Review faults and clean commits, and show the shares."""
    records = list[dict[str, Any]]()
    with stores.home(None) as place:
        for clone in clones:
            for outcome in outcomes(clone, place / "review" / clone.name, each, clean, decisions):
                records.append(_record(outcome))
                kind = "fault" if outcome.fault else "clean"
                for finding in outcome.review.findings:
                    line = f"{kind} {outcome.sha[:10]} {finding.path}:{finding.line}"
                    print(f"{clone.name} {line} {finding.rule}: {finding.message}", file=sys.stderr)
            done = [record for record in records if record["clone"] == clone.name]
            print(clone.name, *_shares(done), file=sys.stderr, flush=True)
            if out:
                Path(out).write_text(json.dumps(records))
    print(measure.machine())
    return report(records)


def report(records: Sequence[dict[str, Any]]) -> int:
    """Show the shares by repository and in all, the rules, and how well the risk tells them apart.

    The latter is the share of pairs of a fault and a clean commit of one repository in which the
    fault has the higher risk; equal ones count half.
    """
    heads = ("repository", "faults", "warned", "files", "warned", "clean", "warned")
    names = dict.fromkeys(record["clone"] for record in records)
    by_name = {name: [each for each in records if each["clone"] == name] for name in names}
    rows = [(name, *_shares(found)) for name, found in by_name.items()]
    print(measure.table(heads, [*rows, ("all", *_shares(records))]))
    rules = Counter((rule, each["fault"]) for each in records for rule, *_ in each["findings"])
    for (rule, fault), many in sorted(rules.items()):
        print(f"{rule}: {many} of {'faults' if fault else 'clean commits'}")
    higher = [
        (bad["risk"] > good["risk"]) + (bad["risk"] == good["risk"]) / 2
        for found in by_name.values()
        for bad in found
        for good in found
        if bad["fault"] and not good["fault"]
    ]
    print(f"risk: the fault is higher in {sum(higher) / max(1, len(higher)):.1%} of the pairs")
    return 0


def _shares(records: Sequence[dict[str, Any]]) -> tuple[object, ...]:
    bad, good = ([each for each in records if each["fault"] is fault] for fault in (True, False))
    files = sum(len(each["files"]) for each in bad)
    warned = sum(len({path for _, path, _ in each["findings"]} & {*each["files"]}) for each in bad)
    return (
        len(bad),
        sum(bool(each["findings"]) for each in bad),
        files,
        warned,
        len(good),
        sum(bool(each["findings"]) for each in good),
    )


def _record(outcome: Outcome) -> dict[str, Any]:
    review = outcome.review
    return {
        "clone": outcome.clone,
        "sha": outcome.sha,
        "fault": outcome.fault,
        "files": list(outcome.files),
        "findings": [[each.rule, each.path, each.message] for each in review.findings],
        "context": [[each.rule, each.path, each.message] for each in review.context],
        "dependents": review.dependents_total,
        "lines": review.lines,
        "all": review.files,
        "tests": [len(review.tests.changed), len(review.tests.related), len(review.tests.untested)],
        "risk": review.risk,
        "notes": list(review.notes),
    }


# --- planted -------------------------------------------------------------------------------------

_RULES = {"undone": "fix/undone", "copied": "function/exists", "renamed": "removed/still-imported"}


def planted(clones: Sequence[Path], each: int) -> int:
    """How much of what is planted is found."""
    rows = []
    with stores.home(None) as place:
        for clone in clones:
            counted = Counter[str]()
            for kind, review in _planted_reviews(clone, place / "planted" / clone.name, each):
                counted[kind] += 1
                counted[f"{kind} found"] += any(
                    finding.rule == _RULES[kind] for finding in review.findings
                )
            cells = (f"{counted[f'{kind} found']} of {counted[kind]}" for kind in _RULES)
            rows.append((clone.name, *cells))
    print(measure.machine())
    print(measure.table(("repository", *_RULES), rows))
    return 0


def _planted_reviews(clone: Path, folder: Path, each: int) -> Iterator[tuple[str, ReviewResult]]:
    folder.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "clone", "-q", "--shared", str(clone), str(folder)], check=True)
    settings = stores.settings(folder.parent)
    newest = git(folder, "rev-parse", "HEAD").strip()
    for sha in [*(case.fix for case in why_broke.cases(clone, each)), newest]:
        git(folder, "checkout", "-q", "--force", "--detach", sha)
        app = stores.app_in(folder, settings)
        try:
            stores.set_up(app)
            stores.refreshed(app)
            changes = _undo(folder, sha) if sha != newest else _copies_and_renames(app, each)
            for kind, files in changes:
                for path, text in files.items():
                    (folder / path).parent.mkdir(parents=True, exist_ok=True)
                    (folder / path).write_text(text)
                yield kind, reviews.review_diff(app, reviewed_diff.read_git_diff(app))
                git(folder, "checkout", "-q", "--force", ".")
                git(folder, "clean", "-q", "-f", "-d", "-e", ".gitmem")
        finally:
            app.close()


_Files = dict[str, str]


def _undo(folder: Path, sha: str) -> Iterator[tuple[str, _Files]]:
    paths = [path for path in _paths(folder, sha) if culprits.has_source_file([path])]
    held = set(git(folder, "ls-tree", "-r", "--name-only", f"{sha}~1").split("\n"))
    files = {path: git(folder, "show", f"{sha}~1:{path}") for path in paths if path in held}
    if files:
        yield "undone", files


def _copies_and_renames(app: App, each: int) -> Iterator[tuple[str, _Files]]:
    chance = random.Random(43)
    paths = [path for path, _ in chunks.paths_and_languages(app.store, app.worktree)]
    tops = [
        symbol
        for path in sorted(paths)
        if culprits.has_source_file([path])
        for symbol in symbols.symbols_of_path(app.store, app.worktree, path)
        if symbol.kind == "function" and not symbol.container
    ]
    long = [symbol for symbol in tops if symbol.end_line - symbol.start_line >= 8]
    for symbol in chance.sample(long, min(each, len(long))):
        text = (Path(app.worktree) / symbol.path).read_text("utf-8", "replace")
        lines = text.split("\n")[symbol.start_line - 1 : symbol.end_line]
        body = "\n".join(lines).replace(symbol.name, f"{symbol.name}_copied") + "\n"
        folder, _, name = symbol.path.rpartition("/")
        yield "copied", {f"{folder}/copied_{name}".lstrip("/"): body}
    users = (
        symbol
        for symbol in chance.sample(tops, len(tops))
        if symbol.language in broken_uses.LANGUAGES
        and any(
            path != symbol.path and broken_uses.import_resolves_to_file(path, module, symbol.path)
            for path, modules in symbols.files_importing_name(
                app.store, app.worktree, symbol.name
            ).items()
            for module in modules
        )
    )
    for symbol in itertools.islice(users, each):
        text = (Path(app.worktree) / symbol.path).read_text("utf-8", "replace")
        word = re.compile(rf"(?<![\w$]){re.escape(symbol.name)}(?![\w$])")
        yield "renamed", {symbol.path: word.sub(f"{symbol.name}_renamed", text)}


# --- memories ------------------------------------------------------------------------------------


def memories(clones: Sequence[Path], merges: int) -> int:
    """Whether every memory whose lines a merge changes is named, and no other."""
    rows = []
    with stores.home(None) as place:
        for clone in clones:
            counted = Counter[str]()
            for named, expected, planted in _merged(clone, place / "named" / clone.name, merges):
                counted["merges"] += 1
                counted["planted"] += planted
                counted["concerned"] += len(expected)
                counted["missed"] += len(expected - named)
                counted["wrong"] += len(named - expected)
            heads = ("merges", "planted", "concerned", "missed", "wrong")
            rows.append((clone.name, *(counted[head] for head in heads)))
    print(measure.machine())
    print(measure.table(("repository", *heads), rows))
    return 0


def _merged(clone: Path, folder: Path, most: int) -> Iterator[tuple[set[str], set[str], int]]:
    folder.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "clone", "-q", "--shared", str(clone), str(folder)], check=True)
    settings = stores.settings(folder.parent)
    log = git(folder, "log", "--merges", "--format=%H", "-n", str(most)).split()
    chance = random.Random(43)
    for sha in log[::-1]:
        changed = _changed_lines(folder, f"{sha}^1", sha)
        git(folder, "checkout", "-q", "--force", "--detach", f"{sha}^1")
        app = stores.app_in(folder, settings)
        try:
            stores.set_up(app)
            planted = dict(_planted(app, folder, [*changed], chance))
            diff = reviewed_diff.read_git_diff(app, f"{sha}^1..{sha}")
            found = cited_lines.find_cited_memories(app, diff)
        finally:
            app.close()
        named = {memory.id for memory in found if memory.id in planted}
        expected = {id for id, cited in planted.items() if _concerned(cited, changed)}
        yield named, expected, len(planted)


_Cited = tuple[str, int, int]  # path, lines; 0: the whole file


def _planted(
    app: App, folder: Path, changed: list[str], chance: random.Random
) -> Iterator[tuple[str, _Cited]]:
    tracked = git(folder, "ls-files").split("\n")
    known = [path for path in changed if path in set(tracked)]
    others = chance.sample([path for path in tracked if path], 3)
    places = [chance.choice(known) for _ in range(9)] if known else []
    for number, path in enumerate([*places, *others]):
        file = folder / path
        if file.is_symlink() or not file.is_file() or b"\0" in (data := file.read_bytes()):
            continue
        count = data.count(b"\n")
        whole = count < 3 or number % 6 == 5 or data.startswith(b"\xff\xfe")
        first = 0 if whole else chance.randint(1, count)
        last = 0 if whole else min(count, first + chance.randint(0, 12))
        cited = path if whole else f"{path}:{first}-{last}"
        lines = data.split(b"\n")[first - 1 : last] if first else [data]
        if not b"".join(lines).strip():
            continue  # white space alone is no anchor
        text = f"Memory {number} of {path} says {chance.random()}"
        made = remember.remember(app, remember.RememberRequest(text=text, path=(cited,)))
        yield made.id, (path, first, last)


# Old path -> the lines replaced, of an insertion (True) the two around it; None: the whole file.
_Changed = dict[str, list[tuple[int, int, bool]] | None]


def _changed_lines(folder: Path, old: str, new: str) -> _Changed:
    patch = git(folder, "diff", "-U0", "-M", "--diff-algorithm=myers", "--no-color", old, new)
    changed: _Changed = {}
    path = ""
    for line in patch.split("\n"):
        if head := re.match(r"diff --git a/(.*) b/(.*)$", line):
            path = head[1]
            changed[path] = []
        elif line.startswith(("deleted file", "Binary files", "rename from")):
            changed[path] = None
        elif hunk := re.match(r"@@ -(\d+)(?:,(\d+))? \+", line):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            spans = changed[path]
            if spans is not None:
                last = first + count - 1 if count else first + 1
                spans.append((first, last, not count))
    return changed


def _concerned(cited: _Cited, changed: _Changed) -> bool:
    path, first, last = cited
    if path not in changed:
        return False
    spans = changed[path]
    if spans is None or not first:
        return True
    return any(
        (first <= begin and end <= last) if inserted else (begin <= last and first <= end)
        for begin, end, inserted in spans
    )


# --- time ----------------------------------------------------------------------------------------


def speed(clones: Sequence[Path], lines: int) -> int:
    """CPU of `gitmem review` for a diff of 500 and of 50,000 lines."""
    rows = []
    with stores.home(None) as place:
        folder = place / "large"
        total = _assembled(clones, folder, lines)
        env = measure.child_environment(stores.environment(place))
        for words in (("init",), ("index",)):
            measure.run([*measure.gitmem(None), *words], cwd=folder, env=env)
        for size in (500, 50_000):
            git(folder, "checkout", "-q", "--force", ".")
            changed = _edited(folder, size)
            command = [*measure.gitmem(None), "review"]
            taken = sorted(measure.run(command, cwd=folder, env=env)[0] for _ in range(3))
            done = subprocess.run([*command, "--json"], cwd=folder, env=env, capture_output=True)
            answer = json.loads(done.stdout)
            rows.append(
                (f"{changed} lines", taken[1] / 1000, answer["files"], *answer["notes"][:3])
            )
    print(measure.machine())
    print(f"{total} lines")
    for row in rows:
        print(*row, sep="; ")
    return 0


def _assembled(clones: Sequence[Path], folder: Path, lines: int) -> int:
    folder.mkdir(parents=True)
    stores.empty_repository(folder)
    total = 0
    for clone in clones:
        for path in git(clone, "ls-files").split("\n"):
            source = clone / path
            if total >= lines or not culprits.has_source_file([path]) or not source.is_file():
                continue
            target = folder / clone.name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            data = source.read_bytes()
            target.write_bytes(data)
            total += data.count(b"\n")
    git(folder, "add", "-A")
    git(folder, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "All")
    return total


def _edited(folder: Path, most: int) -> int:
    """Change lines, of few all and of others every ninth; the number of changed lines."""
    changed = 0
    for path in git(folder, "ls-files").split("\n"):
        file = folder / path
        if changed >= most or not path or not file.is_file():
            continue
        lines_now = file.read_text("utf-8", "replace").split("\n")
        for number in range(0, len(lines_now), 1 if most > 10_000 else 9):
            if lines_now[number].strip() and changed < most:
                lines_now[number] += "  "
                changed += 1
        file.write_text("\n".join(lines_now))
    return changed


def main(words: list[str] | None = None) -> int:
    """Run it; the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("faults", "report", "planted", "memories", "speed"))
    parser.add_argument("--clones", required=True, nargs="+")
    parser.add_argument("--only", default="")
    parser.add_argument("--each", type=int, default=10)
    parser.add_argument("--clean", type=int, default=0)
    parser.add_argument("--merges", type=int, default=50)
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--out", default="")
    parser.add_argument("--decisions", action="store_true")
    given = parser.parse_args(words)
    if given.what == "report":
        files = map(Path, given.clones)
        return report([record for file in files for record in json.loads(file.read_text())])
    clones = [
        clone
        for clone in why_broke.clones_in(given.clones)
        if not given.only or clone.name in given.only.split(",")
    ]
    if given.what == "faults":
        decisions = _decisions() if given.decisions else ()
        return faults(clones, given.each, given.clean or given.each, given.out, decisions)
    if given.what == "planted":
        return planted(clones, given.each)
    if given.what == "memories":
        return memories(clones, given.merges)
    return speed(clones, given.lines)


if __name__ == "__main__":
    sys.exit(main())
