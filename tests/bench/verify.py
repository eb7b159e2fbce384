"""Measuring `gitmem review`'s verification on real repositories.

``python -m tests.bench.verify imports REPOSITORY...``: every import at HEAD is right, so that each
finding is a false alarm; then imports are misspelt, or lose their file, and what is found of those
is counted. ``... security REPOSITORY...``: findings of each rule in repositories that are taken to
be clean, with ``--show`` each of them. ``... history REPOSITORY...``: how many of the last commits
have a finding.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from gitmem import languages
from gitmem.app import App
from gitmem.clock import SystemClock
from gitmem.errors import GitmemError
from gitmem.git import layout as git_layout
from gitmem.git import listing
from gitmem.git.diff import PathChange
from gitmem.git.lines.patch import Hunk
from gitmem.git.runner import run_git
from gitmem.indexing.syntax import extract
from gitmem.model.review_finding import ReviewFinding
from gitmem.review import reviewed_diff, verify, verify_imports, verify_security
from gitmem.review.reviewed_diff import ReviewedFile
from gitmem.review.time_limit import TimeLimit
from gitmem.review.verify_tree import TreeAfterDiff
from gitmem.settings import Settings

BAR = 0.98
LARGEST = 400 << 10


def whole(path: str, data: bytes) -> ReviewedFile:
    """A file all of whose lines are new."""
    return ReviewedFile(PathChange("A", "", path), (Hunk((1, 0), (1, 1 << 30)),), None, data)


def read(folder: str) -> tuple[TreeAfterDiff, list[ReviewedFile]]:
    """The tree of a repository's HEAD, and its files in languages that are verified."""
    layout = git_layout.find_repository(folder)
    stored = listing.file_modes_and_blob_ids(layout, "HEAD")
    tree = TreeAfterDiff(layout, stored, {}, "HEAD")
    paths = [path for path in stored if languages.language(path) in verify.LANGUAGES]
    tree.load_texts(paths)
    files = [
        whole(path, text.encode())
        for path in sorted(paths)
        if (text := tree.file_text(path))
        and len(text) < LARGEST
        and not verify_imports.SAMPLES.search(path)
    ]
    return tree, files


def imports(folders: Sequence[str], seed: int, most: int, show: bool) -> int:
    """Print, for each language, false alarms at HEAD and what is found of broken imports."""
    clean, false, broken, hit = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    kinds: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for folder in folders:
        tree, files = read(folder)
        for file in files:
            clean[file.language] += len(lines_of_imports(file))
        for finding in verify_imports.find_broken_imports(tree, files, verify.LANGUAGES):
            language = languages.language(finding.path)
            false[language] += 1
            if show:
                print(f"  {folder}/{finding.path}:{finding.line} {finding.rule} {finding.message}")
        for kind, file, line, other in mutants(tree, files, random.Random(seed), most):
            found = [
                each
                for each in verify_imports.find_broken_imports(other, [file], verify.LANGUAGES)
                if 0 <= each.line - line < 40
            ]
            broken[file.language] += 1
            hit[file.language] += bool(found)
            kinds[file.language][f"{kind} {'found' if found else 'missed'}"] += 1
            if show and not found:
                print(
                    f"  missed {kind} {file.path}:{line} {file.new_lines[line - 1].strip()[:100]}"
                )
    status = 0
    print("language    imports  false  broken  found  precision")
    for language in sorted(clean):
        share = hit[language] / max(broken[language], 1)
        wrong = false[language] / max(clean[language], 1)
        precision = share / (share + wrong) if share + wrong else 0.0
        status |= precision < BAR
        print(f"{language:<11} {clean[language]:>7}  {false[language]:>5}  {broken[language]:>6}"
              f"  {share:>5.0%}  {precision:.1%}   {dict(kinds[language])}")  # fmt: skip
    return int(status)


def lines_of_imports(file: ReviewedFile) -> dict[int, str]:
    """The lines of a file that begin an import, each with its module."""
    parsed = extract.parse_source_file(file.language, file.path, file.new or b"")
    uses = parsed.uses if parsed else ()
    return {use[0]: use[2] for use in uses if use[1] in verify_imports.IMPORTS}


Mutant = tuple[str, ReviewedFile, int, TreeAfterDiff]


def mutants(
    tree: TreeAfterDiff, files: Sequence[ReviewedFile], chance: random.Random, most: int
) -> Iterator[Mutant]:
    """Files with a misspelt import, and trees without an imported file."""
    by_language: defaultdict[str, list[ReviewedFile]] = defaultdict(list)
    for file in files:
        by_language[file.language].append(file)
    for group in by_language.values():
        chance.shuffle(group)
        for file in group[:most]:
            modules = lines_of_imports(file)
            if not modules:
                continue
            line, module = chance.choice(sorted(modules.items()))
            text = file.new_lines[line - 1]
            wrong = misspelt(module, chance)
            at = (
                text.rfind(module)
                if file.language in ("javascript", "typescript")
                else text.find(module)
            )
            if module and wrong != module and at >= 0:
                lines = [*file.new_lines]
                lines[line - 1] = text[:at] + wrong + text[at + len(module) :]
                yield "misspelt", whole(file.path, "\n".join(lines).encode()), line, tree
            yield from _without(tree, file, line, module)


def _without(tree: TreeAfterDiff, file: ReviewedFile, line: int, module: str) -> Iterator[Mutant]:
    from gitmem.languages import registry

    targets = registry.resolve_import(tree, file.language, file.path, module, "")
    path = targets[0].path if targets else ""
    if path and not path.endswith("/") and path != file.path:
        yield "removed", file, line, tree.with_file_removed(path)


def misspelt(module: str, chance: random.Random) -> str:
    """A module with one letter of its last long part doubled, left out or exchanged."""
    places = [
        at
        for at in range(1, len(module) - 1)
        if module[at].isalpha() and module[at - 1].isalpha() and module[at + 1].isalpha()
    ]
    if not places:
        return module
    at = chance.choice(places)
    ways = (module[:at] + module[at + 1 :], module[:at] + module[at] + module[at:],
            module[:at] + module[at + 1] + module[at] + module[at + 2 :])  # fmt: skip
    return chance.choice(ways)


def security(folders: Sequence[str], show: bool) -> int:
    """Print the findings of each rule on whole repositories."""
    counts: Counter[tuple[str, str]] = Counter()
    lines = 0
    for folder in folders:
        tree, files = read(folder)
        lines += sum(len(file.new_lines) for file in files)
        for finding in verify.find_code_problems(files):
            counts[finding.rule, finding.level] += 1
            if show:
                _show(folder, finding, tree)
    print(f"{lines:,} lines of {len(folders)} repositories")
    names = {shape.rule for shape in verify_security.SHAPES} | {*verify_security.FLOWS}
    fired = {rule for rule, _ in counts}
    counts.update(
        {(f"security/{name}", ""): 0 for name in names if f"security/{name}" not in fired}
    )
    for (rule, level), count in sorted(counts.items()):
        print(f"{rule:<36} {level:<8} {count:>5}")
    return 0


def history(folders: Sequence[str], commits: int, show: bool) -> int:
    """Print how many of the last commits have a finding, by verification alone."""
    total = reported = 0
    kinds: Counter[tuple[str, str]] = Counter()
    for folder in folders:
        app = App(Settings({**os.environ, "GITMEM_REVIEW_TOOLS": "none"}), SystemClock(), folder)
        ids = run_git(["rev-list", "--no-merges", f"-{commits}", "HEAD"], cwd=folder)
        for commit in ids.decode().split():
            try:
                diff = reviewed_diff.read_git_diff(app, f"{commit}^..{commit}")
            except GitmemError:  # a clone may lack large files
                continue
            findings, _ = verify.verify_changed_lines(app, diff, TimeLimit(60.0))
            bad = [each for each in findings if each.level != "note"]
            total += 1
            reported += bool(bad)
            kinds.update((each.rule, each.level) for each in findings)
            for each in bad if show else ():
                place = f"{folder} {commit[:8]} {each.path}:{each.line}"
                print(f"  {place} {each.rule} {each.level}: {each.message}")
        app.close()
    print(f"{reported} of {total} commits have a finding")
    for (rule, level), count in sorted(kinds.items()):
        print(f"{rule:<36} {level:<8} {count:>5}")
    return 0


def _show(folder: str, finding: ReviewFinding, tree: TreeAfterDiff) -> None:
    line = tree.file_text(finding.path).split("\n")[finding.line - 1].strip()[:150]
    print(f"  {folder}/{finding.path}:{finding.line} {finding.rule} {finding.level}: {line}")


def main(arguments: Sequence[str]) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="tests.bench.verify")
    parser.add_argument("what", choices=("imports", "security", "history"))
    parser.add_argument("repository", nargs="+")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--most", type=int, default=150, help="files to break, or commits")
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args(arguments)
    if given.what == "imports":
        return imports(given.repository, given.seed, given.most, given.show)
    if given.what == "history":
        return history(given.repository, given.most, given.show)
    return security(given.repository, given.show)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
