"""Whether a changed place runs otherwise than before: by its tokens, without those that do nothing.

Comments, docstrings and imports do nothing by themselves, nor do types where the language forgets
them. What has no syntax tree is taken to run otherwise.
"""

import re

from gitmem.git.patch import Hunk, Range
from gitmem.indexing.syntax import extract, grammars
from gitmem.review.reviewed_diff import ReviewedFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_IDLE = re.compile(
    r"\w*comment|(?:future_)?import_(?:from_)?(?:statement|declaration)|use_declaration"
    r"|type|type_annotation|type_alias_(?:statement|declaration)|interface_declaration"
)
# `type` is Python's; the other languages in which it is a node's own keep types at run time.
_TYPED = frozenset({"python", "typescript", "tsx", "javascript"})
_TYPE_MARKS = frozenset({b":", b"->"})


def differs(file: ReviewedFile, hunk: Hunk) -> bool:
    """Whether the code of a hunk does something else than before."""
    before = _tokens(file, file.old, hunk.old)
    after = _tokens(file, file.new, hunk.new)
    return before is None or after is None or before != after


def _tokens(file: ReviewedFile, data: bytes | None, lines: Range) -> list[bytes] | None:
    """The effective tokens in some lines; None if the file has no syntax tree."""
    name = grammars.name(file.path, file.language, data or b"")
    tree = extract.parse_tree(name, data) if name and data else None
    if tree is None:
        return None if data else []
    typed, found, nodes = name in _TYPED, list[bytes](), [tree.root_node]
    while nodes:
        node = nodes.pop()
        if node.end_point[0] + 1 < lines[0] or node.start_point[0] + 1 > lines[1]:
            continue
        if _is_idle(node, typed=typed):
            continue
        nodes += reversed(node.children)
        text = node.text or b""
        if not node.children and not (typed and text in _TYPE_MARKS):
            found.append(text)
    return found


def _is_idle(node: "Node", *, typed: bool) -> bool:
    if node.type == "expression_statement":  # a docstring
        return [child.type for child in node.children] == ["string"]
    kind = _IDLE.fullmatch(node.type) and node.is_named
    return bool(kind) and (typed or not node.type.startswith(("type", "interface")))
