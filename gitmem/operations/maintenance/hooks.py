"""Git hooks: installing and uninstalling them, and their state."""

from gitmem.app import App
from gitmem.githooks import hook_status
from gitmem.githooks.hook_status import AllHookStates
from gitmem.githooks.shims import REVIEWS
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import READ, WRITE, Annotated, Arg, EmptyRequest, Operation
from gitmem.text.fence import one_line


@dataclass(frozen=True, slots=True)
class InstallHooksRequest:
    """Arguments of `gitmem hooks install`: ``review`` adds one, ``at`` pre-commit or pre-push."""

    review: Annotated[bool, Arg("Also say at each commit what a review finds; stops nothing")] = (
        False
    )
    at: Annotated[str, Arg("When to review", choices=REVIEWS)] = REVIEWS[0]


def install_git_hooks(app: App, request: InstallHooksRequest) -> AllHookStates:
    """Install git hooks for commits, merges, checkouts and rewrites.

    A hook records one line and exits; the index follows in the background. Hooks of other tools
    stay as they are: marked lines are added to shell scripts, and if that cannot be done, nothing
    is written and the line to add is shown.

    With --review a hook says before a commit, or a push, what `gitmem review` finds. It takes a
    second at most: what takes longer goes on in the background, and the next command says it. The
    result has the state of each hook.
    """
    return hook_status.install_hooks(app, request.at if request.review else "")


def uninstall_git_hooks(app: App, _request: EmptyRequest) -> AllHookStates:
    """Uninstall the git hooks and restore files as they were.

    The result has the state of each hook.
    """
    return hook_status.uninstall_hooks(app)


def show_hook_status(app: App, _request: EmptyRequest) -> AllHookStates:
    """Show the state of each git hook.

    A hook is installed, outdated, absent, or declined: then the user has to add a line by hand.
    """
    return hook_status.read_hook_states(app)


def view(result: AllHookStates) -> str:
    """Return the text to print: a line for each git hook, its state, and how to repair it."""
    lines = []
    for hook in result.hooks:
        lines.append(f"{hook.state:<10} {hook.event:<14} {one_line(hook.path, 100)}")
        if hook.reason:
            lines.append(f"{'':<11}{one_line(hook.reason, 120)}")
        if hook.line:
            lines.append(f"{'':<11}add: {hook.line}")
    return "\n".join(lines)


INSTALL = Operation("hooks install", install_git_hooks, view, WRITE)

UNINSTALL = Operation("hooks uninstall", uninstall_git_hooks, view, WRITE)

STATUS = Operation("hooks status", show_hook_status, view, READ)
