"""Counting what is used, for `gitmem stats --funnel`: a line in a file, nobody waits for it.

Nothing leaves the machine, and only numbers are kept: the day, who, what and how much.
"""

import os

from gitmem.app import App
from gitmem.clock import DAY
from gitmem.errors import GitmemError
from gitmem.store.db import preflight, seals
from gitmem.store.session import usage

CHARACTERS_A_TOKEN = 4


def note(app: App, what: str, *, n: int = 1, tokens: int = 0, saved: int = 0) -> None:
    """Count something for this agent today: one of ``usage.WHATS``.

    ``tokens`` went to the model, ``saved`` did not have to (both characters / 4). Never waits and
    never fails: where nothing can be noted, nothing is.
    """
    _append(app, ((what, n, tokens, saved),))


def called(app: App, *, tokens: int, saved: int, ms: int) -> None:
    """Count a tool call: what its answer was, what was left out of it, how long it took."""
    _append(app, (("tool_call", 1, tokens, saved), ("tool_call_ms", max(0, ms), 0, 0)))


def tokens(text: str) -> int:
    """What a text is counted as."""
    return len(text) // CHARACTERS_A_TOKEN


def asked(app: App, what: str, *, found: bool) -> None:
    """Count a question, ``recall`` or ``search``, and whether anything was found."""
    _append(app, _asked(what, found=found))


def recalled(app: App, mode: str, *, found: bool, ms: int) -> None:
    """Count a question to the memories, also by its mode and how long it took."""
    _append(app, (*_asked("recall", found=found), (usage.took(mode, ms), 1, 0, 0)))


def _asked(what: str, *, found: bool) -> tuple[tuple[str, int, int, int], ...]:
    answer = ("" if what == "recall" else "search_") + ("hit" if found else "miss")
    return (what, 1, 0, 0), (answer, 1, 0, 0)


def fold(app: App, *, wait_ms: int = 2_000) -> bool:
    """Add up what was noted, where the store can be written soon; whether that was done.

    Not synced: a power cut may lose counts of the last moments.
    """
    store = app.store
    if store.read_only:
        return False
    try:
        with store.patience(wait_ms, durable=False):
            usage.fold(store, now=app.now, pid=os.getpid())
    except (GitmemError, OSError):
        return False
    return True


def _append(app: App, counted: tuple[tuple[str, int, int, int], ...]) -> None:
    try:
        # The store first: only when the repository is found are its settings read.
        path = app.store_path
        if not app.settings.number("usage.enabled") or not _ours(app):
            return
        day, agent = app.now // DAY, app.agent
        token = seals.token(app.store_key)
        usage.append(path, b"".join(usage.line(day, agent, *one, token) for one in counted))
    except (GitmemError, OSError):
        return


def _ours(app: App) -> bool:
    """Whether there is a store here that may be written; one that is open was looked at before."""
    store = app.opened
    if store is not None:
        return not store.read_only
    if not app.has_store:
        return False
    preflight.check(app.store_path)
    app.refuse_tracked()
    return os.access(app.store_path, os.W_OK)
