"""Counts: what is kept, by whom, how large."""

import os

from gitmem.app import App
from gitmem.model.value import dataclass
from gitmem.operations.registry import READ, Operation
from gitmem.store import backup, overview
from gitmem.text.fence import one_line


@dataclass(frozen=True, slots=True)
class Stats:
    """Nothing needs to be said."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Counts of memories by state, kind, agent and tag, and the size of the file in bytes."""

    total: int
    by_state: dict[str, int]
    by_kind: dict[str, int]
    by_agent: dict[str, int]
    by_tag: dict[str, int]
    pinned: int
    versions: int
    links: int
    sessions: int
    notes: int
    accesses: int
    global_total: int
    file_bytes: int
    backups: int


def stats(app: App, request: Stats) -> Counted:
    """Count what is kept, by state, kind, agent and tag."""
    del request
    counts = overview.count(app.store, app.now)
    shared = app.global_store()
    return Counted(
        **counts,
        global_total=0 if shared is None else overview.count(shared, app.now)["total"],
        file_bytes=os.path.getsize(app.store_path),
        backups=len(backup.stored(app.store_path)),
    )


def view(result: Counted) -> str:
    """A line for each kind of count."""
    lines = [f"{result.total} memories, {result.global_total} global, {result.pinned} pinned"]
    for name, counts in (
        ("state", result.by_state),
        ("kind", result.by_kind),
        ("agent", result.by_agent),
        ("tag", result.by_tag),
    ):
        if counts:
            told = ", ".join(
                f"{one_line(key, 40) or 'person'} {count}" for key, count in counts.items()
            )
            lines.append(f"  {name:<9} {told}")
    lines.append(f"  history   {result.versions} earlier versions, {result.links} links")
    lines.append(f"  sessions  {result.sessions}, {result.notes} notes")
    lines.append(f"  accesses  {result.accesses}")
    lines.append(f"  file      {result.file_bytes / 1024:,.0f} KiB, {result.backups} backups")
    return "\n".join(lines)


STATS = Operation(
    name="stats",
    request=Stats,
    run=stats,
    view=view,
    effect=READ,
    example="gitmem stats --json",
)
