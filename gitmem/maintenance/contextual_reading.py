"""Letting the contextual model read new memories, beside the user's work and in steps.

``schedule.reading_due`` says when. A run that is killed, or out of time, is taken up by the next.
"""

import time
from contextlib import suppress

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.indexing import contextual_vectors
from gitmem.maintenance.schedule import note_reading, read_up_to
from gitmem.store.db import projects
from gitmem.store.db.connection import Database

# A run ends after so long, and says so often that it goes on; what is left is due minutes later.
SECONDS, STEP_SECONDS = 600.0, 20.0


def run(app: App, store: Database, seconds: float = SECONDS) -> int:
    """Read what waits, for so long; how many memories were read.

    Raises nothing: the table answers as well.
    """
    if not contextual_vectors.wanted(app, store):
        return 0
    counter = int(projects.meta(store, "counter") or 0)
    done, end = 0, time.monotonic() + seconds
    with suppress(GitmemError):
        while True:
            # Said before each step: nobody else begins while this one goes on.
            note_reading(store, read_up_to(store), app.now)
            some = contextual_vectors.read(app, store, STEP_SECONDS)
            done += some
            if not contextual_vectors.waiting(store, 1):
                note_reading(store, counter, app.now)
                break
            if not some or time.monotonic() >= end:
                break
    return done
