"""What an agent needs to know for a question, inside a token budget, with sources."""

from gitmem.app import App
from gitmem.assembly import query_context
from gitmem.assembly.answer_confidence import UNJUDGED, Confidence
from gitmem.assembly.query_context import Cited
from gitmem.errors import InvalidInput
from gitmem.maintenance import index_request, usage
from gitmem.model.frozen import dataclass, replace
from gitmem.model.session import Session
from gitmem.operations.registry import READ, Annotated, Arg, Operation
from gitmem.retrieval import annotate, memory_view, search_notes
from gitmem.sessions import injection, viewed_files
from gitmem.sessions.current_session import current_session
from gitmem.store.code import indexed_files
from gitmem.timeline.current_scores import Suggestion

TYPE_CHECKING = False  # most questions have no form: what answers those is not loaded for them
if TYPE_CHECKING:
    from gitmem.assembly.cited_answer import CitedAnswer
    from gitmem.search.question_forms import Known

MAX_TOKENS = 6000
_NOTHING = "Nothing fits into the budget: give more --max-tokens."


@dataclass(frozen=True, slots=True)
class Context:
    """A question, and how much room its context has."""

    query: Annotated[
        str,
        Arg(
            'What you are about to do or want to know; "..." finds a phrase '
            "(default: what bears on this moment)",
            positional=True,
            words=True,
        ),
    ] = ""
    file: Annotated[str, Arg("The file you are working on", place="path")] = ""
    max_tokens: Annotated[int, Arg("Token budget", short="-b", least=1, most=200_000)] = MAX_TOKENS
    session: Annotated[str, Arg("Session id (default: the one that is running)")] = ""
    command: Annotated[str, Arg("Without a query: the command that is running", mcp=False)] = ""
    order: Annotated[
        str,
        Arg(
            "Without a query: what bears on this moment, or all memories by their importance, of "
            "equals the newest",
            choices=("moment", "importance"),
            mcp=False,
        ),
    ] = "moment"


@dataclass(frozen=True, slots=True)
class RelevantItem:
    """A memory that bears on this moment, its score and what that is made of."""

    memory: memory_view.MemoryItem
    score: float
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GhostMessage:
    """A message for a hook to slip in; ``role`` is system, and people are not shown it."""

    trigger: str
    content: str
    memory: str
    role: str = "system"
    visible: bool = False


@dataclass(frozen=True, slots=True)
class ContextNow:
    """This moment, without a question: each part the best first, within its cap.

    ``active_symbol`` is what the active file is most about, ``related`` are ids of memories that
    cite it; ``queries`` are the session's last questions, ``blocker`` what probably stopped it.
    """

    working: tuple[memory_view.MemoryItem, ...]
    relevant: tuple[RelevantItem, ...]
    patterns: tuple[memory_view.MemoryItem, ...]
    suggestions: tuple[Suggestion, ...]
    ghost_messages: tuple[GhostMessage, ...]
    active_file: str
    active_symbol: str
    related: tuple[str, ...]
    queries: tuple[str, ...]
    error: str
    blocker: str


@dataclass(frozen=True, slots=True)
class ContextForQuery:
    """A context in Markdown and what it costs: ``token_count`` is never above the budget.

    ``counted_by`` names the tokenizer, or says that it is an estimate (which errs high).
    ``sources`` are where its parts are from, ``decisions`` those told in it. ``left_out`` parts
    found no room. ``notes`` say what the index lacks and why there may be nothing. ``now`` is there
    where nothing was asked.
    """

    context: str
    sources: tuple[Cited, ...]
    token_count: int
    max_tokens: int
    counted_by: str
    decisions: tuple[memory_view.MemoryItem, ...]
    confidence: Confidence
    left_out: int
    notes: tuple[str, ...] = ()
    now: ContextNow | None = None


def context(app: App, request: Context) -> ContextForQuery:
    """Assemble what is known about a question inside a token budget.

    The session that is running, the lines of code and notes that answer, memories, decisions,
    commits, and where there is room what lies in the archive. Never longer than --max-tokens.
    Without a question: what the session is at, the memories, patterns and errors that bear on it,
    and suggestions; with --order importance all memories, the most important first.
    """
    if indexed_files.state(app.store, app.worktree) is None:
        from gitmem.indexing import first_search  # noqa: PLC0415 - once in a worktree's life

        first_search.prepare(app)
    session = current_session(app, request.session)
    if request.max_tokens == MAX_TOKENS:
        cut = injection.of(app.store, session)
        request = replace(request, max_tokens=cut.tokens(MAX_TOKENS))
    if not request.query.strip():
        if request.order == "importance":
            return _important(app, request)
        return _now(app, request, session)
    if request.order != "moment":
        raise InvalidInput(
            "--order does not go with a question: what is told then answers it.",
            "Leave out the question, or --order.",
        )
    found = query_context.assemble(
        app,
        request.query,
        _tell,
        near=request.file,
        budget=request.max_tokens,
        session=session,
    )
    told = [(one.hit.memory, one.store) for one in found.decisions]
    annotate.count_shown(app, [*told, *((one.hit.memory, one.store) for one in found.notes)])
    usage.asked(app, "search", found=bool(found.cited))
    if session is not None:
        viewed_files.note_query(app, session, request.query)
    standing = {one.hit.memory.id: one.standing for one in found.decisions}
    return ContextForQuery(
        context=found.text,
        sources=found.cited,
        token_count=found.tokens,
        max_tokens=request.max_tokens,
        counted_by=found.counted_by,
        decisions=tuple(annotate.items_of(app, told, standing=standing)),
        confidence=found.confidence,
        left_out=found.left_out,
        notes=_notes(app, found),
    )


def _tell(app: App, form: "Known") -> "CitedAnswer | str | None":
    from gitmem.operations import form_answer  # noqa: PLC0415 - for a question of a known form

    return form_answer.tell(app, form)


def _important(app: App, request: Context) -> ContextForQuery:
    """What matters most, whatever somebody is at (CT-17)."""
    from gitmem.assembly import important_memories  # noqa: PLC0415 - for who asks so

    count, counted_by = query_context.counter(app)
    found = important_memories.gather(app, request.max_tokens, count)
    annotate.count_shown(app, found.told)
    items = annotate.items_of(app, found.told)
    return ContextForQuery(
        context=found.text,
        sources=tuple(
            Cited(
                "decision" if one.kind == "decision" else "memory",
                " ".join(one.paths),
                id=one.id,
                score=one.importance,
            )
            for one, _ in found.told
        ),
        token_count=found.tokens,
        max_tokens=request.max_tokens,
        counted_by=counted_by,
        decisions=tuple(one for one in items if one.kind == "decision"),
        confidence=UNJUDGED,
        left_out=found.left_out,
        notes=() if found.told else (_NOTHING if found.left_out else "There are no memories.",),
    )


def _now(app: App, request: Context, session: Session | None) -> ContextForQuery:
    """The context of this moment (CF-19)."""
    from gitmem.assembly import current_context  # noqa: PLC0415 - not for who asks something

    count, counted_by = query_context.counter(app)
    found = current_context.gather(app, session, file=request.file, command=request.command)
    packed = found.pack(request.max_tokens, count)
    text = packed.text.strip("\n")
    home = {database.scope: database for database in app.stores()}
    relevant = [(one.memory, home[one.memory.scope]) for one in found.relevant]
    annotate.count_shown(app, relevant)
    items = annotate.items_of(app, relevant)
    decisions = tuple(one for one in items if one.kind == "decision")
    return ContextForQuery(
        context=text,
        sources=tuple(
            Cited(
                "decision" if one.memory.kind == "decision" else "memory",
                " ".join(one.memory.paths),
                id=one.memory.id,
                score=one.score,
            )
            for one in found.relevant
        ),
        token_count=count(text),
        max_tokens=request.max_tokens,
        counted_by=counted_by,
        decisions=decisions,
        confidence=UNJUDGED,
        left_out=sum(cost.left_out for cost in packed.costs),
        notes=() if text else (_NOTHING,),
        now=ContextNow(
            working=tuple(annotate.items_of(app, [(one, app.store) for one in found.working])),
            relevant=tuple(
                RelevantItem(item, one.score, one.why)
                for item, one in zip(items, found.relevant, strict=True)
            ),
            patterns=tuple(annotate.items_of(app, [(one, app.store) for one in found.patterns])),
            suggestions=found.suggestions,
            ghost_messages=tuple(
                GhostMessage(one.trigger, one.content, one.memory) for one in found.ghosts
            ),
            active_file=request.file or (session.active_file if session else ""),
            active_symbol=found.symbol,
            related=found.related,
            queries=found.queries,
            error=found.error,
            blocker=found.blocker,
        ),
    )


def _notes(app: App, found: query_context.QueryContext) -> tuple[str, ...]:
    notes = []
    if not found.text:
        notes.append(
            "Nothing of what was found fits into the budget: give more --max-tokens."
            if found.left_out
            else "Nothing is known about this: neither code nor memories answer."
        )
    return (*search_notes.by_words_alone([found.lacks]), *notes, *index_request.behind(app))


def view(result: ContextForQuery) -> str:
    """The context, and a line on what it costs and how sure it is."""
    sure = result.confidence
    counted = "estimated" if result.counted_by == "estimate" else f"by {result.counted_by}"
    cost = f"{result.token_count} of {result.max_tokens} tokens, {counted}"
    surely = "" if result.now else f"; confidence {sure.level}, {sure.score} of 100"
    last = f"({cost}{surely})"
    return "\n\n".join([*filter(None, (result.context, *result.notes)), last])


CONTEXT = Operation(
    name="context",
    run=context,
    view=view,
    effect=READ,
    sample='"how are fixtures resolved" --max-tokens 2000',
    tool="context",
)
