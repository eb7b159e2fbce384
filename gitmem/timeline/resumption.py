"""Resuming a session: its last questions, what probably blocked it, next steps. Pure.

Events are given newest first.
"""

from __future__ import annotations

from collections.abc import Sequence

from gitmem.model.session import QUERY, Event
from gitmem.text.quantity import quantity

NOTE, ERROR, COMMAND = "note", "error", "command"
TYPES = (NOTE, ERROR, COMMAND, QUERY)
MOST_STEPS = 3
_STUCK = ("block", "stuck", "fail", "broken", "cannot", "waiting")


def last_session_questions(events: Sequence[Event], limit: int) -> tuple[str, ...]:
    """The texts of the last ``limit`` questions of a session, each once, the newest first.

    ``events`` are its events, the newest first.
    """
    queries = (event.text for event in events if event.type == QUERY)
    return tuple(dict.fromkeys(queries))[:limit]


def find_blocking_error_or_note(events: Sequence[Event]) -> str:
    """The text of the error or note that probably blocked a session; empty if there is none.

    ``events`` are its events, the newest first.
    """
    last = next((event for event in events if event.type in (ERROR, COMMAND)), None)
    if last is not None and last.type == ERROR:
        return last.text
    notes = (event.text for event in events if event.type == NOTE)
    return next((note for note in notes if any(word in note.lower() for word in _STUCK)), "")


def suggest_steps_after_session(
    *,
    blocked: bool,
    last_check_command: str = "",
    active_file: str = "",
    uncommitted_files: int = 0,
    open_decisions: int = 0,
) -> list[str]:
    """At most three next steps in words, the most urgent first.

    ``last_check_command`` is the last test or build that passed, ``active_file`` the last file
    worked on; both may be empty. The others are numbers of files and decisions.
    """
    steps = []
    if blocked:
        steps.append(
            "resolve the blocker"
            + (f" and run `{last_check_command}`" if last_check_command else "")
        )
    if uncommitted_files:
        steps.append(f"review {quantity(uncommitted_files, 'uncommitted file')}")
    if active_file:
        steps.append(f"go on in {active_file}")
    if open_decisions:
        steps.append(f"settle {quantity(open_decisions, 'open decision')}")
    return steps[:MOST_STEPS]
