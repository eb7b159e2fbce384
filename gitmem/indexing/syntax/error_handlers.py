"""Where code handles an error, and whether it does anything there."""

from __future__ import annotations

import re

from gitmem.indexing.syntax.fact_nodes import COMMENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

    from gitmem.languages.record import Language

_NOTHING = frozenset(("pass_statement", "ellipsis", "empty_statement"))
_LONGEST = 400


def does_nothing(handler: Node) -> bool:
    """Whether a `catch` or `except` holds no statement, and no comment that says why."""
    body = handler.child_by_field_name("body")
    if body is None:
        body = handler.named_children[-1] if handler.named_children else None
    if body is None:
        return False
    return _is_empty(body) and not any(child.type in COMMENTS for child in handler.children)


def is_branch(node: Node, language: Language) -> bool:
    """Whether a branch is taken on an error: `if err != nil` in Go, `Err(_) =>` in Rust."""
    field, error = language.errors[node.type]
    asked = node.child_by_field_name(field)
    return asked is not None and bool(re.match(error, _bare(asked)))


def branch_is_empty(node: Node) -> bool:
    """Whether such a branch does nothing."""
    for field in ("consequence", "value"):
        body = node.child_by_field_name(field)
        if body is not None:
            return (body.type == "block" and _is_empty(body)) or body.type == "unit_expression"
    return False


def _is_empty(body: Node) -> bool:
    for child in body.named_children:
        statement = child.type == "expression_statement" and child.named_children
        inner = child.named_children[0] if statement else child
        if inner.type not in _NOTHING:
            return False
    return body.type.endswith("block") or body.type in _NOTHING


def _bare(node: Node) -> str:
    text = (node.text or b"")[:_LONGEST].decode("utf-8", "replace")
    return "".join(text.split())
