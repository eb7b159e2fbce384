"""Reading the sessions that agents' hosts wrote down."""

import time
from contextlib import suppress

from gitmem.agents.hosts.registry import resolve_host_name
from gitmem.app import App
from gitmem.capture.provenance import require_person
from gitmem.errors import StoreBusy
from gitmem.model.frozen import dataclass, replace
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation, Texts, positional_arg
from gitmem.retrieval.request_filters import parse_time_ms
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity
from gitmem.transcripts.formats import HOSTS
from gitmem.transcripts.importer import SessionImportCounts, SessionImporter

_PAUSE = 3.0  # seconds between two looks of --watch
# Singular and plural of what was left out, and why.
_REASONS = {
    "damaged": ("line", "lines", "no JSON"),
    "oversized": ("line", "lines", "longer than 8 MB"),
    "unfinished": ("last line", "last lines", "not finished yet"),
    "dropped": ("exchange", "exchanges", "at the beginning of a very long session"),
    "links": ("symbolic link", "symbolic links", "not followed"),
    "foreign": ("file", "files", "of another user"),
    "unreadable": ("file or folder", "files or folders", "cannot be read"),
    "purged": ("session", "sessions", "purged before"),
    "secret_name": ("file", "files", "whose name holds a secret"),
}


@dataclass(frozen=True, slots=True)
class ImportSessionsRequest:
    """Arguments of `gitmem session import`: the agents (``hosts``, empty: all) whose files to read.

    ``since``: only files changed since this time (empty: all); ``watch`` goes on until Ctrl-C.
    """

    hosts: Annotated[
        Texts,
        positional_arg(
            "Hosts to read (default: all)",
            choices=HOSTS,
            metavar="HOST",
            resolve_synonym=resolve_host_name,
        ),
    ] = ()
    since: Annotated[str, Arg("Only files changed since then: 2026-01-31, 30d")] = ""
    watch: Annotated[bool, Arg("Go on until Ctrl-C, and read what is new every few seconds")] = (
        False
    )
    dry_run: shared.DryRun = False


def import_sessions(app: App, request: ImportSessionsRequest) -> SessionImportCounts:
    """Read the sessions that agents' hosts wrote down, so that they can be searched.

    Only sessions in this repository and its worktrees. What was said is stored with the names of
    the tools called, the files they were given and how they ended, not with their output; secrets
    are redacted. What is unchanged is skipped; a session whose file is gone is removed (see
    `transcripts.keep`). Nothing is read without this command, unless `transcripts.import` is 1:
    then each session is read when it ends. Sessions stay in this store: no export or synced copy
    has them. The result counts the sessions that were stored, unchanged or removed, and what was
    left out by reason.
    """
    if not app.project_settings.number("transcripts.import"):
        require_person(app, "read the sessions of agents' hosts")
    since = parse_time_ms(app, request.since) or 0
    result = SessionImporter(app, since=since, dry_run=request.dry_run).import_sessions(
        request.hosts
    )
    if not request.watch or request.dry_run:
        return result
    app.say(view(result))
    app.say("watching; press Ctrl-C to stop")
    try:
        while True:
            time.sleep(_PAUSE)
            with suppress(StoreBusy):  # it is tried again anyway
                result = SessionImporter(app, since=since).import_sessions(request.hosts)
                if result.conversations or result.removed:
                    app.say(view(result))
    except KeyboardInterrupt:
        return replace(result, shown=True)  # how this command is meant to end


def view(result: SessionImportCounts) -> str:
    """Return the text to print: what was stored, and what not and why; empty if printed before."""
    if result.shown:
        return ""
    exchanges = quantity(result.exchanges, "exchange")
    would = "would be " * result.dry_run
    parts = [f"{quantity(result.conversations, 'session')} with {exchanges} {would}imported"]
    parts += [f"{result.unchanged:,} unchanged"] if result.unchanged else []
    parts += [f"{result.removed:,} {would}removed"] if result.removed else []
    lines = [", ".join(parts)]
    if result.proposed:
        lines.append(f"{quantity(result.proposed, 'proposal')} from them: see `gitmem inbox`")
    if result.waiting:
        lines.append(f"kept {quantity(result.waiting, 'session')} whose host's folder is not there")
    for reason, count in result.left_out:
        singular, plural, why = _REASONS[reason]
        lines.append(f"left out: {quantity(count, singular, plural)}, {why}")
    lines += [
        f"read as far as gitmem knows it: {one_line(version, 60)}, which it was not tried with"
        for version in result.versions
    ]
    return "\n".join(lines)


IMPORT_SESSIONS = Operation("session import", import_sessions, view, WRITE, "--since 30d")
