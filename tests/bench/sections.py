"""Whether the right section of a document stands for it: questions that documents ask themselves.

    python -m tests.bench.sections --clones DIR [--without owner+name,...] [--parents]

DIR holds clones as ``owner+name/repo``. Many documents have headings such as "How do I run one
test?": each is a question, and its section the answer. Of each such document the headings of all
sections are taken out, and the question is put to its sections as `search` chooses among them:
words by their rarity, the meaning by the built-in model, BM25 for ties (``search.best_piece``).
The table tells how often the right section is the first, among the first two and the first four.
At most four questions of a document, and eight of a repository; ``--parents`` lets the headings
above a section count as its own does, as it was before.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gitmem.embedding.base import cosine
from gitmem.embedding.registry import open_embedder
from gitmem.indexing import prose_chunker
from gitmem.indexing.line_chunker import Chunk
from gitmem.model.frozen import replace
from gitmem.search import best_piece, query
from gitmem.search.question import parse_question
from gitmem.text import identifiers
from gitmem.text.stem import stem
from tests.bench import measure

if TYPE_CHECKING:
    from gitmem.embedding.base import Embedder

_QUERY = re.compile(
    r"(?:how (?:do|can|should|to|would)|can (?:i|we)|is it possible|what should i|"
    r"where (?:do|can|should) i|what (?:is|are) the (?:best|right|recommended))\b",
    re.IGNORECASE,
)
_GREP = r"^(#+ +)?(how (do|can|should|to|would) |can (i|we) |is it possible|what should i|where )"
_LEFT_OUT = re.compile(
    r"template|changelog|vendor|node_modules|versioned_docs|i18n|translation|"
    r"/(?:fr|de|ja|ko|zh|es|pt|ru|it|tr|vi|uk|pl)[-/_]",
    re.IGNORECASE,
)
_UNDERLINE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}\s*$")
_FEWEST, _LARGEST, _DOCUMENTS = 5, 200_000, 60
_OF_DOCUMENT, _OF_REPOSITORY = 4, 8
Asked = tuple[str, list[Chunk]]


def main(words: list[str] | None = None) -> int:
    """Run it; the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clones", required=True)
    parser.add_argument("--without", default="")
    parser.add_argument("--parents", action="store_true")
    given = parser.parse_args(words)
    left_out = set(given.without.split(","))
    model = open_embedder("builtin")
    places: list[int] = []
    repositories = 0
    for clone in sorted(Path(given.clones).glob("*/repo")):
        if clone.parent.name in left_out:
            continue
        requested = list(_of_repository(clone))
        repositories += bool(requested)
        places += [_place(*item, model, parents=given.parents) for item in requested]
    shares = [f"{sum(place < most for place in places)}" for most in (1, 2, 4)]
    heads = ("repositories", "questions", "first", "first two", "first four")
    print(measure.table(heads, [(repositories, len(places), *shares)]))
    return 0


def _of_repository(clone: Path) -> Iterator[Asked]:
    """Questions with the sections of their document, the same ones in each run."""
    chance = random.Random(clone.parent.name)
    git = ("git", "-C", str(clone))
    globs = ("*.md", "*.rst", "*.mdx", "*.adoc")
    listed = subprocess.run(
        [*git, "grep", "-lIiE", _GREP, "HEAD", "--", *globs], capture_output=True, check=False
    )
    paths = [
        item.partition(":")[2] for item in listed.stdout.decode("utf-8", "replace").split("\n")
    ]
    documents = []
    for path in [path for path in paths if path and not _LEFT_OUT.search(path)][:_DOCUMENTS]:
        shown = subprocess.run([*git, "show", f"HEAD:{path}"], capture_output=True, check=False)
        text = shown.stdout.decode("utf-8", "replace")
        sections = list(prose_chunker.split_prose(text)) if len(text) <= _LARGEST else []
        questions = sorted(
            {_own(section) for section in sections if _QUERY.match(_own(section).strip("*_ "))}
        )
        questions = [question for question in questions if 5 <= len(question.split()) <= 25]
        if questions and len(sections) >= _FEWEST:
            documents.append((questions, sections))
    chance.shuffle(documents)
    most = _OF_REPOSITORY
    for questions, sections in documents:
        chance.shuffle(questions)
        for question in questions[: min(_OF_DOCUMENT, most)]:
            yield question, sections
        most -= min(_OF_DOCUMENT, most, len(questions))


def _own(section: Chunk) -> str:
    return best_piece.chunk_heading("", section.context, is_prose=True)


def _place(requested: str, sections: Sequence[Chunk], model: Embedder, *, parents: bool) -> int:
    """The place of the right section, from 0, among all of its document."""
    bare = [_without_heading(section) for section in sections]
    terms = [Counter(map(stem, identifiers.words_and_identifier_parts(item.text))) for item in bare]
    counts = {
        word: sum(stem(word) in term for term in terms) for word in parse_question(requested).words
    }
    rarity = {
        word: query.inverse_document_frequency(held, len(bare))
        for word, held in counts.items()
        if held
    }
    vectors = model.embed([f"{item.context}\n{item.text}".strip() for item in bare])
    vector = model.embed([requested], is_query=True)[0]
    matched = [sum(rarity[word] * (stem(word) in term) for word in rarity) for term in terms]
    top = max(matched) or 1.0
    values = [
        best_piece.chunk_score(
            item.text,
            item.context if parents else "",
            rarity,
            cosine=cosine(vector, its),
            bm25=share / top,
            related_idf={},
        )
        for item, its, share in zip(bare, vectors, matched, strict=True)
    ]
    order = sorted(range(len(bare)), key=lambda at: -values[at])
    return next(place for place, at in enumerate(order) if _own(sections[at]) == requested)


def _without_heading(section: Chunk) -> Chunk:
    """A section without its own heading; its context is the headings above it."""
    own, lines = _own(section), section.text.split("\n")
    at = next((number for number, line in enumerate(lines[:3]) if own and own in line), None)
    if at is not None:
        underlined = at + 1 < len(lines) and _UNDERLINE.match(lines[at + 1])
        del lines[at : at + (2 if underlined else 1)]
    context = section.context.removesuffix(own).removesuffix(" > ")
    return replace(section, text="\n".join(lines), context=context)


if __name__ == "__main__":
    sys.exit(main())
