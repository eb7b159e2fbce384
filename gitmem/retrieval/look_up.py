"""Searches without ranking by words: names of code, and literal text."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from gitmem.app import App
from gitmem.model.frozen import dataclass, replace
from gitmem.retrieval import hit_view, literal_text, present_text
from gitmem.retrieval.hit_view import HitItem
from gitmem.retrieval.present_text import CurrentHits
from gitmem.retrieval.question import FileScope
from gitmem.retrieval.symbols import symbol_lookup
from gitmem.search import pages, query
from gitmem.search.question import ParsedQuestion, parse_question
from gitmem.store.code.indexed_files import WorktreeIndexState

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import TypeVar

    Hit = TypeVar("Hit")


@dataclass(frozen=True, slots=True)
class LookUpOptions:
    """What to look up: ``mode`` is text, symbol, callers, importers, tests or config.

    ``kinds`` are the kinds of definitions to find, empty for all; ``case``: upper and lower case
    differ; ``per_path`` limits the hits of a file; ``around`` is the number of lines to show before
    and after a matching line.
    """

    mode: str
    scope: FileScope
    kinds: Sequence[str] = ()
    case: bool = False
    per_path: int | None = None
    around: int | None = None


@dataclass(frozen=True, slots=True)
class LookUpPage:
    """A page of hits (``items``), whether ``more`` follow, and their ``total`` over all pages.

    ``present`` are the hits at their present lines, ``questions`` the parsed questions, none for a
    literal text.
    """

    items: tuple[HitItem, ...]
    more: bool
    total: int
    present: CurrentHits
    questions: Sequence[ParsedQuestion] = ()


def look_up_hits(
    app: App,
    worktree_state: WorktreeIndexState | None,
    questions: Sequence[str],
    options: LookUpOptions,
    offset: int,
    limit: int,
) -> LookUpPage:
    """A page of hits for some questions (LookUpPage): ``limit`` hits after the first ``offset``.

    ``worktree_state`` is the state of the index. Raises InvalidInput if a question has no name or
    text to look up.
    """
    if options.mode == "text":
        return _lines(app, questions, options, offset, limit)
    # Refuses questions that are too long.
    for question in questions:
        query.parse_terms(question)
    parsed = [parse_question(question) for question in questions]
    lists = [_named(app, question, options) for question in parsed]
    merged = _merged(
        lists,
        lambda item: item.path,
        lambda item: (item.path, item.start_line, item.symbol),
        options.per_path,
    )
    best, more = pages.page_of_hits(merged, offset, limit)
    now = present_text.update_hits_from_files(app, worktree_state, [item for item, _ in best])
    items = tuple(
        replace(hit_view.mask_secrets_in_hit(item), answers=_answers(questions, numbers))
        for item, (_, numbers) in zip(now.items, best, strict=True)
        if item is not None
    )
    return LookUpPage(items, more, len(merged), now, parsed)


def _lines(
    app: App, questions: Sequence[str], options: LookUpOptions, offset: int, limit: int
) -> LookUpPage:
    found = literal_text.find_lines_with_text(
        app, questions, options.scope, case_sensitive=options.case
    )
    if options.kinds:
        found = [literal_text.filter_lines_by_kinds(app, lines, options.kinds) for lines in found]
    merged = _merged(
        found, lambda line: line.path, lambda line: (line.path, line.number), options.per_path
    )
    best, more = pages.page_of_hits(merged, offset, limit)
    items = literal_text.make_line_hits(app, [line for line, _ in best], options.around or 0)
    shown = tuple(
        replace(
            hit_view.mask_secrets_in_hit(item),
            matched=tuple(questions[number] for number in numbers),
            answers=_answers(questions, numbers),
        )
        for item, (_, numbers) in zip(items, best, strict=True)
    )
    reread = len({line.path for line, _ in best if line.edited})
    return LookUpPage(shown, more, len(merged), CurrentHits(shown, reread))


def _named(app: App, parsed: ParsedQuestion, options: LookUpOptions) -> list[HitItem]:
    found = symbol_lookup.look_up_symbols(app, options.mode, parsed, options.scope, options.kinds)
    return [item for item in found if item.symbol in parsed.symbols] if options.case else found


def _merged(
    lists: Sequence[Sequence[Hit]],
    path: Callable[[Hit], str],
    place: Callable[[Hit], Hashable],
    per_path: int | None,
) -> list[tuple[Hit, tuple[int, ...]]]:
    merged = pages.merge_hit_lists(lists, place)
    return (
        merged
        if per_path is None
        else pages.limit_hits_per_group(merged, per_path, lambda x: path(x[0]))
    )


def _answers(questions: Sequence[str], numbers: Sequence[int]) -> tuple[str, ...]:
    return tuple(questions[number] for number in numbers) if len(questions) > 1 else ()
