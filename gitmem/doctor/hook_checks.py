"""Checks of the git hooks: each is fired, and the program they start is asked for its version.

A fix installs them again where they were installed before, never anywhere else.
"""

import os
from collections.abc import Iterator

from gitmem import __version__
from gitmem.app import App
from gitmem.doctor.finding import NOTE, OK, PROBLEM, CheckFinding
from gitmem.githooks import hook_status, hooks_dir, installer, self_test
from gitmem.githooks.plan import HookState
from gitmem.githooks.self_test import HookTestResult

_RENEW = "`gitmem hooks install` updates them."


def check_git_hooks(app: App, fix: bool) -> Iterator[CheckFinding]:
    """Yield a finding for each git hook, for the program they start, and for what stops it.

    ``fix``: hooks that are outdated or do not work are installed again first.
    """
    if app.layout.plain:
        return
    stand, fired = _fire_all(app)
    if not fired:
        yield _installed(stand)
        return
    if fix and _can_be_fixed(stand, fired):
        hook_status.install_hooks(app)
        yield CheckFinding("hooks", OK, "reinstalled", "")
        stand, fired = _fire_all(app)
    by_event = {hook.event: hook for hook in stand.hooks}
    for hook in fired:
        yield _hook_finding(hook, by_event[hook.event])
    yield from _program(app, fired)
    yield from _delivery(app)


def _fire_all(app: App) -> tuple[hook_status.AllHookStates, tuple[HookTestResult, ...]]:
    layout, fired = app.layout, tuple[HookTestResult, ...]()
    where, version = hooks_dir.find_hooks_folder(layout), hooks_dir.read_git_version(layout)
    if os.name == "posix":
        environment = app.settings.environment
        fired = self_test.run_all_hooks_as_test(
            layout, environment, known_git_version=version, hooks_folder=where
        )
    return hook_status.read_hook_states(app, known_git_version=version, hooks_folder=where), fired


def _can_be_fixed(stand: hook_status.AllHookStates, fired: tuple[HookTestResult, ...]) -> bool:
    """Whether a hook that gitmem may write is outdated or does not fire."""
    states = {hook.event: hook.state for hook in stand.hooks}
    return any(
        states[hook.event] == "outdated" or (hook.reason and states[hook.event] != "declined")
        for hook in fired
    )


def _installed(stand: hook_status.AllHookStates) -> CheckFinding:
    """The finding where no hook was ever installed or no shell can be started."""
    good = [hook.event for hook in stand.hooks if hook.state in hook_status.IN_PLACE]
    if len(good) == len(stand.hooks):
        return CheckFinding("hooks", OK, f"in place: {', '.join(good)}", "")
    missing = ", ".join(hook.event for hook in stand.hooks if hook.event not in good)
    hint = "`gitmem hooks status` shows the lines to add." if stand.declined else ""
    return CheckFinding(
        "hooks", NOTE, f"not in place: {missing}", hint or "`gitmem hooks install`."
    )


def _hook_finding(fired: HookTestResult, hook: HookState) -> CheckFinding:
    if not fired.reason:
        if hook.state == "outdated":
            text = f"runs, but {hook.reason}" if hook.reason else "runs, but in an outdated form"
            return CheckFinding(fired.event, NOTE, text, _RENEW)
        doubt = " if its script reaches the added line" if fired.by_hand else ""
        return CheckFinding(fired.event, OK, f"fires{doubt}", "")
    text = f"does not run: {fired.reason} ({fired.path})"
    if hook.state == "declined":
        # Not for gitmem to add: the user was shown the line, and may not want it.
        return CheckFinding(fired.event, NOTE, f"{text}; {hook.reason}", f"add: {hook.line}")
    return CheckFinding(fired.event, PROBLEM, text, fired.hint)


def _program(app: App, fired: tuple[HookTestResult, ...]) -> Iterator[CheckFinding]:
    """Whether the program that the hooks start exists and answers."""
    environment = app.settings.environment
    commands = {hook.command for hook in fired if hook.command and not hook.reason}
    for command in sorted(commands):
        program, words = command[0], command
        if not os.access(program, os.X_OK):
            import shutil  # noqa: PLC0415 - 4 ms, and only for what is gone

            fallback = shutil.which("gitmem", path=environment.get("PATH"))
            if fallback is None:
                text = f"the hooks record events, but {program} cannot be started to read them"
                yield CheckFinding("hooks", _severity(app), text, _RENEW)
                continue
            program, words = fallback, (fallback,)
        version = self_test.read_program_version(words, environment)
        if not version:
            text = f"the hooks start {program}, which does not answer as gitmem"
            yield CheckFinding("hooks", _severity(app), text, _RENEW)
        elif program != command[0]:
            text = f"{command[0]} cannot be started; the hooks start {version} at {program}"
            yield CheckFinding("hooks", NOTE, text, _RENEW)
        elif version != f"gitmem {__version__}":
            text = f"the hooks start {version} at {program}; this is {__version__}"
            yield CheckFinding("hooks", NOTE, text, _RENEW)
        else:
            yield CheckFinding("hooks", OK, f"the hooks start {version} at {program}", "")


def _severity(app: App) -> str:
    """``problem``, or ``note`` for a user who may only read the store and so commits nothing."""
    return PROBLEM if os.access(installer.store_folder_path(app.layout), os.W_OK) else NOTE


def _delivery(app: App) -> Iterator[CheckFinding]:
    """Findings on what keeps the index from following the hooks' events."""
    if reason := self_test.event_recording_obstacle(app.layout):
        yield CheckFinding(
            "spool", _severity(app), reason, "`gitmem hooks install`, then `gitmem drain`."
        )
    if not app.settings.number("hooks.enabled"):
        text = "hooks.enabled is 0: what the hooks record is discarded"
        yield CheckFinding(
            "hooks", NOTE, text, "`gitmem config hooks.enabled 1` turns them on again."
        )
    if app.settings.environment.get("GITMEM_HOOKS") == "0":
        yield CheckFinding("hooks", NOTE, "GITMEM_HOOKS=0 turns them off in this environment", "")
