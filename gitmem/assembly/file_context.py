"""What is known of one file: its present text, symbols, memories, commits, owners, a summary."""

import os
import re
from collections.abc import Callable, Sequence

from gitmem import languages
from gitmem.app import App
from gitmem.errors import GitmemError, InvalidInput, NotFound
from gitmem.git import listing
from gitmem.history import entity_lineage
from gitmem.indexing import file_filter, secret_files
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.retrieval import citing_memories
from gitmem.retrieval.symbols import symbol_tests
from gitmem.store.code import chunks, commit_ends, commits, symbols
from gitmem.store.code.commits import IndexedCommit
from gitmem.store.code.redacted_source import redact_source
from gitmem.store.code.symbols import ImportStatement, Symbol
from gitmem.store.db.connection import Database
from gitmem.text.fence import make_printable, one_line
from gitmem.timeline import co_change
from gitmem.timeline.co_change import CoChangedFile, FileOwner

COMMITS = 10_000
OWNERS, TOGETHER, CLOSE = 3, 5, 5
_EXCLUDED = "excluded folder"
# The part of a file's tokens that its summary may have, and the tokens for a short file.
SUMMARY_FRACTION, MIN_TOKENS = 0.1, 60
_WIDTH, _DOC = 140, 90
# Lines that are searched for a file's purpose, how such lines begin, and what may precede them.
_LOOKED_AT = 30
_OPENINGS = ("#", "//", "/*", "*", '"', "'", ";", "--", "%", "<!--", "{-", "=begin")
_BEFORE = ("package ", "<?", "use strict", "'use strict", "module ")
# A copyright notice does not say what a file is for.
_LEGAL = re.compile(
    r"\b(?:copyright|licen[cs]ed? (?:to|under|by|agreement)|spdx-licen[cs]e|all rights reserved)\b",
    re.IGNORECASE,
)
_MORE = "… {} more"
_SKIPPED = frozenset(("field", "property", "variable"))


@dataclass(frozen=True, slots=True)
class FileContext:
    """A file's text without secrets, and what is known of it: memories, commits, tests and so on.

    ``summary`` has about a tenth of the text's tokens, ``saved`` counts the tokens less.
    ``commits`` changed it, newest first, ``together`` are files often changed with it. Memories
    come with their store.
    """

    path: str
    text: str
    language: str
    symbols: tuple[Symbol, ...]
    memories: tuple[tuple[Memory, Database], ...]
    commits: tuple[IndexedCommit, ...]
    owners: tuple[FileOwner, ...]
    together: tuple[CoChangedFile, ...]
    tests: tuple[str, ...]
    summary: str
    saved: int


def gather_file_context(app: App, path: str, count_tokens: Callable[[str], int]) -> FileContext:
    """Return a file's text without secrets, its summary, and what is known of it.

    ``count_tokens`` counts those of a text. Raises NotFound if there is no such file, InvalidInput
    for a folder, and for a file that is not shown: with secrets, in an excluded folder, or not a
    text.
    """
    text = read_redacted_file(app, path)
    store, tree = app.store, app.worktree
    shown = chunks.indexed_files_by_path(store, tree, [path]).get(path)
    log = _commits(app, path)
    summary, saved = summarise_file(app, path, count_tokens, text=text)
    return FileContext(
        path=path,
        text=text,
        language=shown.language if shown else languages.language(path),
        symbols=tuple(symbols.symbols_of_path(store, tree, path)),
        memories=tuple(citing_memories.find_citing_memories(app, [path])),
        commits=tuple(log),
        owners=tuple(
            co_change.rank_file_owners(((commit.author, commit.at) for commit in log), OWNERS)
        ),
        together=tuple(
            co_change.files_changed_together(path, (commit.paths for commit in log), TOGETHER)
        ),
        tests=tuple(symbol_tests.likely_test_files(app, path)),
        summary=summary,
        saved=saved,
    )


def _commits(app: App, path: str) -> list[IndexedCommit]:
    by_sha = {commit.sha: commit for commit in commits.commits_of_path(app.store, path, COMMITS)}
    earlier = entity_lineage.earlier_names_by_commit(app, path)
    numbers = commit_ends.row_numbers_of_commits(
        app.store, [sha for sha in earlier if sha not in by_sha]
    )
    older = commits.commits_by_row_number(app.store, numbers).values()
    by_sha |= {
        commit.sha: commit for commit in entity_lineage.rename_path_in_commits(older, path, earlier)
    }
    return sorted(by_sha.values(), key=lambda commit: (-commit.at, -commit.id))[:COMMITS]


def summarise_file(
    app: App, path: str, count_tokens: Callable[[str], int], max_tokens: int = 0, text: str = ""
) -> tuple[str, int]:
    """Return a file's summary, and how many tokens fewer it has than the file.

    It has at most ``max_tokens`` (0: a tenth of the file). ``text`` is the file's text, if it was
    read before. Raises as ``gather_file_context`` does.
    """
    text = text or read_redacted_file(app, path)
    store, tree, tokens = app.store, app.worktree, count_tokens(text)
    defined, imports = (
        symbols.symbols_of_path(store, tree, path),
        symbols.imports_of_file(store, tree, path),
    )
    summary = summarise_source(
        text, defined, imports, file_tokens=tokens, count_tokens=count_tokens, max_tokens=max_tokens
    )
    return summary, max(tokens - count_tokens(summary), 0)


def read_redacted_file(app: App, path: str) -> str:
    """Return the present text of a file in the worktree, each secret as ``[redacted:kind]``.

    Raises as ``gather_file_context`` does.
    """
    refused = secret_files.secret_file_reason(path)
    if not refused and file_filter.name_refusal_reason(path) == _EXCLUDED:
        refused = "file in a folder that is left out"
    if refused:
        raise InvalidInput(f"{path} is not shown: it is a {refused}.", "Give another file.")
    data = listing.read_worktree_file(app.worktree, path)
    if data is None:
        raise _no_such_file(app, path)
    why = file_filter.content_refusal_reason(data, is_prose=languages.is_prose(path))
    if why and why != "empty":
        raise InvalidInput(f"{path} is not shown: {why}.", "Give a text file.")
    return make_printable(redact_source(file_filter.decode_text(data)).decode())


def _no_such_file(app: App, path: str) -> GitmemError:
    if os.path.isdir(os.path.join(app.worktree, path)):
        return InvalidInput(f"{path} is a folder.", f"Run `gitmem summary {path}`.")
    close = chunks.paths_with_file_names(app.store, app.worktree, [path.rpartition("/")[2]])[:CLOSE]
    hint = f"Did you mean {', '.join(close)}?" if close else "Give a path below the root."
    if commits.commits_of_path(app.store, path, 1):
        hint += f" Commits have it: see `gitmem timeline {path}`."
    return NotFound(f"There is no file {path} here.", hint)


def summarise_source(
    first_lines: str,
    symbols: Sequence[Symbol],
    imports: Sequence[ImportStatement],
    *,
    file_tokens: int,
    count_tokens: Callable[[str], int],
    max_tokens: int = 0,
) -> str:
    """Return a summary of a source file: its first sentence, imports and definitions, as text.

    ``first_lines`` is its beginning, ``file_tokens`` its length. The summary has a tenth of that,
    at least ``MIN_TOKENS`` (60) tokens, and at most ``max_tokens`` if that is not 0. Exported and
    top-level symbols go first.
    """
    room = max(MIN_TOKENS, int(SUMMARY_FRACTION * file_tokens))
    room = min(room, max_tokens) if max_tokens else room
    lines = [line for line in (first_sentence_of_file(first_lines), _imports(imports)) if line]
    header = [line for line in lines if count_tokens(line) < room // 3]
    # Counted with its line end, so that together the lines cost at most the sum.
    left = (
        room
        - sum(count_tokens(line + "\n") for line in header)
        - count_tokens(_MORE.format(len(symbols)))
    )
    shown = [symbol for symbol in symbols if symbol.kind not in _SKIPPED or not symbol.container]
    ranked = sorted(
        range(len(shown)),
        key=lambda place: (bool(shown[place].container), not shown[place].exported, place),
    )
    chosen: dict[int, str] = {}
    for place in ranked:
        line = _symbol(shown[place])
        left -= count_tokens(line + "\n")
        if left < 0:
            break
        chosen[place] = line
    rest = len(shown) - len(chosen)
    more = [_MORE.format(rest)] if rest and chosen else []
    return "\n".join([*header, *(chosen[place] for place in sorted(chosen)), *more])


def first_sentence_of_file(first_lines: str) -> str:
    """Return the first meaningful line of a file's opening comment or heading; empty if none."""
    inside = legal = False
    for line in first_lines.split("\n")[:_LOOKED_AT]:
        plain = line.strip()
        bare = plain.lstrip("#/*;-%!<> \"'`").rstrip("*/ \"'`->")
        begins = plain.startswith(_OPENINGS)
        if (begins or inside) and (legal or _LEGAL.search(bare)):
            # A copyright notice extends to the end of its comment.
            legal = not plain.endswith(("*/", "-->"))
            inside = inside and legal
            continue
        legal = False
        if (begins or inside) and not plain.startswith("#!") and len(bare.split()) > 1:
            return one_line(bare, _WIDTH)
        inside = inside or (begins and not bare)
        if bare and not begins and not plain.startswith(_BEFORE):
            return ""
    return ""


def _imports(imports: Sequence[ImportStatement]) -> str:
    modules = list(dict.fromkeys(import_.module for import_ in imports))
    return one_line("imports " + ", ".join(modules), _WIDTH) if modules else ""


def _symbol(symbol: Symbol) -> str:
    indent = "  " if symbol.container else ""
    doc = symbol.doc.strip().split("\n", 1)[0].split(". ", 1)[0].rstrip(".")
    doc = "" if _LEGAL.search(doc) else doc
    signature = symbol.signature or f"{symbol.kind} {symbol.name}"
    text = f"{one_line(signature, _WIDTH - 20)}: {one_line(doc, _DOC)}" if doc else signature
    return f"{indent}{symbol.start_line} {one_line(text, _WIDTH + _DOC)}"
