"""By what a session of an agent is known, and what was claimed in it."""

import os

from gitmem.agents.events import session_state
from gitmem.agents.events.hook_event import Moment
from gitmem.agents.hosts import registry
from gitmem.app import App
from gitmem.clock import HOUR, MINUTE
from gitmem.store.db import preflight, seals

# Sources of a session's start after which the context may be gone.
_AGAIN = frozenset({"compact", "clear", "resume"})
# Two files of hosts ask at the same moment; what comes later is another event.
TOGETHER_MS = 10_000
# A session that goes on still has what it was told; after so long it wants to know what is new.
RESUMED_MS = 12 * HOUR
# How long a session without an id is taken for the same one.
NAMELESS_MS = 30 * MINUTE
_NAME = 16  # letters of the folder's name


def seen_folder(app: App) -> str:
    """The folder of what each session was told."""
    # No archive can bring this one: its name comes of the store's key.
    name = f"{session_state.FOLDER}-{seals.token(app.store_key)[:_NAME]}"
    return os.path.join(app.layout.store_root, preflight.FOLDER, name)


def session_key(app: App, moment: Moment) -> str:
    """By what a session is known: its id alone, whichever host's file asked.

    Hosts read each other's files, and then the same session is told of under two agents' names.
    Where a host gives no id: the agent and the worktree.
    """
    if has_id(moment):
        return moment.session
    return f"{moment.agent} {app.worktree}"


def claimant(app: App, moment: Moment) -> tuple[str, str]:
    """``seen_folder`` and ``session_key``, with which ``session_state`` is asked."""
    return seen_folder(app), session_key(app, moment)


def has_id(moment: Moment) -> bool:
    """Whether the host told an id that no other session will have."""
    return len(moment.session) >= 8


def claimed_as(moment: Moment) -> tuple[str, int | None]:
    """As what an orientation is claimed, and after how many ms it may be claimed again."""
    what = moment.source if moment.source in _AGAIN else "start"
    if not has_id(moment):
        return what, TOGETHER_MS if moment.event == "session-start" else NAMELESS_MS
    if what == "resume" and registry.find(moment.agent).session.starts_anew_after_compaction:
        return "start", RESUMED_MS
    if what != "start" or registry.find(moment.agent).session.forgets_with_its_process:
        return what, TOGETHER_MS
    return what, None
