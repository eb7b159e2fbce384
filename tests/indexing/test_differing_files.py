"""A run after a commit looks at what may differ alone, and comes to the same as one over all."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest

import gitmem
from gitmem.indexing import differing_files, file_filter, index_behind, refresh, secret_files
from gitmem.store.code import tree_state
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder, isolated_environment
from tests.support.stores import open_store

ROOT = str(Path(gitmem.__file__).parent)
_NUMBER = re.compile(r"\b\d+\b")
SHOWN = "SELECT p.path, p.language, b.oid, b.cutter FROM paths p JOIN blobs b ON b.id = p.blob"
EDGES = (
    "SELECT e.kind, s.path, s.name, t.path, t.name, e.line, e.confidence FROM graph_edges e "
    "JOIN graph_nodes s ON s.id = e.source JOIN graph_nodes t ON t.id = e.target"
)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A repository with some files, indexed, without hooks."""
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Start", {"lib/a.py": "x = 1\n", "lib/b.py": "def run():\n    return 1\n"})
    made = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    made.run("init", no_hooks=True)
    return made


@pytest.fixture
def repo(desk: Desk) -> RepoBuilder:
    """The repository of ``desk``."""
    return RepoBuilder(desk.place)


def drained(desk: Desk) -> None:
    """Bring the index up to date as the drain does."""
    app = desk.app()
    refresh.refresh_index(app, refresh.plan_index_update(app, all_files=False))
    app.close()


def rows(desk: Desk) -> list[list[tuple[object, ...]]]:
    """What the worktree shows, and the edges of its graph."""
    database = open_store(str(desk.store))
    found = [sorted(database.rows(question)) for question in (SHOWN, EDGES)]
    database.close()
    return found


def was_narrow(desk: Desk) -> bool:
    """Whether a drain that came now would look at some files alone."""
    app = desk.app()
    few = refresh.plan_index_update(app, all_files=False).few
    app.close()
    return few is not None


STEPS: dict[str, Callable[[RepoBuilder], object]] = {
    "a commit": lambda repo: repo.commit("x", {"lib/a.py": "from lib import b\n\nb.run()\n"}),
    "an edit": lambda repo: repo.write({"lib/b.py": "def run():\n    return 2\n"}),
    "an untracked file": lambda repo: repo.write({"new.py": "from lib.b import run\nrun()\n"}),
    "it goes": lambda repo: (repo.path / "new.py").unlink(),
    "the edit is undone": lambda repo: repo.git("checkout", "-q", "--", "lib/b.py"),
    "a staged edit": lambda repo: (
        repo.write({"lib/b.py": "def run(): ...\ndef walk(): ...\n"}),
        repo.git("add", "-A"),
    ),
    "it is unstaged and undone": lambda repo: repo.git("reset", "-q", "--hard"),
    "a file is deleted": lambda repo: (repo.path / "lib/b.py").unlink(),
    "it comes back": lambda repo: repo.git("checkout", "-q", "--", "lib/b.py"),
    "a staged deletion": lambda repo: repo.git("rm", "-q", "--cached", "lib/a.py"),
    "and the file too": lambda repo: (repo.path / "lib/a.py").unlink(),
    "all is as committed": lambda repo: repo.git("reset", "-q", "--hard"),
    "a rename": lambda repo: (
        repo.git("mv", "lib/a.py", "lib/c.py"),
        repo.git("commit", "-qm", "Rename"),
    ),
    "a link in place of a file": lambda repo: (
        (repo.path / "lib/c.py").unlink(),
        (repo.path / "lib/c.py").symlink_to("b.py"),
        repo.git("commit", "-qam", "Link"),
    ),
    "a file in place of a link": lambda repo: (
        (repo.path / "lib/c.py").unlink(),
        repo.commit("File", {"lib/c.py": "def see(): ...\n"}),
    ),
    "a folder in place of a file": lambda repo: (
        repo.git("rm", "-q", "lib/c.py"),
        repo.commit("Folder", {"lib/c.py/d.py": "def dig(): ...\n"}),
    ),
    "an ignored file": lambda repo: repo.write({".gitmemignore": "lib/b.py\n"}),
    "ignored no more": lambda repo: (repo.path / ".gitmemignore").unlink(),
    "a secret in a name": lambda repo: repo.commit(
        "Secret", {"ghp_1234567890abcdefghij1234567890abcdef.py": "x = 1\n"}
    ),
    "another branch": lambda repo: repo.git("checkout", "-q", "-b", "side", "HEAD~3"),
    "and back": lambda repo: repo.git("checkout", "-q", "main"),
    "a merge that conflicts": lambda repo: (
        repo.git("checkout", "-q", "-b", "one", "HEAD~1"),
        repo.commit("one", {"lib/b.py": "one = 1\n"}),
        repo.git("checkout", "-q", "-b", "two", "HEAD~1"),
        repo.commit("two", {"lib/b.py": "two = 2\n"}),
        repo.git("merge", "-q", "one", check=False),
    ),
    "given up": lambda repo: repo.git("reset", "-q", "--hard"),
    "a manifest": lambda repo: repo.commit("Manifest", {"pyproject.toml": "[project]\n"}),
}


def test_each_step_comes_to_what_a_look_at_every_file_would(desk: Desk, repo: RepoBuilder) -> None:
    narrow: list[str] = []
    for name, step in STEPS.items():
        step(repo)
        if was_narrow(desk):
            narrow.append(name)
        drained(desk)
        app = desk.app()
        assert refresh.plan_index_update(app).todo.is_empty, name
        assert index_behind.measure_lag(app).state == "current", name
        app.close()
        output = rows(desk)
        desk.run("index")
        assert rows(desk) == output, name
    whole = {"an ignored file", "ignored no more", "a merge that conflicts"}
    assert set(STEPS) - set(narrow) == whole


def test_edits_that_were_followed_by_themselves_are_looked_at_again(
    desk: Desk, repo: RepoBuilder
) -> None:
    repo.write({"lib/a.py": "def edited(): ...\n"})
    app = desk.app()
    refresh.refresh_index_of_paths(app, ["lib/a.py"])
    app.close()
    repo.git("checkout", "-q", "--", "lib/a.py")
    drained(desk)
    app = desk.app()
    assert refresh.plan_index_update(app).todo.is_empty
    app.close()


def test_a_run_that_others_wrote_beside_leaves_no_note(desk: Desk, repo: RepoBuilder) -> None:
    app, beside = desk.app(), desk.app()
    looked = refresh.plan_index_update(app, all_files=False)
    repo.write({"lib/a.py": "def edited(): ...\n"})
    refresh.refresh_index_of_paths(beside, ["lib/a.py"])
    refresh.refresh_index(app, looked)
    assert not tree_state.read_changed_files_list(app.store, app.worktree)
    assert refresh.plan_index_update(app, all_files=False).few is None
    app.close()
    beside.close()


def test_other_rules_for_choosing_files_are_followed_by_a_look_at_all(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    drained(desk)
    assert was_narrow(desk)
    with monkeypatch.context() as changed:
        changed.setattr(file_filter, "_LOCKS", frozenset({"a.py"}))
        assert not was_narrow(desk)
    with monkeypatch.context() as changed:
        changed.setattr(secret_files, "_ROWS", 51)
        assert not was_narrow(desk)
    with monkeypatch.context() as changed:
        # The end of a long pattern.
        media = file_filter._MEDIA.pattern.replace("wasm", "wasm|zim")
        changed.setattr(file_filter, "_MEDIA", re.compile(media, re.IGNORECASE))
        assert not was_narrow(desk)
    assert was_narrow(desk)


def test_other_settings_and_many_files_are_looked_at_whole(
    desk: Desk, repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert was_narrow(desk)
    desk.env["GITMEM_INDEX_EXCLUDE"] = "lib/*"
    assert not was_narrow(desk)
    drained(desk)
    assert [row for row in rows(desk)[0] if str(row[0]).startswith("lib/")] == []
    assert was_narrow(desk)
    monkeypatch.setattr(differing_files, "MOST", 3)
    repo.write({f"n{number}.py": "x = 1\n" for number in range(4)})
    assert not was_narrow(desk)


# --- what it costs ------------------------------------------------------------------------------


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Counts calls of our functions, by module."""
    counts: Counter[str] = Counter()

    def look(frame: FrameType, event: str, _: object) -> None:
        name = frame.f_code.co_filename
        if event == "call" and name.startswith(ROOT):
            counts[name.removeprefix(ROOT)] += 1

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        yield counts
    finally:
        sys.setprofile(before)


def cost(folder: Path, files: int) -> tuple[Counter[str], list[str], int]:
    """Calls, SQL statements and files read, of what follows a commit of one line."""
    repo = RepoBuilder(folder / str(files))
    texts = {
        f"part{n % 7}/file{n}.py": f"from part0 import file0\n\ndef f{n}():\n    return {n}\n"
        for n in range(files)
    }
    repo.commit("Start", texts)
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    repo.commit("First", {"part1/file1.py": texts["part1/file1.py"] + "\n# one\n"})
    drained(desk)  # loads and compiles what is loaded once
    repo.commit("Second", {"part1/file1.py": texts["part1/file1.py"] + "\n# two\n"})
    statements: list[str] = []
    opened: list[str] = []
    sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
    app = desk.app()
    app.store.connection.set_exec_trace(
        lambda _cursor, sql, _bindings: statements.append(_NUMBER.sub("N", sql)) or True  # type: ignore[func-returns-value]
    )
    opened.clear()
    with counted() as calls:
        looked = refresh.plan_index_update(app, all_files=False)
        refresh.refresh_index(app, looked)
    app.close()
    inside = [path for path in opened if path.startswith(str(repo.path)) and "/.git" not in path]
    return calls, statements, len(inside)


def test_a_commit_of_one_line_costs_by_what_changed(tmp_path: Path) -> None:
    """Calls, statements and files read are the same where there are ten times the files."""
    isolated_environment(tmp_path / "home")
    small, large = cost(tmp_path, 40), cost(tmp_path, 400)
    assert Counter(large[1]) == Counter(small[1])
    assert large[2] == small[2]
    more = {name: large[0][name] - count for name, count in small[0].items()}
    assert sum(large[0].values()) <= 1.05 * sum(small[0].values()), Counter(more).most_common(9)
