"""Index runs over real repositories: only what is new is read, whatever happened (CF-9..12)."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitmem.indexing import chunk_tasks, chunkers, pipeline, worker_pool
from gitmem.indexing.index_settings import IndexSettings
from gitmem.store.code import indexed_files, symbols, vectors
from tests.indexing.conftest import Bench
from tests.support.amounts import examples
from tests.support.repos import RepoBuilder
from tests.support.stores import make_store

CODE = "".join(f"def function_{number}():\n    return {number}\n\n" for number in range(20))
NOTE = "# Guide\n\nHow the parser works.\n\n## Errors\n\nThey are told.\n"
Steps = Callable[[Bench], None]


def counts(bench: Bench) -> tuple[int, int, int, int]:
    done = bench.run()
    return done.added, done.moved, done.dropped, done.kept


@pytest.fixture
def filled(bench: Bench) -> Bench:
    bench.repo.commit("First", {"src/app.py": CODE, "docs/guide.md": NOTE, "b.py": "b = 1\n"})
    bench.run()
    return bench


def fresh(
    bench: Bench, folder: Path, settings: IndexSettings | None = None
) -> list[tuple[object, ...]]:
    """What an index made from nothing shows of the same work tree."""
    database = make_store(folder / f"fresh-{os.urandom(4).hex()}" / "memory.db")
    other = Bench(bench.repo, database)
    other.run(settings=settings)
    rows = other.rows()
    database.close()
    return rows


# --- what changes -----------------------------------------------------------------------------


def test_the_first_run_adds_everything(bench: Bench) -> None:
    bench.repo.commit("First", {"src/app.py": CODE, "docs/guide.md": NOTE})
    assert counts(bench) == (2, 0, 0, 0)
    assert bench.paths() == {"src/app.py", "docs/guide.md"}
    assert bench.finds("function_7") >= 1
    assert bench.finds("guide") >= 1


def test_nothing_new_costs_nothing(filled: Bench) -> None:
    before = filled.database.connection.total_changes()
    assert counts(filled) == (0, 0, 0, 3)
    assert filled.database.connection.total_changes() == before


def test_a_new_file(filled: Bench) -> None:
    filled.repo.commit("More", {"c.py": "c = 1\n"})
    assert counts(filled) == (1, 0, 0, 3)


def test_a_file_that_nobody_added_counts_too(filled: Bench) -> None:
    filled.repo.write({"draft.py": "unseen_word = 1\n"})
    assert counts(filled) == (1, 0, 0, 3)
    assert filled.finds("unseen_word") == 1


def test_a_change_replaces_the_old_words(filled: Bench) -> None:
    filled.repo.write({"b.py": "changed_word = 2\n"})
    done = filled.run()
    assert (done.added, done.updated, done.moved, done.dropped, done.kept) == (0, 1, 0, 0, 2)
    assert filled.finds("changed_word") == 1
    rows = [row[4] for row in filled.rows() if row[0] == "b.py"]
    assert rows == ["changed_word = 2\n"] or rows == ["changed_word = 2"]


def test_a_rename_costs_one_row(filled: Bench) -> None:
    blobs = filled.blobs()
    marks = vectors.count_texts_without_vector(filled.database, "m")
    filled.repo.git("mv", "src/app.py", "src/engine.py")
    assert counts(filled) == (0, 1, 1, 2)
    assert filled.blobs() == blobs
    assert vectors.count_texts_without_vector(filled.database, "m") == marks
    assert filled.finds("engine") >= 1
    assert filled.finds("app") == 0


def test_a_copy_is_not_cut_again(filled: Bench) -> None:
    blobs = filled.blobs()
    filled.repo.write({"src/copy.py": CODE})
    assert counts(filled) == (1, 0, 0, 3)
    assert filled.blobs() == blobs


def test_a_deletion_takes_the_words_out(filled: Bench) -> None:
    (filled.repo.path / "src/app.py").unlink()
    assert counts(filled) == (0, 0, 1, 2)
    assert filled.finds("function_7") == 0


def test_one_of_two_copies_may_go(filled: Bench) -> None:
    filled.repo.write({"src/copy.py": CODE})
    filled.run()
    (filled.repo.path / "src/app.py").unlink()
    filled.run()
    assert "src/copy.py" in filled.paths()
    assert filled.finds("function_7") >= 1


def test_two_files_that_change_places(filled: Bench, tmp_path: Path) -> None:
    filled.repo.write({"src/app.py": "b = 1\n", "b.py": CODE})
    filled.run()
    assert filled.rows() == fresh(filled, tmp_path)


def test_a_branch_and_back_cuts_nothing_twice(filled: Bench) -> None:
    filled.repo.branch("feature")
    filled.repo.commit("Change", {"src/app.py": CODE + "x = 1\n", "new.py": "n = 1\n"})
    filled.run()
    blobs = filled.blobs()
    filled.repo.switch("main")
    filled.run()
    assert filled.paths() == {"src/app.py", "docs/guide.md", "b.py"}
    filled.repo.switch("feature")
    filled.run()
    assert filled.blobs() == blobs
    assert "new.py" in filled.paths()


def test_an_amend_and_a_rebase_cut_only_what_is_new(filled: Bench, tmp_path: Path) -> None:
    repo = filled.repo
    repo.branch("feature")
    repo.commit("Feature", {"f.py": "f = 1\n"})
    filled.run()
    repo.git("commit", "-q", "--amend", "-m", "Feature, said better")
    blobs = filled.blobs()
    assert counts(filled) == (0, 0, 0, 4)
    repo.switch("main")
    repo.commit("Main goes on", {"m.py": "m = 1\n"})
    repo.switch("feature")
    repo.git("rebase", "-q", "main")
    assert counts(filled) == (1, 0, 0, 4)
    assert filled.blobs() == blobs + 1
    assert filled.rows() == fresh(filled, tmp_path)


def test_a_second_work_tree_shares_the_blobs(filled: Bench, tmp_path: Path) -> None:
    blobs = filled.blobs()
    other = filled.repo.worktree(tmp_path / "linked", "feature")
    assert filled.run(place=other.path).added == 3
    assert filled.blobs() == blobs
    other.write({"b.py": "b = 'linked'\n"})
    filled.run(place=other.path)
    texts = {row[0]: row[4] for row in filled.rows()}
    assert "linked" not in str(texts["b.py"])
    assert "linked" in str({row[0]: row[4] for row in filled.rows(other.path)}["b.py"])


def test_another_size_of_notes_cuts_notes_only(filled: Bench, tmp_path: Path) -> None:
    """CC-2: the knob is part of what a piece hangs on."""
    filled.repo.write({"long.md": "word " * 40 + "\n" + ("five words in a line\n" * 60)})
    filled.run()
    small = IndexSettings(words=60, overlap=10)
    done = filled.run(settings=small)
    assert (done.added, done.updated, done.kept) == (0, 2, 2)
    assert filled.rows() == fresh(filled, tmp_path, small)


EDITS = st.lists(
    st.tuples(
        st.sampled_from(["write", "delete", "rename", "commit", "branch", "back", "index"]),
        st.sampled_from(["a.py", "b.md", "d/c.py", "d/e.md"]),
        st.sampled_from(["x = 1\n", "# A\n\none\n", CODE, NOTE, "", "\0", "x" * 6000]),
    ),
    max_size=12,
)


def edit(bench: Bench, action: str, path: str, text: str) -> None:
    repo = bench.repo
    target = repo.path / path
    if action == "write":
        repo.write({path: text})
    elif action == "delete":
        target.unlink(missing_ok=True)
    elif action == "rename" and target.exists():
        target.rename(target.with_name("moved-" + target.name))
    elif action == "commit":
        repo.commit("Step")
    elif action == "branch":
        repo.git("checkout", "-q", "-B", "side")
    elif action == "back":
        repo.git("checkout", "-q", "-f", "main")
    elif action == "index":
        bench.run()


@settings(max_examples=examples(5), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(EDITS)
def test_many_small_runs_end_where_one_run_does(
    tmp_path: Path, edits: list[tuple[str, str, str]]
) -> None:
    folder = tmp_path / os.urandom(6).hex()
    repo = RepoBuilder(folder / "repo")
    repo.commit("First", {"a.py": "start = 1\n"})
    database = make_store(folder / "store" / "memory.db")
    bench = Bench(repo, database)
    for item in edits:
        edit(bench, *item)
    bench.run()
    assert bench.rows() == fresh(bench, folder)
    # Every chunk that is shown is in the full-text index, and nothing else is.
    shown = "SELECT id FROM chunks WHERE blob IN (SELECT blob FROM paths) ORDER BY id"
    indexed = "SELECT id FROM chunk_text_docsize ORDER BY id"
    assert database.rows(shown) == database.rows(indexed)
    database.close()


# --- stopped half-way -------------------------------------------------------------------------


class Killed(Exception):
    """Stands for the end of the process."""


@pytest.mark.parametrize("after", [1, 2, 3])
def test_a_run_that_was_stopped_goes_on(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    monkeypatch.setattr(chunk_tasks, "BATCH", 5)
    bench.repo.commit("Many", {f"src/f{number}.py": f"x{number} = 1\n" for number in range(17)})
    calls = []

    def progress(*output: object) -> None:
        calls.append(output)
        if len(calls) == after:
            raise Killed

    with pytest.raises(Killed):
        bench.run(progress)
    assert bench.blobs() == 5 * after
    more: list[tuple[str, int, int]] = []
    done = bench.run(lambda *output: more.append(output))
    assert (done.added, done.kept) == (17 - 5 * after, 5 * after)
    assert more[-1] == ("files", 17 - 5 * after, 17 - 5 * after)
    assert bench.rows() == fresh(bench, tmp_path)


def test_paths_shown_half_way_are_shown_to_the_end(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunk_tasks, "BATCH", 5)
    bench.repo.commit("Many", {f"src/f{number}.py": f"x{number} = 1\n" for number in range(17)})
    real, calls = indexed_files.set_blobs_of_paths, []

    def show(*values: object) -> set[int]:
        calls.append(values)
        if len(calls) == 2:
            raise Killed
        return real(*values)  # type: ignore[arg-type]

    monkeypatch.setattr(indexed_files, "set_blobs_of_paths", show)
    with pytest.raises(Killed):
        bench.run()
    monkeypatch.undo()
    assert len(bench.paths()) == 5
    bench.run()
    assert bench.rows() == fresh(bench, tmp_path)


# --- what is left out, and why ----------------------------------------------------------------


def reasons(bench: Bench) -> dict[str, int]:
    return bench.run().skipped_counts


def test_content_that_is_no_text_is_counted_by_reason(bench: Bench) -> None:
    bench.repo.commit(
        "Odd",
        {
            "a.py": "x = 1\n",
            "one-line.js": "x" * 200_000,
            "huge.js": "y" * 5_000_000,
            "blob.py": "a\0b",
            "void.py": "\n",
            "big.md": "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n",
            "yarn.lock": "x\n",
            ".env": "A=1\n",
            "deploy/server.key": "x\n",
            "node_modules/m/i.js": "x\n",
        },
    )
    assert reasons(bench) == {
        "binary": 1,
        "empty": 1,
        "excluded folder": 1,
        "lfs pointer": 1,
        "lock file": 1,
        "minified": 1,
        "secret": 2,
        "too large": 1,
    }
    assert bench.paths() == {"a.py"}
    # The next run says the same, and reads nothing.
    blobs = bench.blobs()
    assert sum(reasons(bench).values()) == 9
    assert bench.blobs() == blobs


def test_things_that_are_no_files(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A FIFO must not be waited for, a link not followed."""
    repo = bench.repo
    repo.commit("First", {"a.py": "a = 1\n"})
    outside = tmp_path / "outside.py"
    outside.write_text("outside_word = 1\n")
    os.mkfifo(repo.path / "pipe.py")
    (repo.path / "tracked.py").symlink_to(outside)
    (repo.path / "loop.py").symlink_to("loop.py")
    (repo.path / "above").symlink_to("..")
    repo.git("add", "-A")
    (repo.path / "untracked.py").symlink_to(outside)
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(repo.path)
        server.bind("socket.py")
        done = bench.run()
    assert bench.paths() == {"a.py"}
    assert done.skipped_counts == {"link": 4}
    assert bench.finds("outside_word") == 0


def test_a_tracked_file_that_became_a_pipe(filled: Bench) -> None:
    (filled.repo.path / "b.py").unlink()
    os.mkfifo(filled.repo.path / "b.py")
    assert reasons(filled) == {"not a regular file": 1}
    assert "b.py" not in filled.paths()


def test_a_tracked_folder_that_became_a_link_is_not_followed(filled: Bench, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "app.py").write_text("outside_word = 1\n")
    (filled.repo.path / "src/app.py").unlink()
    (filled.repo.path / "src").rmdir()
    (filled.repo.path / "src").symlink_to(outside)
    filled.run()
    assert filled.finds("outside_word") == 0
    assert "src/app.py" not in filled.paths()


def test_submodules_and_nested_repositories_are_reported(filled: Bench, tmp_path: Path) -> None:
    inner = RepoBuilder(tmp_path / "inner", home=filled.repo.home)
    inner.commit("Inside", {"inner.py": "inner_word = 1\n"})
    filled.repo.git("submodule", "add", "-q", str(inner.path), "sub")
    inner.clone(filled.repo.path / "nested")
    assert reasons(filled) == {"nested repository": 1, "submodule": 1}
    assert filled.finds("inner_word") == 0


def test_ignore_rules(bench: Bench) -> None:
    """CF-11: git's own for what is not tracked; .gitmemignore for tracked files too."""
    bench.repo.commit(
        "First",
        {
            ".gitignore": "*.log.py\nbuilt/\n",
            ".gitmemignore": "docs/old/\n*.gen.py\n!keep.gen.py\n",
            "a.py": "a = 1\n",
            "docs/old/x.md": "# Old\n",
            "docs/new.md": "# New\n",
            "made.gen.py": "g = 1\n",
            "keep.gen.py": "k = 1\n",
        },
    )
    bench.repo.write({"x.log.py": "l = 1\n", "built/y.py": "b = 1\n", "free.gen.py": "f = 1\n"})
    done = bench.run()
    assert bench.paths() == {".gitignore", ".gitmemignore", "a.py", "docs/new.md", "keep.gen.py"}
    assert done.skipped_counts == {"ignored": 3}


def test_a_new_ignore_rule_takes_out_what_was_in(filled: Bench) -> None:
    filled.repo.write({".gitmemignore": "src/\n"})
    assert filled.run().dropped == 1
    assert filled.finds("function_7") == 0


def test_too_many_files_are_cut_off_and_stated(bench: Bench) -> None:
    bench.repo.commit("First", {f"f{number}.py": f"x = {number}\n" for number in range(5)})
    bench.repo.write({"a.py": "untracked = 1\n"})
    done = bench.run(settings=IndexSettings(most_files=3))
    assert (done.added, done.skipped_counts) == (3, {"too many files": 3})
    assert bench.paths() == {"f0.py", "f1.py", "f2.py"}
    assert bench.run().added == 3


# --- odd names, odd content -------------------------------------------------------------------


def test_names_that_are_no_text_or_have_two_lines(bench: Bench, tmp_path: Path) -> None:
    odd = {
        "caf\udce9.py": "odd_word = 1\n",
        "two\nlines.py": "two_word = 1\n",
        "größe/ü.py": "ü = 1\n",
    }
    bench.repo.commit("Odd", odd)
    assert bench.run().added == 3
    assert bench.finds("odd_word") == bench.finds("two_word") == bench.finds("ü") == 1
    assert bench.run().kept == 3
    bench.repo.git("mv", "caf\udce9.py", "caf\udce8.py")
    done = bench.run()
    assert (done.moved, done.dropped) == (1, 1)
    tree = str(bench.repo.path)
    assert "caf\udce8.py" in indexed_files.blob_ids_and_chunkers_by_path(bench.database, tree)
    assert bench.rows() == fresh(bench, tmp_path)


def test_other_encodings_and_line_ends(bench: Bench) -> None:
    (bench.repo.path / "wide.py").write_bytes("breite = 1\n".encode("utf-16"))
    (bench.repo.path / "mark.py").write_bytes("marke = 1\n".encode("utf-8-sig"))
    (bench.repo.path / "dos.md").write_bytes(b"# Title\r\n\r\ntext\r\n\r\n## Sub\r\nmore\r\n")
    (bench.repo.path / "late.py").write_bytes(b"x = 1\n" * 2000 + b"late_word\0 = 1\n")
    assert bench.run().added == 4
    assert bench.finds("breite") == bench.finds("marke") == bench.finds("late_word") == 1
    assert [row[1:4] for row in bench.rows() if row[0] == "dos.md"] == [
        (1, 3, "Title"),
        (5, 6, "Title > Sub"),
    ]


# --- odd repositories -------------------------------------------------------------------------


def test_a_branch_without_commits(bench: Bench) -> None:
    assert counts(bench) == (0, 0, 0, 0)
    bench.repo.write({"a.py": "a = 1\n"})
    assert counts(bench) == (1, 0, 0, 0)
    bench.repo.git("add", "-N", "a.py")
    assert counts(bench) == (0, 0, 0, 1)


def test_a_bare_repository_shows_its_head(filled: Bench, tmp_path: Path) -> None:
    bare = filled.repo.clone(tmp_path / "bare.git", "--bare")
    assert filled.run(place=bare.path).added == 3
    assert filled.paths(bare.path) == filled.paths()


def test_a_bare_repository_without_commits(bench: Bench, tmp_path: Path) -> None:
    bare = RepoBuilder(tmp_path / "bare.git", "--bare")
    assert bench.run(place=bare.path).added == 0


def test_a_sha256_repository(bench: Bench, tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "long", "--object-format=sha256")
    repo.commit("First", {"a.py": "a = 1\n", "b.py": "b = 1\n"})
    repo.write({"b.py": "b = 2\n", "c.py": "c = 1\n"})
    assert bench.run(place=repo.path).added == 3
    repo.commit("Second")
    done = bench.run(place=repo.path)
    assert (done.added, done.kept) == (0, 3)


def test_a_sparse_checkout_keeps_all_files_searchable(bench: Bench, tmp_path: Path) -> None:
    bench.repo.commit("First", {"in/a.py": "inside = 1\n", "out/b.py": "outside = 1\n"})
    clone = bench.repo.clone(tmp_path / "sparse", "--no-checkout")
    clone.git("sparse-checkout", "set", "--cone", "--sparse-index", "in")
    clone.git("checkout", "-q", "main")
    assert not (clone.path / "out").exists()
    done = bench.run(place=clone.path)
    assert (done.added, done.skipped_counts) == (2, {})
    assert bench.finds("outside") == 1


def partial(bench: Bench, folder: Path) -> RepoBuilder:
    """A clone without blobs but those of the folder ``in``, its origin gone."""
    bench.repo.git("config", "uploadpack.allowFilter", "true")
    bench.repo.commit("First", {"in/a.py": "inside = 1\n", "out/b.py": "outside = 1\n"})
    clone = bench.repo.clone(folder / "partial", "--filter=blob:none", "--no-checkout")
    clone.git("sparse-checkout", "set", "--cone", "in")
    clone.git("checkout", "-q", "main")
    bench.repo.path.rename(folder / "away")
    return clone


def test_what_a_partial_clone_lacks_is_reported_and_not_fetched(
    bench: Bench, tmp_path: Path
) -> None:
    clone = partial(bench, tmp_path)
    done = bench.run(place=clone.path)
    assert (done.added, done.skipped_counts) == (1, {"content not here": 1})
    assert bench.paths(clone.path) == {"in/a.py"}
    (tmp_path / "away").rename(bench.repo.path)
    clone.git("sparse-checkout", "disable")
    done = bench.run(place=clone.path)
    assert (done.added, done.skipped_counts) == (1, {})


def test_a_conflict_shows_what_is_on_the_disk(filled: Bench) -> None:
    repo = filled.repo
    repo.branch("other")
    repo.commit("Theirs", {"b.py": "b = 'theirs'\n"})
    repo.switch("main")
    repo.commit("Ours", {"b.py": "b = 'ours'\n"})
    repo.git("merge", "-q", "other", check=False)
    assert filled.run().updated == 1
    assert filled.finds("ours") == filled.finds("theirs") == 1
    assert "b.py" in filled.paths()


def test_a_file_that_changes_while_it_is_read_waits_for_the_next_run(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.repo.write({"busy.py": "first = 1\n", "calm.py": "calm = 1\n"})
    real = chunk_tasks.make_tasks_with_content

    def contents(*values: object) -> object:
        bench.repo.write({"busy.py": "second = 1\n"})
        return real(*values)  # type: ignore[arg-type]

    monkeypatch.setattr(chunk_tasks, "make_tasks_with_content", contents)
    done = bench.run()
    assert (done.added, done.skipped_counts) == (1, {"changed while read": 1})
    assert bench.paths() == {"calm.py"}
    monkeypatch.undo()
    assert bench.run().added == 1
    assert bench.finds("second") == 1 and bench.finds("first") == 0


def test_a_damaged_object_does_not_keep_the_rest_out(bench: Bench) -> None:
    bench.repo.commit("First", {"a.py": "a = 1\n", "b.py": "b = 1\n"})
    blob = bench.repo.git("rev-parse", "HEAD:a.py")
    place = bench.repo.path / ".git" / "objects" / blob[:2] / blob[2:]
    place.chmod(0o600)
    place.write_bytes(b"nonsense")
    (bench.repo.path / "a.py").touch()
    done = bench.run()
    assert "b.py" in bench.paths()
    assert done.added + sum(done.skipped_counts.values()) == 2


# --- syntax -----------------------------------------------------------------------------------

SHOP = '''\
import os
from decimal import Decimal


class Cart:
    """What somebody means to buy."""

    def add(self, item: str) -> None:
        self.items.append(normalised(item))


def normalised(item: str) -> str:
    return item.strip()
'''


def names(bench: Bench, name: str) -> list[tuple[str, str, int]]:
    found = symbols.definitions_by_name(bench.database, str(bench.repo.path), name, 9)
    return [(item.path, item.kind, item.start_line) for item in found]


def test_definitions_mentions_and_imports_are_stored(bench: Bench) -> None:
    """CF-35: what is defined, what is called and what is imported, with its lines."""
    bench.repo.commit("Shop", {"src/shop.py": SHOP})
    bench.run()
    tree = str(bench.repo.path)
    assert names(bench, "Cart") == [("src/shop.py", "class", 5)]
    assert names(bench, "add") == [("src/shop.py", "method", 8)]
    (mention,) = symbols.mentions_of_name(bench.database, tree, "normalised", ["call"])
    assert mention.lines == (9,)
    (taken,) = symbols.importers_of_modules(bench.database, tree, ["decimal"])
    assert (taken.path, taken.names, taken.line) == ("src/shop.py", ("Decimal",), 2)
    assert bench.finds("cart") >= 1


def test_an_edit_takes_the_old_definitions_out_of_sight(bench: Bench) -> None:
    bench.repo.commit("Shop", {"src/shop.py": SHOP})
    bench.run()
    bench.repo.write({"src/shop.py": SHOP.replace("class Cart", "class Basket")})
    bench.run()
    assert names(bench, "Cart") == []
    assert names(bench, "Basket") == [("src/shop.py", "class", 5)]


def test_the_same_content_in_two_languages_is_cut_in_two_ways(bench: Bench) -> None:
    """A blob hangs on its content and on the way in which it was cut."""
    bench.repo.commit("Twice", {"a.py": SHOP, "b.txt": SHOP, "c.unknown": SHOP})
    bench.run()
    assert names(bench, "Cart") == [("a.py", "class", 5)]
    assert bench.blobs() == 3


# --- scripts without an extension -----------------------------------------------------------------

SCRIPTS = {
    "bin/build": "#!/bin/sh\nset -eu\n\ncompile() {\n    make all\n}\n\ncompile\n",
    "bin/serve": f"#!/usr/bin/env python3\n{SHOP}",
    "bin/report": "#!/usr/bin/perl\nsub told { 1 }\n",
    "bin/values": "one two\n",
}


def languages_of(bench: Bench) -> dict[str, str]:
    rows = bench.database.rows(
        "SELECT path, language FROM paths WHERE tree = ?", (str(bench.repo.path),)
    )
    return dict(rows)


def test_a_script_is_code_of_the_language_in_its_first_line(bench: Bench) -> None:
    bench.repo.commit("Scripts", SCRIPTS)
    assert bench.run().gave_up == 0
    assert languages_of(bench) == {
        "bin/build": "bash",
        "bin/report": "perl",
        "bin/serve": "python",
        "bin/values": "",
    }
    assert names(bench, "compile") == [("bin/build", "function", 4)]
    assert names(bench, "Cart") == [("bin/serve", "class", 6)]


def test_a_script_that_moves_keeps_its_language_without_being_read(bench: Bench) -> None:
    bench.repo.commit("Scripts", SCRIPTS)
    bench.run()
    blobs = bench.blobs()
    bench.repo.git("mv", "bin", "tools")
    assert counts(bench) == (0, 4, 4, 0)
    assert languages_of(bench)["tools/build"] == "bash"
    assert names(bench, "compile") == [("tools/build", "function", 4)]
    assert bench.blobs() == blobs


def test_a_script_whose_first_line_changes_is_of_another_language(
    bench: Bench, tmp_path: Path
) -> None:
    bench.repo.commit("Scripts", SCRIPTS)
    bench.run()
    (bench.repo.path / "bin" / "build").write_text("#!/usr/bin/env ruby\ndef compiled\nend\n")
    bench.run()
    assert languages_of(bench)["bin/build"] == "ruby"
    assert (names(bench, "compile"), names(bench, "compiled")) == (
        [],
        [("bin/build", "function", 2)],
    )
    assert bench.rows() == fresh(bench, tmp_path)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_script_with_a_byte_order_mark_is_one_too(bench: Bench, encoding: str) -> None:
    place = bench.repo.path / "tool"
    place.write_bytes(SCRIPTS["bin/serve"].encode(encoding))
    bench.run()
    before = languages_of(bench)
    place.rename(bench.repo.path / "moved")
    bench.run()
    assert (before, languages_of(bench)) == ({"tool": "python"}, {"moved": "python"})


def test_other_line_ends_and_encodings_keep_the_lines_of_definitions(bench: Bench) -> None:
    (bench.repo.path / "dos.py").write_bytes(SHOP.replace("\n", "\r\n").encode())
    (bench.repo.path / "wide.py").write_bytes(SHOP.encode("utf-16"))
    (bench.repo.path / "mark.py").write_bytes(SHOP.encode("utf-8-sig"))
    bench.run()
    assert names(bench, "normalised") == [
        (path, "function", 12) for path in ("dos.py", "mark.py", "wide.py")
    ]


def test_a_file_that_kills_its_parser_is_cut_by_lines_and_counted(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = worker_pool.WorkerLimits(parse="tests.indexing.bad_grammars:parse")
    monkeypatch.setattr(worker_pool, "LIMITS", limits)
    bench.repo.commit("Odd", {"a.py": SHOP, "bad.py": "LEAVE = 1\n", "c.py": "c = 1\n"})
    done = bench.run()
    assert (done.added, done.skipped_counts, done.gave_up) == (3, {}, 1)
    assert bench.finds("LEAVE") == 1
    assert names(bench, "found") == [("a.py", "function", 1), ("c.py", "function", 1)]
    # The next run leaves it alone: nothing is killed twice.
    assert bench.run().gave_up == 0


def test_many_files_are_cut_by_several_processes_and_all_are_there(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which process had which file, and in what order they came back, leaves no trace."""
    files = {f"src/f{number}.py": f"def f{number}():\n    pass\n" for number in range(120)}
    bench.repo.commit("Many", files)
    monkeypatch.setattr(chunk_tasks, "BATCH", 7)
    done = bench.run()
    assert (done.added, done.gave_up) == (120, 0)
    assert bench.database.value("SELECT count(*) FROM symbols") == 120
    monkeypatch.setattr(pipeline, "BULK", 1000)
    assert bench.rows() == fresh(bench, tmp_path)


def test_a_newer_grammar_has_only_its_own_files_read_again(
    filled: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled.repo.commit("Go", {"main.go": "package main\n\nfunc main() {}\n"})
    filled.run()
    blobs = filled.blobs()
    (tmp_path / "wheels" / "tree_sitter_go-99.1.dist-info").mkdir(parents=True)
    monkeypatch.syspath_prepend(tmp_path / "wheels")
    for answers in (chunkers._of_name, chunkers._script, chunkers._versions):
        answers.cache_clear()
    try:
        done = filled.run()
    finally:
        for answers in (chunkers._of_name, chunkers._script, chunkers._versions):
            answers.cache_clear()
    assert (done.updated, done.kept) == (1, 3)
    assert filled.blobs() == blobs + 1
    assert names(filled, "main") == [("main.go", "function", 3)]
