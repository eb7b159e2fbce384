"""Candidates for a search from indexed files: one for each file, its best piece in front."""

import os
from collections.abc import Collection, Mapping, Sequence

from gitmem.app import App
from gitmem.git.mtimes import written
from gitmem.languages.index import PROSE
from gitmem.model.frozen import replace
from gitmem.retrieval.file_evidence import FileMatches, LexicalMatches, match_files
from gitmem.retrieval.hit_view import HitItem, readable_path
from gitmem.retrieval.question import Candidates, Question, Scope
from gitmem.search import best_piece, context_boost, copies, file_kinds, first_places, fusion, rank
from gitmem.search import files as ranking
from gitmem.search.context_boost import Moment
from gitmem.search.files import Scored
from gitmem.search.fusion import Candidate
from gitmem.search.matched_words import held
from gitmem.search.question import Asked
from gitmem.sessions.current_session import current_session
from gitmem.store.code import chunks
from gitmem.store.code.chunks import Head
from gitmem.store.session import sessions

# Other pieces of a file are hits of their own from this share of its best one's score on.
NEARLY = 0.6
MOST_ALSO = 3
# The pieces of so many files are read for each hit that is asked for.
LOOKED_INTO = 2
# Path, candidate, item.
Hits = list[tuple[str, Candidate, HitItem]]


def files(app: App, question: Question, scope: Scope) -> Candidates:
    """The files that answer, by words, definitions, past commits and meaning."""
    matches = _matches(app, question, scope)
    of_file = matches.of_file
    scored = _scored(question, matches)
    alike = {
        path: max(cosines)
        for path, group in of_file.items()
        if (cosines := [matches.cosines[one.id] for one in group if one.id in matches.cosines])
    }
    chosen = _best(scored, alike, question.limit)
    among = _among(scored)
    wants = question.asked.wants
    first = _best_of_kinds(matches, among, alike, wants) if scope.compared else []
    chosen = list(dict.fromkeys([*chosen, *first]))
    top = max((one.score for one in scored.values()), default=0.0) or 1.0
    words = {path: one.score / top for path, one in scored.items()}
    likely = sorted(chosen, key=lambda path: -words.get(path, 0.0) - alike.get(path, 0.0))
    likely = list(dict.fromkeys([*first, *likely]))[: LOOKED_INTO * question.limit]
    read = [of_file.get(path, []) for path in likely]
    value = _values(app, read, matches)
    lead = {path: _lead(app, path, of_file.get(path, []), matches, value) for path in chosen}
    surely = _asked_for(question.asked, matches)
    whole = question.counts_more.moment
    now = moment(app, question.near, chosen, whole=whole, viewed=question.viewed)
    boosts = context_boost.boosts(chosen, now)
    hits = _hits(app, question, chosen, lead, matches, scored, words, among, alike, value, likely)
    if question.per_path > 1:
        hits = _apart(app, question, hits, lead, matches)
    return [
        (
            # Mostly the moment adds nothing.
            replace(one, boost=boost.factor, notes=(*one.notes, *boost.why), asked_for=sure)
            if sure or boost.factor != 1
            else one,
            item,
        )
        for path, one, item in hits
        for boost, sure in [(boosts[path], path in surely)]
    ]


def _matches(app: App, question: Question, scope: Scope) -> FileMatches:
    caches = app.store.caches
    if caches is None:
        return match_files(app, question, scope)
    key = question.found_in(app.worktree, scope)
    return caches.results.through(key, lambda: match_files(app, question, scope))


def _scored(question: Question, matches: FileMatches) -> dict[str, Scored]:
    profile = question.counts_more
    return ranking.score(
        matches.evidence,
        question.asked,
        matches.leg.rarity,
        weights={**ranking.WEIGHTS, **dict(profile.weights)},
        factors=question.factors,
        without=question.without,
    )


def _asked_for(asked: Asked, matches: FileMatches) -> set[str]:
    """The files that hold every phrase in quotes, and those that the question calls by name."""
    named = {one.path for one in matches.evidence if one.asked_path == 1}
    phrased = {path for path, share in matches.phrased.items() if share == 1}
    return named | phrased if asked.strict else named


def _best(scored: Mapping[str, Scored], alike: Mapping[str, float], limit: int) -> list[str]:
    """The paths worth fusing: the best by words, and the best by meaning."""
    by_words = sorted(
        (path for path in scored if scored[path].score > 0),
        key=lambda path: (-scored[path].score, path),
    )
    by_meaning = sorted(
        (path for path in alike if alike[path] > 0), key=lambda path: (-alike[path], path)
    )
    return list(dict.fromkeys([*by_words[: 3 * limit], *by_meaning[: 3 * limit]]))


def _among(scored: Mapping[str, Scored]) -> dict[str, float]:
    """Path -> score by words beside files of its kind, which its kind does not lower; 0 to 1."""
    own = {path: one.score / one.parts.get("kind", 1.0) for path, one in scored.items()}
    top = max(own.values(), default=0.0) or 1.0
    return {path: score / top for path, score in own.items()}


def _best_of_kinds(
    matches: FileMatches,
    among: Mapping[str, float],
    alike: Mapping[str, float],
    wants: Mapping[str, float],
) -> list[str]:
    """The best files of each kind that may take one of the first places, by words and meaning."""
    language = {one.path: one.language for one in matches.evidence}
    language |= {path: group[0].language for path, group in matches.of_file.items()}
    best: dict[str, list[str]] = {}
    seen = set[str]()
    for path in sorted(
        language, key=lambda path: (-among.get(path, 0.0) - alike.get(path, 0.0), path)
    ):
        # Of the translations of a document one is held against other kinds.
        plain = copies.untranslated(path) if language[path] in PROSE else path
        if plain not in seen:
            best.setdefault(file_kinds.main(path, language[path]), []).append(path)
        seen.add(plain)
    return [
        path
        for kind in first_places.LESS
        for path in best.get(kind, [])[: first_places.most(kind, wants)]
    ]


def _values(app: App, groups: Sequence[list[Head]], matches: FileMatches) -> dict[int, float]:
    """How well each piece answers, of the files that have several to choose from."""
    several = [one for group in groups if len(group) > 1 for one in group]
    texts = chunks.texts(app.store, [one.id for one in several])
    scores, cosines = matches.leg.scores, matches.cosines
    top = max(scores.values(), default=1.0)
    return {
        one.id: best_piece.value(
            texts.get(one.id, ""),
            best_piece.heading(one.symbol, one.context, prose=one.language in PROSE),
            matches.leg.rarity,
            alike=cosines.get(one.id, 0.0),
            bm25=scores.get(one.id, 0.0) / top,
            related=matches.leg.related,
        )
        for one in several
    }


def _lead(
    app: App, path: str, group: list[Head], matches: FileMatches, value: Mapping[int, float]
) -> Head | None:
    """The piece that stands for a file: the definition asked for, else what answers best."""
    if path in matches.defined:
        found = chunks.at_line(app.store, app.worktree, path, matches.defined[path])
        if found is not None:
            return found
    if not group:
        return chunks.first(app.store, app.worktree, path)
    words = matches.leg.scores
    return max(group, key=lambda one: (value.get(one.id, 0.0), words.get(one.id, 0.0), -one.id))


def _hits(
    app: App,
    question: Question,
    chosen: list[str],
    lead: Mapping[str, Head | None],
    matches: FileMatches,
    scored: Mapping[str, Scored],
    words: Mapping[str, float],
    among: Mapping[str, float],
    alike: Mapping[str, float],
    value: Mapping[int, float],
    likely: Collection[str],
) -> Hits:
    """What a piece holds counts for the ``likely`` paths: what is far behind is not read for it."""
    texts = chunks.texts(app.store, [head.id for head in lead.values() if head])
    quality = _quality(question.asked, chosen, lead, texts)
    weight = best_piece.weight_of_share(question.asked)
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
                Candidate(
                    # Not by the piece: two paths may show the same content.
                    key=("file", place),
                    lexical=lexical,
                    # That a piece holds much of a question orders places, it proves no answer.
                    judged=plain if best_piece.by_place(question.asked) else None,
                    similarity=alike.get(path),
                    meant=_meant(question, head),
                    among=own,
                    parts=tuple(score.parts.items()) if score else (),
                    notes=ranking.reasons(score),
                ),
                HitItem(
                    kind="note" if head.language in PROSE else "code",
                    path=readable_path(path),
                    start_line=head.start_line,
                    end_line=head.end_line,
                    symbol=head.symbol,
                    context=head.context,
                    file_kind=file_kinds.main(path, head.language),
                    snippet=text,
                    also=_also(head, matches.of_file.get(path, []), value),
                ),
            )
        )
    return found


def _share(head: Head, text: str, leg: LexicalMatches) -> float:
    """The share of the question that a piece holds, with its path and names."""
    told = f"{head.path} {head.symbol} {head.context} {text}"
    return best_piece.share(told, leg.rarity, leg.related)


def _with_share(words: float, share: float, score: Scored, weight: float) -> float:
    """How well words answer, 0 to 1: by all evidence, and by what the piece shown holds."""
    # What is known by its name or its place need not say what it is asked for.
    if not {"usual", "asked_path"}.isdisjoint(score.parts):
        share = max(share, words)
    return (words + weight * share) / (1 + weight)


def _meant(question: Question, head: Head) -> float:
    """How likely a file of this kind is meant: its text may be as alike as the code's."""
    if "kind" in question.without or not question.meaning:
        return 1.0
    asked = question.asked
    return file_kinds.lowered(
        head.path, head.language, asked.wants, asked.beside, question.factors
    ).factor


def _also(lead: Head, group: list[Head], value: Mapping[int, float]) -> tuple[str, ...]:
    """The lines of a file's other pieces that answer nearly as well as its best."""
    least = best_piece.NEARLY * max((value.get(one.id, 0.0) for one in group), default=0.0)
    others = [one for one in group if one.id != lead.id and value.get(one.id, 0.0) >= least > 0]
    others.sort(key=lambda one: (-value[one.id], one.start_line))
    return tuple(f"{one.start_line}-{one.end_line}" for one in others[:MOST_ALSO])


def _quality(
    asked: Asked,
    chosen: list[str],
    lead: Mapping[str, Head | None],
    texts: Mapping[int, str],
) -> float:
    """How well the best file answers, 0 to 1, so that files can stand beside commits."""
    head = lead[chosen[0]] if chosen else None
    if head is None:
        return 1.0
    words = held(asked.words, f"{head.path} {head.symbol} {head.context} {texts.get(head.id, '')}")
    return rank.lexical(words, len(asked.words), 1.0)


def _apart(
    app: App,
    question: Question,
    hits: Hits,
    lead: Mapping[str, Head | None],
    matches: FileMatches,
) -> Hits:
    """The hits, each file's followed by its next best pieces: ``question.per_path`` in all."""
    extra = {
        path: _next_best(lead[path], matches.of_file.get(path, ()), matches, question.per_path - 1)
        for path, _, _ in hits
    }
    texts = chunks.texts(app.store, [head.id for heads in extra.values() for head in heads])
    found: Hits = []
    for number, (path, one, item) in enumerate(hits):
        found.append((path, one, replace(item, also=())))
        best = _strength(lead[path], extra[path], matches)
        for place, head in enumerate(extra[path]):
            share = matches.leg.scores.get(head.id, 0.0) / best if best else 0.0
            candidate = replace(
                one,
                key=("piece", number * question.per_path + place),
                lexical=one.lexical * min(share, 1.0),
                similarity=matches.cosines.get(head.id),
            )
            found.append((path, candidate, _item(item, head, texts.get(head.id, ""))))
    return found


def _next_best(
    lead: Head | None, group: Sequence[Head], matches: FileMatches, most: int
) -> list[Head]:
    """The other pieces that answer nearly as well by words or by meaning, the best first."""
    scores, cosines = matches.leg.scores, matches.cosines
    words = max((scores.get(one.id, 0.0) for one in group), default=0.0)
    alike = max((cosines.get(one.id, 0.0) for one in group), default=0.0)
    others = [
        one
        for one in group
        if one is not lead
        and (lead is None or one.id != lead.id)
        and (
            scores.get(one.id, 0.0) >= NEARLY * words > 0
            or cosines.get(one.id, 0.0) >= max(NEARLY * alike, fusion.LEAST_ALIKE)
        )
    ]

    def rank(one: Head) -> tuple[float, int]:
        share = scores.get(one.id, 0.0) / words if words else 0.0
        return -share - cosines.get(one.id, 0.0), one.start_line

    return sorted(others, key=rank)[:most]


def _strength(lead: Head | None, others: Sequence[Head], matches: FileMatches) -> float:
    """The best BM25 of a file's pieces that are shown."""
    shown = [*others, *([lead] if lead else [])]
    return max((matches.leg.scores.get(one.id, 0.0) for one in shown), default=0.0)


def _item(of: HitItem, head: Head, text: str) -> HitItem:
    return replace(
        of,
        start_line=head.start_line,
        end_line=head.end_line,
        symbol=head.symbol,
        context=head.context,
        snippet=text,
        also=(),
    )


def moment(
    app: App,
    near: str,
    paths: Collection[str],
    *,
    whole: bool,
    viewed: frozenset[str] = frozenset(),
) -> Moment:
    """What ``search.moment`` asks of some paths; only what was said (``near``) unless ``whole``.

    ``viewed`` are files that count as viewed beside those of the session.
    """
    place = inside(app, near)
    if not whole:
        return Moment(app.now, near=place)
    running = current_session(app)
    return Moment(
        app.now,
        near=place,
        viewed=viewed.union(sessions.files(app.store, running.id) if running else ()),
        written=written(app.worktree, paths),
    )


def inside(app: App, path: str) -> str:
    """A path as somebody gives it, as one of the repository."""
    plain = path.strip().replace("\\", "/")
    if os.path.isabs(plain):
        plain = os.path.relpath(plain, app.worktree).replace("\\", "/")
    return plain.removeprefix("./")
