"""Names of chunkers, which record how a file was split: chunker, version and sizes.

A new name means that files are split again, and only those concerned: another size of notes leaves
code alone, and a newer grammar has only the files of its language read again.
"""

from __future__ import annotations

import os
import sys
from functools import cache, lru_cache

from gitmem import languages
from gitmem.languages import index

# Files without a grammar, and the pieces into which they are cut.
LINES = "code/1"
# Files read by patterns of lines, without a grammar.
_PATTERNS = "patterns/1"
# Raised when a query or the cutting along definitions changes what comes out.
_SYNTAX = "code/2"
# Files that may be scripts: the first line tells the language. Which it is nobody knows before the
# file is read, so the grammars of all that may be are in the name.
_SCRIPT = "script/1"
# What stands before the sizes of pieces of code, where they are not the usual ones.
_SIZES = "/lines/"
_USUAL = (20, 0)
_NOTE = "note"
# Names of files that say more than their ending: CMakeLists.txt.
_WHOLE = frozenset(word for words in index.FILES.values() for word in words.split() if "." in word)


def chunker_name_of_path(
    path: str,
    words_per_chunk: int,
    word_overlap: int,
    lines_per_chunk: int = 20,
    line_overlap: int = 0,
) -> str:
    """The name of the chunker (the way to split a file) for a path: ``note/2/120/20``.

    A note is split into pieces of ``words_per_chunk`` words, of which ``word_overlap`` are also in
    the next piece; code into pieces of ``lines_per_chunk`` lines, of which ``line_overlap`` are
    also in the next piece.
    """
    # By what tells a language: most files of a tree share a few endings.
    name = path.rpartition("/")[2]
    stem, _, extension = name.rpartition(".")
    way = _of_name(f"x.{extension}" if stem and name not in _WHOLE else name)
    if way == _NOTE:
        return f"note/2/{words_per_chunk}/{word_overlap}"
    return (
        way
        if (lines_per_chunk, line_overlap) == _USUAL
        else f"{way}{_SIZES}{lines_per_chunk}/{line_overlap}"
    )


@lru_cache(maxsize=4096)
def _of_name(name: str) -> str:
    language = languages.language(name)
    if language in index.PROSE:
        return _NOTE
    if language:
        return _code(language, name.rpartition(".")[2])
    return _script() if languages.may_be_script(name) else LINES


def chunking_rules_fingerprint() -> str:
    """A text that changes when the rules for splitting files change; settings aside."""
    return f"{LINES} {_PATTERNS} {_SYNTAX} {_SCRIPT} {sorted(_versions().items())}"


def lines_and_overlap_of_chunker(chunker_name: str) -> tuple[int, int]:
    """(lines of a piece of code, how many the next piece repeats), from a chunker's name."""
    lines, _, shared = chunker_name.partition(_SIZES)[2].partition("/")
    return (int(lines), int(shared)) if lines else _USUAL


def split_method_of_chunker(chunker_name: str) -> str:
    """The way a chunker splits: ``note``, ``lines``, ``syntax`` or ``script``.

    A ``script`` is split by syntax if its content names a language.
    """
    chunker_name = chunker_name.partition(_SIZES)[0]
    if chunker_name.startswith("note/"):
        return "note"
    if chunker_name.startswith("script/"):
        return "script"
    return "lines" if chunker_name == LINES else "syntax"


def _code(language: str, extension: str) -> str:
    # Imported here: a run over notes alone needs none of it.
    from gitmem.indexing.syntax import grammars  # noqa: PLC0415

    grammar = grammars.grammar_name(f"x.{extension}", language)
    return _of_grammar(grammar, language)


def _of_grammar(grammar: str, language: str) -> str:
    from gitmem.indexing.syntax import grammars  # noqa: PLC0415 - as above

    if not grammars.is_grammar_available(grammar):
        return f"{_PATTERNS}/{language}" if language in index.PATTERNED else LINES
    return f"{_SYNTAX}/{grammar}/{_versions().get(index.WHEELS[grammar], '0')}"


@cache
def _script() -> str:
    # Without their records: of most trees nothing is read in most of these.
    versions = [
        _of_grammar(language, language).rpartition("/")[2] for language in languages.SCRIPTS
    ]
    return "/".join((_SCRIPT, _SYNTAX.rpartition("/")[2], *versions))


@cache
def _versions() -> dict[str, str]:
    """Name -> version of the installed tree-sitter wheels, read from their folder names.

    ``importlib.metadata`` would cost 30 ms for the same answer.
    """
    found: dict[str, str] = {}
    for folder in reversed(sys.path):
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        for name in names:
            if name.startswith("tree_sitter") and name.endswith(".dist-info"):
                wheel, _, version = name.removesuffix(".dist-info").partition("-")
                found[wheel] = version
    return found
