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


def count_event(app: App, what: str, *, n: int = 1, tokens: int = 0, saved: int = 0) -> None:
    """Add to today's count of an event (one of ``usage.WHATS``) by this agent.

    ``n`` is how often it happened; ``tokens`` went to the model, ``saved`` were left out (both
    characters / 4). Never waits, and ignores errors.
    """
    _append(app, ((what, n, tokens, saved),))


def count_call(app: App, *, tokens: int, saved: int, ms: int) -> None:
    """Count an agent's tool call: tokens in its answer, tokens ``saved``, and milliseconds."""
    _append(app, (("tool_call", 1, tokens, saved), ("tool_call_ms", max(0, ms), 0, 0)))


def count_tokens(text: str) -> int:
    """The number of tokens that a text counts as: its characters / 4."""
    return len(text) // CHARACTERS_A_TOKEN


def count_question(app: App, what: str, *, found: bool) -> None:
    """Count a question (``recall`` or ``search``), and whether it ``found`` an answer."""
    _append(app, _question(what, found=found))


def count_recall(app: App, mode: str, *, found: bool, ms: int) -> None:
    """Count a search in memories: its mode, whether it ``found`` any, and its milliseconds."""
    _append(app, (*_question("recall", found=found), (usage.duration_counter(mode, ms), 1, 0, 0)))


def _question(what: str, *, found: bool) -> tuple[tuple[str, int, int, int], ...]:
    answer = ("" if what == "recall" else "search_") + ("hit" if found else "miss")
    return (what, 1, 0, 0), (answer, 1, 0, 0)


def store_pending_counts(app: App, *, wait_ms: int = 2_000) -> bool:
    """Add the counts in the usage log to the store; waits at most ``wait_ms`` for other writers.

    Returns whether that succeeded. Not synced to disk: a power cut may lose the latest counts.
    """
    store = app.store
    if store.read_only:
        return False
    try:
        with store.lock_timeout(wait_ms, durable=False):
            usage.move_log_to_table(store, now_ms=app.now, pid=os.getpid())
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
        token = seals.script_log_token(app.store_key)
        usage.append_usage_lines(
            path, b"".join(usage.usage_line(day, agent, *entry, token) for entry in counted)
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
    preflight.check_store_file(app.store_path)
    app.refuse_tracked_store()
    return os.access(app.store_path, os.W_OK)
