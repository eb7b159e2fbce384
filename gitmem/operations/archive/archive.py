"""Archiving memories and restoring them: nothing is deleted."""

from functools import partial

from gitmem.app import App
from gitmem.capture.edit_each import Outcomes, edit_each
from gitmem.memory import edit
from gitmem.operations.outcomes import Ids, view
from gitmem.operations.registry import DELETE, WRITE, Operation
from gitmem.store.db.connection import Database
from gitmem.store.memory import memory_writes


def forget(app: App, request: Ids) -> Outcomes:
    """Archive memories; `gitmem restore` brings them back.

    To delete one permanently, with its history, use `gitmem purge`.
    """

    def unread(database: Database, id: str) -> None:
        memory_writes.archive_unreadable_memory(database, id, at_ms=app.now)

    archived = partial(edit.archive, now=app.now)
    return edit_each(app, request.id, "archived", archived, unread)


def restore(app: App, request: Ids) -> Outcomes:
    """Restore archived memories."""
    return edit_each(app, request.id, "restored", edit.restore)


FORGET = Operation("forget", forget, view, DELETE, "01M6ZK3P", tool="forget")

RESTORE = Operation("restore", restore, view, WRITE, "01M6ZK3P", tool="restore")
