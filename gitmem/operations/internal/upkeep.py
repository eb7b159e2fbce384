"""Doing what is due: the verb of the background process."""

from gitmem.app import App
from gitmem.background.upkeep import Kept, do_due
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import WRITE, Operation


@dataclass(frozen=True, slots=True)
class Upkeep:
    """Nothing needs to be said."""


def upkeep(app: App, request: Upkeep) -> Kept:
    """Do what is due.

    Takes the end from memories that were used often, archives those whose time has run out and,
    once a day, those that nobody uses, makes the daily backup, adds up what was used, and merges
    the write-ahead log into the store.
    """
    del request
    return do_due(app)


def view(result: Kept) -> str:
    """A line for each thing done, or nothing."""
    lines = [f"archived {result.expired} expired memories"] if result.expired else []
    if result.promoted:
        lines.append(f"{result.promoted} memories were used so often that they stay")
    if result.faded:
        lines.append(f"archived {result.faded} memories that nobody used")
    if result.moved:
        lines.append(f"finished {result.moved} moves between stores")
    lines += [f"backed up to {result.backup}"] if result.backup else []
    return "\n".join(lines)


UPKEEP = Operation(
    name="upkeep",
    request=Upkeep,
    run=upkeep,
    view=view,
    effect=WRITE,
    example="gitmem upkeep",
)
