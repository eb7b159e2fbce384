"""Resolving names of C#, Scala and Swift, which belong to namespaces and not to files.

Files declare a namespace, or their folder is a module. Names are looked up directly, so its files
need not be known. A name that several files declare is not guessed, unless they are parts of one
type.
"""

from __future__ import annotations

from gitmem.graph.project import Project
from gitmem.graph.source_file import SourceFile
from gitmem.graph.values import Definition
from gitmem.languages.tree_paths import ImportTarget, folder_of, nearest_path

_MOST_FOLDERS = 8
_INSIDE, _TAKEN, _FOLDER, _ONE_OF = 0.97, 0.96, 0.9, 0.6


def enclosing_namespaces(project: Project, file: SourceFile) -> list[str]:
    """The names of a file's namespaces (as in C#), the innermost first; "" is the global one."""
    if file.rules.namespace:
        return [file.rules.namespace(project.tree, file.path)]
    return [*file.namespaces(), ""]


def find_in_namespace(
    project: Project, file: SourceFile, namespace: str, name: str
) -> list[ImportTarget]:
    """The file with the definition of ``name`` in ``namespace``, as a list of one ImportTarget.

    Empty if it is not clear which. Of several definitions: if all are parts of one type, the
    nearest to the file, else the only one in the nearest folder.
    """
    places = _places(project, file, namespace, name)
    if len(places) == 1:
        return [ImportTarget(next(iter(places)), name, _INSIDE, "declared in that namespace")]
    if places and all("partial " in place.signature for place in places.values()):
        own = [path for path in places if path.rpartition("/")[2].partition(".")[2].count(".") == 0]
        best = nearest_path(own or list(places), file.path)
        return [ImportTarget(best, name, _TAKEN, "declared in several parts in that namespace")]
    near = [
        path for path in places if folder_of(path) == folder_of(nearest_path(places, file.path))
    ]
    if len(near) != 1:
        return []
    # Programs of their own in one repository, or variants for several systems.
    return [
        ImportTarget(near[0], name, _ONE_OF, f"one of {len(places)} of that name in that namespace")
    ]


def resolve_import(
    project: Project, file: SourceFile, module: str, name: str
) -> list[ImportTarget]:
    """What an import means: the file of a name in a namespace, or the folders of the namespace.

    They are ImportTarget values. ``name`` is "" or ``*`` for the whole namespace ``module``. Empty
    if this is not known.
    """
    spaces = [
        module,
        *(f"{space}.{module}" for space in enclosing_namespaces(project, file) if space),
    ]
    if name in ("", "*"):
        return next(filter(None, (_folders(project, file, space) for space in spaces)), [])
    member = "" if name == "static *" else name
    for space in spaces:
        if member and (found := find_in_namespace(project, file, space, member)):
            return found
        outer, _, kind = space.rpartition(".")
        if outer and (found := find_in_namespace(project, file, outer, kind)):
            rest = ".".join(filter(None, (kind, member)))
            return [ImportTarget(found[0].path, rest, _TAKEN, "member of a type of that namespace")]
    return []


def _places(project: Project, file: SourceFile, space: str, name: str) -> dict[str, Definition]:
    found: dict[str, Definition] = {}
    for path, definition in project.definitions_named(name):
        other = project.source_file(path)
        if other and other.language == file.language and _top(other, definition):
            own = other.rules.namespace
            if (own(project.tree, path) if own else other.namespace_of(definition)) == space:
                found[path] = definition
    return found


def _top(file: SourceFile, definition: Definition) -> bool:
    return definition in file.tops.get(definition.name, ()) and definition.kind != "namespace"


def _folders(project: Project, file: SourceFile, space: str) -> list[ImportTarget]:
    key = ("folders", file.language, space)
    if key not in project.cache:
        if file.rules.namespace:
            ending = (f"Sources/{space}", f"Tests/{space}")
            paths = [folder for folder in project.tree.folders if space and folder.endswith(ending)]
            folders = sorted(paths)
        else:
            declaring = [
                path
                for path, definition in project.definitions_named(space)
                if definition.kind == "namespace"
            ]
            folders = sorted({folder_of(path) for path in declaring})
        few = folders if len(folders) <= _MOST_FOLDERS else []
        project.cache[key] = [
            ImportTarget(f"{folder}/", "", _FOLDER, "declared there") for folder in few
        ]
    known = project.cache[key]
    return known if isinstance(known, list) else []
