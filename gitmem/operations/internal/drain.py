"""Processing the events that hooks recorded: a verb of the background process."""

from gitmem.app import App
from gitmem.background.follow import process_hook_events
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import WRITE, EmptyRequest, Operation
from gitmem.text.quantity import quantity


@dataclass(frozen=True, slots=True)
class ProcessedEventCounts:
    """How many events of hooks were stored, and in how many worktrees the index was updated."""

    events: int
    trees: int


def process_recorded_events(app: App, _request: EmptyRequest) -> ProcessedEventCounts:
    """Store the events that git hooks and agents' hooks left in files, and update the index.

    The result counts the events, and the worktrees whose index was updated.
    """
    return ProcessedEventCounts(*process_hook_events(app))


def view(result: ProcessedEventCounts) -> str:
    """Return the text to print: how many events were processed and worktrees updated."""
    trees = quantity(result.trees, "worktree")
    return f"{quantity(result.events, 'event')}, {trees} brought up to date"


DRAIN = Operation("drain", process_recorded_events, view, WRITE)
