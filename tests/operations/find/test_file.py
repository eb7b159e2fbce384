"""`gitmem file PATH`: everything known of one file (ML-8, ML-16)."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.errors import InvalidInput, NotFound
from gitmem.operations.registry import as_json_values
from gitmem.text.token_ceiling import max_token_count
from tests.support.apps import Desk, indexed_copy
from tests.support.repos import RepoBuilder
from tests.support.secrets import SECRET

POOL = (
    '"""Keeps connections to Redis."""\n\nimport os\n\n\nclass Pool:\n    def acquire(self):\n'
    + ("        return os.environ\n" * 40)
)
TESTS = "from pool import Pool\n\n\ndef test_acquire():\n    Pool().acquire()\n"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A file with a history, tests, a memory and a decision; tests read it."""
    repo = RepoBuilder(tmp_path_factory.mktemp("file") / "repo")
    repo.commit("Add the pool", {"src/pool.py": "x = 1\n", "tests/test_pool.py": TESTS})
    repo.commit("Mend the pool", {"src/pool.py": POOL, "tests/test_pool.py": TESTS + "\n"})
    repo.commit(
        "Set it up", {"src/set.py": f'T = "{SECRET}"\n', "src/empty.py": "", ".env": "A=1\n"},
        author="Grace <g@example.org>",
    )  # fmt: skip
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    desk.run("decide", title="One pool for all", why="Sockets are few", path=("src/pool.py",))
    desk.run("remember", text="The pool is not thread safe", path=("src/pool.py:6-9",))
    desk.run("remember", text="About something else", path=("src/set.py",))
    desk.run("session start", goal="Work")
    return desk


@pytest.fixture
def desk(model: Desk, tmp_path: Path) -> Desk:
    """A copy to write to."""
    return indexed_copy(model, tmp_path / "copy")


def test_tests_have_its_name_in_a_folder_of_tests_or_import_it(tmp_path: Path) -> None:
    """ML-37."""
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit(
        "Add",
        {
            "app/__init__.py": "",
            "app/fixtures.py": "def one(): ...\n\n\ndef two(): ...\n",
            "app/other.py": "from app.fixtures import one\n",
            "testing/python/fixtures.py": "def test_it(): ...\n",
            "testing/a_first.py": "from app.fixtures import one\n",
            "testing/two_names.py": "from app.fixtures import one, two\n",
            "testing/unrelated.py": "import os\n",
            "pytest.ini": "[pytest]\n",
        },
    )
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    assert desk.run("file", path="app/fixtures.py").tests == (
        *("testing/python/fixtures.py", "testing/two_names.py", "testing/a_first.py"),
    )
    assert desk.run("file", path="testing/unrelated.py").tests == ()
    assert desk.run("summary").test_frameworks == ("pytest",)
    assert "Tests: pytest" in desk.text("summary")


def test_content_and_all_that_is_known_are_reported(model: Desk) -> None:
    found = model.run("file", path="src/pool.py")
    assert (found.content, found.language, found.lines) == (POOL, "python", 47)
    assert [symbol.name for symbol in found.symbols] == ["Pool", "acquire"]
    assert [decision.title for decision in found.decisions] == ["One pool for all"]
    assert [memory.content for memory in found.memories] == ["The pool is not thread safe"]
    assert [(owner.name, owner.commits, owner.share) for owner in found.owners] == [
        ("Ada Lovelace", 2, 1.0)
    ]
    assert [item.subject for item in found.history] == ["Mend the pool", "Add the pool"]
    assert [(item.path, item.share) for item in found.changed_with] == [("tests/test_pool.py", 1.0)]
    assert found.tests == ("tests/test_pool.py",)
    assert found.summary.startswith("Keeps connections to Redis.\nimports os\n6 class Pool")
    assert found.tokens_saved == max_token_count(POOL) - max_token_count(found.summary)


def test_no_more_content_than_was_asked_for_and_whole_lines(model: Desk) -> None:
    for most in (0, 1, 5, 40, 200):
        found = model.run("file", path="src/pool.py", max_tokens=most)
        assert max_token_count(found.content) <= most
        assert found.shown_lines < found.lines == 47
        if most >= 40:
            assert POOL.startswith(found.content + "\n")
    assert "Content (lines 1-" in model.text("file", path="src/pool.py", max_tokens=40)
    assert "Content" not in model.text("file", path="src/pool.py", max_tokens=0)


def test_a_file_is_shown_as_it_is_now_and_without_secrets(desk: Desk) -> None:
    assert SECRET not in str(as_json_values(desk.run("file", path="src/set.py")))
    (desk.place / "src/new.go").write_text("package main\n")
    found = desk.run("file", path="src/new.go")
    assert (found.content, found.language, found.commits) == ("package main\n", "go", 0)
    assert desk.run("file", path="src/empty.py").content == ""


def test_it_becomes_the_active_file_of_the_running_session(desk: Desk) -> None:
    desk.run("session start", goal="Look")
    desk.run("file", path="src/pool.py")
    shown = desk.run("session show", id="").session
    assert shown.active_file == "src/pool.py" and "src/pool.py" in shown.files


def test_what_cannot_be_shown_is_a_sentence(desk: Desk) -> None:
    (desk.place / "src/picture.py").write_bytes(b"\0\1\2")
    for path, error, expected in (
        ("lib/pool.py", NotFound, "There is no file lib/pool.py"),
        ("src", InvalidInput, "is a folder"),
        (".env", InvalidInput, "not shown: it is a secret"),
        (".git/config", InvalidInput, "left out"),
        (".gitmem/memory.db", InvalidInput, "left out"),
        ("src/picture.py", InvalidInput, "not shown: binary"),
        ("../outside.py", InvalidInput, "not a path inside"),
        ("/etc/passwd", InvalidInput, "not a path inside"),
    ):
        with pytest.raises(error, match=expected):
            desk.run("file", path=path)
    with pytest.raises(NotFound) as failed:
        desk.run("file", path="lib/pool.py")
    assert failed.value.hint == "Did you mean src/pool.py?"


def test_a_reader_without_a_session_writes_nothing(model: Desk) -> None:
    before = model.run("session list").sessions
    model.run("file", path="src/pool.py", by="codex")
    assert model.run("session list").sessions == before


def test_first_and_last_change_of_a_file_with_a_long_history(tmp_path: Path) -> None:
    """All commits count: the first of 600 is not lost."""
    repo = RepoBuilder(tmp_path / "repo")
    parts = ["reset refs/heads/main\n"]
    for number in range(600):
        text, message = f"x = {number}\n", f"Change {number}"
        parts.append(
            f"commit refs/heads/main\ncommitter A <a@b.c> {1_600_000_000 + number} +0000\n"
            f"data {len(message)}\n{message}\nM 100644 inline a.py\ndata {len(text)}\n{text}"
        )
    repo.git("fast-import", "--quiet", "--force", stdin="".join(parts).encode())
    repo.git("checkout", "-q", "-f", "main")
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    known = desk.run("file", path="a.py")
    assert (known.commits, known.first_changed) == (600, "2020-09-13T12:26:40Z")
    assert known.last_changed == "2020-09-13T12:36:39Z"
