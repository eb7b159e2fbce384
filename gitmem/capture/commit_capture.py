"""Proposing what new commits state: in their messages, in comments, in decision records (CT-23).

For the drain, after the index: never in a hook's own time. What somebody called a decision is
proposed each time; of what is only worded like one, at most one for every so many commits (the
setting ``capture.every``), the surest first. Where it stopped is noted in the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gitmem.app import App
from gitmem.errors import GitmemError, NotFound
from gitmem.git import history, listing
from gitmem.git.log_output import Commit
from gitmem.indexing import file_filter
from gitmem.memory import adr_format, decision_finder
from gitmem.memory.decision_finder import Statement
from gitmem.memory.draft import MOST_PATHS, Draft
from gitmem.store.db import projects
from gitmem.store.db.connection import Database
from gitmem.text import json_reader
from gitmem.text.fence import one_line
from gitmem.timeline import command_output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.capture.proposals import Found

# Where the last look ended, and how many commits have gone by since the last guess.
NOTE = "captured_commits"
FIRST_LOOK = 20
MOST_COMMITS, MOST_FILES = 500, 100
LARGEST = 256 << 10
_IMPORTANCE = 0.82  # CT-23: of what was decided
_CITED = 5
_SUBJECT = 160  # characters of a subject that a suggestion quotes


def follow(app: App) -> int:
    """Propose what the commits since the last look state; how many proposals were made.

    Raises GitmemError where git cannot be asked: then the next one looks.
    """
    every = app.settings.number("capture.every")
    head = app.head.commit
    if not every or not head or app.store.read_only:
        return 0
    seen, credit = _noted(app.store)
    if seen == head:
        return 0
    commits = _since(app, seen, head)
    # A first look may guess once; after that so many commits have to go by.
    credit = every - len(commits) if credit is None else credit
    said = [*_from_messages(commits), *_from_files(app, commits)]
    database = app.store
    made = _propose(app, [found for found, stated in said if stated])
    allowed, credit = divmod(min(credit, every) + len(commits), every)
    guesses = sorted((one for one, stated in said if not stated), key=lambda one: -one.confidence)
    guessed = _propose(app, guesses, allowed)
    # What was not used is not saved up: the next may come at once, not ten of them.
    left = credit if guessed or not allowed else every
    with database.write():
        projects.set_meta(database, NOTE, f'{{"seen": "{head}", "since": {left}}}')
    return made + guessed


def _propose(app: App, found: Iterable[Found], most: int | None = None) -> int:
    """Propose what was found, until so many were taken; how many."""
    made = 0
    for finding in found:
        if made == most:
            break
        from gitmem.capture import proposals  # noqa: PLC0415 - few commits state anything

        made += bool(proposals.propose(app, app.store, finding))
    return made


def _noted(database: Database) -> tuple[str, int | None]:
    try:
        known = json_reader.loads(projects.meta(database, NOTE) or "{}")
        return str(known.get("seen", "")), int(known["since"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return "", None


def _since(app: App, seen: str, head: str) -> list[Commit]:
    """The commits since the last look, the oldest first; of a first look the newest few."""
    cwd = app.layout.cwd
    if seen:
        try:
            found = history.log(
                cwd, since_commit=seen, until=head, limit=MOST_COMMITS, paths=True, merges=False
            )
            return list(found)[::-1]
        except NotFound:
            pass  # rewritten and gone: what was proposed of it is known by its words
    return list(history.log(cwd, until=head, limit=FIRST_LOOK, paths=True, merges=False))[::-1]


def _from_messages(commits: Sequence[Commit]) -> list[tuple[Found, bool]]:
    found = []
    for commit in commits:
        body = command_output.unframed(commit.body)
        said = decision_finder.in_message(command_output.unframed(commit.subject), body)
        if said is not None:
            found.append((_of_commit(commit, said), said.stated))
    return found


def _of_commit(commit: Commit, said: Statement) -> Found:
    from gitmem.capture.proposals import Found  # noqa: PLC0415 - few commits state anything

    where = f"{said.evidence} in {commit.sha[:10]}: {one_line(commit.subject, _SUBJECT)}"
    paths = tuple(path for path in commit.paths if "\n" not in path)
    return Found(
        draft=_draft(said, paths[:_CITED] if len(paths) <= _CITED else ()),
        reason=where,
        confidence=said.confidence,
        identity=f"{said.title}\x1f{said.why}",
        commit=commit.sha,
        author=commit.author,
        replaces=said.supersedes,
    )


def _draft(said: Statement, paths: tuple[str, ...]) -> Draft:
    return Draft(
        content=said.why,
        title=said.title,
        kind="decision",
        tags=decision_finder.areas(said.title),
        paths=paths,
        importance=_IMPORTANCE,
    )


def _from_files(app: App, commits: Sequence[Commit]) -> list[tuple[Found, bool]]:
    """What the files that the commits changed say now."""
    paths = dict.fromkeys(path for commit in reversed(commits) for path in commit.paths)
    found: list[tuple[Found, bool]] = []
    for path in list(paths)[:MOST_FILES]:
        text = _text(app, path)
        if text and adr_format.is_record(path):
            found += _of_record(app, path, text)
        elif text:
            found += [
                (_of_comment(path, said), said.stated)
                for said in decision_finder.in_source(command_output.unframed(text))
            ]
    return found[:MOST_PATHS]


def _text(app: App, path: str) -> str:
    """A file of the worktree that may be read: a plain text, no secret by its name."""
    if app.layout.worktree is None or file_filter.refuse_name(path):
        return ""
    data = listing.read_file(app.layout.worktree, path, LARGEST)
    if data is None or file_filter.refuse_content(data, LARGEST):
        return ""
    return file_filter.decode(data)


def _of_record(app: App, path: str, text: str) -> list[tuple[Found, bool]]:
    record = adr_format.parse(text)
    # What gitmem wrote itself is known; what is not decided, or not any more, is no decision.
    if record is None or record.id or record.status != "accepted":
        return []
    # Few commits touch a decision record.
    from gitmem.capture import adr_import  # noqa: PLC0415
    from gitmem.capture.proposals import Found  # noqa: PLC0415

    algorithm = listing.algorithm_of(app.head.commit or "")
    blob = listing.blob_id(text.encode("utf-8", "surrogateescape"), algorithm)
    said = Draft(
        content=record.content,
        title=record.title,
        kind="decision",
        tags=decision_finder.areas(record.title),
        importance=_IMPORTANCE,
        metadata=adr_import.facts(path, blob, record),
    )
    return [(Found(said, f"decision record {path}", decision_finder.STATED), True)]


def _of_comment(path: str, said: Statement) -> Found:
    from gitmem.capture.proposals import Found  # noqa: PLC0415 - few commits state anything

    cited = f"{path}:{said.line}"
    return Found(
        draft=_draft(said, (cited,)),
        reason=f"{said.evidence} in {cited}",
        confidence=said.confidence,
        identity=f"{said.title}\x1f{said.why}",
    )


def try_following(app: App) -> int:
    """The same for who has other things to do as well: what fails is tried again another time."""
    try:
        return follow(app)
    except GitmemError:
        return 0
