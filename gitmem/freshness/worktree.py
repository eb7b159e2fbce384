"""A view of the worktree while anchors are judged: cached files, and searching for moved blocks.

The index names candidates, and each is read before it counts. Files changed or added since they
were indexed are read from the disk. Loaded only where an anchor is judged anew.
"""

import os
import stat
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress

from gitmem import languages
from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.git import changed_files, listing
from gitmem.git.display import encode_path
from gitmem.indexing import file_filter
from gitmem.memory import freshness
from gitmem.memory.citations import symbol_parts
from gitmem.memory.freshness import SAME_FILE, CitedCodeState
from gitmem.model.anchor import CitedCodeVerdict, CodeAnchor
from gitmem.model.frozen import dataclass, replace
from gitmem.search import query
from gitmem.store.code import chunks, code_search, indexed_files, symbols
from gitmem.store.code.symbols import Symbol
from gitmem.store.memory import anchors
from gitmem.text import code_fingerprint
from gitmem.text.code_fingerprint import Fingerprint, SearchableText

# Bytes read of a file: some long lists that are not indexed are still cited.
LARGEST = 8 << 20
MOST_CANDIDATES = 40
MOST_PAGES = 32
# Files read because the index has another content of them; their bytes together.
MOST_LOOSE = 2_000
MOST_BYTES = 64 << 20
# Time limit for asking git which files these are.
LISTING_SECONDS = 0.03
# Weights for a search in the text of pieces only.
_BODY_ONLY = (0.0, 0.0, 0.0, 1.0, 0.0)
_PROBE = 8_192


@dataclass(frozen=True, slots=True)
class FileContent:
    """The content of a file: ``data`` (cut after 8 MB), or why there is no content.

    ``gone``: there is no file. ``problem`` says why an existing one is not read.
    """

    data: bytes | None
    gone: bool = False
    problem: str = ""

    @property
    def is_too_large(self) -> bool:
        """Whether the file is larger than the 8 MB that were read."""
        return self.data is not None and len(self.data) > LARGEST

    @property
    def is_binary(self) -> bool:
        """Whether the file is binary: its first 8 KB have a zero byte and are not UTF-16."""
        data = self.data or b""
        return not file_filter.is_utf16(data) and b"\0" in data[:_PROBE]


@dataclass(frozen=True, slots=True)
class CodeLocation:
    """The path where cited code was found, and its (first, last) line; None: the whole file."""

    path: str
    lines: tuple[int, int] | None = None


class WorktreeFiles:
    """The files of a worktree, to be compared with the code that memories cite; cached.

    ``until`` is when its time ends (by ``time.monotonic``, in seconds), None: no limit.
    """

    def __init__(self, app: App, until: float | None = None) -> None:
        self.app = app
        self.until = until
        # Whether something was skipped for lack of time.
        self.hurried = False
        self.root = app.worktree
        self._files: OrderedDict[str, FileContent] = OrderedDict()
        self._pages: OrderedDict[str, SearchableText] = OrderedDict()
        self._loose: dict[str, bytes] | None = None

    # --- files ----------------------------------------------------------------------------------

    def file_content(self, path: str) -> FileContent:
        """The content of the file at ``path``, read once."""
        if path not in self._files:
            _make_room(self._files)
            self._files[path] = self._read(path)
        return self._files[path]

    def searchable_text(self, path: str) -> SearchableText | None:
        """The text of the file at ``path``, prepared for searching; None if it is no text."""
        if path not in self._pages:
            read = self.file_content(path)
            if read.data is None or read.is_binary:
                return None
            _make_room(self._pages)
            self._pages[path] = SearchableText(file_filter.decode_text(read.data[:LARGEST]))
        return self._pages[path]

    def blob_id(self, path: str) -> str:
        """The id that git gives the file's content; empty if it does not exist or is too large."""
        read = self.file_content(path)
        if read.data is None or read.is_too_large:
            return ""
        return listing.compute_blob_id(
            read.data, listing.hash_algorithm_of(self.app.git_head.commit or "")
        )

    def _read(self, path: str) -> FileContent:
        if self.app.layout.worktree is None:
            return FileContent(None, problem="a bare repository has no files to look at")
        data = listing.read_worktree_file(self.root, path, LARGEST)
        return self._why_not(path) if data is None else FileContent(data)

    def _why_not(self, path: str) -> FileContent:
        try:
            mode = os.lstat(os.path.join(os.fsencode(self.root), encode_path(path))).st_mode
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return FileContent(None, gone=True)
        except OSError as error:
            return FileContent(None, problem=f"it cannot be read: {error.strerror}")
        if stat.S_ISDIR(mode):
            return FileContent(None, gone=True)
        if stat.S_ISREG(mode):
            return FileContent(None, problem="it cannot be read, or a parent is a symbolic link")
        what = "a link" if stat.S_ISLNK(mode) else "something that is not a file"
        return FileContent(None, problem=f"{what} is in its place")

    # --- verdicts -------------------------------------------------------------------------------

    def judge_anchor(self, anchor: CodeAnchor) -> CitedCodeVerdict:
        """The CitedCodeVerdict: is cited code fresh (unchanged), moved, changed, gone or unknown?

        Its old place is searched first, then other files. ``anchor`` is the cited code, read by
        ``anchors.anchors_by_memory``.
        """
        print = code_fingerprint.from_json(anchor.print)
        here = self._at_place(anchor)
        judged = freshness.judge_anchor_in_cited_file(anchor, print, here)
        if judged is not None:
            return judged
        if not print.is_whole_file or here.gone:
            location = self.find_code_in_other_file(anchor, print)
            if location is not None:
                here = replace(here, elsewhere=location.path, lines=location.lines)
            else:
                here = replace(here, defined=self.cited_symbol_location(anchor))
        return freshness.judge_anchor_freshness(anchor, print, here)

    def _at_place(self, anchor: CodeAnchor) -> CitedCodeState:
        """The evidence at the cited place."""
        read = self.file_content(anchor.path)
        if read.data is None:
            return CitedCodeState(gone=read.gone, unreadable=read.problem)
        problem = "it is too large to be read completely" if read.is_too_large else ""
        if read.is_binary and anchor.first_line is not None:
            problem = "it is now a binary file"
        return CitedCodeState(
            self.searchable_text(anchor.path), self.blob_id(anchor.path), unreadable=problem
        )

    # --- elsewhere ------------------------------------------------------------------------------

    def find_code_in_other_file(
        self, anchor: CodeAnchor, fingerprint: Fingerprint
    ) -> CodeLocation | None:
        """Where the cited code, or its whole file, is now in another file; None if nowhere.

        ``fingerprint`` is that of the cited code (``anchor.print``, parsed).
        """
        tried = {anchor.path}
        for path in self._candidates(anchor, fingerprint):
            if path not in tried:
                tried.add(path)
                location = self._find_block(anchor, fingerprint, path)
                if location is not None:
                    return location
        return None

    def cited_symbol_location(self, anchor: CodeAnchor) -> tuple[str, int, int] | None:
        """(path, first line, last line) where the index has the cited symbol now, or None."""
        if not anchor.symbol or not self.app.has_store:
            return None
        *_, last = symbol_parts(anchor.symbol) or ("",)
        known = symbols.definitions_by_name(self.app.store, self.root, last, 50)
        # A selector in a style sheet may have the name of a function.
        spoken = languages.language(anchor.path)
        fitting = [
            symbol
            for symbol in known
            if symbol.language == spoken and is_symbol_with_name(symbol, anchor.symbol)
        ]
        for symbol in sorted(fitting, key=lambda candidate: candidate.path != anchor.path):
            page = self.searchable_text(symbol.path)
            if page is not None and last in page.text:
                current = anchors.blob_id_at(self.app.store, self.root, symbol.path)
                if current == self.blob_id(symbol.path):
                    return symbol.path, symbol.start_line, symbol.end_line
        return None

    def _find_block(self, anchor: CodeAnchor, print: Fingerprint, path: str) -> CodeLocation | None:
        if print.is_whole_file:
            return CodeLocation(path) if self._same_file(anchor, print, path) else None
        read = self.file_content(path)
        page = self.searchable_text(path) if read.data and _may_hold(print, read.data) else None
        places = code_fingerprint.find_block(print, page) if page else []
        return (
            CodeLocation(path, code_fingerprint.nearest_occurrence(places, anchor.first_line))
            if places
            else None
        )

    def _same_file(self, anchor: CodeAnchor, print: Fingerprint, path: str) -> bool:
        if self.blob_id(path) == anchor.blob:
            return True
        page = self.searchable_text(path)
        return page is not None and code_fingerprint.fraction_retained(print, page) >= SAME_FILE

    def _candidates(self, anchor: CodeAnchor, print: Fingerprint) -> Iterator[str]:
        """Candidate paths, the likeliest first; some may be repeated."""
        name = anchor.path.rpartition("/")[2]
        if print.lines:
            if self.app.has_store:
                yield from anchors.paths_of_blob(self.app.store, self.root, anchor.blob)
                by_words = self._by_words(print)
                yield from sorted(by_words, key=lambda path: path.rpartition("/")[2] != name)
                if print.is_whole_file:
                    yield from chunks.paths_with_file_names(self.app.store, self.root, [name])[
                        :MOST_CANDIDATES
                    ]
            for path, data in self.contents_of_unindexed_files().items():
                if _may_hold(print, data):
                    yield path

    def _by_words(self, print: Fingerprint) -> list[str]:
        """Paths of pieces that hold the probe lines of a block, those with most of them first."""
        if not print.probes:
            return []
        expression = " OR ".join(query.phrase_fts_expression(probe) for probe in print.probes)
        store = self.app.store
        matches = code_search.best_matching_rows(
            store, "chunk", f"body : ({expression})", 2 * MOST_CANDIDATES, column_weights=_BODY_ONLY
        )
        numbers = [number for number, _ in matches]
        heads = chunks.chunk_metadata_by_row_number(store, self.root, numbers)
        paths = [heads[number].path for number in numbers if number in heads]
        return list(dict.fromkeys(paths))[:MOST_CANDIDATES]

    def contents_of_unindexed_files(self) -> dict[str, bytes]:
        """Path -> content of the files that differ from the index, at most 2,000.

        Empty if there is no time left to list them.
        """
        if self._loose is None:
            if self.until is not None and time.monotonic() + LISTING_SECONDS > self.until:
                self.hurried = True
                return {}
            self._loose = {}
            room = MOST_BYTES
            for path in self._changed()[:MOST_LOOSE]:
                data = listing.read_worktree_file(self.root, path)
                if data and room > 0:
                    room -= len(data)
                    self._loose[path] = data
        return self._loose

    def _changed(self) -> list[str]:
        """Paths whose content differs from the index, or that it lacks."""
        app = self.app
        if app.layout.worktree is None:
            return []
        state = indexed_files.worktree_index_state(app.store, self.root) if app.has_store else None
        with suppress(GitmemError):
            whole = state is not None and state.state == "whole"
            base = state.head if state and whole else ""
            paths = changed_files.files_changed_since(app.layout, base, app.git_head.commit or "")
            if paths is not None:
                return [path for path in paths if not file_filter.name_refusal_reason(path, True)]
            listed = listing.list_files(app.layout, file_filter.name_refusal_reason)
            known = (
                indexed_files.blob_ids_and_chunkers_by_path(app.store, self.root)
                if app.has_store
                else {}
            )
            return [path for path, blob in listed.blobs.items() if known.get(path, "-")[0] != blob]
        return []


def is_symbol_with_name(symbol: Symbol, name: str) -> bool:
    """Whether a definition matches a cited name: ``Server.start``, or only ``start``.

    A name without a class before it matches a definition in any class.
    """
    parts = symbol_parts(name)
    own = (*symbol_parts(symbol.container), *symbol_parts(symbol.name))
    return len(own) >= len(parts) and own[len(own) - len(parts) :] == parts


def _may_hold(print: Fingerprint, data: bytes) -> bool:
    """Whether some bytes have all names of a block, which white space never splits."""
    if print.is_whole_file or file_filter.is_utf16(data):
        return True
    return all(name.encode("utf-8", "surrogatepass") in data for name in print.names)


def _make_room(cache: OrderedDict[str, FileContent] | OrderedDict[str, SearchableText]) -> None:
    while len(cache) >= MOST_PAGES:
        cache.popitem(last=False)
