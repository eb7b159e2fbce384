"""Candidates for a search from indexed files: the best piece of each file."""

import os
from collections.abc import Collection, Mapping, Sequence

from gitmem.app import App
from gitmem.git.mtimes import modification_times
from gitmem.languages.index import PROSE
from gitmem.model.frozen import replace
from gitmem.retrieval.file_evidence import ChunkWordMatches, FileMatches, match_files
from gitmem.retrieval.hit_view import HitItem, escape_path
from gitmem.retrieval.question import Candidates, FileScope, Question
from gitmem.search import best_piece, context_boost, copies, file_kinds, first_places, fusion, rank
from gitmem.search import files as ranking
from gitmem.search.context_boost import SearchContext
from gitmem.search.files import FileScore
from gitmem.search.fusion import FusionCandidate
from gitmem.search.matched_words import words_in_text
from gitmem.search.question import ParsedQuestion
from gitmem.sessions.current_session import current_session
from gitmem.store.code import chunks
from gitmem.store.code.chunks import ChunkMetadata
from gitmem.store.session import sessions

# Further pieces of a file are hits from this share of the best score on.
NEARLY = 0.6
MOST_ALSO = 3
# What the share of pasted code in a piece adds to its value: more than all else.
_COPY = 10.0
# Files whose pieces are read, for each hit requested.
LOOKED_INTO = 2
# Path, candidate, item.
Hits = list[tuple[str, FusionCandidate, HitItem]]


def find_file_candidates(app: App, question: Question, scope: FileScope) -> Candidates:
    """The best matching files, unranked, as (candidate for ranking, hit to show)."""
    matches = _matches(app, question, scope)
    of_file = matches.of_file
    scored = _scored(question, matches)
    alike = {
        path: max(cosines)
        for path, group in of_file.items()
        if (cosines := [matches.cosines[head.id] for head in group if head.id in matches.cosines])
    }
    chosen = _best(scored, alike, question.limit)
    among = _scores_within_kind(scored)
    wants = question.parsed.requested_kinds
    first = _best_of_kinds(matches, among, alike, wants) if scope.has_several_kinds else []
    chosen = list(dict.fromkeys([*chosen, *first]))
    top = max((file.score for file in scored.values()), default=0.0) or 1.0
    words = {path: file.score / top for path, file in scored.items()}
    likely = sorted(chosen, key=lambda path: -words.get(path, 0.0) - alike.get(path, 0.0))
    likely = list(dict.fromkeys([*first, *likely]))[: LOOKED_INTO * question.limit]
    read = [of_file.get(path, []) for path in likely]
    value = _values(app, read, matches, question.parsed.text)
    lead = {path: _lead(app, path, of_file.get(path, []), matches, value) for path in chosen}
    surely = _explicit(question.parsed, matches)
    whole = question.ranking_profile.uses_context
    now = make_search_context(
        app, question.near, chosen, include_session=whole, viewed_paths=question.viewed
    )
    boosts = context_boost.context_boosts_by_path(chosen, now)
    hits = _hits(app, question, chosen, lead, matches, scored, words, among, alike, value, likely)
    if question.per_path > 1:
        hits = _with_further_pieces(app, question, hits, lead, matches)
    return [
        (
            replace(
                candidate, boost=boost.factor, notes=(*candidate.notes, *boost.why), explicit=sure
            )
            if sure or boost.factor != 1
            else candidate,
            item,
        )
        for path, candidate, item in hits
        for boost, sure in [(boosts[path], path in surely)]
    ]


def _matches(app: App, question: Question, scope: FileScope) -> FileMatches:
    caches = app.store.caches
    if caches is None:
        return match_files(app, question, scope)
    key = question.cache_key(app.worktree, scope)
    return caches.results.get_or_compute(key, lambda: match_files(app, question, scope))


def _scored(question: Question, matches: FileMatches) -> dict[str, FileScore]:
    profile = question.ranking_profile
    return ranking.score_files(
        matches.evidence,
        question.parsed,
        matches.leg.idf,
        weights={**ranking.WEIGHTS, **dict(profile.weights)},
        factors=question.file_kind_factors,
        excluded_score_parts=question.without,
    )


def _explicit(parsed: ParsedQuestion, matches: FileMatches) -> set[str]:
    """The files that contain every quoted phrase, and those that the question names."""
    named = {file.path for file in matches.evidence if file.path_named == 1}
    phrased = {path for path, share in matches.phrased.items() if share == 1}
    return named | phrased if parsed.requires_phrases else named


def _best(scored: Mapping[str, FileScore], alike: Mapping[str, float], limit: int) -> list[str]:
    """The paths to fuse: the best by words, and the best by meaning."""
    by_words = sorted(
        (path for path in scored if scored[path].score > 0),
        key=lambda path: (-scored[path].score, path),
    )
    by_meaning = sorted(
        (path for path in alike if alike[path] > 0), key=lambda path: (-alike[path], path)
    )
    return list(dict.fromkeys([*by_words[: 3 * limit], *by_meaning[: 3 * limit]]))


def _scores_within_kind(scored: Mapping[str, FileScore]) -> dict[str, float]:
    """Path -> word score without the factor of its kind; 0 to 1."""
    own = {path: file.score / file.parts.get("kind", 1.0) for path, file in scored.items()}
    top = max(own.values(), default=0.0) or 1.0
    return {path: score / top for path, score in own.items()}


def _best_of_kinds(
    matches: FileMatches,
    among: Mapping[str, float],
    alike: Mapping[str, float],
    wants: Mapping[str, float],
) -> list[str]:
    """The best files of each kind that may take one of the first places."""
    language = {file.path: file.language for file in matches.evidence}
    language |= {path: group[0].language for path, group in matches.of_file.items()}
    best: dict[str, list[str]] = {}
    plains = set[str]()
    for path in sorted(
        language, key=lambda path: (-among.get(path, 0.0) - alike.get(path, 0.0), path)
    ):
        # Of the translations of a document only one takes part.
        plain = copies.path_without_human_language(path) if language[path] in PROSE else path
        if plain not in plains:
            best.setdefault(file_kinds.main_kind_of_file(path, language[path]), []).append(path)
        plains.add(plain)
    return [
        path
        for kind in first_places.LESS
        for path in best.get(kind, [])[: first_places.candidate_count_of_kind(kind, wants)]
    ]


def _values(
    app: App, groups: Sequence[list[ChunkMetadata]], matches: FileMatches, question: str
) -> dict[int, float]:
    """Id -> value of each piece of files with several pieces; of a near copy 5 or more."""
    several = [head for group in groups if len(group) > 1 for head in group]
    texts = chunks.chunk_texts(app.store, [head.id for head in several])
    scores, cosines = matches.leg.scores, matches.cosines
    top = max(scores.values(), default=1.0)
    pasted = "\n" in question.strip()
    return {
        head.id: best_piece.chunk_score(
            texts.get(head.id, ""),
            best_piece.chunk_heading(head.symbol, head.context, is_prose=head.language in PROSE),
            matches.leg.idf,
            cosine=cosines.get(head.id, 0.0),
            bm25=scores.get(head.id, 0.0) / top,
            related_idf=matches.leg.related,
        )
        + (copies.copied_fraction(question, texts.get(head.id, "")) if pasted else 0.0) * _COPY
        for head in several
    }


def _lead(
    app: App,
    path: str,
    group: list[ChunkMetadata],
    matches: FileMatches,
    value: Mapping[int, float],
) -> ChunkMetadata | None:
    """The piece that represents a file: a copy, the definition asked for, else the best."""
    copied = any(value.get(head.id, 0.0) >= _COPY * copies.COPIED for head in group)
    if path in matches.defined and not copied:
        found = chunks.chunk_at_line(app.store, app.worktree, path, matches.defined[path])
        if found is not None:
            return found
    if not group:
        return chunks.first_chunk(app.store, app.worktree, path)
    words = matches.leg.scores
    return max(group, key=lambda head: (value.get(head.id, 0.0), words.get(head.id, 0.0), -head.id))


def _hits(
    app: App,
    question: Question,
    chosen: list[str],
    lead: Mapping[str, ChunkMetadata | None],
    matches: FileMatches,
    scored: Mapping[str, FileScore],
    words: Mapping[str, float],
    among: Mapping[str, float],
    alike: Mapping[str, float],
    value: Mapping[int, float],
    likely: Collection[str],
) -> Hits:
    """The hits; the share of the question in a piece counts only for the ``likely`` paths."""
    texts = chunks.chunk_texts(app.store, [head.id for head in lead.values() if head])
    quality = _quality(question.parsed, chosen, lead, texts)
    weight = best_piece.question_coverage_weight(question.parsed)
    found: Hits = []
    for place, path in enumerate(chosen):
        head = lead[path]
        if head is None:
            continue
        score, text = scored.get(path), texts.get(head.id, "")
        lexical = plain = quality * words.get(path, 0.0)
        own = quality * among.get(path, 0.0)
        if score and weight:
            share = _share(head, text, matches.leg) if path in likely else 0.0
            lexical = _with_share(lexical, share * score.parts.get("kind", 1.0), score, weight)
            own = _with_share(own, share, score, weight)
        found.append(
            (
                path,
                FusionCandidate(
                    key=("file", place),
                    lexical=lexical,
                    # For questions about places the share only orders hits.
                    answer_lexical=plain if best_piece.asks_for_place(question.parsed) else None,
                    similarity=alike.get(path),
                    cosine_factor=_kind_factor(question, head),
                    lexical_within_kind=own,
                    parts=tuple(score.parts.items()) if score else (),
                    notes=ranking.reasons_of_file_score(score),
                ),
                HitItem(
                    kind="note" if head.language in PROSE else "code",
                    path=escape_path(path),
                    start_line=head.start_line,
                    end_line=head.end_line,
                    symbol=head.symbol,
                    context=head.context,
                    file_kind=file_kinds.main_kind_of_file(path, head.language),
                    language=head.language,
                    snippet=text,
                    also=_further_lines(head, matches.of_file.get(path, []), value),
                ),
            )
        )
    return found


def _share(head: ChunkMetadata, text: str, leg: ChunkWordMatches) -> float:

    whole = f"{head.path} {head.symbol} {head.context} {text}"
    return best_piece.question_coverage(whole, leg.idf, leg.related)


def _with_share(words: float, share: float, score: FileScore, weight: float) -> float:
    """The word score, 0 to 1, from all evidence and from the share of the question in the piece."""
    # Files known by path or usual place need not contain the words.
    if not {"usual", "asked_path"}.isdisjoint(score.parts):
        share = max(share, words)
    return (words + weight * share) / (1 + weight)


def _kind_factor(question: Question, head: ChunkMetadata) -> float:

    if "kind" in question.without or not question.meaning:
        return 1.0
    parsed = question.parsed
    return file_kinds.rank_factor_of_file(
        head.path,
        head.language,
        parsed.requested_kinds,
        parsed.outside_source,
        question.file_kind_factors,
    ).factor


def _further_lines(
    lead: ChunkMetadata, group: list[ChunkMetadata], value: Mapping[int, float]
) -> tuple[str, ...]:

    least = best_piece.NEARLY * max((value.get(head.id, 0.0) for head in group), default=0.0)
    others = [head for head in group if head.id != lead.id and value.get(head.id, 0.0) >= least > 0]
    others.sort(key=lambda head: (-value[head.id], head.start_line))
    # Pieces of a long line of prose have the same one.
    spans = dict.fromkeys((head.start_line, head.end_line) for head in others)
    spans.pop((lead.start_line, lead.end_line), None)
    return tuple(f"{first}-{last}" for first, last in list(spans)[:MOST_ALSO])


def _quality(
    parsed: ParsedQuestion,
    chosen: list[str],
    lead: Mapping[str, ChunkMetadata | None],
    texts: Mapping[int, str],
) -> float:
    """The word score of the best file, 0 to 1, to compare files with commits."""
    head = lead[chosen[0]] if chosen else None
    if head is None:
        return 1.0
    words = words_in_text(
        parsed.words, f"{head.path} {head.symbol} {head.context} {texts.get(head.id, '')}"
    )
    return rank.memory_word_score(words, len(parsed.words), 1.0)


def _with_further_pieces(
    app: App,
    question: Question,
    hits: Hits,
    lead: Mapping[str, ChunkMetadata | None],
    matches: FileMatches,
) -> Hits:
    """The hits of each file followed by its next pieces, ``question.per_path`` in all."""
    extra = {
        path: _next_best(lead[path], matches.of_file.get(path, ()), matches, question)
        for path, _, _ in hits
    }
    texts = chunks.chunk_texts(app.store, [head.id for heads in extra.values() for head in heads])
    found: Hits = []
    for number, (path, candidate, item) in enumerate(hits):
        found.append((path, candidate, replace(item, also=())))
        best = _strength(lead[path], extra[path], matches)
        for place, head in enumerate(extra[path]):
            share = matches.leg.scores.get(head.id, 0.0) / best if best else 0.0
            further = replace(
                candidate,
                key=("piece", number * question.per_path + place),
                lexical=candidate.lexical * min(share, 1.0),
                similarity=matches.cosines.get(head.id),
            )
            found.append((path, further, _item(item, head, texts.get(head.id, ""))))
    return found


def _next_best(
    lead: ChunkMetadata | None,
    group: Sequence[ChunkMetadata],
    matches: FileMatches,
    question: Question,
) -> list[ChunkMetadata]:

    scores, cosines = matches.leg.scores, matches.cosines
    words = max((scores.get(head.id, 0.0) for head in group), default=0.0)
    alike = max((cosines.get(head.id, 0.0) for head in group), default=0.0)
    others = [
        head
        for head in group
        if head is not lead
        and (lead is None or head.id != lead.id)
        and (
            question.distant
            or scores.get(head.id, 0.0) >= NEARLY * words > 0
            or cosines.get(head.id, 0.0) >= max(NEARLY * alike, fusion.LEAST_ALIKE)
        )
    ]

    def rank(head: ChunkMetadata) -> tuple[float, int]:
        share = scores.get(head.id, 0.0) / words if words else 0.0
        return -share - cosines.get(head.id, 0.0), head.start_line

    return sorted(others, key=rank)[: question.per_path - 1]


def _strength(
    lead: ChunkMetadata | None, others: Sequence[ChunkMetadata], matches: FileMatches
) -> float:

    shown = [*others, *([lead] if lead else [])]
    return max((matches.leg.scores.get(head.id, 0.0) for head in shown), default=0.0)


def _item(of: HitItem, head: ChunkMetadata, text: str) -> HitItem:
    return replace(
        of,
        start_line=head.start_line,
        end_line=head.end_line,
        symbol=head.symbol,
        context=head.context,
        snippet=text,
        also=(),
    )


def make_search_context(
    app: App,
    near_path: str,
    paths: Collection[str],
    *,
    include_session: bool,
    viewed_paths: frozenset[str] = frozenset(),
) -> SearchContext:
    """The user's present work as a SearchContext, by which ``paths`` near it rank higher.

    It has the open file ``near_path``; if ``include_session``, also the files viewed in the
    session, those in ``viewed_paths``, and the time of the last change of each of ``paths``.
    """
    place = path_relative_to_worktree(app, near_path)
    if not include_session:
        return SearchContext(app.now, near=place)
    running = current_session(app)
    return SearchContext(
        app.now,
        near=place,
        viewed=viewed_paths.union(
            sessions.files_viewed_in_session(app.store, running.id) if running else ()
        ),
        written=modification_times(app.worktree, paths),
    )


def path_relative_to_worktree(app: App, path: str) -> str:
    """The path relative to the worktree; ``path`` is absolute, or relative to it already.

    It begins with ``../`` for a file outside.
    """
    plain = path.strip().replace("\\", "/")
    if os.path.isabs(plain):
        plain = os.path.relpath(plain, app.worktree).replace("\\", "/")
    return plain.removeprefix("./")
