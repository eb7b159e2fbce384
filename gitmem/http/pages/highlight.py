"""Code with its keywords, strings and comments marked, as HTML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from markupsafe import Markup, escape
from pygments.lexers import find_lexer_class_for_filename
from pygments.token import Token
from pygments.util import ClassNotFound

# A lexer may take time that grows faster than the text: files with more on a line are not code.
_LONGEST = 2000
_CLASSES = ((Token.Comment, "c"), (Token.Literal.String, "s"), (Token.Keyword, "k"))
_DEFINED = (Token.Name.Function, Token.Name.Class)


def highlighted_lines(code: Sequence[dict[str, Any]], path: str) -> Iterator[dict[str, Any]]:
    """Yield each line (a dict with ``text``) with ``html`` added: the text, its syntax marked.

    ``path`` is that of the file, which tells the language.
    """
    texts = [line["text"] for line in code]
    marked = _marked(texts, path)
    for line, html in zip(code, marked, strict=True):
        yield {**line, "html": html}


def _marked(texts: Sequence[str], path: str) -> list[Markup]:
    plain = [escape(text) for text in texts]
    try:
        lexer = find_lexer_class_for_filename(path.rpartition("/")[2])
    except ClassNotFound:
        lexer = None
    if lexer is None or any(len(text) > _LONGEST for text in texts):
        return plain
    tokens = lexer(stripnl=False, ensurenl=False).get_tokens("\n".join(texts))
    parts: list[list[str]] = [[]]
    # Neighbours of one kind are one: a string is three tokens.
    for name, values in groupby(tokens, lambda token: _name(token[0])):
        first, *others = "".join(value for _, value in values).split("\n")
        parts[-1].append(_part(name, first))
        parts += [[_part(name, piece)] for piece in others]
    # A lexer that loses or adds a line is not believed.
    return [Markup("".join(line)) for line in parts] if len(parts) == len(texts) else plain


def _part(name: str, text: str) -> str:
    return f'<i class="{name}">{escape(text)}</i>' if name and text else str(escape(text))


def _name(kind: Any) -> str:
    if kind in _DEFINED:
        return "n"
    return next((name for token, name in _CLASSES if kind in token), "")
