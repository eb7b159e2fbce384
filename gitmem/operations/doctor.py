"""Whether everything is well, and what to do where it is not."""

import os
from collections.abc import Callable, Iterator
from typing import Annotated

from gitmem.app import App
from gitmem.errors import GitmemError, NotARepository
from gitmem.model.value import dataclass
from gitmem.operations import hooks, index_state, meaning
from gitmem.operations.registry import WRITE, Arg, Operation
from gitmem.store import backup, checks, files, vectors
from gitmem.store.connection import Database


@dataclass(frozen=True, slots=True)
class Doctor:
    """Whether to mend what can be mended."""

    fix: Annotated[bool, Arg("Mend what can be mended without losing anything.")] = False


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: ``state`` is ok, note, problem or fixed."""

    check: str
    state: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Examined:
    """All checks; ``failed`` counts the problems that remain."""

    findings: tuple[Finding, ...]
    failed: int


def doctor(app: App, request: Doctor) -> Examined:
    """Check store, index, files and settings; --fix mends.

    Structure, the hash of each memory, the full-text index against the memories, permissions,
    file system, backups, identity and settings. Nothing is ever deleted.
    """
    findings = [*_guarded("repository", app, _repository), *_guarded("settings", app, _settings)]
    if app_has_store(app):
        findings += _guarded("store", app, lambda app: _store(app, request.fix))
        findings += _guarded("search", app, _searchable)
        findings += _guarded("hooks", app, _hooks)
    findings += _guarded("global store", app, _shared)
    return Examined(tuple(findings), sum(1 for one in findings if one.state == "problem"))


def app_has_store(app: App) -> bool:
    """Whether there is a repository and a store in it."""
    try:
        return app.has_store
    except GitmemError:
        return False


def _guarded(name: str, app: App, check: Callable[[App], Iterator[Finding]]) -> list[Finding]:
    """The findings of a check; the error that stopped it becomes one more."""
    found = []
    try:
        for finding in check(app):
            found.append(finding)
    except GitmemError as error:
        found.append(Finding(name, "problem", error.message, error.hint))
    return found


def _repository(app: App) -> Iterator[Finding]:
    try:
        identity = app.identity
    except NotARepository as error:
        yield Finding("repository", "note", error.message, error.hint)
        return
    told = f"{identity.name}: {identity.key} (from the {identity.source})"
    yield Finding("repository", "ok", told, "")
    if not app.has_store:
        yield Finding("store", "note", "There is no store here yet.", "Run `gitmem init`.")


def _settings(app: App) -> Iterator[Finding]:
    for warning in app.settings.warnings:
        yield Finding("settings", "note", warning, "")
    if not app.settings.warnings:
        yield Finding("settings", "ok", "all settings are understood", "")


def _store(app: App, fix: bool) -> Iterator[Finding]:
    store = app.store
    yield _journal(app, store)
    yield from _permissions(store, fix)
    yield from _content(store, fix)
    copies = backup.stored(app.store_path)
    hint = "" if copies else "`gitmem backup` makes one."
    yield Finding("backups", "ok" if copies else "note", f"{len(copies)} backups", hint)


def _journal(app: App, store: Database) -> Finding:
    mode = str(store.value("PRAGMA journal_mode"))
    kind = files.file_system(os.path.dirname(app.store_path)) or "unknown"
    told = f"journal {mode} on a {kind} file system"
    if store.read_only:
        return Finding("store", "note", f"{told}, read only", "Writing commands will be refused.")
    if mode == "wal" and files.journal_mode(os.path.dirname(app.store_path)) == "delete":
        return Finding(
            "store",
            "problem",
            f"{told}: it shares no memory between machines",
            "Use the store from one machine only, or move the repository to a local disk.",
        )
    return Finding("store", "ok", told, "")


def _permissions(store: Database, fix: bool) -> Iterator[Finding]:
    loose = checks.loose_permissions(store.path)
    if not loose:
        yield Finding("permissions", "ok", "only you can read the store", "")
    elif fix:
        checks.tighten(loose)
        yield Finding("permissions", "fixed", f"made {len(loose)} files private", "")
    else:
        told = f"others can read {', '.join(os.path.basename(path) for path in loose)}"
        yield Finding("permissions", "problem", told, "`gitmem doctor --fix` makes them private.")


def _content(store: Database, fix: bool) -> Iterator[Finding]:
    structure = checks.structure(store)
    if structure:
        hint = "`gitmem restore-backup` goes back to the last backup."
        yield Finding("structure", "problem", "; ".join(structure[:3]), hint)
        return
    yield Finding("structure", "ok", "the file's structure is whole", "")
    damaged = checks.damaged_memories(store)
    if damaged:
        told = f"{len(damaged)} memories do not match their hash: {', '.join(damaged[:3])}"
        hint = "`gitmem restore-backup` goes back to the last backup."
        yield Finding("memories", "problem", told, hint)
        return
    total = store.value("SELECT count(*) FROM memories")
    yield Finding("memories", "ok", f"{total} memories match their hashes", "")
    wrong = checks.index_problems(store)
    if wrong and fix:
        checks.rebuild_index(store)
        yield Finding("index", "fixed", f"built again: {'; '.join(wrong)}", "")
    elif wrong:
        yield Finding(
            "index", "problem", "; ".join(wrong), "`gitmem doctor --fix` builds it again."
        )
    else:
        yield Finding("index", "ok", "the full-text index holds every memory", "")


def _searchable(app: App) -> Iterator[Finding]:
    """Whether the index is whole, every text has its vector, and the model loads."""
    known = index_state.state(app)
    hint = "" if known == "current" else "`gitmem index` brings it up to date."
    yield Finding("search", "ok" if known == "current" else "note", f"the index is {known}", hint)
    name = meaning.name(app)
    waiting = vectors.count_missing(app.store, name, ("chunk", "commit"))
    others = [one for one in vectors.models(app.store) if one != name]
    if waiting and known == "current":
        yield Finding(
            "vectors", "problem", f"{waiting} texts have no vector", "Run `gitmem index`."
        )
    elif others:
        told = f"there are vectors of other models: {', '.join(others)}"
        yield Finding("vectors", "note", told, "`gitmem index prune` drops them.")
    else:
        yield Finding("vectors", "ok", f"every indexed text has a vector of {name}", "")


def _hooks(app: App) -> Iterator[Finding]:
    stand = hooks.status(app, hooks.Hooks())
    good = [one.event for one in stand.hooks if one.state in hooks.STANDING]
    if len(good) == len(stand.hooks):
        yield Finding("hooks", "ok", ", ".join(good), "")
        return
    missing = ", ".join(one.event for one in stand.hooks if one.event not in good)
    hint = "`gitmem hooks status` shows the lines to add." if stand.declined else ""
    yield Finding("hooks", "note", f"not in place: {missing}", hint or "`gitmem hooks install`.")


def _shared(app: App) -> Iterator[Finding]:
    shared = app.global_store()
    if shared is None:
        yield Finding("global store", "note", "there is none yet", "`gitmem init` makes one.")
        return
    wrong = [*checks.structure(shared), *checks.damaged_memories(shared)]
    if wrong:
        yield Finding("global store", "problem", "; ".join(wrong[:3]), "Restore it from a backup.")
        return
    total = shared.value("SELECT count(*) FROM memories")
    yield Finding("global store", "ok", f"{total} memories at {shared.path}", "")


def view(result: Examined) -> str:
    """A line for each check, with what to do below it."""
    lines = []
    for one in result.findings:
        lines.append(f"{one.state:<8} {one.check:<13} {one.message}")
        if one.hint:
            lines.append(f"{'':<23}{one.hint}")
    return "\n".join(lines)


DOCTOR = Operation(
    name="doctor",
    request=Doctor,
    run=doctor,
    view=view,
    effect=WRITE,
    example="gitmem doctor --fix",
    failures=lambda result: result.failed,
)
