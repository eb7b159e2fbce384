"""One index run: list, plan, read, cut, store, embed; safe to stop anywhere.

Content comes before the paths that show it, paths before the state that says they are whole, and
every step is a short transaction. A run that is killed leaves work done, never work half done; the
next one goes on from there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from gitmem.git import listing, objects
from gitmem.git.layout import Layout
from gitmem.git.listing import Listing
from gitmem.indexing import admission, chunks, languages, notes
from gitmem.indexing.plan import Plan, plan
from gitmem.model.value import dataclass
from gitmem.store import sources
from gitmem.store.connection import Database
from gitmem.store.marks import mark
from gitmem.store.sources import Piece

IGNORE_FILE = ".gitmemignore"
MOST_FILES = 50_000
BATCH = 100
# The way of cutting is part of what a blob's pieces hang on: a new way cuts anew, and only that.
CODE = "code/1"

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Knobs:
    """What changes the pieces: words of a note's piece, and how many of them repeat."""

    words: int = notes.WORDS
    overlap: int = notes.OVERLAP

    def cutter(self, path: str) -> str:
        """The name of the way in which a path is cut."""
        return f"note/1/{self.words}/{self.overlap}" if languages.is_prose(path) else CODE


@dataclass(frozen=True, slots=True)
class FilesReport:
    """What a run did to files: counts, and why paths were skipped."""

    added: int
    moved: int
    dropped: int
    kept: int
    skipped: dict[str, int]


def look(layout: Layout, database: Database, tree: str, knobs: Knobs) -> tuple[Listing, Plan]:
    """What is there and what would have to be done."""
    found = listing.read(layout, admission.refuse_name, ignore_file=IGNORE_FILE)
    if len(found.blobs) > MOST_FILES:
        found = _first(found, MOST_FILES)
    present = {path: _key(blob, knobs.cutter(path)) for path, blob in found.blobs.items()}
    before = {path: _key(*entry) for path, entry in sources.indexed(database, tree).items()}
    known = [_key(*entry) for entry in sources.known(database)]
    return found, plan(before, present, known)


def files(
    layout: Layout,
    database: Database,
    tree: str,
    knobs: Knobs,
    progress: Progress,
) -> FilesReport:
    """Bring the chunks of a work tree up to date."""
    found, todo = look(layout, database, tree, knobs)
    if todo.unread:
        _cut_new(layout, database, found, todo, knobs, progress)
    if not todo.idle:
        _show(database, tree, found, todo, knobs)
    return report(database, found, todo, knobs)


def report(
    database: Database, found: Listing, todo: Plan, knobs: Knobs, *, done: bool = True
) -> FilesReport:
    """The counts of a plan; what was read and not cut counts as skipped, not as added.

    Before it is ``done`` nobody knows which content is missing: it counts as what it would be.
    """
    numbers, reasons = sources.known(database), sources.refused(database)
    skipped = Counter(found.skipped.values())

    def cut_ones(paths: Sequence[str]) -> int:
        count = 0
        for path in paths:
            number = numbers.get((found.blobs[path], knobs.cutter(path)))
            reason = reasons.get(number or 0)
            if number is None and done:
                reason = "changed while read" if path in found.loose else "content not here"
            if reason:
                skipped[reason] += 1
            else:
                count += 1
        return count

    return FilesReport(
        cut_ones(todo.added),
        cut_ones(todo.moved),
        len(todo.dropped),
        cut_ones(todo.kept),
        dict(sorted(skipped.items())),
    )


def _cut_new(
    layout: Layout,
    database: Database,
    found: Listing,
    todo: Plan,
    knobs: Knobs,
    progress: Progress,
) -> None:
    wanted: dict[tuple[str, str], str] = {}
    for path, blob in found.blobs.items():
        cutter = knobs.cutter(path)
        if _key(blob, cutter) in todo.unread:
            wanted.setdefault((blob, cutter), path)
    batch: list[tuple[str, str, bytes]] = []
    done = 0
    for oid, cutter, data in _contents(layout, found, wanted):
        batch.append((oid, cutter, data))
        if len(batch) >= BATCH:
            _store(database, batch, knobs)
            done += len(batch)
            progress("files", done, len(wanted))
            batch = []
    _store(database, batch, knobs)
    progress("files", len(wanted), len(wanted))


def _contents(
    layout: Layout, found: Listing, wanted: Mapping[tuple[str, str], str]
) -> Iterator[tuple[str, str, bytes]]:
    """(blob, cutter, content) of what must be read: git's content from git, the rest from disk."""
    cutters: dict[str, list[str]] = {}
    loose: list[tuple[str, str, str]] = []
    for (blob, cutter), path in wanted.items():
        if path in found.loose:
            loose.append((blob, cutter, path))
        else:
            cutters.setdefault(blob, []).append(cutter)
    sized = objects.sizes(layout.cwd, list(cutters))
    for blob, size in sized.items():
        if size > admission.LARGEST:
            yield from ((blob, cutter, b" " * (admission.LARGEST + 1)) for cutter in cutters[blob])
    fitting = {blob: size for blob, size in sized.items() if size <= admission.LARGEST}
    for blob, data in objects.contents(layout.cwd, fitting):
        yield from ((blob, cutter, data) for cutter in cutters[blob])
    for blob, cutter, path in loose:
        read = listing.read_file(layout.cwd, path)
        # A file that changes while it is read is left for the next run, under its next id.
        if read is not None and listing.blob_id(read, _algorithm(blob)) == blob:
            yield blob, cutter, read


def _algorithm(blob: str) -> str:
    return "sha256" if len(blob) == 64 else "sha1"


def _store(database: Database, batch: Sequence[tuple[str, str, bytes]], knobs: Knobs) -> None:
    # Cutting happens before the lock is taken: nobody waits for it.
    cut = [(oid, cutter, data, *_pieces(cutter, data, knobs)) for oid, cutter, data in batch]
    with database.write():
        for oid, cutter, data, pieces, reason in cut:
            if not sources.has_blob(database, oid, cutter):
                sources.add_blob(
                    database,
                    oid=oid,
                    cutter=cutter,
                    pieces=pieces,
                    lines=data.count(b"\n") + 1,
                    size=len(data),
                    skipped=reason,
                )


def _pieces(cutter: str, data: bytes, knobs: Knobs) -> tuple[list[Piece], str]:
    reason = admission.refuse_content(data)
    if reason:
        return [], reason
    text = admission.decode(data)
    cut = (
        chunks.cut(text)
        if cutter == CODE
        else notes.cut(text, words=knobs.words, overlap=knobs.overlap)
    )
    pieces = [
        Piece(
            one.start_line,
            one.end_line,
            one.context,
            one.symbol,
            one.text,
            mark(embedded(one.context, one.symbol, one.text)),
        )
        for one in cut
    ]
    return pieces, "" if pieces else "empty"


def embedded(context: str, symbol: str, text: str) -> str:
    """What stands for a piece when it is embedded. Without its path: a rename costs no vector."""
    return "\n".join(part for part in (context, symbol, text) if part)


def _show(database: Database, tree: str, found: Listing, todo: Plan, knobs: Knobs) -> None:
    numbers = sources.known(database)
    entries = [
        (path, numbers[entry], languages.language(path))
        for path in (*todo.moved, *todo.added)
        if (entry := (found.blobs[path], knobs.cutter(path))) in numbers
    ]
    with database.write():
        sources.refresh_text(database, sources.hide(database, tree, todo.dropped))
    for start in range(0, len(entries), BATCH):
        with database.write():
            touched = sources.show(database, tree, entries[start : start + BATCH])
            sources.refresh_text(database, touched)


def _first(found: Listing, most: int) -> Listing:
    """The listing cut to a number of files, tracked ones first; the rest is skipped and said."""
    ranked = sorted(found.blobs, key=lambda path: (path in found.loose, path))
    kept = {path: found.blobs[path] for path in ranked[:most]}
    skipped = {**found.skipped, **dict.fromkeys(ranked[most:], "too many files")}
    return Listing(kept, found.loose & kept.keys(), skipped)


def _key(blob: str, cutter: str) -> str:
    return f"{blob} {cutter}"
