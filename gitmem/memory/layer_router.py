"""Which layer a memory belongs to: what the rules advise, and what gitmem does with the advice.

``route`` is the router of CF-5 and CF-6: from what somebody said it names a layer, how sure it is,
and why. ``settled`` decides what follows from it. A memory that landed in a place nobody expects
costs more than one that stays in its project, so the advice is followed only where it is safe.
"""

from __future__ import annotations

from collections.abc import Iterable

from gitmem.clock import DAY
from gitmem.memory.lifecycle import KEPT_FROM
from gitmem.model import kinds
from gitmem.model.frozen import dataclass

WORKING, PROJECT, GLOBAL = LAYERS = ("working", "project", "global")

# In this order: the first tag of the table that a memory carries decides.
TAGS = (("temp", WORKING), ("global", GLOBAL), ("project", PROJECT))

# Name of a kind as it was given -> layer, how sure, why.
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

# What code looks like that is made to be used again; one of them is enough.
PATTERNS = (
    r"\b(?:def|fn|func|fun|function|sub)\s+\w+",
    r"\b(?:class|interface|trait|protocol|struct|module|enum)\s+\w+",
    r"\btype\s+\w+\s*=",
    r"\bexport\s+(?:default|const|let|var|function|class|type)\b",
    r"^\s*@\w+",
    r"\btemplate\s*<",
    r"/\*\*.*?\*/",
)
# Words in code that would be the same anywhere, and words of somebody's business.
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
class Route:
    """A layer, how sure the rules are (0 to 1) and why. ``rule`` names the rule that decided.

    Rules are ``layer``, ``tag``, ``ttl``, ``kind``, ``code`` and ``default``; ``kind`` is the
    canonical kind, or the name as given where there is none.
    """

    layer: str
    confidence: float
    reason: str
    rule: str
    kind: str


def route(
    kind: str,
    tags: Iterable[str] = (),
    *,
    layer: str = "",
    has_ttl: bool = False,
    content: str = "",
    session: str = "",
) -> Route:
    """The layer for what was said (CF-5, CF-6); never fails.

    ``kind`` is the name as it was given, before aliases become their canonical kinds. ``layer`` is
    empty where none was said. ``session`` is the session that it was said to belong to, not just
    the one that happens to run.
    """
    named = kind.strip().lower().replace("-", "_").replace(" ", "_")
    canonical = kinds.canonical(kind) or named
    if layer in LAYERS:
        return Route(layer, 1.0, "the layer was given", "layer", canonical)
    carried = {tag.strip().lower() for tag in tags}
    for tag, place in TAGS:
        if tag in carried:
            return Route(place, 0.95, f"tagged {tag}", "tag", canonical)
    if has_ttl:
        return Route(WORKING, 0.90, "it has a time to live", "ttl", canonical)
    found = KINDS.get(named) or KINDS.get(canonical)
    if found is not None:
        return Route(*found, "kind", canonical)
    if canonical == "code":
        return Route(*_of_code(content, session), "code", canonical)
    return Route(PROJECT, 0.60, "no other rule applies", "default", canonical)


def _of_code(content: str, session: str) -> tuple[str, float, str]:
    if looks_reusable(content):
        generic, business = hits(content)
        if generic >= business:
            told = f"{generic} generic words, {business} business words"
            return GLOBAL, 0.85, f"it looks like a reusable pattern ({told})"
    if session:
        return WORKING, 0.75, "code that belongs to a session"
    return PROJECT, 0.70, "code of this project"


def looks_reusable(content: str) -> bool:
    """Whether code defines something that could be used again."""
    import re  # noqa: PLC0415 - only for code

    return any(re.search(sign, content, re.MULTILINE | re.DOTALL) for sign in PATTERNS)


def hits(content: str) -> tuple[int, int]:
    """How many words of code are generic ones, and how many those of a business.

    Names count by their parts: ``parseInvoice`` has one of each; ``border`` holds no ``order``.
    """
    from gitmem.text import identifiers  # noqa: PLC0415 - only for code

    words = identifiers.split(content)
    return _among(words, GENERIC), _among(words, BUSINESS)


def _among(words: list[str], table: frozenset[str]) -> int:
    return sum(word in table or word.removesuffix("s") in table for word in words)


def settle(
    advice: Route,
    *,
    explicit: str = "",
    captured: bool = False,
    agent: bool = False,
    ttl_ms: int | None = None,
    importance: float = 0.5,
) -> tuple[str, str]:
    """The layer that a memory goes to, and why.

    ``explicit`` is the layer or scope that was said, empty where none was; ``captured`` is what
    nobody asked to keep, ``agent`` what an agent says. Working memory is for
    what is meant to pass; the user's own store, which every project reads, is only for what was
    said to belong there.
    """
    if explicit in LAYERS:
        return explicit, "you said so"
    if advice.rule in ("layer", "tag"):
        return advice.layer, advice.reason
    if advice.layer == WORKING:
        return _settled_working(advice, captured, agent, ttl_ms, importance)
    if advice.layer == GLOBAL:
        return PROJECT, ("nothing is kept for every project unless you say so with --layer global")
    return PROJECT, advice.reason


def _settled_working(
    advice: Route, captured: bool, agent: bool, ttl_ms: int | None, importance: float
) -> tuple[str, str]:
    if (captured or agent) and ttl_ms is None and importance >= KEPT_FROM:
        said = "captured, and" if captured else "a note of an agent's,"
        return PROJECT, f"{said} important enough to stay ({importance:g})"
    if captured:
        return WORKING, "it was captured automatically"
    if advice.rule == "ttl" and ttl_ms is not None and ttl_ms <= DAY:
        return WORKING, "it lives for a day at most"
    if advice.rule == "kind" and advice.kind == "scratchpad":
        return WORKING, advice.reason
    return PROJECT, ("it is not surely temporary; --layer working keeps it for this session only")
