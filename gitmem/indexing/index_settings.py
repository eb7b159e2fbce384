"""The settings of an index run: which files are read, and how they are split."""

from __future__ import annotations

from gitmem.indexing import chunkers, file_filter, line_chunker, prose_chunker
from gitmem.model.frozen import dataclass
from gitmem.settings import Settings

MOST_FILES = 50_000


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """The settings that decide which files are indexed, and how they are split.

    ``words`` and ``overlap`` are the length of a piece of a note and what it shares with the piece
    before, in words; ``lines`` and ``line_overlap`` are those of a piece of code, in lines.
    ``largest`` is the size in bytes up to which a file is read, ``exclude`` holds globs of paths to
    skip. If ``enabled`` is false, no file is read.
    """

    words: int = prose_chunker.WORDS
    overlap: int = prose_chunker.OVERLAP
    lines: int = line_chunker.LINES
    line_overlap: int = 0
    largest: int = file_filter.LARGEST
    most_files: int = MOST_FILES
    exclude: tuple[str, ...] = ()
    enabled: bool = True

    def chunker_name(self, path: str) -> str:
        """The name of the chunker (the way to split a file) for the file at a path."""
        return chunkers.chunker_name_of_path(
            path, self.words, self.overlap, self.lines, self.line_overlap
        )

    def refusal_reason(self, path: str, is_tracked: bool = True) -> str:
        """Why a path is not indexed, such as ``lock file`` or ``index.exclude``; "" if it may be.

        For a file that git does not track (``is_tracked`` is false), build folders and logs count.
        """
        if not self.enabled:
            return "index.enabled is 0"
        reason = file_filter.name_refusal_reason(path, is_tracked)
        if reason or not self.exclude:
            return reason
        from gitmem.text import globs  # noqa: PLC0415 - most exclude nothing

        return (
            "index.exclude"
            if any(globs.path_matches_glob(path, glob) for glob in self.exclude)
            else ""
        )


def index_settings(settings: Settings) -> IndexSettings:
    """The settings of an index run as an IndexSettings, read from all ``settings``."""
    number = settings.number
    return IndexSettings(
        number("index.words"),
        number("index.overlap"),
        number("index.lines"),
        number("index.line_overlap"),
        number("index.max_file_bytes"),
        number("index.max_files"),
        parse_globs(settings.text("index.exclude")),
        bool(number("index.enabled")),
    )


def parse_globs(text: str) -> tuple[str, ...]:
    """The globs in the text of a setting, which are separated by commas, as a tuple."""
    return tuple(glob.strip() for glob in text.split(",") if glob.strip())
