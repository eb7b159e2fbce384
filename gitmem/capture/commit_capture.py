"""Proposing the decisions in new commits: in messages, comments and decision records.

Runs in the background after indexing, never in a git hook's own time. All decisions are proposed,
and the inbox ranks them: the surest come first, and fifty at most wait. With ``capture.every``
above 1, of texts that are only worded like one the surest is taken for every so many commits. The
store notes the last commit that was read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gitmem import languages
from gitmem.app import App
from gitmem.errors import GitmemError, NotFound
from gitmem.git import history, listing
from gitmem.git.log_output import Commit
from gitmem.indexing import file_filter
from gitmem.memory import adr_format, decision_finder
from gitmem.memory.decision_finder import DecisionStatement
from gitmem.memory.draft import MOST_PATHS, MemoryDraft
from gitmem.model.frozen import replace
from gitmem.search import file_kinds
from gitmem.store.db import projects
from gitmem.store.db.connection import Database
from gitmem.text import json_reader
from gitmem.text.fence import one_line
from gitmem.timeline import command_output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.capture.proposals import ProposedMemory

# The key of the note: the last commit that was read, and commits since the last guess.
NOTE = "captured_commits"
FIRST_LOOK = 20
MOST_COMMITS, MOST_FILES = 500, 100
LARGEST = 256 << 10
_IMPORTANCE = 0.82  # of a decision
_CITED = 5
_SUBJECT = 160  # characters of a subject that a suggestion quotes


def propose_decisions_from_commits(app: App) -> int:
    """Propose the decisions in commits made since the last run; returns how many were proposed.

    They wait in the inbox for a person. Raises GitmemError if git fails; then the next run reads
    these commits again.
    """
    every = app.settings.number("capture.every")
    head = app.git_head.commit
    if not every or not head or app.store.read_only:
        return 0
    last, credit = _read_note(app.store)
    if last == head:
        return 0
    commits = _commits_since(app, last, head)
    # The first run may guess once; after that, `every` commits have to pass.
    credit = every - len(commits) if credit is None else credit
    findings = [*_from_messages(commits), *_from_files(app, commits)]
    database = app.store
    stated_count = _propose(app, [finding for finding, stated in findings if stated])
    allowed, credit = divmod(min(credit, every) + len(commits), every)
    most = None if every == 1 else allowed
    guesses = sorted(
        (finding for finding, stated in findings if not stated),
        key=lambda finding: -finding.confidence,
    )
    guessed = _propose(app, guesses, most)
    # Unused guesses do not add up: the next may come at once, but not ten of them.
    left = credit if guessed or not allowed else every
    with database.write():
        projects.set_meta(database, NOTE, f'{{"seen": "{head}", "since": {left}}}')
    return stated_count + guessed


def find_decisions_in_commits(
    app: App, commits: Sequence[Commit], *, read_decision_files: bool = True
) -> list[tuple[MemoryDraft, str]]:
    """(draft of a memory, where it is stated) for each decision in commits; nothing is stored.

    ``read_decision_files``: also search the files that the commits changed, as they are now.
    """
    findings = [
        *_from_messages(commits),
        *(_from_files(app, commits) if read_decision_files else ()),
    ]
    return [(finding.draft, finding.reason) for finding, _ in findings]


def _propose(app: App, findings: Iterable[ProposedMemory], most: int | None = None) -> int:
    """Propose findings, at most ``most`` of them; how many were taken."""
    count = 0
    for finding in findings:
        if count == most:
            break
        from gitmem.capture import proposals  # noqa: PLC0415 - few commits state anything

        count += bool(proposals.propose_memory(app, app.store, finding))
    return count


def _read_note(database: Database) -> tuple[str, int | None]:
    try:
        note = json_reader.loads(projects.get_meta(database, NOTE) or "{}")
        return str(note.get("seen", "")), int(note["since"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return "", None


def _commits_since(app: App, last: str, head: str) -> list[Commit]:
    """The commits since the last run, oldest first; in the first run the newest few."""
    cwd = app.layout.cwd
    if last:
        try:
            commits = history.list_commits(
                cwd,
                since_commit=last,
                until=head,
                limit=MOST_COMMITS,
                with_paths=True,
                merges=False,
            )
            return list(commits)[::-1]
        except NotFound:
            pass  # rewritten and gone; proposals are recognised by their words
    return list(
        history.list_commits(cwd, until=head, limit=FIRST_LOOK, with_paths=True, merges=False)
    )[::-1]


def _from_messages(commits: Sequence[Commit]) -> list[tuple[ProposedMemory, bool]]:
    findings = []
    for commit in commits:
        body = command_output.remove_gitmem_frames(commit.body)
        statement = decision_finder.find_decision_in_message(
            command_output.remove_gitmem_frames(commit.subject), body
        )
        if statement is not None:
            findings.append((_finding_of_commit(commit, statement), statement.stated))
    return findings


def _finding_of_commit(commit: Commit, statement: DecisionStatement) -> ProposedMemory:
    paths = tuple(path for path in commit.paths if "\n" not in path)
    where = f"{commit.sha[:10]}: {one_line(commit.subject, _SUBJECT)}"
    finding = _finding(statement, paths if len(paths) <= _CITED else (), where)
    return replace(finding, commit=commit.sha, author=commit.author, replaces=statement.supersedes)


def _finding(statement: DecisionStatement, paths: tuple[str, ...], where: str) -> ProposedMemory:
    from gitmem.capture.proposals import ProposedMemory  # noqa: PLC0415 - few commits state anything

    return ProposedMemory(
        draft=_draft(statement, paths),
        reason=f"{statement.evidence} in {where}",
        confidence=statement.confidence,
        identity=f"{statement.title}\x1f{statement.why}",
    )


def _draft(statement: DecisionStatement, paths: tuple[str, ...]) -> MemoryDraft:
    return MemoryDraft(
        content=statement.why,
        title=statement.title,
        kind="decision",
        tags=decision_finder.project_area_tags_in_text(statement.title)
        or decision_finder.project_area_tags_in_text(statement.why),
        paths=paths,
        importance=_IMPORTANCE,
    )


def _from_files(app: App, commits: Sequence[Commit]) -> list[tuple[ProposedMemory, bool]]:
    """The findings in the files that the commits changed, as the files are now."""
    paths = dict.fromkeys(path for commit in reversed(commits) for path in commit.paths)
    findings: list[tuple[ProposedMemory, bool]] = []
    for path in list(paths)[:MOST_FILES]:
        text = _text(app, path)
        if text and adr_format.is_decision_record_path(path):
            findings += _findings_of_record(app, path, text)
        elif text:
            of_product = file_kinds.main_kind_of_file(path, languages.language(path)) == "code"
            findings += [
                (_finding(statement, (cited,), cited), statement.stated)
                for statement in decision_finder.find_decisions_in_source(
                    command_output.remove_gitmem_frames(text), include_note_comments=of_product
                )
                for cited in (f"{path}:{statement.line}",)
            ]
    return findings[:MOST_PATHS]


def _text(app: App, path: str) -> str:
    """The text of a file of the worktree; empty where it is not text or may hold a secret."""
    if app.layout.worktree is None or file_filter.name_refusal_reason(path):
        return ""
    data = listing.read_worktree_file(app.layout.worktree, path, LARGEST)
    if data is None or file_filter.content_refusal_reason(data, LARGEST):
        return ""
    return file_filter.decode_text(data)


def _findings_of_record(app: App, path: str, text: str) -> list[tuple[ProposedMemory, bool]]:
    record = adr_format.parse_decision_record(text)
    # Not gitmem's own records, which are known, and only those in force.
    if record is None or record.id or record.status != "accepted":
        return []
    # Few commits touch a decision record.
    from gitmem.capture import adr_import  # noqa: PLC0415
    from gitmem.capture.proposals import ProposedMemory  # noqa: PLC0415

    algorithm = listing.hash_algorithm_of(app.git_head.commit or "")
    blob = listing.compute_blob_id(text.encode("utf-8", "surrogateescape"), algorithm)
    draft = MemoryDraft(
        content=record.content,
        title=record.title,
        kind="decision",
        tags=decision_finder.project_area_tags_in_text(record.title),
        importance=_IMPORTANCE,
        metadata=adr_import.metadata_of_decision_file(path, blob, record),
    )
    return [
        (ProposedMemory(draft, f"decision record {path}", decision_finder.STATED_CONFIDENCE), True)
    ]


def propose_decisions_ignoring_errors(app: App) -> int:
    """Like ``propose_decisions_from_commits``, but returns 0 where that raises GitmemError."""
    try:
        return propose_decisions_from_commits(app)
    except GitmemError:
        return 0
