"""Scoring how well passages support an answer. Pure.

A passage is valued by its search score, the share of the question it contains, its similarity, and
by being documentation if that is asked for. The weights were fitted to the everyday questions, each
of three sets by the other two (``docs/benchmarks.md``): half or twice of any moves at most two of
238 answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from gitmem.model.frozen import dataclass
from gitmem.search import best_piece, file_kinds
from gitmem.search.matched_words import words_in_text

# Weights, beside the search score, of the share of the words in a passage with its path and names,
# of the share in its lines alone, and of the cosine.
SHARE, BODY, ALIKE = 0.45, 0.2, 0.4
# Bonus of documentation, which search ranks below code, and of documentation that is asked for.
PROSE, REQUESTED = 0.15, 0.4


@dataclass(frozen=True, slots=True)
class PassageSupport:
    """A passage with its search score (0 to 1), the question's words in it, and its cosine.

    ``share`` is the share of the question (0 to 1) in the passage with path and names, ``body``
    that in its lines alone.
    """

    score: float
    words: frozenset[str]
    cosine: float
    share: float
    body: float = 0.0


def measure_passage_support(
    search_score: float,
    path_and_names: str,
    lines_text: str,
    idf: Mapping[str, float],
    related_idf: Mapping[str, float] = MappingProxyType({}),
    *,
    cosine: float = 0.0,
) -> PassageSupport:
    """How much a passage supports an answer, as a PassageSupport.

    ``search_score`` is its search score, ``cosine`` its similarity; ``idf`` maps the words of the
    question to their rarity, ``related_idf`` what code may call them.
    """
    words, meant = list(idf), list(related_idf)
    own, hinted_in_body = (
        frozenset(words_in_text(words, lines_text)),
        frozenset(words_in_text(meant, lines_text)),
    )
    named, hinted = words_in_text(words, path_and_names), words_in_text(meant, path_and_names)
    return PassageSupport(
        search_score,
        own.union(named),
        max(cosine, 0.0),
        best_piece.question_coverage_of_words(
            own.union(named), hinted_in_body.union(hinted), idf, related_idf
        ),
        best_piece.question_coverage_of_words(own, hinted_in_body, idf, related_idf),
    )


def passage_support_score(support: PassageSupport) -> float:
    """The number by which passages are sorted: the higher, the better they support an answer."""
    return support.score + SHARE * support.share + BODY * support.body + ALIKE * support.cosine


def documentation_bonus(path: str, requested_kinds: Mapping[str, float]) -> float:
    """What is added to the score of documentation, by its path; 0 for changelogs and licences.

    ``requested_kinds`` is how surely (0 to 1) a question asks for each kind of file, or for the
    history.
    """
    if {"changelog", "template"}.intersection(
        file_kinds.kinds_of_file(path, "")
    ) or file_kinds.LEGAL.match(path):
        return 0.0
    return PROSE * (1 - requested_kinds.get("history", 0.0)) + REQUESTED * requested_kinds.get(
        "docs", 0.0
    )
