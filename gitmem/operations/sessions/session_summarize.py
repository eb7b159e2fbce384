"""Summarising imported sessions by a model, where one is set."""

import os
import time

from gitmem.app import App
from gitmem.assembly import session_summary, transcript_page
from gitmem.capture.provenance import require_person
from gitmem.errors import InvalidInput, NotFound, Unavailable
from gitmem.files import atomic_write
from gitmem.maintenance import endpoint_consent
from gitmem.model.exchange import Conversation
from gitmem.model.frozen import dataclass
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation, Texts, positional_arg
from gitmem.store.session import exchanges
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity

OWN = (
    "No model is set: sessions are summarised by their own sentences when they are shown. "
    "See `gitmem config transcripts.endpoint`."
)
_WIDTH = 120


@dataclass(frozen=True, slots=True)
class SummarizeSessionsRequest:
    """Arguments of `gitmem session summarize`: ids (empty: the last ones), or write ``prompts``."""

    ids: Annotated[
        Texts, positional_arg("Ids or unique prefixes (default: the last sessions)", metavar="ID")
    ] = ()
    limit: shared.Limit = 20
    prompts: Annotated[bool, Arg("Write the three prompts into files of yours, to be edited")] = (
        False
    )


@dataclass(frozen=True, slots=True)
class SummaryItem:
    """A session and its summary; ``requests`` is how often the model was asked for it."""

    id: str
    agent: str
    summary: str
    requests: int


@dataclass(frozen=True, slots=True)
class SummarizeSessionsResult:
    """The summaries made, and why there are no more.

    ``files`` are paths of prompt files that were written for the user to edit, if asked for.
    """

    summaries: tuple[SummaryItem, ...]
    note: str = ""
    files: tuple[str, ...] = ()


def summarize_sessions(app: App, request: SummarizeSessionsRequest) -> SummarizeSessionsResult:
    """Have imported sessions summarised by the model at `transcripts.endpoint`.

    Each summary is kept on its session; what was summarised once is not sent again, unless the
    session or a prompt changed. Secrets are removed first, and nothing is sent to another machine
    that a person did not agree to. Without an endpoint a session is summarised by its own sentences
    when it is shown. A key for the endpoint comes from GITMEM_TRANSCRIPTS_KEY.
    """
    if request.prompts:
        return SummarizeSessionsResult((), files=_write_prompts(app))
    chosen = _chosen(app, request)
    endpoint = session_summary.configured_model_endpoint(app)
    if not endpoint.address:
        return SummarizeSessionsResult((), OWN)
    require_person(app, "send sessions to a model")
    if why := endpoint_consent.why_sending_is_refused(
        app, "transcripts.endpoint", endpoint.address
    ):
        return SummarizeSessionsResult((), why)
    items: list[SummaryItem] = []
    for conversation in chosen:
        try:
            summary, count = session_summary.summarise_conversation(
                app, conversation, endpoint, time.sleep
            )
        except Unavailable as error:
            return SummarizeSessionsResult(
                tuple(items), f"The model was not used: {error.message}."
            )
        items.append(SummaryItem(conversation.id, conversation.host, summary, count))
    return SummarizeSessionsResult(tuple(items), "" if items else "No session was imported.")


def _chosen(app: App, request: SummarizeSessionsRequest) -> list[Conversation]:
    if not request.ids:
        return exchanges.recent_conversations(app.store, request.limit)
    chosen = []
    for id in request.ids:
        conversation, _ = transcript_page.find_conversation(app, id)
        if conversation is None:
            raise NotFound(
                f"No imported session has an id that starts with {id[:40]!r}.",
                "`gitmem session search` finds them.",
            )
        chosen.append(conversation)
    return chosen


def _write_prompts(app: App) -> tuple[str, ...]:
    """Write the prompts into files of the user's, which stay as they are if they exist."""
    require_person(app, "write the prompts")
    folder = session_summary.user_prompts_folder(app)
    if not folder:
        raise InvalidInput(
            "There is no home folder for the prompts.",
            "Set HOME, or GITMEM_HOME to a folder of yours.",
        )
    os.makedirs(folder, mode=0o700, exist_ok=True)
    paths = []
    for name in session_summary.PROMPTS:
        paths.append(os.path.join(folder, f"{name}.md"))
        if not os.path.lexists(paths[-1]):
            atomic_write.replace_file(
                paths[-1], session_summary.read_built_in_prompt(name).encode(), 0o600
            )
    return tuple(paths)


def view(result: SummarizeSessionsResult) -> str:
    """Return the text to print: a line for each session, then its summary."""
    lines = []
    for item in result.summaries:
        count = quantity(item.requests, "request") if item.requests else "unchanged"
        lines += [f"{item.id} {item.agent}  ({count})", f"    {one_line(item.summary, 600)}"]
    lines += [f"edit {path}" for path in result.files]
    return "\n".join([*lines, *([result.note] if result.note else [])])


SUMMARIZE_SESSIONS = Operation("session summarize", summarize_sessions, view, WRITE, "--limit 5")
