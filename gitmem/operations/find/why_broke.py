"""Which recent commit broke something: from an error, a trace or failing tests to suspects."""

from collections.abc import Collection

from gitmem.app import App
from gitmem.capture import event_intake, known_errors
from gitmem.clock import format_iso
from gitmem.errors import NotARepository
from gitmem.git import listing
from gitmem.git.log_output import Commit
from gitmem.history import culprits
from gitmem.history.culprits import CulpritEvidence
from gitmem.model.frozen import dataclass
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import READ, Annotated, Arg, Operation, unquoted_words_arg
from gitmem.retrieval import annotate
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity
from gitmem.timeline import culprit_score, error_signature
from gitmem.timeline.culprit_score import RankedSuspect

_WIDTH = 110
_LARGEST = 4 << 20  # bytes of a file whose lines are counted


@dataclass(frozen=True, slots=True)
class WhyBrokeRequest:
    """Arguments of `gitmem why-broke`, which looks for the commit that broke something.

    ``text`` is the error, its trace or the failing tests; ``file`` and ``line`` (0: none) say where
    it was raised, if the text does not. ``commits`` is how many of the newest commits to examine.
    """

    text: Annotated[
        str, unquoted_words_arg("The error, its trace or the failing tests", max_stdin_mb=1)
    ]
    file: Annotated[
        str, Arg("The file that raised it, if the text does not say", path_kind="path")
    ] = ""
    line: Annotated[int, Arg("The line of that file", minimum=0)] = 0
    commits: Annotated[
        int, Arg("How many of the newest commits to examine", minimum=1, maximum=1000)
    ] = 200
    limit: Annotated[int, shared.limit_arg(50)] = 5


@dataclass(frozen=True, slots=True)
class SuspectCommit:
    """A commit that may have caused an error; ``score`` is from 0 to 1, ``why`` its main reasons.

    ``confidence`` is high, medium or low; ``paths`` are at most five of the files that the commit
    changed: those named in the error first, then source files.
    """

    commit: str
    author: str
    at: str
    subject: str
    score: float
    confidence: str
    paths: tuple[str, ...]
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KnownFix:
    """How the same error was fixed before: the memory about it, and the commit.

    Unless ``sure``, the commit is only the one that was checked out when the fix was recorded.
    """

    id: str
    text: str
    commit: str
    subject: str
    same_place: bool
    sure: bool = True


@dataclass(frozen=True, slots=True)
class WhyBrokeResult:
    """How an error was fixed before, then the commits that may have caused it, likeliest first.

    ``error`` is the error in a line, empty if none is recognised; ``places`` are the files of this
    repository that the text names; ``looked_at`` counts the commits that were examined.
    """

    error: str
    fixes: tuple[KnownFix, ...]
    suspects: tuple[SuspectCommit, ...]
    places: tuple[str, ...]
    looked_at: int
    note: str


def find_breaking_commits(app: App, request: WhyBrokeRequest) -> WhyBrokeResult:
    """Show which recent commits most likely broke something, and how it was fixed before.

    Weighs which commits last changed the lines in a trace, the files and names in it, its words in
    changes and messages, and how recent a commit is. Nothing is run or checked out.
    """
    if app.layout.plain:
        raise NotARepository(
            "This is a plain folder: without git there is no history.",
            "`git init` makes it a repository.",
        )
    culprits.check_text_not_empty(request.text)
    signature = error_signature.read_error_signature(request.text)
    place = (request.file, request.line) if request.file else None
    gathered = culprits.gather_culprit_evidence(app, request.text, request.commits, place)
    ranked = culprit_score.rank_suspect_commits(
        gathered.evidence, error_names_known_code=gathered.ground.names_any_code
    )[: request.limit]
    by_sha = {commit.sha: commit for commit in gathered.commits}
    return WhyBrokeResult(
        error=error_signature.find_error_line(request.text, signature),
        fixes=_known_fixes(app, signature),
        suspects=tuple(
            _item(suspect, by_sha[suspect.sha], gathered.ground.traced) for suspect in ranked
        ),
        places=tuple(gathered.ground.traced)[:10],
        looked_at=len(gathered.commits),
        note=_note(app, gathered, request.file, request.line),
    )


def _known_fixes(
    app: App, signature: error_signature.ErrorSignature | None
) -> tuple[KnownFix, ...]:
    if signature is None or not app.has_store:
        return ()
    known_error = known_errors.find_known_error(
        app.store, signature, event_intake.visible_memory_filter(app, app.store)
    )
    if known_error is None or known_error.fix is None:
        return ()
    annotate.record_memory_access(app, app.store, [known_error.fix.id])
    commit = known_errors.fixing_commit_of_memory(known_error.fix)
    text = ": ".join(part for part in (known_error.fix.title, known_error.fix.content) if part)
    subject = event_intake.read_commit_subject(app, commit) if commit else ""
    sure = known_errors.metadata_names_fixing_commit(known_error.fix)
    return (KnownFix(known_error.fix.id, text, commit, subject, known_error.same_place, sure),)


def _item(suspect: RankedSuspect, commit: Commit, traced: Collection[str]) -> SuspectCommit:
    # Files named in the error first, then source files, then the rest.
    paths = sorted(
        commit.paths, key=lambda path: (path not in traced, not culprits.has_source_file([path]))
    )
    return SuspectCommit(
        commit.sha,
        commit.author,
        format_iso(commit.committed_time * 1000),
        commit.subject,
        suspect.score,
        suspect.confidence,
        tuple(paths[:5]),
        suspect.why,
    )


def _count_lines(app: App, file: str) -> int | None:
    data = listing.read_worktree_file(listing.listed_files_root(app.layout), file, _LARGEST)
    return None if data is None else len(data.splitlines())


def _note(app: App, gathered: CulpritEvidence, file: str, line: int) -> str:
    if not gathered.commits:
        return "There are no commits yet."
    if not app.has_store:
        return "Without `gitmem init` only the commits themselves are compared."
    parts = []
    if file and file not in gathered.ground.traced:
        parts.append(f"git tracks no file {one_line(file, _WIDTH)}.")
    elif line and (line_count := _count_lines(app, file)) is not None and line > line_count:
        parts.append(f"{one_line(file, _WIDTH)} has only {quantity(line_count, 'line')} now.")
    if not gathered.ground.names_any_code:
        parts.append("The text names no file or definition of this repository: these are hints.")
    if not gathered.complete:
        parts.append("git took too long and was stopped: changes of older commits were not read.")
    return " ".join(parts)


def view(result: WhyBrokeResult) -> str:
    """Return the text to print: the error, earlier fixes, two lines for each suspected commit."""
    lines = [one_line(f"Error: {result.error}", _WIDTH)] if result.error else []
    for fix in result.fixes:
        at = "" if fix.sure else "recorded at "
        commit = f"  {at}{fix.commit[:10]} {one_line(fix.subject, 80)}" if fix.commit else ""
        lines += [f"Fixed before: {one_line(fix.text, 300)}", f"  {fix.id}{commit}"]
    if result.note:
        lines.append(result.note)
    for number, suspect in enumerate(result.suspects, 1):
        head = f"{suspect.commit[:10]} {suspect.at[:10]} {suspect.author}: {suspect.subject}"
        lines.append(f"{number}. {one_line(head, _WIDTH)}")
        reasons = "; ".join(suspect.why)
        lines.append(f"    {suspect.score:.2f} {suspect.confidence}: {one_line(reasons, _WIDTH)}")
        if suspect.paths:
            lines.append(f"    {one_line(', '.join(suspect.paths), _WIDTH)}")
    return "\n".join(lines)


WHY_BROKE = Operation(
    "why-broke",
    find_breaking_commits,
    view,
    READ,
    '"KeyError: price in src/cart.py:40"',
    tool="why_broke",
    shows_times=True,
)
