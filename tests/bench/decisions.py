"""Decisions in commit messages: how many of those found are some, and how many of all are found.

    python -m tests.bench.decisions --clones DIR [--clones DIR ...] [--part PART] [--show]
        [--rate]

Each DIR holds clones by the names in ``decisions.json``: commit ids of five repositories (of each
the 20 whose ids sort first, and the next 20 that say something in the body; merges and bots left
out), labelled by reading the messages before any rule was written. A commit states a decision where
it makes a lasting choice that somebody may later ask about: replaces, drops or adopts a tool, an
interface or an approach, or sets a rule, not where it mends, adds or documents. On these 200 the
rules were made (part ``tuned``). Three more repositories (``second``, 102 commits chosen alike)
were labelled before the rules were tried on them, which failed there and were made anew; three
others (``held``, 102 commits) were labelled after that, and nothing was tuned on them. ``--rate``
counts what is found in the whole history for each 20 commits.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from gitmem.git import history
from gitmem.memory import decision_finder

SECOND, HELD = ("gin", "cobra", "guzzle"), ("flask", "rack", "express")
LABELS = Path(__file__).with_name("decisions.json")


def main(words: list[str] | None = None) -> int:
    """Run it; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clones", type=Path, action="append", required=True)
    parser.add_argument("--part", choices=("tuned", "second", "held"), default="tuned")
    parser.add_argument("--show", action="store_true", help="name what is missed and what is wrong")
    parser.add_argument("--rate", action="store_true")
    options = parser.parse_args(words)
    right = wrong = missed = 0
    for name, labels in json.loads(LABELS.read_text(encoding="utf-8")).items():
        part = "held" if name in HELD else "second" if name in SECOND else "tuned"
        if part != options.part:
            continue
        clone = next((clone / name for clone in options.clones if (clone / name).is_dir()), None)
        if clone is None:
            print(f"{name}: no clone", file=sys.stderr)
            return 1
        for sha, expected, found, subject in _judged(str(clone), labels):
            right += expected and found
            wrong += found and not expected
            missed += expected and not found
            if options.show and expected != found:
                print(f"{'missed' if expected else 'wrong '} {name} {sha[:8]} {subject}")
        if options.rate:
            _rate(name, str(clone))
    found_all, wanted_all = right + wrong, right + missed
    print(
        f"{wanted_all} state a decision, {found_all} found: precision "
        f"{right / max(found_all, 1):.2f}, recall {right / max(wanted_all, 1):.2f}"
    )
    return 0


def _judged(clone: str, labels: dict[str, list[str]]) -> Iterator[tuple[str, bool, bool, str]]:
    expected = {sha: label == "decision" for label, shas in labels.items() for sha in shas}
    for commit in history.list_commits(clone):
        if commit.sha in expected:
            found = (
                decision_finder.find_decision_in_message(commit.subject, commit.body) is not None
            )
            yield commit.sha, expected[commit.sha], found, commit.subject


def _rate(name: str, clone: str) -> None:
    commits = list(history.list_commits(clone, merges=False))
    found = sum(
        decision_finder.find_decision_in_message(commit.subject, commit.body) is not None
        for commit in commits
    )
    print(f"{name}: {20 * found / len(commits):.2f} found for each 20 of {len(commits)} commits")


if __name__ == "__main__":
    sys.exit(main())
