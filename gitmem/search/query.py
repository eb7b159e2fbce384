"""Building FTS5 expressions for a question. Pure.

Every word becomes one quoted term, so that nothing a person types is FTS5 syntax. Very common words
select no rows by themselves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import log

from gitmem.errors import InvalidInput
from gitmem.model.frozen import dataclass
from gitmem.search.limits import LONG, LONGEST
from gitmem.text import identifiers
from gitmem.text.stop_words import PASSED_OVER

MOST_TERMS = 24
# A longer run of a script without spaces is not a single word.
_SENTENCE = 4


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A word or phrase of a query: as written, as an FTS5 expression, and whether it was quoted."""

    label: str
    expression: str
    phrase: bool = False


def parse_terms(text: str) -> tuple[QueryTerm, ...]:
    """The terms of a question, at most 24: quoted phrases first, then words, without repeats.

    Stop words are left out unless there is nothing else. Of a text over 2,000 characters the
    errors, names and paths come first. Raises InvalidInput if there is no word, or more than
    200,000 characters.
    """
    if len(text) > LONGEST:
        raise InvalidInput(
            f"The question has {len(text):,} characters; at most {LONGEST:,} are allowed.",
            "Use a few words.",
        )
    clean = text.encode("utf-8", "replace").decode("utf-8")
    clean = clean.replace("\x00", " ").replace("\u201c", '"').replace("\u201d", '"')
    if len(clean) > LONG:
        # Imported here: its patterns cost 3 ms, and most questions are short.
        from gitmem.search.question import move_informative_parts_first  # noqa: PLC0415

        clean = move_informative_parts_first(clean)
    # Quotes in a pasted text are no request for a phrase.
    quotes = [] if len(text) > LONG else re.findall(r'"([^"\n]{2,200})"', clean)
    phrases = [part.strip() for part in quotes if len(_words(part)) > 1]
    words = _words(clean)
    telling = [word for word in words if word.lower() not in PASSED_OVER] or words
    if not telling:
        raise InvalidInput(
            "There is nothing to search for: the query has no words.",
            'Give some words, such as "redis port"; `gitmem list` needs none for memories.',
        )
    found = {
        quoted.lower(): QueryTerm(quoted, phrase_fts_expression(quoted), True) for quoted in phrases
    }
    for word in telling:
        for part in _split_unspaced(word):
            found.setdefault(part.lower(), QueryTerm(part, _expression(part)))
    return tuple(found.values())[:MOST_TERMS]


def split_text_into_questions(text: str) -> tuple[str, ...]:
    """The questions in a text, as a tuple; usually there is one, the text itself."""
    low = text.lower()
    joined = (" and " in low or " or " in low) and (" wh" in low or " how" in low)
    if not joined and ";" not in text and "?" not in text[:-1]:
        return (text,)
    from gitmem.search import question_parts  # noqa: PLC0415 - its patterns cost 3 ms

    return question_parts.split_questions(text)


def selective_fts_expression(
    terms: tuple[QueryTerm, ...], row_counts: Mapping[str, int], min_common_count: int
) -> str:
    """An FTS5 expression that selects rows by any rare term, or by all common ones together.

    "" if no term occurs. ``row_counts`` maps each term's expression to its number of rows; a term
    is common from ``min_common_count`` rows on.
    """
    known = [term for term in terms if row_counts[term.expression] > 0]
    rare = [term.expression for term in known if row_counts[term.expression] < min_common_count]
    frequent = [
        term.expression for term in known if row_counts[term.expression] >= min_common_count
    ]
    if not rare:
        return " AND ".join(frequent)
    if len(frequent) > 1:
        rare.append("(" + " AND ".join(frequent) + ")")
    return " OR ".join(rare)


def all_terms_fts_expression(terms: Sequence[QueryTerm]) -> str:
    """An FTS5 expression for rows with every term."""
    return " AND ".join(term.expression for term in terms)


def any_word_fts_expression(
    words: Sequence[str], text_counts: Mapping[str, int], min_common_count: int
) -> str:
    """An FTS5 expression for texts with any of the words.

    ``text_counts`` says in how many texts each word is; words in ``min_common_count`` texts or more
    select a text only if it has all of them.
    """
    return selective_fts_expression(
        tuple(QueryTerm(word, quote_fts_term(word)) for word in words),
        {quote_fts_term(word): count for word, count in text_counts.items()},
        min_common_count,
    )


def phrase_fts_expression(text: str) -> str:
    """An FTS5 expression for adjacent words, or for pairs of letters in scripts without spaces."""
    parts = identifiers.split_identifiers(text)
    if not any(map(identifiers.is_in_unspaced_script, parts)):
        return quote_fts_term(text)
    return f"({quote_fts_term(text)} OR {quote_fts_term(' '.join(parts))})"


def _split_unspaced(word: str) -> list[str]:

    if word.isascii() or len(word) <= _SENTENCE or not identifiers.is_in_unspaced_script(word):
        return [word]
    return identifiers.split_identifiers(word)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


@lru_cache(1 << 12)
def _expression(word: str) -> str:
    parts = identifiers.split_identifiers(word)
    if len(parts) < 2:
        return quote_fts_term(word)
    # An identifier matches as a whole, or by its adjacent parts.
    return f"({quote_fts_term(word)} OR {quote_fts_term(' '.join(parts))})"


def inverse_document_frequency(matching_rows: int, total_rows: int) -> float:
    """Inverse document frequency, 0 or more, of a word in ``matching_rows`` of ``total_rows``."""
    return log(1 + (max(total_rows - matching_rows, 0) + 0.5) / (matching_rows + 0.5))


def rarest_words(
    row_counts: Mapping[str, int], min_common_count: int, max_rows: int
) -> frozenset[str]:
    """The rarest words that together select at most ``max_rows`` rows; at least one word.

    ``row_counts`` maps words to numbers of rows. Words that select no rows, or ``min_common_count``
    rows and more, are left out.
    """
    chosen, total = set[str](), 0
    for word in sorted(row_counts, key=lambda word: (row_counts[word], word)):
        total += row_counts[word]
        if not 0 < row_counts[word] < min_common_count or (chosen and total > max_rows):
            continue
        chosen.add(word)
    return frozenset(chosen)


def name_fts_expression(word: str) -> str:
    """An FTS5 expression for a word in a path or a defined name."""
    return f"({{path symbol}} : {quote_fts_term(word)})"


def quote_fts_term(text: str) -> str:
    """The text as one FTS5 string, of which nothing is read as FTS5 syntax."""
    return '"' + text.replace('"', '""') + '"'
