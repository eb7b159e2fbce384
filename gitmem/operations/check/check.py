"""Which decisions a plan concerns, and which it may conflict with, before anything is changed.

Nothing watches in the background: the store is read when the question is asked.
"""

from collections.abc import Iterator, Sequence

from gitmem.app import App
from gitmem.clock import format_iso
from gitmem.clock.durations import format_duration
from gitmem.errors import InvalidInput
from gitmem.memory.conflict import TextConflict, sentence_with_most_terms
from gitmem.memory.draft import check_paths
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.operations.registry import READ, Annotated, Arg, Operation, Texts, unquoted_words_arg
from gitmem.retrieval import annotate, citing_memories, memory_view, plan_conflicts
from gitmem.retrieval.memory_view import MemoryItem
from gitmem.sessions.current_session import current_session
from gitmem.text.fence import join_lines, one_line
from gitmem.text.quantity import quantity

MOST = 10
# So many of the memories shown are compared with each other.
_COMPARED = 6
_NOTHING = plan_conflicts.PlanReview((), 0, "", ())


@dataclass(frozen=True, slots=True)
class CheckPlanRequest:
    """Arguments of `gitmem check`: a plan in words, and the files it would change (or none)."""

    plan: Annotated[
        str, unquoted_words_arg("What you are about to do, in a sentence", max_stdin_mb=1)
    ] = ""
    file: Annotated[Texts, Arg("A file you are about to change", path_kind="path")] = ()
    session: Annotated[
        str, Arg("The session whose active files count (default: the running one)", mcp=False)
    ] = ""


@dataclass(frozen=True, slots=True)
class PlanConflict:
    """A memory that the plan may conflict with: the words of both in conflict, and the reason.

    ``quote`` is the sentence of the memory with those words, ``age`` how old the memory is, such as
    "3 days".
    """

    terms: tuple[str, ...]
    why: str
    memory: MemoryItem
    quote: str
    age: str


@dataclass(frozen=True, slots=True)
class RecentlyViewedFile:
    """A file that the session viewed recently, and the ids of memories that cite it."""

    path: str
    at: str
    memories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CheckPlanResult:
    """What to consider before a plan is carried out.

    ``conflicts`` are memories that may conflict with the plan, ``related`` are about the same
    subject, ``citing`` cite the given ``files``. ``looked_at`` counts the memories searched, ``by``
    is "words" or "words or meaning"; ``notes`` say what makes the answer less certain. ``active``
    are the files of the session's last hour; those of the last half hour have the ids of memories
    that cite them.
    """

    plan: str
    files: tuple[str, ...]
    conflicts: tuple[PlanConflict, ...]
    related: tuple[MemoryItem, ...]
    citing: tuple[MemoryItem, ...]
    active: tuple[RecentlyViewedFile, ...]
    looked_at: int = 0
    by: str = ""
    notes: tuple[str, ...] = ()


def check_plan(app: App, request: CheckPlanRequest) -> CheckPlanResult:
    """Show which decisions concern a plan, and which conflict with it.

    Lists decisions, conventions and warnings that may conflict with the plan, with the words and
    the reason; memories that are only about the same subject; and memories that cite the files
    given, with their freshness. Superseded and foreign memories, and those marked wrong, do not
    count. It compares words and meaning, not intentions: an empty answer proves nothing. Without a
    plan and files it shows which memories cite the files of the running session's last half hour.
    """
    files = check_paths(request.file)
    if not (request.plan.strip() or files) and current_session(app, request.session) is None:
        raise InvalidInput(
            "There is nothing to check.",
            'Describe the plan: gitmem check "switch the store to sqlite3"',
        )
    hits = plan_conflicts.review_plan(app, request.plan) if request.plan.strip() else _NOTHING
    clashes = [(hit.clash, hit.pair) for hit in hits.mentions if hit.clash is not None]
    against = clashes[:MOST]
    beside = [hit.pair for hit in hits.mentions if hit.clash is None][:MOST]
    cites = citing_memories.find_citing_memories(app, files)[:MOST]
    pairs = [*(pair for _, pair in against), *beside, *cites]
    items = annotate.make_memory_items(app, pairs)
    annotate.record_shown_memories(app, pairs)
    middle, last = len(against), len(against) + len(beside)
    return CheckPlanResult(
        request.plan.strip(),
        files,
        tuple(
            _against(clash, pair[0], item, app.now)
            for (clash, pair), item in zip(against, items[:middle], strict=True)
        ),
        tuple(items[middle:last]),
        tuple(items[last:]),
        tuple(
            RecentlyViewedFile(path, format_iso(at), ids[:MOST])
            for path, at, ids in citing_memories.recent_files_with_memories(app, request.session)
        ),
        hits.looked_at,
        hits.by,
        (
            *hits.notes,
            *_left_out(len(clashes)),
            *_contradictions([pair[0] for pair in pairs[:last]]),
        ),
    )


def _left_out(conflicts: int) -> Iterator[str]:
    if conflicts > MOST:
        yield f"{quantity(conflicts - MOST, 'more memory', 'more memories')} may conflict with it."


def _against(clash: TextConflict, memory: Memory, item: MemoryItem, now: int) -> PlanConflict:
    quote = join_lines(sentence_with_most_terms(f"{memory.title}\n{memory.content}", clash.terms))
    return PlanConflict(
        clash.terms, clash.why, item, quote, format_duration(max(0, now - memory.created_at))
    )


def view(result: CheckPlanResult) -> str:
    """Return the text to print: memories that may conflict with the plan first, then others."""
    lines = []
    for conflict in result.conflicts:
        who = conflict.memory.agent or "a person"
        lines += [
            f"! {memory_view.format_memory_headline(conflict.memory)}",
            f'    "{conflict.quote}"',
            f"    The plan may conflict with this {conflict.memory.kind}: "
            f"{join_lines(conflict.why)}.",
            f"    The words: {', '.join(conflict.terms)}. "
            f"Recorded by {join_lines(who)} {conflict.age} ago.",
        ]
    if result.related:
        lines += ["Concerns the same:", *map(memory_view.format_memory_headline, result.related)]
    if result.citing:
        lines.append("Cites these files:")
        for cites in result.citing:
            lines += [
                memory_view.format_memory_headline(cites),
                f"    cites {join_lines(' '.join(cites.paths))}",
            ]
    if not (result.plan or result.files):
        return "\n".join(_active_lines(result.active)) or "No memory cites these files."
    if not lines:
        lines.append(_nothing_found(result))
    return "\n".join((*lines, *(f"note: {note}" for note in result.notes)))


def _nothing_found(result: CheckPlanResult) -> str:
    """A sentence that nothing was found, and among how many memories."""
    if not result.plan:
        return "No memory cites these files."
    among = quantity(result.looked_at, "memory", "memories")
    return f"Nothing found by {result.by} among {among}; that proves nothing."


def _contradictions(shown: Sequence[Memory]) -> Iterator[str]:
    """A note for each two shown decisions that seem to contradict each other."""
    from itertools import combinations  # noqa: PLC0415 - only if memories are shown

    from gitmem.memory import contradiction  # noqa: PLC0415 - as above

    for first, second in combinations(shown[:_COMPARED], 2):
        if first.kind == second.kind == "decision" and (
            why := contradiction.contradiction_reason(first, second)
        ):
            pair = f"{first.id[:12]} and {second.id[:12]}"
            yield f"{pair} seem to contradict each other: {join_lines(why)}"


def _active_lines(active: Sequence[RecentlyViewedFile]) -> Iterator[str]:
    for file in active:
        if file.memories:
            many = quantity(len(file.memories), "memory cites", "memories cite")
            yield f"active now: {one_line(file.path, 60)}; {many} it: {' '.join(file.memories)}"


CHECK = Operation(
    "check",
    check_plan,
    view,
    READ,
    '"switch the store to sqlite3" --file gitmem/store/db/connection.py',
    tool="check",
)
