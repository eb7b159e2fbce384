"""Finding the entity that a text names: ``kind:name``, or a name alone, tried as each kind."""

import os

from gitmem.app import App
from gitmem.code_relations import graph_target
from gitmem.errors import GitmemError, InvalidInput, NotFound
from gitmem.files import repository_path
from gitmem.git import history
from gitmem.history.entity_graph import entity_key_of_memory, entity_name_of_symbol
from gitmem.memory import citations
from gitmem.model import ids
from gitmem.model.entity import KINDS, MEMORY_KINDS, entity_key
from gitmem.store.code import chunks, commit_ends, commits
from gitmem.store.memory import memory_ends, short_ids
from gitmem.store.session import session_ends, sessions
from gitmem.text import issues

HINT = (
    "Name a path, a memory's id, a commit, an issue as #12 or a name that is defined; or say what "
    f"it is, as in author:Ada: {', '.join(KINDS)}."
)
_INDEXED = ("file", "symbol", "author")
_MIN_ID_LENGTH = 6  # characters of an id that stand for a memory or a session


def resolve_entity_key(app: App, entity_text: str) -> str:
    """Return the key of what a text names, such as ``file:src/app.py`` for ``src/app.py``.

    It may be a file, memory, session, commit, symbol, person, branch or issue. Raises InvalidInput
    for an empty text, folder or unknown kind, NotFound and AmbiguousReference.
    """
    text = entity_text.strip()
    if not text:
        raise InvalidInput("No name, path or id was given.", HINT)
    kind, colon, name = text.partition(":")
    if colon and kind in KINDS and not name.startswith(":"):
        return _resolve_kind(app, kind, name.strip())
    for look in (_issue, _file, _memory, _session, _commit, _symbol, _person, _branch):
        entity = look(app, text)
        if entity:
            return entity
    if path := _folder(app, text):
        raise InvalidInput(
            f"{path} is a folder.", f"Run `gitmem changes --path {path}`, or name a file."
        )
    raise NotFound(f"Nothing here is called {text[:80]!r}.", HINT)


def _resolve_kind(app: App, kind: str, name: str) -> str:
    if kind in MEMORY_KINDS:
        return entity_key_of_memory(short_ids.find_memory([app.store], name)[1])
    if kind == "session":
        return entity_key("session", sessions.find_session(app.store, name).id)
    if kind == "project":
        return entity_key("project", app.project_identity.key)
    ask = {
        "file": _file,
        "symbol": _symbol,
        "commit": _commit,
        "issue": _issue,
        "author": _author,
        "agent": _agent,
        "branch": _branch,
        "worktree": _worktree,
    }[kind]
    entity = ask(app, name)
    if not entity:
        raise NotFound(
            f"There is no {kind} {name[:80]!r} here.",
            HINT if kind not in _INDEXED else "`gitmem index` adds what is new.",
        )
    return entity


def _issue(_app: App, text: str) -> str:
    refs = issues.issue_references(f"#{text}" if text.isdigit() else text)
    whole = text.lstrip("#").lower().removeprefix("gh-")
    return entity_key("issue", refs[0]) if refs and refs[0].lstrip("#").lower() == whole else ""


def _file(app: App, text: str) -> str:
    """A file that exists, is indexed, was changed by a commit or is cited by a memory.

    A folder counts only if a memory cites it.
    """
    try:
        path = repository_path.to_repository_path(text, app.worktree, app.start)
        cited = citations.parse_citation(path.rstrip("/") or ".")
    except InvalidInput:
        return ""
    if cited.symbol:
        return ""
    path = cited.path
    whole = os.path.join(app.worktree, path)
    exists = (
        (os.path.lexists(whole) and not os.path.isdir(whole))
        or bool(chunks.indexed_files_by_path(app.store, app.worktree, [path]))
        or bool(commits.commits_of_path(app.store, path, 1))
        or bool(memory_ends.memories_about_path(app.store, path))
    )
    return entity_key("file", path) if exists and path != "." else ""


def _folder(app: App, text: str) -> str:
    try:
        path = repository_path.to_repository_path(text, app.worktree, app.start).rstrip("/")
        return path if os.path.isdir(os.path.join(app.worktree, path)) else ""
    except InvalidInput:
        return ""


def _memory(app: App, text: str) -> str:
    if len(text) < _MIN_ID_LENGTH or not ids.normalise_id_prefix(text):
        return ""
    try:
        return entity_key_of_memory(short_ids.find_memory([app.store], text)[1])
    except NotFound:
        return ""


def _session(app: App, text: str) -> str:
    if len(text) < _MIN_ID_LENGTH:
        return ""
    try:
        return entity_key("session", sessions.find_session(app.store, text).id)
    except NotFound:
        return ""


def _commit(app: App, text: str) -> str:
    try:
        sha = history.resolve_commit(app.layout.cwd, text) if not app.layout.plain else None
    except GitmemError:
        sha = None
    if sha is None and commit_ends.commit_titles(app.store, [text]):
        sha = text
    return entity_key("commit", sha) if sha else ""


def _symbol(app: App, text: str) -> str:
    cited, target = citations.parse_citation(text), text
    names = citations.symbol_parts(cited.symbol or text)
    if not names or any(part.isspace() for part in text):
        return ""
    if cited.symbol:
        place = repository_path.to_repository_path(cited.path, app.worktree, app.start)
        target = f"{place}:{cited.symbol}"
    definitions = graph_target.find_definitions(app, target)
    exact = [definition for definition in definitions if definition.name == names[-1]]
    return entity_key("symbol", entity_name_of_symbol(exact[0])) if exact else ""


def _author(app: App, text: str) -> str:
    author_name = commit_ends.resolve_author_name(app.store, text)
    if not author_name and memory_ends.memories_by_column(app.store, "author", [text]):
        author_name = text
    return entity_key("author", author_name) if author_name else ""


def _agent(app: App, text: str) -> str:
    ids = memory_ends.memories_by_column(
        app.store, "agent", [text]
    ) or session_ends.sessions_by_column(app.store, "agent", [text])
    return entity_key("agent", text) if ids else ""


def _person(app: App, text: str) -> str:
    return _agent(app, text) or _author(app, text)


def _branch(app: App, text: str) -> str:
    ids = memory_ends.memories_by_column(
        app.store, "branch", [text]
    ) or session_ends.sessions_by_column(app.store, "branch", [text])
    return entity_key("branch", text) if ids else ""


def _worktree(app: App, text: str) -> str:
    place = os.path.abspath(os.path.join(app.start, text)) if text else app.worktree
    for fromkey in dict.fromkeys((text, place)):
        if session_ends.sessions_by_column(app.store, "worktree", [fromkey]):
            return entity_key("worktree", fromkey)
    return ""
