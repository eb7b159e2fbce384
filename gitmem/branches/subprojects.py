"""The sub-project of a monorepo that a command concerns, by the current folder.

A memory made in a sub-project belongs to it, one made elsewhere belongs to all. In a sub-project,
its own memories and those of all are visible; elsewhere everything is. ``--project NAME`` acts as
if in that sub-project, ``--project all`` as at the root.
"""

from __future__ import annotations

import os

from gitmem.app import App
from gitmem.errors import InvalidInput
from gitmem.store.db.connection import Database

# SQL conditions over ``memories AS m`` with their values, for ``store.memory.filters``.
Conditions = tuple[tuple[str, list[object]], ...]


def current_subproject_name(app: App) -> str:
    """The name of the sub-project (of a monorepo) around the current folder; empty for none."""
    if app.subproject is None:
        root = app.layout.worktree
        if root is None or os.path.realpath(app.start) == root:
            app.subproject = ""
        else:
            from gitmem.branches import subproject_files  # noqa: PLC0415 - not at the root

            app.subproject = subproject_files.name_of_enclosing_subproject(app)
    return app.subproject


def project_key_for_new_memories(app: App) -> str:
    """The key of the project and sub-project that a memory made now belongs to."""
    return _with_subproject(app.project_identity.key, current_subproject_name(app))


def worktree_and_subproject_key(app: App) -> str:
    """A key for where a session runs: the root of the worktree, with the sub-project's name."""
    return _with_subproject(app.worktree, current_subproject_name(app))


def _with_subproject(whole: str, name: str) -> str:
    if not name:
        return whole
    from gitmem.model import project_key  # noqa: PLC0415 - most repositories are one project

    return project_key.subproject_key(whole, name)


def visible_memory_sql_conditions(app: App, database: Database) -> Conditions:
    """(SQL condition, values) pairs for memories ``m`` to be of this sub-project or of the root.

    Empty if all are visible: at the root, and in the global store.
    """
    name = "" if database.scope == "global" else current_subproject_name(app)
    if not name:
        return ()
    from gitmem.store.memory import project_parts  # noqa: PLC0415 - nothing is hidden at the root

    return (project_parts.subproject_or_repository_sql_condition(name),)


def subproject_memory_sql_conditions(app: App) -> Conditions:
    """(SQL condition, values) pairs for memories ``m`` of the sub-project; none at the root."""
    name = current_subproject_name(app)
    if not name:
        return ()
    from gitmem.store.memory import project_parts  # noqa: PLC0415 - as above

    return (project_parts.subproject_sql_condition(name),)


def reusable_memory_sql_conditions(app: App, database: Database) -> Conditions:
    """(SQL condition, values) pairs for memories ``m`` to reuse when their text is saved again."""
    if database.scope == "global":
        return ()
    from gitmem.store.memory import project_parts  # noqa: PLC0415 - for writers

    return (project_parts.subproject_or_repository_sql_condition(current_subproject_name(app)),)


def enter_subproject(app: App, subproject_name: str, *, for_writing: bool) -> App:
    """The App to use for the sub-project with this name, ``all`` for the whole repository.

    For ``upstream`` it is a new App in the original of this fork, to be closed by the caller, or
    InvalidInput is raised with ``for_writing``. Raises NotFound, listing the known names.
    """
    from gitmem.branches import forks, subproject_files  # noqa: PLC0415 - only with --project
    from gitmem.model.project_key import UPSTREAM  # noqa: PLC0415 - as above

    if subproject_name != UPSTREAM:
        app.subproject = subproject_files.resolve_subproject_name(app, subproject_name)
        return app
    if for_writing:
        raise InvalidInput(
            "From a fork, the memory of the original (`upstream`) can be read but not changed.",
            "To change it, run gitmem in a clone of the original: gitmem -C FOLDER ...",
        )
    return forks.open_clone_of_fork_upstream(app)
