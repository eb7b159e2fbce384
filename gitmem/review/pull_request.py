"""What is known about a pull request: the review of its diff, and what its commits decide."""

from collections.abc import Iterator, Sequence

from gitmem.app import App
from gitmem.capture import commit_capture
from gitmem.errors import GitmemError, NotFound
from gitmem.git import history
from gitmem.git.display import display_path
from gitmem.maintenance import verification
from gitmem.model.anchor import STALE
from gitmem.model.frozen import dataclass, replace
from gitmem.review import review as reviews
from gitmem.review import reviewed_diff
from gitmem.review.review import ReviewResult
from gitmem.review.reviewed_diff import ReviewedDiff
from gitmem.review.time_limit import TimeLimit, merge_notes
from gitmem.store.memory import memories, short_ids
from gitmem.text.fence import join_lines

_BASES = ("origin/HEAD", "origin/main", "origin/master", "main", "master")
_MAX_COMMITS = 200
_MAX_SHOWN = 50


@dataclass(frozen=True, slots=True)
class StaleMemory:
    """A memory that no longer fits the code: the place that it cites, and why it does not fit."""

    handle: str
    kind: str
    title: str
    cited: str
    why: str


@dataclass(frozen=True, slots=True)
class ProposedDecision:
    """A decision that a commit, comment or file states: why it was made, and where that is said.

    ``reason`` is the place.
    """

    title: str
    why: str
    reason: str


@dataclass(frozen=True, slots=True)
class PullRequestReport:
    """The review of a pull request, whose diff is between the commits ``base`` and ``head``.

    ``stale`` are memories that cite files of the diff and no longer fit the code,
    ``stale_elsewhere`` counts those that cite others. ``decisions`` are what its commits propose,
    ``failed`` counts the findings with --strict, ``link`` is the address of the full report.
    """

    base: str
    head: str
    review: ReviewResult
    stale: tuple[StaleMemory, ...]
    stale_elsewhere: int
    decisions: tuple[ProposedDecision, ...]
    failed: int = 0
    link: str = ""


def assess_pull_request(app: App, revision_range: str = "") -> PullRequestReport:
    """Review the pull request ``BASE..HEAD`` by git and the store; nothing is changed.

    The diff begins where the two branches parted; the default is from the main branch to HEAD.
    Raises NotFound for an unknown revision.
    """
    first, _, last = revision_range.strip().partition("..")
    base, head = first or _default_base(app), last.lstrip(".") or "HEAD"
    diff = reviewed_diff.read_git_diff(app, f"{base}...{head}")
    review = reviews.review_diff(app, diff)
    limit = TimeLimit(0)
    named = {memory.id for memory in review.memories}
    stale, elsewhere = limit.run_always("stale memories", lambda: _stale(app, diff, named)) or (
        [],
        0,
    )
    decisions = limit.run_always("its decisions", lambda: list(_decisions(app, diff))) or []
    return PullRequestReport(
        base=diff.sides.old,
        head=diff.sides.new,
        review=replace(review, notes=merge_notes((*review.notes, *limit.notes))),
        stale=tuple(stale[:_MAX_SHOWN]),
        stale_elsewhere=elsewhere,
        decisions=tuple(decisions[:_MAX_SHOWN]),
    )


def _default_base(app: App) -> str:
    for name in _BASES:
        if history.resolve_commit(app.layout.cwd, name):
            return name
    raise NotFound("No main branch was found to compare with.", "Name the base: gitmem pr BASE")


def _stale(app: App, diff: ReviewedDiff, named: set[str]) -> tuple[list[StaleMemory], int]:
    """The stale memories that cite files of the diff and are not ``named``, and how many others."""
    if not app.has_store:
        return [], 0
    states = verification.freshness_of_memories(app, verification.memories_citing_code(app))
    stale, elsewhere = [], 0
    for id, state in states.items():
        if state.freshness not in STALE or id in named:
            continue
        verdict = next((anchor for anchor in state.anchors if anchor.path in diff.paths), None)
        memory = memories.get_undamaged_memory(app.store, id)
        if verdict is None or memory is None:
            elsewhere += 1
            continue
        handle, cited = short_ids.shortest_unique_prefix(app.store, id), display_path(verdict.cited)
        stale.append(
            StaleMemory(handle, memory.kind, memory.headline, cited, join_lines(verdict.reason))
        )
    return stale, elsewhere


def _decisions(app: App, diff: ReviewedDiff) -> Iterator[ProposedDecision]:
    """The decisions in the messages of its commits, and in the lines and records it wrote."""
    cwd, (old, new) = app.layout.cwd, (diff.sides.old, diff.sides.new)
    try:
        commits = list(
            history.list_commits(
                cwd, since_commit=old, until=new, limit=_MAX_COMMITS, with_paths=True, merges=False
            )
        )
    except GitmemError:  # a base that is no commit: the review says so
        return
    added = {
        f"{file.path}:{number}" for file in diff.files for number, _ in file.numbered_added_lines
    }
    added |= diff.paths
    for draft, reason in commit_capture.find_decisions_in_commits(
        app, commits, read_decision_files=new == app.git_head.commit
    ):
        if _is_of(draft.paths, added):
            yield ProposedDecision(
                join_lines(draft.title), join_lines(draft.content), join_lines(reason)
            )


def _is_of(paths: Sequence[str], added: set[str]) -> bool:
    """Whether a decision is of the diff: a comment that was there before is not."""
    return not paths or any(path in added for path in paths)
