"""What a question names: the first hits of a lookup of it, and how many there are."""

from gitmem.app import App
from gitmem.errors import InvalidInput
from gitmem.retrieval import symbol_lookup
from gitmem.retrieval.hit_view import HitItem
from gitmem.retrieval.question import Scope
from gitmem.search.question import read
from gitmem.search.question_plan import Step

# Hits of a lookup by name that are read: a name that fifty files use says little in each of them.
MOST = 4
# A name that is written otherwise is still the name; one that only begins so is another.
_SAME_NAME = 0.9


def found(app: App, step: Step, scope: Scope) -> tuple[list[HitItem], int]:
    """The first hits of a step that looks a name up, and how many there are."""
    try:
        found = symbol_lookup.find(app, step.mode, read(step.argument), scope, ())
    except InvalidInput:  # no such name: the search for the whole question follows
        return [], 0
    if step.mode == "symbol":
        found = [one for one in found if one.score >= _SAME_NAME * found[0].score
                 and one.why[0] in ("exact name", "case-insensitive match")]  # fmt: skip
    return found[:MOST], len(found)
