"""A list of hits, cut into pages: pure.

One list is ranked for a question, and every page is a window of it, so that pages of any size join
to the whole. What narrows the list (a threshold, limits by source) is done before it is cut.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence

from gitmem.errors import InvalidInput
from gitmem.search import query
from gitmem.search.limits import DEEP as DEEP
from gitmem.search.limits import FIRST as FIRST

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import TypeVar

    Hit = TypeVar("Hit")

# Questions that are answered at once.
MOST_QUESTIONS = 20
_MOST_OF_ONE = 1000
# So many places no hit takes that somebody marked as wrong.
TRUSTED = 3


def append_new(
    first: Sequence[Hit], longer: Sequence[Hit], key: Callable[[Hit], Hashable]
) -> list[Hit]:
    """The first hits, then those of a longer list that are not among them."""
    shown = {key(hit) for hit in first}
    return [*first, *(hit for hit in longer if key(hit) not in shown)]


def merge(
    lists: Sequence[Sequence[Hit]], key: Callable[[Hit], Hashable]
) -> list[tuple[Hit, tuple[int, ...]]]:
    """The hits of several questions without repeats, and the numbers of the questions answered.

    Every question's best come first, in the order of the questions, then every second best. A hit
    answers the questions that have it among their ``FIRST``, and the one that brought it.
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


def limit_per_source(
    hits: Sequence[Hit], most: Mapping[str, int], source: Callable[[Hit], str]
) -> list[Hit]:
    """The hits, of each source named in ``most`` so many and no more."""
    taken = dict.fromkeys(most, 0)
    chosen = []
    for hit in hits:
        its = source(hit)
        if its in taken:
            if taken[its] >= most[its]:
                continue
            taken[its] += 1
        chosen.append(hit)
    return chosen


def limit_per_group(hits: Sequence[Hit], most: int, group: Callable[[Hit], Hashable]) -> list[Hit]:
    """The hits, at most so many of each group, such as a file."""
    taken: dict[Hashable, int] = {}
    chosen = []
    for hit in hits:
        its = group(hit)
        taken[its] = taken.get(its, 0) + 1
        if taken[its] <= most:
            chosen.append(hit)
    return chosen


def doubted_last(hits: Sequence[Hit], doubted: Callable[[Hit], bool]) -> list[Hit]:
    """The hits in their order, those that somebody marked as wrong behind all others.

    Where fewer than ``TRUSTED`` others answer they are left out: whoever asks takes the first for
    true.
    """
    rest = [hit for hit in hits if not doubted(hit)]
    if len(rest) == len(hits) or len(rest) < TRUSTED:
        return rest
    return [*rest, *(hit for hit in hits if doubted(hit))]


def page(hits: Sequence[Hit], offset: int, limit: int) -> tuple[list[Hit], bool]:
    """At most ``limit`` hits after the first ``offset``, and whether more follow."""
    return list(hits[offset : offset + limit]), len(hits) > offset + limit


def limits(words: Sequence[str], sources: Collection[str]) -> dict[str, int]:
    """Source -> limit, of ``code=5,commits=2``. Raises InvalidInput."""
    found: dict[str, int] = {}
    for part in (part.strip() for word in words for part in word.split(",")):
        if not part:
            continue
        source, _, number = map(str.strip, part.partition("="))
        if source not in sources or not (number.isascii() and number.isdigit()):
            raise InvalidInput(
                f"{part[:40]!r} is not a limit of a source.",
                f"Write code=5,commits=2; sources: {', '.join(sources)}.",
            )
        found[source] = min(int(number[:9]), _MOST_OF_ONE)
    return found


def questions(first: str, more: Sequence[str], *, apart: bool = False) -> tuple[str, ...]:
    """All that is asked at once, without repeats; two questions in one ``apart`` where wanted.

    Raises InvalidInput for more than twenty.
    """
    texts = tuple(dict.fromkeys(text for text in (first, *more) if text.strip()))
    if apart:
        parts = tuple(dict.fromkeys(part for text in texts for part in query.parts(text)))
        texts = parts if len(parts) <= MOST_QUESTIONS else texts
    if len(texts) > MOST_QUESTIONS:
        raise InvalidInput(
            f"There are {len(texts):,} questions; at most {MOST_QUESTIONS} are answered at once.",
            "Ask the most telling ones, or ask in several calls.",
        )
    return texts or (first,)
