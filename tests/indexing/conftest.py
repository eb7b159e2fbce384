"""A repository, a store beside it, and index runs of the one into the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gitmem.git import runner
from gitmem.git.layout import find_repository
from gitmem.indexing import pipeline
from gitmem.indexing.index_settings import IndexSettings
from gitmem.indexing.pipeline import FilesReport
from gitmem.store.code import code_search
from gitmem.store.db.connection import Database
from tests.support.repos import RepoBuilder, isolated_environment
from tests.support.stores import make_store

CHUNKS = (
    "SELECT p.path, c.start_line, c.end_line, c.context, c.text FROM paths p "
    "JOIN chunks c ON c.blob = p.blob WHERE p.tree = ? ORDER BY p.path, c.start_line, c.end_line"
)


class Bench:
    """One store, filled from one repository or several of its work trees."""

    def __init__(self, repo: RepoBuilder, database: Database) -> None:
        self.repo = repo
        self.database = database

    def run(
        self,
        progress: Callable[[str, int, int], None] = lambda *_: None,
        settings: IndexSettings | None = None,
        place: Path | None = None,
    ) -> FilesReport:
        """One run over the files."""
        folder = str(place or self.repo.path)
        layout = find_repository(folder)
        tree = layout.worktree or layout.git_dir
        return pipeline.index_files(
            layout, self.database, tree, settings or IndexSettings(), progress
        )

    def rows(self, place: Path | None = None) -> list[tuple[object, ...]]:
        """Everything that the tree shows: path, lines, headings, text."""
        return self.database.rows(CHUNKS, (str(place or self.repo.path),))

    def paths(self, place: Path | None = None) -> set[str]:
        """The paths that the tree shows with at least one chunk."""
        return {str(row[0]) for row in self.rows(place)}

    def finds(self, word: str) -> int:
        """How many chunks hold a word, in any field."""
        return code_search.count_full_text_matches(self.database, "chunk", f'"{word}"', 1000)

    def blobs(self) -> int:
        """How many blobs were ever cut."""
        return int(self.database.value("SELECT count(*) FROM blobs"))


@pytest.fixture(autouse=True)
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    runner.configure_git_environment(isolated_environment(folder))
    return folder


@pytest.fixture
def repo(tmp_path: Path) -> RepoBuilder:
    return RepoBuilder(tmp_path / "repo")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    made = make_store(tmp_path / "store" / "memory.db")
    yield made
    made.close()


@pytest.fixture
def bench(repo: RepoBuilder, database: Database) -> Bench:
    return Bench(repo, database)
