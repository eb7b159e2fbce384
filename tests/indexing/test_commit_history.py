"""Commits as documents: each read once, nothing personal or secret in them (CF-12, CC-7)."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.git.layout import find_repository
from gitmem.indexing import commit_history
from gitmem.store.code import code_search, commits, embedded_text
from gitmem.store.code.commits import IndexedCommit
from tests.indexing.conftest import Bench
from tests.support.secrets import SECRET, leaked

MOST = 1000


def index(bench: Bench, before: str = "", most: int = MOST) -> int:
    layout = find_repository(str(bench.repo.path))
    head = bench.repo.head()
    return commit_history.index_new_commits(
        layout, bench.database, head, before, most, lambda *_: None
    )


def every(bench: Bench) -> dict[str, IndexedCommit]:
    numbers = [row[0] for row in bench.database.rows("SELECT id FROM commits")]
    return {
        item.subject: item
        for item in commits.commits_by_row_number(bench.database, numbers).values()
    }


def finds(bench: Bench, expression: str) -> int:
    return code_search.count_full_text_matches(bench.database, "commit", expression, 1000)


def test_a_commit_is_kept_with_its_paths(bench: Bench) -> None:
    sha = bench.repo.commit("Add the parser\n\nIt reads tokens.", {"src/token_reader.py": "x\n"})
    assert index(bench) == 1
    found = every(bench)["Add the parser"]
    assert (found.sha, found.author, found.body) == (sha, "Ada Lovelace", "It reads tokens.")
    assert found.paths == ("src/token_reader.py",)
    assert found.at == 1_704_067_260_000
    assert finds(bench, "subject: parsers") == 1  # porter
    assert finds(bench, 'paths: "token_reader"') == finds(bench, "paths: reader") == 1


def test_only_new_ones_are_read(bench: Bench) -> None:
    first = bench.repo.commit("One")
    index(bench)
    bench.repo.commit("Two")
    assert index(bench, first) == 1
    assert index(bench, bench.repo.head()) == 0
    assert index(bench) == 0
    assert commits.count_commits(bench.database) == 2


def test_addresses_are_masked_and_secrets_taken_out(bench: Bench, tmp_path: Path) -> None:
    """CE-39."""
    bench.repo.commit(
        f"Use {SECRET}\n\nAsk jo@example.org, key {SECRET}\n\nCo-authored-by: Jo <jo@example.org>",
        {"contact@example.org.txt": "x\n"},
        author="ada@example.org <ada@example.org>",
    )
    index(bench)
    (found,) = every(bench).values()
    assert "[redacted" in found.subject and "[redacted" in found.body
    assert "@" not in found.author + found.subject + found.body
    # A path stays what it is: it is a name of a file.
    assert found.paths == ("contact@example.org.txt",)
    bench.database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for file in Path(bench.database.path).parent.iterdir():
        assert not leaked(file.read_bytes())


def test_paths_that_are_no_text_or_have_two_lines(bench: Bench) -> None:
    bench.repo.commit("Odd", {"caf\udce9.py": "x\n", "two\nlines.py": "x\n", "ü.py": "x\n"})
    assert index(bench) == 1
    assert set(every(bench)["Odd"].paths) == {r"caf\xe9.py", r"two\nlines.py", "ü.py"}


def test_an_amended_commit_is_new_and_the_rest_is_known(bench: Bench) -> None:
    bench.repo.commit("One")
    last = bench.repo.commit("Two")
    index(bench)
    bench.repo.git("commit", "-q", "--amend", "--allow-empty", "-m", "Two, better")
    assert index(bench, last) == 1
    assert set(every(bench)) == {"One", "Two", "Two, better"}


def test_a_start_that_is_gone_reads_all_and_keeps_what_is_known(bench: Bench) -> None:
    bench.repo.commit("One")
    index(bench)
    bench.repo.commit("Two")
    assert index(bench, "f" * 40) == 1
    assert commits.count_commits(bench.database) == 2


def test_a_merge_brings_the_commits_of_its_branch(bench: Bench) -> None:
    first = bench.repo.commit("One")
    index(bench)
    bench.repo.branch("side")
    bench.repo.commit("On the side", {"s.py": "s\n"})
    bench.repo.switch("main")
    bench.repo.commit("On main", {"m.py": "m\n"})
    bench.repo.merge("side")
    assert index(bench, first) == 3
    assert "On the side" in every(bench)


def test_at_most_so_many_the_newest(bench: Bench) -> None:
    for number in range(5):
        bench.repo.commit(f"Commit {number}")
    assert index(bench, most=2) == 2
    assert set(every(bench)) == {"Commit 3", "Commit 4"}
    assert index(bench, most=0) == 0


def test_a_run_that_was_stopped_goes_on(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commit_history, "BATCH", 2)
    for number in range(5):
        bench.repo.commit(f"Commit {number}")

    class Killed(Exception):
        pass

    def progress(*_: object) -> None:
        raise Killed

    layout = find_repository(str(bench.repo.path))
    with pytest.raises(Killed):
        commit_history.index_new_commits(
            layout, bench.database, bench.repo.head(), "", MOST, progress
        )
    assert commits.count_commits(bench.database) == 2
    assert index(bench) == 3
    assert set(every(bench)) == {f"Commit {number}" for number in range(5)}


def test_very_many_paths_are_cut(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commit_history, "MOST_PATHS", 3)
    bench.repo.commit("Wide", {f"f{number}.py": "x\n" for number in range(9)})
    index(bench)
    assert len(every(bench)["Wide"].paths) == 3


def test_what_is_embedded_is_message_only() -> None:
    assert embedded_text.commit_text_to_embed("Subject", "") == "Subject"
    assert embedded_text.commit_text_to_embed("Subject", "Body") == "Subject\nBody"
