"""What other files still import although the diff removes it.

Only what is certain: a name at the top of a file that is defined nowhere in it any more, and a file
that imports this name from there, as the new state has it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from gitmem.app import App
from gitmem.git.display import display_path
from gitmem.model.frozen import dataclass
from gitmem.model.review_finding import ERROR, ReviewFinding
from gitmem.review.reviewed_diff import ReviewedDiff, ReviewedFile
from gitmem.review.time_limit import TimeLimit
from gitmem.store.code import symbols
from gitmem.text.fence import one_line

# Where an import names a file of the repository, and what it takes from it.
LANGUAGES = frozenset(("python", "javascript", "typescript", "tsx"))
_MAX_NAMES, _MAX_LINE_LENGTH = 200, 1_000
_DEFINING = "import|exports?|def|class|function|const|let|var|type|interface|enum|as"
# Files that one import may lead to: a module, its stub, a package.
_ENDS = {
    "python": (".py", ".pyi", "/__init__.py", "/__init__.pyi"),
    "javascript": (".ts", ".tsx", ".js", ".jsx", ".mjs", ".d.ts", "/index.ts", "/index.js"),
}
_INDEX = re.compile(r"(?:^|/)(?:__init__|index)$")


@dataclass(frozen=True, slots=True)
class BrokenUse:
    """A line of ``path`` that still imports ``name``, which the diff removes, and its finding."""

    path: str
    line: int
    name: str
    finding: ReviewFinding


def find_broken_uses(app: App, diff: ReviewedDiff, limit: TimeLimit) -> list[BrokenUse]:
    """Return the imports, in files as the diff leaves them, of names that the diff removes.

    Only Python, JavaScript and TypeScript are searched; at most ``_MAX_NAMES`` removed names.
    """
    if not app.has_store:
        return []
    touched = {file.path: file for file in diff.files}
    uses: list[BrokenUse] = []
    names = 0
    files = [file for file in diff.files if file.language in LANGUAGES and file.old is not None]
    for file in limit.items_while_time_left(files, "names that they no longer define"):
        beside: list[str] | None = None
        for name in _removed(file):
            names += 1
            if names > _MAX_NAMES:
                limit.notes.append(f"Only the first {_MAX_NAMES} removed names were looked up.")
                return uses
            importers = list(_importers(app, diff, touched, file, name))
            if importers and beside is None:
                beside = _lines_beside(app, diff, touched, file)
            if beside and _may_define(beside, name):
                continue
            for path, line in importers:
                message = (
                    f"{display_path(path)}:{line} still imports {one_line(name, 80)}, which the "
                    "diff removes from this file"
                )
                finding = ReviewFinding("removed/still-imported", ERROR, file.path, 0, message)
                uses.append(BrokenUse(path, line, name, finding))
    return uses


def _removed(file: ReviewedFile) -> Iterator[str]:
    """The names that the old version has at the top, and the new one nowhere."""
    gone = [
        definition.name
        for definition in file.definitions_and_imports(after_diff=False).definitions
        if not definition.container
    ]
    if not gone or (file.new is not None and file.change.old == file.path and not file.hunks):
        return
    text = "\n".join(file.new_lines)
    if "__getattr__" in text or re.search(r"import \*|export \*", text):
        return
    for name in dict.fromkeys(gone):
        if not _may_define(file.new_lines, name):
            yield name


def _lines_beside(
    app: App, diff: ReviewedDiff, touched: dict[str, ReviewedFile], file: ReviewedFile
) -> list[str]:
    """The lines, after the diff, of the other files that the same imports lead to."""
    stem = _INDEX.sub("", posixpath.splitext(file.change.old)[0].removesuffix(".d"))
    lines: list[str] = []
    for end in _ENDS.get(file.language, _ENDS["javascript"]):
        path = f"{stem}{end}"
        if path in touched:
            lines += touched[path].new_lines if path != file.path else ()
        else:
            lines += diff.unchanged_text(app, path).split("\n")
    return lines


def _may_define(lines: Sequence[str], name: str) -> bool:
    """Whether a line may define, assign, import or export a name."""
    word = rf"(?<![\w$.]){re.escape(name)}(?![\w$])"
    form = re.compile(rf"\s*{word}\s*(?:[:=,]|$)|.*\b(?:{_DEFINING})\b.*{word}")
    # What is in a very long line is not known.
    return any(
        len(line) > _MAX_LINE_LENGTH or form.match(line) is not None
        for line in lines
        if name in line
    )


def _importers(
    app: App,
    diff: ReviewedDiff,
    touched: dict[str, ReviewedFile],
    file: ReviewedFile,
    name: str,
) -> Iterator[tuple[str, int]]:
    """The files and lines that import a name from a file, in the state after the diff."""
    for path, modules in symbols.files_importing_name(app.store, app.worktree, name).items():
        if path not in touched and any(
            import_resolves_to_file(path, module, file.change.old) for module in modules
        ):
            line = _import_line(path, diff.unchanged_text(app, path), name)
            if line:
                yield path, line
    for path, other in touched.items():
        own = path == file.path or other.language not in LANGUAGES
        if not own and other.new is not None and name.encode() in other.new:
            for use in other.definitions_and_imports().imports:
                leads = name in use.names and import_resolves_to_file(
                    path, use.module, file.change.old
                )
                if leads and _import_line(path, "\n".join(other.new_lines), name):
                    yield path, use.line


def import_resolves_to_file(importing_path: str, module: str, target_path: str) -> bool:
    """Return whether ``module``, imported in the file ``importing_path``, is ``target_path``.

    An absolute module has to name at least two parts of the target's path.
    """
    stem = _INDEX.sub("", posixpath.splitext(target_path)[0]) or "."
    folder = posixpath.dirname(importing_path)
    if module.startswith(("./", "../")):
        named = posixpath.normpath(posixpath.join(folder, module))
        return _INDEX.sub("", posixpath.splitext(named)[0]) == stem or named == stem
    if module.startswith("."):
        bare = module.lstrip(".")
        up = folder.split("/")[: -(len(module) - len(bare) - 1) or None] if folder else []
        return "/".join([*up, *filter(None, bare.split("."))]) == stem
    parts = module.replace(".", "/")
    return "/" in parts and (stem == parts or stem.endswith("/" + parts))


def _import_line(path: str, text: str, name: str) -> int:
    """The line that imports a name; 0 if none does, or only where it is there.

    JavaScript names what it imports in braces; a default import has a name of its own.
    """
    word = rf"(?<![\w$]){re.escape(name)}(?![\w$])"
    if not path.endswith(".py"):
        word = rf"(?<=[{{,])\s*{word}(?=[^{{}}]{{0,2000}}\}}\s*from\b)"
    match = re.search(word, text)
    if match is None:
        return 0
    line = text.count("\n", 0, match.end()) + 1
    # What may be missing is not missed.
    above = "\n".join(text.split("\n")[max(0, line - 12) : line - 1])
    return 0 if re.search(r"\btry:|\bTYPE_CHECKING\b", above) else line
