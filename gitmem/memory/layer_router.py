"""A memory's layer: ``advise_memory_layer`` gives advice, ``decide_memory_layer`` decides.

A memory in an unexpected layer costs more than one that stays in its project, so the advice is
followed only where that is safe.
"""

from __future__ import annotations

from collections.abc import Iterable

from gitmem.clock import DAY
from gitmem.memory.lifecycle import MIN_LASTING_IMPORTANCE
from gitmem.model import kinds
from gitmem.model.frozen import dataclass

WORKING, PROJECT, GLOBAL = LAYERS = ("working", "project", "global")

# The first of these tags that a memory has decides.
TAGS = (("temp", WORKING), ("global", GLOBAL), ("project", PROJECT))

# Name of a kind as given -> layer, confidence, reason.
KINDS: dict[str, tuple[str, float, str]] = {
    "scratchpad": (WORKING, 0.95, "scratchpads are temporary"),
    "code_pattern": (GLOBAL, 0.90, "code patterns are reused elsewhere"),
    "pattern": (GLOBAL, 0.90, "code patterns are reused elsewhere"),
    "convention": (GLOBAL, 0.90, "conventions are reused elsewhere"),
    "decision": (PROJECT, 0.85, "decisions belong to their project"),
    "bug_fix": (PROJECT, 0.85, "fixes belong to their project"),
    "fix": (PROJECT, 0.85, "fixes belong to their project"),
    "skill": (PROJECT, 0.90, "skills belong to their project"),
    "relationship": (GLOBAL, 0.85, "relationships describe preferences"),
    "message": (WORKING, 0.80, "messages are short-lived"),
    "thought": (WORKING, 0.80, "thoughts are short-lived"),
    "observation": (WORKING, 0.80, "observations are short-lived"),
    "documentation": (PROJECT, 0.75, "documentation belongs to its project"),
    "error": (PROJECT, 0.75, "errors belong to the project they occur in"),
    "summary": (PROJECT, 0.80, "summaries describe their project"),
}

# Signs of code that is meant to be reused; one is enough.
PATTERNS = (
    r"\b(?:def|fn|func|fun|function|sub)\s+\w+",
    r"\b(?:class|interface|trait|protocol|struct|module|enum)\s+\w+",
    r"\btype\s+\w+\s*=",
    r"\bexport\s+(?:default|const|let|var|function|class|type)\b",
    r"^\s*@\w+",
    r"\btemplate\s*<",
    r"/\*\*.*?\*/",
)
# Words in code that occur in any project, and words of a business.
GENERIC = frozenset({
    "abstract", "adapter", "base", "builder", "cache", "common", "convert", "debounce",
    "decorator", "factory", "filter", "format", "formatter", "generic", "handler", "helper",
    "iterator", "logger", "map", "memoize", "merge", "mixin", "observer", "parse", "parser",
    "pool", "queue", "retry", "sanitize", "serialize", "singleton", "sort", "throttle",
    "transform", "util", "utility", "utils", "validate", "validator", "wrapper",
})  # fmt: skip
BUSINESS = frozenset({
    "account", "billing", "business", "cart", "catalog", "checkout", "client", "company",
    "contract", "coupon", "customer", "employee", "invoice", "order", "password", "patient",
    "payment", "payroll", "price", "product", "salary", "secret", "shipping", "shop", "student",
    "subscription", "supplier", "tenant", "vendor", "warehouse",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class MemoryLayerAdvice:
    """The layer that the rules advise for a memory: working, project or global; and why.

    ``confidence`` is 0 to 1; ``rule`` is what decided: ``layer``, ``tag``, ``ttl``, ``kind``,
    ``code`` or ``default``. ``kind`` is the canonical kind, or the name as given if it is unknown.
    """

    layer: str
    confidence: float
    reason: str
    rule: str
    kind: str


def advise_memory_layer(
    kind: str,
    tags: Iterable[str] = (),
    *,
    layer: str = "",
    has_ttl: bool = False,
    content: str = "",
    session: str = "",
) -> MemoryLayerAdvice:
    """The MemoryLayerAdvice for a memory: working (of a session), project or global (any project).

    ``kind`` may be an alias or unknown. ``layer`` is the layer that the user gave, or empty.
    ``has_ttl``: a time to live was given. ``session`` is a session that the user named, or empty.
    Never fails.
    """
    named = kind.strip().lower().replace("-", "_").replace(" ", "_")
    canonical = kinds.canonical_memory_kind(kind) or named
    if layer in LAYERS:
        return MemoryLayerAdvice(layer, 1.0, "the layer was given", "layer", canonical)
    carried = {tag.strip().lower() for tag in tags}
    for tag, place in TAGS:
        if tag in carried:
            return MemoryLayerAdvice(place, 0.95, f"tagged {tag}", "tag", canonical)
    if has_ttl:
        return MemoryLayerAdvice(WORKING, 0.90, "it has a time to live", "ttl", canonical)
    rule = KINDS.get(named) or KINDS.get(canonical)
    if rule is not None:
        return MemoryLayerAdvice(*rule, "kind", canonical)
    if canonical == "code":
        return MemoryLayerAdvice(*_route_code(content, session), "code", canonical)
    return MemoryLayerAdvice(PROJECT, 0.60, "no other rule applies", "default", canonical)


def _route_code(content: str, session: str) -> tuple[str, float, str]:
    if is_reusable_code(content):
        generic, business = count_generic_and_business_words(content)
        if generic >= business:
            counts = f"{generic} generic words, {business} business words"
            return GLOBAL, 0.85, f"it looks like a reusable pattern ({counts})"
    if session:
        return WORKING, 0.75, "code that belongs to a session"
    return PROJECT, 0.70, "code of this project"


def is_reusable_code(code: str) -> bool:
    """Whether code defines a function, class or type, exports something, or has a decorator."""
    import re  # noqa: PLC0415 - only for code

    return any(re.search(sign, code, re.MULTILINE | re.DOTALL) for sign in PATTERNS)


def count_generic_and_business_words(code: str) -> tuple[int, int]:
    """(generic, business): how many words of each list, such as "parse" and "invoice", code has.

    Names are split: ``parseInvoice`` has one of each, while ``border`` does not contain "order".
    """
    from gitmem.text import identifiers  # noqa: PLC0415 - only for code

    words = identifiers.split_identifiers(code)
    return _count_in(words, GENERIC), _count_in(words, BUSINESS)


def _count_in(words: list[str], table: frozenset[str]) -> int:
    return sum(word in table or word.removesuffix("s") in table for word in words)


def decide_memory_layer(
    advice: MemoryLayerAdvice,
    *,
    requested_layer: str = "",
    is_captured: bool = False,
    is_written_by_agent: bool = False,
    ttl_ms: int | None = None,
    importance: float = 0.5,
) -> tuple[str, str]:
    """(layer, reason): where a memory is kept: ``working``, ``project`` or ``global``.

    ``requested_layer`` is what the user asked for, or empty. ``is_captured``: nobody asked for the
    memory; ``is_written_by_agent``: an agent wrote it. ``ttl_ms`` is its time to live, or None.
    Only a request or a tag puts a memory into the global layer, which every project reads.
    """
    if requested_layer in LAYERS:
        return requested_layer, "you said so"
    if advice.rule in ("layer", "tag"):
        return advice.layer, advice.reason
    if advice.layer == WORKING:
        return _settle_working(advice, is_captured, is_written_by_agent, ttl_ms, importance)
    if advice.layer == GLOBAL:
        return PROJECT, "nothing is kept for every project unless you say so with --layer global"
    return PROJECT, advice.reason


def _settle_working(
    advice: MemoryLayerAdvice, captured: bool, agent: bool, ttl_ms: int | None, importance: float
) -> tuple[str, str]:
    if (captured or agent) and ttl_ms is None and importance >= MIN_LASTING_IMPORTANCE:
        subject = "captured, and" if captured else "a note of an agent's,"
        return PROJECT, f"{subject} important enough to stay ({importance:g})"
    if captured:
        return WORKING, "it was captured automatically"
    if advice.rule == "ttl" and ttl_ms is not None and ttl_ms <= DAY:
        return WORKING, "it lives for a day at most"
    if advice.rule == "kind" and advice.kind == "scratchpad":
        return WORKING, advice.reason
    return PROJECT, "it is not surely temporary; --layer working keeps it for this session only"
