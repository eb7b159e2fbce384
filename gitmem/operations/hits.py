"""How a hit looks in a search's result, and its lines for people."""

from gitmem.model.value import dataclass, replace
from gitmem.search import hybrid
from gitmem.search.snippet import snippet
from gitmem.text.fence import neutralise, one_line
from gitmem.text.redact import redact

WIDTH = 100


@dataclass(frozen=True, slots=True)
class HitItem:
    """A hit. ``kind`` is code, note, commit or memory; lines count from 1, both ends included.

    ``similarity`` is the cosine, null where it was not computed. ``id`` names a memory, ``commit``
    a commit; ``snippet`` is data from the repository, secrets masked.
    """

    kind: str
    path: str = ""
    start_line: int | None = None
    end_line: int | None = None
    symbol: str = ""
    context: str = ""
    commit: str = ""
    id: str = ""
    title: str = ""
    author: str = ""
    at: str | None = None
    score: float = 0.0
    similarity: float | None = None
    snippet: str = ""
    why: tuple[str, ...] = ()


def ranked(item: HitItem, hit: hybrid.Ranked, labels: list[str]) -> HitItem:
    """The hit with its score and reasons, its text cut to what answers.

    Indexed files keep the repository's text; what is handed out does not show its secrets. They are
    masked before the text is cut: a line out of the middle of a key is not known as one.
    """
    similarity = hit.candidate.similarity
    return replace(
        item,
        score=hit.score,
        similarity=None if similarity is None else round(similarity, 4),
        snippet=neutralise(snippet(redact(item.snippet).text, labels)),
        context=neutralise(redact(item.context).text),
        title=redact(item.title).text,
        why=hit.why,
    )


def paragraph(hit: HitItem) -> str:
    """The hit in a line, its snippet below it."""
    shown = [line for line in hit.snippet.split("\n") if line.strip()]
    return "\n".join([_headline(hit), *("    " + one_line(line, WIDTH) for line in shown)])


def _headline(hit: HitItem) -> str:
    if hit.kind == "commit":
        told = f"{hit.commit[:10]} {(hit.at or '')[:10]} {hit.author}: {hit.title}"
    elif hit.kind == "memory":
        told = f"{hit.id} {hit.context}: {hit.title or hit.snippet}"
    else:
        told = f"{hit.path}:{hit.start_line}-{hit.end_line}  {hit.context}"
    return f"{one_line(told, WIDTH)}  [{hit.score:.2f}: {'; '.join(hit.why)}]"
