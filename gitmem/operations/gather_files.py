"""Candidates for a search from indexed files: one for each file, its best piece in front."""

from collections.abc import Collection, Mapping
from math import log

from gitmem.app import App
from gitmem.indexing.languages import PROSE
from gitmem.model.value import dataclass
from gitmem.operations.by_words import COMMON
from gitmem.operations.gather import Found, Question, Scope, told
from gitmem.operations.hits import HitItem
from gitmem.search import files as ranking
from gitmem.search import past, query, rank
from gitmem.search.asked import Asked
from gitmem.search.files import Evidence, Scored
from gitmem.search.held import held
from gitmem.search.hybrid import Candidate
from gitmem.store import commits, pieces, source_index, sources, symbols
from gitmem.store.pieces import Head

# Pieces that are looked at for one question: 200 were as good as 400 on the code sets.
POOL = 200
# Commits asked for what they changed.
PAST = 100
MOST_DEFINITIONS = 50
# Other pieces of a file are named beside its best one from this share of its score on.
NEARLY = 0.6
MOST_ALSO = 3
# A field or a property of that name is not what somebody looks for who writes a name.
_INNER = frozenset({"field", "property", "variable"})


@dataclass(frozen=True, slots=True)
class _Leg:
    """What the words found: heads and BM25 of pieces, and each word's rarity."""

    heads: dict[int, Head]
    scores: dict[int, float]
    rarity: dict[str, float]


@dataclass(frozen=True, slots=True)
class Looked:
    """What was found, by path: pieces, evidence, the line of a definition that is asked for."""

    leg: _Leg
    cosines: Mapping[int, float]
    of_file: dict[str, list[Head]]
    evidence: list[Evidence]
    defined: dict[str, int]


def files(app: App, question: Question, scope: Scope) -> Found:
    """The files that answer, by words, definitions, past commits and meaning."""
    looked = look(app, question, scope)
    leg, of_file = looked.leg, looked.of_file
    scored = ranking.score(looked.evidence, question.asked, leg.rarity, without=question.without)
    alike = {
        path: max((looked.cosines.get(head.id, 0.0) for head in group), default=0.0)
        for path, group in of_file.items()
    }
    chosen = _best(scored, alike, question.limit)
    lead = {
        path: _lead(app, path, of_file.get(path, []), leg, looked.cosines, looked.defined)
        for path in chosen
    }
    return _hits(app, question, chosen, lead, of_file, scored, alike, leg)


def look(app: App, question: Question, scope: Scope) -> Looked:
    """Everything that ranking needs to know of the files that may answer."""
    leg = _by_words(app, question.asked, scope) if question.lexical else _Leg({}, {}, {})
    within = None if scope.everything else _places(app, scope)
    cosines = question.similar("chunk", list(leg.scores), within)
    heads = {**leg.heads, **_unseen(app, scope, [one for one in cosines if one not in leg.heads])}
    of_file: dict[str, list[Head]] = {}
    for head in heads.values():
        of_file.setdefault(head.path, []).append(head)
    if not question.lexical:
        return Looked(leg, cosines, of_file, [], {})
    defined, exact = _definitions(app, question.asked, scope)
    evidence = _evidence(app, question, scope, of_file, leg, exact)
    return Looked(leg, cosines, of_file, evidence, defined)


def _by_words(app: App, asked: Asked, scope: Scope) -> _Leg:
    store = app.store
    total = pieces.count(store)
    counts = {
        word: source_index.frequency(store, "chunk", query.quoted(word), COMMON)
        for word in asked.words
    }
    rarity = {
        word: log(1 + max(total - count + 0.5, 0.5) / (count + 0.5)) if count else 0.0
        for word, count in counts.items()
    }
    expression = query.any_of(asked.words, counts, COMMON)
    if not expression:
        return _Leg({}, {}, rarity)
    best = source_index.match(store, "chunk", expression, POOL * 3)
    heads = _kept(app, scope, [number for number, _ in best])
    if len(heads) < POOL and len(best) == POOL * 3:
        # The best are mostly not to be shown: ask again, only among those that are.
        best = source_index.match(store, "chunk", expression, POOL, _places(app, scope))
        heads = _kept(app, scope, [number for number, _ in best])
    scores = {number: score for number, score in best if number in heads}
    scores = dict(list(scores.items())[:POOL])
    return _Leg({number: heads[number] for number in scores}, scores, rarity)


def _kept(app: App, scope: Scope, numbers: list[int]) -> dict[int, Head]:
    heads = pieces.heads(app.store, app.worktree, numbers)
    if scope.everything:
        return heads
    return {number: head for number, head in heads.items() if scope.holds(head.path, head.language)}


def _unseen(app: App, scope: Scope, numbers: list[int]) -> dict[int, Head]:
    return _kept(app, scope, numbers) if numbers else {}


def _definitions(
    app: App, asked: Asked, scope: Scope
) -> tuple[dict[str, int], dict[str, tuple[float, bool]]]:
    """Path -> line of a definition that is asked for, and -> (1 or 0.5, its own file or not)."""
    lines: dict[str, int] = {}
    exact: dict[str, tuple[float, bool]] = {}
    if not asked.symbols:
        return lines, exact
    found = symbols.by_keys(app.store, app.worktree, asked.symbols, MOST_DEFINITIONS)
    for one in found:
        if not scope.holds(one.path, one.language):
            continue
        share = 1.0 if one.name in asked.symbols and one.kind not in _INNER else 0.5
        before = exact.get(one.path, (0.0, False))
        if share > before[0]:
            lines[one.path] = one.start_line
        exact[one.path] = (max(share, before[0]), before[1] or _names_file(one.path, one.name))
    return lines, exact


def _names_file(path: str, name: str) -> bool:
    stem = path.rpartition("/")[2].partition(".")[0]
    return symbols.key(stem).rstrip("s") == symbols.key(name).rstrip("s")


def _evidence(
    app: App,
    question: Question,
    scope: Scope,
    of_file: Mapping[str, list[Head]],
    leg: _Leg,
    exact: Mapping[str, tuple[float, bool]],
) -> list[Evidence]:
    history = {} if "history" in question.without else _history(app, question.asked)
    others = pieces.shown(app.store, app.worktree, {*exact, *history} - of_file.keys())
    evidence = []
    for path in {**of_file, **others}:
        group = of_file.get(path, [])
        language, lines = (
            (group[0].language, group[0].lines)
            if group
            else (others[path].language, others[path].lines)
        )
        if not group and not scope.holds(path, language):
            continue
        defines, own = exact.get(path, (0.0, False))
        evidence.append(
            Evidence(
                path=path,
                language=language,
                scores=tuple(leg.scores[one.id] for one in group if one.id in leg.scores),
                names=tuple({name for one in group for name in one.symbol.split()}),
                defines=defines,
                own_file=own,
                history=history.get(path, 0.0),
                lines=lines,
            )
        )
    return evidence


def _history(app: App, asked: Asked) -> dict[str, float]:
    """Path -> how much past commits that speak of the same speak for it."""
    store = app.store
    counts = {
        word: source_index.frequency(store, "commit", query.quoted(word), COMMON)
        for word in asked.words
    }
    expression = query.any_of(asked.words, counts, COMMON)
    if not expression:
        return {}
    best = dict(source_index.match(store, "commit", expression, PAST))
    rows = commits.changed(store, list(best))
    newest = commits.newest_at(store)
    return past.files(((best[number], at, paths) for number, at, paths in rows), newest)


def _best(scored: Mapping[str, Scored], alike: Mapping[str, float], limit: int) -> list[str]:
    """The paths worth fusing: the best by words, and the best by meaning."""
    by_words = sorted(scored, key=lambda path: -scored[path].score)[: 3 * limit]
    by_meaning = sorted((path for path in alike if alike[path] > 0), key=lambda path: -alike[path])[
        : 3 * limit
    ]
    return list(dict.fromkeys([*by_words, *by_meaning]))


def _lead(
    app: App,
    path: str,
    group: list[Head],
    leg: _Leg,
    cosines: Mapping[int, float],
    defined: Mapping[str, int],
) -> Head | None:
    """The piece that stands for a file: the definition asked for, else what answers best."""
    if path in defined:
        found = pieces.at_line(app.store, app.worktree, path, defined[path])
        if found is not None:
            return found
    if not group:
        return pieces.first(app.store, app.worktree, path)
    top = max(leg.scores.values(), default=1.0)
    return max(
        group,
        key=lambda one: (leg.scores.get(one.id, 0.0) / top + cosines.get(one.id, 0.0), -one.id),
    )


def _hits(
    app: App,
    question: Question,
    chosen: list[str],
    lead: Mapping[str, Head | None],
    of_file: Mapping[str, list[Head]],
    scored: Mapping[str, Scored],
    alike: Mapping[str, float],
    leg: _Leg,
) -> Found:
    texts = pieces.texts(app.store, [head.id for head in lead.values() if head])
    top = max((one.score for one in scored.values()), default=0.0) or 1.0
    quality = _quality(question.asked, chosen, lead, texts, leg.rarity)
    found: Found = []
    for path in chosen:
        head = lead[path]
        if head is None:
            continue
        score = scored.get(path)
        similarity = alike.get(path) if question.meaning else None
        found.append(
            (
                Candidate(
                    key=("chunk", head.id),
                    lexical=quality * score.score / top if score else 0.0,
                    similarity=similarity or (0.0 if question.meaning else None),
                    parts=tuple(score.parts.items()) if score else (),
                    notes=_told_why(score),
                ),
                HitItem(
                    kind="note" if head.language in PROSE else "code",
                    path=told(path),
                    start_line=head.start_line,
                    end_line=head.end_line,
                    symbol=head.symbol,
                    context=head.context,
                    snippet=texts.get(head.id, ""),
                    also=_also(head, of_file.get(path, []), leg),
                ),
            )
        )
    return found


def _also(lead: Head, group: list[Head], leg: _Leg) -> tuple[str, ...]:
    """The lines of a file's other pieces that answer nearly as well as its best."""
    top = max((leg.scores.get(one.id, 0.0) for one in group), default=0.0)
    others = [
        one
        for one in group
        if one.id != lead.id and leg.scores.get(one.id, 0.0) >= NEARLY * top > 0
    ]
    others.sort(key=lambda one: -leg.scores[one.id])
    return tuple(f"{one.start_line}-{one.end_line}" for one in others[:MOST_ALSO])


def _quality(
    asked: Asked,
    chosen: list[str],
    lead: Mapping[str, Head | None],
    texts: Mapping[int, str],
    rarity: Mapping[str, float],
) -> float:
    """How well the best file answers, 0 to 1, so that files can stand beside commits."""
    head = lead[chosen[0]] if chosen else None
    if head is None:
        return 1.0
    words = held(asked.words, f"{head.path} {head.symbol} {head.context} {texts.get(head.id, '')}")
    return rank.lexical(words, len(asked.words), 1.0)


def _told_why(score: Scored | None) -> tuple[str, ...]:
    if score is None:
        return ()
    told = []
    if {"defines", "defines_only"} & score.parts.keys():
        told.append("defines it")
    elif "defines_loosely" in score.parts:
        told.append("defines a like name")
    if score.parts.get("history", 0.0) >= 0.3:
        told.append("changed by commits about it")
    told += [f"{kind} file" for kind in score.kinds]
    return tuple(told)


def _places(app: App, scope: Scope) -> Collection[int]:
    """The pieces that may be shown, where a search has to be told before it begins."""
    return sources.places(app.store, app.worktree, scope.holds)
