"""Where somebody is while asking: the file they are in, what they looked at, what just changed."""

import os
from collections.abc import Collection

from gitmem.app import App
from gitmem.git.mtimes import written
from gitmem.search.context_boost import Moment
from gitmem.sessions.current_session import current_session
from gitmem.store.session import sessions


def moment(
    app: App,
    near: str,
    paths: Collection[str],
    *,
    whole: bool,
    viewed: frozenset[str] = frozenset(),
) -> Moment:
    """What ``search.moment`` asks of some paths; only what was said (``near``) unless ``whole``.

    ``viewed`` are files that count as viewed beside those of the session.
    """
    place = inside(app, near)
    if not whole:
        return Moment(app.now, near=place)
    running = current_session(app)
    return Moment(
        app.now,
        near=place,
        viewed=viewed.union(sessions.files(app.store, running.id) if running else ()),
        written=written(app.worktree, paths),
    )


def inside(app: App, path: str) -> str:
    """A path as somebody gives it, as one of the repository."""
    plain = path.strip().replace("\\", "/")
    if os.path.isabs(plain):
        plain = os.path.relpath(plain, app.worktree).replace("\\", "/")
    return plain.removeprefix("./")
