"""The little of GitHub's expression language that ``action.yml`` uses.

``text`` fills ``${{ ... }}`` in a value, ``truth`` judges an ``if:``. Contexts with dots, strings
in single quotes, ``==``, ``!=``, ``&&``, ``||``; what is not known is an error, not an empty text.
https://docs.github.com/en/actions/reference/workflows-and-actions/expressions
"""

from __future__ import annotations

import re
from collections.abc import Mapping

Values = Mapping[str, str]
_TOKEN = re.compile(r"\s*('(?:[^']|'')*'|==|!=|&&|\|\||[\w.-]+)")


def text(value: str, known: Values) -> str:
    """A value with its expressions replaced."""
    return re.sub(r"\$\{\{(.*?)\}\}", lambda found: _worth(found[1], known), value)


def truth(condition: str, known: Values) -> bool:
    """Whether an ``if:`` holds."""
    return _worth(condition, known) not in ("", "false")


def _worth(expression: str, known: Values) -> str:
    tokens = _TOKEN.findall(expression)
    assert "".join(tokens) == re.sub(r"\s(?=(?:[^']*'[^']*')*[^']*$)", "", expression), expression
    for item in _split(tokens, "||"):
        result = ""
        for part in _split(item, "&&"):
            result = _compared(part, known)
            if result in ("", "false"):
                break
        if result not in ("", "false"):
            return result
    return result


def _split(tokens: list[str], mark: str) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for token in tokens:
        if token == mark:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _compared(tokens: list[str], known: Values) -> str:
    if len(tokens) == 1:
        return _value(tokens[0], known)
    left, sign, right = tokens
    same = _value(left, known) == _value(right, known)
    return "true" if same == (sign == "==") else "false"


def _value(token: str, known: Values) -> str:
    if token.startswith("'"):
        return token[1:-1].replace("''", "'")
    if token.startswith("steps."):
        # A step that was skipped has no outputs; GitHub reads that as an empty text.
        return known.get(token, "")
    return known[token]
