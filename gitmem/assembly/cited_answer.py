"""An answer in sentences that stand in the lines it cites, or the words "I do not know" (CE-11)."""

from collections.abc import Mapping, Sequence
from math import inf

from gitmem.app import App
from gitmem.assembly import answer_confidence, cited_places
from gitmem.assembly.answer_confidence import UNJUDGED, Confidence
from gitmem.assembly.answer_evidence import Evidence, Gathered
from gitmem.model.frozen import dataclass, replace
from gitmem.retrieval import explicit_files, repository_search
from gitmem.search import answered, best_piece, cited_sentences, file_kinds
from gitmem.search.cited_sentences import Sentence, Weighed
from gitmem.search.matched_words import held
from gitmem.search.passage_support import Supported
from gitmem.search.question import Asked

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


def compose(app: App, found: Gathered) -> CitedAnswer:
    """The answer from what was gathered."""
    asked = found.question.asked
    rarity, most = repository_search.rarity(app, asked.words)
    related = explicit_files.other_words(app, asked)
    places, supported = cited_places.choose(app, found, rarity, related)
    evidence = [one for one, _ in places]
    drawn = _drawn(app, asked, evidence, Weighed(rarity, {}, asked.task, related))
    cited = [(one, some, worth) for (one, worth), some in zip(places, drawn, strict=True) if some]

    # When something happened code does not say.
    def order(place: tuple[Evidence, list[Sentence], float]) -> tuple[float, ...]:
        one, some, worth = place
        silent = asked.past and one.item.kind == "code"
        best = max(sentence.value for sentence in some)
        return silent, *cited_places.looked_up(one), -worth - _SENTENCE * best

    cited.sort(key=order)
    known = bool(cited) and (
        any(one.exact for one, _, _ in cited) or _supported(app, found, supported, rarity, most)
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
        tuple(cited_places.body(one) for one, _, _ in cited),
        _sureness(found, places) if known else UNJUDGED,
    )


def _sureness(found: Gathered, places: Sequence[tuple[Evidence, float]]) -> Confidence:
    """How sure it is by what its best place is worth; a name that was looked up is worth most."""
    exact = any(one.exact for one, _ in places[:1])
    worth = inf if exact else max(worth for _, worth in places)
    return answer_confidence.of_worth(found.question.asked.text, worth, dict(found.best))


def _supported(
    app: App,
    found: Gathered,
    some: Sequence[Supported],
    rarity: Mapping[str, float],
    most: float,
) -> bool:
    """Whether the places likely answer, rather than are the nearest there is."""
    asked = found.question.asked
    best = [answered.Found(one.words, one.alike, one.score) for one in some]
    usual = False
    if asked.wants.get("config", 0.0) >= repository_search.SURELY:
        there = explicit_files.usual(app, asked)
        usual = any(one.item.path in there for one in found.places[: answered.TOP])
    named = answered.names(asked.text)
    return answered.answers(rarity, most, best, "hybrid", named, usual=usual)


def _drawn(
    app: App, asked: Asked, places: Sequence[Evidence], weighed: Weighed
) -> list[list[Sentence]]:
    """The sentences of each place that answer, in the order they stand there."""
    every = [cited_sentences.sentences(one.passage) for one in places]
    compared = [_compared(some, weighed) for some in every]
    alike = cited_places.alike(app, asked.text, [one.text for some in compared for one in some])
    weighed = replace(weighed, alike=alike)
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


def source(number: int, one: Evidence) -> Source:
    """The place of a piece of evidence, by its number in the answer."""
    item = one.item
    lines = ""
    if item.kind in ("code", "note"):
        first, last = min(one.passage.lines), max(one.passage.lines)
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
        score=round(one.score, 3),
        note=item.note,
        release=item.release,
    )


def groups(sources: Sequence[Source]) -> tuple[SourceGroup, ...]:
    """By file where a file is cited twice, else by topic: code, tests, docs, commits, memories."""
    paths = [one.path for one in sources if one.lines]
    by_file = len(set(paths)) < len(paths)
    found: dict[str, list[int]] = {}
    for one in sources:
        found.setdefault(one.path if by_file and one.lines else _topic(one), []).append(one.number)
    return tuple(SourceGroup(name, tuple(numbers)) for name, numbers in found.items())


_TOPICS = {"note": "docs", "commit": "commits", "memory": "memories", "decision": "decisions"}


def _topic(one: Source) -> str:
    if one.kind != "code":
        return _TOPICS[one.kind]
    kinds = file_kinds.kinds(one.path, "")
    return kinds[0] if kinds else "code"


def told(answer: CitedAnswer, sentences: Sequence[CitedSentence] | None = None) -> str:
    """A verb's words, else the sentences as text, each with what it cites in square brackets.

    A commit is cited with its day, and the release that brought it.
    """
    if answer.words:
        return answer.words
    if not answer.known:
        return UNKNOWN
    cites = {one.number: _cite(one) for one in answer.sources}
    lines = []
    for one in answer.sentences if sentences is None else sentences:
        marks = " ".join(f"[{cites[number]}]" for number in one.sources)
        lines.append(f"{f'`{one.text}`' if one.code and '`' not in one.text else one.text} {marks}")
    return "\n".join(lines)


def _cite(one: Source) -> str:
    day = one.at[:10] if one.commit and one.at else ""
    return ", ".join(filter(None, (one.cite, day, f"since {one.release}" if one.release else "")))
