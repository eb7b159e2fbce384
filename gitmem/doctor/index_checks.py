"""Checks of the index: up to date with the checkout and the settings, complete, with vectors.

A further check is a function here that yields a finding, called in ``check_index``. With --fix an
index run does what is missing. An index that was never made is not made, since ``init --no-index``
may have been intended.
"""

from collections.abc import Iterator

from gitmem.app import App
from gitmem.doctor.finding import FIXED, NOTE, OK, PROBLEM, CheckFinding
from gitmem.git import history as git_history
from gitmem.git.listing import FileListing
from gitmem.indexing import (
    contextual_vectors,
    index_audit,
    index_behind,
    index_state,
    refresh,
    text_vectors,
)
from gitmem.indexing.plan import FilesPlan
from gitmem.model.frozen import replace
from gitmem.store.code import commits, indexed_files, vectors
from gitmem.store.db import vec_extension
from gitmem.store.memory import memories
from gitmem.store.memory.filters import MemoryFilter
from gitmem.text.quantity import quantity

# What a project may hold before the check of its size notes it; nothing stops there. Files of more
# than LARGE_FILE bytes are named, since they cost more to index than they tell.
SOFT_LIMITS = {"files": 10_000, "lines": 1_000_000, "decisions": 1_000}
LARGE_FILE = 100_000
_INDEX = "`gitmem index` or `gitmem doctor --fix` brings it up to date."
_SURPLUS = "`gitmem index --full` drops the rest."


def check_index(app: App, fix: bool) -> Iterator[CheckFinding]:
    """Yield findings on the code index: is it up to date, complete, equal to the files, embedded?

    ``fix``: what is wrong is repaired first, by reading changed files again.
    """
    indexed = indexed_files.worktree_index_state(app.store, app.worktree)
    if indexed is None:
        yield CheckFinding(
            "search", NOTE, "this worktree is not indexed yet", "Run `gitmem index`."
        )
        return
    looked = refresh.list_and_plan_worktree_files(app)
    findings = [*_sources(app, looked)]
    todo = [finding for finding in findings if finding.state != OK and finding.hint != _SURPLUS]
    if fix and todo and not app.store.read_only:
        yield _repair(app, todo)
        looked = refresh.list_and_plan_worktree_files(app)
        findings = [*_sources(app, looked)]
    yield from findings
    yield _size(app)
    yield from _content(app, looked, fix)
    yield from _vectors(app, fix)
    yield from _reading(app)
    yield _accelerator(app)


def _sources(app: App, looked: tuple[FileListing, FilesPlan]) -> Iterator[CheckFinding]:
    yield from _state(app, looked[1])
    yield from _drift(app)
    yield from _files(app, looked)
    yield from _commits(app)


def _repair(app: App, todo: list[CheckFinding]) -> CheckFinding:
    if any(finding.check == "commits" for finding in todo):
        # "All commits up to here are indexed" is not true: the run has to read them all.
        indexed = indexed_files.worktree_index_state(app.store, app.worktree)
        assert indexed is not None
        with app.store.write():
            indexed_files.set_worktree_index_state(
                app.store, app.worktree, replace(indexed, head="")
            )
    run = refresh.refresh_index(app)
    updated = f"{run.updated} updated, " if run.updated else ""
    text = f"{quantity(run.added, 'file')} added, {updated}{run.dropped} dropped"
    text += f", {quantity(run.commits, 'commit')}"
    text += f", {quantity(run.vectors, 'vector')}, {run.seconds:.1f} s"
    return CheckFinding("index run", FIXED, text, "")


def _state(app: App, plan: FilesPlan) -> Iterator[CheckFinding]:
    lag = index_behind.measure_lag(app, plan)
    state, hint = (OK, "") if lag.state == "current" else (NOTE, _INDEX)
    yield CheckFinding(
        "search", state, index_state.describe_index_state(lag.state, lag.as_text), hint
    )


def _drift(app: App) -> Iterator[CheckFinding]:
    changed = index_audit.describe_changed_index_settings(app)
    for text in changed:
        hint = "`gitmem index` updates what is affected; no full rebuild is needed."
        if "are indexed" in text:
            hint = _SURPLUS
        yield CheckFinding("drift", NOTE, text, hint)
    if not changed:
        yield CheckFinding("drift", OK, "the index was built with the current settings", "")


def _files(app: App, looked: tuple[FileListing, FilesPlan]) -> Iterator[CheckFinding]:
    """Compares the listing with the indexed files."""
    preview = refresh.preview_index_refresh(app, looked)
    left, gone = preview.added + preview.updated + preview.moved, preview.dropped
    text = f"{quantity(preview.kept, 'file is', 'files are')} in the index"
    if left or gone:
        yield CheckFinding("files", NOTE, f"{text}; missing: {left}, gone: {gone}", _INDEX)
    else:
        yield CheckFinding("files", OK, f"{text}; missing: 0, left out: {preview.skipped}", "")


def _size(app: App) -> CheckFinding:
    """Counts what the index and the store hold, and compares it with the soft limits."""
    files = indexed_files.file_sizes(app.store, app.worktree)
    decided = MemoryFilter(kinds=("decision",), states=("active",), now=app.now)
    counts = {
        "files": len(files),
        "lines": sum(lines for _, _, lines, _ in files),
        "decisions": memories.count_filtered_memories(app.store, decided),
    }
    large = sorted((-size, path) for path, _, _, size in files if size > LARGE_FILE)
    text = ", ".join(quantity(count, name.removesuffix("s")) for name, count in counts.items())
    text += f"; {quantity(len(large), 'file')} over {LARGE_FILE // 1000} KB"
    if large:
        text += f" ({', '.join(path for _, path in large[:3])})"
    over = [f"{SOFT_LIMITS[name]:,} {name}" for name, count in counts.items()
            if count > SOFT_LIMITS[name]]  # fmt: skip
    if over:
        hint = "It goes on; `docs/limits.md` says up to which size it was measured."
        return CheckFinding("size", NOTE, f"{text}: more than {' and '.join(over)}", hint)
    return CheckFinding("size", OK, text, "")


def _content(app: App, looked: tuple[FileListing, FilesPlan], fix: bool) -> Iterator[CheckFinding]:
    """Compares indexed pieces, definitions and edges with the files, once the index is whole."""
    indexed = indexed_files.worktree_index_state(app.store, app.worktree)
    if indexed is None or indexed.state != "whole":
        return
    # Whoever mends wants all of it: some seconds for a thousand files.
    mends = fix and not app.store.read_only
    audit = index_audit.audit_index(app, looked, all_files=mends)
    if indexed_files.worktree_index_state(app.store, app.worktree) != indexed:
        return  # another process indexed meanwhile: rows that were read came and went
    compared = quantity(audit.files, "file")
    if not (audit.differing or audit.unlinked):
        yield CheckFinding(
            "content", OK, f"the index agrees with the files ({compared} compared)", ""
        )
        return
    parts = [
        f"{what} of {quantity(len(paths), 'file')} ({', '.join(paths[:3])})"
        for what, paths in (
            ("pieces or definitions", audit.differing),
            ("edges", audit.unlinked),
        )
        if paths
    ]
    text = f"{' and '.join(parts)} do not match the files ({compared} compared)"
    if mends:
        index_audit.reindex_differing_files(app, audit)
        yield CheckFinding("content", FIXED, f"{text}; they were read again", "")
    else:
        yield CheckFinding("content", PROBLEM, text, "`gitmem doctor --fix` reads them again.")


def _commits(app: App) -> Iterator[CheckFinding]:
    """Compares the history with the indexed commits."""
    most = app.settings.number("index.commits")
    indexed = commits.indexed_commit_ids(app.store)
    lacking = total = 0
    head = app.git_head.commit or "HEAD"
    for commit in git_history.list_commits(app.layout.cwd, until=head, limit=most):
        total += 1
        lacking += commit.sha not in indexed
    if lacking:
        text = f"{lacking} of {quantity(total, 'commit')} missing from the index"
        yield CheckFinding("commits", NOTE, text, "`gitmem doctor --fix` adds them.")
    else:
        text = f"{quantity(total, 'commit')} up to HEAD, all in the index"
        yield CheckFinding("commits", OK, text, "")


def _vectors(app: App, fix: bool) -> Iterator[CheckFinding]:
    """Whether the model loads and every text has its vector."""
    name = text_vectors.configured_model_identity(app)
    waiting = vectors.count_texts_without_vector(app.store, name, ("chunk", "commit"))
    models = contextual_vectors.model_identities_in_use(app)
    others = [model for model in vectors.vector_counts_by_model(app.store) if model not in models]
    if waiting and fix and not app.store.read_only:
        count = text_vectors.embed_missing_texts(app, app.store, app.progress)
        yield CheckFinding("vectors", FIXED, f"{quantity(count, 'text')} embedded with {name}", "")
    elif waiting:
        lacking = quantity(waiting, "text has", "texts have")
        text = f"{lacking} no vector from {name}"
        state = PROBLEM if index_state.index_state(app) == "current" else NOTE
        yield CheckFinding("vectors", state, text, "`gitmem doctor --fix` makes them.")
    elif others:
        text = f"there are vectors from other models: {', '.join(others)}"
        yield CheckFinding("vectors", NOTE, text, "`gitmem index prune` drops them.")
    else:
        yield CheckFinding("vectors", OK, f"every indexed text has a vector from {name}", "")


def _reading(app: App) -> Iterator[CheckFinding]:
    """How many memories still lack vectors of the contextual model, where many do."""
    coverage = contextual_vectors.measure_vector_coverage(app, app.store)
    if coverage is not None and coverage.waiting > contextual_vectors.CATCH_UP:
        waits = quantity(coverage.memories, "memory waits", "memories wait")
        text = f"{coverage.waiting} of {waits} for the contextual model"
        hint = "It runs in the background; `gitmem index` runs it now."
        yield CheckFinding("meaning", NOTE, text, hint)


def _accelerator(app: App) -> CheckFinding:
    """Whether sqlite-vec is installed and works; gitmem works without it."""
    state, text = vec_extension.check_vector_extension(app.store)
    hint = {
        NOTE: f"`pip install sqlite-vec=={vec_extension.VERSION}`; there is no wheel for musl.",
        PROBLEM: f"`pip install --force-reinstall sqlite-vec=={vec_extension.VERSION}`",
    }
    return CheckFinding("sqlite-vec", state, text, hint.get(state, ""))
