"""Checking whether memories still match the code, and correcting or archiving stale ones."""

from collections import Counter
from collections.abc import Sequence

from gitmem.app import App
from gitmem.capture.resolve import StaleMemoryResolution
from gitmem.errors import InvalidInput
from gitmem.maintenance import verification
from gitmem.maintenance.verification import VerifiedMemory
from gitmem.model.anchor import STALE
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation, Texts, positional_arg
from gitmem.retrieval import memory_view
from gitmem.text.fence import join_lines
from gitmem.text.quantity import quantity


@dataclass(frozen=True, slots=True)
class VerifyMemoriesRequest:
    """Arguments of `gitmem verify`: memories (``id``, empty: all) to check against the cited code.

    ``accept`` confirms them as they are, ``re_anchor`` is a place to cite instead (of ``cited``),
    ``correct`` a new text, ``retire`` archives them. Without these four nothing is changed.
    """

    id: Annotated[Texts, positional_arg("Ids or unique prefixes (default: all)", metavar="ID")] = ()
    changed: Annotated[bool, Arg("Only those whose code changed or is gone")] = False
    all: Annotated[bool, Arg("Also those that are fresh")] = False
    accept: Annotated[bool, Arg("Still true: anchor them to the code as it is now")] = False
    re_anchor: Annotated[
        str,
        Arg(
            "Cite this place instead: src/app.py, src/app.py:40-60 or src/app.py::Server.start",
            metavar="PATH[:LINES|::SYMBOL]",
            path_kind="path",
        ),
    ] = ""
    cited: Annotated[
        str,
        Arg("Which citation --re-anchor replaces, if more than one is not fresh", path_kind="path"),
    ] = ""
    correct: Annotated[str, Arg("The corrected text", metavar="TEXT", max_stdin_mb=1)] = ""
    retire: Annotated[bool, Arg("No longer useful: archive them")] = False


@dataclass(frozen=True, slots=True)
class VerifyMemoriesResult:
    """The memories checked against the code they cite, and how many have each ``freshness``.

    The commit behind a change is given for the first 20 citations; check one memory to see all.
    """

    items: tuple[VerifiedMemory, ...]
    counts: dict[str, int]
    failed: int


def verify_memories(app: App, request: VerifyMemoriesRequest) -> VerifyMemoriesResult:
    """Show which memories still hold, and resolve those that may not.

    Without ids: all memories on this branch that cite a file and are not fresh. Nothing is changed
    without --accept, --re-anchor, --correct or --retire; --correct may be combined with
    --re-anchor. Former text and citations stay in the history of a memory.
    """
    _check(request)
    subjects = (
        verification.find_memories_to_check(app, request.id)
        if request.id
        else verification.memories_citing_code(app)
    )
    freshness_by_id = verification.freshness_of_memories(app, subjects)
    resolution = StaleMemoryResolution(
        request.accept, request.re_anchor, request.cited, request.correct, request.retire
    )
    items = [
        verification.resolve_checked_memory(
            app,
            resolution,
            subject,
            freshness_by_id.get(subject.id, memory_view.NOWHERE),
            raise_errors=len(request.id) == 1,
        )
        for subject in subjects
        if subject.error or _is_selected(request, freshness_by_id[subject.id].freshness)
    ]
    return VerifyMemoriesResult(
        tuple(verification.add_breaking_commits(app, items)),
        dict(Counter(state.freshness for state in freshness_by_id.values())),
        sum(1 for item in items if item.error),
    )


def _check(request: VerifyMemoriesRequest) -> None:
    options = [
        name
        for name, is_given in (
            ("--accept", request.accept),
            ("--re-anchor", bool(request.re_anchor)),
            ("--correct", bool(request.correct)),
            ("--retire", request.retire),
        )
        if is_given
    ]
    if len(options) > 1 and options != ["--re-anchor", "--correct"]:
        raise InvalidInput(
            f"{' and '.join(options)} cannot be combined.", "Use one of them at a time."
        )
    if options and options[0] in ("--re-anchor", "--correct") and len(request.id) != 1:
        raise InvalidInput(f"{options[0]} works on a single memory.", "Give one id.")
    if options and not (request.id or request.changed or request.all):
        raise InvalidInput(
            f"{options[0]} needs to know which memories you mean.",
            "Give their ids, or --changed or --all to select them.",
        )
    if request.cited and not request.re_anchor:
        raise InvalidInput(
            "--cited works only with --re-anchor.", "Give the new place with --re-anchor."
        )


def _is_selected(request: VerifyMemoriesRequest, freshness: str) -> bool:
    if request.changed:
        return freshness in STALE
    return bool(request.id) or request.all or freshness not in ("fresh", "none")


def view(result: VerifyMemoriesResult) -> str:
    """Return the text to print: a line for each memory, its freshness, and each citation of it."""
    lines = []
    for item in result.items:
        lines.append(item.error if not item.kind else _headline(item))
        lines += [
            "    " + join_lines(memory_view.format_citation_freshness(verdict))
            for verdict in item.anchors
        ]
        if item.error and item.kind:
            lines.append("    " + join_lines(item.error))
    if any(item.action for item in result.items):
        return "\n".join(lines)
    order = ("fresh", "moved", "unknown", "changed", "gone", "none")
    counts = [
        f"{result.counts[word]} {'citing no file' if word == 'none' else word}"
        for word in order
        if result.counts.get(word)
    ]
    return "\n".join(
        [*lines, _summary_line(counts, result) if counts else "No memory cites a file yet."]
    )


def _summary_line(counts: Sequence[str], result: VerifyMemoriesResult) -> str:
    total = sum(result.counts.values())
    line = f"Looked at {quantity(total, 'memory')}: {', '.join(counts)}."
    if any(result.counts.get(word) for word in STALE):
        line += " If one still holds: gitmem verify ID --accept; if not: --correct TEXT or --retire"
    return line


def _headline(verified: VerifiedMemory) -> str:
    done = f"{verified.action}, now {verified.freshness}" if verified.action else verified.freshness
    mark = f"  [{'archived' if verified.action == 'retired' else done}]"
    return f"{verified.handle}  {verified.kind:<10} {join_lines(verified.title)}{mark}"


VERIFY = Operation("verify", verify_memories, view, WRITE, "01M6ZK3P --accept", tool="verify")
