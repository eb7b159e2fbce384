"""How the git hooks of a repository stand, as values that every surface shows."""

import os
import sys

from gitmem.app import App
from gitmem.errors import Unavailable
from gitmem.githooks import installer, shims
from gitmem.githooks.hooks_dir import Place
from gitmem.githooks.plan import Hook
from gitmem.model.frozen import dataclass
from gitmem.store.db import seals

STANDING = ("installed", "present", "removed")


@dataclass(frozen=True, slots=True)
class Stand:
    """The four hooks; ``declined`` counts those that need a line added by hand."""

    hooks: tuple[Hook, ...]
    declined: int


def command() -> list[str]:
    """How a hook starts gitmem. With -P no module of the user's repository runs in our name."""
    return [sys.executable, "-P", "-m", "gitmem"]


def install(app: App) -> Stand:
    """Put the hooks in place. Raises Unavailable in a plain folder."""
    _refuse_plain(app)
    app.store  # noqa: B018 - the hooks write beside it; it must be there and ours
    return _stand(
        installer.install(
            app.layout, command(), homes=_homes(app), token=seals.token(app.store_key)
        )
    )


def renew(app: App, token: str) -> bool:
    """Let the hooks' script, where it stands, write ``token``; whether no other hook is known of.

    That is one of an older gitmem, which ``gitmem hooks install`` replaces. Raises GitmemError.
    """
    return app.layout.plain or installer.renew(app.layout, token)


def uninstall(app: App) -> Stand:
    """Uninstall the git hooks and restore every byte."""
    _refuse_plain(app)
    app.refuse_tracked()  # the spool is emptied too, wherever that is
    return _stand(installer.uninstall(app.layout))


def status(
    app: App, *, version: tuple[int, int] | None = None, where: Place | None = None
) -> Stand:
    """How each hook stands; ``version`` and ``where`` as in ``installer.status``."""
    _refuse_plain(app)
    token = seals.token(app.store_key)
    found = installer.status(
        app.layout, command(), version=version, where=where, homes=_homes(app), token=token
    )
    return _stand(found)


def _homes(app: App) -> dict[str, str]:
    """What ``shims.HOMES`` are set to: git may be started by a program that does not know them."""
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


def _stand(hooks: tuple[Hook, ...]) -> Stand:
    return Stand(hooks, sum(1 for hook in hooks if hook.state == "declined"))
