"""Processing the events that hooks recorded: a verb of the background process."""

from gitmem.app import App
from gitmem.background.follow import process_events
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import WRITE, Nothing, Operation
from gitmem.text.quantity import quantity


@dataclass(frozen=True, slots=True)
class Drained:
    """How many events were processed, and how many worktrees were updated."""

    events: int
    trees: int


def drain(app: App, _request: Nothing) -> Drained:
    """Process what the git hooks and the session hooks recorded."""
    return Drained(*process_events(app))


def view(result: Drained) -> str:
    """A line on what was done."""
    trees = quantity(result.trees, "worktree")
    return f"{quantity(result.events, 'event')}, {trees} brought up to date"


DRAIN = Operation("drain", drain, view, WRITE)
