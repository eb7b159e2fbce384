"""The answer of `gitmem search`: hits, the state of the index, and the words to highlight."""

from collections.abc import Callable
from time import perf_counter

from gitmem.indexing import index_state
from gitmem.model.frozen import dataclass, replace
from gitmem.retrieval import hit_view
from gitmem.retrieval.hit_view import HitItem
from gitmem.text.quantity import quantity

# Shown above hits that probably do not answer.
NEAREST = "No clear answer here; the nearest:"


@dataclass(frozen=True, slots=True)
class SearchedIndexState:
    """How far this worktree is indexed: up to ``commit``; ``state`` is current, stale or unknown.

    ``refreshing``: a refresh in the background is running or about to start. ``reread`` counts
    files that were edited after indexing and were read from the disk for their hits; ``left_out``
    counts hits that no longer exist. ``behind`` says what the index lacks; that is always checked
    if there is no good hit, else only partly. ``at`` (ISO 8601 UTC, or empty) is when the index was
    last brought up to date.
    """

    commit: str = ""
    state: str = "unknown"
    refreshing: bool = False
    reread: int = 0
    left_out: int = 0
    behind: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class TimedSearchStep:
    """A step of a search, how many hits or questions it gave, and its duration in milliseconds."""

    step: str
    found: int
    milliseconds: float


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """The kind of question, how certain that kind is (0 to 1), and the steps of the search.

    For several questions ``kind`` is that of the first. The search does not depend on the kind;
    `gitmem ask` does.
    """

    kind: str
    sure: float
    steps: tuple[TimedSearchStep, ...]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The hits, best first; there may be none.

    ``relevance`` is good, weak (probably none of the best hits is an answer) or none. ``notes``
    name filters that leave nothing to search, and names similar to one that does not exist.
    ``has_more``: --offset shows further hits. ``plan`` is filled by --explain.
    """

    hits: tuple[HitItem, ...]
    relevance: str
    index: SearchedIndexState
    notes: tuple[str, ...] = ()
    has_more: bool = False
    plan: SearchPlan | None = None
    projects: tuple[str, ...] = ()


class StepTimer:
    """A stopwatch for the steps of one search: call ``end_step`` after each step."""

    def __init__(self, now: Callable[[], float] = perf_counter) -> None:
        self._now = now
        self._began = now()
        self._done: list[TimedSearchStep] = []

    def end_step(self, step: str, result_count: int) -> None:
        """Record that a step ends now, and how many hits or questions it gave."""
        ended = self._now()
        self._done.append(
            TimedSearchStep(step, result_count, round((ended - self._began) * 1000, 2))
        )
        self._began = ended

    def durations(self) -> dict[str, float]:
        """Return the milliseconds of each step, by name; those since the last step as ``shown``."""
        under_way = (self._now() - self._began) * 1000
        return {step.step: step.milliseconds for step in self._done} | {"shown": under_way}

    def add_steps(self, result: SearchResult, question: str) -> SearchResult:
        """Return a copy of the result whose ``plan`` has the timed steps and the question kind."""
        from gitmem.search import question_plan  # noqa: PLC0415 - for --explain
        from gitmem.search.question import parse_question  # noqa: PLC0415 - as above

        self.end_step("shown", len(result.hits))
        plan = question_plan.plan_question(parse_question(question))
        return replace(result, plan=SearchPlan(plan.kind, plan.sure, tuple(self._done)))


def view(result: SearchResult) -> str:
    """Return the text to print: a line for each hit, and its snippet below it."""
    lines = [hit_view.format_hit(hit) for hit in result.hits] or ["No relevant results."]
    lines += result.notes
    if result.relevance == "weak":
        lines.insert(0, NEAREST)
    only_others = result.projects and not result.index.commit
    if not only_others and (state := describe_index(result.index)):
        lines.append(state)
    if (plan := result.plan) is not None:
        steps = [f"{step.step} {step.found} in {step.milliseconds:.1f} ms" for step in plan.steps]
        lines.append(f"(read as {plan.kind}, {plan.sure:.0%} sure; {', '.join(steps)})")
    return "\n".join(lines)


def describe_index(index: SearchedIndexState) -> str:
    """Return a sentence on what the index lacks or was read from the disk; empty if nothing."""
    parts = []
    if index.reread:
        files = quantity(index.reread, "edited file was", "edited files were")
        parts.append(f"{files} read from the disk")
    if index.left_out:
        hits = quantity(index.left_out, "hit is", "hits are")
        parts.append(f"{hits} left out: changed since the index")
    if index.state != "current":
        behind = index_state.describe_index_state(index.state, index.behind)
        parts.append(f"{behind}: {'indexing now' if index.refreshing else 'run `gitmem index`'}")
    return f"({'; '.join(parts)})" if parts else ""


def highlighted_words(result: SearchResult) -> tuple[str, ...]:
    """Return the words of the question that occur in the hits, to be highlighted in the text."""
    return tuple({word: None for hit in result.hits for word in hit.matched})
