"""Doing what is due: the verb of the background process."""

from gitmem.app import App
from gitmem.background.upkeep import Kept, do_due
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import WRITE, Operation


@dataclass(frozen=True, slots=True)
class Upkeep:
    """Nothing needs to be said."""


def upkeep(app: App, request: Upkeep) -> Kept:
    """Run the maintenance that is due.

    Keeps memories that were used often, archives those that have expired and,
    once a day, those that nobody uses, suggests merging what says the same and archiving what the
    code made untrue, makes the daily backup
    and the copy outside the work tree, sums up usage, and merges the write-ahead log into the
    store.
    """
    del request
    return do_due(app)


def view(result: Kept) -> str:
    """A line for each thing done, or nothing."""
    lines = [f"archived {result.expired} expired memories"] if result.expired else []
    if result.promoted:
        lines.append(f"{result.promoted} memories no longer expire, since they are used often")
    if result.faded:
        lines.append(f"archived {result.faded} unused memories")
    if result.moved:
        lines.append(f"finished {result.moved} moves between stores")
    if result.suggested:
        lines.append(f"{result.suggested} pairs of memories to look at: see `gitmem inbox`")
    if result.stale:
        lines.append(f"{result.stale} memories whose code is another: see `gitmem inbox`")
    lines += [f"backed up to {result.backup}"] if result.backup else []
    lines += [f"copied to {result.copy}"] if result.copy else []
    return "\n".join(lines)


UPKEEP = Operation(
    name="upkeep",
    request=Upkeep,
    run=upkeep,
    view=view,
    effect=WRITE,
    example="gitmem upkeep",
)
