"""Running git: the only place that starts it.

A repository can be hostile: its configuration names programs that ordinary git commands run. So
every call goes through here, with those settings overridden, an environment built from a short
allow-list, no prompt, no pager, no lock on the index, no network unless requested, a time-out and
a limit on the output. Output is bytes, for the caller to decode.

On POSIX the child is started by ``os.posix_spawn`` and read by ``select.poll``: importing
``subprocess`` would cost about 5 ms of CPU on every run of the tool. Elsewhere, and when the child
needs standard input, ``subprocess`` does the work.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from gitmem.git.process import ChildProcess, FinishedProcess

# GIT_* variables that are passed on. All others are dropped: those that `git rev-parse
# --local-env-vars` lists would point git at another repository (a hook run from a linked worktree
# sets GIT_DIR), and the rest start programs to trace, page, edit or diff.
_PASSED = frozenset(
    {
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_SYSTEM",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_EXEC_PATH",
        "GIT_SSH",
        "GIT_SSH_COMMAND",
        "GIT_SSL_CAINFO",
        "GIT_SSL_CAPATH",
        "GIT_AUTHOR_NAME",
        "GIT_AUTHOR_EMAIL",
        "GIT_COMMITTER_NAME",
        "GIT_COMMITTER_EMAIL",
    }
)
_FIXED = {
    "GIT_OPTIONAL_LOCKS": "0",  # a background status must never break the user's own commit
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "false",
    "GIT_NO_LAZY_FETCH": "1",  # git 2.44 and later; GIT_ALLOW_PROTOCOL stops older ones
    "LC_ALL": "C",  # messages are matched below; with -z no path depends on it
    "LANGUAGE": "C",
}
_SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "diff.external=",
    "log.showSignature=false",
    "log.showRoot=true",
    "i18n.logOutputEncoding=UTF-8",
    "mailmap.blob=",  # a bare partial clone would fetch it
    "safe.bareRepository=explicit",
)
_OVERRIDES = tuple(part for setting in _SETTINGS for part in ("-c", setting))
_NETWORK = "file:git:http:https:ssh"  # not ext, which runs a program
# For an index elsewhere: a split index needs its other file, a sparse one writes tree objects.
_WHOLE_INDEX = (("core.splitIndex", "false"), ("index.sparse", "false"))

_environment: dict[str, str] = {}
_git_program: str | None = None


def configure_git_environment(environment: Mapping[str, str]) -> None:
    """Set the environment variables for all later runs of git; called once at the start.

    Names beginning with ``GIT_`` are dropped but for a short allow-list. When this was never
    called, git sees only the system's default PATH and the user's home folder.
    """
    global _environment, _git_program
    passed = {k: v for k, v in environment.items() if not k.startswith("GIT_") or k in _PASSED}
    _environment, _git_program = {**passed, **_FIXED}, None


def git_environment() -> Mapping[str, str]:
    """Return all environment variables with which git runs, as name -> value."""
    if not _environment:
        configure_git_environment({"PATH": os.defpath, "HOME": os.path.expanduser("~")})
    return _environment


def run_git(
    args: Sequence[str],
    *,
    cwd: str,
    timeout: float = 10.0,
    max_bytes: int = 32 << 20,
    stdin: bytes | None = None,
    check: bool = True,
    allowed_statuses: Container[int] = (0,),
    config: Sequence[tuple[str, str]] = (),
    allow_network: bool = False,
    index_file: str = "",
) -> bytes:
    """Run a git command and return its standard output.

    ``args`` begin with the subcommand; ``cwd`` is a worktree's root (or below), or a bare
    repository's own folder. ``timeout`` is in seconds. ``config`` adds (key, value) settings for
    this call; ``allow_network`` lets git use a remote; ``index_file`` is a file to use instead of
    the worktree's index. With ``check`` an exit status outside ``allowed_statuses`` raises what
    ``git_failure_error`` returns; a missing git, a time-out and output beyond ``max_bytes`` always
    raise Unavailable.
    """
    done = call_git(
        args,
        cwd=cwd,
        timeout=timeout,
        max_bytes=max_bytes,
        stdin=stdin,
        config=config,
        allow_network=allow_network,
        index_file=index_file,
    )
    if check and done.status not in allowed_statuses:
        from gitmem.git import process  # noqa: PLC0415 - as below

        raise process.git_failure_error(args, done, cwd)
    return done.out


def call_git(
    args: Sequence[str],
    *,
    cwd: str,
    timeout: float = 10.0,
    max_bytes: int = 32 << 20,
    stdin: bytes | None = None,
    config: Sequence[tuple[str, str]] = (),
    allow_network: bool = False,
    index_file: str = "",
) -> FinishedProcess:
    """Run a git command and return a FinishedProcess: exit status, standard output and errors.

    The arguments are those of ``run_git``. Any exit status is returned; a missing git, a time-out
    and output beyond ``max_bytes`` bytes raise Unavailable.
    """
    from gitmem.git import process  # noqa: PLC0415 - most commands read git's files by themselves

    argv, env = _command(args, cwd, config, allow_network, index_file)
    if stdin is not None or not hasattr(os, "posix_spawn"):
        return _run_portably(argv, env, process.git_subcommand(args), timeout, max_bytes, stdin)
    child = process.ChildProcess(argv, env, process.git_subcommand(args), timeout)
    try:
        out = _gather(child, max_bytes)
        return process.FinishedProcess(child.wait(), out, bytes(child.errors))
    finally:
        child.close()


def stream_git(
    args: Sequence[str],
    *,
    cwd: str,
    timeout: float = 60.0,
    allowed_statuses: Container[int] = (0,),
    config: Sequence[tuple[str, str]] = (),
    index_file: str = "",
    grace_factor: float = 1.0,
) -> Iterator[bytes]:
    """Run a git command and yield its standard output in chunks as it comes.

    A chunk ends anywhere. ``timeout`` counts only the seconds spent waiting for git; the clock may
    reach ``grace_factor`` times that while git waits for the processor. Other arguments are those
    of ``run_git``. An exit status outside ``allowed_statuses`` raises after the last chunk.
    """
    from gitmem.git import process  # noqa: PLC0415 - as above

    argv, env = _command(args, cwd, config, False, index_file)
    if not hasattr(os, "posix_spawn"):
        done = _run_portably(argv, env, process.git_subcommand(args), timeout, 1 << 30, None)
        yield done.out
    else:
        child = process.ChildProcess(argv, env, process.git_subcommand(args), timeout, grace_factor)
        try:
            while chunk := child.read():
                yield chunk
            done = process.FinishedProcess(child.wait(), b"", bytes(child.errors))
        finally:
            child.close()
    if done.status not in allowed_statuses:
        raise process.git_failure_error(args, done, cwd)


def _command(
    args: Sequence[str], cwd: str, config: Sequence[tuple[str, str]], network: bool, index: str
) -> tuple[list[str], dict[str, str]]:
    """The argument list and environment of one call."""
    env = dict(git_environment())
    env["GIT_ALLOW_PROTOCOL"] = _NETWORK if network else ""
    if index:
        env["GIT_INDEX_FILE"] = index
        config = (*config, *_WHOLE_INDEX)
    if config:
        # Not -c: a name like filter.<x>.clean may hold "=" where -c would cut it.
        env["GIT_CONFIG_COUNT"] = str(len(config))
        for number, (key, value) in enumerate(config):
            env[f"GIT_CONFIG_KEY_{number}"], env[f"GIT_CONFIG_VALUE_{number}"] = key, value
    argv = [_program(env), "-C", cwd, *_OVERRIDES]
    if _is_bare_folder(cwd):
        # safe.bareRepository=explicit refuses a bare repository that git finds by itself; this one
        # the caller named.
        argv.append("--git-dir=.")
    return [*argv, *args], env


def _is_bare_folder(folder: str) -> bool:
    """Whether the folder itself is a git directory (two or three stats, no process)."""
    return (
        os.path.isfile(f"{folder}/HEAD")
        and os.path.isdir(f"{folder}/objects")
        and not os.path.exists(f"{folder}/.git")
    )


def _program(env: Mapping[str, str]) -> str:
    """Absolute path of git. Relative PATH entries are skipped: they could be the repository's."""
    global _git_program
    if _git_program is None:
        name = "git.exe" if os.name == "nt" else "git"
        for folder in env.get("PATH", os.defpath).split(os.pathsep):
            path = os.path.join(folder, name)
            if os.path.isabs(folder) and os.path.isfile(path) and os.access(path, os.X_OK):
                _git_program = path
                break
        else:
            from gitmem.git import process  # noqa: PLC0415 - as above

            raise process.git_missing_error()
    return _git_program


def _gather(child: ChildProcess, max_bytes: int) -> bytes:
    """All standard output. Raises Unavailable above the limit."""
    chunks: list[bytes] = []
    size = 0
    while chunk := child.read():
        chunks.append(chunk)
        size += len(chunk)
        if size > max_bytes:
            from gitmem.git import process  # noqa: PLC0415 - as above

            raise process.git_output_limit_error(child.name, max_bytes)
    return b"".join(chunks)


def _run_portably(
    argv: list[str],
    env: dict[str, str],
    name: str,
    timeout: float,
    max_bytes: int,
    stdin: bytes | None,
) -> FinishedProcess:
    """Run git by ``subprocess``: on Windows, and for commands that read standard input."""
    import subprocess  # noqa: PLC0415, TID251 - 5 ms that the hot path does not pay

    from gitmem.git import process  # noqa: PLC0415 - as above

    try:
        done = subprocess.run(
            argv,
            env=env,
            input=stdin or b"",
            capture_output=True,
            timeout=timeout,
            check=False,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except subprocess.TimeoutExpired as error:
        raise process.git_timeout_error(name, timeout) from error
    except OSError as error:
        raise process.git_missing_error() from error
    if len(done.stdout) > max_bytes:
        raise process.git_output_limit_error(name, max_bytes)
    return process.FinishedProcess(done.returncode, done.stdout, done.stderr[: process.MOST_ERRORS])
