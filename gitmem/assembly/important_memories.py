"""What matters most in a project, without a question: by importance, then recency (CT-17)."""

from gitmem.app import App
from gitmem.assembly import token_budget
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.model.section import Section
from gitmem.retrieval import request_filters
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories
from gitmem.store.memory.filters import Filter
from gitmem.text.fence import one_line

# So many are looked at: a budget of 200,000 tokens holds no more.
MOST = 5_000
_FEWEST_TOKENS = 8  # a line of one word costs about so much
_HEADING = "Most Important"
_WIDTH = 300


@dataclass(frozen=True, slots=True)
class Important:
    """The memories that found room, each with its store, as Markdown, and what they cost."""

    told: tuple[tuple[Memory, Database], ...]
    text: str
    tokens: int
    left_out: int


def gather(app: App, budget: int, count: token_budget.Count) -> Important:
    """Memories of the project and global ones in at most ``budget`` tokens, as ``count`` counts."""
    views = request_filters.views(app, "all", Filter(now=app.now, own=True))
    found = request_filters.important(views, min(MOST, budget // _FEWEST_TOKENS + 1))
    section = Section("important", _HEADING, tuple(_line(memory) for memory, _ in found), 100)
    packed = token_budget.pack([section], budget, markdown=True, count=count)
    shown = packed.costs[0].shown if packed.costs else 0
    text = packed.text.strip("\n")
    every = sum(memories.count(database, wanted) for database, wanted in views.items())
    return Important(tuple(found[:shown]), text, count(text), every - shown)


def _line(memory: Memory) -> str:
    said = f"{memory.title}: {memory.content}" if memory.title else memory.content
    return f"- [{memory.kind} {memory.importance:.2f}] {one_line(said, _WIDTH)}"
