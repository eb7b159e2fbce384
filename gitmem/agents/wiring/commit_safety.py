"""What of setup's files git would take, and what keeps those of this machine out of commits."""

import os
from collections.abc import Sequence

from gitmem.agents.hosts.host import PROJECT
from gitmem.agents.wiring import git_exclude
from gitmem.agents.wiring.apply import Ground
from gitmem.agents.wiring.plan import Step
from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.git.runner import run_git


def kept_out(app: App, ground: Ground, steps: list[Step], *, personal: bool) -> list[Step]:
    """The step that keeps files of this machine out of commits; a team's are for git to see."""
    if not ground.project or app.layout.plain:
        return []
    exclude = os.path.join(app.layout.common_dir, "info", "exclude")
    known = ground.records().get(PROJECT, {})
    trees = os.path.join(app.layout.common_dir, "worktrees")
    elsewhere = [
        record
        for name, records in ground.elsewhere().items()
        if not name or os.path.isdir(os.path.join(trees, name))
        for record in records
    ]
    return git_exclude.step(exclude, ground.project, known, steps, personal, elsewhere)


def would_commit(app: App, steps: Sequence[Step], project: str) -> set[str]:
    """Those of the steps' files that `git add` would take, after the steps."""
    mine = [one.path for one in steps if one.scope == PROJECT and one.agents]
    return _not_ignored(app, mine) - git_exclude.paths(steps, project)


def _not_ignored(app: App, paths: Sequence[str]) -> set[str]:
    if not paths or app.layout.plain or not app.layout.worktree:
        return set()
    top = app.layout.worktree
    asked = b"".join(os.fsencode(os.path.relpath(one, top)) + b"\0" for one in paths)
    # The runner's literal pathspecs are not understood by this one command.
    words = ["--no-literal-pathspecs", "check-ignore", "-z", "--stdin"]
    try:
        told = run_git(words, cwd=top, stdin=asked, ok=(0, 1))
    except GitmemError:
        return set(paths)
    ignored = {os.path.join(top, os.fsdecode(one)) for one in told.split(b"\0") if one}
    return {one for one in paths if os.path.normpath(one) not in ignored}
