"""Which pairs of memories are merged or suggested: pairs of texts made from real repositories.

    python -m tests.bench.duplicates --repository PATH [--repository PATH ...] [--half tuning]

Labelled by where they come from, nothing by hand: the line that a commit adds to a changelog and
the commit's own subject say the same (``changelog``) where it changes more than that log (else the
pair is a ``log`` and counts for nothing), and so do the title of a pull request and the subject of
its only commit (``pull``); a subject in which one number, identifier, path or "not" was changed
(``changed``), and two real subjects that differ in one word that names something (``siblings``),
must never be merged; neighbours in the history (``others``) are not to be suggested. Each pair
falls into one half by a hash of its texts; thresholds are chosen on ``tuning``, and the bars hold
on ``held-out``. Only ids and labels are printed (``--pairs``).
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
from collections.abc import Iterator
from itertools import pairwise

from gitmem.capture import near_duplicates
from gitmem.embedding.base import cosine
from gitmem.memory import dedupe
from gitmem.memory.dedupe import DuplicateThresholds
from gitmem.model.memory import Memory
from tests.bench import measure
from tests.support.stores import said

SAME = ("changelog", "pull")
VETOED = ("changed", "siblings")
BAR_MERGED, BAR_FOUND, BAR_WRONG = 0.01, 0.90, 0.05
_LIST = re.compile(r"^[-*+]\s+|^#+\s*|\(?#\d+\)?|`|:\w+:|\[[^\]]*\]\([^)]*\)")
_NUMBER = re.compile(r"\d+")
_NAME = re.compile(r"\b\w*(?:[a-z][A-Z]|_)\w*\b")
_PATH = re.compile(r"\b[\w.-]+/[\w./-]+\b")
_LOGS = ("CHANGES*", "CHANGELOG*", "NEWS*", "HISTORY*", "docs/changelog*")
_LOG = re.compile(r"(?i)^(?:changes|changelog|news|history|docs/changelog)[^/]*$")
SHORTEST = 4
MOST = 400


def main() -> int:
    """Run it; the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repository", action="append", required=True)
    parser.add_argument("--half", choices=("tuning", "held-out"), default="held-out")
    parser.add_argument("--pairs", action="store_true", help="print ids and labels")
    parser.add_argument("--merge-from", type=float, default=dedupe.FULLER)
    parser.add_argument("--suggest-from", type=float, default=dedupe.ALIKE)
    given = parser.parse_args()
    found = [pair for path in given.repository for pair in pairs(path)]
    print(f"{len(found)} pairs, of which {given.half}: ", end="")
    chosen = [pair for pair in found if half(*pair[1:]) == given.half]
    print(len(chosen))
    if given.pairs:
        for label, item, other in chosen:
            print(_id(item, other), label)
    cosines = DuplicateThresholds(dedupe.SAME, given.merge_from, given.suggest_from)
    return _report(chosen, cosines)


def pairs(path: str) -> Iterator[tuple[str, str, str]]:
    """(label, text, text) from one repository, at most ``MOST`` of a label."""
    for source in (_changelog, _pulls, _changed, _siblings, _others):
        observed: set[frozenset[str]] = set()
        for label, item, other in source(path):
            both = frozenset((item, other))
            enough = min(len(item.split()), len(other.split())) >= SHORTEST
            if item != other and enough and both not in observed and len(observed) < MOST:
                observed.add(both)
                yield label, item, other


def outcome(first: str, other: str, cosines: DuplicateThresholds) -> str:
    """``merged``, ``suggested``, ``contradiction`` or ``apart``, as two notes of agents."""
    new, old = _memory(other, 2), _memory(first, 1)
    shared = dedupe.shared_word_fraction(first, other) >= near_duplicates.WORDS
    likeness = cosine(*map(near_duplicates.cached_text_vector, (first, other)))
    near = near_duplicates.classify_memory_pair(new, old, likeness, cosines) if shared else None
    if near is None or (near.apart and not near.against):
        return "apart"
    if near.against:
        return "contradiction"
    return "merged" if near.verdict in (dedupe.SKIP, dedupe.MERGE) else "suggested"


def _memory(text: str, seed: int) -> Memory:
    return said(text, seed=seed, agent="codex")


def _report(found: list[tuple[str, str, str]], cosines: DuplicateThresholds) -> int:
    rows, counts = [], dict[str, dict[str, int]]()
    for label, item, other in found:
        answer = counts.setdefault(label, {})
        result = outcome(item, other, cosines)
        answer[result] = answer.get(result, 0) + 1
    for label, answer in counts.items():
        total = sum(answer.values())
        names = ("merged", "suggested", "contradiction", "apart")
        rows.append((label, total, *(answer.get(name, 0) for name in names)))
    print(measure.table(("label", "pairs", "merged", "suggested", "contradiction", "apart"), rows))
    vetoed = [row for row in rows if row[0] in VETOED]
    same = [row for row in rows if row[0] in SAME]
    others = [row for row in rows if row[0] == "others"]
    wrong = _share(vetoed, 2)
    hit = 1 - _share(same, 5)
    noise = 1 - _share(others, 5)
    print(f"vetoed pairs merged: {wrong:.2%} (bar {BAR_MERGED:.0%})")
    print(f"the same merged or suggested: {hit:.1%} (bar {BAR_FOUND:.0%})")
    print(f"others merged or suggested: {noise:.2%} (bar {BAR_WRONG:.0%})")
    over = wrong >= BAR_MERGED or hit < BAR_FOUND or noise > BAR_WRONG
    return 1 if over else 0


def _share(rows: list[tuple[str | int, ...]], column: int) -> float:
    total = sum(int(row[1]) for row in rows)
    return sum(int(row[column]) for row in rows) / total if total else 0.0


def _changelog(path: str) -> Iterator[tuple[str, str, str]]:
    """The one line that a commit adds to a changelog, and its subject."""
    words = ("log", "--all", "--no-merges", "-4000", "--no-renames")
    files = _git(path, *words, "--name-only", "--full-diff", "--format=\x01%H", "--", *_LOGS)
    output = (item.split() for item in files.split("\x01")[1:])
    only = {sha: all(map(_LOG.search, names)) for sha, *names in output}
    log = _git(path, *words, "-U0", "-p", "--format=\x01%H%n%s", "--", *_LOGS)
    for commit in log.split("\x01")[1:]:
        sha, subject, diff = commit.split("\n", 2)
        added = [line[1:].strip() for line in diff.splitlines() if re.match(r"\+[^+]", line)]
        entries = [line for line in added if len(line.split()) >= SHORTEST]
        if len(entries) == 1 and not re.match(r"(?i)bump|release|version|merge|prepare", subject):
            yield "log" if only[sha] else "changelog", _plain(entries[0]), _plain(subject)


def _pulls(path: str) -> Iterator[tuple[str, str, str]]:
    """The title of a merged pull request, and the subject of its only commit."""
    log = _git(path, "log", "--merges", "--format=%P\x02%b\x01", "-3000")
    for merge in log.split("\x01"):
        parents, _, body = merge.strip().partition("\x02")
        title = body.strip().split("\n")[0]
        if len(parents.split()) != 2 or len(title.split()) < SHORTEST:
            continue
        first, second = parents.split()
        subjects = _git(path, "log", "--format=%s", "-2", f"{first}..{second}").splitlines()
        if len(subjects) == 1 and _plain(subjects[0]).lower() != _plain(title).lower():
            yield "pull", _plain(title), _plain(subjects[0])


def _changed(path: str) -> Iterator[tuple[str, str, str]]:
    """A subject, and the same with one number, name, path or "not" changed."""
    for subject in subjects(path):
        for pattern, change in (
            (_NUMBER, lambda word: str(int(word[:12]) + 1)),
            (_NAME, lambda word: f"{word}2" if word.isupper() else f"{word}_old"),
            (_PATH, lambda word: f"{word}.bak"),
            (re.compile(r"\b(?:is|are|does|should|must|can)\b"), lambda word: f"{word} not"),
        ):
            if hit := pattern.search(subject):
                other = subject[: hit.start()] + change(hit[0]) + subject[hit.end() :]
                yield "changed", subject, other
                break


def _siblings(path: str) -> Iterator[tuple[str, str, str]]:
    """Two subjects of the history that differ in one word, which is a number or a name."""
    known: dict[tuple[str, ...], str] = {}
    for subject in subjects(path):
        words = subject.split()
        for at, word in enumerate(words):
            if not (_NUMBER.search(word) or _NAME.search(word) or _PATH.search(word)):
                continue
            frame = (*words[:at], "", *words[at + 1 :])
            if frame in known and known[frame] != subject:
                yield "siblings", known[frame], subject
            known[frame] = subject


def _others(path: str) -> Iterator[tuple[str, str, str]]:
    """Commits that follow each other: about the same code, and not the same."""
    for item, other in pairwise(subjects(path)):
        if dedupe.read_content_words(item).words != dedupe.read_content_words(other).words:
            yield "others", item, other


def subjects(path: str) -> list[str]:
    return [
        _plain(splitline)
        for splitline in _git(path, "log", "--no-merges", "--format=%s").splitlines()
    ]


def _plain(text: str) -> str:
    return " ".join(_LIST.sub(" ", text).split())


def _git(path: str, *words: str) -> str:
    command = ["git", "-C", path, *words]
    return subprocess.run(command, check=True, capture_output=True).stdout.decode(errors="replace")


def _id(first: str, other: str) -> str:
    return hashlib.sha256(f"{first}\x1f{other}".encode()).hexdigest()[:16]


def half(first: str, other: str) -> str:
    return "tuning" if int(_id(*sorted((first, other))), 16) % 2 else "held-out"


if __name__ == "__main__":
    raise SystemExit(main())
