"""Git hooks: putting them in place, taking them out, and how they stand."""

import sys

from gitmem.app import App
from gitmem.errors import Unavailable
from gitmem.hooks import git_hooks
from gitmem.hooks.plan import Hook
from gitmem.model.value import dataclass
from gitmem.operations.registry import READ, WRITE, Operation
from gitmem.text.fence import one_line

STANDING = ("installed", "present", "removed")


@dataclass(frozen=True, slots=True)
class Hooks:
    """Nothing needs to be said."""


@dataclass(frozen=True, slots=True)
class HookItem:
    """One hook: its state, and where it was declined the reason and the line to add yourself."""

    event: str
    state: str
    path: str
    reason: str
    line: str


@dataclass(frozen=True, slots=True)
class Stand:
    """The four hooks; ``declined`` counts those that need a line added by hand."""

    hooks: tuple[HookItem, ...]
    declined: int


def command() -> list[str]:
    """How a hook starts gitmem. With -P no module of the user's repository runs in our name."""
    return [sys.executable, "-P", "-m", "gitmem"]


def install(app: App, request: Hooks) -> Stand:
    """Let git tell gitmem of commits, merges, checkouts and rewrites.

    A hook notes one line and leaves; the index follows in the background. Hooks of other tools stay
    as they are: marked lines are added to shell scripts, and where that cannot be done, nothing is
    written and the line to add is shown.
    """
    del request
    _refuse_plain(app)
    app.store  # noqa: B018 - the hooks write beside it; it must be there and ours
    return _stand(git_hooks.install(app.layout, command()))


def uninstall(app: App, request: Hooks) -> Stand:
    """Take the hooks out again; every byte is as it was before."""
    del request
    _refuse_plain(app)
    return _stand(git_hooks.uninstall(app.layout))


def status(app: App, request: Hooks) -> Stand:
    """Show how each hook stands."""
    del request
    _refuse_plain(app)
    return _stand(git_hooks.status(app.layout, command()))


def _refuse_plain(app: App) -> None:
    if app.layout.plain:
        raise Unavailable(
            "There are no git hooks in a plain folder.",
            "Run `gitmem index` after changes; hooks need a git repository.",
        )


def _stand(found: tuple[Hook, ...]) -> Stand:
    items = tuple(HookItem(one.event, one.state, one.path, one.reason, one.line) for one in found)
    return Stand(items, sum(1 for one in items if one.state == "declined"))


def view(result: Stand) -> str:
    """A line for each hook, with what to do below it."""
    lines = []
    for one in result.hooks:
        lines.append(f"{one.state:<10} {one.event:<14} {one_line(one.path, 100)}")
        if one.reason:
            lines.append(f"{'':<11}{one_line(one.reason, 120)}")
        if one.line:
            lines.append(f"{'':<11}add: {one.line}")
    return "\n".join(lines)


INSTALL = Operation(
    name="hooks install",
    request=Hooks,
    run=install,
    view=view,
    effect=WRITE,
    example="gitmem hooks install",
)

UNINSTALL = Operation(
    name="hooks uninstall",
    request=Hooks,
    run=uninstall,
    view=view,
    effect=WRITE,
    example="gitmem hooks uninstall",
)

STATUS = Operation(
    name="hooks status",
    request=Hooks,
    run=status,
    view=view,
    effect=READ,
    example="gitmem hooks status",
)
