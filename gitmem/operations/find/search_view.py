"""What `gitmem search` tells: its hits, how far the index is, and the words to set off."""

from collections.abc import Callable
from time import perf_counter

from gitmem.indexing import index_state
from gitmem.model.frozen import dataclass, replace
from gitmem.retrieval import hit_view
from gitmem.retrieval.hit_view import HitItem
from gitmem.text.quantity import quantity

# What stands above hits of which none likely answers.
NEAREST = "No clear answer here; the nearest:"


@dataclass(frozen=True, slots=True)
class IndexState:
    """The commit up to which this worktree is indexed, and current, stale or unknown.

    ``refreshing``: it is behind, and a refresh in the background is under way or about to start. Of
    ``reread`` files the hits were read from the disk, since they were edited after the index;
    ``left_out`` hits are no longer there. ``behind`` says what the index lacks, as far as it was
    looked for: always where there is no good hit.
    """

    commit: str
    state: str
    refreshing: bool = False
    reread: int = 0
    left_out: int = 0
    behind: str = ""


@dataclass(frozen=True, slots=True)
class SearchStep:
    """What was done, how many hits or questions came of it, and the milliseconds it took."""

    step: str
    found: int
    milliseconds: float


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """The kind of question, how surely (0 to 1), and the steps in their order.

    Of several questions the kind is that of the first. The search does not depend on it: `gitmem
    ask` follows it.
    """

    kind: str
    sure: float
    steps: tuple[SearchStep, ...]


@dataclass(frozen=True, slots=True)
class Searched:
    """The hits, the best first; none of them is a possible answer.

    ``relevance`` is good, weak (none of the best is likely an answer) or none; ``notes`` tell of
    filters that leave nothing to search, and of names like one that nothing here has. ``has_more``:
    the list goes on behind these, with --offset. ``plan`` is filled by --explain.
    """

    hits: tuple[HitItem, ...]
    relevance: str
    index: IndexState
    notes: tuple[str, ...] = ()
    has_more: bool = False
    plan: SearchPlan | None = None


class Steps:
    """The steps of a search as they are done, each with what it took (CE-19)."""

    def __init__(self, now: Callable[[], float] = perf_counter) -> None:
        self._now = now
        self._began = now()
        self._done: list[SearchStep] = []

    def end(self, step: str, found: int) -> None:
        """Note a step that ends here; the next one begins."""
        ended = self._now()
        self._done.append(SearchStep(step, found, round((ended - self._began) * 1000, 2)))
        self._began = ended

    def told(self, result: Searched, question: str) -> Searched:
        """The answer, its last step done, with the steps and the kind of question it was."""
        from gitmem.search import question_plan  # noqa: PLC0415 - for --explain
        from gitmem.search.question import read  # noqa: PLC0415 - as above

        self.end("shown", len(result.hits))
        found = question_plan.plan(read(question))
        return replace(result, plan=SearchPlan(found.kind, found.sure, tuple(self._done)))


def view(result: Searched) -> str:
    """A line for each hit, and its snippet below it."""
    lines = [hit_view.paragraph(hit) for hit in result.hits] or ["No relevant results."]
    lines += result.notes
    if result.relevance == "weak":
        lines.insert(0, NEAREST)
    if said := index_told(result.index):
        lines.append(said)
    if (plan := result.plan) is not None:
        steps = [f"{step.step} {step.found} in {step.milliseconds:.1f} ms" for step in plan.steps]
        lines.append(f"(read as {plan.kind}, {plan.sure:.0%} sure; {', '.join(steps)})")
    return "\n".join(lines)


def index_told(index: IndexState) -> str:
    """In a sentence, what the index lacks and what was read from the disk; empty if it is right."""
    parts = []
    if index.reread:
        files = quantity(index.reread, "edited file was", "edited files were")
        parts.append(f"{files} read from the disk")
    if index.left_out:
        hits = quantity(index.left_out, "hit is", "hits are")
        parts.append(f"{hits} left out: changed since the index")
    if index.state != "current":
        told = index_state.sentence(index.state, index.behind)
        parts.append(f"{told}: {'indexing now' if index.refreshing else 'run `gitmem index`'}")
    return f"({'; '.join(parts)})" if parts else ""


def highlights(result: Searched) -> tuple[str, ...]:
    """The words of the question that the hits hold: a terminal sets them off."""
    return tuple({word: None for hit in result.hits for word in hit.matched})
