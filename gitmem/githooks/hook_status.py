"""The state of a repository's git hooks: installing, removing and showing them for an App."""

import os
import sys

from gitmem.app import App
from gitmem.errors import Unavailable
from gitmem.githooks import installer, shims
from gitmem.githooks.hooks_dir import HooksFolder
from gitmem.githooks.plan import HookState
from gitmem.model.frozen import dataclass
from gitmem.store.db import seals

IN_PLACE = ("installed", "present", "removed")


@dataclass(frozen=True, slots=True)
class AllHookStates:
    """States of a repository's git hooks; ``declined`` counts those that need editing by hand."""

    hooks: tuple[HookState, ...]
    declined: int


def gitmem_start_command() -> list[str]:
    """The command words with which a git hook starts gitmem: ``PYTHON -P -m gitmem``."""
    return [sys.executable, "-P", "-m", "gitmem"]


def install_hooks(app: App, review_hook: str = "") -> AllHookStates:
    """Install gitmem's git hooks in the App's repository; returns AllHookStates.

    ``review_hook`` names the hook that also runs a review: pre-commit or pre-push; empty leaves the
    present choice. Raises Unavailable in a plain folder (one without git), and GitmemError.
    """
    _refuse_plain(app)
    app.store  # noqa: B018 - the hooks write beside it; it must be there and ours
    return _count_declined(
        installer.install_hooks(
            app.layout,
            gitmem_start_command(),
            home_variables=_homes(app),
            token=seals.derive_log_line_token(app.signing_key),
            review_hook=review_hook,
        )
    )


def set_hook_token(app: App, token: str) -> bool:
    """Write ``token`` into the script of installed git hooks; False if they are an older gitmem's.

    The token is the secret word with which each line begins that the hooks of one store write.
    Hooks of an older gitmem have no script: ``gitmem hooks install`` replaces them. True if there
    are no hooks. Raises GitmemError.
    """
    return app.layout.plain or installer.set_hook_token(app.layout, token)


def uninstall_hooks(app: App) -> AllHookStates:
    """Remove gitmem's git hooks, restoring every byte of the files; returns AllHookStates.

    Raises Unavailable in a plain folder (one without git), and GitmemError.
    """
    _refuse_plain(app)
    app.refuse_tracked_store()  # the spool is emptied too, wherever that is
    return _count_declined(installer.uninstall_hooks(app.layout))


def read_hook_states(
    app: App,
    *,
    known_git_version: tuple[int, int] | None = None,
    hooks_folder: HooksFolder | None = None,
) -> AllHookStates:
    """AllHookStates of gitmem's git hooks, such as installed or absent; changes nothing.

    ``known_git_version`` (such as (2, 54)) and ``hooks_folder``, where git looks for hooks, save
    asking git for them. Raises Unavailable in a plain folder (one without git).
    """
    _refuse_plain(app)
    token = seals.derive_log_line_token(app.signing_key)
    hooks = installer.read_hook_states(
        app.layout,
        gitmem_start_command(),
        known_git_version=known_git_version,
        hooks_folder=hooks_folder,
        home_variables=_homes(app),
        token=token,
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


def _count_declined(hooks: tuple[HookState, ...]) -> AllHookStates:
    return AllHookStates(hooks, sum(1 for hook in hooks if hook.state == "declined"))
