"""What a skill is given when it is invoked: written, read, and put into its instructions. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from gitmem.errors import InvalidInput
from gitmem.model.frozen import dataclass

MOST = 20
_PARAMETER = re.compile(r"([A-Za-z_][\w-]{0,63})(?:=(.*?))?(?::\s+(.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Parameter:
    """What a skill is given when it is invoked; it has to be, unless it has a default."""

    name: str
    description: str = ""
    default: str | None = None

    @property
    def required(self) -> bool:
        """Whether it has to be given."""
        return self.default is None


def facts(parameter: Parameter) -> dict[str, object]:
    facts: dict[str, object] = {"name": parameter.name, "description": parameter.description}
    return facts | ({} if parameter.default is None else {"default": parameter.default})


def parse(text: str) -> Parameter:
    """``tag``, ``tag: The release``, ``format=md`` or ``format=md: How``. Raises InvalidInput."""
    found = _PARAMETER.fullmatch(text.strip())
    if found is None:
        raise InvalidInput(
            f"{text[:80]!r} is not a parameter.",
            'Give "tag", "tag: The release", or with a default "format=md: How it is written".',
        )
    return Parameter(found[1], (found[3] or "").strip(), found[2])


def filled(
    slug: str, text: str, taken: Sequence[Parameter], given: Mapping[str, str]
) -> tuple[str, dict[str, str]]:
    """The text with ``{{name}}`` replaced, and each parameter's value.

    Raises InvalidInput for one that is unknown or missing.
    """
    known = {one.name: one for one in taken}
    if unknown := sorted(set(given) - set(known)):
        told = ", ".join(known) or "none"
        raise InvalidInput(
            f"The skill {slug} has no parameter {unknown[0][:60]!r}.", f"It has: {told}."
        )
    values = {one.name: given.get(one.name, one.default) for one in taken}
    missing = [name for name, value in values.items() if value is None]
    if missing:
        raise InvalidInput(
            f"The skill {slug} needs {', '.join(missing)}.", f"Add --with {missing[0]}=VALUE."
        )
    settled = {name: value or "" for name, value in values.items()}
    # In one pass: what a value holds is not looked at again.
    done = re.sub(
        r"\{\{[ \t]*([A-Za-z_][\w-]*)[ \t]*\}\}",
        lambda match: settled.get(match[1], match[0]),
        text,
    )
    return done, settled


def arguments(given: Iterable[str]) -> dict[str, str]:
    """``NAME=VALUE`` pairs. Raises InvalidInput."""
    values = {}
    for one in given:
        name, mark, value = one.partition("=")
        if not mark or not name.strip():
            raise InvalidInput(f"{one[:80]!r} is not NAME=VALUE.", "Give it as tag=v1.2.")
        values[name.strip()] = value
    return values


def read(value: object) -> tuple[Parameter, ...]:
    """Those that can be read of a list of texts or maps, each name once."""
    found: dict[str, Parameter] = {}
    for one in value if isinstance(value, list) else ():
        made = _one(one)
        if made is not None:
            found.setdefault(made.name, made)
    return tuple(found.values())[:MOST]


def _one(value: object) -> Parameter | None:
    if isinstance(value, str):
        found = _PARAMETER.fullmatch(value.strip())
        return parse(value) if found else None
    if not isinstance(value, dict):
        return None
    found = _PARAMETER.fullmatch(str(value.get("name", "")))
    if found is None or found[2] is not None or found[3] is not None:
        return None
    default = value.get("default")
    if default is None and str(value.get("required", "true")).lower() in ("false", "no"):
        default = ""
    told = value.get("description")
    return Parameter(
        found[1],
        told if isinstance(told, str) else "",
        None if default is None else str(default),
    )
