"""`gitmem why-broke`: whether the commit that brought a fault is among the first five suspects.

    python -m tests.bench.why_broke --clones DIR [DIR ...] [--each 12] [--only NAME] [--held]
        [--cases FILE] [--traces PYTHON]

DIR holds clones. A case is a commit whose subject says that it fixes something. Its culprit is
computed (SZZ) by git alone, apart from what is measured: of the source lines that the fix takes
away, who wrote most (``git blame -w``), where that one is among the 200 commits before the fix.
Asked is what was known before the fix: its subject (without issue numbers) and the names of the
tests that it adds or changes, which would have failed; never its diff. Each case is asked in the
work tree of the fix's parent, indexed there, with no later commit in the index, and git has the
time it needs, so that a busy machine does not count. Reported are culprits in the first five and
first, against the newest first, the files whose paths hold the words, and the commits whose
messages do. With ``--traces`` the tests that the fix adds are run at its parent, by a Python that
has what they need, and asked is the trace of those that fail there and pass with the fix; fixes
without such tests are left out. The repositories of every second name are ``--held`` out: the
weights were set on the others.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gitmem.git.lines import line_history
from gitmem.history import culprits
from gitmem.text import identifiers
from gitmem.timeline import culprit_score
from gitmem.timeline.culprit_score import SuspectCommitEvidence
from tests.bench import measure, stores
from tests.support.repos import isolated_environment

WINDOW, TOP = 200, 5
_FIX = re.compile(r"(?i)\b(?:fix(?:e[sd])?|bug|regression|broken|crash|panic|incorrect|wrong)\b")
_NO_FIX = re.compile(
    r"(?i)\b(?:typo|doc|docs|readme|lint|ci|changelog|comment|test|tests|build|bump)\b"
)
_TEST = re.compile(
    r"\b(?:def|func|function|fn) \(?(test\w+|Test\w+)|\b(?:test|it)\(['\"]([^'\"]{4,120})['\"]"
    r"|function (test\w+)\("
)


@dataclass(frozen=True)
class Case:
    """A fix, its parent, its culprit, and what is asked."""

    fix: str
    parent: str
    culprit: str
    text: str


@dataclass(frozen=True)
class Outcome:
    """The place of the culprit, from 1 (0: not among them), by each way of ranking."""

    places: Mapping[str, int]
    evidence: Sequence[SuspectCommitEvidence]
    culprit: str
    seconds: float


def git(place: Path, *words: str) -> str:
    """The output of one git command."""
    done = subprocess.run(
        ["git", "-C", str(place), *words], capture_output=True, check=True, timeout=300
    )
    return done.stdout.decode("utf-8", "replace")


def cases(place: Path, most: int) -> list[Case]:
    """Fixes with a known culprit, the newest, in the order in which they were made."""
    found: list[Case] = []
    for row in git(
        place, "log", "--no-merges", "--format=%H%x09%P%x09%s", "-n", "3000"
    ).splitlines():
        sha, parents, subject = row.split("\t", 2)
        if " " in parents or not parents or not _FIX.search(subject) or _NO_FIX.search(subject):
            continue
        culprit = _culprit(place, sha, parents)
        if culprit:
            found.append(Case(sha, parents, culprit, _text(place, sha, subject)))
        if len(found) >= most:
            break
    return found[::-1]


def _culprit(place: Path, fix: str, parent: str) -> str:
    """Who wrote most of the source lines that the fix takes away, if that was lately."""
    recent = set(git(place, "rev-list", "--no-merges", "-n", str(WINDOW), parent).split())
    amounts: Counter[str] = Counter()
    for path, spans in _removed(place, fix).items():
        if len(spans) > 30 or not culprits.has_source_file([path]):
            continue
        ends = [word for first, last in spans for word in ("-L", f"{first},{last}")]
        output = git(place, "blame", "-w", "-l", "-s", *ends, parent, "--", path)
        amounts.update(line.split(" ", 1)[0].lstrip("^") for line in output.splitlines())
    best = amounts.most_common(1)
    return best[0][0] if best and best[0][0] in recent else ""


def _removed(place: Path, fix: str) -> dict[str, list[tuple[int, int]]]:
    patch = git(place, "show", "-U0", "-w", "--format=", "--no-renames", fix)
    spans: dict[str, list[tuple[int, int]]] = {}
    path = ""
    for line in patch.splitlines():
        if line.startswith("--- "):
            path = line[6:] if line.startswith("--- a/") else ""
        elif path and (output := re.match(r"@@ -(\d+)(?:,(\d+))? ", line)):
            count = int(output[2] or 1)
            if count:
                spans.setdefault(path, []).append((int(output[1]), int(output[1]) + count - 1))
    return spans


def _text(place: Path, fix: str, subject: str) -> str:
    """The subject without issues, and the names of tests that the fix adds or changes."""
    message = re.sub(r"\(?#\d+\)?", "", subject).strip()
    patch = git(place, "show", "-U0", "--format=", "--no-renames", fix)
    names: dict[str, None] = {}
    for line in patch.splitlines():
        if line.startswith(("+", "@@")):
            for item in _TEST.finditer(line.rpartition("@@")[2]):
                names[item[1] or item[2] or item[3]] = None
    return "\n".join([message, *(f"FAILED {name}" for name in list(names)[:5])])


def traced(clone: Path, folder: Path, given: Sequence[Case], python: str) -> list[Case]:
    """Those whose fix brings tests that fail before it and pass with it, with the traces."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "clone", "-q", "--shared", str(clone), str(folder)], check=True)
    found = []
    for case in given:
        names = git(folder, "diff", "--name-only", "--diff-filter=AM", case.parent, case.fix)
        tests = [item for item in names.split() if re.search(r"(?:^|/)test\w*\.py$", item)]
        if not tests:
            continue
        git(folder, "checkout", "-q", "--force", "--detach", case.fix)
        passing = set(re.findall(r"(?m)^PASSED (.+)$", _pytest(folder, python, "-rp", *tests)))
        git(folder, "checkout", "-q", "--force", "--detach", case.parent)
        git(folder, "checkout", "-q", case.fix, "--", *tests)
        message = _pytest(folder, python, "-rf", "--tb=no", *tests)
        failing = re.findall(r"(?m)^FAILED (.+?)(?: - .*)?$", message)
        broken = dict.fromkeys(item.partition("[")[0] for item in failing if item in passing)
        output = _pytest(folder, python, "--tb=native", *list(broken)[:3]) if broken else ""
        if "Traceback" in output:
            found.append(dataclasses.replace(case, text=output))
    return found


def _pytest(folder: Path, python: str, *words: str) -> str:
    """What the tests say; nothing where they take too long."""
    env = isolated_environment(folder.parent / "home") | {
        "PYTHONPATH": os.pathsep.join(str(folder / item) for item in ("src", ".")),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [python, "-m", "pytest", "-q", "--timeout=20", "-p", "no:cacheprovider", *words]
    try:
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, timeout=180)
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout.decode("utf-8", "replace")


def outcomes(clone: Path, folder: Path, given: Sequence[Case]) -> Iterator[Outcome]:
    """Each case asked where it was, in a copy that is moved forward through its history."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "clone", "-q", "--shared", str(clone), str(folder)], check=True)
    settings = stores.settings(folder.parent)
    for case in given:
        git(folder, "checkout", "-q", "--force", "--detach", case.parent)
        app = stores.app_in(folder, settings)
        stores.set_up(app)
        stores.refreshed(app)
        try:
            begin = time.process_time()
            found = culprits.gather_culprit_evidence(app, case.text, WINDOW)
            seconds = time.process_time() - begin
        finally:
            app.close()
        if case.culprit not in {item.sha for item in found.evidence}:
            continue
        yield Outcome(
            _places(found.evidence, found.commits, case), found.evidence, case.culprit, seconds
        )


def _places(
    evidence: Sequence[SuspectCommitEvidence], commits: Sequence, case: Case
) -> dict[str, int]:
    words = {word for word in identifiers.words_and_identifier_parts(case.text) if len(word) > 2}
    held = {
        commit.sha: len(words & set(identifiers.words_and_identifier_parts(" ".join(commit.paths))))
        for commit in commits
    }
    newest = [item.sha for item in evidence]
    alike = sorted(evidence, key=lambda item: (-item.parts["message"], item.rank))
    ranked = {
        "why-broke": [item.sha for item in culprit_score.rank_suspect_commits(evidence)],
        "newest first": newest,
        "newest source": [item.sha for item in evidence if item.source],
        "paths": sorted(newest, key=lambda sha: (-held[sha], newest.index(sha))),
        "messages": [item.sha for item in alike],
    }
    return {
        name: shas.index(case.culprit) + 1 if case.culprit in shas else 0
        for name, shas in ranked.items()
    }


def _patiently() -> None:
    """Let git take its time: what is measured is the ranking, not how busy the machine is."""
    culprits._BLAME_SECONDS = 60
    line_history.line_changes_of_newest_commits.__kwdefaults__["seconds"] = 60


def main(words: list[str] | None = None) -> int:
    """Run it; the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clones", required=True, nargs="+")
    parser.add_argument("--each", type=int, default=12)
    parser.add_argument("--only", default="")
    parser.add_argument("--held", action="store_true")
    parser.add_argument("--cases", default="")
    parser.add_argument("--traces", default="")
    given = parser.parse_args(words)
    _patiently()
    clones = clones_in(given.clones)
    chosen = [item for number, item in enumerate(clones) if number % 2 == int(given.held)]
    if given.only:
        chosen = [clone for clone in clones if clone.name in given.only.split(",")]
    every: list[Outcome] = []
    rows = []
    with stores.home(None) as place:
        for clone in chosen:
            some = cases(clone, given.each)
            if given.traces:
                some = traced(clone, place / "traces" / clone.name, some, given.traces)
            found = list(outcomes(clone, place / "why" / clone.name, some))
            every += found
            rows += [(clone.name, *_report(found))] if found else []
            print(f"{clone.name}: {len(found)}", file=sys.stderr)
    if given.cases:
        Path(given.cases).write_text(
            json.dumps(
                [
                    {
                        "culprit": item.culprit,
                        "rows": [[e.sha, e.rank, e.source, dict(e.parts)] for e in item.evidence],
                    }
                    for item in every
                ]
            )
        )
    print(measure.machine())
    names = list(every[0].places) if every else []
    if every:
        heads = ("repository", "cases", "CPU s", *names)
        print(measure.table(heads, [*rows, ("all", *_report(every))]))
    return 0


def clones_in(folders: Sequence[str]) -> list[Path]:
    """The clones in some folders, by name."""
    found = (
        item for folder in folders for item in Path(folder).iterdir() if (item / ".git").exists()
    )
    return sorted(found, key=lambda item: item.name)


def _report(found: Sequence[Outcome]) -> tuple[object, ...]:
    """How many, the median seconds, and by each way: in the first five, first."""
    if not found:
        return (0,)
    cells = []
    for name in found[0].places:
        places = [item.places[name] for item in found]
        five, first = sum(0 < place <= TOP for place in places), sum(place == 1 for place in places)
        cells.append(f"{five / len(places):.0%} ({first / len(places):.0%})")
    seconds = sorted(item.seconds for item in found)[len(found) // 2]
    return (len(found), f"{seconds:.2f}", *cells)


if __name__ == "__main__":
    sys.exit(main())
