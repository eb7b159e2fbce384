"""What a question names: the first hits of a lookup of it, and how many there are."""

from gitmem.app import App
from gitmem.errors import InvalidInput, NotFound
from gitmem.retrieval import symbol_lookup
from gitmem.retrieval.hit_view import HitItem
from gitmem.retrieval.question import Scope
from gitmem.search import file_kinds
from gitmem.search.question import read
from gitmem.search.question_plan import Step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.code_relations.relations import GraphItem

# Hits of a lookup by name that are read: a name that fifty files use says little in each of them.
MOST = 4
# Of what a name is related to so much is read, so that tests come after the program.
_MOST_RELATED = 50
# A name that is written otherwise is still the name; one that only begins so is another.
_SAME_NAME = 0.9


def found(app: App, step: Step, scope: Scope) -> tuple[list[HitItem], int]:
    """The first hits of a step that looks a name up, and how many there are."""
    return _related(app, step) if step.verb == "graph" else _named(app, step, scope)


def _named(app: App, step: Step, scope: Scope) -> tuple[list[HitItem], int]:
    """The first hits of a lookup of a name, and how many there are."""
    try:
        found = symbol_lookup.find(app, step.mode, read(step.argument), scope, ())
    except InvalidInput:  # no such name: the search for the whole question follows
        return [], 0
    if step.mode == "symbol":
        found = [one for one in found if one.score >= _SAME_NAME * found[0].score
                 and one.why[0] in ("exact name", "case-insensitive match")]  # fmt: skip
    return found[:MOST], len(found)


def _related(app: App, step: Step) -> tuple[list[HitItem], int]:
    """The first lines where a name calls something or is inherited from, and how many there are."""
    from gitmem.code_relations import graph_target, relations  # noqa: PLC0415 - few questions need edges

    try:
        meant = graph_target.find(app, step.argument)
        found = relations.related(app, meant, step.mode, 1, _MOST_RELATED)
    except (InvalidInput, NotFound):
        return [], 0
    hits = [_hit(one) for one in found.items]
    hits.sort(key=lambda hit: "test" in file_kinds.kinds(hit.path, ""))
    return hits[:MOST], found.total


def _hit(item: "GraphItem") -> HitItem:
    path, _, line = item.at.rpartition(":")
    return HitItem(
        kind="code",
        path=path,
        start_line=int(line),
        end_line=int(line),
        symbol=item.name,
        score=1.0,
    )
