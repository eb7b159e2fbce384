"""Random work in a repository with a search after each step: no wrong line, no false "stale".

The seeds are fixed. With ``GITMEM_TRUTH_SEQUENCES=500`` in the environment this file runs
as many sequences, from the seed ``GITMEM_TRUTH_FIRST`` on (CF-28).
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from gitmem.indexing import index_behind
from tests.support.apps import Desk, copy_of
from tests.support.repos import RepoBuilder

FIRST = int(os.environ.get("GITMEM_TRUTH_FIRST", "0"))
SEQUENCES = int(os.environ.get("GITMEM_TRUTH_SEQUENCES", "2"))
STEPS = 8
NAMES = ("a.py", "b.py", "src/c.py", "src/d.py", "docs/e.md")


def text(chance: random.Random, name: str) -> str:
    """Some functions, or sections, that all hold the word that is searched for."""
    numbers = [chance.randrange(30) for _ in range(chance.randrange(1, 12))]
    if name.endswith(".md"):
        return "".join(f"# Part {n}\n\nThe needle number {n} is here.\n\n" for n in numbers)
    return "".join(f"def needle_{n}():\n    value = {n}\n    return value\n\n\n" for n in numbers)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> RepoBuilder:
    chance = random.Random(0)
    repo = RepoBuilder(tmp_path_factory.mktemp("truth") / "repo")
    repo.commit("Begin", {name: text(chance, name) for name in NAMES})
    repo.branch("side")
    repo.commit("Side", {"src/c.py": text(chance, "c.py"), "side.py": text(chance, "x.py")})
    repo.switch("main")
    repo.commit("More", {"a.py": text(chance, "a.py")})
    Desk(repo.path, repo.home, GITMEM_MODEL="hashed").run("init", no_hooks=True)
    return repo


class Work:
    """A repository in which somebody works at random."""

    def __init__(self, base: RepoBuilder, folder: Path, seed: int) -> None:
        self.chance = random.Random(seed)
        self.folder = folder
        # The user stays the same: another one's store would not be opened.
        self.repo = RepoBuilder(copy_of(base, folder).path, init=False, home=base.home)
        self.desk = Desk(self.repo.path, self.repo.home, GITMEM_MODEL="hashed")
        self.desk.run("index")
        self.done: list[str] = []
        self.moves = 0

    def git(self, *words: str) -> None:
        """Run git; what it refuses just now is not done."""
        self.repo.git(*words, check=False)

    def file(self) -> Path:
        """A file that may or may not be there."""
        return self.desk.place / self.chance.choice((*NAMES, "new.py", "src/other.py"))

    # --- steps ----------------------------------------------------------------------------------

    def write(self) -> None:
        place = self.file()
        place.parent.mkdir(exist_ok=True)
        place.write_text(text(self.chance, place.name))

    def insert(self) -> None:
        place = self.file()
        if place.is_file():
            lines = place.read_text().split("\n")
            lines.insert(self.chance.randrange(len(lines)), f"# {self.chance.random()}")
            place.write_text("\n".join(lines))

    def cut(self) -> None:
        place = self.file()
        if place.is_file():
            lines = place.read_text().split("\n")
            at = self.chance.randrange(len(lines))
            place.write_text("\n".join(lines[:at] + lines[at + 3 :]))

    def save_anew(self) -> None:
        place = self.file()
        if place.is_file():
            other = place.with_suffix(".tmp")
            other.write_text("# first\n" + place.read_text())
            os.utime(other, ns=(place.stat().st_atime_ns, place.stat().st_mtime_ns))
            other.replace(place)

    def touch(self) -> None:
        place = self.file()
        if place.is_file():
            os.utime(place)

    def delete(self) -> None:
        self.file().unlink(missing_ok=True)

    def rename(self) -> None:
        result, other = self.file(), self.file()
        if result.is_file():
            other.parent.mkdir(exist_ok=True)
            result.replace(other)

    def swap_folders(self) -> None:
        src, docs = self.desk.place / "src", self.desk.place / "docs"
        if src.is_dir() and docs.is_dir():
            src.rename(self.desk.place / "swapped")
            docs.rename(src)
            (self.desk.place / "swapped").rename(docs)

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "--allow-empty", "-m", "Work")

    def index(self) -> None:
        self.desk.run("index")

    def move_clone(self) -> None:
        self.moves += 1
        there = self.folder / f"moved{self.moves}"
        self.desk.place.rename(there)
        self.repo = RepoBuilder(there, init=False, home=self.repo.home)
        self.desk = self.desk.at(there)

    def work_tree(self) -> None:
        """Add a linked work tree, index and search it, and take it away."""
        linked = self.folder / "linked"
        self.git("worktree", "add", "--detach", str(linked), "side")
        if linked.is_dir():
            desk = self.desk.at(linked)
            desk.run("index")
            (linked / "a.py").write_text("# above\n" + (linked / "a.py").read_text())
            check(desk)
            shutil.rmtree(linked)
            self.git("worktree", "prune")

    def steps(self) -> dict[str, Callable[[], None]]:
        """What may be done, by name."""
        own = (
            *(self.write, self.insert, self.cut, self.save_anew, self.touch, self.delete),
            *(self.rename, self.swap_folders, self.commit, self.index, self.index),
            *(self.move_clone, self.work_tree),
        )
        git = (
            *("switch side", "switch main", "switch -c other", "tag mark", "reset --hard"),
            *("reset --hard HEAD~1", "stash --include-untracked", "stash pop", "rebase side"),
            *("cherry-pick side", "rebase --abort", "cherry-pick --abort", "status"),
        )
        query = {words: (lambda words=words: self.git(*words.split())) for words in git}
        return {**{f"{n} {item.__name__}": item for n, item in enumerate(own)}, **query}

    def step(self) -> None:
        """Do one of them, and search."""
        steps = self.steps()
        name = self.chance.choice(list(steps))
        self.done.append(name)
        steps[name]()
        check(self.desk)


def check(desk: Desk) -> None:
    """Every line that a search shows stands where it says; "stale" means that there is work."""
    for query in ({"query": "needle value"}, {"query": "needle_7", "mode": "symbol"}):
        found = desk.run("search", sources=("code", "notes"), limit=30, **query)
        for hit in found.hits:
            place = desk.place / hit.path
            assert place.is_file(), f"{hit.path} is not there"
            # A signature is stored without its colon; a comment stands above what it is about.
            above = 12 if "mode" in query else 0
            first = max(hit.start_line - 1 - above, 0)
            lines = place.read_text().split("\n")[first : hit.end_line]
            lost = [
                item for item in hit.snippet.split("\n") if not any(item in line for line in lines)
            ]
            assert not lost, f"{hit} is not in {lines}"
        app = desk.app()
        exact = index_behind.measure_lag(app)
        app.close()
        if found.index.state == "stale":
            assert exact.state == "stale", f"said to be stale: {found.index}"


@pytest.mark.timeout(60 + 20 * SEQUENCES)
def test_random_work_never_makes_a_search_lie(base: RepoBuilder, tmp_path: Path) -> None:
    for seed in range(FIRST, FIRST + SEQUENCES):
        folder = tmp_path / str(seed)
        folder.mkdir()
        work = Work(base, folder, seed)
        try:
            for _ in range(STEPS):
                work.step()
            work.index()
            check(work.desk)
            findings = work.desk.run("doctor").findings
            (messages,) = [finding.message for finding in findings if finding.check == "search"]
            assert messages == "the index is up to date"
            assert work.desk.run("index").added == 0
        except Exception as error:
            raise AssertionError(f"seed {seed}: {work.done}") from error
        shutil.rmtree(folder)
