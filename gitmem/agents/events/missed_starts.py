"""Finding sessions whose start got no answer, since the hook was late or the store busy.

The next prompt gives the orientation in its place (``dispatch``).
"""

from collections.abc import Iterator

from gitmem.agents.events import dispatch, session_state
from gitmem.agents.events.session_claim import session_state_folder
from gitmem.app import App
from gitmem.doctor.finding import NOTE, CheckFinding
from gitmem.text.quantity import quantity


def find_missed_session_starts(app: App) -> Iterator[CheckFinding]:
    """Yield a CheckFinding for `gitmem doctor` if sessions of the last week got no first answer.

    Sessions in all worktrees of this repository count.
    """
    late = session_state.count_sessions_with_claim(session_state_folder(app), dispatch.LATE)
    lost = session_state.count_sessions_with_claim(session_state_folder(app), dispatch.BEGINNING)
    if not late + lost:
        return
    message = f"{quantity(late + lost, 'session')} of the last week began without an answer in time"
    if late:
        message += f"; {'it was' if late + lost == 1 else f'{late} were'} told at the next prompt"
    log = app.settings.log_file
    yield CheckFinding("session starts", NOTE, message, f"{log} says why." if log else "")
