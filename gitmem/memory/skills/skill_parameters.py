"""Parameters of skills: reading, writing and filling them into instructions. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from gitmem.errors import InvalidInput
from gitmem.model.frozen import dataclass

MAX_PARAMETERS = 20
_PARAMETER = re.compile(r"([A-Za-z_][\w-]{0,63})(?:=(.*?))?(?::\s+(.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SkillParameter:
    """A value that a skill's instructions ask for; it must be given unless there is a default."""

    name: str
    description: str = ""
    default: str | None = None

    @property
    def required(self) -> bool:
        """Whether a value must be given, since there is no default."""
        return self.default is None


def parameter_as_json(parameter: SkillParameter) -> dict[str, object]:
    """{name, description, default} of a parameter; without ``default`` if it has none."""
    facts: dict[str, object] = {"name": parameter.name, "description": parameter.description}
    return facts | ({} if parameter.default is None else {"default": parameter.default})


def parse_parameter(text: str) -> SkillParameter:
    """The parameter in a text ``name[=default][: description]``. Raises InvalidInput."""
    match = _PARAMETER.fullmatch(text.strip())
    if match is None:
        raise InvalidInput(
            f"{text[:80]!r} is not a parameter.",
            'Give "tag", "tag: The release", or with a default "format=md: How it is written".',
        )
    return SkillParameter(match[1], (match[3] or "").strip(), match[2])


def fill_instructions(
    skill_slug: str,
    instructions: str,
    parameters: Sequence[SkillParameter],
    given_values: Mapping[str, str],
) -> tuple[str, dict[str, str]]:
    """(text, values): instructions with each ``{{name}}`` replaced, and all values by name.

    ``skill_slug`` is the skill's name, for messages. A parameter that is not in ``given_values``
    gets its default. Raises InvalidInput for an unknown or a missing parameter.
    """
    parameters_by_name = {parameter.name: parameter for parameter in parameters}
    if unknown := sorted(set(given_values) - set(parameters_by_name)):
        names = ", ".join(parameters_by_name) or "none"
        raise InvalidInput(
            f"The skill {skill_slug} has no parameter {unknown[0][:60]!r}.", f"It has: {names}."
        )
    values = {
        parameter.name: given_values.get(parameter.name, parameter.default)
        for parameter in parameters
    }
    missing = [name for name, value in values.items() if value is None]
    if missing:
        raise InvalidInput(
            f"The skill {skill_slug} needs {', '.join(missing)}.",
            f"Give {missing[0]}=VALUE as a parameter (`--with {missing[0]}=VALUE`).",
        )
    settled = {name: value or "" for name, value in values.items()}
    # In one pass, so that a ``{{name}}`` in a value is not replaced.
    filled_text = re.sub(
        r"\{\{[ \t]*([A-Za-z_][\w-]*)[ \t]*\}\}",
        lambda match: settled.get(match[1], match[0]),
        instructions,
    )
    return filled_text, settled


def parse_skill_arguments(arguments: Iterable[str]) -> dict[str, str]:
    """{name: value} from texts such as ``NAME=VALUE``. Raises InvalidInput for any other text."""
    values = {}
    for pair in arguments:
        name, mark, value = pair.partition("=")
        if not mark or not name.strip():
            raise InvalidInput(f"{pair[:80]!r} is not NAME=VALUE.", "Give it as tag=v1.2.")
        values[name.strip()] = value
    return values


def skill_parameters_from_json(value: object) -> tuple[SkillParameter, ...]:
    """The SkillParameters in a list of texts or dicts, at most 20; unreadable ones are left out."""
    parameters: dict[str, SkillParameter] = {}
    for item in value if isinstance(value, list) else ():
        parameter = _read_parameter(item)
        if parameter is not None:
            parameters.setdefault(parameter.name, parameter)
    return tuple(parameters.values())[:MAX_PARAMETERS]


def _read_parameter(value: object) -> SkillParameter | None:
    if isinstance(value, str):
        match = _PARAMETER.fullmatch(value.strip())
        return parse_parameter(value) if match else None
    if not isinstance(value, dict):
        return None
    match = _PARAMETER.fullmatch(str(value.get("name", "")))
    if match is None or match[2] is not None or match[3] is not None:
        return None
    default = value.get("default")
    if default is None and str(value.get("required", "true")).lower() in ("false", "no"):
        default = ""
    description = value.get("description")
    return SkillParameter(
        match[1],
        description if isinstance(description, str) else "",
        None if default is None else str(default),
    )
