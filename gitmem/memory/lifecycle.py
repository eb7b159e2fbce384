"""How long a memory lives: when it ends, how its use postpones the end, its decay score. Pure.

A memory that a person or an agent asked for has no end unless one was given. Captured memories,
agents' working notes and the working layer end by themselves. Each use postpones the end by half of
the first time to live, and the fifth use removes it, unless the end is fixed; half and five are
settings. Memories without an end fade when nobody uses them. ``store.memory.expiry`` has the same
rules as SQL.
"""

from __future__ import annotations

from math import exp

from gitmem.clock import DAY
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory

TYPE_CHECKING = False  # importing typing costs 4 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from gitmem.store.memory.decay_candidates import MemoryDecayRow

CAPTURED_MS = DAY
MIN_LASTING_IMPORTANCE = 0.8
ACCESSES_TO_STAY = 5
EXTENSION_FRACTION = 0.5
DECAY_DAYS = 14.0
_SPARED_KINDS = ("decision", "convention", "skill")


def ttl_and_expiry(
    *,
    now_ms: int,
    requested_ttl_ms: int | None,
    is_captured: bool,
    layer: str,
    kind: str,
    importance: float,
    working_ttl_ms: int,
    captured_ttl_ms: int = CAPTURED_MS,
    min_lasting_importance: float = MIN_LASTING_IMPORTANCE,
    has_fixed_lifetime: bool = False,
) -> tuple[int | None, int | None]:
    """(ttl_ms, expires_at) of a new memory: milliseconds to live, and the time of its end.

    None: it never ends. ``requested_ttl_ms`` is what the user gave, or None. ``is_captured``:
    nobody asked for the memory; then it ends after ``captured_ttl_ms``, unless its importance is at
    least ``min_lasting_importance``, or it is a decision, convention or skill.
    ``has_fixed_lifetime``: ``ttl_ms`` is None, so that reading the memory does not postpone its
    end.
    """
    if requested_ttl_ms is not None:
        return (None if has_fixed_lifetime else requested_ttl_ms), now_ms + requested_ttl_ms
    if is_captured:
        lasts = importance >= min_lasting_importance or kind in _SPARED_KINDS
        return (None, None) if lasts else (captured_ttl_ms, now_ms + captured_ttl_ms)
    return (working_ttl_ms, now_ms + working_ttl_ms) if layer == "working" else (None, None)


def is_expiry_postponed_by_use(memory: Memory) -> bool:
    """Whether each reading of a memory postpones its end: it has an end, and a time to live."""
    return memory.ttl_ms is not None and memory.expires_at is not None


def has_enough_accesses_to_stay(
    memory: Memory, accesses: int, min_accesses: int = ACCESSES_TO_STAY
) -> bool:
    """Whether a memory with an end was read so often, ``min_accesses`` times, that it stays."""
    return is_expiry_postponed_by_use(memory) and accesses >= min_accesses


def effective_expiry(
    memory: Memory,
    accesses: int,
    accesses_to_stay: int = ACCESSES_TO_STAY,
    extension_fraction: float = EXTENSION_FRACTION,
) -> int | None:
    """When a memory ends after it was read ``accesses`` times (ms since 1970); None: never.

    Each reading adds the fraction ``extension_fraction`` of its time to live; reading number
    ``accesses_to_stay`` removes the end.
    """
    if (
        memory.expires_at is None
        or memory.pinned
        or has_enough_accesses_to_stay(memory, accesses, accesses_to_stay)
    ):
        return None
    if not is_expiry_postponed_by_use(memory) or memory.ttl_ms is None:
        return memory.expires_at
    return memory.expires_at + int(memory.ttl_ms * extension_fraction) * accesses


def promote_from_working_layer(memory: Memory) -> Memory:
    """A copy of the memory without an end, in its project instead of the working layer."""
    return replace(memory, layer="", ttl_ms=None, expires_at=None)


def move_to_layer(
    memory: Memory, layer: str, *, project: str, now_ms: int, working_ttl_ms: int
) -> Memory:
    """A copy of the memory in another layer: ``working``, ``project`` or ``global``.

    ``project`` is the key of the current project. In the working layer the memory ends
    ``working_ttl_ms`` after ``now_ms``, and reading it does not postpone that.
    """
    scope = "global" if layer == "global" else "project"
    if memory.scope != scope:
        memory = replace(memory, scope=scope, project="" if scope == "global" else project)
    if layer == "working":
        if memory.layer == "working":
            return memory
        return replace(memory, layer="working", ttl_ms=None, expires_at=now_ms + working_ttl_ms)
    return (
        promote_from_working_layer(memory)
        if memory.layer == "working" or is_expiry_postponed_by_use(memory)
        else memory
    )


def decay_score(age_ms: int, idle_ms: int, accesses: int, decay_days: float = DECAY_DAYS) -> float:
    """The decay score of a memory, 0 to 1.5: higher for a young and often used memory.

    It is ``0.3 e^(-age / 2D) + 0.7 e^(-idle / D) + min(accesses / 10, 0.5)``, where D is
    ``decay_days``. Negative times, which come from a clock that was put back, count as 0.
    """
    length = decay_days * DAY
    age, idle = max(age_ms, 0), max(idle_ms, 0)
    return (
        0.3 * exp(-age / (2 * length)) + 0.7 * exp(-idle / length) + min(max(accesses, 0) / 10, 0.5)
    )


def age_and_idle_ms(
    memory: Memory | MemoryDecayRow, last_access_ms: int | None, now_ms: int
) -> tuple[int, int]:
    """The age of a memory, and the time since it was last read or edited, in milliseconds.

    ``last_access_ms`` is when it was last read, None if never.
    """
    touched = max(memory.created_at, memory.updated_at, last_access_ms or 0)
    return max(now_ms - memory.created_at, 0), max(now_ms - touched, 0)


def memory_decay_score(
    memory: Memory | MemoryDecayRow,
    accesses: int,
    last_access_ms: int | None,
    now_ms: int,
    decay_days: float = DECAY_DAYS,
) -> float:
    """The ``decay_score`` of a memory that was read ``accesses`` times, last at ``last_access_ms``.

    A memory that is marked as wrong gets half of that score.
    """
    left = decay_score(*age_and_idle_ms(memory, last_access_ms, now_ms), accesses, decay_days)
    if '"feedback"' not in memory.metadata:
        return left
    from gitmem.memory import feedback  # noqa: PLC0415 - few memories have any

    return left * feedback.DOUBTED_LIFE if feedback.read_feedback(memory.metadata).doubted else left


def steps_until_archived(
    memory: MemoryDecayRow,
    now_ms: int,
    decay_days: float,
    threshold: float,
    step_ms: int,
    max_steps: int,
) -> int | None:
    """How many steps of ``step_ms`` until an unused memory's decay score is below ``threshold``.

    Time starts at ``now_ms``. None if it stays above for ``max_steps`` steps, or is never archived
    for its score. ``decay_days`` as in ``decay_score``.
    """
    if reason_never_archived(memory):
        return None

    def is_decayed(step: int) -> bool:
        at = now_ms + step * step_ms
        return (
            memory_decay_score(memory, memory.accesses, memory.last_at, at, decay_days) < threshold
        )

    # A score only falls with time, and nearly every memory outlasts the last step.
    return (
        next(filter(is_decayed, range(1, max_steps + 1)), None) if is_decayed(max_steps) else None
    )


def reason_never_archived(memory: Memory | MemoryDecayRow) -> str:
    """Why a memory is never archived for its decay score, such as ``pinned``; else empty."""
    if memory.state in ("archived", "superseded"):
        return memory.state
    if memory.state == "proposed":
        return "waits for consent"
    if memory.pinned:
        return "pinned"
    if memory.kind in _SPARED_KINDS:
        return memory.kind
    if memory.importance >= MIN_LASTING_IMPORTANCE:
        return f"importance {memory.importance:g}"
    return "expires anyway" if memory.expires_at is not None else ""
