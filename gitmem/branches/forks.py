"""The original of a fork, whose memory can be read where the user asks for it.

The remote ``upstream`` names the original; it is read in the clone of it in which this user set
gitmem up, and nowhere else.
"""

from __future__ import annotations

import os

from gitmem.app import App
from gitmem.branches import other_projects
from gitmem.errors import Conflict, NotFound
from gitmem.git import identity
from gitmem.settings import Settings


def original(app: App) -> App:
    """An App in the original's clone, which the caller closes. Raises NotFound and Conflict."""
    key = identity.fork_of(app.layout, app.identity)
    if not key:
        raise NotFound(
            "This repository is no fork: it has no remote `upstream` that is another project.",
            "Name its original: git remote add upstream URL.",
        )
    known = other_projects.every(app)
    root = next((one.root for one in known if one.key == key and os.path.isdir(one.root)), "")
    if not root:
        raise NotFound(
            f"gitmem is not set up in any clone of {key}.",
            "Clone it and run `gitmem init` there; `gitmem projects` lists where it is.",
        )
    # A remote is quickly named: an agent could call any project the original of this one.
    if (app.agent or app.source == "ai_inferred") and not other_projects.listed(app, root):
        raise Conflict(f"An agent may not read the memory of {key}.", other_projects.HOW)
    there = App(
        Settings(app.settings.environment),
        app.clock,
        root,
        agent=app.agent,
        source=app.source,
        entropy=app.entropy,
    )
    there.subproject, there.wanted_zone = "", app.wanted_zone
    return there
