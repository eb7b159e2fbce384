"""Nodes of imports, as the languages that read them share it."""

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


def renamed(node: Node, field: str) -> tuple[str, str]:
    """The name that a node takes in and the one that it gives, empty where that is the same."""
    name, alias = node.child_by_field_name(field), node.child_by_field_name("alias")
    return text(name if name is not None else node), text(alias) if alias is not None else ""


def unquoted(node: Node) -> str:
    """The text of a node, of a string without its quotes."""
    return text(node).strip("\"'`") if node.type in STRINGS else text(node)


def text(node: Node) -> str:
    """The source of a node without its white space, 300 bytes at most."""
    return "".join((node.text or b"")[:300].decode("utf-8", "replace").split())
