"""The resources of Context Fabric by its addresses and fields, from the same rows as ours (CF-49).

They are read in every profile and listed in none: who was told of ``memory://recent`` finds it.
"""

from __future__ import annotations

from typing import Any

from gitmem.mcp.compat import answer_shape, tool_names
from gitmem.operations.registry import plain

ROOT = "memory://"
# Address -> the path of ours, and how many it tells at most.
LISTS = {"recent": ("memories/recent", 20), "conventions": ("conventions", 100),
         "decisions": ("decisions", 100)}  # fmt: skip
SKILLS = "skills"


def path_of(uri: str) -> str:
    """The path of our resource that holds the same; empty where there is none."""
    name = uri.removeprefix(ROOT)
    if not uri.startswith(ROOT):
        return ""
    if name in LISTS:
        return LISTS[name][0]
    return name if name == SKILLS or name.startswith(("memory/", "skill/")) else ""


def convert(uri: str, held: Any) -> Any:
    """What our resource holds, by their fields; a skill is Markdown."""
    name = uri.removeprefix(ROOT)
    data = plain(held)
    if name in LISTS:
        items = answer_shape.apply(_list_shape(), {"memories": data}, {})
        most = LISTS[name][1]
        return {"memories": items, "total": len(items), "limit": most, "offset": 0, "layer": 2}
    if name == SKILLS:
        return answer_shape.apply(_shape("context.skill.list"), {"skills": data}, {})
    if name.startswith("skill/"):
        return _markdown(data)
    return answer_shape.apply(_shape("context.get"), data, {})


def _shape(name: str) -> Any:
    return tool_names.CALLS[name].answers


def _list_shape() -> Any:
    return (tool_names.CHOICES["context.list"].actions["list"].answers or {})["memories"]


def _markdown(data: dict[str, Any]) -> str:
    skill = data["skill"]
    lines = [f"# {skill['name']}", "", f"_{skill['description']}_", ""]
    if skill["triggers"]:
        triggers = ", ".join(f"`{trigger}`" for trigger in skill["triggers"])
        lines += [f"**Triggers:** {triggers}", ""]
    if data["parameters"]:
        lines += ["**Parameters:**", *map(_parameter, data["parameters"]), ""]
    return "\n".join([*lines, "## Instructions", "", data["instructions"]])


def _parameter(parameter: dict[str, Any]) -> str:
    needed = " *(required)*" if parameter["default"] is None else ""
    return f"- `{parameter['name']}`{needed}" + (
        f": {parameter['description']}" if parameter["description"] else ""
    )
