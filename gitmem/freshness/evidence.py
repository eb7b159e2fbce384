"""Gathering what is to be known about one anchor: its place first, the rest only where needed."""

from gitmem.freshness.worktree import WorktreeView
from gitmem.memory import freshness
from gitmem.memory.freshness import Evidence
from gitmem.model.anchor import Anchor, Verdict
from gitmem.model.frozen import replace
from gitmem.text import code_fingerprint

TOO_LARGE = "it is too large to be read completely"
BINARY = "it is now a binary file"


def verdict(view: WorktreeView, anchor: Anchor) -> Verdict:
    """Whether the anchor stands in the worktree. ``anchor`` has its fingerprint."""
    print = code_fingerprint.from_json(anchor.print)
    here = at_place(view, anchor)
    judged = freshness.at_place(anchor, print, here)
    if judged is not None:
        return judged
    if print.whole and not here.gone:
        return freshness.judge(anchor, print, here)
    location = view.elsewhere(anchor, print)
    if location is not None:
        return freshness.judge(
            anchor, print, replace(here, elsewhere=location.path, lines=location.lines)
        )
    return freshness.judge(anchor, print, replace(here, defined=view.defined(anchor)))


def at_place(view: WorktreeView, anchor: Anchor) -> Evidence:
    """What is to be seen at the place that is cited."""
    read = view.file(anchor.path)
    if read.data is None:
        return Evidence(gone=read.gone, unreadable=read.problem)
    problem = TOO_LARGE if read.large else ""
    if read.binary and anchor.first_line is not None:
        problem = BINARY
    return Evidence(view.page(anchor.path), view.blob(anchor.path), unreadable=problem)
