"""What the entity verbs tell, as values and as text for people."""

from collections.abc import Iterator
from itertools import groupby

from gitmem.memory.trust import mark
from gitmem.model.entity import parted
from gitmem.model.frozen import dataclass
from gitmem.text.fence import one_line

_WIDTH = 150


@dataclass(frozen=True, slots=True)
class EntityItem:
    """An entity at the end of an edge, which was walked from ``via``; ``key`` is ``kind:name``.

    ``direction`` is ``out`` where the edge points away from ``via``. ``since`` is empty where only
    the present is known, ``until`` while it lasts. ``state`` and ``trust`` are those of a memory.
    """

    hop: int
    relation: str
    direction: str
    via: str
    key: str
    handle: str
    title: str
    state: str
    trust: str
    since: str
    until: str
    note: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How many edges of a relation an entity has, of which only some are told."""

    via: str
    relation: str
    direction: str
    total: int


@dataclass(frozen=True, slots=True)
class Entities:
    """What was found. ``found`` is false where there is no path; ``note`` says what is missing."""

    key: str
    title: str
    walk: str
    depth: int
    items: tuple[EntityItem, ...]
    left_out: tuple[LeftOut, ...]
    found: bool
    to: str
    note: str


@dataclass(frozen=True, slots=True)
class MomentItem:
    """Something that happened to an entity: ``what``, with which other entity."""

    at: str
    what: str
    key: str
    handle: str
    title: str


@dataclass(frozen=True, slots=True)
class EntityMoments:
    """The newest first; ``total`` counts what --limit left out too."""

    key: str
    title: str
    items: tuple[MomentItem, ...]
    total: int
    note: str


def view(result: Entities) -> str:
    """The entity, then a line for each edge, under what it was walked from; or a sentence."""
    head = one_line(f"{result.key}  {result.title}".rstrip(), _WIDTH)
    lines = [head, *([f"  {result.note}"] if result.note else [])]
    if result.walk == "path" and not result.found:
        told = f"No path within {result.depth} edges from {result.key} to {result.to}."
        return "\n".join(filter(None, [one_line(told, 2 * _WIDTH), result.note]))
    if not result.items:
        none = "It has replaced nothing, and nothing has replaced it."
        return "\n".join([*lines, none if result.walk == "lineage" else "Nothing is tied to it."])
    if result.walk == "lineage":
        return "\n".join(
            [*lines, *(f"  {one_line(one.via, 80)} {_line(one)}" for one in result.items)]
        )
    return "\n".join([*lines, *_below(result, result.key, 1, set())])


def _below(result: Entities, via: str, hop: int, told: set[str]) -> Iterator[str]:
    """The edges that were walked from an entity at a hop, and under each those from its end.

    ``told`` are the ends that have been told: what two edges lead to is gone into once.
    """
    totals = {(one.via, one.relation, one.direction): one.total for one in result.left_out}
    here = [one for one in result.items if one.via == via and one.hop == hop]
    for (relation, direction), group in groupby(here, lambda one: (one.relation, one.direction)):
        shown = 0
        for one in group:
            shown += 1
            yield "  " * hop + _line(one)
            if one.key not in told:
                told.add(one.key)
                yield from _below(result, one.key, hop + 1, told)
        total = totals.get((via, relation, direction), 0)
        if total > shown:
            yield "  " * hop + f"… {total - shown:,} more {relation}"


def _line(one: EntityItem) -> str:
    arrow = f"{one.relation} ->" if one.direction == "out" else f"<- {one.relation}"
    marks = [one.state if one.state != "active" else "", mark(one.trust) if one.trust else ""]
    tail = f"  [{', '.join(filter(None, marks))}]" if any(marks) else ""
    when = f"{one.since[:10]}  " if one.since else ""
    ends = f"  until {one.until[:10]}" if one.until else ""
    commit = parted(one.key)[0] == "file" and " " not in one.note
    note = f"  ({one.note[:10] if commit else one.note})" if one.note else ""
    named = one_line(f"{parted(one.key)[0]} {one.handle}  {one.title}".rstrip() + note, _WIDTH)
    return f"{when}{arrow} {named}{ends}{tail}"


def view_moments(result: EntityMoments) -> str:
    """The entity, then a line for each moment."""
    lines = [one_line(f"{result.key}  {result.title}".rstrip(), _WIDTH)]
    lines += [f"  {result.note}"] if result.note else []
    for one in result.items:
        kind = f"{parted(one.key)[0]} {one.handle}  " if one.key else ""
        lines.append(
            one_line(f"{one.at[:16].replace('T', ' ')}  {one.what} {kind}{one.title}", _WIDTH)
        )
    if not result.items:
        lines.append("Nothing is known to have happened to it.")
    if result.total > len(result.items):
        lines.append(f"… {result.total - len(result.items)} more: --limit {result.total}")
    return "\n".join(lines)
