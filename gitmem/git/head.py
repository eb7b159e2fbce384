"""Reading HEAD and the operation in progress from git's small files.

Refs are read directly (loose file, ``packed-refs``, symbolic refs); where they are stored elsewhere
(reftable) or a file is not as expected, git is run.
"""

from __future__ import annotations

import os

from gitmem.errors import GitmemError, NotFound, Unavailable
from gitmem.git import plain_config
from gitmem.git.runner import call_git, run_git
from gitmem.model.frozen import dataclass

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from gitmem.git.layout import RepositoryLayout

# Main branches, whatever a remote calls its own.
TRUNKS = frozenset(("main", "master"))
_HEX = frozenset("0123456789abcdef")
_LARGEST = 1 << 30  # `packed-refs` of a huge repository
_DEEPEST = 5  # git's own limit on symbolic refs

# Files or folders in a worktree's git directory and the operation they mean; the first that exists
# counts. A rebase comes first: it stops with a CHERRY_PICK_HEAD of its own.
_SIGNS = (
    ("rebase-merge", "rebase"),
    ("rebase-apply/applying", "am"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("BISECT_LOG", "bisect"),
)


@dataclass(frozen=True, slots=True)
class HeadState:
    """What HEAD is: ``branch`` (short name, or a full ref outside refs/heads) and full commit id.

    ``unborn``: on a branch without a commit. ``detached``: on a commit without a branch. In a plain
    folder (one without git) both are None.
    """

    branch: str | None
    commit: str | None
    detached: bool
    unborn: bool


def read_head(layout: RepositoryLayout) -> HeadState:
    """The HeadState: branch and commit that HEAD is on. Raises Unavailable if git cannot read it.

    A plain folder (one without git) has neither.
    """
    if layout.plain:
        return HeadState(None, None, False, False)
    content = _read_ref_file(layout.git_dir, "HEAD")
    if content is None or content == "ref: refs/heads/.invalid":  # the placeholder of reftable
        return _ask_git(layout)
    if not content.startswith("ref:"):
        return HeadState(None, content, True, False) if is_commit_id(content) else _ask_git(layout)
    ref = content.removeprefix("ref:").strip()
    branch = ref.removeprefix("refs/heads/")
    commit = _resolve(layout, ref)
    if commit == "":
        return HeadState(branch, None, False, True)
    return HeadState(branch, commit, False, False) if commit else _ask_git(layout)


def operation_in_progress(layout: RepositoryLayout) -> str | None:
    """The open git operation (rebase, am, merge, cherry-pick, revert, bisect), or None."""
    for sign, name in _SIGNS:
        if os.path.exists(os.path.join(layout.git_dir, sign)):
            return name
    # Between two picks of a series only its to-do list names the operation.
    todo = _read(os.path.join(layout.git_dir, "sequencer", "todo"))
    if not todo:
        return None
    return "revert" if todo.lstrip().startswith("revert") else "cherry-pick"


def is_shallow(layout: RepositoryLayout) -> bool:
    """Whether the repository is a shallow clone, whose first commits are not the real ones."""
    return bool(_read(os.path.join(layout.common_dir, "shallow")))


def is_commit_id(text: str) -> bool:
    """Whether a text is a full object id, SHA-1 or SHA-256, in lower case."""
    return len(text) in (40, 64) and _HEX.issuperset(text)


def _resolve(layout: RepositoryLayout, ref: str) -> str | None:
    """The commit of a ref; empty when there is none, None when the files make no sense."""
    for _ in range(_DEEPEST):
        if ".." in ref or not ref.startswith("refs/"):
            return None
        shared = not ref.startswith(("refs/bisect/", "refs/worktree/", "refs/rewritten/"))
        value = _read_ref_file(layout.common_dir if shared else layout.git_dir, ref)
        if value is None:
            # The commit of a ref in ``packed-refs``; empty when it is not there.
            content = "\n" + _read(os.path.join(layout.common_dir, "packed-refs"))
            at = content.find(f" {ref}\n")
            line = content[content.rfind("\n", 0, at) + 1 : at] if at > 0 else ""
            return line if is_commit_id(line) else ""
        if not value.startswith("ref:"):
            return value if is_commit_id(value) else None
        ref = value.removeprefix("ref:").strip()
    return None


def _read(path: str) -> str:
    """A file of git's; empty when it cannot be read."""
    return plain_config.read_config_text(path, max_bytes=_LARGEST)


def _read_ref_file(folder: str, ref: str) -> str | None:
    """A loose ref's content; None when there is no such file. An old HEAD is a symbolic link."""
    path = os.path.join(folder, *ref.split("/"))
    try:
        if ref == "HEAD" and os.path.islink(path):
            return f"ref: {os.readlink(path)}"
        if not os.path.isfile(path):  # opening a pipe would block
            return None
        with open(path, "rb") as file:
            return os.fsdecode(file.read(4096)).strip("\n\r \t")
    except (OSError, ValueError):
        return None


def _ask_git(layout: RepositoryLayout) -> HeadState:
    """HEAD by git, for refs that are not in known files."""
    symbolic = call_git(["symbolic-ref", "-q", "HEAD"], cwd=layout.cwd)
    ref = os.fsdecode(symbolic.out).rstrip("\n")
    resolved = call_git(["rev-parse", "--verify", "-q", "HEAD^{commit}"], cwd=layout.cwd)
    commit = resolved.out.decode("ascii", "replace").strip()
    if resolved.status not in (0, 1) or (not ref and not commit):
        raise _unreadable(layout)  # with git's reason, if it has one
    return HeadState(ref.removeprefix("refs/heads/") or None, commit or None, not ref, not commit)


def _unreadable(layout: RepositoryLayout) -> GitmemError:
    """The error where git does not know HEAD's commit either, with git's reason if it has one."""
    try:
        run_git(["rev-parse", "--verify", "HEAD^{commit}"], cwd=layout.cwd)
    except NotFound:
        pass  # git's message would be about an internal revision
    except GitmemError as error:
        return error
    return Unavailable(
        "git cannot read the commit of HEAD: the branch's file is damaged.",
        "git reflog shows the last commits, git fsck what is damaged.",
    )
