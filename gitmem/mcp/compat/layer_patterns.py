"""MemoryLayer's patterns: listed, shown, held against code, given examples (ML-36); what helped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gitmem.mcp.compat.answer_shape import As, Const, Each
from gitmem.mcp.compat.documented_call import LAYER, Call, Choice, Path, Step, To
from gitmem.mcp.compat.memory_layer import layer_call

_CATEGORIES = (
    *("error_handling", "api_call", "component", "state_management", "data_fetching"),
    *("authentication", "validation", "logging", "custom"),
)
# Their score: 100, less so much for what goes against a pattern.
_COSTS = {"error": 20, "warning": 10}


def _pattern(at: str = "") -> dict[str, Any]:
    return {
        "id": f"{at}id",
        "name": f"{at}title",
        "category": As(_category, f"{at}topic"),
        "description": f"{at}text",
        "usage_count": f"{at}uses",
        "created_at": f"{at}created_at",
    }


def _category(topic: str) -> str:
    return topic or "custom"


def _score(findings: Sequence[Mapping[str, Any]]) -> int:
    return max(0, 100 - sum(_COSTS[one["severity"]] for one in findings))


def _advice(instead: str) -> str:
    return f"Use {instead}." if instead else ""


def _critical(severity: str) -> str:
    return "critical" if severity == "error" else severity


def _sound(findings: Sequence[object]) -> bool:
    return not findings


def _first(findings: Sequence[Mapping[str, Any]]) -> str | None:
    return str(findings[0]["pattern"]) if findings else None


def _rules(words: str, state: str) -> list[dict[str, str]]:
    return [{"rule": words, "severity": "critical" if state == "active" else "info"}] * bool(words)


def _codes(texts: Sequence[str]) -> list[dict[str, str]]:
    return [{"code": text} for text in texts]


_FOUND: dict[str, Any] = {
    "rule": "pattern",
    "message": "what",
    "severity": As(_critical, "severity"),
    "suggestion": As(_advice, "instead"),
}
_LISTED = {
    **_pattern(),
    "examples_count": "examples",
    "anti_patterns_count": "anti_examples",
    "rules_count": As(lambda words: int(bool(words)), "rule"),
}
PATTERN_LIST = layer_call(
    "list_patterns",
    "pattern list",
    {"category": To("string", "topic")},
    {"total": "total", "patterns": Each("patterns", _LISTED)},
    fixed={"limit": 1000},
    departs="Conventions are patterns too.",
)
_SHOWN = layer_call(
    "get_pattern",
    "pattern show",
    {"id": To("string", "name", needed=True)},
    {
        **_pattern("pattern."),
        "examples": As(_codes, "examples"),
        "anti_patterns": As(_codes, "anti_examples"),
        "rules": As(_rules, "pattern.rule", "pattern.state"),
    },
)
_VALIDATED = layer_call(
    "validate_pattern",
    "pattern validate",
    {
        "code": To("string", "code", needed=True),
        "type": To("string", choices=("auto", *_CATEGORIES), why="All patterns are checked."),
    },
    {
        "valid": As(_sound, "findings"),
        "score": As(_score, "findings"),
        "matched_pattern": As(_first, "findings"),
        "violations": Each("findings", _FOUND),
    },
    departs="Each violation is that of a pattern which a person said or accepted. "
    "existing_alternatives come with suggest_existing.",
)


def _done(patterns: Sequence[Mapping[str, Any]]) -> str:
    return str(patterns[0]["action"]) if patterns else ""


def _added(kind: str, field: str) -> Call:
    return layer_call(
        "add_pattern_example",
        "pattern learn",
        {
            "pattern_id": To("string", "name", needed=True),
            "code": To("string", field, needed=True),
            "explanation": To("string", why="An example speaks for itself."),
            "is_anti_pattern": To("boolean", why="It says which kind of example."),
        },
        {
            "success": Const(True),
            "pattern_id": "asked.pattern_id",
            "type": Const(kind),
            "message": As(_done, "patterns"),
        },
    )


EXAMPLE = Choice(
    LAYER,
    "add_pattern_example",
    "",
    {
        "example": _added("example", "example"),
        "anti": _added("anti-pattern", "anti_example"),
    },
    (("is_anti_pattern=true", "anti"),),
    "example",
)
_TOP = 5


def _by_category(patterns: Sequence[Mapping[str, Any]] | None) -> dict[str, int]:
    counts: dict[str, int] = {}
    for one in patterns or ():
        counts[_category(one["topic"])] = counts.get(_category(one["topic"]), 0) + 1
    return counts


def _most_used(patterns: Sequence[Mapping[str, Any]] | None) -> list[dict[str, Any]]:
    used = sorted(patterns or (), key=lambda one: -one["uses"])
    return [{"name": one["title"], "usageCount": one["uses"]} for one in used[:_TOP]]


def _learned(patterns: int, functions: int) -> str:
    return f"{patterns} patterns learned, {functions} functions indexed"


STATS = layer_call(
    "get_architecture_stats",
    "stats",
    {},
    {
        "patterns": {
            "total": "known.total",
            "by_category": As(_by_category, "known.patterns"),
            "top_patterns": As(_most_used, "known.patterns"),
        },
        "functions": {
            "total": "index.functions",
            "exported": "index.exported",
            "by_purpose": "index.verbs",
        },
        "message": As(_learned, "known.total", "index.functions"),
    },
    fixed={"files": True},
    then={"known": Step("pattern list", {"limit": 1000})},
    says="Count patterns by topic, and functions of the code.",
    departs="A purpose is the first word of a function's name, the ten most frequent.",
)
# Memories that are marked: the first places of a ranking are those that are looked at.
_MARKED = 3


def _marked(items: Sequence[Mapping[str, Any]] | None, useful: bool) -> str:
    if not useful:
        return _USELESS
    done = [one["id"] for one in items or () if not one["error"]]
    if not done:
        return "Nothing is marked: no memory answers this query."
    return f"Feedback recorded: context was useful ({', '.join(done)})"


_USELESS = (
    "Nothing is marked: what did not help is not wrong by that. Mark what is wrong with `feedback`."
)


def feedback(name: str, takes: Mapping[str, To], query: Path, more: Mapping[str, Any]) -> Call:
    """Marking as useful what a query was told, under one of its names."""
    return layer_call(
        name,
        "recall",
        {**takes, "was_useful": To("boolean", needed=True)},
        {"message": As(_marked, "marked.items", "asked.was_useful"), **more},
        fixed={"query": query, "limit": _MARKED},
        then={
            "marked": Step(
                "feedback",
                {"id": Path("memories", most=_MARKED, each="id"), "useful": True},
                where="asked.was_useful",
            )
        },
        says="Say whether what was told for a query was useful.",
        departs=f"The first {_MARKED} memories that answer the query are marked as useful. What "
        "was not useful is not wrong by that: then nothing is marked, and the message says so.",
    )


USEFUL = feedback(
    "mark_context_useful",
    {"query": To("string", needed=True)},
    Path("asked.query"),
    {"query": "asked.query"},
)
CALLS = (PATTERN_LIST, _SHOWN, _VALIDATED, STATS, USEFUL)
