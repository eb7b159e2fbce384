"""How well one piece of a file answers, compared with the other pieces of the same file. Pure.

BM25 prefers the shortest piece that repeats one word, so within a file the share of the question
that a piece contains (weighted by rarity) and its similarity decide. A word in the piece's own
heading counts half as much again; headings above it do not count. So the right section is first for
98 of 202 questions, and for 85 if those above count too (``tests.bench.sections``).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import fsum

from gitmem.search.matched_words import words_in_text
from gitmem.search.question import ParsedQuestion

# Additional weight of a word in the heading or the name.
HEADING = 0.5
# Weight of a word that code uses instead of one of the question (``related_words``).
RELATED = 0.6
# BM25, as a share of the best, only breaks ties.
TIE = 0.01
# Weight, beside all other evidence (1), of the share of the question in the piece shown. A few
# words are mostly names: at 0.5 they lose 0.010 of NDCG@10, at 0.1 they gain 0.001
# (docs/benchmarks.md). Of 60 questions for a place three gain and none loses.
HELD_BY_FEW, HELD, HELD_BY_PLACE, MANY_WORDS = 0.1, 0.5, 1.0, 10
# Between a heading and the one above it.
_BELOW = " > "
# Other pieces are listed from this share of the best value on.
NEARLY = 0.5


def chunk_score(
    text: str,
    heading: str,
    idf: Mapping[str, float],
    *,
    cosine: float,
    bm25: float,
    related_idf: Mapping[str, float],
) -> float:
    """How well a chunk (a piece of a file) answers a question, from 0 to about 2.5.

    ``heading`` is the chunk's own heading or symbol; ``idf`` has the weights of the words of the
    question, ``related_idf`` those of what code may call them. ``cosine`` is its similarity,
    ``bm25`` the BM25 score as a share of the best.
    """
    total = fsum(idf.values()) or 1.0
    words = [word for word in idf if idf[word]]
    above = words_in_text(words, heading) if heading else ()
    there = {*words_in_text(words, text), *above}
    named = HEADING * fsum(idf[word] for word in above)
    own = (
        fsum(idf[word] for word in there)
        + named
        + _related_weight(f"{heading} {text}", related_idf)
    )
    return own / total + max(cosine, 0.0) + TIE * bm25


def question_coverage(
    text: str, idf: Mapping[str, float], related_idf: Mapping[str, float]
) -> float:
    """The share (0 to 1) of a question's words that a text contains, weighted by rarity.

    ``idf`` has the weights of the words, ``related_idf`` those of what code may call them.
    """
    words = [word for word in idf if idf[word]]
    return question_coverage_of_words(
        words_in_text(words, text), words_in_text(list(related_idf), text), idf, related_idf
    )


def question_coverage_of_words(
    question_words: Collection[str],
    related_code_words: Collection[str],
    idf: Mapping[str, float],
    related_idf: Mapping[str, float],
) -> float:
    """The share (0 to 1) of a question that a text has, by the words it has, weighted by rarity.

    ``question_words`` are words of the question in the text, ``related_code_words`` what code calls
    them; ``idf`` has the weights of all words of the question, ``related_idf`` those of what code
    may call them.
    """
    amount = fsum(idf[word] for word in question_words) + RELATED * fsum(
        related_idf[word] for word in related_code_words
    )
    return min(1.0, amount / (fsum(idf.values()) or 1.0))


def chunk_heading(symbol: str, context: str, *, is_prose: bool) -> str:
    """The title of a piece of a file: of prose its own heading, of code its symbol and context."""
    return context.rpartition(_BELOW)[2] if is_prose else f"{symbol} {context}".strip()


def question_coverage_weight(question: ParsedQuestion) -> float:
    """How much ``question_coverage`` (0 to 1) counts beside other evidence, which counts 1."""
    if question.requested_kinds or len(question.words) >= MANY_WORDS:
        return HELD
    if question.asks_where:
        return HELD_BY_PLACE
    return 0.0 if question.is_single_name or len(question.words) == 1 else HELD_BY_FEW


def asks_for_place(question: ParsedQuestion) -> bool:
    """Whether the question, of less than ten words, asks where in the code something is."""
    return question_coverage_weight(question) == HELD_BY_PLACE


def _related_weight(text: str, related: Mapping[str, float]) -> float:
    return (
        RELATED * fsum(related[word] for word in words_in_text(list(related), text))
        if related
        else 0.0
    )
