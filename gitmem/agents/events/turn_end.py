"""The end of a turn, and the end of a session: noted, and left to the drain.

Hosts cut off what runs at their end, so nothing is done here but a line in a file and the start of
a process that nobody waits for.
"""

from gitmem.agents.events import event_log, record
from gitmem.agents.events.hook_event import Moment
from gitmem.app import App


def stop(app: App, moment: Moment) -> str:
    """A turn is over: the session is alive. Always empty."""
    if not moment.subagent:
        record.note(app, moment, event_log.STOP)
        record.hand_over(app, moment)
    return ""


def end(app: App, moment: Moment) -> str:
    """The session is over. Always empty."""
    if not moment.subagent:
        record.note(app, moment, event_log.END)
        record.hand_over(app, moment, at_once=True)
    return ""
