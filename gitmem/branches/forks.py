"""The original of a fork, whose memory can be read where the user asks for it.

The remote ``upstream`` names the original; it is read in the clone of it in which this user set
gitmem up, and nowhere else.
"""

from __future__ import annotations

import os

from gitmem.app import App
from gitmem.errors import NotFound
from gitmem.git import identity
from gitmem.settings import Settings
from gitmem.store.db import projects


def original(app: App) -> App:
    """An App in the original's clone, which the caller closes. Raises NotFound."""
    key = identity.fork_of(app.layout, app.identity)
    if not key:
        raise NotFound(
            "This repository is no fork: it has no remote `upstream` that is another project.",
            "Name its original: git remote add upstream URL.",
        )
    shared = app.global_store()
    known = [] if shared is None else projects.known(shared)
    root = next((one.root for one in known if one.key == key and os.path.isdir(one.root)), "")
    if not root:
        raise NotFound(
            f"gitmem is not set up in any clone of {key}.",
            "Clone it and run `gitmem init` there; `gitmem projects` lists where it is.",
        )
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
