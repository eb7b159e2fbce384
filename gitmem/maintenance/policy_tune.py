"""Advising another value of ``duplicates.merge_from``, from decisions on suggested pairs.

It sets nothing: the trail shows the advice with the command. If few pairs were accepted the bound
goes up, if nearly all were it goes down by half as much, within 0.90 and 0.97.
"""

import json

from gitmem.app import App
from gitmem.capture import steward
from gitmem.capture.pair_suggestions import DUPLICATE, MERGE
from gitmem.store.db import projects
from gitmem.store.db.connection import Database
from gitmem.store.memory import suggestions

KIND = "policy_tune"
TUNED_AT = "tuned_at"
MIN_ANSWERS = 20  # decisions; the share of fewer says nothing
MIN_THRESHOLD, MAX_THRESHOLD = 0.90, 0.97
LOW_ACCEPTANCE, HIGH_ACCEPTANCE = 0.35, 0.80
STEP_UP, STEP_DOWN = 0.01, 0.005


def advise_merge_threshold(app: App, store: Database) -> float | None:
    """Return a better value for the setting ``duplicates.merge_from``, None if nothing is known.

    It follows from how many merges suggested since the last advice people accepted.
    """
    if store.read_only:
        return None
    since = int(projects.get_meta(store, TUNED_AT) or 0)
    accepted, rejected = suggestions.count_accepted_and_rejected(store, (MERGE, DUPLICATE), since)
    if accepted + rejected < MIN_ANSWERS:
        return None
    current = app.settings.float_number("duplicates.merge_from")
    advised = adjust_merge_threshold(current, accepted, rejected)
    result = {"accepted": accepted, "rejected": rejected, "from": current, "to": advised}
    done = steward.run_job_once_per_key(
        app, store, KIND, str(since), lambda _app, _store: json.dumps(result)
    )
    if done != steward.SUCCEEDED:
        return None
    with store.write():
        projects.set_meta(store, TUNED_AT, str(app.now))
    return advised


def adjust_merge_threshold(current: float, accepted: int, rejected: int) -> float:
    """Return ``current`` (the setting ``duplicates.merge_from``) moved by a small step, or as is.

    It rises if people accepted few of the suggested merges and falls if many; with fewer than
    ``MIN_ANSWERS`` (20) answers it stays.
    """
    total = accepted + rejected
    if total < MIN_ANSWERS:
        return current
    share = accepted / total
    moved = current + (
        STEP_UP if share < LOW_ACCEPTANCE else -STEP_DOWN if share > HIGH_ACCEPTANCE else 0.0
    )
    if moved == current:
        return current
    return round(min(max(moved, MIN_THRESHOLD), MAX_THRESHOLD), 4)
