"""Skills: memories that are named procedures, read from and written as SKILL.md. Pure.

The instructions are the memory's content; name, description, triggers, parameters and the rest of
the file are in its metadata under ``KEY``. So scope, history, redaction, export and purge work as
for any memory, and the file can be written again byte for byte.
"""

from __future__ import annotations

import json
import re
from typing import Any

from gitmem.errors import InvalidInput
from gitmem.memory.skills import skill_parameters
from gitmem.memory.skills.skill_parameters import SkillParameter
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.text import front_matter

KEY = "skill"
FILE = "SKILL.md"
LONGEST_SLUG = 64
LONGEST_NAME = 120
LONGEST_DESCRIPTION = 1024
# Public files exceed the limit of hosts, and are written back unchanged.
LONGEST_OF_A_FILE = 4096
MOST_TRIGGERS, LONGEST_TRIGGER = 20, 200
_SLUG = r"[a-z0-9]+(?:-[a-z0-9]+)*"
# Windows takes these for devices, in any folder.
_DEVICES = re.compile(r"con|prn|aux|nul|com\d|lpt\d")


@dataclass(frozen=True, slots=True)
class Skill:
    """A named procedure for agents, as in a SKILL.md; ``slug`` is its name: ``release-notes``.

    ``version`` counts changes of name, description or instructions, from 1. ``file`` is the path
    that it was read from, else empty, and ``blob`` the git id of that content. ``head`` and
    ``tail`` are the text around the instructions, ``resources`` the files beside it, and ``sums``
    the hash of each (empty if it could not be read whole).
    """

    slug: str
    instructions: str
    name: str = ""
    description: str = ""
    triggers: tuple[str, ...] = ()
    parameters: tuple[SkillParameter, ...] = ()
    version: int = 1
    head: str = ""
    tail: str = ""
    file: str = ""
    blob: str = ""
    resources: tuple[str, ...] = ()
    sums: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The skill's name and description on a line of at most 200 characters."""
        title = " ".join(f"{self.name or self.slug}: {self.description}".split()).rstrip(": ")
        return title if len(title) <= 200 else title[:199] + "…"

    @property
    def memory_metadata(self) -> dict[str, object]:
        """The metadata of the memory that stores the skill: ``{"skill": {...}}``."""
        fields: dict[str, Any] = {
            name: getattr(self, name)
            for name in ("slug", "name", "description", "version", "head", "tail", "file", "blob")
        }
        fields["triggers"], fields["resources"] = list(self.triggers), list(self.resources)
        fields |= {"sums": list(self.sums)} if self.sums else {}
        fields["parameters"] = [
            skill_parameters.parameter_as_json(parameter) for parameter in self.parameters
        ]
        return {KEY: fields}


def skill_of_memory(memory: Memory) -> Skill | None:
    """The Skill that a memory stores; None if it is no skill, or its metadata are not valid."""
    if memory.kind != "skill" or f'"{KEY}"' not in memory.metadata:
        return None
    fields = json.loads(memory.metadata).get(KEY)
    if not isinstance(fields, dict) or not is_skill_slug(str(fields.get("slug", ""))):
        return None
    texts = ("slug", "name", "description", "head", "tail", "file", "blob")
    version = fields.get("version")
    return Skill(
        instructions=memory.content,
        triggers=_texts(fields.get("triggers")),
        parameters=skill_parameters.skill_parameters_from_json(fields.get("parameters")),
        resources=_texts(fields.get("resources")),
        sums=_texts(fields.get("sums")),
        version=version if isinstance(version, int) else 1,
        **{name: str(fields.get(name) or "") for name in texts},
    )


def is_skill_slug(text: str) -> bool:
    """Whether a text can be the name of a skill, such as ``release-notes``."""
    fits = re.fullmatch(_SLUG, text) is not None and len(text) <= LONGEST_SLUG
    return fits and _DEVICES.fullmatch(text) is None


def check_skill(skill: Skill) -> Skill:
    """A copy of the skill with its name on one line. Raises InvalidInput if a field is wrong."""
    if not is_skill_slug(skill.slug):
        raise InvalidInput(
            f"{skill.slug[:80]!r} is not a name that a skill can be invoked by.",
            f"Use lower-case letters, digits and dashes, at most {LONGEST_SLUG}: release-notes.",
        )
    longest = LONGEST_OF_A_FILE if skill.file else LONGEST_DESCRIPTION
    lengths = (("name", LONGEST_NAME), ("description", longest))
    for field, most in lengths:
        if len(getattr(skill, field)) > most:
            raise InvalidInput(f"The {field} has more than {most:,} characters.", "Shorten it.")
    if len(skill.triggers) > MOST_TRIGGERS or max(map(len, skill.triggers), default=0) > (
        LONGEST_TRIGGER
    ):
        raise InvalidInput(
            f"A skill has at most {MOST_TRIGGERS} triggers of {LONGEST_TRIGGER} characters.",
            "Use fewer or shorter ones.",
        )
    names = [parameter.name for parameter in skill.parameters]
    if len(names) > skill_parameters.MAX_PARAMETERS or len(set(names)) < len(names):
        raise InvalidInput(
            f"A skill has at most {skill_parameters.MAX_PARAMETERS} parameters, each with its own "
            "name.",
            "Leave some out.",
        )
    return replace(skill, name=" ".join(skill.name.split()) or skill.slug)


def update_skill_version(old: Skill, new: Skill) -> Skill:
    """``new``, an edited version of ``old``, with the next version number and an updated file head.

    The number stays if name, description and instructions are equal. In the front matter of a skill
    that was read from a file only the changed keys are written anew.
    """
    texts = ("name", "description", "instructions")
    if any(getattr(old, field) != getattr(new, field) for field in texts):
        new = replace(new, version=old.version + 1)
    if not old.file:
        return new
    head = old.head
    if new.description != old.description:
        head = front_matter.set_front_matter_field(head, "description", new.description)
    if new.name != old.name:
        head = front_matter.set_front_matter_field(head, "title", new.name)
    if new.triggers != old.triggers:
        head = front_matter.set_front_matter_field(head, "triggers", list(new.triggers))
    if new.parameters != old.parameters:
        listed = [skill_parameters.parameter_as_json(parameter) for parameter in new.parameters]
        head = front_matter.set_front_matter_field(head, "parameters", listed)
    return replace(new, head=head)


def render_skill(skill: Skill) -> str:
    """The text of the skill's SKILL.md; what surrounds the instructions in its file is kept."""
    if skill.file:
        return skill.head + skill.instructions + skill.tail
    head = front_matter.set_front_matter_field("", "name", skill.slug)
    for key, value in (
        ("description", skill.description or skill.name),
        ("title", skill.name if skill.name != skill.slug else ""),
        ("triggers", list(skill.triggers)),
        (
            "parameters",
            [skill_parameters.parameter_as_json(parameter) for parameter in skill.parameters],
        ),
    ):
        head = front_matter.set_front_matter_field(head, key, value) if value else head
    return f"{head}\n{skill.instructions}\n"


def parse_skill(text: str, skill_path: str) -> Skill:
    """The Skill in the text of a SKILL.md; without a name in it, it is named after its folder.

    ``skill_path`` is the path of the file. Raises InvalidInput.
    """
    folder = skill_path.rpartition("/")[0].rpartition("/")[2]
    if "\0" in text:
        raise InvalidInput("The skill contains a NUL character.", "Give it as plain text.")
    page = front_matter.parse_front_matter(text)
    # Like a memory's content: without empty lines before it and white space after it.
    body = page.body.lstrip("\r\n")
    instructions = body.rstrip()
    head = page.head + page.body[: len(page.body) - len(body)]
    name_field = page.fields.get("name")
    name = name_field.strip() if isinstance(name_field, str) else ""
    skill = Skill(
        slug=_slug(name or folder),
        instructions=instructions,
        name=_one_line(page.fields.get("title")) or name,
        description=_one_line(page.fields.get("description")) or _first_line(instructions),
        triggers=_triggers(page.fields.get("triggers")),
        parameters=skill_parameters.skill_parameters_from_json(page.fields.get("parameters")),
        head=head,
        tail=body[len(instructions) :],
        file=skill_path,
    )
    if not (instructions or skill.description):
        raise InvalidInput("The skill is empty.", "Give it a description and instructions.")
    return check_skill(skill)


def _slug(name: str) -> str:
    """A name in the form of a slug. Raises InvalidInput for a path or an empty name."""
    if "/" in name or "\\" in name or ".." in name:
        raise InvalidInput(
            f"The name {name[:80]!r} leads out of the skill's folder.",
            "Name it with letters, digits and dashes.",
        )
    words = "-".join(re.findall(r"[a-z0-9]+", name.lower()))
    if not words:
        raise InvalidInput(
            f"{name[:80]!r} is not a valid name for a skill.",
            "Name it with letters, digits and dashes.",
        )
    return words


def _one_line(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _first_line(text: str) -> str:
    lines = (line.lstrip("# \t").strip() for line in text.splitlines())
    return next((line for line in lines if line), "")[:LONGEST_DESCRIPTION]


def _triggers(value: object) -> tuple[str, ...]:
    """The triggers in a front matter: a list, or a text separated by commas; at most 20."""
    parts = value.split(",") if isinstance(value, str) else value
    triggers = (text.strip()[:LONGEST_TRIGGER] for text in _texts(parts))
    return tuple(dict.fromkeys(trigger for trigger in triggers if trigger))[:MOST_TRIGGERS]


def _texts(value: object) -> tuple[str, ...]:
    return tuple(text for text in value if isinstance(text, str)) if isinstance(value, list) else ()


def merge_skill_metadata(metadata: str, skill_metadata: str) -> str:
    """A memory's metadata (JSON text) with its skill replaced by that in ``skill_metadata``."""
    facts = json.loads(metadata) | json.loads(skill_metadata)
    return json.dumps(facts, ensure_ascii=False, sort_keys=True)
