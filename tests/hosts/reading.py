"""Reading a request to a model: where a word stands in it, which tools it offers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def find(value: Any, word: str, at: str = "") -> list[str]:
    """Where a text with this word stands, as a path of keys and numbers."""
    if isinstance(value, str):
        return [at] * value.count(word)
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    return [found for key, inner in items for found in find(inner, word, f"{at}.{key}")]


def texts(value: Any, word: str) -> list[str]:
    """The texts that hold this word."""
    if isinstance(value, str):
        return [value] * (word in value)
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for inner in items for text in texts(inner, word)]


def tools(body: dict[str, Any]) -> list[str]:
    """The names of the tools that a request offers, in any format."""
    return [name for item in body.get("tools") or () for name in _names(item)]


def _names(tool: dict[str, Any]) -> Iterator[str]:
    if "functionDeclarations" in tool:
        yield from (
            functiondeclaration["name"] for functiondeclaration in tool["functionDeclarations"]
        )
    elif "function" in tool:
        yield tool["function"]["name"]
    elif tool.get("type") == "namespace":
        yield from (f"{tool['name']}.{item['name']}" for item in tool.get("tools", ()))
    else:
        yield tool.get("name") or tool.get("type") or ""
