"""Walks over the links between memories: neighbours, shortest paths, lines of descent.

Pure: ``links_of`` gives the links that touch any of some ids. Every walk goes hop by hop and enters
each memory once, so that cycles end.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from gitmem.model.frozen import dataclass
from gitmem.model.memory import Link

DEEPEST = 4
COMMIT = "commit:"

LinksOf = Callable[[Collection[str]], Iterable[Link]]


@dataclass(frozen=True, slots=True)
class Step:
    """One link walked along: at hop ``hop`` from ``via`` to ``id``."""

    hop: int
    via: str
    id: str
    link: Link

    @property
    def direction(self) -> str:
        """``out`` where the link points the way it was walked, else ``in``."""
        return "out" if self.link.source == self.via else "in"


def neighbours(start: str, links_of: LinksOf, *, depth: int, relation: str = "") -> list[Step]:
    """Every link to a memory not nearer to ``start``, by hop, the strongest first.

    A memory stands at its smallest hop, once for each link that leads there.
    """
    found: list[Step] = []
    known, front = {start}, {start}
    for hop in range(1, depth + 1):
        steps = _steps(hop, front, known, links_of(front), relation)
        found += steps
        front = {step.id for step in steps}
        known |= front
        if not front:
            break
    return found


def path(
    start: str, goal: str, links_of: LinksOf, *, depth: int = DEEPEST, relation: str = ""
) -> list[Step] | None:
    """The shortest way from one memory to another, along links in either direction.

    None where there is none of at most ``depth`` links. Of several as short, at each memory on the
    way back from the goal the strongest link wins.
    """
    came: dict[str, Step] = {}
    for step in neighbours(start, links_of, depth=depth, relation=relation):
        came.setdefault(step.id, step)
    way, at = list[Step](), goal
    while at != start:
        if at not in came:
            return None
        way.append(came[at])
        at = came[at].via
    return way[::-1]


def lineage(start: str, replaced: Iterable[tuple[str, str]]) -> list[tuple[int, str]]:
    """What a memory replaced and what replaced it, as (steps away, id), oldest first.

    ``replaced`` are pairs (newer, older); steps count down into the past, 0 is the memory itself.
    """
    newer, older = dict[str, set[str]](), dict[str, set[str]]()
    for new, old in replaced:
        newer.setdefault(old, set()).add(new)
        older.setdefault(new, set()).add(old)
    found = {start: 0}
    for sign, following in ((-1, older), (1, newer)):
        distance, front = 0, {start}
        while front:
            distance += sign
            front = {id for one in front for id in following.get(one, ())} - found.keys()
            found |= dict.fromkeys(front, distance)
    return sorted((distance, id) for id, distance in found.items())


def would_loop(newer: str, older: str, replacing: Callable[[Collection[str]], set[str]]) -> bool:
    """Whether ``newer`` cannot replace ``older``, since it was itself replaced by it.

    Directly or through others; ``replacing`` gives the ids of what replaced any of some memories.
    """
    known, front = {newer}, {newer}
    while front and older not in known:
        front = replacing(front) - known
        known |= front
    return older in known


def _steps(
    hop: int, front: Collection[str], known: Collection[str], links: Iterable[Link], relation: str
) -> list[Step]:
    steps = [
        Step(hop, via, id, link)
        for link in links
        for via, id in ((link.source, link.target), (link.target, link.source))
        if via in front and id not in known and relation in ("", link.relation)
    ]
    steps.sort(key=lambda step: (-step.link.strength, step.link.relation, step.id, step.link.id))
    return steps
