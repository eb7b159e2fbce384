"""The kinds of memories, and the names that other systems use for them.

An alias is accepted wherever a kind is; the stored and shown name is always the canonical one.
"""

from __future__ import annotations

from gitmem.errors import InvalidInput

KINDS: dict[str, str] = {
    "note": "a fact worth keeping that fits no other kind (the default)",
    "decision": "what was decided and why",
    "convention": "a rule everyone on the project follows",
    "pattern": "a way of writing code that recurs here",
    "fix": "what was wrong and what fixed it",
    "problem": "something that is wrong and not yet fixed",
    "error": "an error message and where it came from",
    "workflow": "how something is done, step by step",
    "skill": "a procedure that can be invoked by name",
    "task": "work to do",
    "observation": "something noticed while working",
    "scratchpad": "a passing thought of this session",
    "summary": "a digest of longer material",
    "conversation": "what was said",
    "documentation": "a pointer to, or an extract of, documents",
    "explanation": "why something is the way it is",
    "code": "a piece of code",
    "example": "a worked example",
    "command": "a command line and what it does",
    "technology": "a tool, library or service in use",
    "relationship": "how two things are connected",
    "file_context": "what a file is for",
    "project": "a fact about the project as a whole",
}

ALIASES: dict[str, str] = {
    "general": "note",
    "memory": "note",
    "fact": "note",
    "knowledge": "note",
    "information": "note",
    "adr": "decision",
    "architecture": "decision",
    "rule": "convention",
    "style": "convention",
    "guideline": "convention",
    "preference": "convention",
    "critical": "convention",
    "code_pattern": "pattern",
    "bug_fix": "fix",
    "bugfix": "fix",
    "solution": "fix",
    "bug": "problem",
    "issue": "problem",
    "process": "workflow",
    "procedure": "workflow",
    "howto": "workflow",
    "todo": "task",
    "feature": "task",
    "message": "observation",
    "thought": "observation",
    "feedback": "observation",
    "scratch": "scratchpad",
    "docs": "documentation",
    "doc": "documentation",
    "reference": "documentation",
    "snippet": "code",
    "tech": "technology",
}


def canonical_memory_kind(name_or_alias: str) -> str | None:
    """Return the kind of memory (note, fix ...) that a name or alias means; None for none.

    Case, dashes and spaces do not matter.
    """
    key = name_or_alias.strip().lower().replace("-", "_").replace(" ", "_")
    if key in KINDS:
        return key
    return ALIASES.get(key) or ALIASES.get(key.replace("_", ""))


# Aliases that name something narrower than their kind: the metadata keeps them, under this key.
_NARROWER = frozenset(("solution",))
GIVEN_AS = "kind_as"


def narrower_kind_name(name_or_alias: str) -> str:
    """Return the name if it means less than the kind it stands for; else empty.

    ``solution`` is such a name: it is stored as a ``fix``.
    """
    alias = name_or_alias.strip().lower()
    return alias if alias in _NARROWER else ""


STATUSES = ("proposed", "accepted", "deprecated", "superseded")

RELATIONS = (
    "SOLVES",
    "CAUSES",
    "REQUIRES",
    "RELATED_TO",
    "SUPERSEDES",
    "ADDRESSES",
    "CONTRADICTS",
    "IMPLEMENTED_BY",
)
# Set by gitmem itself, not by `gitmem link`: between a summary and each memory that it covers.
SUMMARISES = "SUMMARISES"
EVERY_RELATION = (*RELATIONS, SUMMARISES)

SOURCES = ("user_explicit", "ai_inferred", "system_auto")


def require_one_of(name: str, value: str, allowed: tuple[str, ...]) -> str:
    """Return ``value`` if it is in ``allowed``; raise InvalidInput otherwise.

    ``name`` says in the message what the value is for.
    """
    if value not in allowed:
        raise InvalidInput(
            f"{name} cannot be {str(value)[:40]!r}.", f"Give one of: {', '.join(allowed)}."
        )
    return value
