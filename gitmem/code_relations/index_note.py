"""Sentences on what an answer from the code graph lacks."""

from collections.abc import Iterable

from gitmem import languages
from gitmem.app import App
from gitmem.code_relations.graph_target import GraphTarget
from gitmem.indexing import index_state
from gitmem.store.code import chunks, graph_reads, tree_state


def describe_index_gaps(app: App, target: GraphTarget | None = None) -> str:
    """A sentence on what an answer about a target, or about all files (None), may lack; or "".

    Such as: the imports of its language are not resolved, or the index is behind.
    """
    spoken = _spoken(target) if target else chunks.languages_of_worktree(app.store, app.worktree)
    notes = [_unresolved(app, spoken, whole=target is None)]
    if target is not None and len(places := {symbol.path for symbol in target.symbols}) > 1:
        notes.append(
            f"{len(target.symbols)} definitions in {len(places)} files are taken together; "
            "Class.name or path:name tells them apart."
        )
    return _joined(app, notes)


def describe_language_gaps(app: App, language_names: Iterable[str]) -> str:
    """A sentence on what an answer about files of some languages may lack; "" if nothing.

    Such as: imports of the language are not resolved, or the index is behind.
    """
    return _joined(app, [_unresolved(app, language_names, whole=False)])


def _joined(app: App, notes: list[str]) -> str:
    if index_state.index_state(app) == "stale":
        notes.append("The index is out of date; `gitmem index` brings it up to date.")
    return " ".join(filter(None, notes))


def _unresolved(app: App, spoken: Iterable[str], *, whole: bool) -> str:
    lacking = names_of_unresolved_languages(spoken)
    if lacking and not whole:
        return f"{describe_unresolved_languages(lacking)}: by name alone."
    if not graph_reads.has_edges(app.store, app.worktree):
        if tree_state.worktree_index_state(app.store, app.worktree) is None:
            return "No edges are indexed; `gitmem index` makes them."
        return "No file here is of a language whose imports are resolved." if whole else ""
    return f"{describe_unresolved_languages(lacking)}: their files are left out." if lacking else ""


def describe_unresolved_languages(language_names: tuple[str, ...]) -> str:
    """A sentence that imports and calls of these languages (one at least) are not resolved."""
    return f"Imports and calls of {_listed(language_names)} are not resolved"


def unresolved_languages(target: GraphTarget) -> tuple[str, ...]:
    """The target's languages whose imports are not resolved, by their display names (``C++``)."""
    return names_of_unresolved_languages(_spoken(target))


def _spoken(meant: GraphTarget) -> set[str]:
    return {language_or_file_ending(meant.path), *(symbol.language for symbol in meant.symbols)}


def language_or_file_ending(path: str) -> str:
    """The language of a file, or its ending (``.tl``) where that is of no known language."""
    stem, dot, ending = path.rpartition("/")[2].rpartition(".")
    return languages.language(path) or (dot + ending.lower() if stem else "")


def names_of_unresolved_languages(language_names: Iterable[str]) -> tuple[str, ...]:
    """The display names (``C++``) of those languages whose imports are not resolved.

    A name may also be a file ending, such as ``.tl``.
    """
    known = languages.UNRESOLVED
    named = (
        f"{language} files" if language.startswith(".") else known.get(language)
        for language in sorted(language_names)
    )
    return tuple(filter(None, named))


def _listed(spoken: tuple[str, ...]) -> str:
    return " and ".join(filter(None, (", ".join(spoken[:-1]), spoken[-1])))
