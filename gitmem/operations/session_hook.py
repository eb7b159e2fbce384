"""What a session of an agent is told at one of its moments, and what is noted of it.

Nothing here waits: a store that another process holds is not there for this moment.
"""

import os
from contextlib import suppress

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.hooks.sessions import dialects, once
from gitmem.hooks.sessions.moment import Moment
from gitmem.model.value import replace
from gitmem.operations import usage
from gitmem.store import files
from gitmem.store.connection import Database, open_store

BUSY_MS = 200
COMPACTED = "compacted"
# Hosts that begin a session without saying so: they take text only with a prompt.
_FIRST_PROMPT = frozenset({"kimi"})
# Hosts that start the session anew after a compaction, of which no more has to be remembered.
_START_ANEW = frozenset({"claude-code", "codex", "opencode"})
_STARTS = frozenset({"session-start", "pre-invocation"})
# Sources of a session's start after which the context may be gone.
_AGAIN = frozenset({"compact", "clear", "resume"})
# Two files of hosts ask at the same moment; what comes later is another event.
TOGETHER_MS = 10_000
# How long a session without an id is taken for the same one.
NAMELESS_MS = 30 * 60_000


def answer(app: App, moment: Moment) -> str:
    """The text for the model, empty for none. Raises GitmemError, NotOurs before anything else."""
    # The repository first: only then are its settings read.
    if not app.has_store or not app.settings.number("hooks.enabled"):
        return ""
    # Before anything is noted: folders in a store that came with a clone may lead anywhere.
    app.refuse_tracked()
    text = _text(app, moment)
    usage.note(app, "hook")
    return text


def open_briefly(app: App) -> Database:
    """The store, opened without waiting for who holds it. Raises StoreBusy, StoreDamaged, ..."""
    if app.opened is None:
        app.adopt(open_store(app.store_path, busy_ms=BUSY_MS))
    return app.store


def afterwards(app: App, moment: Moment) -> None:
    """What is left to do once the host was answered: start upkeep where it is due."""
    if moment.event == "session-start" and app.opened is not None:
        from gitmem.operations import schedule  # noqa: PLC0415 - for the first moment only

        with suppress(GitmemError):
            schedule.start_if_due(app)


def seen_folder(app: App) -> str:
    """Where is kept what was told in which session."""
    return os.path.join(app.layout.store_root, files.FOLDER, once.FOLDER)


def session_key(app: App, moment: Moment) -> str:
    """By what a session is known: its id alone, whichever host's file asked.

    Hosts read each other's files, and then the same session is told of under two agents' names.
    Where a host gives no id: the agent and the work tree.
    """
    if has_id(moment):
        return moment.session
    return f"{moment.agent} {app.worktree}"


def has_id(moment: Moment) -> bool:
    """Whether the host told an id that no other session will have."""
    return len(moment.session) >= 8


def _text(app: App, moment: Moment) -> str:
    # Each moment loads what it needs and no more: `prompt` runs at every prompt.
    event = moment.event
    if event == "pre-compact":
        return _before_compaction(app, moment)
    if event == "stop":
        from gitmem.operations import hook_end  # noqa: PLC0415

        return hook_end.stop(app, moment)
    if event == "session-end":
        from gitmem.operations import hook_end  # noqa: PLC0415

        return hook_end.end(app, moment)
    first = _orientation(app, moment)
    if not first:
        return _news(app, moment)
    # It counts as told by now, and must not be lost for what else there would be to say.
    with suppress(GitmemError):
        return _together(moment, first, _news(app, moment))
    return first


def _orientation(app: App, moment: Moment) -> str:
    """What is told first in a session, and again where a compaction took it away."""
    folder, key = seen_folder(app), session_key(app, moment)
    if not dialects.injects(moment):
        return _begun(app, moment)
    if moment.event not in _STARTS:
        if once.release(folder, key, COMPACTED):
            moment = replace(moment, source="compact")
        elif moment.event != "prompt" or moment.agent not in _FIRST_PROMPT:
            return ""
    what, every = claimed_as(moment)
    if once.free(folder, key, what, app.now, every=every):
        open_briefly(app)
        from gitmem.operations import hook_start  # noqa: PLC0415

        return hook_start.start(app, moment)
    # Where a host's file asked again, counted as saved; other events ask at every turn.
    tokens = once.kept(folder, key).get("tokens", "") if moment.event == "session-start" else ""
    if tokens.isdecimal():
        usage.note(app, "injection", n=0, saved=int(tokens))
    return ""


def _begun(app: App, moment: Moment) -> str:
    """Nothing to tell; of a beginning it is noted."""
    if moment.event in _STARTS:
        from gitmem.operations import hook_notes  # noqa: PLC0415 - few hosts are told nothing

        hook_notes.started(app, moment)
    return ""


def claimed_as(moment: Moment) -> tuple[str, int | None]:
    """As what an orientation is claimed, and after how many ms it may be claimed again."""
    what = moment.source if moment.source in _AGAIN else "start"
    if not has_id(moment):
        return what, TOGETHER_MS if moment.event == "session-start" else NAMELESS_MS
    # OpenCode keeps the text only as long as its process lives, and asks again in the next.
    if what != "start" or moment.agent == "opencode":
        return what, TOGETHER_MS
    return what, None


def _news(app: App, moment: Moment) -> str:
    """What this moment itself calls for."""
    event = moment.event
    if event == "prompt":
        from gitmem.operations import hook_prompt  # noqa: PLC0415

        return hook_prompt.prompt(app, moment)
    if event == "post-edit" or (event == "post-tool" and moment.files):
        from gitmem.operations import hook_edit  # noqa: PLC0415

        return hook_edit.edit(app, moment)
    if event == "post-command" or (event == "post-tool" and moment.command):
        from gitmem.operations import hook_command  # noqa: PLC0415

        return hook_command.command(app, moment)
    return ""


def _together(moment: Moment, first: str, news: str) -> str:
    """Both texts, or the first alone where the host does not take both."""
    if not news:
        return first
    both = f"{first}\n{news}"
    fits = dialects.size(moment, both) <= dialects.cap(moment.agent, moment.event)
    return both if fits else first


def _before_compaction(app: App, moment: Moment) -> str:
    from gitmem.operations import hook_compact  # noqa: PLC0415

    if moment.agent not in _START_ANEW:
        once.claim(seen_folder(app), session_key(app, moment), COMPACTED, app.now)
    return hook_compact.snapshot(app, moment)
