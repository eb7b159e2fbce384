"""Reporting an event of a session: a file opened, a command run, an error, and five others."""

from gitmem.app import App
from gitmem.capture import event_intake, known_errors
from gitmem.capture.event_intake import EventOutcome
from gitmem.errors import InvalidInput
from gitmem.maintenance import detached, index_request, usage
from gitmem.memory import event_types
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation, positional_arg
from gitmem.retrieval import request_filters
from gitmem.sessions.current_session import begin_session, close_session, session_by_client_id
from gitmem.store.session import sessions
from gitmem.text.fence import one_line


@dataclass(frozen=True, slots=True)
class ReportEventRequest:
    """Arguments of `gitmem event`: the type of an event, and its payload, a JSON object or text."""

    type: Annotated[
        str, positional_arg("What happened: " + ", ".join(event_types.TYPES), metavar="TYPE")
    ]
    payload: Annotated[str, Arg("Its details: a JSON object, or plain text", max_stdin_mb=1)] = ""
    at: Annotated[str, Arg("When it happened (default: now)", metavar="TIME")] = ""
    session: Annotated[
        str, Arg("The session it belongs to (default: the running one)", metavar="ID")
    ] = ""
    client_session: shared.HostSession = ""


@dataclass(frozen=True, slots=True)
class KnownFix:
    """How an error was fixed before: the memory about the fix, and the commit.

    Unless ``sure``, no commit was reported: then it is the commit that was checked out when the fix
    was recorded, and the fix may have been committed later.
    """

    id: str
    text: str
    commit: str
    subject: str
    sure: bool = True


@dataclass(frozen=True, slots=True)
class ReportEventResult:
    """The outcome of an event: ``memory_id`` is the memory stored, empty if none was.

    ``triggered_actions`` are words such as ``added``, ``new error``, ``known error``, ``fix
    stored``, ``reindex``. For an error ``signature`` is the tag by which gitmem recognises it,
    ``seen`` is how often it occurred before, ``fix`` how it was fixed then.
    """

    processed: bool
    memory_id: str
    triggered_actions: tuple[str, ...]
    message: str
    signature: str = ""
    seen: int = 0
    fix: KnownFix | None = None


def report_event(app: App, request: ReportEventRequest) -> ReportEventResult:
    """Report an event; a known error is answered with its fix.

    A payload is a JSON object: file_opened {path, content}, command_executed {command, output},
    error_occurred {error, fix, commit}, decision_made {title, why, paths}, session_start {goal},
    session_end {summary}, pattern_detected {name, description, code},
    user_feedback {rating (of 5), comment}. Opened files are kept for an hour, commands for two, the
    start and end of a session for a day, errors of an importance below 0.8 for a day; each use
    extends that by half, and the fifth use keeps it for good. Decisions belong to the project,
    patterns and feedback to all your projects. An error is recognised even if its paths, lines,
    addresses and versions differ; reported with its fix, it is answered with it from then on.
    """
    type = event_types.check_event_type(request.type)
    payload = event_types.reported_event_from_values(
        type, event_types.parse_event_payload(type, request.payload)
    )
    at = _moment(app, request.at)
    if request.client_session and _begins(app, type, request.client_session):
        begin_session(
            app, payload.text if type == event_types.START else "", request.client_session
        )
    named = session_by_client_id(app, request.client_session) if request.client_session else None
    session = request.session or (named.id if named else "")
    intake = event_intake.store_event(app, payload, session=session, reported_at_ms=at)
    if (
        named
        and type == event_types.END
        and named.client_id == sessions.redact_host_session_id(request.client_session)
    ):
        close_session(app, named, payload.text)
    if intake.path:
        _index_again(app, intake.path)
    usage.record_usage_event(app, "store")
    fix = None if intake.known is None else intake.known.fix
    known_fix = None if fix is None else _known_fix(app, fix)
    return ReportEventResult(
        bool(intake.memory),
        intake.memory,
        intake.actions,
        _message(intake, known_fix),
        "" if intake.signature is None else intake.signature.memory_tag,
        intake.count,
        known_fix,
    )


def _begins(app: App, type: str, client_session: str) -> bool:
    """Whether an event begins the session of the host: its start, or the first that is heard."""
    session = sessions.newest_session_by_host_id(
        app.store, sessions.redact_host_session_id(client_session)
    )
    return type == event_types.START or (type != event_types.END and session is None)


def _moment(app: App, text: str) -> int | None:
    """When it happened, in milliseconds. Raises InvalidInput."""
    if not text.strip():
        return None
    if text.strip().isascii() and text.strip().isdigit():
        number = int(text.strip()[:20])
        if not 0 <= number < 1 << 53:
            raise InvalidInput(
                f"The time `at` cannot be {text[:40]!r}.",
                "Give milliseconds since 1970, or a date.",
            )
        return number
    return request_filters.validity_period(app, text, "")[0]


def _index_again(app: App, path: str) -> None:
    """Index the file again in the background; best effort."""
    if not (app.settings.allows_background and app.settings.number("hooks.enabled")):
        return
    try:
        if index_request.request_index_of_files(app, (path,)):
            detached.start_background_command(app, "drain")
    except OSError:
        return  # the next command notices that the index is behind


def _known_fix(app: App, fix: Memory) -> KnownFix:
    commit = known_errors.fixing_commit_of_memory(fix)
    subject = event_intake.read_commit_subject(app, commit) if commit else ""
    sure = known_errors.metadata_names_fixing_commit(fix)
    return KnownFix(fix.id, fix.content or fix.title, commit, subject, sure)


def _message(taken: EventOutcome, fix: KnownFix | None) -> str:
    if taken.signature is None:
        return "; ".join(taken.actions)
    error = taken.signature.as_line
    if fix is not None:
        where = (
            f" (commit {fix.commit[:10]}{'' if fix.sure else ' or later'})" if fix.commit else ""
        )
        return f"Known error: {error}. It was fixed before{where}: {fix.text}"
    if "fix stored" in taken.actions:
        return f"The fix was recorded: {error}."
    times = f"seen {taken.count + 1} times so far" if taken.known else "not seen before"
    return (
        f"{error}: {times}; no fix is known. Report its fix: `gitmem event error_occurred` with "
        f'"fix", or remember it with --kind fix --tag {taken.signature.memory_tag}.'
    )


def view(result: ReportEventResult) -> str:
    """Return the text to print: what was done; for an error also how it was fixed before."""
    done = ", ".join(result.triggered_actions) or "nothing recorded"
    lines = [f"{done} {result.memory_id}".rstrip()]
    if result.signature:
        lines.append(one_line(result.message, 2_000))
    if result.fix is not None and result.fix.subject:
        at = "" if result.fix.sure else "recorded at "
        lines.append(f"  {at}{result.fix.commit[:10]} {one_line(result.fix.subject, 200)}")
    return "\n".join(lines)


EVENT = Operation(
    "event",
    report_event,
    view,
    WRITE,
    'error_occurred --payload \'{"error": "KeyError: price"}\'',
    tool="report_event",
)
