"""Memories with the same text as another, or with most of its rare words: near duplicates.

Each rare word is looked up by itself and the rows are counted, since a duplicate holds nearly all
of them. Common words are left out: they say nothing, and reading their rows would cost more than
storing a memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from math import log

from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory.memory_rows import duplicate_detection_hash, read_memories

# A word in this many rows is common. A look-up that stops there takes 0.1 ms.
COMMON = 200
_TITLED = 20
# With fewer rare words than this, too many memories share enough of them by chance.
_FEW = 3
# In a store with fewer memories than this, a word that all of them have is not common.
_SMALL = 30


def find_identical_memory(
    database: Database,
    memory: Memory,
    extra_conditions: Sequence[tuple[str, Sequence[object]]] = (),
    is_candidate: Callable[[Memory], bool] = lambda _: True,
) -> Memory | None:
    """The oldest memory in use with the same text, kind and scope as ``memory``; None without.

    Case and white space make no difference. ``extra_conditions`` are (SQL condition over ``memories
    AS m``, values); ``is_candidate`` must accept the memory.
    """
    digest = duplicate_detection_hash(memory)
    # Nearly always there is none. Queried by itself, since SQLite prepares the whole query below
    # anew for each value: ten times the cost.
    if database.value("SELECT 1 FROM memories WHERE digest = ? LIMIT 1", (digest,)) is None:
        return None
    from gitmem.store.memory.filters import STATE_SQL  # noqa: PLC0415 - as above

    in_use = f"({STATE_SQL['active']} OR {STATE_SQL['proposed']})"
    tests = " AND ".join(["digest = ?", in_use, *(condition for condition, _ in extra_conditions)])
    values = [digest, *(value for _, some in extra_conditions for value in some)]
    memories = read_memories(database, f"WHERE {tests} ORDER BY seq", (*values,))
    return next(filter(is_candidate, memories), None)


def duplicate_candidate_rows(
    database: Database,
    fts_expressions: Sequence[str],
    min_word_fraction: float,
    limit: int,
    cached_rows_by_expression: dict[str, list[int]] | None = None,
) -> list[int]:
    """The row numbers of memories that share most rare words of a text, best first.

    ``fts_expressions`` are FTS5 expressions, one for each word of the text; a memory must have the
    fraction ``min_word_fraction`` (0 to 1) of the rare ones. If fewer than three are rare, it must
    have all words. ``cached_rows_by_expression`` caches look-ups between calls.
    """
    cached_rows_by_expression = (
        {} if cached_rows_by_expression is None else cached_rows_by_expression
    )
    rare = missing = 0
    counts: dict[int, int] = {}
    for expression in fts_expressions:
        rows = cached_rows_by_expression.get(expression)
        if rows is None:
            rows = cached_rows_by_expression[expression] = _rows(database, expression, COMMON)
        if len(rows) == COMMON:
            continue
        rare += 1
        missing += not rows
        # A word that no memory holds counts against all of them: most calls end here.
        if missing > len(fts_expressions) * (1 - min_word_fraction):
            return []
        for number in rows:
            counts[number] = counts.get(number, 0) + 1
    if rare < _FEW:
        return _rows(database, " AND ".join(fts_expressions), limit) if fts_expressions else []
    least = min_word_fraction * rare
    numbers = [number for number, count in counts.items() if count >= least]
    return sorted(numbers, key=lambda number: (-counts[number], -number))[:limit]


def rows_with_word(database: Database, word_fts_expression: str) -> list[int]:
    """The row numbers of memories that match an FTS5 expression for a word, at most 200."""
    return _rows(database, word_fts_expression, COMMON)


def rows_sharing_rare_words(
    database: Database, fts_expressions: Iterable[str], limit: int
) -> list[int]:
    """The row numbers of memories that match any of these words, most and rarest matches first.

    ``fts_expressions`` are FTS5 expressions, one a word. Words in 200 memories or more do not
    count.
    """
    total, weights = _total(database), dict[int, float]()
    for expression in fts_expressions:
        rows = rows_with_word(database, expression)
        for number in rows:
            weights[number] = weights.get(number, 0.0) + _rare(len(rows), total)
    rare = (number for number, weight in weights.items() if weight)
    return sorted(rare, key=lambda number: (-weights[number], -number))[:limit]


def make_idf_function(database: Database) -> Callable[[str], float]:
    """A function from an FTS5 expression to its weight: 1 if one memory matches, less for more.

    The weight is 0 if 200 memories or more match.
    """
    from gitmem.store.db import full_text  # noqa: PLC0415 - few memories are compared with rules

    total = _total(database)
    counted = partial(full_text.count_matching_rows, database, "memory_text", max_count=COMMON)
    return cache(lambda expression: _rare(counted(expression), total))


def _total(database: Database) -> int:
    return max(int(database.value("SELECT count(*) FROM memories") or 0), _SMALL)


def _rare(held: int, total: int) -> float:
    return 0.0 if held >= COMMON else max(1 - log(max(held, 1)) / log(total + 1), 0.0)


def rows_by_title(database: Database, title: str) -> list[int]:
    """The row numbers of at most 20 memories whose title has the words of ``title`` in a row."""
    words = title.replace("\x00", " ").replace('"', " ").split()
    if not any(letter.isalnum() for letter in title):
        return []
    return _rows(database, f'title : "{" ".join(words)}"', _TITLED)


def was_merged(database: Database, memory: Memory, merged_into_id: str) -> bool:
    """Whether a memory with the same text was replaced by the memory ``merged_into_id`` before."""
    test = "SELECT 1 FROM memories WHERE digest = ? AND superseded_by = ?"
    return database.value(test, (duplicate_detection_hash(memory), merged_into_id)) is not None


def _rows(database: Database, expression: str, limit: int) -> list[int]:
    return database.column(
        "SELECT rowid FROM memory_text WHERE memory_text MATCH ? LIMIT ?", (expression, limit)
    )
