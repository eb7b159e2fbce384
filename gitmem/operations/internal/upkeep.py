"""Running due maintenance: a verb of the background process."""

from gitmem.app import App
from gitmem.background.upkeep import MaintenanceReport, run_due_maintenance
from gitmem.operations.registry import WRITE, EmptyRequest, Operation


def run_upkeep(app: App, _request: EmptyRequest) -> MaintenanceReport:
    """Run the regular maintenance that is due.

    Makes memories that were used often permanent, archives those that have expired and, once a day,
    those that nobody uses, suggests merging memories that say the same and archiving those whose
    code has changed, makes the daily backup and the copy outside the work tree, embeds new memories
    with the contextual model, sums up usage, and merges the write-ahead log into the store.
    """
    return run_due_maintenance(app)


def view(result: MaintenanceReport) -> str:
    """Return the text to print: a line for each thing done; empty if nothing was."""
    parts = (
        (result.expired, "archived 1 expired memory", "archived {} expired memories"),
        (
            result.promoted,
            "1 memory no longer expires, since it is used often",
            "{} memories no longer expire, since they are used often",
        ),
        (result.faded, "archived 1 unused memory", "archived {} unused memories"),
        (result.moved, "finished 1 move between stores", "finished {} moves between stores"),
        (
            result.suggested,
            "1 pair of memories to look at: see `gitmem inbox`",
            "{} pairs of memories to look at: see `gitmem inbox`",
        ),
        (
            result.stale,
            "1 memory whose code has changed: see `gitmem inbox`",
            "{} memories whose code has changed: see `gitmem inbox`",
        ),
        (
            result.derived,
            "1 fact follows from the commits: see `gitmem inbox`",
            "{} facts follow from the commits: see `gitmem inbox`",
        ),
        (
            result.read,
            "the contextual model read 1 memory",
            "the contextual model read {} memories",
        ),
    )
    lines = [part if count == 1 else many.format(count) for count, part, many in parts if count]
    lines += [f"backed up to {result.backup}"] if result.backup else []
    lines += [f"copied to {result.copy}"] if result.copy else []
    return "\n".join(lines)


UPKEEP = Operation("upkeep", run_upkeep, view, WRITE)
