"""Fixes of past bugs that are similar to a given bug, and similar questions and solutions."""

from gitmem.app import App
from gitmem.assembly import deja_vu
from gitmem.capture import event_intake, known_errors
from gitmem.clock import format_iso
from gitmem.errors import GitmemError, NotARepository
from gitmem.git import history
from gitmem.history import commit_story, culprits, past_fixes
from gitmem.history.past_fixes import PastFix
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import READ, Annotated, Arg, Operation, unquoted_words_arg
from gitmem.retrieval import annotate
from gitmem.store.code import commits
from gitmem.text import issues
from gitmem.text.fence import make_printable, one_line
from gitmem.timeline import error_signature

_WIDTH = 110
_PATHS = 5
_DIFF_LINES = 30  # of each fix
# Of a fix that cites a named file as a whole: like a commit with the best message.
_OF_FILE = 0.5, "fixed a bug in this file"


@dataclass(frozen=True, slots=True)
class SimilarBugsRequest:
    """Arguments of `gitmem similar-bugs`: an error or bug in words, and whether to show diffs."""

    text: Annotated[
        str, unquoted_words_arg("The error, its trace, the issue or a question", max_stdin_mb=1)
    ]
    limit: Annotated[int, shared.limit_arg(50)] = 5
    diff: Annotated[bool, Arg("With the start of what each fix changed")] = False


@dataclass(frozen=True, slots=True)
class BugFixItem:
    """A fix of a similar bug: a remembered fix has an ``id``, a fix in a commit a ``commit``.

    ``score`` is from 0 to 1; ``paths`` are at most five source files that the fix changed,
    ``patch`` is the start of its diff with --diff.
    """

    id: str
    commit: str
    author: str
    at: str
    subject: str
    score: float
    paths: tuple[str, ...]
    issues: tuple[str, ...]
    why: tuple[str, ...]
    patch: str


@dataclass(frozen=True, slots=True)
class SimilarQuestionOrFix:
    """A similar question, solution or fix from before; ``type`` is query, solution or fix.

    A query has no ``id``. ``score`` is 0.7 of the ``similarity`` plus 0.3 of how recent it is.
    ``commit`` is the commit that was checked out then or, if ``sure``, that was reported to have
    fixed the error.
    """

    type: str
    id: str
    text: str
    at: str
    similarity: float
    score: float
    commit: str
    subject: str
    sure: bool = False


@dataclass(frozen=True, slots=True)
class SimilarBugsResult:
    """The fixes of similar bugs: remembered fixes first, then the most similar commits.

    ``error`` is the error in a line, empty if none is recognised. ``before`` holds at most three
    similar questions, solutions and fixes of the last ninety days.
    """

    error: str
    items: tuple[BugFixItem, ...]
    note: str
    before: tuple[SimilarQuestionOrFix, ...] = ()


def find_similar_bugs(app: App, request: SimilarBugsRequest) -> SimilarBugsResult:
    """Show how similar bugs were fixed, and similar earlier questions and solutions.

    Fixes remembered for the same error or for lines that it names come first. Then come commits
    that fixed something and share words with the text or changed files that it points to. Last come
    similar questions, decisions, notes and fixes of the last ninety days. An error is recognised
    even if its paths, lines and versions differ.
    """
    culprits.check_text_not_empty(request.text)
    before = _similar_before(app, request.text) if app.has_store else ()
    if app.layout.plain:
        if not before:
            raise NotARepository(
                "This is a plain folder: without git there is no history.",
                "`git init` makes it a repository.",
            )
        return SimilarBugsResult("", (), "This is a plain folder: no commits are known.", before)
    signature = error_signature.read_error_signature(request.text)
    remembered = _known_fix(app, signature, request.diff)
    fixes, ground = past_fixes.find_past_fixes(app, request.text, request.limit)
    known = {bug.commit for bug in remembered}
    of_places = []
    for fix, here in past_fixes.find_fixes_of_places(app, ground):
        if fix.id not in [bug.id for bug in remembered]:
            score, why = (1.0, "fixed a bug at this place") if here else _OF_FILE
            of_places.append(_remembered_item(app, fix, score, why, request.diff))
            known.add(known_errors.fixing_commit_of_memory(fix, only_if_in_metadata=True))
    items = [_item(app, fix, request.diff) for fix in fixes if fix.commit.sha not in known]
    items = sorted((*of_places, *items), key=lambda item: -item.score)
    return SimilarBugsResult(
        error=error_signature.find_error_line(request.text, signature),
        items=(*remembered, *items)[: request.limit],
        note=_note(app, bool(items or remembered), ground.names_any_code),
        before=before,
    )


def _similar_before(app: App, text: str) -> tuple[SimilarQuestionOrFix, ...]:
    past_items = deja_vu.find_similar_past_items(app, text)
    annotate.record_memory_access(app, app.store, [past.id for _, past in past_items if past.id])
    return tuple(
        SimilarQuestionOrFix(
            past.type, past.id, past.text, format_iso(past.at), past.similarity, round(score, 4),
            past.commit, event_intake.read_commit_subject(app, past.commit) if past.commit else "",
            past.sure,
        )
        for score, past in past_items
    )  # fmt: skip


def _known_fix(
    app: App, signature: error_signature.ErrorSignature | None, diff: bool
) -> tuple[BugFixItem, ...]:
    if signature is None or not app.has_store:
        return ()
    known = known_errors.find_known_error(
        app.store, signature, event_intake.visible_memory_filter(app, app.store)
    )
    if known is None or known.fix is None:
        return ()
    why = "fixed the same error" + (" at the same place" if known.same_place else "")
    return (_remembered_item(app, known.fix, 1.0, why, diff),)


def _remembered_item(app: App, fix: Memory, score: float, why: str, diff: bool) -> BugFixItem:
    annotate.record_memory_access(app, app.store, [fix.id])
    sha = known_errors.fixing_commit_of_memory(fix)
    text = ": ".join(part for part in (fix.title, fix.content) if part)
    patch = _patch(app, sha, fix.paths) if diff and sha else ""
    return BugFixItem(
        fix.id, sha, fix.author or fix.agent, format_iso(fix.created_at), text, score,
        fix.paths[:_PATHS], issues.issue_references(text), (why,), patch,
    )  # fmt: skip


def _item(app: App, past_fix: PastFix, diff: bool) -> BugFixItem:
    commit = past_fix.commit
    return BugFixItem(
        "",
        commit.sha,
        commit.author,
        format_iso(commit.at),
        commit.subject,
        round(past_fix.score, 3),
        past_fix.paths[:_PATHS],
        issues.issue_references(f"{commit.subject}\n{commit.body}"),
        past_fix.why,
        _patch(app, commit.sha, past_fix.paths) if diff else "",
    )


def _patch(app: App, sha: str, paths: tuple[str, ...]) -> str:
    try:
        commit = next(iter(history.list_commits(app.layout.cwd, until=sha, limit=1)), None)
    except GitmemError:  # rewritten since, or not in this clone
        return ""
    if commit is None:
        return ""
    return commit_story.read_diff_excerpt(app, sha, commit.parents, paths, _DIFF_LINES)


def _note(app: App, some: bool, known: bool) -> str:
    if not app.has_store:
        return "Without `gitmem init` no commit is indexed."
    if not commits.count_commits(app.store):
        return "No commits are indexed yet; `gitmem index` indexes them."
    if not some:
        return "No commit fixed something similar."
    if not known:
        return "The text names no file or definition of this repository: found by words alone."
    return ""


def view(result: SimilarBugsResult) -> str:
    """Return the text to print: the error, two lines for each fix, with --diff also its diff."""
    lines = [one_line(f"Error: {result.error}", _WIDTH)] if result.error else []
    lines += [result.note] if result.note else []
    for number, item in enumerate(result.items, 1):
        origin = " ".join(filter(None, (item.commit[:10] or item.id, item.at[:10], item.author)))
        lines.append(f"{number}. {one_line(f'{origin}: {item.subject}', _WIDTH)}")
        reasons = "; ".join((*item.why, *item.issues))
        lines.append(f"    {item.score:.2f}: {one_line(reasons, _WIDTH)}")
        lines += [f"    {one_line(', '.join(item.paths), _WIDTH)}"] if item.paths else []
        lines += [f"      {make_printable(line)}" for line in item.patch.split("\n") if item.patch]
    lines += ["Seen before:"] if result.before else []
    for past in result.before:
        lines.append(f"{past.type:<8} {past.score:.2f}  {one_line(past.text, 300)}")
        by = "fixed by" if past.sure else "at"
        at = f"  {by} {past.commit[:10]} {one_line(past.subject, 100)}" if past.commit else ""
        lines.append(f"  {past.at[:10]}  {past.id}{at}".rstrip())
    return "\n".join(lines)


SIMILAR_BUGS = Operation(
    "similar-bugs",
    find_similar_bugs,
    view,
    READ,
    '"KeyError: price in src/cart.py:40" --diff',
    tool="similar_bugs",
    shows_times=True,
)
