"""Pairs of everyday English from WordNet's files (its licence is permissive): word -> meaning."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.bench.training.pairs import Pair

_EXAMPLE = re.compile(r'"([^"]{15,})"')
_EXAMPLES = re.compile(r'[;,]?\s*"[^"]*".*$')
_MARK = re.compile(r"\(.*\)")


def from_wordnet(folder: Path) -> Iterator[tuple[str, Pair]]:
    """(kind, pair) of the folder's data files: synonyms -> meaning, an example -> both."""
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{part}").read_text("latin-1").splitlines():
            if not line.startswith("  "):
                yield from _entry(line)


def _entry(line: str) -> Iterator[tuple[str, Pair]]:
    head, _, gloss = line.partition(" | ")
    fields = head.split()
    count = int(fields[3], 16)
    synonyms = [_MARK.sub("", word).replace("_", " ") for word in fields[4 : 4 + 2 * count : 2]]
    if fields[2] == "n" and synonyms[0][:1].isupper():
        return  # people and places
    meaning = _EXAMPLES.sub("", gloss).strip()
    if len(meaning.split()) > 2:
        yield "name", (" ".join(synonyms), meaning)
    if example := _EXAMPLE.search(gloss):
        yield "sentence", (example[1], f"{', '.join(synonyms)}: {meaning}")
