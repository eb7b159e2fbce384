"""The key of a session, and when its orientation may be claimed."""

import os

from gitmem.agents.events import session_state
from gitmem.agents.events.hook_event import HookEvent
from gitmem.agents.hosts import registry
from gitmem.app import App
from gitmem.clock import HOUR, MINUTE
from gitmem.store.db import preflight, seals

# Reasons for a session's start after which the model may have lost its context.
_AGAIN = frozenset({"compact", "clear", "resume"})
# Two hook files report one event within this many milliseconds; later it is another event.
TOGETHER_MS = 10_000
# A resumed session still has its orientation; after so long it gets a new one.
RESUMED_MS = 12 * HOUR
# How long events without a session id count as one session.
NAMELESS_MS = 30 * MINUTE
_NAME = 16  # letters of the folder's name


def session_state_folder(app: App) -> str:
    """The path of the folder in ``.gitmem`` for the small files that ``session_state`` writes."""
    # Its name depends on the store's key, so that an archive cannot contain it.
    name = f"{session_state.FOLDER}-{seals.derive_log_line_token(app.signing_key)[:_NAME]}"
    return os.path.join(app.layout.store_root, preflight.FOLDER, name)


def session_state_key(app: App, hook_event: HookEvent) -> str:
    """The text that identifies a session in ``session_state``.

    It is the session's id, or the agent's name and the worktree if the agent program gives no id of
    at least 8 characters.
    """
    return (
        hook_event.session if has_session_id(hook_event) else f"{hook_event.agent} {app.worktree}"
    )


def session_state_folder_and_key(app: App, hook_event: HookEvent) -> tuple[str, str]:
    """(folder, session key): the first two arguments of the functions of ``session_state``."""
    return session_state_folder(app), session_state_key(app, hook_event)


def has_session_id(hook_event: HookEvent) -> bool:
    """Whether the agent program gave an id (of 8 characters) that identifies this session alone."""
    return len(hook_event.session) >= 8


def start_claim_name_and_interval(hook_event: HookEvent) -> tuple[str, int | None]:
    """(claim name, milliseconds) for ``session_state.acquire_claim``, to orient a session once.

    The orientation is what a session is told at its start. None for the time: once for ever.
    """
    name = hook_event.source if hook_event.source in _AGAIN else "start"
    if not has_session_id(hook_event):
        return name, TOGETHER_MS if hook_event.event == "session-start" else NAMELESS_MS
    if (
        name == "resume"
        and registry.find_host(hook_event.agent).session.starts_anew_after_compaction
    ):
        return "start", RESUMED_MS
    if name != "start" or registry.find_host(hook_event.agent).session.forgets_with_its_process:
        return name, TOGETHER_MS
    return name, None
