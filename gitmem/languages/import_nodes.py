"""Reading the syntax nodes of imports, for several languages."""

from __future__ import annotations

from re import compile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node


AS = compile(r"\s+as\s+")
STRINGS = frozenset(
    {
        "char_literal",
        "encapsed_string",
        "heredoc_body",
        "interpreted_string_literal",
        "raw_string_literal",
        "string",
        "string_literal",
        "template_string",
    }
)


def imported_and_local_name(node: Node, name_field: str) -> tuple[str, str]:
    """The imported name, in the node's ``name_field``, and its local name ("" for the same)."""
    name, alias = node.child_by_field_name(name_field), node.child_by_field_name("alias")
    return node_text(name if name is not None else node), node_text(
        alias
    ) if alias is not None else ""


def unquoted_text(node: Node) -> str:
    """The text of a syntax node; if it is a string, without its quotes."""
    return node_text(node).strip("\"'`") if node.type in STRINGS else node_text(node)


def node_text(node: Node) -> str:
    """The source of a syntax node without white space, at most 300 bytes."""
    return "".join((node.text or b"")[:300].decode("utf-8", "replace").split())
