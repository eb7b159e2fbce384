"""Finding commits that were copied into a history: cherry-picked, squashed, or rebased elsewhere.

git records no such copies, so they are recognised by content. A commit S of HEAD's history is a
copy

* of a commit when both make the same patch (``git patch-id``);
* of a branch when S makes the patch that the branch makes as a whole, or when every path that the
  branch changed has, at S, the blob that it has at the branch's tip.

The branch may have grown since the given commit, and may be deleted by now: so each commit from the
given one up to the last known one of the branch is tried as its tip. Trees are compared first, and
patches made only of commits that touch exactly the same paths, so that 200 commits of pytest cost
20 ms and not 250.
"""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import pairwise

from gitmem.errors import GitmemError
from gitmem.git import history
from gitmem.git.runner import call_git, run_git
from gitmem.model.frozen import dataclass

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MOST_NEW = 200  # commits of HEAD that are tried as copies
MOST_STEPS = 400  # commits on HEAD's first-parent line that are followed for blobs
MOST_TIPS = 50  # commits tried as the tip of a branch
MOST_UNMERGED = 2_000
MOST_BASES = 10  # branches with merges, for which git computes where they began
SECONDS = 5.0  # for each git process
_LEAST = 4  # letters that a patch must change to be distinctive
_HEADER = re.compile(rb"^([0-9a-f]{40}(?:[0-9a-f]{24})?)\n", re.MULTILINE)

Parents = dict[str, tuple[str, ...]]
Delta = dict[bytes, bytes]  # path -> blob, all zeros where it was deleted


@dataclass(frozen=True, slots=True)
class CopiedCommit:
    """Two commits with the same changes: ``new`` is a copy of ``old``, ids in full.

    ``how`` it was made is amend, squash (of the branch that ``old`` is on) or cherry-pick.
    """

    old: str
    new: str
    how: str


def find_copied_commits(
    cwd: str,
    head_commit: str,
    commit_ids: Sequence[str],
    *,
    branch_names: Iterable[str],
    tip_commits: Iterable[str],
) -> list[CopiedCommit]:
    """Find those of ``commit_ids``, outside HEAD's history, that have a copy in it, with the copy.

    A copy was made by amending, cherry-picking or squashing; at most one for each commit.
    ``commit_ids`` and ``head_commit`` are full ids; the branches they may lie on are found from
    ``branch_names``, ``tip_commits`` and what HEAD pointed to before. Raises GitmemError if git
    fails.
    """
    past = history.read_reflog(cwd, timeout=SECONDS)
    amended = _amended(past, frozenset(commit_ids))
    tips = {*tip_commits, *_tips(cwd, branch_names), *(commit for commit, _ in past)}
    unmerged = _parents(cwd, [*commit_ids, *tips], exclude=head_commit, limit=MOST_UNMERGED)
    unplaced = [commit for commit in commit_ids if commit in unmerged and commit not in amended]
    above = {tip: _descendants(unmerged, tip) for tip in unplaced}
    search = _Search(cwd, head_commit, unmerged, above)
    return [*amended.values(), *search.find_copies()]


class _Search:
    """The comparison of branches with HEAD's new commits."""

    def __init__(
        self, cwd: str, head: str, unmerged: Parents, above: Mapping[str, Sequence[str]]
    ) -> None:
        self.cwd = cwd
        self.above = above
        all_tips = list(dict.fromkeys(tip for tips in above.values() for tip in tips))
        self.bases = _bases(cwd, head, unmerged, all_tips)
        line = _parents(cwd, [head], exclude="", limit=MOST_STEPS) if above else {}
        # HEAD's own line, the oldest first.
        steps, at = [], head
        while at in line:
            steps.append(at)
            at = line[at][0] if line[at] else ""
        self.steps = steps[::-1]
        self.new = [commit for commit in list(line)[:MOST_NEW] if len(line[commit]) < 2][::-1]
        first = {commit: parents[0] for commit, parents in line.items() if parents}
        self.theirs = _deltas(
            cwd, {commit: first.get(commit, "") for commit in {*self.new, *self.steps}}
        )
        self.own = {commit: unmerged[commit][0] for commit in above if len(unmerged[commit]) == 1}

    def find_copies(self) -> list[CopiedCommit]:
        """CopiedCommits for commits that have a copy: of the commit itself, else of its branch."""
        if not self.above:
            return []
        branches = _deltas(self.cwd, self.bases)
        squashed = {tip: self._by_blobs(tip, delta) for tip, delta in branches.items()}
        squashed = {tip: commit for tip, commit in squashed.items() if commit}
        with suppress(GitmemError):  # a partial clone may lack the blobs that patches are made of
            rest = {tip: delta for tip, delta in branches.items() if tip not in squashed}
            squashed |= self._by_patches(self.bases, rest)
        picked: dict[str, str] = {}
        with suppress(GitmemError):
            picked = self._by_patches(self.own, _deltas(self.cwd, self.own))
        return [copy for tip in self.above if (copy := self._copy(tip, picked, squashed))]

    def _copy(
        self, commit: str, picked: Mapping[str, str], squashed: Mapping[str, str]
    ) -> CopiedCommit | None:
        if commit in picked:
            return CopiedCommit(commit, picked[commit], "cherry-pick")
        tip = next((tip for tip in self.above[commit] if tip in squashed), None)
        return None if tip is None else CopiedCommit(commit, squashed[tip], "squash")

    def _by_blobs(self, tip: str, target: Delta) -> str:
        """The first commit on HEAD's line at which all paths of ``target`` have its blobs."""
        right: set[bytes] = set()
        for step in self.steps:
            delta = self.theirs.get(step, {})
            touched = delta.keys() & target.keys()
            right -= touched
            right |= {path for path in touched if delta[path] == target[path]}
            if touched and len(right) == len(target) and self._is_new(step, tip):
                return step
        return ""

    def _by_patches(self, bottoms: Mapping[str, str], tops: Mapping[str, Delta]) -> dict[str, str]:
        """Top -> the oldest new commit that makes the same patch as bottom to top."""
        alike = {
            top: [
                commit for commit in self.new if self.theirs.get(commit, {}).keys() == delta.keys()
            ]
            for top, delta in tops.items()
        }
        alike = {top: commits for top, commits in alike.items() if commits}
        mine = _patch_ids(self.cwd, {top: bottoms[top] for top in alike})
        ours = _patch_ids(
            self.cwd, {commit: "" for commits in alike.values() for commit in commits}
        )
        pairs = (
            (top, commit) for top, commits in alike.items() if top in mine for commit in commits
        )
        copies_of: dict[str, str] = {}
        for top, commit in pairs:
            if top not in copies_of and mine[top] == ours.get(commit) and self._is_new(commit, top):
                copies_of[top] = commit
        return copies_of

    def _is_new(self, commit: str, tip: str) -> bool:
        """Whether a commit is not an ancestor of the branch's tip, and so may be its copy."""
        args = ["merge-base", "--is-ancestor", commit, tip]
        return call_git(args, cwd=self.cwd, timeout=SECONDS).status == 1


def _amended(past: Sequence[tuple[str, str]], commits: frozenset[str]) -> dict[str, CopiedCommit]:
    """Amends of some commits found in the reflog, for when no hook reported them."""
    return {
        old: CopiedCommit(old, new, "amend")
        for (new, message), (old, _) in pairwise(past)
        if message.startswith("commit (amend)") and old in commits and old != new
    }


def _tips(cwd: str, branches: Iterable[str]) -> list[str]:
    """The tips of the branches with these names, local and as last fetched."""
    # Names come from memories: characters that are invalid in a name could be patterns here.
    names = [branch for branch in branches if branch and not re.search(r"[*?\[\\\s]|^-", branch)]
    if not names:
        return []
    places = [f"refs/{kind}/{name}" for name in names for kind in ("heads", "remotes/*")]
    out = run_git(["for-each-ref", "--format=%(objectname)", *places], cwd=cwd, timeout=SECONDS)
    return out.decode("ascii", "replace").split()


def _parents(cwd: str, tips: Iterable[str], *, exclude: str, limit: int) -> Parents:
    """Commit -> parents, children first, of commits that ``tips`` reach but not ``exclude``."""
    stdin = "".join(f"{tip}\n" for tip in dict.fromkeys(tips))
    stdin += f"^{exclude}\n" if exclude else ""
    options = ["--parents", "--topo-order", "--ignore-missing", "--missing=allow-any"]
    args = ["rev-list", *options, f"--max-count={limit}", "--stdin"]
    out = run_git(args, cwd=cwd, stdin=stdin.encode("ascii"), timeout=SECONDS)
    lines = (line.split() for line in out.decode("ascii", "replace").splitlines())
    return {commit: tuple(parents) for commit, *parents in lines}


def _descendants(unmerged: Parents, commit: str) -> list[str]:
    """A commit and its descendants, the nearest first."""
    above = {commit: None}
    for child in reversed(unmerged):
        if len(above) >= MOST_TIPS:
            break
        if any(parent in above for parent in unmerged[child]):
            above[child] = None
    return list(above)


def _bases(cwd: str, head: str, unmerged: Parents, tips: Sequence[str]) -> dict[str, str]:
    """Tip -> the commit of HEAD's history where its branch began; unrelated ones are left out."""
    leaving: dict[str, frozenset[str]] = {}
    for commit in reversed(unmerged):
        reached = [leaving.get(parent, frozenset((parent,))) for parent in unmerged[commit]]
        leaving[commit] = frozenset().union(*reached)
    cut = len(unmerged) >= MOST_UNMERGED
    bases = {tip: next(iter(leaving[tip])) for tip in tips if len(leaving[tip]) == 1 and not cut}
    doubtful = [tip for tip in tips if tip not in bases and leaving[tip]]
    for tip in doubtful[:MOST_BASES]:
        done = call_git(["merge-base", tip, head], cwd=cwd, timeout=SECONDS)
        if not done.status:
            bases[tip] = done.out.decode("ascii", "replace").split()[0]
    return bases


def _pairs(bottoms: Mapping[str, str]) -> bytes:
    """Input for ``git diff-tree --stdin``: a commit, and what it is compared with."""
    return "".join(f"{top} {low}".strip() + "\n" for top, low in bottoms.items()).encode("ascii")


def _deltas(cwd: str, bottoms: Mapping[str, str]) -> dict[str, Delta]:
    """Top -> the delta from bottom to top (bottom empty: from its parent), without empty ones."""
    if not bottoms:
        return {}
    args = ["diff-tree", "--stdin", "--root", "-r", "--raw", "--no-renames", "--no-abbrev", "-z"]
    out = run_git(args, cwd=cwd, stdin=_pairs(bottoms), timeout=SECONDS)
    deltas: dict[str, Delta] = {}
    delta: Delta = {}
    words = iter(out.split(b"\0"))
    for word in words:
        if word.startswith(b":"):
            delta[next(words, b"")] = word.split(b" ")[3]
        elif word:
            delta = deltas.setdefault(word.decode("ascii", "replace"), {})
    return deltas


def _patch_ids(cwd: str, bottoms: Mapping[str, str]) -> dict[str, str]:
    """Top -> the id of the patch from bottom to top, without line numbers and white space.

    Made without context, so that a change of a neighbouring line does not matter. Patches that
    change next to nothing, or binary files, are left out: they would be confused with each other.
    """
    if not bottoms:
        return {}
    plain = ["--root", "-p", "-U0", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"]
    out = run_git(["diff-tree", "--stdin", *plain], cwd=cwd, stdin=_pairs(bottoms), timeout=SECONDS)
    _, *parts = _HEADER.split(out)
    patches = zip(parts[::2], parts[1::2], strict=True)
    text = b"".join(top + b"\n" + patch for top, patch in patches if _is_distinctive(patch))
    if not text:
        return {}
    ids = run_git(["patch-id", "--stable"], cwd=cwd, stdin=text, timeout=SECONDS)
    lines = (line.split() for line in ids.decode("ascii", "replace").splitlines())
    return {top: patch for patch, top in lines}


def _is_distinctive(patch: bytes) -> bool:
    if re.search(rb"^Binary files ", patch, re.MULTILINE):
        return False
    changed = re.findall(rb"^(?:\+(?!\+\+ )|-(?!-- ))(.*)$", patch, re.MULTILINE)
    return sum(len(line.translate(None, b" \t\r")) for line in changed) >= _LEAST
