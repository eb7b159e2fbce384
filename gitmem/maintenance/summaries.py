"""Archiving old memories behind a summary of their own sentences, and undoing that.

Each summary is one transaction: the summary, the archived memories and the links between them are
stored together or not at all. It is not made if one of the memories changed meanwhile.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

from gitmem.app import App
from gitmem.capture.provenance import check_may_change, may_change, memory_origin
from gitmem.errors import Conflict, InvalidInput, NotFound
from gitmem.memory import draft, edit, extractive_summary, lifecycle
from gitmem.memory.draft import MemoryDraft
from gitmem.memory.extractive_summary import NEVER, MemorySummary
from gitmem.model.frozen import dataclass, replace
from gitmem.model.kinds import SUMMARISES
from gitmem.model.memory import Link, Memory
from gitmem.retrieval import request_filters
from gitmem.store.db.connection import Database
from gitmem.store.memory import decay_candidates, memories, memory_writes, short_ids
from gitmem.store.memory.decay_candidates import MemoryDecayRow
from gitmem.store.memory.filters import MemoryFilter
from gitmem.text.tokens import estimate_tokens

ACTION = "summarised"  # in the history of an archived memory
FADED = "faded before"  # the context of a link to a memory that was archived already
# Uses from which on a memory counts as used; an import counts as one.
USED = 2
_BATCH = 500
_TAGS, _PATHS = 5, 20


@dataclass(frozen=True, slots=True)
class SummaryOfMemories:
    """A summary that was made of old memories, or in a dry run would be made.

    ``tokens`` is its length, ``before`` that of the memories, whose ids are ``memories``; ``id``
    and ``handle`` (the short id) are empty in a dry run.
    """

    id: str
    handle: str
    title: str
    text: str
    tokens: int
    before: int
    memories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SkippedMemories:
    """How many old memories are not summarised for the reason ``why``."""

    why: str
    count: int


@dataclass(frozen=True, slots=True)
class UndoSummaryResult:
    """What undoing a summary did: ``summary`` is ``removed``, or ``archived`` if it was edited.

    ``back`` are ids of memories restored as they were, ``changed`` those restored with edits made
    in the archive; ``gone`` counts memories that are no longer archived.
    """

    id: str
    summary: str
    back: tuple[str, ...]
    changed: tuple[str, ...]
    gone: int


def summarise_memories(
    app: App, *, min_age_ms: int, kinds: Sequence[str], max_tokens: int, dry_run: bool
) -> tuple[list[SummaryOfMemories], list[SkippedMemories]]:
    """Summarise old memories; return the summaries, and for each reason how many stay as they are.

    Old is neither written, edited nor used twice within ``min_age_ms`` milliseconds. ``kinds``
    limits them (empty: the usual kinds), ``max_tokens`` is the length of a summary. Raises
    InvalidInput for a kind that is never summarised.
    """
    if never := [kind for kind in kinds if kind in NEVER]:
        raise InvalidInput(
            f"A {never[0]} is never summarised.", f"These stay as they are: {', '.join(NEVER)}."
        )
    chosen, stays = _choose(app, app.store, min_age_ms, kinds)
    month = {memory.id: _date(memory.created_at)[:7] for memory in chosen}
    groups = extractive_summary.group_for_summaries(chosen, month)
    made, cited = list[SummaryOfMemories](), set[str]()
    for part in (
        part for group in groups for part in extractive_summary.summarise_group(group, max_tokens)
    ):
        done = _store(app, app.store, part, dry_run=dry_run)
        if isinstance(done, str):
            stays += [done] * len(part.memories)
        else:
            made.append(done)
        cited.update(memory.id for memory in part.memories)
    stays += ["too few of a month"] * sum(1 for memory in chosen if memory.id not in cited)
    counts = {why: stays.count(why) for why in sorted(set(stays))}
    # Computed when all are stored: an id short enough for the first may become ambiguous.
    with_handles = [
        replace(
            summary,
            handle=short_ids.shortest_unique_prefix(app.store, summary.id) if summary.id else "",
        )
        for summary in made
    ]
    return with_handles, [SkippedMemories(why, count) for why, count in counts.items()]


def _choose(
    app: App, store: Database, older_ms: int, kinds: Sequence[str]
) -> tuple[list[Memory], list[str]]:
    """The memories that may be summarised, and the reason for each other old one."""
    old = [
        candidate
        for candidate in decay_candidates.read_memory_decay_rows(store)
        if app.now - max(candidate.created_at, candidate.updated_at) >= older_ms
    ]
    free = [candidate for candidate in old if not _why_not(app, store, candidate, older_ms)]
    stays = [why for candidate in old if (why := _why_not(app, store, candidate, older_ms))]
    # Foreign memories and those marked as wrong must not come back in a summary.
    filter = request_filters.memory_filter_for_store(
        app, store, MemoryFilter(now=app.now, states=("active",), trusted_only=True)
    )
    old_memories = _read(store, [candidate.seq for candidate in free], filter)
    stays += ["of another branch, foreign or marked wrong"] * (len(free) - len(old_memories))
    # Faded memories are archived already, where nobody finds them by their words.
    gone = decay_candidates.row_numbers_archived_by_decay(store, app.now - older_ms)
    old_memories += _read(store, gone, replace(filter, states=("archived",), now=None))
    chosen = list[Memory]()
    for memory in old_memories:
        why = extractive_summary.reason_excluded_from_summaries(memory, kinds) or _why_protected(
            app, store, memory
        )
        if why:
            stays.append(why)
        else:
            chosen.append(memory)
    return chosen, stays


def _read(store: Database, rows: Sequence[int], filter: MemoryFilter) -> list[Memory]:
    selected = list[Memory]()
    for at in range(0, len(rows), _BATCH):
        selected += memories.memories_by_row_number(store, rows[at : at + _BATCH], filter)
    return selected


def _why_not(app: App, store: Database, candidate: MemoryDecayRow, older_ms: int) -> str:
    """Why an old memory is not summarised, as far as its row shows; empty where it may be."""
    if (
        candidate.accesses >= USED
        and candidate.last_at is not None
        and app.now - candidate.last_at < older_ms
    ):
        return "used since"
    why = lifecycle.reason_never_archived(candidate)
    if why.startswith("importance"):
        return "important"
    return why or (
        "restored" if decay_candidates.was_restored_from_archive(store, candidate.id) else ""
    )


def _why_protected(app: App, store: Database, memory: Memory) -> str:
    if memory.layer == "working":
        return "working memory"
    if memories.links_of_memory(store, memory.id):
        return "linked to others"
    return "" if may_change(app, memory) else "said or accepted by a person"


def _store(
    app: App, store: Database, part: MemorySummary, *, dry_run: bool
) -> SummaryOfMemories | str:
    """Store a summary and archive its memories, or say why the memories stay."""
    ids = [memory.id for memory in part.memories]
    least = extractive_summary.CITED
    cite = {id: short_ids.shortest_unique_prefix(store, id, least) for id in ids}
    text = extractive_summary.format_sentences(part.sentences, cite)
    before = sum(estimate_tokens(f"{memory.title}\n{memory.content}") for memory in part.memories)
    if estimate_tokens(text) >= before:  # the ids that it cites are longer than what it leaves out
        return "shorter than their summary"
    first, last = _date(part.memories[0].created_at), _date(part.memories[-1].created_at)
    when = first if first == last else f"{first} to {last}"
    title = f"Summary of {len(part.memories)} memories ({part.memories[0].kind}), {when}"
    if dry_run:
        return SummaryOfMemories("", "", title, text, estimate_tokens(text), before, tuple(ids))
    summary = _make_memory(app, part.memories, title, text)
    with store.write():
        for memory in part.memories:
            if memories.get_memory(store, memory.id) != memory:
                return "changed a moment ago"
        memory_writes.insert_memory(store, summary)
        for memory in part.memories:
            how = FADED if memory.archived_at is not None else ""
            memory_writes.add_link(
                store, Link(app.new_id(), summary.id, memory.id, SUMMARISES, 1.0, how, app.now)
            )
            if not how:
                away = edit.archive_memory(memory, now_ms=app.now)
                memory_writes.revise_memory(
                    store, memory, away, at_ms=app.now, action=ACTION, agent=app.agent
                )
    return SummaryOfMemories(
        summary.id, "", title, summary.content, estimate_tokens(text), before, tuple(ids)
    )


def _make_memory(app: App, group: Sequence[Memory], title: str, text: str) -> Memory:
    """The memory of a summary, no more trusted or visible than its memories."""
    counts: dict[str, int] = {}
    for tag in (tag for memory in group for tag in memory.tags):
        counts[tag] = counts.get(tag, 0) + 1
    tags = sorted(counts, key=lambda tag: (-counts[tag], tag))[:_TAGS]
    summary_draft = MemoryDraft(
        content=text,
        title=title,
        kind="summary",
        tags=tuple(tags),
        paths=tuple(dict.fromkeys(path for memory in group for path in memory.paths))[:_PATHS],
        weight=max(memory.weight for memory in group),
        importance=max(memory.importance for memory in group),
        confidence=min(memory.confidence for memory in group),
        metadata={"summary": {"of": len(group), "kind": group[0].kind}},
    )
    limit = app.settings.number("memory.max_bytes")
    prepared = draft.prepare_memory(
        summary_draft, memory_origin(app, "project"), max_bytes=limit
    ).memory
    newest = group[-1]
    return replace(
        prepared,
        project=newest.project,
        source="system_auto",
        trust=newest.trust_tier,
        session="",
        branch=newest.branch,
        commit=newest.commit,
    )


def _date(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).date().isoformat()


def undo_summary(app: App, id_prefix: str) -> UndoSummaryResult:
    """Restore the memories of a summary and delete it, or archive it if it was edited.

    ``id_prefix`` is the beginning of its id. The result lists the memories that are back, and says
    what became of the summary. Raises NotFound, and Conflict if it is no summary in use.
    """
    store = app.store
    _, named = short_ids.find_memory([store], id_prefix)
    with store.write():
        summary = memories.get_memory(store, named.id)
        if summary is None:
            raise NotFound(
                f"Memory {named.id} was removed a moment ago.",
                "`gitmem list` shows the memories that exist.",
            )
        ties = memories.links_of_memory(store, summary.id)
        of = [tie for tie in ties if _is_source_link(tie, summary)]
        if not of or summary.archived_at is not None:
            raise Conflict(
                f"Memory {summary.id} is not a summary in use.",
                "`gitmem list --kind summary` shows the summaries in use.",
            )
        check_may_change(app, summary)
        back, changed = list[str](), list[str]()
        for tie in of:
            how = tie.context == FADED or _restore(app, store, tie.target)
            if how is not None:
                (back if how else changed).append(tie.target)
        untouched = summary.version == 1 and all(_is_source_link(tie, summary) for tie in ties)
        if untouched:
            memory_writes.remove_memory(store, summary.id)
        else:
            away = edit.archive_memory(summary, now_ms=app.now)
            memory_writes.revise_memory(
                store, summary, away, at_ms=app.now, action="undone", agent=app.agent
            )
    gone = len(of) - len(back) - len(changed)
    what = "removed" if untouched else "archived"
    return UndoSummaryResult(summary.id, what, tuple(back), tuple(changed), gone)


def ids_of_summaries_quoting(store: Database, memory_id: str) -> list[str]:
    """Return the ids of the summaries made from the memory with this id."""
    return [
        link.source
        for link in memories.links_of_memory(store, memory_id)
        if link.relation == SUMMARISES and link.target == memory_id
    ]


def _is_source_link(link: Link, summary: Memory) -> bool:
    return link.relation == SUMMARISES and link.source == summary.id


def _restore(app: App, store: Database, id: str) -> bool | None:
    """Restore a memory; whether it is as it was before, None where it is not archived any more."""
    now = memories.get_undamaged_memory(store, id)
    if now is None or now.archived_at is None:
        return None
    versions = memories.earlier_versions(store, id)
    last = versions[-1] if versions else None
    if last is not None and last.action == ACTION and last.memory.version == now.version - 1:
        memory_writes.revert_to_version(store, now, last)
        return True
    memory_writes.revise_memory(
        store, now, edit.restore_memory(now), at_ms=app.now, action="restored", agent=app.agent
    )
    return False
