"""What is known of one file: its text as it is now, what is remembered and recorded of it."""

import os
from collections.abc import Callable

from gitmem import languages
from gitmem.app import App
from gitmem.assembly import file_summary
from gitmem.errors import GitmemError, InvalidInput, NotFound
from gitmem.git import listing
from gitmem.history import entity_lineage
from gitmem.indexing import file_filter, secret_files
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.retrieval import citing_memories, symbol_tests
from gitmem.store.code import chunks, commit_ends, commits, file_commits, symbols
from gitmem.store.code.commits import IndexedCommit
from gitmem.store.code.redacted_source import redacted
from gitmem.store.code.symbols import Symbol
from gitmem.store.db.connection import Database
from gitmem.text.fence import neutralise
from gitmem.timeline import co_change
from gitmem.timeline.co_change import Owner, Together

COMMITS = 500
OWNERS, TOGETHER, CLOSE = 3, 5, 5
_EXCLUDED = "excluded folder"


@dataclass(frozen=True, slots=True)
class FileContext:
    """A file: its text without secrets, and what is known of it.

    ``summary`` costs about a tenth of the text, ``saved`` is the difference in tokens. ``commits``
    are those that changed the file, under earlier names too, newest first.
    """

    path: str
    text: str
    language: str
    symbols: tuple[Symbol, ...]
    memories: tuple[tuple[Memory, Database], ...]
    commits: tuple[IndexedCommit, ...]
    owners: tuple[Owner, ...]
    together: tuple[Together, ...]
    tests: tuple[str, ...]
    summary: str
    saved: int


def gather(app: App, path: str, count: Callable[[str], int]) -> FileContext:
    """What is known of a file of the worktree.

    Raises NotFound for a path where no file is, InvalidInput for a folder, and for what is not
    shown: secrets and what is no text.
    """
    text = read(app, path)
    store, tree = app.store, app.worktree
    shown = chunks.shown(store, tree, [path]).get(path)
    log = _commits(app, path)
    summary, saved = _summed_up(app, path, text, count)
    return FileContext(
        path=path,
        text=text,
        language=shown.language if shown else languages.language(path),
        symbols=tuple(symbols.of_path(store, tree, path)),
        memories=tuple(citing_memories.citing(app, [path])),
        commits=tuple(log),
        owners=tuple(co_change.owners(((one.author, one.at) for one in log), OWNERS)),
        together=tuple(co_change.together(path, (one.paths for one in log), TOGETHER)),
        tests=tuple(one for one in symbol_tests.test_files(app, path) if one != path),
        summary=summary,
        saved=saved,
    )


def _commits(app: App, path: str) -> list[IndexedCommit]:
    found = {one.sha: one for one in file_commits.of_path(app.store, path, COMMITS)}
    earlier = entity_lineage.earlier_names(app, path)
    numbers = commit_ends.numbers_of(app.store, [sha for sha in earlier if sha not in found])
    older = commits.by_number(app.store, numbers).values()
    found |= {one.sha: one for one in entity_lineage.under_one_name(older, path, earlier)}
    return sorted(found.values(), key=lambda one: (-one.at, -one.id))[:COMMITS]


def summed_up(app: App, path: str, count: Callable[[str], int], most: int = 0) -> tuple[str, int]:
    """A file's summary, of at most so many tokens, and how many it spares.

    Raises as ``gather`` does.
    """
    return _summed_up(app, path, read(app, path), count, most)


def _summed_up(
    app: App, path: str, text: str, count: Callable[[str], int], most: int = 0
) -> tuple[str, int]:
    store, tree = app.store, app.worktree
    tokens = count(text)
    summary = file_summary.summarise(
        text,
        symbols.of_path(store, tree, path),
        symbols.imports_of(store, tree, path),
        tokens=tokens,
        count=count,
        most=most,
    )
    return summary, max(tokens - count(summary), 0)


def read(app: App, path: str) -> str:
    """The text of a file as it is now, secrets masked. Raises as ``gather`` does."""
    refused = secret_files.refuse(path)
    if not refused and file_filter.refuse_name(path) == _EXCLUDED:
        refused = "file in a folder that is left out"
    if refused:
        raise InvalidInput(f"{path} is not shown: it is a {refused}.", "Give another file.")
    data = listing.read_file(app.worktree, path)
    if data is None:
        raise _missing(app, path)
    why = file_filter.refuse_content(data)
    if why and why != "empty":
        raise InvalidInput(f"{path} is not shown: {why}.", "Give a text file.")
    return neutralise(redacted(file_filter.decode(data)).decode())


def _missing(app: App, path: str) -> GitmemError:
    if os.path.isdir(os.path.join(app.worktree, path)):
        return InvalidInput(f"{path} is a folder.", f"Run `gitmem summary {path}`.")
    close = chunks.named(app.store, app.worktree, [path.rpartition("/")[2]])[:CLOSE]
    hint = f"Did you mean {', '.join(close)}?" if close else "Give a path below the root."
    return NotFound(f"There is no file {path} here.", hint)
