from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gitmem.errors import ForeignFile, NotARepository, NotFound, Unavailable
from gitmem.git.process import FinishedProcess
from gitmem.git.runner import call_git, configure_git_environment, run_git, stream_git
from tests.support.repos import RepoBuilder, isolated_environment


def fake_git(folder: Path, script: str, **more: str) -> None:
    """Put a shell script in git's place."""
    folder.mkdir()
    program = folder / "git"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    configure_git_environment({"PATH": f"{folder}{os.pathsep}{os.defpath}", **more})


def runs(pid_file: Path) -> bool:
    """Whether the process whose id the file holds still exists (a zombie does)."""
    try:
        os.kill(int(pid_file.read_text()), 0)
    except ProcessLookupError:
        return False
    return True


def test_output_is_bytes(born: RepoBuilder) -> None:
    assert run_git(["rev-parse", "HEAD"], cwd=str(born.path)) == f"{born.head()}\n".encode()


def test_input_goes_in(born: RepoBuilder) -> None:
    out = run_git(["cat-file", "--batch-check"], cwd=str(born.path), stdin=b"HEAD\n")
    assert out.startswith(born.head().encode())


def test_unknown_revision_is_not_found(born: RepoBuilder) -> None:
    with pytest.raises(NotFound, match="does not know that revision"):
        run_git(["log", "nosuch"], cwd=str(born.path))


def test_no_repository(tmp_path: Path) -> None:
    with pytest.raises(NotARepository):
        run_git(["status"], cwd=str(tmp_path))


def test_folder_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(NotARepository, match="cannot change to"):
        run_git(["status"], cwd=str(tmp_path / "gone"))


def test_allowed_status_and_unchecked(born: RepoBuilder) -> None:
    quiet = ["rev-parse", "-q", "--verify", "nosuch"]
    assert run_git(quiet, cwd=str(born.path), allowed_statuses=(0, 1)) == b""
    assert run_git(quiet, cwd=str(born.path), check=False) == b""
    assert call_git(quiet, cwd=str(born.path)).status == 1
    with pytest.raises(Unavailable, match="status 1"):
        run_git(quiet, cwd=str(born.path))


def test_failure_names_the_command_behind_gits_own_options_in_a_whole_sentence(
    born: RepoBuilder,
) -> None:
    options = ["--git-dir", f"{born.path}/.git", "--literal-pathspecs", "-c", "a.b=c"]
    with pytest.raises(Unavailable) as error:
        run_git([*options, "diff-tree", "--bogus"], cwd=str(born.path))
    assert error.value.message.startswith("git diff-tree failed with status 129: ")
    assert error.value.message.endswith("."), error.value.message
    with pytest.raises(NotARepository, match="can only be used inside"):
        run_git(["config", "--local", "a.b"], cwd=str(born.path.parent))


def test_partial_clone_is_an_error_that_says_gitmem_fetches_nothing(
    born: RepoBuilder, tmp_path: Path
) -> None:
    born.git("config", "uploadpack.allowFilter", "true")
    clone = born.clone(tmp_path / "partial", "--filter=blob:none", "--no-checkout")
    configure_git_environment(clone.env)
    with pytest.raises(Unavailable, match=r"partial clone .* gitmem fetches nothing\.$") as error:
        run_git(["cat-file", "blob", "HEAD:a.txt"], cwd=str(clone.path))
    assert "git cat-file by hand" in error.value.hint


def test_git_is_missing(born: RepoBuilder, tmp_path: Path) -> None:
    configure_git_environment({"PATH": str(tmp_path)})
    with pytest.raises(Unavailable, match="git was not found on PATH") as error:
        run_git(["status"], cwd=str(born.path))
    assert error.value.hint


def test_git_in_a_relative_path_entry_is_never_run(
    born: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    born.write({"git": "#!/bin/sh\ntouch ran\n"})
    (born.path / "git").chmod(0o755)
    monkeypatch.chdir(born.path)
    configure_git_environment({"PATH": f".{os.pathsep}{os.pathsep}bin"})
    with pytest.raises(Unavailable):
        run_git(["status"], cwd=str(born.path))
    assert not (born.path / "ran").exists()


def test_program_that_cannot_start(tmp_path: Path) -> None:
    fake_git(tmp_path / "bin", "")
    (tmp_path / "bin" / "git").write_bytes(b"\0not a program")
    with pytest.raises(Unavailable, match="not found"):
        run_git(["status"], cwd=str(tmp_path))


@pytest.mark.parametrize("stdin", [None, b""], ids=["spawned", "by subprocess"])
def test_time_out_ends_the_child(tmp_path: Path, stdin: bytes | None) -> None:
    fake_git(tmp_path / "bin", f"echo $$ > {tmp_path}/pid; exec sleep 30")
    begin = time.monotonic()
    with pytest.raises(Unavailable, match=r"longer than 0\.5 seconds"):
        run_git(["status"], cwd=str(tmp_path), timeout=0.5, stdin=stdin)
    assert time.monotonic() - begin < 5
    assert not runs(tmp_path / "pid")


def test_time_out_after_the_output_ended(tmp_path: Path) -> None:
    fake_git(tmp_path / "bin", "exec >&- 2>&-; exec sleep 30")
    with pytest.raises(Unavailable, match="longer than"):
        run_git(["status"], cwd=str(tmp_path), timeout=0.2)


def test_too_much_output(tmp_path: Path) -> None:
    fake_git(tmp_path / "bin", "exec yes")
    with pytest.raises(Unavailable, match="more than 1000 bytes"):
        run_git(["status"], cwd=str(tmp_path), max_bytes=1000)


def test_much_output_and_many_errors_do_not_block(tmp_path: Path) -> None:
    noise = "yes error | head -c 3000000 >&2; yes | head -c 3000000; yes error | head -c 300000 >&2"
    fake_git(tmp_path / "bin", noise)
    done = call_git(["status"], cwd=str(tmp_path))
    assert (done.status, len(done.out), len(done.err)) == (0, 3_000_000, 1 << 16)


def test_stream_ends_the_child_when_the_reader_stops(tmp_path: Path) -> None:
    fake_git(tmp_path / "bin", f"echo $$ > {tmp_path}/pid; exec yes")
    chunks = stream_git(["log"], cwd=str(tmp_path))
    assert next(chunks).startswith(b"y\n")
    chunks.close()  # type: ignore[attr-defined]
    assert not runs(tmp_path / "pid")


def test_stream_tells_failure_at_its_end(tmp_path: Path) -> None:
    fake_git(tmp_path / "bin", "echo one; echo 'fatal: broken' >&2; exit 128")
    chunks = stream_git(["log"], cwd=str(tmp_path))
    assert next(chunks) == b"one\n"
    with pytest.raises(Unavailable, match="broken"):
        next(chunks)


def test_slow_reader_is_not_timed_out(tmp_path: Path) -> None:
    fake_git(tmp_path / "bin", "echo one; echo two")
    chunks = stream_git(["log"], cwd=str(tmp_path), timeout=0.3)
    first = next(chunks)
    time.sleep(0.5)
    assert first + b"".join(chunks) == b"one\ntwo\n"


def test_git_that_waits_for_the_processor_gets_more_of_the_clock(tmp_path: Path) -> None:
    fake_git(tmp_path / "bin", "echo one; sleep 0.4; echo two")
    with pytest.raises(Unavailable, match=r"longer than 0\.2 seconds"):
        b"".join(stream_git(["log"], cwd=str(tmp_path), timeout=0.2))
    assert (
        b"".join(stream_git(["log"], cwd=str(tmp_path), timeout=0.2, grace_factor=9))
        == b"one\ntwo\n"
    )
    # Not without end, and not one that is at work.
    fake_git(tmp_path / "asleep", "exec sleep 30")
    begin = time.monotonic()
    with pytest.raises(Unavailable, match="longer than"):
        b"".join(stream_git(["log"], cwd=str(tmp_path), timeout=0.1, grace_factor=3))
    fake_git(tmp_path / "busy", "while :; do :; done")
    with pytest.raises(Unavailable, match="longer than"):
        b"".join(stream_git(["log"], cwd=str(tmp_path), timeout=0.2, grace_factor=50))
    assert time.monotonic() - begin < 5


def test_dubious_ownership_is_reported_with_the_way_out(tmp_path: Path) -> None:
    fake_git(
        tmp_path / "bin",
        "echo \"fatal: detected dubious ownership in repository at 'x'\" >&2; exit 128",
    )
    with pytest.raises(ForeignFile, match="another user") as error:
        run_git(["status"], cwd=str(tmp_path / "a b"))
    assert f"safe.directory '{tmp_path}/a b'" in error.value.hint


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs chown")
def test_dubious_ownership_for_real(born: RepoBuilder) -> None:
    os.chown(born.path / ".git", 12345, 12345)
    os.chown(born.path, 12345, 12345)
    with pytest.raises(ForeignFile):
        run_git(["status"], cwd=str(born.path))


def test_errors_show_no_credential_and_no_control_character(tmp_path: Path) -> None:
    secret = "".join(("hun", "ter2"))
    line = f"fatal: unable to access https://me:{secret}@host/a\\033[31m"
    fake_git(tmp_path / "bin", f"printf '{line}\\n' >&2; exit 128")
    with pytest.raises(Unavailable, match="unable to access https://host/a") as error:
        run_git(["fetch"], cwd=str(tmp_path))
    assert secret not in error.value.message
    assert error.value.message.isprintable()


def test_leaked_git_variables_do_not_reach_git(born: RepoBuilder, tmp_path: Path) -> None:
    """A hook run from a linked work tree exports GIT_DIR and GIT_INDEX_FILE."""
    other = RepoBuilder(tmp_path / "other")
    names = born.git("rev-parse", "--local-env-vars").splitlines()
    leaks = dict.fromkeys(names, str(other.path / ".git")) | {"GIT_CONFIG_COUNT": "x"}
    assert born.git("rev-parse", "HEAD", env=leaks, check=False) != born.head()
    configure_git_environment(isolated_environment(tmp_path / "home") | leaks | {"GIT_TRACE": "1"})
    done = call_git(["rev-parse", "HEAD"], cwd=str(born.path))
    assert done == FinishedProcess(0, f"{born.head()}\n".encode(), b"")


def test_environment_is_scrubbed_and_hardened(tmp_path: Path) -> None:
    fake_git(tmp_path / "bin", "env", GIT_DIR="x", GIT_EXTERNAL_DIFF="x", GIT_CONFIG_GLOBAL="/g")
    observed = run_git(["status"], cwd=str(tmp_path)).decode().splitlines()
    assert {"GIT_OPTIONAL_LOCKS=0", "GIT_CONFIG_GLOBAL=/g", "GIT_ALLOW_PROTOCOL="} <= set(observed)
    assert not [line for line in observed if line.startswith(("GIT_DIR=", "GIT_EXTERNAL_DIFF="))]
    observed = run_git(["fetch"], cwd=str(tmp_path), allow_network=True).decode().splitlines()
    assert "GIT_ALLOW_PROTOCOL=file:git:http:https:ssh" in observed


def test_network_is_closed_unless_asked_for(born: RepoBuilder) -> None:
    queries = ["ls-remote", f"file://{born.path}"]
    with pytest.raises(Unavailable, match="not allowed"):
        run_git(queries, cwd=str(born.path))
    assert born.head().encode() in run_git(queries, cwd=str(born.path), allow_network=True)


def test_setting_with_an_equals_sign_in_its_name(born: RepoBuilder) -> None:
    born.git("config", "filter.a=b.clean", "touch ran")
    setting = ("filter.a=b.clean", "")
    output = run_git(["config", "filter.a=b.clean"], cwd=str(born.path), config=[setting])
    assert output == b"\n"


def test_bare_repository_is_opened_when_it_is_named(tmp_path: Path) -> None:
    bare = RepoBuilder(tmp_path / "bare.git", "--bare")
    output = run_git(["rev-parse", "--is-bare-repository"], cwd=str(bare.path))
    assert output == b"true\n"
    with pytest.raises(Unavailable, match="bareRepository"):
        run_git(["rev-parse", "HEAD"], cwd=str(bare.path / "refs"))


def test_pathspec_magic_is_off(born: RepoBuilder) -> None:
    assert run_git(["ls-files", "--", ":(top)*"], cwd=str(born.path)) == b""


def test_never_configured_still_finds_git(born: RepoBuilder) -> None:
    code = (
        "from gitmem.git.runner import run_git;"
        f"print(run_git(['rev-parse', 'HEAD'], cwd={str(born.path)!r}).decode(), end='')"
    )
    env = born.env | {"GIT_DIR": "/nowhere"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
    assert done.stdout == born.head() + "\n", done.stderr


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_works_where_standard_streams_are_closed(
    born: RepoBuilder, tmp_path: Path, closed: str
) -> None:
    """A detached hook may be started without any of the three."""
    code = (
        "import sys; from pathlib import Path; from gitmem.git.runner import call_git;"
        "done = call_git(['rev-parse', 'HEAD', '--nosuch'], cwd=sys.argv[1]);"
        "Path(sys.argv[2]).write_bytes(done.out + done.err)"
    )
    answer = tmp_path / "answer"
    script = f'exec "$@" {closed}'
    argv = ["sh", "-c", script, "sh", sys.executable, "-c", code, str(born.path), str(answer)]
    subprocess.run(argv, env=born.env, check=True)
    assert answer.read_text() == f"{born.head()}\n--nosuch\n"


def test_works_where_the_parent_ignores_its_children(born: RepoBuilder) -> None:
    code = (
        "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN);"
        "from gitmem.git.runner import run_git;"
        f"print(run_git(['rev-parse', 'HEAD'], cwd={str(born.path)!r}).decode(), end='')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=born.env
    )
    assert done.stdout == born.head() + "\n", done.stderr
