"""Reading the memories of a fork's original, in the user's own clone of the original.

The remote ``upstream`` names the original; gitmem must be set up in the clone.
"""

from __future__ import annotations

import os

from gitmem.app import App
from gitmem.branches import other_projects
from gitmem.errors import Conflict, NotFound
from gitmem.git import identity


def open_clone_of_fork_upstream(app: App) -> App:
    """An App in the user's own clone of the project that this repository is a fork of.

    The caller closes it. Raises NotFound if there is no such clone, and Conflict if an agent may
    not read it.
    """
    key = identity.upstream_project_key(app.layout, app.project_identity)
    if not key:
        raise NotFound(
            "This repository has no remote `upstream` of another project, so it is not a fork.",
            "If it is one, name the original: git remote add upstream URL",
        )
    projects = other_projects.registered_projects(app)
    root = next(
        (
            project.root
            for project in projects
            if project.key == key and os.path.isdir(project.root)
        ),
        "",
    )
    if not root:
        raise NotFound(
            f"gitmem is not set up in any clone of {key}.",
            "Clone it and run `gitmem init` there; `gitmem projects` lists where it is.",
        )
    # An agent could add a remote and so call any project the original.
    if not other_projects.may_use_project(app, root):
        raise Conflict(f"An agent may not read the memory of {key}.", other_projects.HOW)
    there = App.for_project(app, root)
    there.subproject = ""
    return there
