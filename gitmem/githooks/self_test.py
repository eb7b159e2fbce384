"""Testing the git hooks by running them and checking that an event arrives.

That a file exists proves little: it may not be executable, another tool may have rewritten it, or
git may look elsewhere. So each hook is looked up and checked as git does it, and then run with
``GIT_DIR`` in a sandbox: a temporary folder with a HEAD and a spool, in the same relative position
as in the repository. The spool names this process as the running drain, so that none is started. In
a shared script only gitmem's lines are run: a user's hook may send mail.
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
from gitmem.githooks.hooks_dir import HooksFolder
from gitmem.model.frozen import dataclass, replace
from gitmem.spool import event_log, git_events, lease
from gitmem.spool.git_events import CheckoutEvent, CommitEvent, Event, MergeEvent, RewriteEvent
from gitmem.text import marked_block

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gitmem.git.layout import RepositoryLayout

_LARGEST = 1 << 20
_SHELL = "/bin/sh"  # what git itself starts, whatever PATH says
INSTALL = "`gitmem hooks install` reinstalls it."
_COMMIT = "ca" * 20
_BRANCH = "refs/heads/gitmem-canary"
_SECONDS = 20.0
_GIVEN = {
    "post-commit": ((), b"", CommitEvent),
    "post-merge": (("0",), b"", MergeEvent),
    "post-checkout": ((_COMMIT, _COMMIT, "1"), b"", CheckoutEvent),
    "post-rewrite": (("amend",), f"{_COMMIT} {_COMMIT}\n".encode(), RewriteEvent),
}


@dataclass(frozen=True, slots=True)
class HookTestResult:
    """The result of a test run of a git hook: ``reason`` says why it fails, empty if it works.

    ``hint`` is what to do; ``command`` is how the hook starts gitmem, empty if unknown.
    ``by_hand``: only the line that the user added was run, so the lines above it may still keep it
    from running.
    """

    event: str
    path: str
    reason: str
    hint: str = ""
    command: tuple[str, ...] = ()
    by_hand: bool = False


def run_all_hooks_as_test(
    layout: RepositoryLayout,
    environment: Mapping[str, str],
    *,
    known_git_version: tuple[int, int] | None = None,
    hooks_folder: HooksFolder | None = None,
) -> tuple[HookTestResult, ...]:
    """Run each of gitmem's git hooks in a temporary folder and return whether its event arrives.

    A HookTestResult for each hook; empty if gitmem's hooks were never installed here.
    ``environment`` is that of the hooks. ``known_git_version`` (such as (2, 54)) and
    ``hooks_folder``, where git looks for hooks: None asks git.
    """
    old = manifest.read_hook_manifest(installer.store_folder_path(layout))
    if old is None:
        return ()
    hooks_folder = hooks_folder or hooks_dir.find_hooks_folder(layout)
    configured = (known_git_version or hooks_dir.read_git_version(layout)) >= hooks_dir.CONFIG_HOOKS
    script = hook_script.read_hook_script(layout)
    store = installer.store_path_from_git_dir(layout)
    hooks = []
    with _sandbox(store, script, environment) as box:
        for event in shims.EVENTS:
            result = _by_config(layout, event, script, box) if configured else None
            result = result or _by_file(layout, event, hooks_folder.folder, old.folder, script, box)
            if result.reason and old.method == installer.CONFIG and not configured:
                reason = "it is in git's configuration, and this git is too old to run it"
                result = replace(result, reason=reason, hint=INSTALL)
            hooks.append(result)
    return tuple(hooks)


def event_recording_obstacle(layout: RepositoryLayout) -> str:
    """Why events of git hooks cannot be recorded here, as a clause; empty if they can."""
    folder = os.path.join(installer.store_folder_path(layout), git_events.SPOOL)
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
    if event_log.count_unread_log_bytes(folder) >= _LARGEST:
        return "the spool is full: nothing more is recorded until it is read"
    return ""


def _by_config(
    layout: RepositoryLayout, event: str, script: bytes, box: _Sandbox
) -> HookTestResult | None:
    """The test of the hook in git's configuration; None if there is none for this event."""
    section = config_hooks.hook_section_name(event)
    command = _last_setting(layout, f"{section}.command")
    if command is None:
        return None
    path = config_hooks.git_config_path(layout)
    if event not in _settings(layout, f"{section}.event"):
        return HookTestResult(event, path, f"{section}.event does not name it", INSTALL)
    for switch in (f"{section}.enabled", f"hook.{event}.enabled"):
        if _last_setting(layout, switch, "--bool") == "false":
            return HookTestResult(event, path, f"{switch} is false", f"git config --unset {switch}")
    if command != shims.hook_config_command(event):
        return HookTestResult(
            event, path, f"{section}.command is not what this gitmem sets", INSTALL
        )
    # As git does: by the shell, with the arguments after it.
    program = _Program((_SHELL, "-c", f'{command} "$@"', command))
    return _run_hook(layout, event, path, program, script, box)


def _by_file(
    layout: RepositoryLayout, event: str, folder: str, installed: str, script: bytes, box: _Sandbox
) -> HookTestResult:
    path = os.path.join(folder, event)
    content = _read(path)
    hint = INSTALL
    if installed not in ("", folder):
        hint = f"core.hooksPath has changed since the install, from {installed}: {INSTALL}"
    if folder == os.devnull:
        return HookTestResult(event, path, "core.hooksPath turns all hooks off")
    if not os.path.exists(path):
        return HookTestResult(event, path, "git finds no file there", hint)
    line = _added_by_hand(event, path)
    if not marked_block.has_block(content, shims.MARKS) and not line:
        return HookTestResult(event, path, "gitmem's lines are not in it", hint)
    if not os.access(path, os.X_OK):
        return HookTestResult(
            event, path, "it is not executable, so git skips it", f"chmod +x {path}"
        )
    if line:
        program = _Program((_SHELL, "-c", line, event))
        return replace(_run_hook(layout, event, path, program, script, box), by_hand=True)
    lines = marked_block.extract_block(content, shims.MARKS)
    old = b"" if shims.SCRIPT.encode() in lines else lines
    first = content.partition(b"\n")[0] + b"\n"
    if content == first + lines:
        return _run_hook(layout, event, path, _Program((path,)), script, box, old)
    if not content.startswith(first + lines.rstrip(b"\n")):
        return HookTestResult(event, path, "other lines above gitmem's may exit first", INSTALL)
    # As the kernel does: the program of the first line, with one argument.
    words = os.fsdecode(first.rstrip(b"\n")).removeprefix("#!").strip(" \t").split(None, 1)
    program = _Program(tuple(words), first + lines)
    return _run_hook(layout, event, path, program, script, box, old)


def _run_hook(
    layout: RepositoryLayout,
    event: str,
    path: str,
    program: _Program,
    script: bytes,
    box: _Sandbox,
    old: bytes = b"",
) -> HookTestResult:
    """Run a hook. ``script`` is the sourced script, ``old`` lines of a version without one."""
    if not script and not old:
        where = hook_script.hook_script_path(layout)
        return HookTestResult(event, path, f"what it runs is missing: {where}", INSTALL)
    reason = _fire(box, event, program)
    hint = INSTALL if reason else ""
    return HookTestResult(
        event, path, reason, hint, tuple(shims.start_command_in_script(old or script))
    )


def _added_by_hand(event: str, path: str) -> str:
    """gitmem's line in a hook it may not write to, or in the one that husky's stub runs; or ""."""
    line = shims.shared_hook_line(event)
    above = os.path.join(os.path.dirname(os.path.dirname(path)), event)
    for candidate in (path, above):
        rest = marked_block.remove_block(_read(candidate), shims.MARKS)
        lines = [row.strip() for row in os.fsdecode(rest).splitlines()]
        if line in lines:
            return line
    return ""


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(_LARGEST)
    except OSError:
        return b""


def _settings(layout: RepositoryLayout, key: str, *options: str) -> list[str]:
    out = run_git(
        ["config", "-z", *options, "--get-all", key], cwd=layout.cwd, allowed_statuses=(0, 1)
    )
    return os.fsdecode(out).split("\0")[:-1]


def _last_setting(layout: RepositoryLayout, key: str, *options: str) -> str | None:
    values = _settings(layout, key, *options)
    return values[-1] if values else None


# --- the sandbox ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Program:
    """The command for an event; ``content`` is a script to copy first and give as an argument."""

    words: tuple[str, ...]
    content: bytes = b""


@dataclass(frozen=True, slots=True)
class _Sandbox:
    """The temporary folder, the git directory and the spool's file in it."""

    folder: str
    git_dir: str
    events: str
    environment: Mapping[str, str]


@contextmanager
def _sandbox(way: str, script: bytes, environment: Mapping[str, str]) -> Iterator[_Sandbox]:
    """A temporary sandbox for all hooks of a repository.

    ``way`` is the path from the common git directory to ``.gitmem``, ``script`` the script that
    hooks source.
    """
    with tempfile.TemporaryDirectory(prefix="gitmem-canary-") as folder:
        git_dir, store = _shape(folder, way, script)
        events = os.path.join(store, git_events.SPOOL, "events")
        env = {name: value for name, value in environment.items() if not name.startswith("GIT_")}
        env.pop("GITMEM_HOOKS", None)  # it may switch hooks off
        env |= {"GIT_DIR": git_dir, "GIT_EDITOR": ":", "GIT_PREFIX": ""}  # as git does
        yield _Sandbox(folder, git_dir, events, env)


def _fire(sandbox: _Sandbox, event: str, program: _Program) -> str:
    """Run a hook as git does; returns why its line did not arrive, empty if it did."""
    with suppress(FileNotFoundError):
        os.unlink(sandbox.events)  # of the previous hook
    words = program.words
    if program.content:
        copy = os.path.join(sandbox.folder, event)
        _write(copy, program.content)
        words = (*words, copy)
    arguments, stdin, kind = _GIVEN[event]
    if reason := _run((*words, *arguments), sandbox.environment, sandbox.git_dir, stdin):
        return reason
    return _check_line(sandbox.events, kind)


def read_program_version(command: Sequence[str], environment: Mapping[str, str]) -> str:
    """What ``command --version`` prints if it is a gitmem ("gitmem 1.2.3"); else empty.

    ``command`` is run with ``environment`` without git's variables, for at most 20 seconds.
    """
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
    text = done.stdout.decode("utf-8", "replace").strip()
    return text if done.returncode == 0 and text.startswith("gitmem ") else ""


def _shape(folder: str, way: str, script: bytes) -> tuple[str, str]:
    """A git directory and a store, in the same relative position as the real ones."""
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


def _check_line(path: str, kind: type[Event]) -> str:
    try:
        with open(path, "rb") as file:
            events, skipped = git_events.parse_git_events(file.read(), "canary", "")
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
