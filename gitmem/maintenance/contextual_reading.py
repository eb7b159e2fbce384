"""Computing vectors of the contextual model for new memories, in the background and in steps.

``schedule.is_contextual_embedding_due`` says when. The next run continues one that was killed or
ran out of time.
"""

import time
from contextlib import suppress

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.indexing import contextual_vectors
from gitmem.maintenance.schedule import last_embedded_counter, record_contextual_embedding
from gitmem.store.db import projects
from gitmem.store.db.connection import Database

# The length of a run, and of a step, after which it notes that it goes on.
SECONDS, STEP_SECONDS = 600.0, 20.0


def embed_waiting_memories(app: App, store: Database, max_seconds: float = SECONDS) -> int:
    """Compute the contextual model's vectors for memories without one; return for how many.

    That is a slower embedding model, which reads each memory with its context. Takes at most about
    ``max_seconds``; errors are ignored.
    """
    if not contextual_vectors.uses_contextual_model(app, store):
        return 0
    counter = int(projects.get_meta(store, "counter") or 0)
    done, end = 0, time.monotonic() + max_seconds
    with suppress(GitmemError):
        while True:
            # Noted before each step, so that no other process begins.
            record_contextual_embedding(store, last_embedded_counter(store), app.now)
            embedded = contextual_vectors.embed_with_contextual_model(app, store, STEP_SECONDS)
            done += embedded
            if not contextual_vectors.count_unembedded_memories(store, 1):
                record_contextual_embedding(store, counter, app.now)
                break
            if not embedded or time.monotonic() >= end:
                break
    return done
