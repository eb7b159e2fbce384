"""Pieces, definitions and edges against what the files say; doctor tells what differs."""

from __future__ import annotations

from typing import Any

import pytest

from gitmem.doctor.finding import FIXED, OK, PROBLEM, CheckFinding
from gitmem.indexing import index_audit, pipeline
from gitmem.model.frozen import replace
from gitmem.store.code import indexed_files
from gitmem.store.memory import derived_rows
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder

FILES = {
    "shop/cart.py": "from shop.store import put\n\n\ndef add(item):\n    put(item)\n",
    "shop/store.py": "import json\n\n\ndef put(item):\n    return json.dumps(item)\n",
    "notes.md": "# Notes\n\nCarts are put away.\n",
    "empty.py": "",
    "key.py": 'KEY = "' + "AK" + 'IAIOSFODNN7EXAMPLQ"\n\n\ndef use(): return KEY\n',
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A small repository, indexed; each test leaves the index as it was."""
    repo = RepoBuilder(tmp_path_factory.mktemp("audit") / "repo")
    repo.commit("Start", FILES)
    made = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    made.run("init", no_hooks=True)
    return made


def content(desk: Desk, *, fix: bool = False) -> CheckFinding:
    (found,) = [
        finding for finding in desk.run("doctor", fix=fix).findings if finding.check == "content"
    ]
    return found


@pytest.mark.parametrize(
    ("statement", "differing", "unlinked"),
    [
        ("SELECT 1", (), ()),
        ("DELETE FROM symbols WHERE name = 'put'", ("shop/store.py",), ("shop/cart.py",)),
        ("DELETE FROM refs WHERE name = 'put'", ("shop/cart.py",), ()),
        ("DELETE FROM imports", ("shop/cart.py", "shop/store.py"), ()),
        ("DELETE FROM chunks WHERE text LIKE '%Carts%'", ("notes.md",), ()),
        ("DELETE FROM graph_edges", (), ("shop/cart.py",)),
        ("UPDATE graph_edges SET line = line + 1", (), ("shop/cart.py",)),
        ("DELETE FROM graph_files WHERE path = 'shop/store.py'", (), ("shop/store.py",)),
    ],
)
def test_rows_that_are_not_what_the_files_say_are_named(
    desk: Desk, statement: str, differing: tuple[str, ...], unlinked: tuple[str, ...]
) -> None:
    app = desk.app()
    connection = app.store.connection
    connection.execute("SAVEPOINT before")
    app.store.run(statement)
    found = index_audit.audit_index(app)
    connection.execute("ROLLBACK TO before")
    connection.execute("RELEASE before")
    app.close()
    assert found.files == len(FILES)
    assert (tuple(sorted(found.differing)), found.unlinked) == (differing, unlinked)


def test_doctor_tells_it_and_makes_it_again(desk: Desk) -> None:
    before = dump(desk)
    app = desk.app()
    with app.store.write():
        app.store.run("DELETE FROM symbols WHERE name = 'put'")
        app.store.run("DELETE FROM graph_edges")
    app.close()
    found = content(desk)
    assert found.state == PROBLEM
    assert found.message == (
        "pieces or definitions of 1 file (shop/store.py) and edges of 1 file (shop/cart.py) do "
        "not match the files (5 files compared)"
    )
    assert content(desk, fix=True).state == FIXED
    assert dump(desk) == before
    assert content(desk).state == OK


def test_an_index_that_is_made_again_meanwhile_is_not_called_wrong(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    split_files = pipeline.split_files

    def split_later(*arguments: Any) -> Any:
        app = desk.app()  # as `gitmem index --full` begins
        with app.store.write():
            derived_rows.delete_indexed_files_and_commits(app.store)
        app.close()
        return split_files(*arguments)

    monkeypatch.setattr(pipeline, "split_files", split_later)
    findings = desk.run("doctor").findings
    monkeypatch.undo()
    assert "content" not in [finding.check for finding in findings]
    desk.run("index", full=True)
    assert content(desk).state == OK


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """More files than a sample has, each of which calls the next."""
    repo = RepoBuilder(tmp_path_factory.mktemp("large") / "repo")
    files = {
        f"shop/part{n:03}.py": (
            f"from shop.part{n + 1:03} import run{n + 1}\n\n\nLIMIT = {n}\n\n\n"
            + f"def run{n}():\n    return run{n + 1}()\n\n\n"
            + "".join(f"def step{k}():\n    return '{'word ' * 60}{n}'\n\n\n" for k in range(3))
        )
        for n in range(2 * index_audit.MOST)
    }
    repo.commit("Start", files)
    made = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    made.run("init", no_hooks=True)
    return made


SOME = "(SELECT blob FROM paths WHERE path LIKE '%7.py')"


@pytest.mark.parametrize(
    ("statement", "unlinked"),
    [
        ("FROM chunks WHERE id IN (SELECT max(id) FROM chunks GROUP BY blob) AND blob IN", False),
        ("FROM chunks WHERE blob IN", False),
        ("FROM symbols WHERE name = 'step1' AND blob IN", False),
        ("FROM symbols WHERE blob IN", False),
        (
            "FROM graph_edges WHERE source IN (SELECT n.id FROM graph_nodes n JOIN graph_files f "
            "ON f.tree = n.tree AND f.path = n.path WHERE f.blob IN",
            True,
        ),
    ],
)
def test_rows_deleted_from_some_of_many_files_are_missed(
    large: Desk, statement: str, unlinked: bool
) -> None:
    """CE-29: not only by luck, in the sample of the day."""
    app = large.app()
    with app.store.write():
        app.store.run(f"DELETE {statement} {SOME}{')' * unlinked}")
    found = index_audit.audit_index(app)
    assert found.files < 2 * index_audit.MOST
    assert len(found.unlinked if unlinked else found.differing) == 40
    app.close()
    assert content(large, fix=True).state == FIXED
    assert content(large).state == OK


def test_a_single_edge_is_missed_where_everything_is_compared(large: Desk) -> None:
    app = large.app()
    with app.store.write():
        for tenth in range(10):
            app.store.run(
                "DELETE FROM graph_edges WHERE kind = 'call' AND source IN "
                f"(SELECT id FROM graph_nodes WHERE path LIKE 'shop/part{tenth % 4}{tenth}0.py')"
            )
    app.close()
    mended = content(large, fix=True)
    assert mended.state == FIXED and "(400 files compared)" in mended.message
    assert content(large).state == OK


def test_what_is_to_be_made_again_is_no_damage(desk: Desk) -> None:
    package = desk.place / "package.json"
    package.write_text("{}")
    app = desk.app()
    assert index_audit.audit_index(app).unlinked == ()
    known = indexed_files.worktree_index_state(app.store, app.worktree)
    assert known is not None
    for state, expected in (("building", 0), ("whole", 1)):
        with app.store.write():
            indexed_files.set_worktree_index_state(
                app.store, app.worktree, replace(known, state=state)
            )
        findings = desk.run("doctor").findings
        assert sum(finding.check == "content" for finding in findings) == expected
    app.close()
    package.unlink()


def dump(desk: Desk) -> list[object]:
    app = desk.app()
    found: list[object] = [
        app.store.rows(question)
        for question in (
            "SELECT name, start_line FROM symbols ORDER BY 1, 2",
            "SELECT name, kind, lines FROM refs ORDER BY 1, 2, 3",
            "SELECT text FROM chunks ORDER BY 1",
            "SELECT s.path, s.name, g.path, g.name, e.kind, e.line FROM graph_edges e "
            "JOIN graph_nodes s ON s.id = e.source JOIN graph_nodes g ON g.id = e.target "
            "ORDER BY 1, 2, 3, 4, 5, 6",
        )
    ]
    app.close()
    return found
