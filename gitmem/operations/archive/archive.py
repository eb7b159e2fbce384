"""Archiving memories and restoring them: nothing is deleted."""

from gitmem.app import App
from gitmem.capture.edit_each import Outcomes, edit_each
from gitmem.memory import edit
from gitmem.operations.outcomes import Ids, failures, view
from gitmem.operations.registry import DELETE, WRITE, Operation


def forget(app: App, request: Ids) -> Outcomes:
    """Archive memories; `gitmem restore` brings them back.

    To delete one permanently, with its history, use `gitmem purge`.
    """
    return edit_each(app, request.id, "archived", lambda memory: edit.archived(memory, app.now))


def restore(app: App, request: Ids) -> Outcomes:
    """Restore archived memories."""
    return edit_each(app, request.id, "restored", edit.restored)


FORGET = Operation(
    name="forget",
    request=Ids,
    run=forget,
    view=view,
    effect=DELETE,
    example="gitmem forget 01M6ZK3P",
    tool="forget",
    failures=failures,
)

RESTORE = Operation(
    name="restore",
    request=Ids,
    run=restore,
    view=view,
    effect=WRITE,
    example="gitmem restore 01M6ZK3P",
    tool="restore",
    failures=failures,
)
