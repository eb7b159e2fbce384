"""Paging through a conversation: its exchanges as JSON, or quoted as Markdown."""

from collections.abc import Sequence

from gitmem.app import App
from gitmem.clock import format_iso
from gitmem.errors import AmbiguousReference, InvalidInput
from gitmem.indexing import dropped_commits
from gitmem.memory import conversation_digest
from gitmem.model.exchange import FAILED, Conversation, Exchange, ToolCall
from gitmem.model.frozen import copy_fields
from gitmem.retrieval import exchange_candidates
from gitmem.retrieval.exchange_candidates import NUMBER
from gitmem.retrieval.exchange_view import ExchangeItem, ToolItem, Transcript
from gitmem.retrieval.memory_view import CommitItem
from gitmem.sessions.session_view import SessionItem
from gitmem.store.session import exchanges
from gitmem.text.fence import escape_for_model, join_lines, one_line
from gitmem.text.redact import redact

# Exchanges that are shown at once, unless more are requested.
PAGE = 20
_PATHS, _TOOLS, _WIDTH = 3, 12, 100


def find_conversation(app: App, id_prefix: str) -> tuple[Conversation | None, int]:
    """Return the imported conversation whose id begins with ``id_prefix``, and an exchange number.

    The id may be gitmem's or the agent program's. The number is that after ``#`` (``ID#12``), else
    0. (None, 0) if there is none. Raises AmbiguousReference if several match.
    """
    id, _, number = id_prefix.strip().partition(NUMBER)
    matches = exchanges.conversations_by_prefix(app.store, id) if id else []
    if len(matches) > 1:
        names = ", ".join(each.id for each in matches[:5])
        raise AmbiguousReference(
            f"{id_prefix[:40]!r} matches more than one session: {names}.", "Give more characters."
        )
    return (matches[0] if matches else None), int(number) if number.isdecimal() else 0


def conversation_of_session(app: App, client_id: str) -> Conversation | None:
    """Return the newest imported conversation with the agent's own id ``client_id``, or None."""
    newest = exchanges.recent_conversations(app.store, 1, session=client_id) if client_id else []
    return newest[0] if newest else None


def transcript_page(
    app: App, conversation: Conversation, first_exchange: int, last_exchange: int
) -> Transcript:
    """Return some exchanges of a conversation, with the commits that probably followed each.

    ``first_exchange`` and ``last_exchange`` count from 1, both included; 0 as the last means a page
    of ``PAGE`` (20). Raises InvalidInput if the last comes before the first.
    """
    if last_exchange and last_exchange < first_exchange:
        raise InvalidInput(
            f"--to {last_exchange} lies before --from {first_exchange}.", "Swap the two numbers."
        )
    count = exchanges.count_exchanges_of_conversation(app.store, conversation.id)
    last_exchange = min(last_exchange or first_exchange + PAGE - 1, count)
    some = exchanges.read_exchanges(app.store, conversation.id, first_exchange, last_exchange + 1)
    shown = [exchange for exchange in some if exchange.number <= last_exchange]
    began = {exchange.number - 1: exchange.at for exchange in some}
    dropped = dropped_commits.make_dropped_commit_lookup(app)
    items = tuple(
        _item(
            exchange,
            exchange_candidates.following_commits(
                app, conversation, exchange, began.get(exchange.number, 0), dropped
            ),
        )
        for exchange in shown
    )
    return Transcript(
        conversation.id,
        conversation.host,
        conversation_summary(app, conversation),
        count,
        first_exchange,
        last_exchange,
        items,
    )


def conversation_summary(app: App, conversation: Conversation) -> str:
    """Return a conversation's stored summary, else a few sentences from it; secrets are removed."""
    text = conversation.summary
    if not text:
        text = conversation_digest.summarise_conversation(
            exchanges.read_exchanges(app.store, conversation.id)
        )
    return escape_for_model(redact(text).text)


def _item(exchange: Exchange, commits: tuple[CommitItem, ...]) -> ExchangeItem:
    return copy_fields(
        ExchangeItem,
        exchange,
        at=format_iso(exchange.at) if exchange.at else None,
        user=escape_for_model(redact(exchange.user).text),
        assistant=escape_for_model(redact(exchange.assistant).text),
        tools=tuple(copy_fields(ToolItem, call) for call in exchange.tools),
        commits=commits,
    )


def session_item(app: App, conversation: Conversation, *, summarised: bool = True) -> SessionItem:
    """Return a conversation in the form in which ``session show`` shows a session.

    Its goal is the first question. Unless ``summarised``, its summary is empty, which saves reading
    it all.
    """
    first = exchanges.read_exchanges(app.store, conversation.id, 1, 1)
    begun, ended = format_iso(conversation.started_at), format_iso(conversation.ended_at)
    return SessionItem(
        id=conversation.id,
        agent=conversation.host,
        client_id=conversation.session,
        worktree=conversation.folder,
        branch=conversation.branch,
        head_start="",
        head_end="",
        goal=one_line(first[0].user, 200) if first else "",
        summary=conversation_summary(app, conversation) if summarised else "",
        active_file="",
        files=(),
        started_at=begun,
        last_at=ended,
        ended_at=ended,
    )


def transcript_as_markdown(transcript: Transcript) -> list[str]:
    """Return exchanges as lines of Markdown, in which all that was said is quoted with ``>``.

    The last line says how to read on.
    """
    lines = []
    for exchange in transcript.exchanges:
        at = f" ({exchange.at[:16].replace('T', ' ')})" if exchange.at else ""
        lines += ["", f"## Exchange {exchange.number}{at}"]
        for who, text in (("user", exchange.user), (transcript.host, exchange.assistant)):
            if text.strip():
                lines += ["", f"{one_line(who, 20)}:", *_quoted(text)]
        if exchange.tools:
            lines += ["", f"tools: {_tools(exchange.tools)}"]
        lines += [
            f"then {commit.commit[:10]} {join_lines(commit.subject)}" for commit in exchange.commits
        ]
    if transcript.first > transcript.count:
        lines += ["", f"(no exchange {transcript.first}: the last is {transcript.count})"]
    elif transcript.last < transcript.count:
        lines += [
            "",
            f"({transcript.first} to {transcript.last} of {transcript.count} exchanges; "
            f"--from {transcript.last + 1} shows more)",
        ]
    return lines


def _quoted(text: str) -> list[str]:
    return [f"> {line}".rstrip() for line in text.strip().split("\n")]


def _tools(tools: Sequence[ToolItem | ToolCall]) -> str:
    calls = []
    for call in tools[:_TOOLS]:
        of = f" {' '.join(call.paths[:_PATHS])}" if call.paths else ""
        failed = " (failed)" if call.outcome == FAILED else ""
        calls.append(one_line(f"{call.name}{of}", _WIDTH) + failed)
    more = [f"{len(tools) - _TOOLS} more"] if len(tools) > _TOOLS else []
    return ", ".join([*calls, *more])
