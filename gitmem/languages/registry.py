"""The records of the languages. Asking for one imports that language's file and no other."""

from __future__ import annotations

from gitmem.languages.index import READ
from gitmem.languages.record import Language

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.languages.tree_paths import ImportTarget, TreePaths

# Kept for the life of the process: asked for once for each file of a tree.
_known: dict[str, Language] = {}


def language_properties(language_name: str) -> Language:
    """The properties of a language or grammar; for an unknown name, the defaults."""
    record = _known.get(language_name)
    if record is None:
        record = _known[language_name] = _load(language_name)
    return record


def resolve_import(
    tree: TreePaths, language: str, importer: str, module: str, name: str
) -> list[ImportTarget]:
    """Find the files or packages in the repository that an import refers to, as a list of targets.

    ``language`` is that of the file ``importer``, ``name`` what it imports from ``module``: "" for
    the module itself, ``*`` for all of its names.
    """
    way = language_properties(language).resolve
    whole = name in ("*", "=", "static *")
    return way(tree, importer, module, "" if whole else name) if way else []


def _load(name: str) -> Language:
    if name not in READ:
        from gitmem.languages import plain  # noqa: PLC0415 - most ask for what has a file

        return next((record for record in plain.LANGUAGES if record.name == name), Language(name))
    file = __import__(f"{__package__}.{name}", fromlist=("LANGUAGE",))
    found: Language = file.LANGUAGE
    return found
