"""The tokens of some lines without those that do nothing when the code runs.

Comments, docstrings and imports do nothing by themselves, nor do types where the language forgets
them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from re import compile

from gitmem.indexing.syntax import extract

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_IDLE = compile(
    r"\w*comment|(?:future_)?import_(?:from_)?(?:statement|declaration)|use_declaration"
)
_TYPE = compile(r"type|type_annotation|type_alias_(?:statement|declaration)|interface_declaration")
_FORGETTING = frozenset({"python", "typescript", "tsx", "javascript"})  # languages, their types
_TYPE_MARKS = frozenset({b":", b"->"})


def read_runtime_tokens(
    grammar: str, data: bytes, first_line: int, last_line: int
) -> list[bytes] | None:
    """The tokens (words and signs of code, as bytes) of some lines that matter when the code runs.

    Left out are comments, docstrings and imports, and types where the language ignores them
    (Python, TypeScript). ``grammar`` is the name of the file's grammar, ``data`` its content; lines
    count from 1, ``last_line`` included. None if the file has no syntax tree.
    """
    reader = make_runtime_token_reader(grammar, data)
    return None if reader is None else reader(first_line, last_line)


def make_runtime_token_reader(
    grammar: str, data: bytes
) -> Callable[[int, int], list[bytes]] | None:
    """A function (first line, last line) that returns the tokens of a file that have an effect.

    They are those of ``read_runtime_tokens``; the file, ``data``, is parsed once. None if it has
    no syntax tree.
    """
    tree = extract.parse_syntax_tree(grammar, data)
    return None if tree is None else partial(_in_lines, tree, grammar in _FORGETTING)


def _in_lines(tree: Tree, forgets: bool, first: int, last: int) -> list[bytes]:
    tokens: list[bytes] = []
    nodes = [tree.root_node]
    while nodes:
        node = nodes.pop()
        outside = node.end_point[0] + 1 < first or node.start_point[0] + 1 > last
        if outside or _is_idle(node, forgets=forgets):
            continue
        nodes += reversed(node.children)
        text = node.text or b""
        if not node.children and not (forgets and text in _TYPE_MARKS):
            tokens.append(text)
    return tokens


def _is_idle(node: Node, *, forgets: bool) -> bool:
    if node.type == "expression_statement":  # a docstring
        return [child.type for child in node.children] == ["string"]
    idle = _IDLE.fullmatch(node.type) or (forgets and _TYPE.fullmatch(node.type))
    return bool(idle) and node.is_named
