"""Old memories put away behind a summary of their own sentences, and brought back.

Each summary is one transaction: it, the archived memories and the links between them are there
together or not at all. A memory that changed since it was read keeps its summary from being made.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

from gitmem.app import App
from gitmem.capture.provenance import may_change, origin, refuse_change
from gitmem.errors import Conflict, InvalidInput, NotFound
from gitmem.memory import draft, edit, extractive_summary, lifecycle
from gitmem.memory.draft import Draft
from gitmem.memory.extractive_summary import NEVER, Part
from gitmem.model.frozen import dataclass, replace
from gitmem.model.kinds import SUMMARISES
from gitmem.model.memory import Link, Memory
from gitmem.retrieval import request_filters
from gitmem.store.db.connection import Database
from gitmem.store.memory import decay_candidates, memories, memory_writes, short_ids
from gitmem.store.memory.decay_candidates import Candidate
from gitmem.store.memory.filters import Filter
from gitmem.text.tokens import estimate

# What the history of a memory says that was put away behind a summary.
ACTION = "summarised"
# What the link of a summary says to a memory that was in the archive before.
FADED = "faded before"
# From the second use on it is used: an import counts as the first one.
USED = 2
_BATCH = 500
_TAGS, _PATHS = 5, 20


@dataclass(frozen=True, slots=True)
class Made:
    """A summary, and how many tokens the memories had that it is of.

    ``id`` and ``handle`` are empty where it was not stored; ``memories`` are their ids.
    """

    id: str
    handle: str
    title: str
    text: str
    tokens: int
    before: int
    memories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """How many memories that are old enough stay as they are, and why."""

    why: str
    count: int


@dataclass(frozen=True, slots=True)
class Undone:
    """What became of a summary: ``removed``, or ``archived`` where somebody had changed it.

    ``back`` are the ids that came back as they were, ``changed`` those that were changed while they
    were archived and are back with that, ``gone`` how many are not in the archive any more.
    """

    id: str
    summary: str
    back: tuple[str, ...]
    changed: tuple[str, ...]
    gone: int


def summarise(
    app: App, *, older_ms: int, kinds: Sequence[str], tokens: int, dry_run: bool
) -> tuple[list[Made], list[Kept]]:
    """Summarise what nobody said, changed or used twice for so long; what was made, what stays.

    Raises InvalidInput for a kind that is never summarised.
    """
    if never := [kind for kind in kinds if kind in NEVER]:
        raise InvalidInput(
            f"A {never[0]} is never summarised.", f"These stay as they are: {', '.join(NEVER)}."
        )
    chosen, stays = _chosen(app, app.store, older_ms, kinds)
    month = {one.id: _date(one.created_at)[:7] for one in chosen}
    groups = extractive_summary.grouped(chosen, month)
    made, told = list[Made](), set[str]()
    for part in (part for group in groups for part in extractive_summary.summaries(group, tokens)):
        done = _stored(app, app.store, part, dry_run=dry_run)
        if done is None:
            stays += ["changed a moment ago"] * len(part.memories)
        else:
            made.append(done)
        told.update(memory.id for memory in part.memories)
    stays += ["too few of a month"] * sum(1 for one in chosen if one.id not in told)
    counts = {why: stays.count(why) for why in sorted(set(stays))}
    # Told when all are there: what was short enough for the first alone may mean several.
    told_by = [
        replace(one, handle=short_ids.shortest(app.store, one.id) if one.id else "") for one in made
    ]
    return told_by, [Kept(why, count) for why, count in counts.items()]


# --- which --------------------------------------------------------------------------------------


def _chosen(
    app: App, store: Database, older_ms: int, kinds: Sequence[str]
) -> tuple[list[Memory], list[str]]:
    """The memories that may be summarised, and for each of the old others why it stays."""
    old = [
        candidate
        for candidate in decay_candidates.candidates(store)
        if app.now - max(candidate.created_at, candidate.updated_at) >= older_ms
    ]
    free = [one for one in old if not _stands(app, store, one, older_ms)]
    stays = [why for one in old if (why := _stands(app, store, one, older_ms))]
    # What nobody here accepted or what is marked as wrong is not told again in other words.
    wanted = request_filters.here(app, store, Filter(now=app.now, states=("active",), own=True))
    found = _read(store, [one.seq for one in free], wanted)
    stays += ["of another branch, foreign or marked wrong"] * (len(free) - len(found))
    # What faded is in the archive already, where nobody finds it by its words.
    gone = decay_candidates.faded(store, app.now - older_ms)
    found += _read(store, gone, replace(wanted, states=("archived",), now=None))
    chosen = list[Memory]()
    for one in found:
        why = extractive_summary.spared(one, kinds) or _held(app, store, one)
        if why:
            stays.append(why)
        else:
            chosen.append(one)
    return chosen, stays


def _read(store: Database, rows: Sequence[int], filter: Filter) -> list[Memory]:
    found = list[Memory]()
    for at in range(0, len(rows), _BATCH):
        found += memories.by_seq(store, rows[at : at + _BATCH], filter)
    return found


def _stands(app: App, store: Database, candidate: Candidate, older_ms: int) -> str:
    """Why a memory is not touched that is old, as far as its row tells."""
    if (
        candidate.accesses >= USED
        and candidate.last_at is not None
        and app.now - candidate.last_at < older_ms
    ):
        return "used since"
    why = lifecycle.exempt(candidate)
    if why.startswith("importance"):
        return "important"
    return why or ("restored" if decay_candidates.was_restored(store, candidate.id) else "")


def _held(app: App, store: Database, memory: Memory) -> str:
    if memory.layer == "working":
        return "working memory"
    if memories.links(store, memory.id):
        return "linked to others"
    return "" if may_change(app, memory) else "said or accepted by a person"


# --- stored -------------------------------------------------------------------------------------


def _stored(app: App, store: Database, part: Part, *, dry_run: bool) -> Made | None:
    """A summary, stored with its memories put away; None where one of them is not as it was."""
    ids = [memory.id for memory in part.memories]
    least = extractive_summary.CITED
    cite = {id: short_ids.shortest(store, id, least) for id in ids}
    text = extractive_summary.lines(part.sentences, cite)
    before = sum(estimate(f"{memory.title}\n{memory.content}") for memory in part.memories)
    first, last = _date(part.memories[0].created_at), _date(part.memories[-1].created_at)
    when = first if first == last else f"{first} to {last}"
    title = f"Summary of {len(part.memories)} memories ({part.memories[0].kind}), {when}"
    if dry_run:
        return Made("", "", title, text, estimate(text), before, tuple(ids))
    made = _prepared(app, part.memories, title, text)
    with store.write():
        for memory in part.memories:
            if memories.get(store, memory.id) != memory:
                return None
        memory_writes.insert(store, made)
        for memory in part.memories:
            how = FADED if memory.archived_at is not None else ""
            memory_writes.add_link(
                store, Link(app.new_id(), made.id, memory.id, SUMMARISES, 1.0, how, app.now)
            )
            if not how:
                away = edit.archived(memory, now=app.now)
                memory_writes.revise(
                    store, memory, away, at=app.now, action=ACTION, agent=app.agent
                )
    return Made(made.id, "", title, made.content, estimate(text), before, tuple(ids))


def _prepared(app: App, group: Sequence[Memory], title: str, text: str) -> Memory:
    """The memory that the summary is: no more trusted, and seen no further, than what it is of."""
    counts: dict[str, int] = {}
    for tag in (tag for one in group for tag in one.tags):
        counts[tag] = counts.get(tag, 0) + 1
    tags = sorted(counts, key=lambda tag: (-counts[tag], tag))[:_TAGS]
    said = Draft(
        content=text,
        title=title,
        kind="summary",
        tags=tuple(tags),
        paths=tuple(dict.fromkeys(path for one in group for path in one.paths))[:_PATHS],
        weight=max(one.weight for one in group),
        importance=max(one.importance for one in group),
        confidence=min(one.confidence for one in group),
        metadata={"summary": {"of": len(group), "kind": group[0].kind}},
    )
    limit = app.settings.number("memory.max_bytes")
    made = draft.prepare(said, origin(app, "project"), max_bytes=limit).memory
    newest = group[-1]
    return replace(
        made,
        project=newest.project,
        source="system_auto",
        trust=newest.tier,
        session="",
        branch=newest.branch,
        commit=newest.commit,
    )


def _date(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).date().isoformat()


# --- brought back -------------------------------------------------------------------------------


def undo(app: App, text: str) -> Undone:
    """Bring back what a summary is of, as it was; the summary goes.

    One that somebody changed since is archived instead. Raises NotFound, Conflict.
    """
    store = app.store
    _, found = short_ids.find([store], text)
    with store.write():
        summary = memories.get(store, found.id)
        if summary is None:
            raise NotFound(f"Memory {found.id} was removed a moment ago.", "Run `gitmem list`.")
        ties = memories.links(store, summary.id)
        of = [tie for tie in ties if _of(tie, summary)]
        if not of or summary.archived_at is not None:
            raise Conflict(
                f"Memory {summary.id} is no summary that stands.",
                "`gitmem list --kind summary` shows those that do.",
            )
        refuse_change(app, summary)
        back, changed = list[str](), list[str]()
        for tie in of:
            how = tie.context == FADED or _brought_back(app, store, tie.target)
            if how is not None:
                (back if how else changed).append(tie.target)
        untouched = summary.version == 1 and all(_of(tie, summary) for tie in ties)
        if untouched:
            memory_writes.remove(store, summary.id)
        else:
            away = edit.archived(summary, now=app.now)
            memory_writes.revise(store, summary, away, at=app.now, action="undone", agent=app.agent)
    gone = len(of) - len(back) - len(changed)
    what = "removed" if untouched else "archived"
    return Undone(summary.id, what, tuple(back), tuple(changed), gone)


def quoting(store: Database, id: str) -> list[str]:
    """Ids of the summaries that hold sentences of a memory."""
    return [
        link.source
        for link in memories.links(store, id)
        if link.relation == SUMMARISES and link.target == id
    ]


def _of(link: Link, summary: Memory) -> bool:
    return link.relation == SUMMARISES and link.source == summary.id


def _brought_back(app: App, store: Database, id: str) -> bool | None:
    """Whether a memory is as it was; None where it is not in the archive any more."""
    now = memories.usable(store, id)
    if now is None or now.archived_at is None:
        return None
    told = memories.history(store, id)
    last = told[-1] if told else None
    if last is not None and last.action == ACTION and last.memory.version == now.version - 1:
        memory_writes.take_back(store, now, last)
        return True
    memory_writes.revise(
        store, now, edit.restored(now), at=app.now, action="restored", agent=app.agent
    )
    return False
