"""Which of the places gathered for a question an answer cites: the five that answer best."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from gitmem.app import App
from gitmem.assembly.answer_evidence import Evidence, Gathered
from gitmem.errors import Unavailable
from gitmem.indexing import text_vectors
from gitmem.model.frozen import replace
from gitmem.search import cited_sentences, common_tasks, passage_support
from gitmem.search.passage_support import Supported
from gitmem.search.question import Asked

# Places that an answer cites, that are looked at for it, and whose meaning is compared: those that
# the words put in front.
MOST, _LOOKED_AT, _COMPARED = 5, 20, 6
# Places of one file, unless they were looked up by a name.
_OF_ONE_FILE = 3
# Characters of a place whose meaning is compared: a vector takes 1 ms for each 600.
_BEGINNING = 600
# Commits among them where nobody asked for the past.
_COMMITS = 1
# What a document is worth less where a place is asked for: the code is meant.
_PLACE = 0.4


def choose(
    app: App, found: Gathered, rarity: Mapping[str, float], related: Mapping[str, float]
) -> tuple[list[tuple[Evidence, float]], list[Supported]]:
    """The best places with what each is worth, and how those that the search puts in front support
    an answer.

    What was looked up by its name comes first; of commits only the best where nobody asked for the
    past.
    """
    asked, places = found.question.asked, found.places
    # Judged as the search ordered them: those in front for the words they hold would all hold some.
    nearest = range(min(MOST, len(places)))
    wanted = _wanted(found)
    supports = {
        at: passage_support.support(
            places[at].score, _names(places[at]), body(places[at]), rarity, related
        )
        for at in {*wanted, *nearest}
    }

    def worth(at: int) -> float:
        return _worth(asked, places[at], supports[at])

    def order(at: int) -> tuple[float, ...]:
        return *looked_up(places[at]), -worth(at)

    compared = {*nearest, *sorted(wanted, key=order)[:_COMPARED]}
    texts = {at: _text(places[at])[:_BEGINNING] for at in sorted(compared)}
    cosines = alike(app, asked.text, [*texts.values()])
    for at, text in texts.items():
        supports[at] = replace(supports[at], alike=max(cosines[text], 0.0))
    best = _spread(places, sorted(wanted, key=order))
    return [(places[at], worth(at)) for at in best], [supports[at] for at in nearest]


def _wanted(found: Gathered) -> list[int]:
    """The places that are looked at, by their number among those found."""
    most = MOST if found.question.asked.wants.get("history", 0.0) else _COMMITS
    wanted: list[int] = []
    for at, one in enumerate(found.places):
        if one.item.kind == "commit":
            most -= 1
        if one.item.kind != "commit" or most >= 0:
            wanted.append(at)
    return wanted[:_LOOKED_AT]


def _worth(asked: Asked, one: Evidence, supported: Supported) -> float:
    prose = one.item.kind == "note"
    told = passage_support.documentation(one.item.path, asked.wants) if prose else 0.0
    told -= _PLACE if prose and asked.place else 0.0
    return passage_support.value(supported) + told + _command(asked, one) + one.tells


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


def looked_up(one: Evidence) -> tuple[float, ...]:
    """What a name was looked up for stands first, in the order in which the lookup has it."""
    return (0, one.step, -one.score) if one.exact else (1, 0, 0)


def _command(asked: Asked, one: Evidence) -> float:
    """What it is worth that a place holds what to type for a task of every repository."""
    return cited_sentences.COMMAND if common_tasks.tells(asked.task, body(one)) else 0.0


def body(one: Evidence) -> str:
    """The lines of a place."""
    return "\n".join(one.passage.lines.values())


def _text(one: Evidence) -> str:
    """A place as it is compared: with its path and names, as they are part of what is indexed."""
    return f"{_names(one)} {' '.join(body(one).split())}"


def _names(one: Evidence) -> str:
    item = one.item
    return f"{item.path} {item.symbol} {item.context}"


def alike(app: App, text: str, others: Sequence[str]) -> dict[str, float]:
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
