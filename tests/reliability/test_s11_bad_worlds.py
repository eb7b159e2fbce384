"""git does exactly what it does without gitmem, whatever is broken (S-11).

Each situation runs the same git commands twice, in copies of one repository with and without the
hooks, and compares every exit status, everything git printed, refs, index and configuration. git's
own trace tells that it really started the hooks there: a world in which none ran shows nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gitmem.githooks import shims
from gitmem.spool import lease
from gitmem.spool.git_events import RewriteEvent
from tests.githooks.conftest import Site, make_template, script, site_in, tree
from tests.reliability.scoring import Score
from tests.support import children, trees
from tests.support.repos import RepoBuilder
from tests.support.stores import make_store, open_store
from tests.support.waiting import wait_until

GIT = shutil.which("git") or "git"
DATE = {"GIT_AUTHOR_DATE": "2024-05-01T10:00:00Z", "GIT_COMMITTER_DATE": "2024-05-01T10:00:00Z"}
NOBODY = 65534
WORK = (
    "commit -q --allow-empty -m one",
    "switch -q -c side",
    "commit -q --allow-empty -m two",
    "commit -q --amend --allow-empty -m three",
    "switch -q nowhere",
    "checkout -q HEAD~1 -- a.txt",
    "switch -q main",
    "merge -q --no-ff -m merged side",
    "merge -q side",
    "cherry-pick --allow-empty side",
    "checkout -q side",
    "rebase -q main",
    "rebase -q --force-rebase HEAD~1",
    "worktree add -q ../tree",
    "-C ../tree commit -q --allow-empty -m four",
    "bisect start HEAD HEAD~2",
    "bisect reset",
    "stash",
)
# One for each way in which git runs hooks: what most worlds of the quick tier do.
FEW = (
    "switch -q -c side",
    "commit -q --allow-empty -m two",
    "commit -q --amend --allow-empty -m three",
    "switch -q main",
    "merge -q --no-ff -m merged side",
    "checkout -q side",
    "rebase -q --force-rebase HEAD~1",
)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with one commit; nobody writes to it."""
    return make_template(tmp_path_factory.mktemp("template"))


@pytest.fixture
def site(tmp_path: Path, template: Path) -> Iterator[Site]:
    """An ordinary repository with an empty hooks folder."""
    with site_in(tmp_path, template) as made:
        yield made


@dataclass
class Situation:
    """What differs: the environment, a limit set in the child, another user."""

    env: dict[str, str] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    limit: Callable[[], None] | None = None
    user: int | None = None


def run(repo: RepoBuilder, line: str, situation: Situation) -> tuple[int, bytes, bytes]:
    env = {**repo.env, **DATE, **situation.env}
    done = subprocess.run(
        [GIT, *line.split(" ")],
        cwd=repo.path,
        env={name: value for name, value in env.items() if name not in situation.without},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=60,
        preexec_fn=situation.limit,
        user=situation.user,
    )
    return done.returncode, done.stdout, done.stderr


def picture(repo: RepoBuilder) -> list[str]:
    """Refs, HEAD, index and configuration."""
    config = (repo.path / ".git" / "config").read_bytes()
    messages = [
        repo.git("-c", "safe.directory=*", *words)
        for words in (
            ("for-each-ref",),
            ("symbolic-ref", "-q", "HEAD"),
            ("ls-files", "--stage"),
            ("status", "--porcelain", "-b"),
            ("reflog", "--format=%H %gs"),
        )
    ]
    return [*messages, hashlib.sha256(config).hexdigest()]


def usual(score: Score) -> tuple[str, ...]:
    """What is done in a world that says nothing else."""
    return WORK if score.size(quick=0, full=1) else FEW


Outcome = tuple[list[tuple[int, bytes, bytes]], list[str]]
_WITHOUT: dict[str, Outcome] = {}  # the same for every store


def compare(
    folder: Path,
    template: Path,
    situation: Situation,
    prepare: Callable[[Site], None],
    score: Score,
    work: tuple[str, ...],
) -> Site:
    """Run the work with and without hooks and tell it as one world; the site with hooks."""
    key = f"{situation} {len(work)}"
    if key not in _WITHOUT:
        plain = copy(folder / "without", template)
        _WITHOUT[key] = outcome(plain, situation, work)
    site = copy(folder / "with", template)
    site.install()
    prepare(site)
    trace = folder / "trace"
    trace.mkdir()
    trace.chmod(0o777)  # git may run as somebody else
    site.repo.env["GIT_TRACE2_EVENT"] = str(trace)
    done, observed = outcome(site, situation, work)
    started = hooks_started(trace)
    expected, expected_seen = _WITHOUT[key]
    for line, without, with_hooks in zip(work, expected, done, strict=True):
        assert (line, with_hooks) == (line, without)
    assert observed == expected_seen
    assert sum(status == 0 for status, _, _ in expected) > len(work) / 2
    score.report("worlds", cases=1, fired=min(started, 1), commands=len(work), hooks=started)
    return site


def hooks_started(trace: Path) -> int:
    """How many hooks git started, by the events that it wrote into a folder."""
    lines = b"".join(path.read_bytes() for path in trace.iterdir()).splitlines()
    return sum(json.loads(line).get("child_class") == "hook" for line in lines if b"hook" in line)


def copy(folder: Path, template: Path) -> Site:
    trees.copy(template, folder / "repo")
    (folder / "repo" / ".git" / "hooks").mkdir()
    repo = RepoBuilder(folder / "repo", init=False)
    (repo.path / ".git" / "info" / "exclude").write_text("/.gitmem\n")
    return Site(repo)


def outcome(site: Site, situation: Situation, work: tuple[str, ...]) -> Outcome:
    if situation.user is not None and os.geteuid() == 0:
        _give(site.repo.path.parent, situation.user)
    return [run(site.repo, line, situation) for line in work], picture(site.repo)


def _give(folder: Path, user: int) -> None:
    for path in (folder, *folder.rglob("*")):
        os.chown(path, user, user, follow_symlinks=False)


def nothing(site: Site) -> None:
    """Leave the installed hooks as they are."""


def no_folder(site: Site) -> None:
    shutil.rmtree(site.spool.parent)


def file_for_folder(site: Site) -> None:
    no_folder(site)
    site.spool.parent.write_text("garbage")


def garbage(site: Site) -> None:
    (site.spool.parent / "memory.db").write_bytes(b"\0garbage" * 99)
    (site.spool / "events").write_bytes(os.urandom(999))
    (site.spool / "drain").write_bytes(b"\xff -1 ; rm\n\n")


def folders_for_files(site: Site) -> None:
    (site.spool / "events").mkdir()
    (site.spool / "drain").mkdir()


def full(site: Site) -> None:
    (site.spool / "events").write_bytes(b"x\n" * (1 << 20))


def failing_drain(site: Site) -> None:
    fail = script(site.repo.path.parent / "fail", "#!/bin/sh\necho no >&2\nexit 3\n")
    site.command = (str(fail),)
    site.install()


def killed_drain(site: Site) -> None:
    die = script(site.repo.path.parent / "die", "#!/bin/sh\necho no >&2\nkill -9 $$\n")
    site.command = (str(die),)
    site.install()


def links(site: Site) -> None:
    """Where a file outside would be written, if they were followed."""
    outside = site.repo.path.parent / "outside"
    outside.write_text("mine\n")
    for name in ("events", "drain", "lock"):
        (site.spool / name).symlink_to(outside)


def no_script(site: Site) -> None:
    site.script.unlink()


def garbled_script(site: Site) -> None:
    site.script.write_bytes(b"\0( syntax error\nexit 7\n")


def half_a_script(site: Site) -> None:
    """As a loss of power leaves it."""
    site.script.write_bytes(b"")


@pytest.mark.parametrize(
    "prepare",
    [
        nothing,  # what the hooks start is not there
        no_folder,
        file_for_folder,
        garbage,
        folders_for_files,
        full,
        failing_drain,
        killed_drain,
        links,
        no_script,
        garbled_script,
        half_a_script,
    ],
)
def test_whatever_the_store_is(
    tmp_path: Path, template: Path, score: Score, prepare: Callable[[Site], None]
) -> None:
    work = WORK if prepare is nothing else usual(score)
    site = compare(tmp_path, template, Situation(), prepare, score, work)
    outside = site.repo.path.parent / "outside"
    assert not outside.exists() or outside.read_text() == "mine\n"


def real_drain(site: Site) -> Path:
    """Hooks that start gitmem itself, on a store; where that store lies."""
    site.command = (sys.executable, "-P", "-m", "gitmem")
    site.install()
    store = site.spool.parent / "memory.db"
    # Its key goes where the drain looks for it.
    (site.repo.home / ".local/share/gitmem/stores").mkdir(parents=True)
    make_store(store).close()
    return store


def newer(site: Site) -> None:
    database = open_store(str(real_drain(site)))
    database.connection.pragma("user_version", 999_999)
    database.close()


def corrupt(site: Site) -> None:
    real_drain(site).write_bytes(b"\0garbage" * 999)


def half_corrupt(site: Site) -> None:
    store = real_drain(site)
    content = bytearray(store.read_bytes())
    content[4096:12288] = os.urandom(8192)
    store.write_bytes(content)


@pytest.mark.parametrize("prepare", [newer, corrupt, half_corrupt])
def test_whatever_the_store_is_that_a_real_drain_opens(
    tmp_path: Path, template: Path, score: Score, prepare: Callable[[Site], None]
) -> None:
    """Newer schema, damaged store. The drain fails beside the user's work, unseen."""
    compare(tmp_path, template, Situation(), prepare, score, usual(score))
    settled(tmp_path / "with")


@children.needs_fork
def test_a_store_that_somebody_holds_delays_nobody(
    tmp_path: Path, template: Path, score: Score
) -> None:
    """S-10 too: the lock is held throughout; every command's output is read through a pipe."""
    with ExitStack() as stack:

        def locked(site: Site) -> None:
            stack.enter_context(children.holding(str(real_drain(site))))

        begin = time.monotonic()
        compare(tmp_path, template, Situation(), locked, score, WORK)
        # One wait for the lock takes 10 s, and the work has 18 commands that fire hooks: 180 s.
        assert time.monotonic() - begin < 90
    settled(tmp_path / "with")


def settled(folder: Path) -> None:
    """A drain was there, and is gone: it must not write where pytest tidies up."""
    spool = folder / "repo" / ".gitmem" / "spool"
    wait_until((spool / "lock").exists)
    wait_until(lambda: not lease.is_spool_lease_held(str(spool)))


def few_files() -> None:
    """What git itself just gets by with."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))


@pytest.mark.parametrize(
    "situation",
    [
        Situation(env={"PATH": ""}),
        Situation(without=("PATH", "HOME", "LC_ALL", "TZ")),
        Situation(env={"GITMEM_HOOKS": "0"}),
        Situation(env={"PATH": "/nonexistent", "HOME": "/nonexistent"}),
        Situation(limit=few_files),
    ],
    ids=["empty PATH", "no PATH and no HOME", "turned off", "nonsense", "few open files"],
)
def test_whatever_the_environment_is(
    tmp_path: Path, template: Path, score: Score, situation: Situation
) -> None:
    # Older bisects are scripts that complain of a missing PATH, in any order.
    work = tuple(line for line in usual(score) if not line.startswith("bisect"))
    compare(tmp_path, template, situation, nothing, score, work)


def test_a_full_disk_under_the_spool(tmp_path: Path, template: Path, score: Score) -> None:
    limit = 1 << 16

    def fill(site: Site) -> None:
        (site.spool / "events").write_bytes(b"\n" * limit)

    def lower() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    site = compare(tmp_path, template, Situation(limit=lower), fill, score, usual(score))
    assert (site.spool / "events").stat().st_size == limit


def test_the_spool_is_bounded(site: Site) -> None:
    site.install()
    full(site)
    before = (site.spool / "events").stat().st_size
    for _ in range(3):
        site.repo.git("commit", "-q", "--allow-empty", "-m", "x")
    assert (site.spool / "events").stat().st_size == before


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user may enter: pytest's own are closed."""
    folder = Path(tempfile.mkdtemp(prefix="gitmem-test-"))
    folder.chmod(0o755)
    yield folder
    subprocess.run(["chmod", "-R", "u+rwx", str(folder)], check=False)
    shutil.rmtree(folder)


def test_a_read_only_spool(open_folder: Path, template: Path, score: Score) -> None:
    def close(site: Site) -> None:
        (site.spool / "events").write_bytes(b"")
        (site.spool / "events").chmod(0o444)
        site.spool.chmod(0o555)

    user = NOBODY if os.geteuid() == 0 else None
    site = compare(open_folder, template, Situation(user=user), close, score, usual(score))
    assert (site.spool / "events").read_bytes() == b""


def test_a_link_in_the_spool_is_not_written_through(site: Site, tmp_path: Path) -> None:
    site.install()
    victim = tmp_path / "victim"
    victim.write_text("mine\n")
    for name in ("events", "drain"):
        (site.spool / name).symlink_to(victim)
        site.repo.git("commit", "-q", "--allow-empty", "-m", "x")
        assert victim.read_text() == "mine\n"
        (site.spool / "events").unlink(missing_ok=True)


def test_a_rebase_of_many_commits(tmp_path: Path, template: Path, score: Score) -> None:
    many = score.size(quick=60, full=500)
    shutil.copytree(template, tmp_path / "long")
    long = RepoBuilder(tmp_path / "long", init=False)
    commits = "".join(
        f"commit refs/heads/main\ncommitter A <a@b> {1_800_000_000 + number} +0000\n"
        f"data 1\nx{'' if number else chr(10) + 'from refs/heads/main^0'}\n"
        for number in range(many)
    )
    long.git("fast-import", "--quiet", stdin=commits.encode())
    work = ("status", f"rebase -q --force-rebase HEAD~{many}")
    site = compare(tmp_path, long.path, Situation(), nothing, score, work)
    rewrites = [event for event in site.events() if isinstance(event, RewriteEvent)]
    pairs = [pair for event in rewrites for pair in event.old_new_pairs]
    assert len(pairs) == many


def test_a_work_tree_a_submodule_and_a_bare_repository(
    tmp_path: Path, template: Path, score: Score
) -> None:
    def outcome(name: str, install: bool) -> list[object]:
        top = RepoBuilder(tmp_path / name / "top", home=tmp_path / "home")
        top.env |= DATE
        top.git("submodule", "add", "-q", str(template), "sub")
        top.git("clone", "-q", "--bare", str(template), str(tmp_path / name / "bare.git"))
        result: list[object] = []
        for path, tree_of in (("top/sub", "a"), ("bare.git", "b")):
            repo = RepoBuilder(tmp_path / name / path, init=False, home=tmp_path / "home")
            repo.env |= DATE
            site = Site(repo)
            if install:
                site.install()
            tree = tmp_path / name / tree_of
            result.append(run(repo, f"worktree add -q {tree}", Situation())[0])
            result.append(run(repo, f"-C {tree} commit -q --allow-empty -m x", Situation())[0])
            result.append(run(repo, f"-C {tree} rebase -q --force-rebase HEAD~1", Situation())[0])
            result.append(repo.git("for-each-ref"))
            assert len(site.events()) == (4 if install else 0)
        return result

    result = outcome("with", True)
    assert result == outcome("without", False)
    score.report("worlds", cases=2, fired=2, commands=6, hooks=8)  # as the events just said


def test_an_exit_status_of_post_checkout_is_always_success(site: Site) -> None:
    site.install()
    for prepare in (garbage, folders_for_files, no_folder):
        shutil.rmtree(site.spool, ignore_errors=True)
        site.spool.mkdir()
        prepare(site)
        for event in shims.EVENTS:
            done = subprocess.run(
                [site.hook(event)], cwd=site.repo.path, env={}, capture_output=True, check=False
            )
            assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_only_the_store_is_written(site: Site) -> None:
    site.install()
    site.repo.git("commit", "-q", "--allow-empty", "-m", "x")
    names = {name.split("/")[0] for name in tree(site.repo.path)}
    assert names == {".git", ".gitmem", "a.txt"}
    ours = {name for name in tree(site.git_dir) if "gitmem" in name}
    assert ours == {"gitmem", "gitmem/hook.sh"}
