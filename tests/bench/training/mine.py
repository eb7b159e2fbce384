"""Write the training pairs of git repositories: ``python -m tests.bench.training.mine --help``.

One file of JSON lines (kind, asked, told) for each repository. At most so many files of one are
read, chosen by chance, and at most so many pairs of a kind are kept, so that no large one rules the
table. A function that a retrieval set judges on is left out (``--judged``), whoever copied it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from tests.bench.training import pairs
from tests.bench.training.pairs import Pair
from tests.bench.training.wordnet import from_wordnet

CAPS = {"code": 16_000, "name": 12_000, "section": 3_000, "sentence": 5_000, "commit": 7_000}
CODE_FILES, PAGES, COMMITS = 900, 250, 2_500
_LOG = ["log", "--no-merges", f"-n{COMMITS}", "--name-only", "--format=%x1e%s%x1f%b%x1f"]
_BEGINNING = 90


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the options, write a file for each repository."""
    options = _parser().parse_args(arguments)
    judged = beginnings(options.judged) if options.judged else frozenset()
    options.out.mkdir(parents=True, exist_ok=True)
    for repository in options.repositories:
        saved = capped(from_repository(repository), options.seed)
        lines = [
            json.dumps([kind, *pair]) + "\n" for kind, pair in saved if not _judged(pair[1], judged)
        ]
        name = repository.parent.name if repository.name == ".git" else repository.name
        _write(options.out / f"{name}.jsonl", lines)
    if options.wordnet:
        entries = list(from_wordnet(options.wordnet))
        random.Random(options.seed).shuffle(entries)
        _write(
            options.out / "wordnet.jsonl", [json.dumps([k, *pair]) + "\n" for k, pair in entries]
        )


def _write(path: Path, lines: list[str]) -> None:
    path.write_text("".join(lines), "utf-8")
    sys.stderr.write(f"{path.stem}: {len(lines)} pairs\n")


def from_repository(repository: Path) -> Iterator[tuple[str, Pair]]:
    """(kind, pair) of the newest commit's files and of the log; blobs that are absent go."""
    for name, text in _files(repository):
        yield from pairs.from_file(name, text)
    yield from pairs.from_log(_git(repository, *_LOG).decode("utf-8", "replace"))


def capped(found: Iterable[tuple[str, Pair]], seed: int) -> Iterator[tuple[str, Pair]]:
    """At most ``CAPS`` of each kind, by chance; of pairs with one question the last is kept."""
    by_kind: dict[str, dict[str, Pair]] = defaultdict(dict)
    for kind, pair in found:
        by_kind[kind][pair[0]] = pair
    chance = random.Random(seed)
    for kind in sorted(by_kind):
        saved = list(by_kind[kind].values())
        chance.shuffle(saved)
        yield from ((kind, pair) for pair in saved[: CAPS[kind]])


def beginnings(corpus: Path) -> frozenset[str]:
    """How the documents of a retrieval set begin, with and without their docstring."""
    with gzip.open(corpus, "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines]
    bare = [body for text in texts for _, body in pairs.docstrings(text)]
    return frozenset(_beginning(text) for text in [*texts, *bare])


def _judged(output: str, judged: frozenset[str]) -> bool:
    _, _, below = output.partition("\n")
    return _beginning(output) in judged or _beginning(below) in judged


def _beginning(text: str) -> str:
    return re.sub(r"\s+", "", text)[:_BEGINNING]


def _files(repository: Path) -> Iterator[tuple[str, str]]:
    """(path, text) of files chosen by chance."""
    code: list[tuple[str, str]] = []
    pages: list[tuple[str, str]] = []
    listed = _git(repository, "ls-tree", "-r", "-z", "HEAD").decode("utf-8", "replace")
    for line in listed.split("\0"):
        about, _, name = line.partition("\t")
        path = PurePosixPath(name)
        if about.startswith("100") and pairs.readable(path):
            (pages if pairs.is_page(path) else code).append((about.split()[2], name))
    for some in (code, pages):
        random.Random(5).shuffle(some)
    chosen = code[:CODE_FILES] + pages[:PAGES]
    query = "".join(f"{blob}\n" for blob, _ in chosen)
    answer = _git(repository, "cat-file", "--batch", given=query.encode())
    at = 0
    for _, name in chosen:
        end = answer.index(b"\n", at)
        head = answer[at:end].split()
        at = end + 1
        if head[1] == b"missing":
            continue
        size = int(head[2])
        if size <= pairs.LARGEST_FILE:
            yield name, answer[at : at + size].decode("utf-8", "replace")
        at += size + 1


def _git(repository: Path, *words: str, given: bytes = b"") -> bytes:
    command = ["git", f"--git-dir={repository}", *words]
    return subprocess.run(command, input=given, capture_output=True, check=True).stdout


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.training.mine")
    parser.add_argument("repositories", type=Path, nargs="*", help="git folders (bare or .git)")
    parser.add_argument("--out", type=Path, required=True, help="the folder of pairs to write")
    parser.add_argument("--judged", type=Path, help="corpus.jsonl.gz of a set, to leave out")
    parser.add_argument("--wordnet", type=Path, help="WordNet's folder of data files, to add")
    parser.add_argument("--seed", type=int, default=7)
    return parser


if __name__ == "__main__":
    main()
