"""Counting usage for `gitmem stats --funnel`, by appending lines to a file.

Only numbers are kept, by day, agent and event; nothing leaves the machine.
"""

import os

from gitmem.app import App
from gitmem.clock import DAY
from gitmem.errors import GitmemError
from gitmem.store.db import preflight, seals
from gitmem.store.session import usage

CHARACTERS_A_TOKEN = 4


def record_usage_event(
    app: App, event_name: str, *, times: int = 1, tokens: int = 0, saved_tokens: int = 0
) -> None:
    """Add to today's count of an event by this agent; never waits, and ignores errors.

    ``event_name`` is one of ``usage.WHATS``. ``tokens`` went to the model, ``saved_tokens`` were
    left out (both characters / 4).
    """
    _append(app, ((event_name, times, tokens, saved_tokens),))


def record_tool_call_usage(app: App, *, tokens: int, saved_tokens: int, duration_ms: int) -> None:
    """Count an agent's tool call: tokens in its answer, tokens saved, and milliseconds taken."""
    _append(
        app, (("tool_call", 1, tokens, saved_tokens), ("tool_call_ms", max(0, duration_ms), 0, 0))
    )


def estimate_tokens_by_length(text: str) -> int:
    """Return a text's number of tokens, estimated as its characters / 4."""
    return len(text) // CHARACTERS_A_TOKEN


def record_question_usage(app: App, command: str, *, answered: bool) -> None:
    """Count a question by ``command`` (``recall`` or ``search``), and whether it had an answer."""
    _append(app, _question(command, found=answered))


def record_recall_usage(app: App, mode: str, *, answered: bool, duration_ms: int) -> None:
    """Count a recall: its search mode, whether it had an answer, and its milliseconds."""
    _append(
        app,
        (
            *_question("recall", found=answered),
            (usage.recall_duration_counter_name(mode, duration_ms), 1, 0, 0),
        ),
    )


def _question(what: str, *, found: bool) -> tuple[tuple[str, int, int, int], ...]:
    answer = ("" if what == "recall" else "search_") + ("hit" if found else "miss")
    return (what, 1, 0, 0), (answer, 1, 0, 0)


def store_pending_usage_counts(app: App, *, max_wait_ms: int = 2_000) -> bool:
    """Add the counts in the usage log to the store; return whether that succeeded.

    Waits at most ``max_wait_ms`` for other writers. A power cut may lose the latest counts.
    """
    store = app.store
    if store.read_only:
        return False
    try:
        with store.lock_timeout(max_wait_ms, sync_commits=False):
            usage.move_usage_log_to_table(store, now_ms=app.now, pid=os.getpid())
    except (GitmemError, OSError):
        return False
    return True


def _append(app: App, counted: tuple[tuple[str, int, int, int], ...]) -> None:
    try:
        # First, as finding the repository reads its settings.
        path = app.store_path
        if not app.settings.number("usage.enabled") or not _is_writable(app):
            return
        day, agent = app.now // DAY, app.agent
        token = seals.derive_log_line_token(app.signing_key)
        usage.append_usage_lines(
            path, b"".join(usage.format_usage_line(day, agent, *entry, token) for entry in counted)
        )
    except (GitmemError, OSError):
        return


def _is_writable(app: App) -> bool:
    """Whether there is a store here that may be written; an open one was checked before."""
    store = app.already_open_store
    if store is not None:
        return not store.read_only
    if not app.has_store:
        return False
    preflight.check_store_file_owner_and_format(app.store_path)
    app.refuse_tracked_store()
    return os.access(app.store_path, os.W_OK)
