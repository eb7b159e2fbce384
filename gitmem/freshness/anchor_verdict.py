"""Judging which memories still hold for the code of the worktree.

A cached verdict counts as long as the files that it was based on are unchanged: one query to the
store and a stat for each path. Only the rest is judged anew, within a time limit; what was not
reached in time is ``unknown``, which is not cached.
"""

import os
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.git.display import encode_path
from gitmem.memory import freshness
from gitmem.model.anchor import CitedCodeVerdict, CodeAnchor, Freshness
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.store.code import indexed_files
from gitmem.store.db.connection import Database
from gitmem.store.memory import anchors
from gitmem.store.memory.anchors import AnchorWithCachedVerdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.freshness.worktree import WorktreeFiles

ABSENT = "-"
BATCH = 200
_NONE = Freshness("none")
# Verdicts that depend on the index, since the code was looked for elsewhere.
_BY_INDEX = ("changed", "gone")


@dataclass(frozen=True, slots=True)
class FreshnessCounts:
    """The result of comparing the code that memories cite with the code now.

    ``judged`` is the number of cited places compared, ``counts`` the number of memories by verdict:
    fresh, moved, unknown, changed or gone.
    """

    judged: int
    counts: dict[str, int]


def freshness_by_memory(
    app: App,
    database: Database,
    memories: Iterable[Memory],
    *,
    deadline_ms: float | None = None,
) -> dict[str, Freshness]:
    """Memory id -> whether the code that the memory cites is unchanged, as a Freshness.

    ``deadline_ms`` limits the time for reading files, in milliseconds; 0: read none, None: no
    limit.
    """
    ids = [memory.id for memory in memories]
    return freshness_by_memory_id(app, database, ids, deadline_ms=deadline_ms)


def freshness_by_memory_id(
    app: App, database: Database, memory_ids: Sequence[str], *, deadline_ms: float | None = None
) -> dict[str, Freshness]:
    """Id of a memory -> whether the code that the memory cites is unchanged, as a Freshness.

    ``deadline_ms`` limits the time for reading files, in milliseconds; 0: read none, None: no
    limit.
    """
    rows = anchors.cached_anchor_verdicts(database, app.worktree, memory_ids)
    results = dict.fromkeys(memory_ids, _NONE)
    if rows:
        # In the given order: time may run out.
        rows = {id: rows[id] for id in results if id in rows}
        until = None if deadline_ms is None else time.monotonic() + deadline_ms / 1000
        look = _Judge(app, database, until)
        verdicts = look.verdicts([row for some in rows.values() for row in some])
        for id in rows:
            results[id] = freshness.combine_anchor_verdicts(verdicts[id])
    return results


def refresh_cited_code_freshness(
    app: App,
    database: Database,
    memory_ids: Sequence[str] | None = None,
    *,
    deadline_ms: float | None = None,
) -> FreshnessCounts:
    """Compare the code that memories cite with the worktree, and store the verdicts.

    Returns how many citations were compared and memory counts by verdict. ``memory_ids``: only
    these. For background processes, so that no reader waits. It stops after ``deadline_ms``
    milliseconds; the other memories are judged when they are asked for.
    """
    ids = anchors.anchored_memory_ids(database) if memory_ids is None else list(memory_ids)
    until = None if deadline_ms is None else time.monotonic() + deadline_ms / 1000
    look = _Judge(app, database, until)
    counts: dict[str, int] = {}
    for start in range(0, len(ids), BATCH):
        if until is not None and time.monotonic() >= until:
            break
        rows = anchors.cached_anchor_verdicts(database, app.worktree, ids[start : start + BATCH])
        verdicts = look.verdicts([row for some in rows.values() for row in some])
        for some in verdicts.values():
            word = freshness.worst_anchor_verdict_name(verdict.verdict for verdict in some)
            counts[word] = counts.get(word, 0) + 1
    return FreshnessCounts(look.judged, counts)


def explain_code_anchor_verdict(
    app: App, anchor: CodeAnchor, verdict: CitedCodeVerdict
) -> CitedCodeVerdict:
    """The verdict on cited code (moved, changed, gone ...), with the commit that changed it.

    If it was changed, names that are missing now are added to the reason. ``anchor`` is the cited
    code, read by ``anchors.anchors_by_memory``.
    """
    if verdict.verdict not in ("moved", "changed", "gone"):
        return verdict
    blamed = replace(verdict, commit=find_breaking_commit(app, verdict, anchor))
    if verdict.verdict != "changed":
        return blamed
    from gitmem.freshness import breaking_commit  # noqa: PLC0415 - only for memories in full

    lost = breaking_commit.missing_cited_names(app, anchor, verdict)
    clause = f"; no longer there: {', '.join(lost)}" if lost else ""
    return replace(blamed, reason=verdict.reason + clause)


def find_breaking_commit(app: App, verdict: CitedCodeVerdict, anchor: CodeAnchor) -> str:
    """The id of the first commit whose version of the cited file lacks the cited code.

    ``anchor`` is the cited code, read by ``anchors.anchors_by_memory``. "" where the change is not
    committed yet, where git no longer knows, or beyond the last 50 commits of the file.
    """
    if verdict.verdict == "fresh" or not anchor.blob or app.git_head.commit is None:
        return ""
    from gitmem.freshness import breaking_commit  # noqa: PLC0415 - runs git, only where needed

    with suppress(GitmemError):
        return breaking_commit.first_commit_without_code(app.layout.cwd, anchor)
    return ""


class _Judge:
    """The judging of anchors in a worktree, for any number of memories."""

    def __init__(self, app: App, database: Database, until: float | None) -> None:
        self.app = app
        self.database = database
        self.until = until
        self.judged = 0
        self.tree = app.worktree
        self._stats: dict[str, str] = {}
        self._index = ""
        self._view: WorktreeFiles | None = None

    def verdicts(
        self, rows: Sequence[AnchorWithCachedVerdict]
    ) -> dict[str, list[CitedCodeVerdict]]:
        """Memory id -> a verdict (is the code unchanged) on each place in code that it cites."""
        by_memory: dict[str, list[CitedCodeVerdict]] = {row.memory: [] for row in rows}
        cold = []
        for row in rows:
            known = self._known(row)
            if known is None:
                cold.append(row)
            else:
                by_memory[row.memory].append(known)
        if cold:
            self._judge(cold, by_memory)
        return by_memory

    def _known(self, row: AnchorWithCachedVerdict) -> CitedCodeVerdict | None:
        """The cached verdict, if everything that it was based on is unchanged."""
        if not row.anchor.blob:
            return freshness.make_anchor_verdict(
                row.anchor, "unknown", reason=freshness.NO_FILE_THEN
            )
        if row.verdict is None or row.stamp != self._stamp(row.anchor, row.verdict):
            return None
        return replace(
            row.verdict, reason=freshness.explain_anchor_verdict(row.anchor, row.verdict)
        )

    def _judge(
        self, cold: Sequence[AnchorWithCachedVerdict], by_memory: dict[str, list[CitedCodeVerdict]]
    ) -> None:
        prints: dict[str, list[CodeAnchor]] = {}
        if not self._late():
            prints = anchors.anchors_by_memory(self.database, {row.memory for row in cold})
        made = []
        for row in cold:
            whole = [
                anchor
                for anchor in prints.get(row.memory, ())
                if anchor.number == row.anchor.number
            ]
            if self._late() or not whole:
                by_memory[row.memory].append(self._unreached(row))
                continue
            verdict = self._judge_anew(whole[0])
            if verdict is None:
                by_memory[row.memory].append(self._unreached(row))
                continue
            by_memory[row.memory].append(verdict)
            made.append((row.memory, verdict, self._stamp(row.anchor, verdict)))
        self.judged += len({memory for memory, _, _ in made})
        self._keep(made)

    def _unreached(self, row: AnchorWithCachedVerdict) -> CitedCodeVerdict:
        """The verdict on an anchor for which there was no time.

        A cached verdict that depends on the index, for an unchanged file, is still the best guess:
        only the index, by which the code may be found elsewhere, has changed.
        """
        old, own = row.verdict, row.stamp.partition("/")[0]
        if old and old.verdict in _BY_INDEX and own == self._stat(row.anchor.path):
            return replace(old, reason=freshness.explain_anchor_verdict(row.anchor, old))
        return freshness.make_anchor_verdict(row.anchor, "unknown", reason=freshness.NOT_LOOKED)

    def _judge_anew(self, anchor: CodeAnchor) -> CitedCodeVerdict | None:
        """The verdict from the files; None where there was no time to look everywhere."""
        self._stat(anchor.path)  # before reading, so that a change meanwhile is noticed next time
        if self._view is None:
            # Imported here: with all verdicts cached no file is read.
            from gitmem.freshness.worktree import WorktreeFiles  # noqa: PLC0415

            self._view = WorktreeFiles(self.app, self.until)
        self._view.hurried = False
        verdict = self._view.judge_anchor(anchor)
        return None if self._view.hurried and verdict.verdict in _BY_INDEX else verdict

    def _late(self) -> bool:
        return self.until is not None and time.monotonic() >= self.until

    def _keep(self, made: Sequence[tuple[str, CitedCodeVerdict, str]]) -> None:
        """Cache verdicts, best effort: readers do not wait, and a store may be read-only."""
        store = self.database
        if made and not store.read_only:
            with suppress(GitmemError), store.lock_timeout(0, sync_commits=False), store.write():
                anchors.cache_anchor_verdicts(store, self.tree, made, self.app.now)

    # --- the stamps of verdicts -----------------------------------------------------------------

    def _stamp(self, anchor: CodeAnchor, verdict: CitedCodeVerdict) -> str:
        own = self._stat(anchor.path)
        if verdict.verdict == "moved":
            return f"{own}/{self._stat(verdict.path)}"
        return f"{own}/{self._of_index()}" if verdict.verdict in _BY_INDEX else own

    def _stat(self, path: str) -> str:
        """Times of a file's content and state, and its size; ``-`` where there is none."""
        if path not in self._stats:
            try:
                status = os.lstat(os.path.join(os.fsencode(self.tree), encode_path(path)))
                now = f"{status.st_mtime_ns:x}.{status.st_ctime_ns:x}.{status.st_size:x}"
            except (OSError, ValueError):
                now = ABSENT
            self._stats[path] = now
        return self._stats[path]

    def _of_index(self) -> str:
        """HEAD, and how far this worktree is indexed."""
        if not self._index:
            state = (
                indexed_files.worktree_index_state(self.app.store, self.tree)
                if self.app.has_store
                else None
            )
            known = (
                f"{state.head[:12]}.{state.stamp.partition('@')[0]}.{state.state}"
                if state
                else ABSENT
            )
            self._index = f"{(self.app.git_head.commit or '')[:12]}.{known}"
        return self._index
