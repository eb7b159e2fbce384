"""Finding the class of the value that a method is called on, from the code near the call.

``self`` has the enclosing class, a variable its declared type or that of its value, an attribute
what the methods of its class assign to it, a call the declared return type.
"""

from __future__ import annotations

from re import compile

from gitmem.graph import names
from gitmem.graph.names import OUTSIDE, ResolvedName
from gitmem.graph.project import Project
from gitmem.graph.source_file import CALLABLE, CLASSES, SourceFile, Use
from gitmem.graph.values import Definition
from gitmem.languages.record import Language

_SELF = frozenset({"self", "this", "$this", "cls", "Self", "static", "@self"})
_SUPER = frozenset({"super", "super()", "parent", "base"})
_ATTRIBUTES = ("self.", "this.", "$this.", "@", "")
_MADE, _RETURNED, _DECLARED, _GIVEN = 0.99, 0.99, 0.995, 0.98
_DEEPEST = 8
# What a type is wrapped in without changing which methods are called.
_WRAPPED = compile(
    r"^(?:t\.|typing\.)?(?:Optional|Type|type|ClassVar|Final|Annotated|Promise|Awaitable|Readonly"
    r"|Partial|Box|Rc|Arc|Ref|Pin|readonly)[\[<](.*)$"
)
_RETURNS = compile(
    r"(?:->|\)[ \t]*:|\)[ \t]+\(?)[ \t]*(?:&(?:'\w+ )?)?(?:mut |dyn |impl )?\*?"
    r"([\"']?[A-Za-z_][\w.:\[<]*)"
)
# Go: the first of several results, with its name or without.
_SEVERAL = compile(r"\)[ \t]+\([ \t]*(?:\w+[ \t]+)?\*?([A-Za-z_][\w.]*)[^()]*\)$")
_BEFORE = compile(r"([A-Z][\w.]*)(?:<[^()]*>)?[ *&]+[*&]*$")
_FIELDS = frozenset({"field", "property"})


def resolve_receiver(
    project: Project, file: SourceFile, expression: str, line: int, depth: int = 0
) -> ResolvedName | None:
    """What an expression before a dot stands for: a class, a value of a class, or a module.

    It is a ResolvedName, the constant OUTSIDE if another project defines it, None if not known.
    ``depth`` is for calls of itself.
    """
    if depth > _DEEPEST:
        return None
    parts = expression.split(".")
    meaning = _first(project, file, parts[0], line, depth)
    if meaning is None and file.rules.paths and len(parts) > 1 and "(" not in expression:
        return names.resolve_dotted_name(project, file, expression, line)
    for part in parts[1:]:
        if meaning is None or meaning is OUTSIDE:
            return meaning
        meaning = _step(project, file, meaning, part, depth)
    return meaning


def _first(
    project: Project, file: SourceFile, part: str, line: int, depth: int
) -> ResolvedName | None:
    if part in _SELF or part == "self()":
        return enclosing_class(project, file, line)
    if part in _SUPER and not file.rules.paths:
        return _base(project, file, line)
    if part.startswith("@") and (owner := enclosing_class(project, file, line)):
        return _attribute(project, owner, part.lstrip("@"), depth)
    name, called = (part[:-2], True) if part.endswith("()") else (part, False)
    if not name or not (name[0].isalpha() or name[0] in "_$"):
        return None
    if not called and (use := find_last_assignment(file, name, line)):
        return resolve_binding(project, file, use, depth)
    meaning = names.resolve_name(project, file, name, line)
    if (
        meaning is None
        and file.rules.bare_members
        and (owner := enclosing_class(project, file, line))
    ):
        held = None if called else _attribute(project, owner, name, depth)
        meaning = held or names.find_class_member(project, owner, name)
    if called:
        return _result(project, meaning, depth)
    return _value(project, meaning, depth + 1) or meaning


def _step(
    project: Project, file: SourceFile, owner: ResolvedName, part: str, depth: int
) -> ResolvedName | None:
    name, called = (part[:-2], True) if part.endswith("()") else (part, False)
    if not name.isidentifier() and not name.startswith(("$", "_", "#")):
        return None
    if owner.definition is None:
        meaning = names.resolve_module_member(project, file.language, owner, name)
        if meaning is None and (there := project.source_file(owner.path)):
            use = find_last_assignment(there, name, 1 << 30)  # a value that the module makes
            meaning = resolve_binding(project, there, use, depth) if use else None
        return _result(project, meaning, depth) if called else _value(project, meaning, depth)
    found = names.find_class_member(project, owner, name)
    if called:
        return _result(project, found, depth)
    if found is not None and found.definition is not None and found.definition.kind in CALLABLE:
        return _result(project, found, depth)  # a property
    return _attribute(project, owner, name, depth) or (found if _is_class(found) else None)


def _value(project: Project, meaning: ResolvedName | None, depth: int) -> ResolvedName | None:
    """A class, function or module itself; for a variable, its value."""
    if meaning is None or meaning.definition is None or _is_class(meaning):
        return meaning
    if meaning.definition.kind in ("constant", "variable") and (
        file := project.source_file(meaning.path)
    ):
        use = find_last_assignment(file, meaning.definition.name, meaning.definition.start)
        return resolve_binding(project, file, use, depth) if use else meaning
    return meaning


def _is_class(meaning: ResolvedName | None) -> bool:
    return (
        meaning is not None
        and meaning.definition is not None
        and meaning.definition.kind in CLASSES
    )


def enclosing_class(project: Project, file: SourceFile, line: int) -> ResolvedName | None:
    """Return the class around ``line`` (from 1), also of a method written outside of its class.

    None if there is none.
    """
    for each in file.enclosing_definitions(line):
        if each.kind in CLASSES:
            return ResolvedName(file.path, each, 0.98, "its own class", True)
        if each.container and each.kind in CALLABLE:
            # A method that stands outside of its type, or in an `impl`.
            outer = names.resolve_dotted_name(
                project, file, each.container.split(".")[-1], each.start
            )
            if outer is not None and (_is_class(outer) or (file.rules.tables and outer.definition)):
                return ResolvedName(outer.path, outer.definition, 0.97, "its own type", True)
    return None


def _base(project: Project, file: SourceFile, line: int) -> ResolvedName | None:
    owner = enclosing_class(project, file, line)
    found = names.resolve_base_classes(project, owner) if owner else []
    return (
        found[0].with_confidence_factor(0.97, "its base", is_instance=True)
        if found and found[0] is not OUTSIDE
        else (OUTSIDE if found else None)
    )


# --- what a name is bound to --------------------------------------------------------------------


def find_last_assignment(file: SourceFile, name: str, line: int) -> Use | None:
    """The place where a name used in a line got its value: the last assignment before it, or None.

    It is (line, kind, name, type or assigned expression, ""). The nearest function counts first; an
    assignment in the line itself does not count, as in ``n = n.next()``.
    """
    uses = file.bound.get(name)
    if not uses:
        return None
    around = file.enclosing_function_numbers(line)
    best: tuple[int, bool, int, Use] | None = None
    for use in uses:
        inner, attribute = file.function_scope_of_line(use[0])
        if attribute or (inner >= 0 and inner not in around):
            continue
        nearness = len(around) - around.index(inner) if inner >= 0 else 0
        before = use[0] < line
        rank = (nearness, before, use[0] if before else -use[0], use)
        if best is None or rank[:3] > best[:3]:
            best = rank
    return best[3] if best else None


def resolve_binding(
    project: Project, file: SourceFile, use: Use, depth: int
) -> ResolvedName | None:
    """What a name stands for by the type or value that it was given (ResolvedName); None: unknown.

    ``use`` is (line, kind, name, type or assigned expression, ""), ``depth`` the number of
    assignments followed so far. The constant OUTSIDE if another project defines it.
    """
    line, kind, name, value, _ = use
    if kind == ":":
        return _typed(project, file, value, line)
    if (value == name or value.startswith(name + ".")) and find_last_assignment(
        file, name, line
    ) == use:
        return None
    found = resolve_receiver(project, file, _chained(file, value, line), line, depth + 1)
    if found is None or found is OUTSIDE:
        return found
    return found.with_confidence_factor(_MADE, "by what it was set to", is_instance=True)


def _chained(file: SourceFile, value: str, line: int) -> str:
    """What a name is made from, with the calls that follow in the same line: ``a.b().c()``."""
    if not value.endswith("()"):
        return value
    for _ in range(_DEEPEST):
        after = next((use for use in file.chains.get(line, ()) if use[2] == value), None)
        if after is None:
            break
        value = f"{value}.{after[3]}()"
    return value


def _typed(
    project: Project, file: SourceFile, words: str, line: int, factor: float = _DECLARED
) -> ResolvedName | None:
    bare = words.strip("\"' &*")
    for _ in range(3):
        wrapped = _WRAPPED.match(bare)
        if wrapped is None:
            break
        bare = wrapped[1].strip("\"' &*")
    name = bare.replace("::", ".").partition("[")[0].partition("<")[0].strip(".")
    if not name:
        return None
    if name in _SELF:
        found = enclosing_class(project, file, line)
    else:
        found = names.resolve_dotted_name(project, file, name, line)
    if found is None or found is OUTSIDE or found.definition is None:
        return OUTSIDE if found is OUTSIDE else None
    if found.definition.kind not in CLASSES:
        return None
    return found.with_confidence_factor(factor, "by its type", is_instance=True)


def _attribute(project: Project, owner: ResolvedName, name: str, depth: int) -> ResolvedName | None:
    """What an attribute of a class holds, by the assignments in its methods."""
    key = ("attribute", owner.path, owner.definition and owner.definition.qualified_name, name)
    if key not in project.cache:
        project.cache[key] = None
        project.cache[key] = _attribute_of(project, owner, name, depth)
    known = project.cache[key]
    if not isinstance(known, ResolvedName) or known is OUTSIDE:
        return OUTSIDE if known is OUTSIDE else None
    return known.with_confidence_factor(owner.confidence, is_instance=True)


def _attribute_of(
    project: Project, owner: ResolvedName, name: str, depth: int
) -> ResolvedName | None:
    file, definition = project.source_file(owner.path), owner.definition
    if file is None or definition is None:
        return None
    for prefix in _ATTRIBUTES:
        # A private field is declared with its sign before the name.
        held = file.bound.get(prefix + name) or file.bound.get(prefix + name.lstrip("#"))
        for use in held or ():
            if not _belongs(file, definition, use[0], prefix):
                continue
            if found := resolve_binding(project, file, use, depth + 1):
                return found
    if depth < _DEEPEST:
        for base in names.resolve_base_classes(project, owner):
            if base is not OUTSIDE and (found := _attribute(project, base, name, depth + 1)):
                return found
    return None


def _belongs(file: SourceFile, definition: Definition, line: int, prefix: str) -> bool:
    """Whether a binding in a line is of an attribute of this class."""
    around = file.enclosing_definitions(line)
    if around and around[0].kind in _FIELDS:  # declared in several lines
        around = around[1:]
    if prefix:
        return definition in around or any(
            each.container == definition.qualified_name for each in around
        )
    if around and around[0] == definition:
        return True
    # Parameters of a constructor that are fields at once stand in its first lines.
    return len(around) > 1 and around[1] == definition and around[0].kind == "constructor"


def _result(project: Project, meaning: ResolvedName | None, depth: int) -> ResolvedName | None:
    """What a call returns: an instance of the class, or the declared return type."""
    if meaning is None or meaning is OUTSIDE or meaning.definition is None:
        return meaning if meaning is OUTSIDE else None
    if meaning.definition.kind in CLASSES:
        return meaning.with_confidence_factor(1.0, is_instance=True)
    file = project.source_file(meaning.path)
    if file is None or meaning.definition.kind not in CALLABLE or depth > _DEEPEST:
        return None
    words = _returned(meaning.definition, file.rules)
    if not words:
        return _given(project, file, meaning, depth)
    found = _typed(project, file, words, meaning.definition.start, _RETURNED)
    return (
        found.with_confidence_factor(meaning.confidence)
        if found and found is not OUTSIDE
        else found
    )


def _given(
    project: Project, file: SourceFile, meaning: ResolvedName, depth: int
) -> ResolvedName | None:
    """What a function gives by its ``return new A()`` or ``return this``, if all agree."""
    definition = meaning.definition
    returns = file.bound.get("return", ())
    uses = [
        use
        for use in returns
        if definition is not None and definition in file.enclosing_definitions(use[0])[:1]
    ]
    if len({use[3] for use in uses}) != 1:
        return None
    found = resolve_receiver(project, file, uses[0][3], uses[0][0], depth + 1)
    if found is None or found is OUTSIDE:
        return found
    return found.with_confidence_factor(
        _GIVEN * meaning.confidence, "by what it returns", is_instance=True
    )


def _returned(definition: Definition, rules: Language) -> str:
    """The declared return type, "" without one."""
    if rules.type_first:
        place = definition.signature.find(definition.name + "(")
        before = _BEFORE.search(definition.signature[:place]) if place > 0 else None
        return before[1] if before else ""
    tail = definition.signature[definition.signature.find(definition.name) :]
    if several := _SEVERAL.search(tail):
        return several[1]
    cut = tail.rfind(")")
    arrow = tail.rfind("->")
    found = _RETURNS.search(tail, arrow if arrow >= 0 else max(cut, 0))
    return found[1] if found else ""
