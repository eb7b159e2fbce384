"""The end of a turn, and the end of a session: noted, and left to the drain.

Hosts cut off what runs at their end, so nothing is done here but a line in a file and the start of
a process that nobody waits for.
"""

from gitmem.app import App
from gitmem.hooks.sessions import notes
from gitmem.hooks.sessions.moment import Moment
from gitmem.operations import hook_notes


def stop(app: App, moment: Moment) -> str:
    """A turn is over: the session is alive. Always empty."""
    if not moment.subagent:
        hook_notes.note(app, moment, notes.STOP)
        hook_notes.hand_over(app, moment)
    return ""


def end(app: App, moment: Moment) -> str:
    """The session is over. Always empty."""
    if not moment.subagent:
        hook_notes.note(app, moment, notes.END)
        hook_notes.hand_over(app, moment, at_once=True)
    return ""
