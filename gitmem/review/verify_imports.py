"""Imports on changed lines that name nothing: what no file, package or manifest could be.

Each language says what it doubts (``UnresolvedImport``); here a doubt is dropped where git would
ignore the missing file, which is then built, or where other code already imports the same package.
What remains is a finding. Where anything is uncertain, nothing is said.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from gitmem.indexing.syntax import extract
from gitmem.indexing.syntax.values import Use
from gitmem.model.frozen import dataclass
from gitmem.model.review_finding import ERROR, WARNING, ReviewFinding
from gitmem.review.reviewed_diff import ReviewedFile
from gitmem.review.verify_tree import TreeAfterDiff

IMPORTS = frozenset({"import", "type-import", "late-import"})
MISSING, NAME, UNLISTED = "import/missing", "import/name", "dependency/unlisted"
# What tests read as data may be wrong on purpose.
SAMPLES = re.compile(
    r"(?:^|/)(?:(?:__)?fixtures?(?:__)?|test[-_]?data|test-?cases|samples?|snippets|templates?|"
    r"playgrounds?|vendor|vendored|_vendor|third_party|node_modules|data|mocks?|__mocks__)(?:/|$)"
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_MAX_GREPPED = 60
_STATEMENT = 60  # lines of an import statement that are searched for a name


@dataclass(frozen=True, slots=True)
class UnresolvedImport:
    """An import whose target was not found.

    It is right all the same if git would ignore a path in ``places``, where the file would be (it
    is built), or if the regular expression ``pattern`` matches a line of another file or of the
    file before the diff.
    """

    rule: str
    line: int
    module: str
    message: str
    places: tuple[str, ...] = ()
    pattern: str = ""


UnresolvedImportFinder = Callable[
    [TreeAfterDiff, ReviewedFile, Sequence[Use]], Iterable[UnresolvedImport]
]


def find_broken_imports(
    tree: TreeAfterDiff,
    files: Iterable[ReviewedFile],
    finders_by_language: Mapping[str, UnresolvedImportFinder],
) -> Iterator[ReviewFinding]:
    """Yield a finding for each import on changed lines whose target does not exist.

    ``finders_by_language`` maps languages to functions that return imports without a target.
    """
    doubts = [(file, doubt) for file in files for doubt in _doubts(tree, file, finders_by_language)]
    places = {place for _, doubt in doubts for place in doubt.places}
    ignored = tree.git_ignored_paths(sorted(places | {*map(_control, places)}))
    patterns = sorted({doubt.pattern for _, doubt in doubts if doubt.pattern})
    hits = tree.git_grep("|".join(patterns)) if 0 < len(patterns) <= _MAX_GREPPED else {}
    for file, doubt in doubts:
        if _may_be_built(doubt.places, ignored):
            continue
        if doubt.pattern and (len(patterns) > _MAX_GREPPED or _elsewhere(doubt, file, hits)):
            continue
        level = WARNING if doubt.rule == UNLISTED else ERROR
        yield ReviewFinding(doubt.rule, level, file.path, doubt.line, doubt.message)


def _may_be_built(places: Sequence[str], ignored: Collection[str]) -> bool:
    """Whether git would ignore one of the files because of its name, or all because of the folder.

    That all files of an ending are ignored says nothing of one: they are built from others.
    """
    generic = [_control(place) in ignored for place in places]
    named = any(
        place in ignored and not alike for place, alike in zip(places, generic, strict=True)
    )
    return named or (bool(places) and all(generic))


def _control(place: str) -> str:
    """The path of a file beside another with the same ending, and a name that none has."""
    folder, slash, name = place.rpartition("/")
    _, dot, ending = name.rpartition(".")
    return f"{folder}{slash}gitmem-no-such-file{dot}{ending if dot else ''}"


def _elsewhere(
    doubt: UnresolvedImport, file: ReviewedFile, named: Mapping[str, Sequence[str]]
) -> bool:
    pattern = re.compile(doubt.pattern.replace("[[:space:]]", r"\s"))
    own = "" if file.old is None else file.old.decode("utf-8", "replace")
    others = (line for path, lines in named.items() if path != file.path for line in lines)
    return any(map(pattern.search, [*own.split("\n"), *others]))


def _doubts(
    tree: TreeAfterDiff, file: ReviewedFile, languages: Mapping[str, UnresolvedImportFinder]
) -> Iterator[UnresolvedImport]:
    doubts = languages.get(file.language)
    if doubts is None or file.new is None or not file.added_ranges or SAMPLES.search(file.path):
        return
    parsed = extract.parse_source_file(file.language, file.path, file.new)
    if parsed is None:
        return
    # A list of names may go over several lines, of which the diff wrote some.
    uses = [
        use
        for use in parsed.uses
        if use[1] in IMPORTS
        and any(
            first <= use[0] + _STATEMENT and use[0] <= last for first, last in file.added_ranges
        )
    ]
    for doubt in doubts(tree, file, uses):
        if file.is_added_line(doubt.line):
            yield doubt


# --- what the languages share -------------------------------------------------------------------


def line_of_imported_name(file: ReviewedFile, import_use: Use, name: str) -> int:
    """Return the line number of ``name`` within an import statement; its first line if missing."""
    first = import_use[0]
    for number, line in enumerate(file.new_lines[first - 1 : first - 1 + _STATEMENT], first):
        if re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", line):
            return number
    return first


def contains_word(text: str, word: str) -> bool:
    """Return whether ``word`` stands in ``text`` as a whole word."""
    return re.search(rf"(?<![\w$]){re.escape(word)}(?![\w$])", text) is not None


def did_you_mean(word: str, candidates: Iterable[str], cutoff: float = 0.75) -> str:
    """Return `` (did you mean X?)`` with the most similar candidate; empty if below ``cutoff``."""
    names = sorted({name for name in candidates if abs(len(name) - len(word)) < 6})
    close = difflib.get_close_matches(word, names[:20_000], 1, cutoff)
    return f" (did you mean {close[0]}?)" if close else ""


def identifiers_in_text(text: str) -> set[str]:
    """Return the words in a text that have the form of an identifier."""
    return set(_WORD.findall(text))


def module_names_in_folder(tree: TreeAfterDiff, folder: str) -> dict[str, str]:
    """Return module name -> path, for the files and folders directly in ``folder``.

    The name of a file ends at its first dot; the path of a folder ends with ``/``.
    """
    names = {
        path.rpartition("/")[2].partition(".")[0]: path for path in tree.folders.get(folder, ())
    }
    prefix = f"{folder}/" if folder else ""
    for each in tree.folders:
        if each.startswith(prefix) and "/" not in each[len(prefix) :] and each != folder:
            names.setdefault(each[len(prefix) :], each + "/")
    return names
