"""The inbox: gitmem's suggestions, and accepting or rejecting them."""

from collections.abc import Sequence

from gitmem.app import App
from gitmem.capture import acceptance
from gitmem.capture import inbox as suggestions
from gitmem.capture.acceptance import ACCEPT, KEEP, SPREAD, AcceptanceEffect, InboxEntry
from gitmem.capture.edit_each import MemoryEditOutcome, apply_to_each_id_prefix
from gitmem.clock import format_iso
from gitmem.errors import InvalidInput
from gitmem.maintenance import steward_trail
from gitmem.maintenance.steward_trail import LoggedJob
from gitmem.memory.edit import MemoryChanges
from gitmem.model.frozen import copy_fields, dataclass
from gitmem.model.suggestion import EVERYWHERE
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation, Texts, positional_arg
from gitmem.store.memory import short_ids
from gitmem.text.fence import one_line

_WIDTH = 160
ACTIONS = ("list", "accept", "reject", "edit", "undo", "log")
_WITHOUT_IDS = ("list", "log")
_DONE = {
    acceptance.ALTER: "changes",
    acceptance.SUPERSEDE: "replaces",
    acceptance.ARCHIVE: "archives",
    KEEP: "does not replace",
    SPREAD: "keeps for every project",
}


@dataclass(frozen=True, slots=True)
class SuggestionInboxRequest:
    """Arguments of `gitmem inbox`: what to do with suggestions that wait for a person.

    ``action`` is list, accept, reject, edit, undo or log; ``id`` are ids of suggestions or of their
    memories. ``title`` and ``text`` are for edit, ``supersede`` (ids of memories to replace) for
    accept.
    """

    action: Annotated[
        str, positional_arg("list, accept, reject, edit, undo or log", choices=ACTIONS)
    ] = "list"
    id: Annotated[tuple[str, ...], positional_arg("Ids of suggestions or their memories")] = ()
    title: Annotated[str, Arg("edit: the new title")] = ""
    text: Annotated[str, Arg("edit: the new text", max_stdin_mb=1)] = ""
    supersede: Annotated[Texts, Arg("accept: the id of a memory that it is to replace too")] = ()
    resolved: Annotated[bool, Arg("list: decided suggestions, the latest first")] = False
    limit: Annotated[int, shared.limit_arg(200)] = 20
    offset: shared.Offset = 0


@dataclass(frozen=True, slots=True)
class SuggestedMemoryChange:
    """What accepting a suggestion in the inbox does to a memory.

    ``action`` is accept, alter, supersede, archive, spread (the memory then applies to every
    project) or keep (it stays active unless the person names it with ``supersede``). ``standing``
    says whose the memory is.
    """

    action: str
    id: str
    handle: str
    title: str
    standing: str


@dataclass(frozen=True, slots=True)
class SuggestionItem:
    """A suggested change that waits for a person. ``memory`` and ``other`` are ids of memories.

    ``kind`` is memory (a proposed one), merge, duplicate, contradiction, stale or version (of a
    memory, from another device); ``state`` is pending, accepted or rejected, since ``resolved_at``.
    ``changes`` is all that accepting would do; ``confidence`` is 0 to 1.
    """

    id: str
    handle: str
    kind: str
    state: str
    memory: str
    other: str
    memory_kind: str
    title: str
    content: str
    other_title: str
    reason: str
    confidence: float
    created_at: str
    other_content: str = ""
    changes: tuple[SuggestedMemoryChange, ...] = ()
    resolved_at: str = ""


@dataclass(frozen=True, slots=True)
class SuggestionInboxResult:
    """The waiting suggestions (``total`` of them), the outcome for each named one, or the log.

    ``changes`` are the changes to memories other than the proposed ones. ``queued`` counts
    suggestions beyond the inbox's limit, which move up as others are decided.
    """

    items: tuple[SuggestionItem, ...]
    total: int
    offset: int
    done: tuple[MemoryEditOutcome, ...] = ()
    failed: int = 0
    action: str = "list"
    log: tuple[LoggedJob, ...] = ()
    queued: int = 0
    changes: tuple[SuggestedMemoryChange, ...] = ()


def answer_suggestions(app: App, request: SuggestionInboxRequest) -> SuggestionInboxResult:
    """Show suggestions that wait for your consent, and accept or reject them.

    What gitmem finds by itself (a decision in a commit, two memories that say the same) changes
    nothing until you agree. Each suggestion says what accepting it would change, and whose memory
    that is; a memory that a person wrote or accepted is only replaced by one from a commit or file
    if accept names it with --supersede. Only a person accepts, unless inbox.accept_by allows an
    agent to. What you reject is never suggested again; undo reverts a decision. At most fifty
    suggestions wait, the most certain ones; the others are queued. Without ids, nothing is accepted
    or rejected. log shows what was merged into what, and what gitmem looked for by itself in the
    last two weeks.
    """
    _check(request)
    if request.action == "log":
        traces = steward_trail.list_background_jobs(app, limit=request.limit, offset=request.offset)
        return SuggestionInboxResult(
            (), suggestions.count_pending_suggestions(app), request.offset, action="log", log=traces
        )
    if request.action == "list":
        return _list(app, request)
    changes: list[SuggestedMemoryChange] = []
    done = apply_to_each_id_prefix(
        request.id,
        lambda text: _act_on(app, request, text, changes),
        lambda text, error: MemoryEditOutcome(text, "", error),
    )
    failed = sum(1 for outcome in done if outcome.error)
    waiting = suggestions.count_pending_suggestions(app)
    return SuggestionInboxResult(
        (), waiting, 0, done, failed, request.action, changes=tuple(changes)
    )


def _check(request: SuggestionInboxRequest) -> None:
    words = request.title or request.text
    if request.resolved and request.action != "list":
        raise InvalidInput(f"--resolved does not go with {request.action}.", "Leave it out.")
    if request.supersede and (request.action != "accept" or len(request.id) > 1):
        raise InvalidInput(
            "--supersede works only with accept, for a single suggestion.",
            "Use: gitmem inbox accept ID --supersede OTHER",
        )
    if request.action in _WITHOUT_IDS:
        if request.id or words:
            raise InvalidInput(
                f"{request.action} takes no ids and no text.",
                "To see a suggestion's memory in full: gitmem show ID.",
            )
        return
    if not request.id:
        raise InvalidInput(
            f"No suggestion to {request.action} is given.", "`gitmem inbox` shows them."
        )
    if (request.action == "edit") != bool(words):
        raise InvalidInput(
            "edit needs a new title or text." if not words else f"{request.action} takes no text.",
            "Use: gitmem inbox edit ID --title ... --text ...",
        )
    if request.action == "edit" and len(request.id) > 1:
        raise InvalidInput("edit changes one suggestion at a time.", "Give one id.")


def _list(app: App, request: SuggestionInboxRequest) -> SuggestionInboxResult:
    suggestions.refill_inbox_from_queue(app)
    entries = suggestions.list_inbox_entries(
        app, limit=request.limit, offset=request.offset, resolved=request.resolved
    )
    acceptance.record_shown_effects(app, entries)
    return SuggestionInboxResult(
        tuple(map(_item, entries)),
        suggestions.count_pending_suggestions(app),
        request.offset,
        queued=suggestions.count_queued_suggestions(app),
    )


def _act_on(
    app: App, request: SuggestionInboxRequest, text: str, changed: list[SuggestedMemoryChange]
) -> MemoryEditOutcome:
    if request.action == "undo":
        return MemoryEditOutcome(*suggestions.undo_inbox_decision(app, text), "")
    entry = suggestions.find_inbox_entry(app, text)
    if request.action == "accept":
        done, effects = suggestions.accept_entry(app, entry, request.supersede)
        changed += _changes(
            entry, [effect for effect in effects if effect.action not in (ACCEPT, SPREAD)]
        )
    elif request.action == "reject":
        done = suggestions.reject_entry(app, entry)
    else:
        changes = MemoryChanges(title=request.title or None, content=request.text or None)
        done = suggestions.edit_proposal(app, entry, changes)
    return MemoryEditOutcome(entry.suggestion.memory or entry.suggestion.id, done, "")


def _item(entry: InboxEntry) -> SuggestionItem:
    suggestion, memory, other = entry.suggestion, entry.memory, entry.other
    handle = (
        short_ids.shortest_unique_prefix(entry.database, suggestion.memory)
        if memory
        else suggestion.id
    )
    return copy_fields(
        SuggestionItem,
        suggestion,
        handle=handle,
        memory_kind=memory.kind if memory else "",
        title=memory.headline if memory else "",
        content=memory.content if memory else "",
        other_title=other.headline if other else "",
        confidence=suggestion.similarity,
        created_at=format_iso(suggestion.created_at),
        resolved_at=format_iso(suggestion.resolved_at) if suggestion.resolved_at else "",
        other_content=other.content if other else "",
        changes=_changes(entry, acceptance.effects_of_accepting(entry))
        if suggestion.is_open
        else (),
    )


def _changes(
    entry: InboxEntry, effects: Sequence[AcceptanceEffect]
) -> tuple[SuggestedMemoryChange, ...]:
    return tuple(
        SuggestedMemoryChange(
            effect.action,
            effect.memory.id,
            short_ids.shortest_unique_prefix(entry.database, effect.memory.id),
            effect.memory.headline,
            acceptance.describe_memory_source(effect.memory),
        )
        for effect in effects
    )


def view(result: SuggestionInboxResult) -> str:
    """Return the text to print: a line or two for each suggestion, or for what was done with it."""
    if result.done:
        lines = [outcome.error or _done_line(outcome) for outcome in result.done]
        new = result.done[0].id[:12] if len(result.done) == 1 else "NEW"
        link = f"gitmem link {new} {{}} --as SUPERSEDES"
        return "\n".join([*lines, *(f"    {_change_line(each, link)}" for each in result.changes)])
    if result.action == "log":
        return "\n".join(map(_log_line, result.log)) or "Nothing was merged or found so far."
    if not result.items:
        return "The inbox is empty." if not result.total else ""
    lines = []
    for item in result.items:
        what = item.kind
        if item.other == EVERYWHERE:
            what = f"{item.memory_kind} for every project"
        elif item.kind == "memory":
            what = f"proposed {item.memory_kind}"
        state = "" if item.state == "pending" else f", {item.state}"
        title, other = _titles(item)
        lines.append(f"{item.handle}  {what}{state}  {one_line(title or '(gone)', _WIDTH)}")
        beside = f"with: {one_line(other, _WIDTH)}; " if other else ""
        lines.append(f"    {beside}{one_line(item.reason, _WIDTH)}")
        lines += [f"    accepting it {_change_line(each)}" for each in item.changes
                  if each.action != ACCEPT]  # fmt: skip
    return "\n".join([*lines, *_footer(result)])


def _done_line(outcome: MemoryEditOutcome) -> str:
    """What was done with a suggestion, and with which, unless the words name it already."""
    named = outcome.id in outcome.action
    return outcome.action if named else f"{outcome.action} {outcome.id}"


def _change_line(change: SuggestedMemoryChange, instead: str = "--supersede {}") -> str:
    """The change to a memory, whose it is, and if it stays the command to replace it."""
    more = f"; {instead.format(change.handle)} does" if change.action == KEEP else ""
    text = f"{_DONE[change.action]} {change.handle} ({change.standing}): {change.title}"
    return one_line(text, _WIDTH) + more


def _titles(item: SuggestionItem) -> tuple[str, str]:
    """The titles of a suggestion's two memories, with their content if the titles are equal."""
    if not item.other_title or item.title != item.other_title:
        return item.title, item.other_title
    return f"{item.title}: {item.content}", f"{item.other_title}: {item.other_content}"


def _log_line(trace: LoggedJob) -> str:
    """A line of the log: time, kind, outcome, and for a merge how it was made."""
    line = f"{trace.at}  {trace.kind}  {trace.state}  {one_line(trace.result, _WIDTH)}"
    if trace.kind != steward_trail.MERGED:
        return line
    versions = f"version {trace.before_version} to {trace.after_version}"
    how = f"{trace.strategy}, {trace.similarity:.2f}, {versions}"
    return f"{line} ({how}, by {one_line(trace.agent, 40) or 'person'})  {trace.id}"


def _footer(result: SuggestionInboxResult) -> list[str]:
    if any(item.state != "pending" for item in result.items):
        return []
    rest = result.total - result.offset - len(result.items)
    more = [f"… {rest} more: --offset {result.offset + len(result.items)}"] if rest > 0 else []
    full = [_queue_note(result.queued)] if result.queued and not more else []
    return [*more, *full, "gitmem inbox accept ID, or reject ID"]


def _queue_note(queued: int) -> str:
    single = queued == 1
    return (
        f"The inbox is full: {queued} less sure one{' is' if single else 's are'} queued, and "
        f"come{'s' if single else ''} up as you decide."
    )


INBOX = Operation("inbox", answer_suggestions, view, WRITE, "accept 01M6ZK3P", tool="inbox")
