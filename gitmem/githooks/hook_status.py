"""The state of a repository's git hooks: installing, removing and showing them for an App."""

import os
import sys

from gitmem.app import App
from gitmem.errors import Unavailable
from gitmem.githooks import installer, shims
from gitmem.githooks.hooks_dir import HooksFolder
from gitmem.githooks.plan import Hook
from gitmem.model.frozen import dataclass
from gitmem.store.db import seals

IN_PLACE = ("installed", "present", "removed")


@dataclass(frozen=True, slots=True)
class HookStates:
    """The state of each git hook; ``declined`` counts those whose line the user has to add."""

    hooks: tuple[Hook, ...]
    declined: int


def command() -> list[str]:
    """The words with which a hook starts gitmem; -P keeps modules of the repository out."""
    return [sys.executable, "-P", "-m", "gitmem"]


def install(app: App, review: str = "") -> HookStates:
    """Install gitmem's git hooks; returns the state of each.

    ``review`` names the hook that runs a review; empty leaves it as it is. Raises Unavailable in a
    plain folder (one without git).
    """
    _refuse_plain(app)
    app.store  # noqa: B018 - the hooks write beside it; it must be there and ours
    return _count_declined(
        installer.install(
            app.layout,
            command(),
            homes=_homes(app),
            token=seals.shell_script_log_token(app.store_key),
            review=review,
        )
    )


def renew(app: App, token: str) -> bool:
    """Make an existing hook script write ``token``; False if there are hooks of an older gitmem.

    The token is the word by which events of this store are known. ``gitmem hooks install`` replaces
    those. Raises GitmemError.
    """
    return app.layout.plain or installer.renew(app.layout, token)


def uninstall(app: App) -> HookStates:
    """Remove gitmem's git hooks and restore every byte of the files.

    Returns the state of each hook.
    """
    _refuse_plain(app)
    app.refuse_tracked_store()  # the spool is emptied too, wherever that is
    return _count_declined(installer.uninstall(app.layout))


def status(
    app: App, *, version: tuple[int, int] | None = None, where: HooksFolder | None = None
) -> HookStates:
    """The state of each git hook.

    ``version`` is git's, ``where`` its hooks folder; None: git is asked.
    """
    _refuse_plain(app)
    token = seals.shell_script_log_token(app.store_key)
    hooks = installer.status(
        app.layout, command(), version=version, where=where, homes=_homes(app), token=token
    )
    return _count_declined(hooks)


def _homes(app: App) -> dict[str, str]:
    """The values of ``shims.HOMES``, for hooks of a git that is started without them."""
    environment = app.settings.environment
    return {
        name: os.path.abspath(environment[name]) for name in shims.HOMES if environment.get(name)
    }


def _refuse_plain(app: App) -> None:
    if app.layout.plain:
        raise Unavailable(
            "There are no git hooks in a plain folder.",
            "Run `gitmem index` after changes; hooks need a git repository.",
        )


def _count_declined(hooks: tuple[Hook, ...]) -> HookStates:
    return HookStates(hooks, sum(1 for hook in hooks if hook.state == "declined"))
