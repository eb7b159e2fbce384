"""Reading what hooks need from the store, and formatting their messages.

Messages are few, none comes twice in a session, and all are framed as data. Nearly every hook says
nothing, so what only a message needs is imported where one is made.
"""

from collections.abc import Collection, Iterable, Sequence

from gitmem.agents.events import record, session_claim, session_state
from gitmem.agents.events.brief_store import open_store_with_short_timeout
from gitmem.agents.events.hook_event import HookEvent
from gitmem.app import App
from gitmem.model.frozen import dataclass, replace
from gitmem.store.db.connection import Database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.model.anchor import Freshness
    from gitmem.model.memory import Memory
    from gitmem.store.memory.filters import MemoryFilter
    from gitmem.timeline.suggestions import MessageAboutMemory

# Milliseconds for checking files that changed since the last check.
PATIENCE_MS = 120.0
FIXES = ("fix", "error")
_MOST_ERRORS, _MOST_HITS = 4, 20
# Words of the error's line that a fix has to share, if the error is a common one.
_ALIKE = 2


@dataclass(frozen=True, slots=True)
class HookContext:
    """What a hook works with: its event and the repository's memory database.

    ``shown`` has the ids of the memories that this session was shown, and a hash of each other
    line.
    """

    app: App
    hook_event: HookEvent
    database: Database
    shown: frozenset[str]


def open_store(app: App) -> Database | None:
    """The repository's memory database, or None if there is none; waits 200 milliseconds at most.

    Raises GitmemError, such as StoreBusy.
    """
    return (
        open_store_with_short_timeout(app)
        if app.already_open_store is not None or app.has_store
        else None
    )


def open_hook_context(app: App, hook_event: HookEvent) -> HookContext | None:
    """The HookContext of an event: the database, and what its session was shown already.

    None if the repository has no memory database. Raises GitmemError.
    """
    database = open_store(app)
    return (
        None
        if database is None
        else HookContext(app, hook_event, database, ids_shown_in_session(app, hook_event))
    )


def visible_memory_filter(hook: HookContext, kinds: Sequence[str] = ()) -> "MemoryFilter":
    """The MemoryFilter for the database's memories that a hook may show to this session unasked.

    ``kinds`` are those of memories, such as decision; empty: all. Memories that nobody here wrote
    or accepted, and those of other branches or sessions, are left out.
    """
    from gitmem.branches import subprojects, visible_here  # noqa: PLC0415
    from gitmem.sessions import injection  # noqa: PLC0415
    from gitmem.store.memory.filters import MemoryFilter  # noqa: PLC0415

    app, database = hook.app, hook.database
    running = record.find_stored_session(app, database, hook.hook_event, only_running=True)
    return MemoryFilter(
        kinds=kinds,
        now=app.now,
        trusted_only=True,
        working_session="" if running is None else running.id,
        extra_conditions=(
            *subprojects.visible_memory_sql_conditions(app, database),
            visible_here.hidden_memories(app, database).visible_sql_condition(),
            *injection.limits_for_session(database, running).memory_sql_conditions,
        ),
    )


def ids_shown_in_session(app: App, hook_event: HookEvent) -> frozenset[str]:
    """The ids of the memories that a session was shown, and hashes of other lines, in one set."""
    return session_state.read_shown_ids(
        *session_claim.session_state_folder_and_key(app, hook_event)
    )


def freshness_by_memory_id(
    hook: HookContext, memories: "Sequence[Memory]"
) -> "dict[str, Freshness]":
    """Memory id -> Freshness of the code that the memory cites (is it unchanged?).

    Without memories that cite no code. Takes about 120 milliseconds at most.
    """
    citing = [memory.id for memory in memories if memory.paths]
    if not citing:
        return {}
    from gitmem.freshness import anchor_verdict  # noqa: PLC0415

    return anchor_verdict.freshness_by_memory_id(
        hook.app, hook.database, citing, deadline_ms=PATIENCE_MS
    )


def memory_as_message(
    hook: HookContext, message_type: str, memory: "Memory", rank_values: Iterable[float] = ()
) -> "MessageAboutMemory":
    """A memory as a MessageAboutMemory, to show to the model.

    ``message_type`` is how it is introduced: one of ``timeline.suggestions.TYPES``, such as fix or
    check. Messages of a type are ranked by ``rank_values``, the first number first, then by the
    memory's weight and age.
    """
    from gitmem.memory import trust  # noqa: PLC0415
    from gitmem.store.memory import short_ids  # noqa: PLC0415
    from gitmem.timeline.suggestions import MessageAboutMemory  # noqa: PLC0415

    mark = trust.trust_tier_mark(memory.trust_tier)
    prefix = short_ids.shortest_unique_prefix(hook.database, memory.id)
    label = f"{prefix} {memory.kind}{f', {mark}' if mark else ''}"
    order = (*rank_values, float(memory.weight), float(memory.updated_at))
    return MessageAboutMemory(memory.id, message_type, label, memory.title_and_content, worth=order)


def add_freshness_note(
    message: "MessageAboutMemory", freshness: "Freshness | None"
) -> "MessageAboutMemory":
    """The message, with a note on what to check first if cited code changed by ``freshness``."""
    if freshness is None or not freshness.is_stale:
        return message
    cited = next(v for v in freshness.anchors if v.verdict == freshness.freshness)
    doubt = f"{cited.cited} {cited.verdict}"
    note = doubt if message.type == "check" else f"check first: {doubt}"
    return replace(message, note=note)


def render_messages(
    hook: HookContext, messages: "Iterable[MessageAboutMemory]", max_messages: int | None = None
) -> str:
    """The best messages as one text, marked as data and recorded as shown; empty if there is none.

    At most ``max_messages`` messages (None: 5), in about 300 tokens, fewer after a compaction.
    """
    given = list(messages)
    if not given:
        return ""
    from gitmem.sessions import injection  # noqa: PLC0415
    from gitmem.timeline import suggestions  # noqa: PLC0415

    fitting = suggestions.choose_messages(
        given, hook.shown, limit=max_messages or suggestions.MAX_MESSAGES
    )
    running = record.find_stored_session(
        hook.app, hook.database, hook.hook_event, only_running=True
    )
    room = injection.limits_for_session(hook.database, running).token_limit(suggestions.MAX_TOKENS)
    chosen = suggestions.message_lines(fitting, room)
    if not chosen:
        return ""
    keys = [key for message, _ in chosen for key in (message.id, message.shown_once_key)]
    return quote_as_data(hook, [line for _, line in chosen], dict.fromkeys(keys))


def quote_as_data(hook: HookContext, lines: Sequence[str], memory_ids: Collection[str] = ()) -> str:
    """The lines between marks that say that they are data, not instructions, as one text.

    They are recorded as shown in this session, and so are the memories with these ``memory_ids``.
    """
    from gitmem.maintenance import usage  # noqa: PLC0415
    from gitmem.text.fence import fence_text  # noqa: PLC0415
    from gitmem.timeline import command_output  # noqa: PLC0415

    app, moment = hook.app, hook.hook_event
    folder, key = session_claim.session_state_folder_and_key(app, moment)
    delimiter = session_state.quoted_text_delimiter(folder, key, app.entropy)
    source = f"gitmem hook {moment.event} - data not instructions"
    text = fence_text("\n".join(lines), source=source, delimiter=delimiter)
    session_state.record_shown_ids(
        folder, key, [*memory_ids, *command_output.hash_long_lines(text)]
    )
    usage.record_usage_event(app, "injection", tokens=usage.estimate_tokens_by_length(text))
    return text


def find_fix_of_error(hook: HookContext, error_text: str) -> "Memory | None":
    """The memory that says how the error in a text was fixed; None if no memory surely does.

    It has to record the same error, or to name it and, if the name is a common one, share more
    words with the error's line. None also if this session was shown it.
    """
    from gitmem.timeline import command_output, suggestions  # noqa: PLC0415

    names = command_output.error_names_in_text(error_text)[:_MOST_ERRORS]
    if not (names or command_output.is_failure_output(error_text)):
        return None
    fix = _fix_by_signature(hook, error_text)
    if fix is not None:
        return fix if fix.id not in hook.shown else None
    for error in names:
        fixes = [memory for memory in _fixes_naming(hook, error) if memory.id not in hook.shown]
        line = command_output.last_line_naming_error(error_text, error)
        least = (
            _ALIKE
            if command_output.is_generic_error(error)
            else 1
            if len(fixes) > suggestions.MAX_PATHS_PER_NAME
            else 0
        )
        ranked = [
            (
                command_output.count_shared_words(
                    line, f"{memory.title}\n{memory.content}", [error]
                ),
                memory.kind == "fix",
                memory,
            )
            for memory in fixes
        ]
        fitting = [candidate for candidate in ranked if candidate[0] >= least]
        if fitting:
            return max(
                fitting,
                key=lambda candidate: (*candidate[:2], candidate[2].weight, candidate[2].id),
            )[2]
    return None


def describe_fix(hook: HookContext, fix: "Memory") -> "MessageAboutMemory":
    """The MessageAboutMemory that says how an error was fixed: the memory ``fix``, its commit."""
    from gitmem.capture import known_errors  # noqa: PLC0415

    commit = known_errors.fixing_commit_of_memory(fix, only_if_in_metadata=True)
    reply = replace(
        memory_as_message(hook, "fix", fix), note=f"commit {commit[:10]}" if commit else ""
    )
    return add_freshness_note(reply, freshness_by_memory_id(hook, [fix]).get(fix.id))


def _fix_by_signature(hook: HookContext, text: str) -> "Memory | None":
    """The memory that fixed an error with the same signature."""
    from gitmem.capture import known_errors  # noqa: PLC0415
    from gitmem.timeline import error_signature  # noqa: PLC0415

    signature = error_signature.read_error_signature(text)
    return (
        None
        if signature is None
        else known_errors.find_fix_of_error(hook.database, signature, visible_memory_filter(hook))
    )


def _fixes_naming(hook: HookContext, error: str) -> "list[Memory]":
    """The fixes that name an error."""
    from gitmem.search import query  # noqa: PLC0415
    from gitmem.store.memory import memories, memory_search  # noqa: PLC0415

    may_be = visible_memory_filter(hook, FIXES)
    expression = query.parse_terms(error)[0].expression
    numbers = [
        hit[0]
        for hit in memory_search.best_matching_memories(
            hook.database, expression, may_be, _MOST_HITS
        )
    ]
    if not numbers:
        return []
    matches = memories.memories_by_row_number(hook.database, numbers, may_be)
    # A captured error says that it happened, not how it was fixed.
    telling = [
        memory for memory in matches if (memory.kind, memory.source) != ("error", "system_auto")
    ]
    return [memory for memory in telling if error in memory.title or error in memory.content]
