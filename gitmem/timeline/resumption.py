"""Where a session stopped and how to take it up: last questions, blocker, next steps. Pure.

Events are given newest first, as the store hands them out.
"""

from __future__ import annotations

from collections.abc import Sequence

from gitmem.model.session import QUERY, Event
from gitmem.text.quantity import quantity

NOTE, ERROR, COMMAND = "note", "error", "command"
TYPES = (NOTE, ERROR, COMMAND, QUERY)
MOST_STEPS = 3
_STUCK = ("block", "stuck", "fail", "broken", "cannot", "waiting")


def questions(events: Sequence[Event], most: int) -> tuple[str, ...]:
    """What was asked last, each once, the newest first."""
    asked = (event.text for event in events if event.type == QUERY)
    return tuple(dict.fromkeys(asked))[:most]


def blocker(events: Sequence[Event]) -> str:
    """What probably stopped a session: an error that no passed check followed, else a note."""
    last = next((event for event in events if event.type in (ERROR, COMMAND)), None)
    if last is not None and last.type == ERROR:
        return last.text
    notes = (event.text for event in events if event.type == NOTE)
    return next((note for note in notes if any(word in note.lower() for word in _STUCK)), "")


def next_steps(
    *, blocked: bool, check: str = "", active_file: str = "", dirty: int = 0, proposed: int = 0
) -> list[str]:
    """What to do next, the most pressing first.

    ``check`` is the last command that passed, ``dirty`` counts files that are not committed,
    ``proposed`` decisions that nobody has settled.
    """
    steps = []
    if blocked:
        steps.append("resolve the blocker" + (f" and run `{check}`" if check else ""))
    if dirty:
        steps.append(f"review {quantity(dirty, 'uncommitted file')}")
    if active_file:
        steps.append(f"go on in {active_file}")
    if proposed:
        steps.append(f"settle {quantity(proposed, 'open decision')}")
    return steps[:MOST_STEPS]
