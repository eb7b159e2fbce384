"""Resolving a name in a line to a definition, a module, or something outside the tree.

The order: local definitions, those of the file, imports, then what needs no import: the package
of Go and Java, the headers of C, the constants of Ruby.
"""

from __future__ import annotations

from collections.abc import Iterable
from re import sub

from gitmem.graph import namespaces
from gitmem.graph.project import Project
from gitmem.graph.source_file import CALLABLE, CLASSES, SourceFile
from gitmem.graph.values import SURE, Definition
from gitmem.languages import registry
from gitmem.languages.tree_paths import ImportTarget, nearest_path

_DEEPEST = 8
_EVERYWHERE = ("constants", "everywhere")
# Of these the definition is what has a body elsewhere.
_HEADERS = (".h", ".hpp", ".hh", ".hxx")


class ResolvedName:
    """What a name in the code stands for: a definition, a module or package.

    ``definition`` is None for modules and packages; ``path`` is the file's, a package's ends with a
    slash. The constant OUTSIDE stands for anything that another project defines. ``confidence`` is
    from 0 to 1, ``evidence`` has the reason in words. ``instance``: a value of a class, not the
    class itself.
    """

    __slots__ = ("confidence", "definition", "evidence", "instance", "path")

    def __init__(
        self,
        path: str,
        definition: Definition | None,
        confidence: float,
        evidence: str,
        instance: bool = False,
    ) -> None:
        self.path = path
        self.definition = definition
        self.confidence = confidence
        self.evidence = evidence
        self.instance = instance

    def with_confidence_factor(
        self, factor: float, evidence: str = "", *, is_instance: bool = False
    ) -> ResolvedName:
        """A copy, its confidence multiplied by ``factor``, and ``evidence`` as a further reason."""
        reasons = f"{self.evidence}, {evidence}" if evidence and self.evidence else evidence
        return ResolvedName(
            self.path,
            self.definition,
            self.confidence * factor,
            reasons or self.evidence,
            is_instance,
        )


OUTSIDE = ResolvedName("", None, 0.0, "outside of the repository")


def resolve_name(project: Project, file: SourceFile, name: str, line: int) -> ResolvedName | None:
    """What ``name`` in a line of a file stands for, as a ResolvedName; None if not known.

    The constant OUTSIDE if it is imported from another project.
    """
    for each in file.enclosing_definitions(line):
        if each.kind in CALLABLE and (inside := file.members_named(each.qualified_name, name)):
            return ResolvedName(file.path, _best(inside), 0.97, "defined in the same function")
    key = ("name", file.path, name)
    if key not in project.cache:
        project.cache[key] = None  # a name that leads back to itself is not known
        project.cache[key] = _in_file(project, file, name)
    known = project.cache[key]
    return known if isinstance(known, ResolvedName) else None


def _in_file(project: Project, file: SourceFile, name: str) -> ResolvedName | None:
    own = file.tops.get(name)
    rules = file.rules
    if own and (below := file_of_declared_module(project, file, own[0])):
        return ResolvedName(below, None, 0.98, "module declared here")
    everywhere = rules.shared in _EVERYWHERE
    if own and not (everywhere and _only_declared(file, own)):
        return ResolvedName(file.path, _best(own), 0.98, "defined in the same file")
    if name in file.here:
        return _imported(project, file, file.here[name])
    if rules.shared == "folder" and (found := _in_package(project, file.folder, file, name)):
        return found.with_confidence_factor(0.99, "same package")
    if rules.shared == "namespace":
        return _in_namespaces(project, file, name)
    anywhere = _global(project, file, name) if everywhere else None
    if anywhere is not None and anywhere.confidence >= SURE:
        return anywhere
    for module in file.everything:
        for found_ in project.resolved_import(file, module, "*"):
            if meaning := _within(project, file, found_, name):
                return meaning.with_confidence_factor(0.95, "all names are imported")
    if anywhere is not None:
        return anywhere
    parts = [
        known_name for known_name in file.here if known_name.startswith(name + ".")
    ]  # import a.b: a is known
    if parts and rules.submodules:
        return _imported(project, file, [(name, "")])
    return None


def _in_namespaces(project: Project, file: SourceFile, name: str) -> ResolvedName | None:
    """A name in an enclosing namespace, the innermost first, or in one imported as a whole."""
    for space in namespaces.enclosing_namespaces(project, file):
        for found in namespaces.find_in_namespace(project, file, space, name):
            return follow_reexports(project, file.language, found, name)
    taken = [
        found for module in file.everything for found in resolve_import(project, file, module, name)
    ]
    meanings = [follow_reexports(project, file.language, found, name) for found in taken]
    known = {
        (meaning.path, meaning.definition): meaning
        for meaning in meanings
        if meaning and meaning.definition
    }
    return next(iter(known.values())) if len(known) == 1 else None


def resolve_import(
    project: Project, file: SourceFile, module: str, name: str
) -> list[ImportTarget]:
    """The files or packages that importing ``name`` from ``module`` in a file may mean.

    They are ImportTarget values; empty if not known. ``name`` is "" for the module itself and ``*``
    for all its names.
    """
    if file.rules.shared == "namespace":
        return namespaces.resolve_import(project, file, module, name)
    return project.resolved_import(file, module, name)


def _imported(
    project: Project, file: SourceFile, ways: Iterable[tuple[str, str]]
) -> ResolvedName | None:
    """What an import leads to, the last that leads into the tree."""
    for module, name in reversed(list(ways)):
        for found in resolve_import(project, file, module, name):
            if meaning := follow_reexports(project, file.language, found, name):
                return meaning
    return OUTSIDE


def _within(
    project: Project, file: SourceFile, found: ImportTarget, name: str
) -> ResolvedName | None:
    rest = f"{found.rest}.{name}" if found.rest and found.rest != "*" else name
    place = ImportTarget(found.path, rest, found.confidence, found.evidence)
    return follow_reexports(project, file.language, place, name)


def follow_reexports(
    project: Project, language: str, import_target: ImportTarget, name: str = "", depth: int = 0
) -> ResolvedName | None:
    """What an import refers to in the end, where modules only pass a name on (ResolvedName).

    None if not known. ``name`` is the imported name; ``depth`` is for calls of itself.
    """
    meaning: ResolvedName | None = ResolvedName(
        import_target.path, None, import_target.confidence, import_target.evidence
    )
    if name == "=" or (not import_target.rest and name == "default"):
        exported = _member_of_file(project, import_target.path, "default", depth)
        return (
            exported.with_confidence_factor(import_target.confidence, import_target.evidence)
            if exported
            else meaning
        )
    for part in filter(None, import_target.rest.split(".")):
        if meaning is None or depth > _DEEPEST:
            return None
        meaning = (
            resolve_module_member(project, language, meaning, part, depth + 1)
            if (meaning.definition is None)
            else find_class_member(project, meaning, part)
        )
    return meaning


def resolve_module_member(
    project: Project, language: str, module: ResolvedName, name: str, depth: int = 0
) -> ResolvedName | None:
    """What ``name`` in a module or package stands for, as a ResolvedName; None if not known.

    ``depth`` is the number of modules that passed the name on so far.
    """
    if module.path.endswith("/"):
        found = _in_package(project, module.path, None, name, language)
        if found is None and registry.language_properties(language).submodules:
            return _submodule(project, module, name)
        return found.with_confidence_factor(module.confidence, module.evidence) if found else None
    found = _member_of_file(project, module.path, name, depth)
    if found is None and registry.language_properties(language).submodules:
        return _submodule(project, module, name)
    return found.with_confidence_factor(module.confidence, module.evidence) if found else None


def _submodule(project: Project, module: ResolvedName, name: str) -> ResolvedName | None:
    folder = module.path.rstrip("/").removesuffix("/__init__.py").removesuffix("/__init__.pyi")
    place = f"{folder}/{name}"
    path = project.tree.first_existing((f"{place}.py", f"{place}/__init__.py"))
    path = path or (f"{place}/" if place in project.tree.folders else "")
    return ResolvedName(path, None, module.confidence, module.evidence) if path else None


def _member_of_file(
    project: Project, path: str, name: str, depth: int, all_names: bool = False
) -> ResolvedName | None:
    """What a name of a file means to others; ``all_names``: among its exports only.

    In Python imported names are names of the file; in JavaScript only re-exported ones are.
    """
    file = project.source_file(path)
    if file is None or depth > _DEEPEST:
        return None
    own = file.tops.get(name, [])
    script = file.rules.exports_alone
    renamed = name not in file.exports and name in file.exports.values()
    if shown := [
        definition for definition in own if (definition.exported and not renamed) or not script
    ]:
        return ResolvedName(path, _best(shown), 1.0, "")
    if name == "default":
        for use in file.bound.get("default", ())[-1:]:
            if use[3] != "default":
                return resolve_name(project, file, use[3], use[0])
    here = file.exports.get(name, "" if script and all_names else name)
    if here != name and here in file.tops:
        return ResolvedName(path, _best(file.tops[here]), 1.0, "")
    for module, there in file.here.get(here, ())[::-1]:
        for found in project.resolved_import(file, module, there):
            if meaning := follow_reexports(project, file.language, found, there, depth + 1):
                return meaning.with_confidence_factor(0.99, "exported again")
        return OUTSIDE
    if meaning := _among_all(project, file, name, depth):
        return meaning
    return ResolvedName(path, _best(own), 1.0, "") if own and not all_names else None


def _among_all(project: Project, file: SourceFile, name: str, depth: int) -> ResolvedName | None:
    """A name in the modules that a file imports or re-exports as a whole."""
    for module in file.everything:
        for found in project.resolved_import(file, module, "*"):
            if found.path == file.path:
                continue
            if file.rules.exports_alone:
                meaning = _member_of_file(project, found.path, name, depth + 1, all_names=True)
                meaning = meaning and meaning.with_confidence_factor(
                    found.confidence, found.evidence
                )
            else:
                again = ImportTarget(found.path, name, found.confidence, found.evidence)
                meaning = follow_reexports(project, file.language, again, name, depth + 1)
            if meaning and meaning is not OUTSIDE:
                return meaning.with_confidence_factor(0.99, "exported again")
    return None


def _in_package(
    project: Project, folder: str, beside: SourceFile | None, name: str, language: str = ""
) -> ResolvedName | None:
    # Looked up by name, so that the files of the package need not be read.
    place, spoken = folder.rstrip("/"), beside.language if beside else language
    known = [
        path for path, _ in project.definitions_named(name) if beside is None or path != beside.path
    ]
    inside = [path for path in known if path.rpartition("/")[0] == place]
    root = registry.language_properties(spoken).source_root
    if root:  # tests have a source root of their own, and the package of the code
        package = sub(root, "", place)
        rooted = [path for path in known if path not in inside and package != place]
        rooted = [path for path in rooted if sub(root, "", path.rpartition("/")[0]) == package]
        inside += sorted(rooted, key=lambda path: (nearest_path(rooted, place) != path, path))
    for path in inside:
        file = project.source_file(path)
        if file and file.language == spoken and name in file.tops:
            return ResolvedName(path, _best(file.tops[name]), 1.0, "")
    return None


def file_of_declared_module(project: Project, file: SourceFile, definition: Definition) -> str:
    """The path of the module's file that a definition declares (Rust's ``mod name;``), else ""."""
    place = (
        file.rules.module_file
        if definition.kind == "module" and definition.start == definition.end
        else None
    )
    return place(project.tree, file.path, definition.name) if place else ""


def _related(file: SourceFile, other: SourceFile) -> bool:
    """Whether two files are of one language, or of two that share a linker."""
    linked = file.rules.shared == "everywhere" and other.rules.family == file.rules.family
    return linked or other.language == file.language


def _only_declared(file: SourceFile, found: Iterable[Definition]) -> bool:
    """Whether only prototypes of the function are here."""
    header = file.path.endswith(_HEADERS)
    return all(
        definition.kind == "function" and (header or definition.start == definition.end)
        for definition in found
    )


def _global(project: Project, file: SourceFile, name: str) -> ResolvedName | None:
    """Names that the linker or interpreter knows everywhere: sure if there is only one."""
    found: list[tuple[str, Definition]] = []
    for path, definition in project.definitions_named(name):
        other = project.source_file(path)
        if (
            other
            and _related(file, other)
            and name in other.tops
            and definition in other.tops[name]
        ):
            found.append((path, definition))
    if file.rules.shared == "constants":
        found = [pair for pair in found if pair[1].kind in CLASSES or pair[1].kind == "module"]
    bodies = [pair for pair in found if not pair[0].endswith(_HEADERS)] or found
    if not bodies:
        return None
    own = [pair for pair in bodies if pair[0] == file.path]
    path, definition = (own or bodies)[0]
    places = {pair[0] for pair in bodies}
    if own or len(places) == 1:
        return ResolvedName(path, definition, 0.93, "the only definition of that name")
    return ResolvedName(
        path, definition, 0.6 / len(places) + 0.2, f"one of {len(places)} of that name"
    )


# --- members ------------------------------------------------------------------------------------


def find_class_member(project: Project, owner_name: ResolvedName, name: str) -> ResolvedName | None:
    """The member ``name`` of a class or other definition, as a ResolvedName; None if not known.

    Members of base classes count. The constant OUTSIDE if it may be of a base class that another
    project defines.
    """
    key = (
        "member",
        owner_name.path,
        owner_name.definition and owner_name.definition.qualified_name,
        name,
    )
    if key not in project.cache:
        project.cache[key] = None
        project.cache[key] = _member(project, owner_name, name, set())
    known = project.cache[key]
    if not isinstance(known, ResolvedName):
        return None
    return (
        known.with_confidence_factor(owner_name.confidence, owner_name.evidence)
        if known is not OUTSIDE
        else OUTSIDE
    )


def _member(
    project: Project, owner: ResolvedName, name: str, visited: set[tuple[str, str]]
) -> ResolvedName | None:
    file, definition = project.source_file(owner.path), owner.definition
    if (
        file is None
        or definition is None
        or (owner.path, definition.qualified_name) in visited
        or len(visited) > 30
    ):
        return None
    visited.add((owner.path, definition.qualified_name))
    if inside := file.members_named(definition.qualified_name, name):
        return ResolvedName(owner.path, _best(inside), 1.0, "")
    if found := _elsewhere(project, file, definition, name):
        return found
    outside = False
    for base in resolve_base_classes(project, owner):
        if base is OUTSIDE:
            outside = True
        elif found := _member(project, base, name, visited):
            owner_name = base.definition.name if base.definition else ""
            return (
                found
                if found is OUTSIDE
                else found.with_confidence_factor(0.98, f"inherited from {owner_name}")
            )
    return OUTSIDE if outside else None


def _elsewhere(
    project: Project, file: SourceFile, definition: Definition, name: str
) -> ResolvedName | None:
    """Members defined in other files than their type: Go, Rust, C++, Kotlin, Ruby."""
    if not file.rules.scattered:
        return None
    own_folder = file.rules.shared == "folder" and not file.rules.source_root
    for path, each in project.definitions_named(name):
        same = each.container == definition.name or each.container == definition.qualified_name
        near = not own_folder or path.rpartition("/")[0] == file.folder
        other = project.source_file(path) if same and near else None
        if other is not None and _related(file, other):
            return ResolvedName(path, each, 0.98, "")
    return None


def resolve_base_classes(project: Project, owner: ResolvedName) -> list[ResolvedName]:
    """The base classes of a class (ResolvedName); the constant OUTSIDE for those not found here."""
    file = project.source_file(owner.path)
    if file is None or owner.definition is None:
        return []
    found: list[ResolvedName] = []
    for line, _, on, name, _ in file.base_class_uses(owner.definition):
        meaning = resolve_dotted_name(project, file, f"{on}.{name}" if on else name, line)
        if meaning is not None and (meaning is OUTSIDE or meaning.definition is not None):
            if meaning.definition is None or meaning.definition != owner.definition:
                found.append(meaning)
        else:
            found.append(OUTSIDE)
    return found


def resolve_dotted_name(
    project: Project, file: SourceFile, dotted_name: str, line: int
) -> ResolvedName | None:
    """What ``a.b.c``, none of which is called, stands for in a line (ResolvedName).

    The constant OUTSIDE if another project defines it, None if it is not known.
    """
    first, *rest = dotted_name.split(".")
    meaning = resolve_name(project, file, first, line)
    if meaning is None and file.rules.paths and rest:
        found = project.resolved_import(file, ".".join((first, *rest[:-1])), rest[-1])
        return follow_reexports(project, file.language, found[0], rest[-1]) if found else None
    for part in rest:
        if meaning is None or meaning is OUTSIDE:
            return meaning
        if meaning.definition is None:
            meaning = resolve_module_member(project, file.language, meaning, part)
        else:
            meaning = find_class_member(project, meaning, part)
    return meaning


def _best(found: list[Definition]) -> Definition:
    """The best of several definitions of a name: a class first, then one with a body."""
    order = {"class": 0, "struct": 0, "function": 1, "method": 1, "constructor": 2}
    return min(
        found,
        key=lambda definition: (
            order.get(definition.kind, 1),
            definition.start == definition.end,
            definition.start,
        ),
    )
