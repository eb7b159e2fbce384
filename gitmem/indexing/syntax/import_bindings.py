"""What an import takes in and under which name: read from its node, language by language.

So that ``from os import system as run`` and ``run()`` are known for ``os.system``.
"""

from __future__ import annotations

from gitmem.indexing.syntax.fact_nodes import STRINGS
from gitmem.model.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tree_sitter import Node


@dataclass(frozen=True, slots=True)
class Taken:
    """A module or a name of it that a file takes in.

    ``module`` as it is written (``os.path``, ``./ui``, ``net/http``, ``crate::db``), ``name`` what
    is taken from it, empty for the whole, ``local`` the name it has here, empty where it has none.
    """

    module: str
    name: str
    local: str


def taken(grammar: str, node: Node) -> list[Taken]:
    """What one import takes in; nothing where it cannot be read."""
    read = _READERS.get(grammar)
    return list(read(node)) if read else []


def required(node: Node) -> list[Taken]:
    """What ``const fs = require('fs')`` takes in, given the node of the call."""
    arguments = node.child_by_field_name("arguments")
    texts = (
        [each for each in arguments.named_children if each.type == "string"] if arguments else []
    )
    if len(texts) != 1:
        return []
    module, target = _unquoted(texts[0]), node.parent
    if target is None or target.type != "variable_declarator":
        return [Taken(module, "", "")]
    name = target.child_by_field_name("name")
    if name is not None and name.type == "identifier":
        return [Taken(module, "", _text(name))]
    names = name.named_children if name is not None else []
    plain = [_text(each) for each in names if each.type == "shorthand_property_identifier_pattern"]
    return [Taken(module, "", ""), *(Taken(module, each, each) for each in plain)]


def _python(node: Node) -> Iterator[Taken]:
    module = node.child_by_field_name("module_name")
    names = node.children_by_field_name("name")
    if module is not None:
        origin = _text(module)
        if not names:  # import *
            yield Taken(origin, "", "")
        for each in names:
            name, local = _renamed(each, "name")
            yield Taken(origin, name, local or name)
        return
    for each in names:
        name, local = _renamed(each, "name")
        # `import os.path` binds `os`, which is its own name.
        yield Taken(name, "", local or (name if "." not in name else ""))


def _ecma(node: Node) -> Iterator[Taken]:
    source = node.child_by_field_name("source")
    if source is None:
        return
    module = _unquoted(source)
    yield Taken(module, "", "")
    clause = next((each for each in node.named_children if each.type == "import_clause"), None)
    for each in clause.named_children if clause is not None else ():
        if each.type == "identifier":
            yield Taken(module, "default", _text(each))
        elif each.type == "namespace_import":
            yield Taken(module, "", _text(each.named_children[-1]) if each.named_children else "")
        elif each.type == "named_imports":
            for one in each.named_children:
                name, local = _renamed(one, "name")
                if name:
                    yield Taken(module, name, local or name)


def go_package(module: str) -> str:
    """The name of a package by its path, whose last part may be the version of a module.

    ``github.com/go-chi/chi/v5`` is ``chi``, ``gopkg.in/yaml.v3`` is ``yaml``.
    """
    last = module.rpartition("/")[2]
    version = last.rpartition(".")[2]
    if version[:1] == "v" and version[1:].isdecimal() and version != module:
        last = module[: -len(version) - 1].rpartition("/")[2]
    return last


def _go(node: Node) -> Iterator[Taken]:
    path, name = node.child_by_field_name("path"), node.child_by_field_name("name")
    if path is None:
        return
    module = _unquoted(path)
    local = _text(name) if name is not None else go_package(module)
    yield Taken(module, "", "" if local in ("_", ".") else local)


def _rust(node: Node) -> Iterator[Taken]:
    argument = node.child_by_field_name("argument")
    if argument is not None:
        yield from _rust_tree(argument, "")


def _rust_tree(node: Node, prefix: str) -> Iterator[Taken]:
    if node.type == "use_list":
        for each in node.named_children:
            yield from _rust_tree(each, prefix)
    elif node.type == "scoped_use_list":
        path, inner = node.child_by_field_name("path"), node.child_by_field_name("list")
        if inner is not None:
            yield from _rust_tree(inner, _joined(prefix, _text(path) if path is not None else ""))
    elif node.type == "use_as_clause":
        name, local = _renamed(node, "path")
        yield Taken(*_parted(_joined(prefix, name)), local)
    elif node.type == "use_wildcard":
        yield Taken(_joined(prefix, _text(node).removesuffix("*").rstrip(":")), "", "")
    elif node.type in ("identifier", "scoped_identifier", "self", "crate"):
        whole = _joined(prefix, _text(node)).removesuffix("::self")
        module, name = _parted(whole)
        yield Taken(module, name, name or module)


def _java(node: Node) -> Iterator[Taken]:
    for each in node.named_children:
        if each.type in ("identifier", "scoped_identifier"):
            whole = _text(each)
            every = any(one.type == "asterisk" for one in node.named_children)
            module, _, name = whole.rpartition(".")
            yield Taken(whole, "", "") if every or not module else Taken(module, name, name)


_READERS: dict[str, Callable[[Node], Iterator[Taken]]] = {
    "python": _python,
    "javascript": _ecma,
    "typescript": _ecma,
    "tsx": _ecma,
    "go": _go,
    "rust": _rust,
    "java": _java,
}


def _renamed(node: Node, field: str) -> tuple[str, str]:
    """The name that a node takes in and the one that it gives, empty where that is the same."""
    name, alias = node.child_by_field_name(field), node.child_by_field_name("alias")
    return _text(name if name is not None else node), _text(alias) if alias is not None else ""


def _joined(prefix: str, name: str) -> str:
    return f"{prefix}::{name}" if prefix and name else prefix or name


def _parted(whole: str) -> tuple[str, str]:
    module, dots, name = whole.rpartition("::")
    return (module, name) if dots else (whole, "")


def _unquoted(node: Node) -> str:
    return _text(node).strip("\"'`") if node.type in STRINGS else _text(node)


def _text(node: Node) -> str:
    return "".join((node.text or b"")[:300].decode("utf-8", "replace").split())
