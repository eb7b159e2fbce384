"""Merging, limiting and paging lists of hits. Pure.

Every page is a window of one list, which is narrowed before it is cut.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence

from gitmem.errors import InvalidInput
from gitmem.search import query
from gitmem.search.limits import DEEP as DEEP
from gitmem.search.limits import FIRST as FIRST

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import TypeVar

    Hit = TypeVar("Hit")
    Group = TypeVar("Group", bound=Hashable)

# Questions that are answered at once.
MOST_QUESTIONS = 20
_MOST_OF_ONE = 1000
# Doubted hits are shown only after at least this many others.
TRUSTED = 3


def append_new_hits(
    first_hits: Sequence[Hit], longer_list: Sequence[Hit], key: Callable[[Hit], Hashable]
) -> list[Hit]:
    """The first hits, then those of a longer list whose ``key`` is not among them."""
    shown = {key(hit) for hit in first_hits}
    return [*first_hits, *(hit for hit in longer_list if key(hit) not in shown)]


def merge_hit_lists(
    lists: Sequence[Sequence[Hit]], key: Callable[[Hit], Hashable]
) -> list[tuple[Hit, tuple[int, ...]]]:
    """The hits of several questions without repeats: (hit, numbers of the questions it answers).

    ``lists`` has the hits of each question; ``key(hit)`` is equal for the same hit. First come the
    best of each question, then the second best, and so on. A hit answers the question that brought
    it and those that have it among their first ten hits.
    """
    rows = [
        (place, number, hit) for number, hits in enumerate(lists) for place, hit in enumerate(hits)
    ]
    rows.sort(key=lambda row: row[:2])
    found: dict[Hashable, tuple[Hit, list[int]]] = {}
    for place, number, hit in rows:
        known = found.setdefault(key(hit), (hit, [number]))
        if place < FIRST and number not in known[1]:
            known[1].append(number)
    return [(hit, tuple(sorted(numbers))) for hit, numbers in found.values()]


def limit_hits_per_source(
    hits: Sequence[Hit], limits: Mapping[str, int], source: Callable[[Hit], str]
) -> list[Hit]:
    """The hits in order, with at most ``limits[source(hit)]`` of each source in ``limits``."""
    return _limit(hits, source, limits)


def limit_hits_per_group(
    hits: Sequence[Hit], limit: int, group: Callable[[Hit], Hashable]
) -> list[Hit]:
    """The hits in order, with at most ``limit`` of each ``group(hit)``."""
    return _limit(hits, group, dict.fromkeys(map(group, hits), limit))


def _limit(
    hits: Sequence[Hit], group: Callable[[Hit], Group], most: Mapping[Group, int]
) -> list[Hit]:
    left, chosen = dict(most), []
    for hit in hits:
        its = group(hit)
        left[its] = left.get(its, len(hits)) - 1
        if left[its] >= 0:
            chosen.append(hit)
    return chosen


def move_doubted_hits_last(hits: Sequence[Hit], is_doubted: Callable[[Hit], bool]) -> list[Hit]:
    """The hits, with those that readers marked as wrong (``is_doubted(hit)``) at the end.

    If fewer than three hits are not marked, the marked hits are left out.
    """
    rest = [hit for hit in hits if not is_doubted(hit)]
    if len(rest) == len(hits) or len(rest) < TRUSTED:
        return rest
    return [*rest, *(hit for hit in hits if is_doubted(hit))]


def page_of_hits(hits: Sequence[Hit], offset: int, limit: int) -> tuple[list[Hit], bool]:
    """(at most ``limit`` hits after the first ``offset``, whether more follow)."""
    return list(hits[offset : offset + limit]), len(hits) > offset + limit


def parse_source_limits(limit_texts: Sequence[str], source_names: Sequence[str]) -> dict[str, int]:
    """The limit of each of ``source_names``, from ``code=5,commits=2``. Raises InvalidInput."""
    found: dict[str, int] = {}
    for part in (part.strip() for word in limit_texts for part in word.split(",")):
        if not part:
            continue
        name, _, number = map(str.strip, part.partition("="))
        if name not in source_names or not (number.isascii() and number.isdigit()):
            raise InvalidInput(
                f"{part[:40]!r} is not a limit.",
                f"Write {source_names[0]}=5,{source_names[1]}=2; names: {', '.join(source_names)}.",
            )
        found[name] = min(int(number[:9]), _MOST_OF_ONE)
    return found


def unique_questions(
    question: str, more_questions: Sequence[str], *, split_paired_questions: bool = False
) -> tuple[str, ...]:
    """The different questions of a request; ``split_paired_questions`` splits two in one text.

    Raises InvalidInput for more than twenty.
    """
    texts = tuple(dict.fromkeys(text for text in (question, *more_questions) if text.strip()))
    if split_paired_questions:
        parts = tuple(
            dict.fromkeys(part for text in texts for part in query.split_text_into_questions(text))
        )
        texts = parts if len(parts) <= MOST_QUESTIONS else texts
    if len(texts) > MOST_QUESTIONS:
        raise InvalidInput(
            f"There are {len(texts):,} questions; at most {MOST_QUESTIONS} are answered at once.",
            "Ask fewer, or ask in several calls.",
        )
    return texts or (question,)
