"""What the later tools of Context Fabric are given, as ours: items of a batch, parameters. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from gitmem.errors import InvalidInput
from gitmem.mcp.compat import to_ours

MOST_ITEMS = 500
_HOUR = 3600  # a working memory lives so long there, in seconds
# Facts about an item that the connection knows better, or that have a field of their own.
_NOT_METADATA = ("tags", "title", "weight", "source", "cliType", "fileContext", "projectPath")


def lines(items: list[Any]) -> str:
    """The items of a batch as JSON Lines, in their order. Raises InvalidInput.

    One that is no item refuses them all: nothing of a call that is malformed is kept.
    """
    if not 0 < len(items) <= MOST_ITEMS:
        raise InvalidInput(f"There are {len(items)} items.", f"Give 1 to {MOST_ITEMS}.")
    return "\n".join(_line(number, one) for number, one in enumerate(items))


def _line(number: int, item: Any) -> str:
    facts = item.get("metadata") or {} if isinstance(item, Mapping) else None
    if not isinstance(facts, Mapping):
        raise InvalidInput(
            f"Item {number} is not valid.", "An item is {type, content, metadata}, as in a store."
        )
    if facts.get("projectPath"):
        raise InvalidInput(
            f"Item {number} names a project of its own.", "Give projectPath for the whole call."
        )
    layer = item.get("layer") and to_ours.layer(item["layer"])
    ttl = item.get("ttl")
    if layer == "working" and not ttl:
        ttl = _HOUR
    said = {
        "content": item.get("content", ""),
        "kind": item.get("type", ""),
        "title": facts.get("title", ""),
        "tags": facts.get("tags", []),
        "weight": facts.get("weight"),
        "paths": to_ours.file_place(facts.get("fileContext") or {}),
        "pinned": bool(item.get("pinned")),
        "scope": "global" if layer == "global" else "project",
        "ttl": to_ours.seconds(ttl),
        "metadata": {name: fact for name, fact in facts.items() if name not in _NOT_METADATA},
    }
    return json.dumps(said, ensure_ascii=False)


def parameters(given: list[Any]) -> list[str]:
    """What a skill is given: ``{"name", "description", "required"}`` as ``name=: description``."""
    return [_parameter(one) for one in given]


def _parameter(one: Any) -> str:
    if not isinstance(one, Mapping) or not isinstance(one.get("name"), str):
        raise InvalidInput("A parameter is not valid.", 'Give {"name": ..., "description": ...}.')
    optional = "" if one.get("required", True) else "="
    told = one.get("description")
    return f"{one['name']}{optional}" + (f": {told}" if told else "")
