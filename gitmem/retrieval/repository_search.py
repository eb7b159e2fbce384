"""One order of hits from everything that is kept: code, notes, commits and memories."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cache, partial

from gitmem.app import App
from gitmem.errors import Unavailable
from gitmem.model.frozen import dataclass, replace
from gitmem.retrieval import commit_candidates, hit_view, keyword, request_filters
from gitmem.retrieval.hit_view import HitItem
from gitmem.retrieval.memory_candidates import Alike, match, weigh
from gitmem.retrieval.question import Candidates, Question, Scope, Similar, Within
from gitmem.search import answered, best_piece, copies, first_places, fusion, pages, query, rank
from gitmem.search.matched_words import held
from gitmem.search.profiles import aged
from gitmem.search.question import read
from gitmem.store.code import chunks, code_search, commits
from gitmem.store.memory.filters import Filter

# How many of the most alike are fetched for each one shown.
OVERFETCH = 4
# So surely a question asks for a kind of file where nothing else is likelier.
SURELY = 0.8
Answer = tuple[fusion.Ranked, HitItem]
# How rare each word is, and how rare a word that is nowhere.
Rarity = tuple[dict[str, float], float]


@dataclass(frozen=True, slots=True)
class Sources:
    """What is searched: files of a scope (None: none), commits, memories.

    Commits not older than ``since`` (milliseconds), of authors whose name holds ``author``, that
    changed one of the files of ``paths``.
    """

    files: Scope | None
    commits: bool
    memories: bool
    since: int | None = None
    author: str = ""
    paths: Scope = Scope(frozenset())

    @property
    def past(self) -> bool:
        """Whether files and all commits are searched."""
        narrowed = self.since is not None or self.author or self.paths.path
        return self.files is not None and self.commits and not narrowed


def question(
    app: App,
    text: str,
    limit: int,
    *,
    mode: str,
    near: str = "",
    profile: str = "default",
    memories: bool = True,
    per_path: int = 1,
    alike: bool = False,
) -> Question:
    """The question as every source is asked it; ``mode`` is keyword, semantic or hybrid.

    With ``memories`` those that were just kept get their vectors first. A model that is not there
    is no reason to answer nothing: words alone count then, and ``lacks`` says why. Raises
    Unavailable where only the meaning was asked for, or how ``alike`` hits are.
    """
    # The terms first: a question that is far too long is refused before anything reads it.
    terms = query.parse(text)
    plain = Question(
        asked=read(text),
        terms=terms,
        similar=lambda _source, _keys, _within: {},
        limit=limit,
        lexical=mode != "semantic",
        meaning=mode != "keyword",
        near=near,
        profile=profile,
        per_path=per_path,
        without=frozenset(app.settings.text("search.without").split(",")) - {""},
    )
    if not plain.meaning:
        return plain
    # The model and its arithmetic are not for those who ask by words only.
    from gitmem.retrieval import vectors  # noqa: PLC0415

    store = app.store
    try:
        plainly = vectors.embed(app, text, alone=mode == "semantic")
        asked = (
            {"memory": vectors.embed_for_memories(app, text, [store], plainly)} if memories else {}
        )
    except Unavailable as error:
        if mode == "semantic" or alike:
            raise
        return replace(plain, meaning=False, lacks=error.as_sentences())

    def reaching(limit: int) -> Similar:
        def similar(source: str, keys: list[int], within: Within) -> Mapping[int, float]:
            wide, vector = limit * OVERFETCH, asked.get(source, plainly)
            near = vector.nearest(store, source, wide, worktree=app.worktree, within=within)
            return {**near, **vector.similarity(store, source, keys, near)}

        return similar

    shares = {source: vectors.share(app, one) for source, one in asked.items()}
    made = replace(plain, reaching=reaching, shares=shares, model=plainly.mark)
    return made.at_depth(limit)


def ranked(
    app: App,
    question: Question,
    sources: Sources,
    *,
    mode: str,
    method: str,
    each_kind: bool = True,
) -> list[Answer]:
    """The hits of all sources with their items, the best first.

    All that were looked at for the best ``question.limit``: those are right, beyond them some are
    missing. ``method`` is how words and meaning are joined (search.fusion); unless ``each_kind``
    files that are no source stand where their kind puts them (``search.file_kinds``).
    """
    found = _candidates(app, question, sources)
    items = {candidate.key: item for candidate, item in found}
    best = fusion.rank(
        [candidate for candidate, _ in found],
        len(found),
        mode=mode,
        fusion=method,
        meaning=app.settings.real("search.meaning"),
        rrf_k=app.settings.number("search.rrf_k"),
    )
    hits = _doubted_last([(hit, items[hit.candidate.key]) for hit in best])
    compared = sources.files is not None and sources.files.compared
    if not each_kind or not compared or question.per_path > 1:
        return hits
    hits = _without_copies(hits, english=question.asked.text.isascii())
    return _best_of_each_kind(app, question, hits, mode)


def _without_copies(hits: list[Answer], *, english: bool) -> list[Answer]:
    """The hits, of translations and near copies one, which says how many there are.

    A file that is called by its name stands for nothing but itself.
    """
    if any(hit.candidate.asked_for for hit, _ in hits):
        return hits
    passages = [
        copies.Passage(item.path if item.start_line else "", item.snippet, item.kind == "note")
        for _, item in hits
    ]
    kept = copies.together(passages, english=english)
    if len(kept) == len(hits):
        return hits
    return [
        (replace(hits[at][0], why=(*hits[at][0].why, told)) if told else hits[at][0], hits[at][1])
        for at, told in kept.items()
    ]


def _best_of_each_kind(app: App, question: Question, hits: list[Answer], mode: str) -> list[Answer]:
    """The same with the first page given by what the best of each kind hold."""
    asked = question.asked
    others = asked.wants.keys() - first_places.LESS.keys() - {"history"}
    if others or asked.task or any(_named(question, hit) for hit, _ in hits):
        return hits
    meaning = app.settings.real("search.meaning")
    known = [
        first_places.Hit(
            # What somebody marked as wrong takes no first place.
            "" if hit.candidate.doubted else hit_view.family(item),
            fusion.among_its_kind(hit.candidate, mode, meaning),
        )
        for hit, item in hits
    ]
    rare, _ = rarity(app, asked.words)
    first = first_places.order(
        known,
        cache(lambda at: _holds(*hits[at], rare)),
        asked.wants,
        place=asked.place,
        page=pages.FIRST,
    )
    rest = [one for at, one in enumerate(hits) if at not in first]
    # Whatever stands before another has no lower score.
    least = rest[0][0].score if rest else 0.0
    placed: list[Answer] = []
    for hit, item in (hits[at] for at in reversed(first)):
        least = max(least, hit.score)
        placed.append((replace(hit, score=least), item))
    return [*reversed(placed), *rest]


def _named(question: Question, hit: fusion.Ranked) -> bool:
    """Whether a question names a hit: by its path, a phrase, or as the one name that it is."""
    defines = {"defines_only", "defines_loosely"}.intersection(dict(hit.candidate.parts))
    return hit.candidate.asked_for or (question.asked.single and bool(defines))


def _holds(hit: fusion.Ranked, item: HitItem, rare: Mapping[str, float]) -> float:
    """How much of the question a hit holds by its words, its heading and its meaning."""
    heading = item.title or best_piece.heading(item.symbol, item.context, prose=item.kind == "note")
    alike = hit.candidate.similarity or 0.0
    value = best_piece.value(item.snippet, heading, rare, alike=alike, bm25=0.0, related={})
    if value > alike or hit_view.family(item) != "code" or held(list(rare), _text(item)):
        return value
    # Nothing of the question is in it: that it is code is no reason to come first.
    return value - first_places.FIRST


def _doubted_last(hits: list[Answer]) -> list[Answer]:
    if not any(hit.candidate.doubted for hit, _ in hits):
        return hits
    return pages.doubted_last(hits, lambda answer: answer[0].candidate.doubted)


def listed(
    app: App, question: Question, sources: Sources, *, mode: str, method: str, upto: int
) -> list[Answer]:
    """The list of which pages are shown, right up to the hit ``upto``: one for all pages.

    The first ``pages.FIRST`` are those of a search for no more; behind them stands what a deeper
    search finds beside them. Where a file may have several hits all is from the deeper search.
    """
    if question.per_path == 1:
        first = ranked(app, question.at_depth(pages.FIRST), sources, mode=mode, method=method)
        if upto <= pages.FIRST or len(first) <= pages.FIRST:
            return first
    deep = ranked(app, question.at_depth(pages.DEEP), sources, mode=mode, method=method)
    return deep if question.per_path > 1 else pages.joined(first[: pages.FIRST], deep, place)


def place(answer: Answer) -> Hashable:
    """The file, commit or memory that an answer is."""
    item = answer[1]
    return item.kind in ("code", "note"), item.id or item.commit or item.path


def piece(answer: Answer) -> Hashable:
    """The same, with the line where the answer begins in its file."""
    return place(answer), answer[1].start_line


def relevance(
    app: App,
    question: Question,
    sources: Sources,
    best: Sequence[Answer],
    *,
    mode: str,
    known: Rarity | None = None,
) -> str:
    """good: one of the best hits likely answers; weak: they are only the nearest; none: no hits.

    ``known`` is how rare the words are, where that was counted.
    """
    if not best:
        return "none"
    if any(hit.candidate.asked_for for hit, _ in best[: answered.TOP]):
        return "good"
    rare, most = known or rarity(app, question.asked.words, files=sources.files is not None)
    meaning = app.settings.real("search.meaning")
    texts = [_text(item) for _, item in best[: answered.TOP]]
    found = [
        answered.read(text, one.similarity, fusion.sure(one, mode, meaning), rare)
        for text, one in zip(texts, (hit.candidate for hit, _ in best), strict=False)
    ]
    named = answered.names(question.asked.text)
    parts = answered.apart(question.asked.text, texts)
    usual = question.asked.wants.get("config", 0.0) >= SURELY and any(
        "usual" in dict(hit.candidate.parts) for hit, _ in best[: answered.TOP]
    )
    place = best_piece.by_place(question.asked)
    sure = answered.answers(rare, most, found, mode, named, apart=parts, usual=usual, place=place)
    return "good" if sure else "weak"


def rarity(app: App, words: Iterable[str], *, files: bool = True) -> Rarity:
    """How rare each word is in files, else in messages of commits; and a word that is nowhere."""
    source = "chunk" if files else "message"
    total = chunks.count(app.store) if files else commits.count(app.store)
    count = partial(code_search.frequency, app.store, source)
    rare = {word: query.rarity(held, total) for word, held in keyword.counts(words, count).items()}
    return rare, query.rarity(0, total)


def _text(item: HitItem) -> str:
    return f"{item.path} {item.symbol} {item.context} {item.title} {item.snippet}"


def _candidates(app: App, question: Question, sources: Sources) -> Candidates:
    found: Candidates = []
    if sources.files is not None:
        from gitmem.retrieval import file_candidates  # noqa: PLC0415 - not for commits alone

        found += file_candidates.files(app, question, sources.files)
    if sources.commits:
        found += commit_candidates.candidates(
            app, question, since=sources.since, author=sources.author, scope=sources.paths
        )
    if sources.memories:
        found += _memories(app, question)
    return found


def _memories(app: App, question: Question) -> Candidates:
    """Memories and decisions in force."""
    store = app.store
    matches = match(
        store,
        question.terms if question.lexical else (),
        request_filters.here(app, store, Filter(now=app.now)),
        question.limit,
        lambda _, numbers: Alike(question.similar("memory", numbers, None), {}),
    )
    weighed = weigh(app, store, matches, {}, question.asked.text)
    return [(_memory(app, question, one), _item(one)) for one in weighed]


def _memory(app: App, question: Question, found: rank.Candidate) -> fusion.Candidate:
    memory, profile = found.memory, question.counts_more
    factors = {
        "weight": memory.weight / 3,
        "profile": profile.memories,
        "age": aged(memory.created_at, app.now, profile),
        "standing": round(found.strength, 3),
    }
    if found.turn != 1:
        factors["turn"] = found.turn
    if found.feedback != 1:
        factors["feedback"] = found.feedback
    key = ("memory", memory.seq)
    made = question.candidate(key, found.lexical, found.similarity, found.matched, factors)
    return replace(made, doubted=True) if found.doubted else made


def _item(found: rank.Candidate) -> HitItem:
    return hit_view.of_memory(found.memory, found.memory.content, found.notes)
