"""Finding the first release that contains a commit.

An index run stores it; where tags were added or deleted since, a reader walks the history again and
stores nothing.
"""

from collections.abc import Callable
from functools import lru_cache

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.git import head
from gitmem.git.mtimes import refs_folder_stamp
from gitmem.store.db import projects
from gitmem.text.fence import one_line

# A line for each release, its name and the commits it brought, behind the stamp of the tags.
NOTED = "releases"
_SHORT, _LONGEST = 16, 60  # characters of a commit's id, and of a tag's name


def make_first_release_lookup(app: App) -> Callable[[str], str]:
    """A function that takes a commit's id and returns the tag of the first release with it.

    The function returns "" if there is no such release or it is not known.
    """
    loaded: list[str] = []

    def release(commit: str) -> str:
        if not loaded:
            loaded.append(_text(app))
        at = loaded[0].find(commit[:_SHORT]) if len(commit) >= _SHORT else -1
        if at < 0:
            return ""
        start = loaded[0].rfind("\n", 0, at) + 1
        return loaded[0][start : loaded[0].find(" ", start)]

    return release


def save_release_commits(app: App) -> None:
    """Store which commits each release tag has, if tags changed since the last index run."""
    if app.layout.plain or head.is_shallow(app.layout):
        return
    stamp = refs_folder_stamp(app.layout, "tags")
    if (projects.get_meta(app.store, NOTED) or "").partition("\n")[0] != stamp:
        text = _walked(app.layout.cwd, stamp)
        with app.store.write():
            projects.set_meta(app.store, NOTED, f"{stamp}\n{text}")


def _text(app: App) -> str:
    """The stored text of releases and their commits, brought up to date."""
    if app.layout.plain or head.is_shallow(app.layout):
        return ""
    noted = (projects.get_meta(app.store, NOTED) or "") if app.has_store else ""
    old_stamp, _, text = noted.partition("\n")
    stamp = refs_folder_stamp(app.layout, "tags")
    return text if noted and old_stamp == stamp else _walked(app.layout.cwd, stamp)


@lru_cache(maxsize=4)
def _walked(cwd: str, _stamp: str) -> str:
    from gitmem.git import releases  # noqa: PLC0415 - seldom: the index run keeps what it says

    try:
        found = releases.commits_by_release(cwd)
    except GitmemError:  # git does not answer
        return ""
    lines = (
        " ".join([one_line(name, _LONGEST), *(sha[:_SHORT] for sha in some)])
        for name, some in found
        if some
    )
    return "\n".join(lines)
