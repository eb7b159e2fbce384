"""The places an answer cites, numbered, and grouped by file or topic."""

from collections.abc import Sequence

from gitmem.assembly.answer_evidence import Evidence
from gitmem.model.frozen import dataclass
from gitmem.search import file_kinds

COMMIT = 10  # characters of a commit's id in an answer


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
