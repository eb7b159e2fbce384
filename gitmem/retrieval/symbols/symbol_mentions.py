"""Where code mentions a name: the lines of each file, as hits."""

from collections.abc import Iterable, Sequence

from gitmem.app import App
from gitmem.languages.index import PROSE
from gitmem.retrieval.hit_view import HitItem, escape_path
from gitmem.retrieval.question import FileScope
from gitmem.search import file_kinds
from gitmem.store.code import chunks, symbols
from gitmem.store.code.symbols import NameMention

MOST = 200


def find_mentions(app: App, name: str, kinds: Sequence[str]) -> list[NameMention]:
    """The files and lines that use a name in one of the ways ``kinds``, such as call."""
    return [
        reference
        for spelt in symbols.javascript_name_spellings(name)
        for reference in symbols.mentions_of_name(app.store, app.worktree, spelt, kinds, MOST)
    ]


def make_mention_hits(
    app: App, mentions: Iterable[NameMention], scope: FileScope, reason: str
) -> list[HitItem]:
    """The mentions of a name as hits, the best first, from files in scope, with ``reason``."""
    known = chunks.indexed_files_by_path(
        app.store, app.worktree, {mention.path for mention in mentions}
    )
    hits = [
        make_hit_of_lines(app, mention.path, mention.lines, known[mention.path].language, reason)
        for mention in mentions
        if mention.path in known and scope.contains_file(mention.path, known[mention.path].language)
    ]
    return sort_hits_by_score(hits)


def make_hit_of_lines(
    app: App, path: str, lines: tuple[int, ...], language: str, reason: str
) -> HitItem:
    """Some lines of a file as one hit, which shows the first of them and ``reason``."""
    head = chunks.chunk_at_line(app.store, app.worktree, path, lines[0])
    text = chunks.chunk_texts(app.store, [head.id])[head.id] if head else ""
    shown = text.split("\n")[lines[0] - head.start_line :][:1] if head else []
    down = file_kinds.rank_factor_of_file(path, language, {})
    return HitItem(
        kind="code",
        path=escape_path(path),
        start_line=lines[0],
        end_line=lines[0],
        context=_enclosing_name(app, path, lines[0], language, head.context if head else ""),
        score=round(down.factor, 4),
        snippet="\n".join(shown),
        why=(reason, *(f"{kind} file" for kind in down.kinds)),
        also=tuple(str(line) for line in lines[1:20]),
        language=language,
    )


def _enclosing_name(app: App, path: str, line: int, language: str, headings: str) -> str:
    """The qualified name of the innermost definition around a line; in prose its headings."""
    if language in PROSE:
        return headings
    inner = symbols.enclosing_symbol(app.store, app.worktree, path, line)
    return ".".join(filter(None, (inner.container, inner.name))) if inner else ""


def sort_hits_by_score(hits: list[HitItem]) -> list[HitItem]:
    """The hits sorted by score, then by the number of matching lines, most first."""
    return sorted(hits, key=lambda hit: (-hit.score, -len(hit.also), hit.path))
