"""Listing sessions, and showing a session in full."""

from gitmem.app import App
from gitmem.clock import format_iso
from gitmem.errors import NotFound
from gitmem.git import history
from gitmem.model.frozen import dataclass
from gitmem.model.session import Session
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import READ, Annotated, Arg, Operation, positional_arg
from gitmem.retrieval import annotate, memory_view, viewed_snippets
from gitmem.retrieval.exchange_view import Transcript
from gitmem.retrieval.memory_view import CommitItem
from gitmem.retrieval.viewed_snippets import SnippetItem
from gitmem.sessions import context_usage
from gitmem.sessions.session_view import SessionItem, format_session_line, session_item
from gitmem.store.memory import memories
from gitmem.store.memory.filters import MemoryFilter
from gitmem.store.session import exchanges, sessions
from gitmem.text.fence import join_lines, one_line

MOST_COMMITS = 100
_WIDTH = 100


@dataclass(frozen=True, slots=True)
class ListSessionsRequest:
    """Arguments of `gitmem session list`: only sessions of this agent (empty: all); how many."""

    agent: Annotated[str, Arg("Only sessions of this agent")] = ""
    limit: shared.Limit = 20


@dataclass(frozen=True, slots=True)
class SessionList:
    """A list of sessions, the last active first."""

    sessions: tuple[SessionItem, ...]


@dataclass(frozen=True, slots=True)
class ShowSessionRequest:
    """Arguments of `gitmem session show`: ``id`` of a session, or a unique beginning of it.

    Empty is the last session, ID#12 an exchange of it. ``first`` and ``last`` are the numbers of
    the exchanges to show of an imported session (None: no limit).
    """

    id: Annotated[
        str,
        positional_arg(
            "An id or a unique prefix (default: the last session); ID#12 is an exchange of it"
        ),
    ] = ""
    first: Annotated[
        int | None,
        Arg(
            "Show what was said from this exchange on (imported sessions)", flag="--from", minimum=1
        ),
    ] = None
    last: Annotated[
        int | None, Arg("Show what was said up to this exchange", flag="--to", minimum=1)
    ] = None


@dataclass(frozen=True, slots=True)
class NoteItem:
    """A note of a session: its text, and when it was written."""

    at: str
    text: str


@dataclass(frozen=True, slots=True)
class ShownSession:
    """A session with its notes (oldest first), commits, and the memories recorded in it.

    ``tokens`` are those in the context at its end, by the host's figure; null if the host did not
    tell. ``snippets`` are the passages of the files viewed last that are nearest to its goal and
    last question. ``transcript`` is what was said, if it was imported and asked for.
    """

    session: SessionItem
    commits: tuple[CommitItem, ...]
    notes: tuple[NoteItem, ...]
    memories: tuple[memory_view.MemoryItem, ...]
    tokens: int | None = None
    snippets: tuple[SnippetItem, ...] = ()
    transcript: Transcript | None = None


def list_sessions(app: App, request: ListSessionsRequest) -> SessionList:
    """List sessions, most recently active first.

    Imported sessions of which gitmem recorded nothing itself are among them. A session that its
    host went on with (`claude --continue`) is listed again only if anything was recorded since.
    """
    recent = sessions.recent_sessions(
        app.store, request.limit, agent=request.agent, include_idle=False
    )
    items = [session_item(session) for session in recent]
    alone = exchanges.conversations_without_session(app.store, request.limit, agent=request.agent)
    if alone:
        from gitmem.assembly import transcript_page  # noqa: PLC0415 - where some were imported

        items += [transcript_page.session_item(app, talk, summarised=False) for talk in alone]
        items.sort(key=lambda session: session.last_at, reverse=True)
    return SessionList(tuple(items[: request.limit]))


def show_session(app: App, request: ShowSessionRequest) -> ShownSession:
    """Show one session: goal, files, notes, memories recorded in it.

    Also up to ten snippets: from each file viewed last, the lines nearest to the goal and the last
    question, as they are now. Of a session that was imported, --from and --to show what was said;
    one that gitmem knows by its transcript alone is shown by that.
    """
    if request.id:
        session = _recorded(app, request.id)
        if session is None:
            return _imported(app, request)
    else:
        recent = sessions.recent_sessions(app.store, 1)
        if not recent:
            raise NotFound("There is no session yet.", "`gitmem session start` starts one.")
        session = recent[0]
    notes = sessions.events_in_period(app.store, session=session.id, types=("note",))
    remembered = memories.select_memories(
        app.store, MemoryFilter(states=(), session=session.id), limit=100
    )
    return ShownSession(
        session_item(session),
        tuple(_commits(app, session)),
        tuple(NoteItem(format_iso(note.at), note.text) for note in reversed(notes)),
        tuple(annotate.make_memory_items(app, [(memory, app.store) for memory in remembered])),
        context_usage.context_tokens_at_session_end(app.store, session.id),
        tuple(viewed_snippets.viewed_snippets(app, session)),
        _transcript(app, session, request) if request.first or request.last else None,
    )


def _recorded(app: App, id: str) -> Session | None:
    """The session with an id; None where only a transcript has it.

    Raises NotFound, AmbiguousReference.
    """
    try:
        return sessions.find_session(app.store, id)
    except NotFound:
        from gitmem.assembly import transcript_page  # noqa: PLC0415 - for few ids

        if transcript_page.find_conversation(app, id)[0] is None:
            raise
        return None


def _imported(app: App, request: ShowSessionRequest) -> ShownSession:
    """A session that gitmem knows by its transcript alone."""
    from gitmem.assembly import transcript_page  # noqa: PLC0415 - for few ids

    conversation, number = transcript_page.find_conversation(app, request.id)
    assert conversation is not None
    first = request.first or number or 1
    shown = transcript_page.transcript_page(app, conversation, first, request.last or number)
    return ShownSession(
        transcript_page.session_item(app, conversation), (), (), (), transcript=shown
    )


def _transcript(app: App, session: Session, request: ShowSessionRequest) -> Transcript:
    """What was said in a session. Raises NotFound where it was not imported."""
    from gitmem.assembly import transcript_page  # noqa: PLC0415 - on request

    conversation = transcript_page.conversation_of_session(app, session.client_id)
    if conversation is None:
        raise NotFound(
            f"What was said in session {session.id} was not imported.",
            "`gitmem session import` reads what the agents of this project wrote down.",
        )
    return transcript_page.transcript_page(app, conversation, request.first or 1, request.last or 0)


def _commits(app: App, session: Session) -> list[CommitItem]:
    """The commits from the start to the end of the session, oldest first."""
    end = session.head_end or (app.git_head.commit if session.ended_at is None else None)
    if not (session.head_start and end) or session.head_start == end:
        return []
    try:
        commits = list(
            history.list_commits(
                app.layout.cwd, since_commit=session.head_start, until=end, limit=MOST_COMMITS
            )
        )
    except NotFound:  # rewritten since, and collected
        return []
    return [
        CommitItem(
            commit.sha, commit.author, format_iso(commit.committed_time * 1000), commit.subject
        )
        for commit in reversed(commits)
    ]


def view_list(result: SessionList) -> str:
    """Return the text to print: a line for each session."""
    return "\n".join(map(format_session_line, result.sessions)) or "There is no session yet."


def view(result: ShownSession) -> str:
    """Return the text to print: the session, then its notes, commits, memories and snippets."""
    session = result.session
    rows = [
        ("session", session.id),
        ("agent", session.agent or "person"),
        ("branch", session.branch),
        ("started", session.started_at),
        ("ended", session.ended_at or "still running"),
        ("goal", session.goal),
        ("summary", session.summary),
        ("tokens", f"{result.tokens:,}" if result.tokens else ""),
        ("active file", session.active_file),
        ("files", " ".join(session.files)),
    ]
    lines = [f"{name:>11}  {join_lines(value)}" for name, value in rows if value]
    lines += [f"  {note.at[11:16]}  {join_lines(note.text)}" for note in result.notes]
    lines += [f"  {commit.commit[:10]}  {join_lines(commit.subject)}" for commit in result.commits]
    lines += map(memory_view.format_memory_headline, result.memories)
    for snippet in result.snippets:
        place = f"{snippet.path}:{snippet.start_line}-{snippet.end_line}"
        texts = snippet.text.split("\n")
        lines += [f"  {join_lines(place)}", *(f"    {one_line(text, _WIDTH)}" for text in texts)]
    if result.transcript is not None:
        from gitmem.assembly import transcript_page  # noqa: PLC0415 - on request

        lines += transcript_page.transcript_as_markdown(result.transcript)
    return "\n".join(lines)


LIST = Operation(
    "session list", list_sessions, view_list, READ, "-n 5", tool="session_list", shows_times=True
)

SHOW = Operation("session show", show_session, view, READ, tool="session_show", shows_times=True)
