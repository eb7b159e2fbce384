"""Advising another bound for merging, from what became of the pairs that were suggested (CT-26).

A dry run always: the trail says what would be set and how, and a person sets it or not.
"""

import json

from gitmem.app import App
from gitmem.capture import steward
from gitmem.capture.pair_suggestions import DUPLICATE, MERGE
from gitmem.memory import merge_policy
from gitmem.store.db import projects
from gitmem.store.db.connection import Database
from gitmem.store.memory import suggestions

KIND = "policy_tune"
TUNED_AT = "tuned_at"


def run(app: App, store: Database) -> float | None:
    """The bound that is advised; None where too little was decided since the last advice."""
    if store.read_only:
        return None
    since = int(projects.meta(store, TUNED_AT) or 0)
    accepted, rejected = suggestions.decided(store, (MERGE, DUPLICATE), since)
    if accepted + rejected < merge_policy.ENOUGH:
        return None
    current = app.settings.real("duplicates.merge_from")
    advised = merge_policy.tuned(current, accepted, rejected)
    result = {"accepted": accepted, "rejected": rejected, "from": current, "to": advised}
    done = steward.run(app, store, KIND, str(since), lambda _app, _store: json.dumps(result))
    if done != steward.SUCCEEDED:
        return None
    with store.write():
        projects.set_meta(store, TUNED_AT, str(app.now))
    return advised
