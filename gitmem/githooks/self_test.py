"""What git would run for each event in this repository, fired: does a line arrive, and if not, why.

A file in the right place proves little: it may not be executable, another tool may have written it
anew, git may look elsewhere by now. So each hook is looked up the way git does, judged by what git
asks of it, and then run where nothing of the repository can be touched: a copy of its shape (a
HEAD, and the way from there to a spool) stands in a folder of its own, and ``GIT_DIR`` points the
hook at it. That spool names this process as the drain at work, so none is started. Of a script that
others share only our lines run: a user's hook may send mail.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager, suppress

from gitmem.git.runner import run_git
from gitmem.githooks import (
    config_hooks,
    hook_script,
    hooks_dir,
    installer,
    manifest,
    shims,
)
from gitmem.githooks.hooks_dir import Place
from gitmem.model.frozen import dataclass, replace
from gitmem.spool import event_log, git_events, lease
from gitmem.spool.git_events import CheckedOut, Committed, Event, Merged, Rewritten
from gitmem.text import marked_block

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gitmem.git.layout import Layout

_LARGEST = 1 << 20
_SHELL = "/bin/sh"  # what git itself starts, whatever PATH says
INSTALL = "`gitmem hooks install` reinstalls it."
_COMMIT = "ca" * 20
_BRANCH = "refs/heads/gitmem-canary"
_SECONDS = 20.0
_GIVEN = {
    "post-commit": ((), b"", Committed),
    "post-merge": (("0",), b"", Merged),
    "post-checkout": ((_COMMIT, _COMMIT, "1"), b"", CheckedOut),
    "post-rewrite": (("amend",), f"{_COMMIT} {_COMMIT}\n".encode(), Rewritten),
}


@dataclass(frozen=True, slots=True)
class Fired:
    """One hook: ``reason`` and ``hint`` tell why it does not fire, empty where it does.

    ``command`` is how it starts gitmem, where that could be read. ``by_hand``: only a line that
    the user added was fired, and whether the script comes to it is not known.
    """

    event: str
    path: str
    reason: str
    hint: str = ""
    command: tuple[str, ...] = ()
    by_hand: bool = False


def fire_all(
    layout: Layout,
    environment: Mapping[str, str],
    *,
    version: tuple[int, int] | None = None,
    where: Place | None = None,
) -> tuple[Fired, ...]:
    """Fire every hook; empty where gitmem's hooks were never installed here.

    ``version`` is git's and ``where`` the place of its hooks, both asked for when None.
    """
    old = manifest.read(installer.store_folder(layout))
    if old is None:
        return ()
    where = where or hooks_dir.find(layout)
    configured = (version or hooks_dir.git_version(layout)) >= hooks_dir.CONFIG_HOOKS
    script, way = hook_script.read(layout), installer.way_to_store(layout)
    hooks = []
    with _sandbox(way, script, environment) as box:
        for event in shims.EVENTS:
            told = _by_config(layout, event, script, box) if configured else None
            told = told or _by_file(layout, event, where.folder, old.folder, script, box)
            if told.reason and old.method == installer.CONFIG and not configured:
                reason = "it is in git's configuration, and this git is too old to run it"
                told = replace(told, reason=reason, hint=INSTALL)
            hooks.append(told)
    return tuple(hooks)


def stuck(layout: Layout) -> str:
    """What keeps the lines of hooks that fire from being read; empty where nothing does."""
    folder = os.path.join(installer.store_folder(layout), git_events.SPOOL)
    events = os.path.join(folder, "events")
    if not os.path.isdir(folder):
        return f"there is no folder {folder}, so no hook can record anything"
    if not os.access(folder, os.W_OK | os.X_OK):
        return f"{folder} cannot be written"
    for name in (events, os.path.join(folder, lease.HINT)):
        if os.path.islink(name):
            return f"{name} is a symbolic link, through which no hook writes"
    if os.path.exists(events) and not os.access(events, os.W_OK):
        return f"{events} cannot be written"
    if event_log.waiting(folder) >= _LARGEST:
        return "the spool is full: nothing more is recorded until it is read"
    return ""


def _by_config(layout: Layout, event: str, script: bytes, box: _Sandbox) -> Fired | None:
    """The hook of git's configuration; None where there is none for this event."""
    section = config_hooks.section(event)
    command = _setting(layout, f"{section}.command")
    if command is None:
        return None
    path = config_hooks.config_file(layout)
    if event not in _settings(layout, f"{section}.event"):
        return Fired(event, path, f"{section}.event does not name it", INSTALL)
    for switch in (f"{section}.enabled", f"hook.{event}.enabled"):
        if _setting(layout, switch, "--bool") == "false":
            return Fired(event, path, f"{switch} is false", f"git config --unset {switch}")
    if command != shims.setting(event):
        return Fired(event, path, f"{section}.command is not what this gitmem sets", INSTALL)
    # As git does: by the shell, with the arguments after it.
    program = _Program((_SHELL, "-c", f'{command} "$@"', command))
    return _fired(layout, event, path, program, script, box)


def _by_file(
    layout: Layout, event: str, folder: str, installed: str, script: bytes, box: _Sandbox
) -> Fired:
    path = os.path.join(folder, event)
    content = _read(path)
    hint = INSTALL
    if installed not in ("", folder):
        hint = f"core.hooksPath has changed since the install, from {installed}: {INSTALL}"
    if folder == os.devnull:
        return Fired(event, path, "core.hooksPath turns all hooks off")
    if not os.path.exists(path):
        return Fired(event, path, "git finds no file there", hint)
    line = _added_by_hand(event, path)
    if not marked_block.holds(content, shims.MARKS) and not line:
        return Fired(event, path, "gitmem's lines are not in it", hint)
    if not os.access(path, os.X_OK):
        return Fired(event, path, "it is not executable, so git skips it", f"chmod +x {path}")
    if line:
        program = _Program((_SHELL, "-c", line, event))
        return replace(_fired(layout, event, path, program, script, box), by_hand=True)
    lines = marked_block.extract(content, shims.MARKS)
    old = b"" if shims.SCRIPT.encode() in lines else lines
    first = content.partition(b"\n")[0] + b"\n"
    if content == first + lines:
        return _fired(layout, event, path, _Program((path,)), script, box, old)
    if not content.startswith(first + lines.rstrip(b"\n")):
        return Fired(event, path, "other lines above gitmem's may exit first", INSTALL)
    # As the kernel does: the program of the first line, with one argument.
    words = os.fsdecode(first.rstrip(b"\n")).removeprefix("#!").strip(" \t").split(None, 1)
    program = _Program(tuple(words), first + lines)
    return _fired(layout, event, path, program, script, box, old)


def _fired(
    layout: Layout,
    event: str,
    path: str,
    program: _Program,
    script: bytes,
    box: _Sandbox,
    old: bytes = b"",
) -> Fired:
    """Fire it. ``script`` is what it sources; ``old``: lines of a version that sourced none."""
    if not script and not old:
        where = hook_script.path(layout)
        return Fired(event, path, f"what it runs is missing: {where}", INSTALL)
    reason = _fire(box, event, program)
    hint = INSTALL if reason else ""
    return Fired(event, path, reason, hint, tuple(shims.started(old or script)))


def _added_by_hand(event: str, path: str) -> str:
    """Our line in a hook that gitmem may not write to, or in the one that husky's stub runs."""
    line = shims.line(event)
    above = os.path.join(os.path.dirname(os.path.dirname(path)), event)
    for place_ in (path, above):
        rest = marked_block.take(_read(place_), shims.MARKS)
        told = [splitline.strip() for splitline in os.fsdecode(rest).splitlines()]
        if line in told:
            return line
    return ""


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(_LARGEST)
    except OSError:
        return b""


def _settings(layout: Layout, key: str, *options: str) -> list[str]:
    out = run_git(["config", "-z", *options, "--get-all", key], cwd=layout.cwd, ok=(0, 1))
    return os.fsdecode(out).split("\0")[:-1]


def _setting(layout: Layout, key: str, *options: str) -> str | None:
    values = _settings(layout, key, *options)
    return values[-1] if values else None


# --- the sandbox ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Program:
    """What is run for an event: words to start, or ``content``, a script that is copied first."""

    words: tuple[str, ...]
    content: bytes = b""


@dataclass(frozen=True, slots=True)
class _Sandbox:
    """The copy of the shape: its folder, the git directory and the spool's file in it."""

    folder: str
    git_dir: str
    events: str
    environment: Mapping[str, str]


@contextmanager
def _sandbox(way: str, script: bytes, environment: Mapping[str, str]) -> Iterator[_Sandbox]:
    """A sandbox for all hooks of a repository, gone afterwards with all that they wrote.

    ``way`` leads from the common git directory to ``.gitmem``, ``script`` is what hooks source.
    """
    with tempfile.TemporaryDirectory(prefix="gitmem-canary-") as folder:
        git_dir, store = _shape(folder, way, script)
        events = os.path.join(store, git_events.SPOOL, "events")
        env = {name: value for name, value in environment.items() if not name.startswith("GIT_")}
        env.pop("GITMEM_HOOKS", None)  # the switch that turns our hooks off
        env |= {"GIT_DIR": git_dir, "GIT_EDITOR": ":", "GIT_PREFIX": ""}  # as git does
        yield _Sandbox(folder, git_dir, events, env)


def _fire(sandbox: _Sandbox, event: str, program: _Program) -> str:
    """Run a hook as git does; why its line did not arrive, empty where it did."""
    with suppress(FileNotFoundError):
        os.unlink(sandbox.events)  # of the hook before
    words = program.words
    if program.content:
        copy = os.path.join(sandbox.folder, event)
        _write(copy, program.content)
        words = (*words, copy)
    arguments, given, kind = _GIVEN[event]
    if reason := _run((*words, *arguments), sandbox.environment, sandbox.git_dir, given):
        return reason
    return _arrived(sandbox.events, kind)


def answer(command: Sequence[str], environment: Mapping[str, str]) -> str:
    """What the program that a hook starts says of its version; empty where it does not answer."""
    import subprocess  # noqa: PLC0415, TID251 - gitmem starts itself, as the hooks do

    env = {name: value for name, value in environment.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            [*command, "--version"],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    told = done.stdout.decode("utf-8", "replace").strip()
    return told if done.returncode == 0 and told.startswith("gitmem ") else ""


def _shape(folder: str, way: str, script: bytes) -> tuple[str, str]:
    """A git directory and a store that lie to each other as the real ones do."""
    above = way.split("/").count("..")
    git_dir = os.path.join(folder, *["below"] * above, "git")
    store = os.path.normpath(os.path.join(git_dir, way))
    os.makedirs(os.path.join(git_dir, os.path.dirname(_BRANCH)))
    os.makedirs(os.path.join(store, git_events.SPOOL))
    _write(os.path.join(git_dir, "HEAD"), f"ref: {_BRANCH}\n".encode())
    _write(os.path.join(git_dir, _BRANCH), f"{_COMMIT}\n".encode())
    _write(os.path.join(store, git_events.SPOOL, lease.HINT), f"{os.getpid()}\n".encode())
    sourced = os.path.join(git_dir, *shims.SCRIPT.split("/"))
    os.mkdir(os.path.dirname(sourced))
    _write(sourced, script)
    return git_dir, store


def _run(words: Sequence[str], env: Mapping[str, str], cwd: str, given: bytes) -> str:
    import subprocess  # noqa: PLC0415, TID251 - it stands for git, which starts the hooks

    try:
        done = subprocess.run(
            list(words),
            env=env,
            cwd=cwd,
            input=given,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it did not exit within {_SECONDS:.0f} seconds"
    except OSError as error:
        return f"it cannot be started: {error.strerror}"
    return f"it exited with status {done.returncode}" if done.returncode else ""


def _arrived(path: str, kind: type[Event]) -> str:
    try:
        with open(path, "rb") as file:
            events, skipped = git_events.parse(file.read(), "canary", "")
    except OSError:
        events, skipped = [], 0
    if not events and not skipped:
        return "it ran, but its line did not arrive in the spool"
    if skipped or len(events) != 1:
        return f"it wrote {len(events) + skipped} lines instead of one"
    if not isinstance(events[0], kind) or events[0].ref not in ("", _BRANCH):
        return "it wrote a line that does not say what git did"
    return ""


def _write(path: str, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)
