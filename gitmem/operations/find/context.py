"""What an agent needs to know for a question, inside a token budget, with sources."""

from gitmem.app import App
from gitmem.assembly import query_context
from gitmem.assembly.query_context import Cited
from gitmem.indexing import index_state
from gitmem.maintenance import index_request, usage
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import READ, Annotated, Arg, Operation
from gitmem.retrieval import annotate, memory_view
from gitmem.sessions.current_session import current_session
from gitmem.store.code import indexed_files

MAX_TOKENS = 6000


@dataclass(frozen=True, slots=True)
class Context:
    """A question, and how much room its context has."""

    query: Annotated[
        str,
        Arg(
            'What you are about to do or want to know; "..." finds a phrase',
            positional=True,
            words=True,
        ),
    ]
    file: Annotated[str, Arg("The file you are working on", place="path")] = ""
    max_tokens: Annotated[int, Arg("Token budget", short="-b", least=1, most=200_000)] = MAX_TOKENS
    session: Annotated[str, Arg("Session id (default: the one that is running)")] = ""


@dataclass(frozen=True, slots=True)
class Confidence:
    """``score`` from 0 to 100, its word (high, medium, low, guess), and what it is made of."""

    score: int
    level: str
    parts: dict[str, float]


@dataclass(frozen=True, slots=True)
class ContextForQuery:
    """A context in Markdown and what it costs: ``token_count`` is never above the budget.

    ``counted_by`` names the tokenizer, or says that it is an estimate (which errs high).
    ``sources`` are where its parts are from, ``decisions`` those told in it. ``left_out`` parts
    found no room. ``notes`` say what the index lacks and why there may be nothing.
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


def context(app: App, request: Context) -> ContextForQuery:
    """Assemble what is known about a question inside a token budget.

    The session that is running, the lines of code and notes that answer, memories, decisions,
    commits, and where there is room what lies in the archive. Never longer than --max-tokens.
    """
    if indexed_files.state(app.store, app.worktree) is None:
        from gitmem.indexing import first_search  # noqa: PLC0415 - once in a worktree's life

        first_search.prepare(app)
    session = current_session(app, request.session)
    found = query_context.assemble(
        app, request.query, near=request.file, budget=request.max_tokens, session=session
    )
    told = [(one.hit.memory, one.store) for one in found.decisions]
    annotate.count_shown(app, told)
    usage.asked(app, "search", found=bool(found.cited))
    standing = {one.hit.memory.id: one.standing for one in found.decisions}
    return ContextForQuery(
        context=found.text,
        sources=found.cited,
        token_count=found.tokens,
        max_tokens=request.max_tokens,
        counted_by=found.counted_by,
        decisions=tuple(annotate.items_of(app, told, standing=standing)),
        confidence=Confidence(
            found.confidence.score, found.confidence.level, found.confidence.parts
        ),
        left_out=found.left_out,
        notes=_notes(app, found),
    )


def _notes(app: App, found: query_context.QueryContext) -> tuple[str, ...]:
    notes = []
    if not found.text:
        notes.append(
            "Nothing of what was found fits into the budget: give more --max-tokens."
            if found.left_out
            else "Nothing is known about this: neither code nor memories answer."
        )
    known = indexed_files.state(app.store, app.worktree)
    if known is None or known.state != "whole" or not index_state.same(app, known):
        under_way = index_request.under_way(app)
        notes.append(
            "The index is behind: " + ("indexing now." if under_way else "run `gitmem index`.")
        )
    return tuple(notes)


def view(result: ContextForQuery) -> str:
    """The context, and a line on what it costs and how sure it is."""
    sure = result.confidence
    counted = "estimated" if result.counted_by == "estimate" else f"by {result.counted_by}"
    cost = f"{result.token_count} of {result.max_tokens} tokens, {counted}"
    last = f"({cost}; confidence {sure.level}, {sure.score} of 100)"
    return "\n\n".join([*filter(None, (result.context, *result.notes)), last])


CONTEXT = Operation(
    name="context",
    request=Context,
    run=context,
    view=view,
    effect=READ,
    example='gitmem context "how are fixtures resolved" --max-tokens 2000',
    tool="context",
)
