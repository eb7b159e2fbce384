"""Real git repositories for tests, the same on every machine and every run.

``RepoBuilder`` runs the git binary in an environment of its own: no user or system configuration,
no ``GIT_*`` of the caller (a hook that runs the tests sets ``GIT_DIR``), fixed names and dates.

    repo = RepoBuilder(tmp_path / "repo")
    first = repo.commit("Add the parser", {"src/parser.py": "x = 1\\n"})
    repo.branch("feature")                      # made and checked out
    repo.commit("Try it", {"src/try.py": ""}, when="2024-03-01T10:00:00+00:00")
    repo.switch("main")
    repo.merge("feature")

Each commit is one minute after the last, from 2024-01-01T00:00:00Z, so order is never a tie.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from tests.support import trees

AUTHOR = "Ada Lovelace <ada@example.org>"
_HEX = set("0123456789abcdef")
_EPOCH = 1_704_067_200  # 2024-01-01T00:00:00Z
# No commit starts another process to look whether there is something to tidy up.
_OPTIONS = tuple(
    word
    for option in ("protocol.file.allow=always", "core.editor=true", "maintenance.auto=false")
    for word in ("-c", option)
)


CONTEXTUAL = "GITMEM_EMBEDDING_CONTEXTUAL"


def isolated_environment(home: Path) -> dict[str, str]:
    """The environment for git and gitmem under test: ``home`` is an empty HOME.

    Give it to ``gitmem.git.runner.configure_git_environment`` or to a child process.
    """
    home.mkdir(parents=True, exist_ok=True)
    saved = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "XDG_", "GITMEM_"))}
    # A hook whose own program is gone starts the one on the PATH: in an active virtual environment
    # that would be a second drain, which takes what a test is waiting for.
    places = saved.get("PATH", "").split(os.pathsep)
    saved["PATH"] = os.pathsep.join(
        place for place in places if not os.path.exists(os.path.join(place, "gitmem"))
    )
    return saved | {
        "HOME": str(home),
        # As for the commands: what a hook starts looks for the keys of stores there.
        "GITMEM_HOME": str(home / "gitmem"),
        # Reading memories costs 100 ms and more: tests that are about it switch it on.
        CONTEXTUAL: "off",
        # What other tools say of a change depends on which of them are installed.
        "GITMEM_REVIEW_TOOLS": "none",
        "USERPROFILE": str(home),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "Ada Lovelace",
        "GIT_AUTHOR_EMAIL": "ada@example.org",
        "GIT_COMMITTER_NAME": "Ada Lovelace",
        "GIT_COMMITTER_EMAIL": "ada@example.org",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
    }


def _template() -> str:
    """What git puts into a new repository, without its thirteen samples of hooks.

    Nothing here runs them, and they were a quarter of the files that a copy of a repository copies.
    """
    return _made_template().name


@cache
def _made_template() -> tempfile.TemporaryDirectory[str]:
    made = tempfile.TemporaryDirectory(prefix="gitmem-template-")
    for folder in ("hooks", "info"):
        Path(made.name, folder).mkdir()
    Path(made.name, "info", "exclude").write_text("# Kept out of this clone only.\n")
    return made


@cache
def _empty() -> tempfile.TemporaryDirectory[str]:
    """What ``git init`` makes, once: a copy costs a tenth of it."""
    made = tempfile.TemporaryDirectory(prefix="gitmem-empty-")
    with tempfile.TemporaryDirectory() as home:
        words = ["git", "init", "-q", "-b", "main", f"--template={_template()}", made.name]
        subprocess.run(words, env=isolated_environment(Path(home)), check=True)
    return made


class RepoBuilder:
    """One repository being built; made with ``git init`` unless ``init`` is false.

    ``path`` is its folder, ``home`` the HOME its git runs with (next to it unless given),
    ``env`` the whole environment.
    """

    def __init__(self, path: Path, *init_options: str, init: bool = True, home: Path | None = None):
        self.path = path
        self.home = home or path.parent / "home"
        self.env = isolated_environment(self.home)
        self._now = _EPOCH
        path.mkdir(parents=True, exist_ok=True)
        usual = not (
            init_options or (self.home / ".gitconfig").exists() or (path / ".git").exists()
        )
        if init and usual:
            trees.copy(Path(_empty().name), path)
        elif init:
            self.git("init", "-q", "-b", "main", f"--template={_template()}", *init_options)

    def git(
        self,
        *args: str,
        env: dict[str, str] | None = None,
        cwd: Path | None = None,
        stdin: bytes = b"",
        check: bool = True,
    ) -> str:
        """Run git; its standard output without the last newline. ``env`` adds variables."""
        done = subprocess.run(
            ["git", *_OPTIONS, *args],
            cwd=cwd or self.path,
            env=self.env | (env or {}),
            input=stdin,
            capture_output=True,
            check=False,
        )
        if check and done.returncode:
            raise AssertionError(f"git {' '.join(args)}: {done.stderr.decode('utf-8', 'replace')}")
        return done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")

    def write(self, files: dict[str, str]) -> None:
        """Write files below the root, without adding them."""
        for name, text in files.items():
            target = self.path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode("utf-8", "surrogateescape"))

    def commit(
        self,
        message: str,
        files: dict[str, str] | None = None,
        *,
        author: str = AUTHOR,
        when: str | None = None,
    ) -> str:
        """Write the files, commit everything (also nothing), answer the new commit's id.

        ``when`` is a date git understands, for author and committer.
        """
        self.write(files or {})
        self.git("add", "-A")
        dates = self._dates(when)
        self.git("commit", "-q", "--allow-empty", "-m", message, f"--author={author}", env=dates)
        return self.head()

    def branch(self, name: str, start: str = "HEAD") -> None:
        """Make a branch and check it out."""
        self.git("checkout", "-q", "-b", name, start)

    def switch(self, name: str) -> None:
        """Check out a branch or a commit."""
        self.git("checkout", "-q", name)

    def merge(self, *names: str, message: str | None = None) -> str:
        """Merge branches with a merge commit; answer its id."""
        text = ["-m", message] if message else ["--no-edit"]
        self.git("merge", "-q", "--no-ff", *text, *names, env=self._dates(None))
        return self.head()

    def head(self) -> str:
        """The id of the commit HEAD stands on."""
        try:  # as git does it, without the start of a process
            named = (self.path / ".git" / "HEAD").read_text().rstrip("\n").rpartition(" ")[2]
            found = named if set(named) <= _HEX else ""
            found = found or (self.path / ".git" / named).read_text().rstrip("\n")
        except OSError:  # packed, of a linked work tree, or none
            found = ""
        return found if found and set(found) <= _HEX else self.git("rev-parse", "HEAD")

    def clone(self, path: Path, *options: str) -> RepoBuilder:
        """A clone of this repository by file URL, with git clone's options."""
        how = ["-q", f"--template={_template()}", *options]
        self.git("clone", *how, f"file://{self.path}", str(path), cwd=self.path.parent)
        return RepoBuilder(path, init=False, home=self.home)

    def worktree(self, path: Path, branch: str) -> RepoBuilder:
        """A linked work tree on a new branch."""
        self.git("worktree", "add", "-q", "-b", branch, str(path))
        return RepoBuilder(path, init=False, home=self.home)

    def go_on_after(self, commits: int) -> None:
        """Date the next commit as if this many had been made here: for copies."""
        self._now = _EPOCH + 60 * commits

    def _dates(self, when: str | None) -> dict[str, str]:
        self._now += 60
        date = when or f"{self._now} +0000"
        return {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}


def slow_git(folder: Path, when: str) -> str:
    """A PATH whose git takes a minute where its arguments match a pattern of the shell."""
    program = folder / "git"
    program.write_text(
        f'#!/bin/sh\ncase "$*" in {when}) exec sleep 60;; esac\nexec {shutil.which("git")} "$@"\n'
    )
    program.chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"
