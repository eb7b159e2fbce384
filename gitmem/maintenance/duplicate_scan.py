"""Looking for memories that say the same among those that are there, now and then (CT-14, CT-26).

A job of the ``steward``, once for each state of the store after the last look. It changes no
memory: what it finds waits in the inbox.
"""

import json

from gitmem.app import App
from gitmem.branches import subprojects, visible_here
from gitmem.capture import near_duplicates, repeats, steward
from gitmem.capture.near_duplicates import NearDuplicate
from gitmem.capture.pair_suggestions import DUPLICATE, suggest
from gitmem.maintenance import paraphrases
from gitmem.maintenance.paraphrases import Likely, Paraphrases
from gitmem.model.frozen import replace
from gitmem.store.db import projects
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories
from gitmem.store.memory.filters import Filter

KIND = "auto_merge"
# Of the memories that were written since the last look, so many at most: a second of CPU, up to
# three where all are rules that share their words.
MOST = 500


def run(app: App, store: Database) -> int:
    """Look for what is due; how many pairs are suggested. Nothing where another process does."""
    found = 0

    def look(app: App, store: Database) -> str:
        nonlocal found
        found = _scan(app, store)
        return json.dumps({"suggested": found})

    counter = projects.meta(store, "counter") or "0"
    last = projects.meta(store, projects.SCAN_ENDED_AT) or "0"
    ended = steward.run(app, store, KIND, f"{counter}:{last}", look)
    if ended not in steward.ENDED:
        return 0
    with store.write():
        projects.set_meta(store, projects.SCAN_ENDED_AT, str(app.now))
        if ended != steward.SUCCEEDED:
            return 0
        projects.set_meta(store, projects.SCANNED_AT, str(app.now))
        projects.set_meta(store, projects.SCANNED_COUNTER, projects.meta(store, "counter") or "0")
    return found


def _scan(app: App, store: Database) -> int:
    """Suggest the pairs among what was written since the last look."""
    since = int(projects.meta(store, projects.SCANNED_AT) or 0)
    hidden = visible_here.hidden(app, store)
    wanted = Filter(states=("active",), now=app.now, working="")
    fresh = memories.select(store, wanted, limit=MOST, order="updated_at")
    fresh = [one for one in fresh if one.updated_at >= since and one.kind != "conversation"]
    near = [(memory, near_duplicates.beside(app, store, memory, hidden)) for memory in fresh]
    beside = (hidden.clause(), *subprojects.alike(app, store))
    others = Paraphrases(store, replace(wanted, beside=beside))
    wider = [
        (one, found)
        for one, other in near
        if not _offered(other) and (found := others.nearest(one)) and not _told_apart(other, found)
    ]
    with store.write():
        made = sum(
            repeats.offer(app, store, memory, other, DUPLICATE)
            for memory, other in near
            if other is not None
        )
        return made + sum(
            suggest(app, store, DUPLICATE, memory, found.memory, found.cosine, paraphrases.REASON)
            for memory, found in wider
        )


def _told_apart(near: NearDuplicate | None, found: Likely) -> bool:
    """Whether a name, a number or a "not" tells the two apart, as was found when they came near."""
    return near is not None and near.apart and near.memory.id == found.memory.id


def _offered(near: NearDuplicate | None) -> bool:
    return near is not None and bool(repeats.offered(near, DUPLICATE))
