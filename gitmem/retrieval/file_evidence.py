"""What a search knows of indexed files before it ranks them: pieces, definitions, past commits."""

from collections.abc import Collection, Mapping
from functools import partial

from gitmem.app import App
from gitmem.model.frozen import dataclass, replace
from gitmem.retrieval import explicit_files, keyword
from gitmem.retrieval.keyword import COMMON
from gitmem.retrieval.question import FileScope, Question
from gitmem.search import commit_affinity, query
from gitmem.search.files import FileRankingFeatures
from gitmem.search.question import ParsedQuestion
from gitmem.store.code import chunks, code_search, commits, indexed_files, symbols
from gitmem.store.code.chunks import ChunkMetadata
from gitmem.store.db.connection import Database

# Pieces considered for a question. With 120 whole repositories lose 0.008 of NDCG@10, with 400 they
# gain 0.002, at twice the time (docs/benchmarks.md).
POOL = 200
# Rows scored for a question, at 0.8 ms of CPU for 1,000. With 4,000 whole repositories gain 0.002
# of NDCG@10, with 2,000 they lose 0.011.
MOST_ROWS = 3_000
# Rows of the first query, and of the second if too many are out of scope.
FEW, MANY = POOL * 5 // 4, POOL * 3
# Past commits considered.
PAST = 100
# For subject, body, paths and parts: equal weights gain 0.03 of NDCG@10.
PAST_WEIGHTS = (1.0, 1.0, 1.0, 1.0)
MOST_DEFINITIONS = 50
# Weight of the BM25 of related words (``search.related_words``).
RELATED = 0.3
# Pieces fetched for a quoted phrase.
PHRASED = 100
# Names of languages in questions.
_LANGUAGES = {
    **{name: name for name in ("python", "javascript", "typescript", "java", "rust", "ruby")},
    **{name: name for name in ("kotlin", "swift", "scala", "php", "elixir", "haskell", "lua")},
    "py": "python",
    "js": "javascript",
    "ts": "typescript",
    "golang": "go",
    "bash": "bash",
}
# Definitions of these kinds count as inexact.
_INNER = frozenset({"field", "property", "variable"})


# Number of a piece and its BM25.
Scored = tuple[int, float]


@dataclass(frozen=True, slots=True)
class ChunkWordMatches:
    """Pieces of files that match a question by words, by row number: ``heads`` and BM25 ``scores``.

    ``heads`` say what the piece is without its text; ``idf`` is the rarity of each word of the
    question, ``related`` that of what code may call them.
    """

    heads: dict[int, ChunkMetadata]
    scores: dict[int, float]
    idf: dict[str, float]
    related: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class FileMatches:
    """The files that match a question: ``of_file`` has the matching pieces of each path.

    ``leg`` has the matches by words, ``cosines`` those by meaning, by row number of the piece;
    ``evidence`` what each file is scored by. By path, ``defined`` is the line of the definition
    that the question asks for, ``phrased`` the share (0 to 1) of the quoted phrases in the file.
    """

    leg: ChunkWordMatches
    cosines: Mapping[int, float]
    of_file: dict[str, list[ChunkMetadata]]
    evidence: list[FileRankingFeatures]
    defined: dict[str, int]
    phrased: Mapping[str, float]


def match_files(app: App, question: Question, scope: FileScope) -> FileMatches:
    """The files in ``scope`` that may answer a question, as a FileMatches, not ranked yet."""
    question = replace(question, parsed=_without_main_language(app, question.parsed))
    leg = ChunkWordMatches({}, {}, {}, {})
    if question.lexical:
        leg = _by_words(app, question.parsed, scope)
        if "related" not in question.without:
            leg = _with_related(app, question.parsed, scope, leg)
        leg = _with_phrases(app, question.parsed, scope, leg)
        leg = _with_task(app, question.parsed, scope, leg)
    cosines: Mapping[int, float] = {}
    if question.meaning:
        within = None if scope.is_unrestricted else _places(app, scope)
        cosines = question.similar("chunk", list(leg.scores), within)
    heads = {
        **leg.heads,
        **_visible_heads(app, scope, [number for number in cosines if number not in leg.heads]),
    }
    of_file: dict[str, list[ChunkMetadata]] = {}
    for head in heads.values():
        of_file.setdefault(head.path, []).append(head)
    phrased = explicit_files.quoted_phrase_share_by_path(app, question.parsed, heads)
    if not question.lexical:
        return FileMatches(leg, cosines, of_file, [], {}, phrased)
    defined, exact = _definitions(app, question.parsed, scope)
    evidence = _evidence(app, question, scope, of_file, leg, exact, phrased)
    return FileMatches(leg, cosines, of_file, evidence, defined, phrased)


def _without_main_language(app: App, parsed: ParsedQuestion) -> ParsedQuestion:

    languages = {word for word in parsed.words if word in _LANGUAGES}
    if not languages or len(languages) == len(parsed.words):
        return parsed
    main = chunks.main_language(app.store, app.worktree)
    idle = {word for word in languages if _LANGUAGES[word] == main}
    return replace(parsed, words=tuple(word for word in parsed.words if word not in idle))


def _by_words(app: App, parsed: ParsedQuestion, scope: FileScope) -> ChunkWordMatches:
    store = app.store
    total = chunks.approximate_chunk_count(store)
    counts = _counts(store, "chunk", parsed)
    rarity = {
        word: query.inverse_document_frequency(count, total) if count else 0.0
        for word, count in counts.items()
    }
    expression = _expression(store, parsed, counts)
    if not expression:
        return ChunkWordMatches({}, {}, rarity, {})
    heads, best = _best(app, scope, expression)
    scores = {number: score for number, score in best if number in heads}
    scores = dict(list(scores.items())[:POOL])
    return ChunkWordMatches({number: heads[number] for number in scores}, scores, rarity, {})


def _best(
    app: App, scope: FileScope, expression: str
) -> tuple[dict[int, ChunkMetadata], list[Scored]]:
    """At most ``POOL`` pieces in scope, and the scores of the best."""
    heads: dict[int, ChunkMetadata] = {}
    best: list[Scored] = []
    for limit in (FEW, MANY) if scope.is_unrestricted else (MANY,):
        best = code_search.best_matching_rows(app.store, "chunk", expression, limit)
        for start in range(0, len(best), POOL):
            if len(heads) < POOL:
                some = [number for number, _ in best[start : start + POOL]]
                heads |= _visible_heads(
                    app, scope, [number for number in some if number not in heads]
                )
        if len(heads) >= POOL or len(best) < limit:
            return heads, best
    # Too few of the best are in scope: query again among those.
    best = code_search.best_matching_rows(app.store, "chunk", expression, POOL, _places(app, scope))
    return _visible_heads(app, scope, [number for number, _ in best]), best


def _counts(store: Database, source: str, parsed: ParsedQuestion) -> dict[str, int]:
    return keyword.count_rows_per_word(
        parsed.words, partial(code_search.count_full_text_matches, store, source)
    )


def _expression(store: Database, parsed: ParsedQuestion, counts: Mapping[str, int]) -> str:
    """Any rare word, or a common one in a path or in a defined name."""
    rare = query.rarest_words(counts, COMMON, MOST_ROWS)
    common = [
        query.name_fts_expression(word)
        for word, count in counts.items()
        if count and word not in rare
    ]
    if sum(counts[word] for word in rare) > MOST_ROWS // 2:
        # Enough without them, and filtering a common word reads all its rows.
        common = []
    telling = [
        named
        for named in common
        if 0 < code_search.count_full_text_matches(store, "chunk", named, COMMON) < COMMON
    ]
    any_rare = [query.quote_fts_term(word) for word in parsed.words if word in rare]
    if not any_rare and not telling:
        return query.any_word_fts_expression(parsed.words, counts, COMMON)
    return " OR ".join([*any_rare, *telling])


def _with_related(
    app: App, parsed: ParsedQuestion, scope: FileScope, leg: ChunkWordMatches
) -> ChunkWordMatches:

    rarity, found = explicit_files.match_related_code_words(app, parsed, POOL)
    heads = {
        **leg.heads,
        **_visible_heads(app, scope, [number for number in found if number not in leg.heads]),
    }
    meant = {number: RELATED * score for number, score in found.items() if number in heads}
    scores = {number: leg.scores.get(number, 0.0) + meant.get(number, 0.0) for number in heads}
    return replace(leg, heads=heads, scores=scores, related=rarity)


def _with_phrases(
    app: App, parsed: ParsedQuestion, scope: FileScope, leg: ChunkWordMatches
) -> ChunkWordMatches:

    heads, scores = dict(leg.heads), dict(leg.scores)
    for phrase in parsed.phrases:
        expression = query.phrase_fts_expression(phrase)
        best = code_search.best_matching_rows(app.store, "chunk", expression, PHRASED)
        found = _visible_heads(app, scope, [number for number, _ in best])
        if not found and len(best) == PHRASED:
            best = code_search.best_matching_rows(
                app.store, "chunk", expression, PHRASED, _places(app, scope)
            )
            found = _visible_heads(app, scope, [number for number, _ in best])
        for number, score in best:
            if number in found:
                heads[number] = found[number]
                scores.setdefault(number, score)
    return replace(leg, heads=heads, scores=scores)


def _with_task(
    app: App, parsed: ParsedQuestion, scope: FileScope, leg: ChunkWordMatches
) -> ChunkWordMatches:

    best = explicit_files.match_common_task_chunks(app, parsed, leg.idf)
    heads = _visible_heads(app, scope, [number for number, _ in best])
    scores = {number: score for number, score in best if number in heads}
    return replace(leg, heads={**leg.heads, **heads}, scores={**leg.scores, **scores})


def _visible_heads(app: App, scope: FileScope, numbers: list[int]) -> dict[int, ChunkMetadata]:
    heads = chunks.chunk_metadata_by_row_number(app.store, app.worktree, numbers)
    if scope.is_unrestricted:
        return heads
    return {
        number: head
        for number, head in heads.items()
        if scope.contains_file(head.path, head.language)
    }


def _definitions(
    app: App, parsed: ParsedQuestion, scope: FileScope
) -> tuple[dict[str, int], dict[str, tuple[float, bool]]]:
    """Path -> line of a definition asked for, and -> (1 or 0.5, whether the file is named so)."""
    lines: dict[str, int] = {}
    exact: dict[str, tuple[float, bool]] = {}
    if not parsed.symbols:
        return lines, exact
    found = symbols.definitions_of_names(app.store, app.worktree, parsed.symbols, MOST_DEFINITIONS)
    for symbol in found:
        if not scope.contains_file(symbol.path, symbol.language):
            continue
        share = 1.0 if symbol.name in parsed.symbols and symbol.kind not in _INNER else 0.5
        before = exact.get(symbol.path, (0.0, False))
        if share > before[0]:
            lines[symbol.path] = symbol.start_line
        exact[symbol.path] = (
            max(share, before[0]),
            before[1] or _names_file(symbol.path, symbol.name),
        )
    return lines, exact


def _names_file(path: str, name: str) -> bool:
    stem = path.rpartition("/")[2].partition(".")[0]
    return symbols.normalise_name(stem).rstrip("s") == symbols.normalise_name(name).rstrip("s")


def _evidence(
    app: App,
    question: Question,
    scope: FileScope,
    of_file: Mapping[str, list[ChunkMetadata]],
    leg: ChunkWordMatches,
    exact: Mapping[str, tuple[float, bool]],
    phrased: Mapping[str, float],
) -> list[FileRankingFeatures]:
    history = {} if "history" in question.without else _history(app, question.parsed)
    named = explicit_files.files_named_in_question(app, question.parsed)
    usual = explicit_files.usual_answer_files(app, question.parsed)
    elsewhere = {*exact, *history, *named, *usual} - of_file.keys()
    others = chunks.indexed_files_by_path(app.store, app.worktree, elsewhere)
    evidence = []
    for path in {**of_file, **others}:
        group = of_file.get(path, [])
        language, lines = (
            (group[0].language, group[0].lines)
            if group
            else (others[path].language, others[path].lines)
        )
        if not group and not scope.contains_file(path, language):
            continue
        defines, own = exact.get(path, (0.0, False))
        evidence.append(
            FileRankingFeatures(
                path=path,
                language=language,
                scores=tuple(leg.scores[head.id] for head in group if head.id in leg.scores),
                names=tuple({name for head in group for name in head.symbol.split()}),
                defines=defines,
                own_file=own,
                history=history.get(path, 0.0),
                phrase=phrased.get(path, 0.0),
                path_named=named.get(path, 0.0),
                usual=path in usual,
                lines=lines,
            )
        )
    return evidence


def _history(app: App, parsed: ParsedQuestion) -> dict[str, float]:
    """Path -> score (0 to 1) by past commits with similar messages."""
    store = app.store
    counts = _counts(store, "commit", parsed)
    expression = query.any_word_fts_expression(parsed.words, counts, COMMON)
    if not expression:
        return {}
    best = dict(
        code_search.best_matching_rows(
            store, "commit", expression, PAST, column_weights=PAST_WEIGHTS
        )
    )
    rows = commits.times_and_changed_paths_of_commits(store, list(best))
    newest = commits.newest_commit_time(store)
    return commit_affinity.score_files_by_commits(
        ((best[number], at, paths) for number, at, paths in rows), newest
    )


def _places(app: App, scope: FileScope) -> Collection[int]:
    """The numbers of all pieces in scope."""
    return indexed_files.paths_and_languages_by_chunk(app.store, app.worktree, scope.contains_file)
