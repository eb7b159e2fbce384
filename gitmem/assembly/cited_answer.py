"""An answer in sentences that stand in the lines it cites, or the words "I do not know" (CE-11)."""

from collections.abc import Mapping, Sequence

from gitmem.app import App
from gitmem.assembly import answer_confidence, answer_sources
from gitmem.assembly.answer_confidence import Confidence
from gitmem.assembly.answer_evidence import Evidence, Gathered
from gitmem.assembly.answer_sources import Source, SourceGroup
from gitmem.errors import Unavailable
from gitmem.indexing import text_vectors
from gitmem.model.frozen import dataclass, replace
from gitmem.retrieval import explicit_files, repository_search
from gitmem.search import (
    answered,
    best_piece,
    cited_sentences,
    common_tasks,
    passage_support,
)
from gitmem.search.cited_sentences import Sentence, Weighed
from gitmem.search.matched_words import held
from gitmem.search.passage_support import Supported
from gitmem.search.question import Asked

# Places that an answer cites, sentences of one place, and places that are looked at.
MOST_PLACES, MOST_OF_ONE, _LOOKED_AT = 5, 2, 10
# Characters of a place whose meaning is compared: a vector takes 1 ms for each 600.
_BEGINNING = 600
# From here on a question is one about the past: when, who, which commit; not why alone.
_PAST = 0.8
# Commits among them where nobody asked for the past.
_COMMITS = 1
# Sentences of a place whose meaning is compared: those that hold most of the question.
_COMPARED = 3
MOST_RELATED = 6
UNKNOWN = "I do not know: nothing here clearly answers this."


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
    of each source, secrets taken out.
    """

    known: bool
    sentences: tuple[CitedSentence, ...]
    sources: tuple[Source, ...]
    groups: tuple[SourceGroup, ...]
    related: tuple[str, ...]
    confidence: Confidence
    excerpts: tuple[str, ...]


def compose(app: App, found: Gathered) -> CitedAnswer:
    """The answer from what was gathered."""
    asked = found.question.asked
    rarity, most = repository_search.rarity(app, asked.words)
    related = explicit_files.other_words(app, asked)
    places, supported = _places(app, found, rarity, related)
    drawn = _drawn(app, asked, places, Weighed(rarity, {}, asked.task, related))
    cited = [(one, some) for one, some in zip(places, drawn, strict=True) if some]
    # The sentence that answers best is read first; when something happened code does not say.
    past = asked.wants.get("history", 0.0) >= _PAST

    def order(pair: tuple[Evidence, list[Sentence]]) -> tuple[float, ...]:
        silent = past and pair[0].item.kind == "code"
        return silent, *_looked_up(pair[0]), -_value(*pair) - _command(asked, pair[0])

    cited.sort(key=order)
    known = bool(cited) and (
        any(one.exact for one, _ in cited) or _supported(app, found, supported, rarity, most)
    )
    sentences = [
        CitedSentence(sentence.text, (number,), sentence.code)
        for number, (_, some) in enumerate(cited, 1)
        for sentence in some
    ]
    sources = tuple(answer_sources.source(number, one) for number, (one, _) in enumerate(cited, 1))
    return CitedAnswer(
        known,
        tuple(sentences) if known else (),
        sources,
        answer_sources.groups(sources),
        _related([one for one, _ in cited], asked.words),
        answer_confidence.judge(dict(found.best) if known else {}),
        tuple(_body(one) for one, _ in cited),
    )


def _looked_up(one: Evidence) -> tuple[float, ...]:
    """What a name was looked up for stands first, in the order in which the lookup has it."""
    return (0, one.step, -one.score) if one.exact else (1, 0, 0)


def _command(asked: Asked, one: Evidence) -> float:
    """What it is worth that a place holds what to type for a task of every repository."""
    return cited_sentences.COMMAND if common_tasks.tells(asked.task, _body(one)) else 0.0


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


def _value(one: Evidence, some: Sequence[Sentence]) -> float:
    return one.score + max(sentence.value for sentence in some)


def _places(
    app: App, found: Gathered, rarity: Mapping[str, float], related: Mapping[str, float]
) -> tuple[list[Evidence], list[Supported]]:
    """The best places, and how those that the search puts in front support an answer.

    What was looked up by its name comes first; of commits only the best where nobody asked for the
    past.
    """
    history = found.question.asked.wants.get("history", 0.0)
    commits = iter([True] * (MOST_PLACES if history else _COMMITS))
    wanted = [one for one in found.places if one.item.kind != "commit" or next(commits, False)]
    # Judged as the search ordered them: those in front for the words they hold would all hold some.
    nearest = found.places[:MOST_PLACES]
    looked_at = [*nearest, *(one for one in wanted[:_LOOKED_AT] if one not in nearest)]
    texts = [_text(one) for one in looked_at]
    alike = _alike(app, found.question.asked.text, [text[:_BEGINNING] for text in texts])
    supports = [
        passage_support.support(one.score, text, alike[text[:_BEGINNING]], rarity, related)
        for one, text in zip(looked_at, texts, strict=True)
    ]
    ranked = [pair for pair in zip(looked_at, supports, strict=True) if pair[0] in wanted]
    asked = found.question.asked

    def worth(one: Evidence, supported: Supported) -> float:
        return passage_support.value(supported) + _command(asked, one)

    ranked.sort(key=lambda pair: (*_looked_up(pair[0]), -worth(*pair)))
    return [one for one, _ in ranked[:MOST_PLACES]], supports[: len(nearest)]


def _text(one: Evidence) -> str:
    """A place as it is compared: with its path and names, as they are part of what is indexed."""
    item = one.item
    lines = " ".join(_body(one).split())
    return f"{item.path} {item.symbol} {item.context} {lines}"


def _body(one: Evidence) -> str:
    return "\n".join(one.passage.lines.values())


def _drawn(
    app: App, asked: Asked, places: Sequence[Evidence], weighed: Weighed
) -> list[list[Sentence]]:
    """The sentences of each place that answer, in the order they stand there."""
    every = [cited_sentences.sentences(one.passage) for one in places]
    compared = [_compared(some, weighed) for some in every]
    alike = _alike(app, asked.text, [one.text for some in compared for one in some])
    weighed = replace(weighed, alike=alike)
    return [_best(some, weighed) for some in every]


def _best(some: Sequence[Sentence], weighed: Weighed) -> list[Sentence]:
    chosen = cited_sentences.best(some, weighed, MOST_OF_ONE)
    return sorted(chosen, key=lambda one: one.first)


def _compared(some: Sequence[Sentence], weighed: Weighed) -> list[Sentence]:
    share = [(best_piece.share(one.text, weighed.rarity, weighed.related), one) for one in some]
    share.sort(key=lambda pair: (-pair[0], pair[1].first))
    return [one for _, one in share[:_COMPARED]]


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


def told(answer: CitedAnswer, sentences: Sequence[CitedSentence] | None = None) -> str:
    """The sentences as text, each with what it cites in square brackets, a commit with its day."""
    cites = {
        one.number: f"{one.cite}, {one.at[:10]}" if one.commit and one.at else one.cite
        for one in answer.sources
    }
    lines = []
    for one in answer.sentences if sentences is None else sentences:
        marks = " ".join(f"[{cites[number]}]" for number in one.sources)
        lines.append(f"{f'`{one.text}`' if one.code and '`' not in one.text else one.text} {marks}")
    return "\n".join(lines)
