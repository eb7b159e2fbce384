"""Sessions that began without being told anything: their hook hit its deadline, or the store was
busy. The next prompt makes up for it (``dispatch``); doctor tells of it.
"""

from collections.abc import Iterator

from gitmem.agents.events import dispatch, session_state
from gitmem.agents.events.session_claim import seen_folder
from gitmem.app import App
from gitmem.doctor.finding import NOTE, Finding
from gitmem.text.quantity import quantity


def examine(app: App) -> Iterator[Finding]:
    """A finding where there were any in the last days, in any worktree."""
    late = session_state.count(seen_folder(app), dispatch.LATE)
    lost = session_state.count(seen_folder(app), dispatch.BEGINNING)
    if not late + lost:
        return
    told = f"{quantity(late + lost, 'session')} of the last week began without an answer in time"
    if late:
        told += f"; {'it was' if late + lost == 1 else f'{late} were'} told at the next prompt"
    log = app.settings.log_file
    yield Finding("session starts", NOTE, told, f"{log} says why." if log else "")
