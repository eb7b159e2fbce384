"""The sub-project of a monorepo that a command is about: the folder one stands in says it.

What is kept in a sub-project belongs to it, what is kept elsewhere in the repository belongs to
all. Who stands in a sub-project sees its own and what belongs to all; who stands elsewhere sees
everything. ``--project NAME`` does as if one stood in it, ``--project all`` as if at the root.
"""

from __future__ import annotations

import os

from gitmem.app import App
from gitmem.errors import InvalidInput
from gitmem.store.db.connection import Database

# Conditions over ``memories AS m`` with their values, as ``store.memory.filters`` takes them.
Conditions = tuple[tuple[str, list[object]], ...]


def current(app: App) -> str:
    """The name of the sub-project; empty where it is the repository as a whole."""
    if app.subproject is None:
        app.subproject = "" if _at_root(app) else _declared(app)
    return app.subproject


def _at_root(app: App) -> bool:
    root = app.layout.worktree
    return root is None or os.path.realpath(app.start) == root


def _declared(app: App) -> str:
    from gitmem.branches import subproject_files  # noqa: PLC0415 - for who stands in a folder

    return subproject_files.around(app)


def key(app: App) -> str:
    """The key of the project that a new memory belongs to."""
    return _below(app.identity.key, current(app))


def place(app: App) -> str:
    """Where a session is: the worktree, and behind it the name of the sub-project."""
    return _below(app.worktree, current(app))


def _below(whole: str, name: str) -> str:
    if not name:
        return whole
    from gitmem.model import project_key  # noqa: PLC0415 - most repositories are one project

    return project_key.below(whole, name)


def seen(app: App, database: Database) -> Conditions:
    """What a memory has to fulfil to be seen from here."""
    name = "" if database.scope == "global" else current(app)
    if not name:
        return ()
    from gitmem.store.memory import project_parts  # noqa: PLC0415 - nothing is hidden at the root

    return (project_parts.visible_from(name),)


def own(app: App) -> Conditions:
    """What a memory has to fulfil to belong to the sub-project one is in; nothing at the root."""
    name = current(app)
    if not name:
        return ()
    from gitmem.store.memory import project_parts  # noqa: PLC0415 - as above

    return (project_parts.of(name),)


def alike(app: App, database: Database) -> Conditions:
    """What a memory has to fulfil to say the same as a new one: who sees this one sees that too."""
    if database.scope == "global":
        return ()
    from gitmem.store.memory import project_parts  # noqa: PLC0415 - for writers

    return (project_parts.visible_from(current(app)),)


def entered(app: App, asked: str, *, writes: bool) -> App:
    """The App as if one stood in the sub-project ``asked``; ``all``: at the root.

    ``upstream``: another App, in the original of this fork, which the caller closes; only to read.
    Raises NotFound, naming those there are, and InvalidInput.
    """
    from gitmem.branches import forks, subproject_files  # noqa: PLC0415 - for who names one
    from gitmem.model.project_key import UPSTREAM  # noqa: PLC0415 - as above

    if asked != UPSTREAM:
        app.subproject = subproject_files.named(app, asked)
        return app
    if writes:
        raise InvalidInput(
            "The memory of a fork's original can only be read from the fork.",
            "Write to it in its own folder: gitmem -C FOLDER ...",
        )
    return forks.original(app)
