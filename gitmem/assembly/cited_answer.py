"""An answer in sentences that stand in the lines it cites, or the words "I do not know" (CE-11)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import inf

from gitmem.app import App
from gitmem.assembly import answer_confidence
from gitmem.assembly.answer_confidence import UNJUDGED, Confidence
from gitmem.assembly.answer_evidence import Evidence, Gathered
from gitmem.errors import Unavailable
from gitmem.indexing import text_vectors
from gitmem.model.frozen import dataclass, replace
from gitmem.retrieval import explicit_files, repository_search
from gitmem.search import (
    answered,
    best_piece,
    cited_sentences,
    common_tasks,
    file_kinds,
    passage_support,
)
from gitmem.search.cited_sentences import Sentence, Weighed
from gitmem.search.matched_words import held
from gitmem.search.passage_support import Supported
from gitmem.search.question import Asked

# Places that an answer cites, that are looked at for it, and whose meaning is compared: those that
# the words put in front.
MOST, _LOOKED_AT, _PLACES_COMPARED = 5, 20, 6
# Places of one file, unless they were looked up by a name.
_OF_ONE_FILE = 3
# Characters of a place whose meaning is compared: a vector takes 1 ms for each 600.
_BEGINNING = 600
# Commits among them where nobody asked for the past.
_COMMITS = 1
# What a document is worth less where a place is asked for: the code is meant.
_PLACE = 0.4
# Sentences of one place, and what the best one counts beside what its place is worth.
MOST_OF_ONE, _SENTENCE = 2, 0.2
# Sentences of a place whose meaning is compared: those that hold most of the question.
_COMPARED = 3
MOST_RELATED = 6
COMMIT = 10  # characters of a commit's id in an answer
UNKNOWN = "I do not know: nothing here clearly answers this."


@dataclass(frozen=True, slots=True)
class Source:
    """A place that is cited, by its number in the answer.

    ``kind`` is code, note, commit, memory or decision; ``lines`` are of ``path``, from 1, both ends
    included. ``cite`` is how it stands in the answer; ``score`` how well it answers, 0 to 1.
    ``release`` is the first release that contains a commit.
    """

    number: int
    kind: str
    cite: str
    path: str = ""
    lines: str = ""
    commit: str = ""
    id: str = ""
    title: str = ""
    at: str | None = None
    score: float = 0.0
    note: str = ""
    release: str = ""


@dataclass(frozen=True, slots=True)
class SourceGroup:
    """The sources of one file or topic, by their numbers."""

    name: str
    sources: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence, drawn word for word from the sources whose numbers it has.

    ``code`` says that it is a line of code and no prose.
    """

    text: str
    sources: tuple[int, ...]
    code: bool = False


@dataclass(frozen=True, slots=True)
class CitedAnswer:
    """Sentences with their sources; ``known`` is false where there is no answer.

    Then ``sentences`` is empty, and ``sources`` are the nearest places. ``excerpts`` are the lines
    of each source, secrets taken out. ``words`` are those of a verb that knows the answer, or why
    it cannot; ``by`` is its name and ``total`` how many there are of what it lists.
    """

    known: bool
    sentences: tuple[CitedSentence, ...]
    sources: tuple[Source, ...]
    groups: tuple[SourceGroup, ...]
    related: tuple[str, ...]
    excerpts: tuple[str, ...]
    confidence: Confidence = UNJUDGED
    words: str = ""
    by: str = ""
    total: int = 0


def compose(app: App, gathered: Gathered) -> CitedAnswer:
    """The answer from what was gathered."""
    asked = gathered.question.asked
    rarity, most = repository_search.rarity(app, asked.words)
    related = explicit_files.other_words(app, asked)
    places, supported = _chosen(app, gathered, rarity, related)
    evidence = [one for one, _ in places]
    drawn = _drawn(app, asked, evidence, Weighed(rarity, {}, asked.task, related))
    cited = [(one, some, worth) for (one, worth), some in zip(places, drawn, strict=True) if some]

    # When something happened code does not say.
    def order(place: tuple[Evidence, list[Sentence], float]) -> tuple[float, ...]:
        one, some, worth = place
        silent = asked.past and one.item.kind == "code"
        best = max(sentence.value for sentence in some)
        return silent, *_looked_up(one), -worth - _SENTENCE * best

    cited.sort(key=order)
    known = bool(cited) and (
        any(one.exact for one, _, _ in cited) or _supported(app, gathered, supported, rarity, most)
    )
    sentences = [
        CitedSentence(sentence.text, (number,), sentence.code)
        for number, (_, some, _) in enumerate(cited, 1)
        for sentence in some
    ]
    sources = tuple(source(number, one) for number, (one, _, _) in enumerate(cited, 1))
    return CitedAnswer(
        known,
        tuple(sentences) if known else (),
        sources,
        groups(sources),
        _related([one for one, _, _ in cited], asked.words),
        tuple(_body(one) for one, _, _ in cited),
        _sureness(gathered, places) if known else UNJUDGED,
    )


def _chosen(
    app: App, gathered: Gathered, rarity: Mapping[str, float], related: Mapping[str, float]
) -> tuple[list[tuple[Evidence, float]], list[Supported]]:
    """The best places with what each is worth, and how those that the search puts in front support
    an answer.

    What was looked up by its name comes first; of commits only the best where nobody asked for the
    past.
    """
    asked, places = gathered.question.asked, gathered.places
    # Judged as the search ordered them: those in front for the words they hold would all hold some.
    nearest = range(min(MOST, len(places)))
    looked_at = _candidates(gathered)
    supports = {
        at: passage_support.support(
            places[at].score, _names(places[at]), _body(places[at]), rarity, related
        )
        for at in {*looked_at, *nearest}
    }

    def worth(at: int) -> float:
        return _worth(asked, places[at], supports[at])

    def order(at: int) -> tuple[float, ...]:
        return *_looked_up(places[at]), -worth(at)

    compared = {*nearest, *sorted(looked_at, key=order)[:_PLACES_COMPARED]}
    # With path and names, as they are part of what is indexed.
    texts = {
        at: f"{_names(places[at])} {' '.join(_body(places[at]).split())}"[:_BEGINNING]
        for at in sorted(compared)
    }
    cosines = _alike(app, asked.text, [*texts.values()])
    for at, text in texts.items():
        supports[at] = replace(supports[at], alike=max(cosines[text], 0.0))
    best = _spread(places, sorted(looked_at, key=order))
    return [(places[at], worth(at)) for at in best], [supports[at] for at in nearest]


def _candidates(gathered: Gathered) -> list[int]:
    """The places that are looked at, by their number among those found."""
    most = MOST if gathered.question.asked.wants.get("history", 0.0) else _COMMITS
    candidates: list[int] = []
    for at, one in enumerate(gathered.places):
        if one.item.kind == "commit":
            most -= 1
        if one.item.kind != "commit" or most >= 0:
            candidates.append(at)
    return candidates[:_LOOKED_AT]


def _worth(asked: Asked, evidence: Evidence, supported: Supported) -> float:
    prose = evidence.item.kind == "note"
    told = passage_support.documentation(evidence.item.path, asked.wants) if prose else 0.0
    told -= _PLACE if prose and asked.place else 0.0
    # What it is worth that a place holds what to type for a task of every repository.
    told += cited_sentences.COMMAND if common_tasks.tells(asked.task, _body(evidence)) else 0.0
    return passage_support.value(supported) + told + evidence.tells


def _spread(places: Sequence[Evidence], ranked: Iterable[int]) -> list[int]:
    """The first of them, few of one file: if the file is the wrong one, others are cited too."""
    kept: list[int] = []
    of_file: Counter[str] = Counter()
    for at in ranked:
        path = "" if places[at].exact else places[at].item.path
        if path and of_file[path] == _OF_ONE_FILE:
            continue
        of_file[path] += 1
        kept.append(at)
        if len(kept) == MOST:
            break
    return kept


def _looked_up(evidence: Evidence) -> tuple[float, ...]:
    """What a name was looked up for stands first, in the order in which the lookup has it."""
    return (0, evidence.step, -evidence.score) if evidence.exact else (1, 0, 0)


def _body(evidence: Evidence) -> str:
    """The lines of a place."""
    return "\n".join(evidence.passage.lines.values())


def _names(evidence: Evidence) -> str:
    item = evidence.item
    return f"{item.path} {item.symbol} {item.context}"


def _alike(app: App, text: str, others: Sequence[str]) -> dict[str, float]:
    """How like the question each text is, by the model in use; not at all where it is not there."""
    if not others:
        return {}
    from gitmem.embedding import base  # noqa: PLC0415 - arithmetic for who asks

    embedder = text_vectors.model(app)
    try:
        own = embedder.embed([text], query=True)[0]
    except Unavailable:
        return dict.fromkeys(others, 0.0)
    vectors = embedder.embed(list(others))
    return {one: base.cosine(own, vector) for one, vector in zip(others, vectors, strict=True)}


def _sureness(gathered: Gathered, places: Sequence[tuple[Evidence, float]]) -> Confidence:
    """How sure it is by what its best place is worth; a name that was looked up is worth most."""
    exact = any(one.exact for one, _ in places[:1])
    worth = inf if exact else max(worth for _, worth in places)
    return answer_confidence.of_worth(gathered.question.asked.text, worth, dict(gathered.best))


def _supported(
    app: App,
    gathered: Gathered,
    some: Sequence[Supported],
    rarity: Mapping[str, float],
    most: float,
) -> bool:
    """Whether the places likely answer, rather than are the nearest there is."""
    asked = gathered.question.asked
    best = [answered.Found(one.words, one.alike, one.score) for one in some]
    usual = False
    if asked.wants.get("config", 0.0) >= repository_search.SURELY:
        there = explicit_files.usual(app, asked)
        usual = any(place.item.path in there for place in gathered.places[: answered.TOP])
    named = answered.names(asked.text)
    return answered.answers(rarity, most, best, "hybrid", named, usual=usual)


def _drawn(
    app: App, asked: Asked, places: Sequence[Evidence], weighed: Weighed
) -> list[list[Sentence]]:
    """The sentences of each place that answer, in the order they stand there."""
    every = [cited_sentences.sentences(place.passage) for place in places]
    compared = [_compared(some, weighed) for some in every]
    cosines = _alike(app, asked.text, [one.text for some in compared for one in some])
    weighed = replace(weighed, alike=cosines)
    best = (cited_sentences.best(some, weighed, MOST_OF_ONE) for some in every)
    return [sorted(chosen, key=lambda one: one.first) for chosen in best]


def _compared(some: Sequence[Sentence], weighed: Weighed) -> list[Sentence]:
    share = [(best_piece.share(one.text, weighed.rarity, weighed.related), one) for one in some]
    share.sort(key=lambda pair: (-pair[0], pair[1].first))
    return [one for _, one in share[:_COMPARED]]


def _related(cited: Sequence[Evidence], words: Sequence[str]) -> tuple[str, ...]:
    """Names and headings around what is cited that the question does not name, each once."""
    names: dict[str, None] = {}
    for one in cited:
        item = one.item
        if item.kind == "note":
            names.setdefault(item.context.rpartition(" > ")[2].strip(), None)
        elif item.kind == "code":
            names.update(dict.fromkeys(item.symbol.split()[:2]))
    there = (name for name in names if name and not held(words, name))
    return tuple(name for name, _ in zip(there, range(MOST_RELATED), strict=False))


def source(number: int, evidence: Evidence) -> Source:
    """The place of a piece of evidence, by its number in the answer."""
    item = evidence.item
    lines = ""
    if item.kind in ("code", "note"):
        first, last = min(evidence.passage.lines), max(evidence.passage.lines)
        lines = f"{first}-{last}" if first != last else str(first)
    cite = item.id or item.commit[:COMMIT] or f"{item.path}:{lines}"
    return Source(
        number=number,
        kind="decision" if item.kind == "memory" and item.context == "decision" else item.kind,
        cite=cite,
        path=item.path,
        lines=lines,
        commit=item.commit,
        id=item.id,
        title=item.title,
        at=item.at,
        score=round(evidence.score, 3),
        note=item.note,
        release=item.release,
    )


def groups(sources: Sequence[Source]) -> tuple[SourceGroup, ...]:
    """By file where a file is cited twice, else by topic: code, tests, docs, commits, memories."""
    paths = [source.path for source in sources if source.lines]
    by_file = len(set(paths)) < len(paths)
    found: dict[str, list[int]] = {}
    for source in sources:
        found.setdefault(source.path if by_file and source.lines else _topic(source), []).append(
            source.number
        )
    return tuple(SourceGroup(name, tuple(numbers)) for name, numbers in found.items())


_TOPICS = {"note": "docs", "commit": "commits", "memory": "memories", "decision": "decisions"}


def _topic(source: Source) -> str:
    if source.kind != "code":
        return _TOPICS[source.kind]
    kinds = file_kinds.kinds(source.path, "")
    return kinds[0] if kinds else "code"


def told(answer: CitedAnswer, sentences: Sequence[CitedSentence] | None = None) -> str:
    """A verb's words, else the sentences as text, each with what it cites in square brackets.

    A commit is cited with its day, and the release that brought it.
    """
    if answer.words:
        return answer.words
    if not answer.known:
        return UNKNOWN
    cites = {source.number: _cite(source) for source in answer.sources}
    lines = []
    for one in answer.sentences if sentences is None else sentences:
        marks = " ".join(f"[{cites[number]}]" for number in one.sources)
        lines.append(f"{f'`{one.text}`' if one.code and '`' not in one.text else one.text} {marks}")
    return "\n".join(lines)


def _cite(source: Source) -> str:
    day = source.at[:10] if source.commit and source.at else ""
    return ", ".join(
        filter(None, (source.cite, day, f"since {source.release}" if source.release else ""))
    )
