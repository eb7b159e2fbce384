"""A pattern: a memory that says how this project writes code, and the rule that checks it. Pure.

Name, rule, examples and sources are in the memory's metadata under ``KEY``, so that scope, history,
redaction, export and purge work as for any memory. A convention without such metadata is a pattern,
too, with the rule that its sentence states, if any; its text may be a JSON object with a name, a
description, code and its language, as other systems store patterns.
"""

from __future__ import annotations

import json
import re

from gitmem import languages
from gitmem.errors import InvalidInput
from gitmem.memory import trust
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.patterns import rule as rules
from gitmem.patterns import said_rule
from gitmem.patterns.rule import CodeRule

KEY = "pattern"
KINDS = ("pattern", "convention")
MOST_EXAMPLES, LONGEST_EXAMPLE = 10, 2000
LONGEST_NAME = 64
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class CodePattern:
    """A convention of a project's code, with the rule that checks it (None: no rule) and examples.

    ``examples`` show the right form, ``anti_examples`` the wrong form, in ``language`` (empty:
    unknown). ``origin`` is said, memories, commits, code or built-in; ``rests_on`` and ``commits``
    are the ids of the memories and commits it was learned from. ``marked``: the sentence that
    states the rule marks the names in it as code. ``title`` is the name as it was given, or empty.
    ``files`` are the paths of the files that it is about.
    """

    name: str
    text: str
    rule: CodeRule | None = None
    topic: str = ""
    language: str = ""
    examples: tuple[str, ...] = ()
    anti_examples: tuple[str, ...] = ()
    origin: str = "said"
    rests_on: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    marked: bool = True
    title: str = ""
    files: tuple[str, ...] = ()

    @property
    def as_memory_metadata(self) -> dict[str, object]:
        """The metadata of the memory that stores the pattern: ``{"pattern": {...}}``."""
        fields: dict[str, object] = {"name": self.name, "origin": self.origin}
        if self.rule is not None:
            fields["rule"] = rules.rule_as_json(self.rule)
        for key in ("topic", "language"):
            fields |= {key: value} if (value := getattr(self, key)) else {}
        for key in ("examples", "anti_examples", "rests_on", "commits"):
            fields |= {key: list(value)} if (value := getattr(self, key)) else {}
        return {KEY: fields}


def is_valid_pattern_name(text: str) -> bool:
    """Whether a text can be the name of a pattern, such as ``no-print``."""
    return len(text) <= LONGEST_NAME and _NAME.fullmatch(text) is not None


def pattern_of_memory(memory: Memory) -> CodePattern | None:
    """The CodePattern that a memory stores; None if its kind is not pattern or convention."""
    if memory.kind not in KINDS:
        return None
    facts = json.loads(memory.metadata or "{}")
    fields = facts.get(KEY)
    if not isinstance(fields, dict):
        return _of_convention(memory, facts)
    try:
        rule = rules.rule_from_json(fields["rule"]) if fields.get("rule") else None
    except InvalidInput:  # written by a newer gitmem, or by hand
        rule = None
    name = str(fields.get("name", ""))
    return CodePattern(
        name=name if is_valid_pattern_name(name) else pattern_name_from_text(memory.headline),
        text=memory.content,
        rule=rule,
        topic=str(fields.get("topic") or ""),
        language=str(fields.get("language") or ""),
        examples=_texts(fields.get("examples")),
        anti_examples=_texts(fields.get("anti_examples")),
        origin=str(fields.get("origin") or "said"),
        rests_on=_texts(fields.get("rests_on")),
        commits=_texts(fields.get("commits")),
        files=memory.paths,
    )


def _of_convention(memory: Memory, facts: dict[str, object]) -> CodePattern:
    """The pattern of a convention, in words or as JSON; code in its metadata is an example."""
    block = facts.get("codeBlock")
    json_fields = _as_json(memory.content)
    all_facts = {**facts, **(block if isinstance(block, dict) else {}), **json_fields}
    text = _text(json_fields, "description") or ("" if json_fields else memory.content)
    title = _text(json_fields, "name")
    stated = said_rule.find_stated_rule(f"{title or memory.title}\n{text}")
    code = _text(all_facts, "code")
    files = *memory.paths, _text(all_facts, "filePath"), *_texts(json_fields.get("relatedFiles"))
    files = tuple(dict.fromkeys(filter(None, files)))
    text = text.removesuffix(f"\n\n{code}")  # as a reported event stores them together
    return CodePattern(
        name=pattern_name_from_rule(stated.rule)
        if stated
        else pattern_name_from_text(title or memory.headline),
        text=text or title,
        rule=stated.rule if stated else None,
        topic=memory.tags[0] if memory.tags else "",
        language=_text(all_facts, "language").lower() or _language_of_files(files),
        examples=(code,) if code else (),
        origin="said",
        marked=stated.sure if stated else True,
        title=title,
        files=files,
    )


def _language_of_files(files: tuple[str, ...]) -> str:
    """The language of the first file with one; empty if there is none."""
    return next(filter(None, (languages.language(path.partition(":")[0]) for path in files)), "")


def _as_json(content: str) -> dict[str, object]:
    """The pattern that a text is as JSON; empty for any other text."""
    if not content.lstrip().startswith("{"):
        return {}
    try:
        fields = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return fields if isinstance(fields, dict) and _text(fields, "name") else {}


def pattern_name_in_json(content: str) -> str:
    """The ``name`` in a text that is a JSON object; empty for any other text."""
    return _text(_as_json(content), "name")


def _text(facts: dict[str, object], key: str) -> str:
    value = facts.get(key)
    return value if isinstance(value, str) else ""


def is_pattern_enforced(pattern: CodePattern, memory: Memory) -> bool:
    """Whether code is checked against a pattern, which ``memory`` stores.

    It must have a rule with marked names, be active, and be written or accepted by a person.
    """
    vouched = memory.state == "active" and trust.is_more_trusted(memory.trust_tier, "agent")
    return pattern.rule is not None and pattern.marked and vouched


def pattern_name_from_text(text: str) -> str:
    """A name for a pattern from the first six words of a text, such as ``use-tabs``."""
    words = re.findall(r"[a-z0-9]+", text.lower())[:6]
    return "-".join(words)[:LONGEST_NAME].strip("-") or "pattern"


def pattern_name_from_rule(rule: CodeRule) -> str:
    """A name for a pattern by its rule, such as ``no-print`` or ``function-names-snake-case``."""
    if rule.check == "naming":
        return pattern_name_from_text(f"{' '.join(rule.of)} names {rule.style or 'form'}")
    if rule.check == "layer":
        return pattern_name_from_text(f"{rule.origin} without {rule.target}")
    if rule.check == "handler":
        return "no-empty-handler"
    if rule.check == "companion":
        return pattern_name_from_text(f"{rule.names[0]} with {rule.needs[0]}")
    subject = " ".join(rule.names[:2]) or rule.regex or rule.check
    where = f" in {rule.inside[0]}" if rule.inside else ""
    where += f" outside {rule.outside[0]}" if rule.outside else ""
    return pattern_name_from_text(f"no {subject}{where}")


def clean_pattern_examples(noun_in_error: str, examples: tuple[str, ...]) -> tuple[str, ...]:
    """The examples of a pattern without empty ones and repeats.

    Raises InvalidInput for more than ten or one of more than 2,000 characters; ``noun_in_error`` is
    what the message calls them.
    """
    if len(examples) > MOST_EXAMPLES or any(len(text) > LONGEST_EXAMPLE for text in examples):
        raise InvalidInput(
            f"A pattern has at most {MOST_EXAMPLES} {noun_in_error} "
            f"of {LONGEST_EXAMPLE:,} characters.",
            "Leave some out.",
        )
    return tuple(dict.fromkeys(text.strip("\n") for text in examples if text.strip()))


def _texts(value: object) -> tuple[str, ...]:
    return tuple(text for text in value if isinstance(text, str)) if isinstance(value, list) else ()
