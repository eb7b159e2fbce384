"""Doctor on the index: is it of what is checked out, by the settings of now, whole, with vectors.

A check of one more part of searching is a function here that yields a finding, called in
``examine``. With --fix an index run does what is left to do: nothing here needs more than that. An
index that was never made stays unmade: ``init --no-index`` may have been meant.
"""

from collections.abc import Iterator

from gitmem.app import App
from gitmem.doctor.finding import FIXED, NOTE, OK, PROBLEM, Finding
from gitmem.git import history as git_history
from gitmem.git.listing import Listing
from gitmem.indexing import (
    contextual_vectors,
    index_audit,
    index_behind,
    index_state,
    refresh,
    settings_drift,
    text_vectors,
)
from gitmem.indexing.plan import Plan
from gitmem.model.frozen import replace
from gitmem.store.code import commits, indexed_files, vectors
from gitmem.store.db import vec_extension
from gitmem.text.quantity import quantity

_INDEX = "`gitmem index` or `gitmem doctor --fix` brings it up to date."
_SURPLUS = "`gitmem index --full` drops the rest."


def examine(app: App, fix: bool) -> Iterator[Finding]:
    """State, settings and completeness, mended by an index run; then the vectors."""
    known = indexed_files.state(app.store, app.worktree)
    if known is None:
        yield Finding("search", NOTE, "this worktree is not indexed yet", "Run `gitmem index`.")
        return
    looked = refresh.planned(app)
    found = [*_sources(app, looked)]
    todo = [one for one in found if one.state != OK and one.hint != _SURPLUS]
    if fix and todo and not app.store.read_only:
        yield _mended(app, todo)
        looked = refresh.planned(app)
        found = [*_sources(app, looked)]
    yield from found
    yield from _content(app, looked, fix)
    yield from _vectors(app, fix)
    yield from _reading(app)
    yield _accelerator(app)


def _sources(app: App, looked: tuple[Listing, Plan]) -> Iterator[Finding]:
    yield from _state(app, looked[1])
    yield from _drift(app)
    yield from _files(app, looked)
    yield from _commits(app)


def _mended(app: App, todo: list[Finding]) -> Finding:
    if any(one.check == "commits" for one in todo):
        # "All commits up to here" does not hold: the run has to read them all.
        known = indexed_files.state(app.store, app.worktree)
        assert known is not None
        with app.store.write():
            indexed_files.set_state(app.store, app.worktree, replace(known, head=""))
    done = refresh.refresh(app)
    told = f"{quantity(done.added, 'file')} added, {done.dropped} dropped"
    told += f", {quantity(done.commits, 'commit')}"
    return Finding("index run", FIXED, f"{told}, {done.vectors} vectors, {done.seconds:.1f} s", "")


def _state(app: App, plan: Plan) -> Iterator[Finding]:
    found = index_behind.behind(app, plan)
    state, hint = (OK, "") if found.state == "current" else (NOTE, _INDEX)
    yield Finding("search", state, index_state.sentence(found.state, found.told), hint)


def _drift(app: App) -> Iterator[Finding]:
    changed = settings_drift.changed(app)
    for told in changed:
        hint = "`gitmem index` updates what is affected; no full rebuild is needed."
        if "are indexed" in told:
            hint = _SURPLUS
        yield Finding("drift", NOTE, told, hint)
    if not changed:
        yield Finding("drift", OK, "the index was built with the current settings", "")


def _files(app: App, looked: tuple[Listing, Plan]) -> Iterator[Finding]:
    """The listing against the indexed rows."""
    seen = refresh.preview(app, looked)
    left, gone = seen.added + seen.moved, seen.dropped
    told = f"{quantity(seen.kept, 'file is', 'files are')} in the index"
    if left or gone:
        yield Finding("files", NOTE, f"{told}; missing: {left}, gone: {gone}", _INDEX)
    else:
        yield Finding("files", OK, f"{told}; missing: 0, left out: {seen.skipped}", "")


def _content(app: App, looked: tuple[Listing, Plan], fix: bool) -> Iterator[Finding]:
    """Pieces, definitions and edges against what the files say, once all were made."""
    known = indexed_files.state(app.store, app.worktree)
    if known is None or known.state != "whole":
        return
    found = index_audit.audit(app, looked)
    compared = quantity(found.files, "file")
    if not (found.differing or found.unlinked):
        yield Finding("content", OK, f"the index says what the files say ({compared} compared)", "")
        return
    parts = [
        f"{what} of {quantity(len(paths), 'file')} ({', '.join(paths[:3])})"
        for what, paths in (
            ("pieces or definitions", found.differing),
            ("edges", found.unlinked),
        )
        if paths
    ]
    told = f"{' and '.join(parts)} are not what the files say; {compared} were compared"
    if fix and not app.store.read_only:
        index_audit.mend(app, found)
        yield Finding("content", FIXED, f"{told}; they were read again", "")
    else:
        yield Finding("content", PROBLEM, told, "`gitmem doctor --fix` reads them again.")


def _commits(app: App) -> Iterator[Finding]:
    """The history against the indexed commits."""
    most = app.settings.number("index.commits")
    known = commits.known(app.store)
    lacking = total = 0
    head = app.head.commit or "HEAD"
    for commit in git_history.log(app.layout.cwd, until=head, limit=most):
        total += 1
        lacking += commit.sha not in known
    if lacking:
        told = f"{lacking} of {total} commits are missing from the index"
        yield Finding("commits", NOTE, told, "`gitmem doctor --fix` adds them.")
    else:
        told = f"{quantity(total, 'commit')} up to HEAD, all in the index"
        yield Finding("commits", OK, told, "")


def _vectors(app: App, fix: bool) -> Iterator[Finding]:
    """Whether the model loads and every text has its vector."""
    name = text_vectors.name(app)
    waiting = vectors.count_missing(app.store, name, ("chunk", "commit"))
    kept = contextual_vectors.kept(app)
    others = [one for one in vectors.models(app.store) if one not in kept]
    if waiting and fix and not app.store.read_only:
        made = text_vectors.embed_missing(app, app.store, app.progress)
        yield Finding("vectors", FIXED, f"{made} texts were embedded with {name}", "")
    elif waiting:
        told = f"{waiting} texts have no vector from {name}"
        state = PROBLEM if index_state.state(app) == "current" else NOTE
        yield Finding("vectors", state, told, "`gitmem doctor --fix` makes them.")
    elif others:
        told = f"there are vectors from other models: {', '.join(others)}"
        yield Finding("vectors", NOTE, told, "`gitmem index prune` drops them.")
    else:
        yield Finding("vectors", OK, f"every indexed text has a vector from {name}", "")


def _reading(app: App) -> Iterator[Finding]:
    """How far the contextual model has read the memories, where it has some way to go."""
    found = contextual_vectors.coverage(app, app.store)
    if found is not None and found.waiting > contextual_vectors.CATCH_UP:
        waits = quantity(found.memories, "memory waits", "memories wait")
        told = f"{found.waiting} of {waits} for the contextual model"
        hint = "It reads in the background; `gitmem index` lets it read now."
        yield Finding("meaning", NOTE, told, hint)


def _accelerator(app: App) -> Finding:
    """Whether sqlite-vec is there, loads and answers; all of gitmem works without it."""
    state, told = vec_extension.examine(app.store)
    hint = {
        NOTE: f"`pip install sqlite-vec=={vec_extension.VERSION}`; there is no wheel for musl.",
        PROBLEM: f"`pip install --force-reinstall sqlite-vec=={vec_extension.VERSION}`",
    }
    return Finding("sqlite-vec", state, told, hint.get(state, ""))
