"""Whether an import runs when its file is loaded, when a function runs, or is for types only.

Two files that import each other are in each other's way only while they are loaded.
"""

from __future__ import annotations

from re import compile

from gitmem.languages import registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

# Kinds of imports, as ``graph.values`` has them.
LOADED, LATER, TYPES = "import", "late-import", "type-import"
_CHECKING = compile(rb"\(?\s*(?:\w+\s*\.\s*)*TYPE_CHECKING\s*\)?")
_TYPED = compile(r"(?:import|export)\s+type\b(?!\s*,|\s+from\b)")
_NAMED_TYPE = compile(r"type\s+(?!as\b)[\w$]+")
_DEEPEST = 200


def kind_of_import(grammar: str, statement: Node) -> str:
    """The kind of an import, by when it runs: ``import``, ``late-import`` or ``type-import``.

    The three run when the file is loaded, when a function is called, and never (for types only).
    """
    language = registry.language_properties(grammar)
    functions = language.functions
    if not functions:
        return LOADED
    if language.exports_alone and statement.type == "call_expression" and _is_dynamic(statement):
        return LATER
    kind, node = LOADED, statement
    for _ in range(_DEEPEST):
        above = node.parent
        if above is None:
            break
        if above.type in functions:
            kind = LATER
        elif above.type == "if_statement" and language.submodules and _checks(above, node):
            return TYPES
        node = above
    return kind


def _is_dynamic(call: Node) -> bool:
    called = call.child_by_field_name("function")
    return called is not None and called.type == "import"


def _checks(condition: Node, branch: Node) -> bool:
    """Whether a branch is that of ``if TYPE_CHECKING:``, not its ``else``."""
    tested = condition.child_by_field_name("condition")
    taken = condition.child_by_field_name("consequence")
    if tested is None or taken is None or taken.id != branch.id:
        return False
    return _CHECKING.fullmatch(tested.text or b"") is not None


def type_only_imported_names(statement_text: str) -> set[str] | None:
    """The set of names that a TypeScript statement imports as types only: ``{type A, b}`` gives A.

    None if the whole statement is for types (`import type`), also where it says so of each name.
    """
    if _TYPED.match(statement_text):
        return None
    head, brace, rest = statement_text.partition("{")
    parts = [part.strip() for part in rest.partition("}")[0].split(",") if part.strip()]
    typed = {part.split()[-1] for part in parts if _NAMED_TYPE.match(part)}
    alone = bool(brace) and "," not in head and 0 < len(typed) == len(parts)
    return None if alone else typed
