"""Why code is as it is: commits, issues, decisions and memories behind a file or lines of it."""

from gitmem.app import App
from gitmem.clock import format_iso
from gitmem.errors import NotARepository
from gitmem.history import reasons
from gitmem.history import target as targets
from gitmem.indexing import commit_releases
from gitmem.model.frozen import copy_fields, dataclass, replace
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import READ, Annotated, Operation, positional_arg
from gitmem.retrieval import annotate, memory_view
from gitmem.retrieval.memory_view import MemoryItem
from gitmem.text.fence import escape_for_model, one_line
from gitmem.text.quantity import quantity
from gitmem.text.redact import redact

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitmem.git.log_output import Commit

MOST_MEMORIES = 10
_WIDTH = 110
_ISSUES = 5  # of a commit that are shown on a screen: a merge may name dozens


@dataclass(frozen=True, slots=True)
class ExplainCodeRequest:
    """Arguments of `gitmem why`: code (src/app.py, src/app.py:40-60 or Server.start), a limit."""

    target: Annotated[
        str, positional_arg("Path, lines of it (src/app.py:40-60) or a name (Server.start)")
    ]
    limit: Annotated[int, shared.limit_arg(100)] = 10


@dataclass(frozen=True, slots=True)
class ExplainingCommit:
    """A commit behind the code; ``lines`` counts its lines that still exist.

    ``path`` was the file's name then. ``release`` is the first release that contains the commit,
    empty if no tag does. ``session`` is the exchange of an imported session in which it was likely
    written (not proven), with its question in ``question``.
    """

    commit: str
    author: str
    at: str
    subject: str
    lines: int
    path: str
    issues: tuple[str, ...]
    why: tuple[str, ...]
    release: str = ""
    session: str = ""
    question: str = ""


@dataclass(frozen=True, slots=True)
class CodeExplanation:
    """A path, its lines (0 for the whole file), and what explains them, newest first.

    ``changes`` counts the commits that changed the code, 200 at most. ``uncommitted`` counts lines
    that are in no commit. ``note`` says what the answer lacks; ``also`` lists other places that
    define the name.
    """

    path: str
    first_line: int
    last_line: int
    symbol: str
    changes: int
    uncommitted: int
    commits: tuple[ExplainingCommit, ...]
    issues: tuple[str, ...]
    decisions: tuple[MemoryItem, ...]
    memories: tuple[MemoryItem, ...]
    also: tuple[str, ...]
    note: str


def explain_code(app: App, request: ExplainCodeRequest) -> CodeExplanation:
    """Show why code is as it is: the commits, issues, decisions and memories behind it.

    Renames and moved lines are followed. For a deleted file it shows the file's history, for a
    deleted name the commit that removed it.
    """
    if app.layout.plain:
        raise NotARepository(
            "This is a plain folder: without git there is no history.",
            "`git init` makes it a repository.",
        )
    target = targets.resolve_code_target(app, request.target, search_removed=True)
    behind = reasons.explain_code(app, target, request.limit)
    memories = behind.memories[:MOST_MEMORIES]
    pairs = [(memory, database) for memory, database, _ in memories]
    annotate.record_shown_memories(app, pairs)
    items = [
        replace(item, why=(reason,))
        for item, (_, _, reason) in zip(
            annotate.make_memory_items(app, pairs), memories, strict=True
        )
    ]
    first, last = target.lines or (0, 0)
    release = commit_releases.make_first_release_lookup(app)
    return CodeExplanation(
        path=target.path,
        first_line=first,
        last_line=last,
        symbol=target.symbol,
        changes=behind.changes,
        uncommitted=behind.uncommitted,
        commits=_with_sessions(
            app,
            tuple(_commit(commit, release(commit.commit.sha)) for commit in behind.commits),
            {commit.commit.sha: commit.commit for commit in behind.commits},
        ),
        issues=tuple(dict.fromkeys(name for commit in behind.commits for name in commit.issues)),
        decisions=tuple(item for item in items if item.kind == "decision"),
        memories=tuple(item for item in items if item.kind != "decision"),
        also=target.others,
        note=_note(behind, target),
    )


def _commit(reason: reasons.ExplainingCommit, release: str) -> ExplainingCommit:
    commit = reason.commit
    at = format_iso(commit.committed_time * 1000)
    return copy_fields(
        ExplainingCommit,
        reason,
        commit=commit.sha,
        author=commit.author,
        at=at,
        subject=commit.subject,
        release=release,
    )  # fmt: skip


def _with_sessions(
    app: App, rows: tuple[ExplainingCommit, ...], made: "Mapping[str, Commit]"
) -> tuple[ExplainingCommit, ...]:
    """The commits with the exchanges in which their lines were likely written."""
    from gitmem.store.session import exchange_search  # noqa: PLC0415 - few stores hold any

    if not (rows and app.has_store and exchange_search.has_exchanges(app.store)):
        return rows
    from gitmem.retrieval import exchange_candidates  # noqa: PLC0415 - as above

    wrote = exchange_candidates.exchanges_that_wrote_commits(
        app, made.values(), {row.commit: row.path for row in rows}
    )
    return tuple(
        replace(
            row,
            session=f"{exchange.conversation}{exchange_candidates.NUMBER}{exchange.number}",
            question=one_line(escape_for_model(redact(exchange.user).text), _WIDTH),
        )
        if (exchange := wrote.get(row.commit)) is not None
        else row
        for row in rows
    )


def _note(behind: reasons.CodeExplanation, target: targets.CodeTarget) -> str:
    parts = []
    if target.removed is not None:
        parts.append("It is no longer in the code.")
    elif not target.there:
        parts.append("The file was deleted.")
    if not behind.commits and behind.complete:
        parts.append("It is in no commit yet.")
    if not behind.complete:
        parts.append(
            "git took too long and was stopped: older commits may be missing; "
            f"`git log --follow -- {target.path}` shows all."
        )
    elif (
        target.there
        and target.symbol
        and behind.commits
        and not any("first version" in c.why for c in behind.commits)
    ):
        parts.append("It is not clear which commit introduced it.")
    if behind.shallow:
        parts.append("The clone is shallow: older commits are missing.")
    return " ".join(parts)


def view(result: CodeExplanation) -> str:
    """Return the text to print: the code, its commits, then decisions and memories."""
    lines = [one_line(_head(result), _WIDTH)]
    if result.also:
        lines.append(f"  also defined in: {one_line(', '.join(result.also), 2 * _WIDTH)}")
    if result.note:
        lines.append(f"  {result.note}")
    for commit in result.commits:
        lines.append(
            one_line(
                f"{commit.commit[:10]} {commit.at[:10]} {commit.author}: {commit.subject}",
                _WIDTH + 60,
            )
        )
        away = (f"then {commit.path}",) if commit.path != result.path else ()
        more = (f"… {len(commit.issues) - _ISSUES} more issues",) * (len(commit.issues) > _ISSUES)
        since = (f"since {commit.release}",) if commit.release else ()
        reasons_ = "; ".join((*commit.why, *since, *away, *commit.issues[:_ISSUES], *more))
        lines.append(f"    {one_line(reasons_, _WIDTH + 60)}")
        if commit.session:
            likely = f"likely written in session {commit.session}: {commit.question}"
            lines.append(f"    {one_line(likely, _WIDTH + 60)}")
    for title, items in (("Decisions", result.decisions), ("Memories", result.memories)):
        if items:
            lines += ["", f"{title}:", *(memory_view.format_memory(item, 0) for item in items)]
    return "\n".join(lines)


def _head(result: CodeExplanation) -> str:
    place = result.path
    if result.first_line:
        place += f":{result.first_line}-{result.last_line}"
    named = f"{result.symbol} in {place}" if result.symbol else place
    count = f"{result.changes}{'+' if result.changes >= reasons.LOOKED_AT else ''}"
    changed = f"changed by {count} commit{'' if result.changes == 1 else 's'}"
    pending = (
        f", {quantity(result.uncommitted, 'line')} not committed" if result.uncommitted else ""
    )
    return f"{named}: {changed}{pending}"


WHY = Operation("why", explain_code, view, READ, "src/app.py:40-60", tool="why", shows_times=True)
