"""Doctor on the git hooks: each is fired, and the program they start is asked for its version.

Mending installs them again where they were installed before, and never where nobody wanted them.
"""

import os
from collections.abc import Iterator

from gitmem import __version__
from gitmem.app import App
from gitmem.doctor.finding import NOTE, OK, PROBLEM, Finding
from gitmem.githooks import hook_status, hooks_dir, installer, self_test
from gitmem.githooks.plan import Hook
from gitmem.githooks.self_test import Fired

_RENEW = "`gitmem hooks install` updates them."


def examine(app: App, fix: bool) -> Iterator[Finding]:
    """A finding for each hook, one for the program they start, one for what keeps it from work."""
    if app.layout.plain:
        return
    stand, fired = _fire_all(app)
    if not fired:
        yield _installed(stand)
        return
    if fix and _can_be_mended(stand, fired):
        hook_status.install(app)
        yield Finding("hooks", OK, "reinstalled", "")
        stand, fired = _fire_all(app)
    by_event = {one.event: one for one in stand.hooks}
    for one in fired:
        yield _hook_finding(one, by_event[one.event])
    yield from _program(app, fired)
    yield from _delivery(app)


def _fire_all(app: App) -> tuple[hook_status.Stand, tuple[Fired, ...]]:
    layout, fired = app.layout, tuple[Fired, ...]()
    where, version = hooks_dir.find(layout), hooks_dir.git_version(layout)
    if os.name == "posix":
        environment = app.settings.environment
        fired = self_test.fire_all(layout, environment, version=version, where=where)
    return hook_status.status(app, version=version, where=where), fired


def _can_be_mended(stand: hook_status.Stand, fired: tuple[Fired, ...]) -> bool:
    """Whether one that gitmem may write to is of an older form, or does not fire."""
    states = {one.event: one.state for one in stand.hooks}
    return any(
        states[one.event] == "outdated" or (one.reason and states[one.event] != "declined")
        for one in fired
    )


def _installed(stand: hook_status.Stand) -> Finding:
    """How they stand, where none was ever installed or no shell can be started."""
    good = [one.event for one in stand.hooks if one.state in hook_status.STANDING]
    if len(good) == len(stand.hooks):
        return Finding("hooks", OK, f"in place: {', '.join(good)}", "")
    missing = ", ".join(one.event for one in stand.hooks if one.event not in good)
    hint = "`gitmem hooks status` shows the lines to add." if stand.declined else ""
    return Finding("hooks", NOTE, f"not in place: {missing}", hint or "`gitmem hooks install`.")


def _hook_finding(fired: Fired, hook: Hook) -> Finding:
    if not fired.reason:
        if hook.state == "outdated":
            told = f"runs, but {hook.reason}" if hook.reason else "runs, but in an outdated form"
            return Finding(fired.event, NOTE, told, _RENEW)
        doubt = " if its script reaches the added line" if fired.by_hand else ""
        return Finding(fired.event, OK, f"fires{doubt}", "")
    told = f"does not run: {fired.reason} ({fired.path})"
    if hook.state == "declined":
        # Never gitmem's to put there: the user was shown the line, and may not want it.
        return Finding(fired.event, NOTE, f"{told}; {hook.reason}", f"add: {hook.line}")
    return Finding(fired.event, PROBLEM, told, fired.hint)


def _program(app: App, fired: tuple[Fired, ...]) -> Iterator[Finding]:
    """Whether what the hooks start is there and answers."""
    environment = app.settings.environment
    commands = {one.command for one in fired if one.command and not one.reason}
    for command in sorted(commands):
        found, words = command[0], command
        if not os.access(found, os.X_OK):
            import shutil  # noqa: PLC0415 - 4 ms, and only for what is gone

            fallback = shutil.which("gitmem", path=environment.get("PATH"))
            if fallback is None:
                told = f"the hooks record events, but {found} cannot be started to read them"
                yield Finding("hooks", _severity(app), told, _RENEW)
                continue
            found, words = fallback, (fallback,)
        version = self_test.answer(words, environment)
        if not version:
            told = f"the hooks start {found}, which does not answer as gitmem"
            yield Finding("hooks", _severity(app), told, _RENEW)
        elif found != command[0]:
            told = f"{command[0]} cannot be started; the hooks start {version} at {found}"
            yield Finding("hooks", NOTE, told, _RENEW)
        elif version != f"gitmem {__version__}":
            told = f"the hooks start {version} at {found}; this is {__version__}"
            yield Finding("hooks", NOTE, told, _RENEW)
        else:
            yield Finding("hooks", OK, f"the hooks start {version} at {found}", "")


def _severity(app: App) -> str:
    """Somebody who may only read the store commits nothing here: to them it is no problem."""
    return PROBLEM if os.access(installer.store_folder(app.layout), os.W_OK) else NOTE


def _delivery(app: App) -> Iterator[Finding]:
    """What stands between hooks that fire and an index that follows."""
    if reason := self_test.stuck(app.layout):
        yield Finding(
            "spool", _severity(app), reason, "`gitmem hooks install`, then `gitmem drain`."
        )
    if not app.settings.number("hooks.enabled"):
        told = "hooks.enabled is 0: what the hooks record is discarded"
        yield Finding("hooks", NOTE, told, "`gitmem config hooks.enabled 1` turns them on again.")
    if app.settings.environment.get("GITMEM_HOOKS") == "0":
        yield Finding("hooks", NOTE, "GITMEM_HOOKS=0 turns them off in this environment", "")
