"""What was decided about a plan, and whether it goes against that (ML-26). It reads words only."""

from gitmem.app import App
from gitmem.memory import conflict
from gitmem.memory.conflict import RULES
from gitmem.model.memory import Memory
from gitmem.retrieval import request_filters
from gitmem.retrieval.memory_candidates import match
from gitmem.search import query
from gitmem.store.db.connection import Database
from gitmem.store.memory.filters import Filter

WARNINGS = ("fix", "problem", "error")
CANDIDATES = 40
# A memory speaks of a plan that holds so much of it: two words at least, if the plan has two.
_SHARE, _LEAST = 0.3, 2

Pair = tuple[Memory, Database]


def mentions(app: App, plan: str) -> list[tuple[conflict.Clash | None, Pair]]:
    """Rules and warnings that speak of a plan, with where they clash; the most telling first."""
    stance, asked = conflict.stance(plan), conflict.words(plan)
    terms = query.parse(plan)
    plain = Filter(states=request_filters.SHOWN, kinds=(*RULES, *WARNINGS), now=app.now, own=True)
    found = []
    for database, wanted in request_filters.views(app, "all", plain).items():
        matches = match(database, terms, wanted, CANDIDATES)
        for memory in matches.memories:
            said = f"{memory.title}\n{memory.content}"
            least = 1 if memory.kind in RULES else 2
            clash = conflict.between(stance, conflict.stance(said), least=least)
            shared = asked.keys() & conflict.words(said).keys()
            if clash or len(shared) >= _enough(len(asked)):
                score = matches.scores[memory.seq] * memory.weight
                found.append((clash, score, memory, database))
    found.sort(key=lambda one: (one[0] is None, -one[1], one[2].id))
    return [(clash, (memory, database)) for clash, _, memory, database in found]


def _enough(words: int) -> int:
    """How many words a memory must share with a plan of so many."""
    return max(min(_LEAST, words), -int(-_SHARE * words // 1), 1)
