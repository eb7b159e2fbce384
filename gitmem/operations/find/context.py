"""What an agent needs to know to answer a question, within a token budget, with sources."""

from gitmem.app import App
from gitmem.assembly import query_context
from gitmem.assembly.query_context import AssembledContext
from gitmem.errors import InvalidInput
from gitmem.maintenance import usage
from gitmem.model.frozen import dataclass, replace
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import READ, Annotated, Arg, Operation, unquoted_words_arg
from gitmem.sessions import injection, viewed_files
from gitmem.sessions.current_session import current_session, session_by_client_id
from gitmem.store.code import indexed_files

TYPE_CHECKING = False  # most questions have no form: what answers those is not loaded for them
if TYPE_CHECKING:
    from gitmem.assembly.cited_answer import CitedAnswer
    from gitmem.search.question_forms import KnownQuestion

MAX_TOKENS = 6000


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """Arguments of `gitmem context`: a question (empty: what matters now), and a token budget."""

    query: Annotated[
        str,
        unquoted_words_arg(
            'What you are about to do or want to know; "..." finds a phrase '
            "(default: what matters now)"
        ),
    ] = ""
    file: Annotated[str, Arg("The file you are working on", path_kind="path")] = ""
    max_tokens: Annotated[int, Arg("Token budget", short="-b", minimum=1, maximum=200_000)] = (
        MAX_TOKENS
    )
    session: Annotated[str, Arg("Session id (default: the one that is running)")] = ""
    client_session: shared.HostSession = ""
    command: Annotated[str, Arg("Without a query: the command that is running", mcp=False)] = ""
    lang: Annotated[str, Arg("Without a query: patterns of this language first", mcp=False)] = ""
    order: Annotated[
        str,
        Arg(
            "Without a query: what matters now (moment), or all memories by importance, then "
            "newest first (importance)",
            choices=("moment", "importance"),
            mcp=False,
        ),
    ] = "moment"


def assemble_context(app: App, request: ContextRequest) -> AssembledContext:
    """Assemble what is known about a question within a token budget.

    The running session, the lines of code and notes that answer, memories, decisions, commits, and
    if there is room archived memories. Never longer than --max-tokens. Without a question: the
    running session, the memories, patterns and errors that matter to it, and suggestions; with
    --order importance all memories, the most important first.
    """
    if indexed_files.worktree_index_state(app.store, app.worktree) is None:
        from gitmem.indexing import first_search  # noqa: PLC0415 - once in a worktree's life

        first_search.prepare_first_search(app)
    session = (
        current_session(app, request.session)
        if request.session
        else session_by_client_id(app, request.client_session)
    )
    if request.max_tokens == MAX_TOKENS:
        cut = injection.limits_for_session(app.store, session)
        request = replace(request, max_tokens=cut.token_limit(MAX_TOKENS))
    if not request.query.strip():
        if request.order == "importance":
            return query_context.context_by_importance(app, request.max_tokens)
        from gitmem.assembly import current_context  # noqa: PLC0415 - not for a question

        return current_context.gather_current_context(
            app,
            session,
            request.max_tokens,
            file=request.file,
            command=request.command,
            language=request.lang,
        )
    if request.order != "moment":
        raise InvalidInput(
            "--order cannot be combined with a question, whose context has an order of its own.",
            "Leave out the question, or --order.",
        )
    answer = query_context.assemble_context(
        app,
        request.query,
        _answer_form,
        open_file=request.file,
        max_tokens=request.max_tokens,
        session=session,
    )
    usage.record_question_usage(app, "search", answered=bool(answer.sources))
    if session is not None:
        viewed_files.record_session_question(app, session, request.query)
    return answer


def _answer_form(app: App, form: "KnownQuestion") -> "CitedAnswer | str | None":
    from gitmem.operations import form_answer  # noqa: PLC0415 - for a question of a known form

    return form_answer.answer_known_question(app, form)


def view(result: AssembledContext) -> str:
    """Return the text to print: the context, and a line with its tokens and confidence."""
    sure = result.confidence
    counted = "estimated" if result.counted_by == "estimate" else f"by {result.counted_by}"
    cost = f"{result.token_count} of {result.max_tokens} tokens, {counted}"
    surely = "" if result.now else f"; confidence {sure.level}, {sure.score} of 100"
    last = f"({cost}{surely})"
    return "\n\n".join([*filter(None, (result.context, *result.notes)), last])


CONTEXT = Operation(
    "context",
    assemble_context,
    view,
    READ,
    '"how are fixtures resolved" --max-tokens 2000',
    tool="context",
)
