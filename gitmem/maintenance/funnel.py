"""Usage by agent: sessions, injections, questions and hits, memories, tool calls; and latencies."""

from gitmem.app import App
from gitmem.clock import DAY
from gitmem.maintenance.usage import store_pending_usage_counts
from gitmem.model.frozen import dataclass
from gitmem.store.session import usage
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity

# The longest wait for the write lock; counts that could not be added up are read as well.
PATIENCE_MS = 200
FOOT = (
    "saved: what compact answers omitted compared to full ones, and injections not repeated in a "
    "session.\nTokens are characters / 4. Counted in this store only; nothing is sent anywhere."
)


@dataclass(frozen=True, slots=True)
class AgentUsage:
    """How much one agent used gitmem; ``agent`` is empty for a person at a terminal.

    ``hits`` and ``search_hits`` are recalls and searches with an answer, ``hooks`` session hooks
    that ran, ``injections`` texts put into sessions unasked. Tokens are characters / 4:
    ``injected_tokens`` in all, ``session_tokens`` the average for a session, ``saved_tokens`` what
    compact answers and skipped repeats left out. ``call_ms`` is the average tool call in
    milliseconds.
    """

    agent: str
    sessions: int
    injections: int
    injected_tokens: int
    recalls: int
    hits: int
    searches: int
    search_hits: int
    stores: int
    tool_calls: int
    hooks: int
    saved_tokens: int
    session_tokens: int = 0
    call_ms: float = 0.0


def usage_by_agent(app: App, since_day_number: int) -> tuple[AgentUsage, ...]:
    """Return the usage of each agent since a day, the busiest agent first.

    ``since_day_number`` is a number of days since 1970, UTC.
    """
    folded = store_pending_usage_counts(app, max_wait_ms=PATIENCE_MS)
    counted = usage.usage_counts_since(app.store, since_day_number, include_log=not folded)
    started = usage.session_counts_by_agent(app.store, since_day_number * DAY)
    uses = [
        _use(agent, counted.get(agent, {}), started.get(agent, 0))
        for agent in sorted({*counted, *started})
    ]
    return tuple(sorted(uses, key=_busy, reverse=True))


def _use(agent: str, counted: dict[str, usage.Sums], started: int) -> AgentUsage:
    def event_count(event_name: str) -> int:
        return counted.get(event_name, (0, 0, 0))[0]

    sessions, calls = max(started, event_count("session")), event_count("tool_call")
    injected = counted.get("injection", (0, 0, 0))[1]
    return AgentUsage(
        agent=agent,
        sessions=sessions,
        injections=event_count("injection"),
        injected_tokens=injected,
        recalls=event_count("recall"),
        hits=event_count("hit"),
        searches=event_count("search"),
        search_hits=event_count("search_hit"),
        stores=event_count("store"),
        tool_calls=calls,
        hooks=event_count("hook"),
        saved_tokens=sum(saved for _, _, saved in counted.values()),
        session_tokens=round(injected / sessions) if sessions else 0,
        call_ms=round(event_count("tool_call_ms") / calls, 1) if calls else 0.0,
    )


def _busy(use: AgentUsage) -> int:
    return use.sessions + use.injections + use.recalls + use.searches + use.stores + use.tool_calls


def format_usage(usage_by_agent: tuple[AgentUsage, ...], since: str, project: str) -> str:
    """Return the usage as text: injected tokens, a paragraph for each agent, and a legend."""
    lines = [
        f"Usage since {since} (UTC):" if usage_by_agent else f"Nothing was counted since {since}."
    ]
    if injected := sum(use.injected_tokens for use in usage_by_agent):
        sessions = sum(use.sessions for use in usage_by_agent)
        lines.append(
            f"{injected:,} tokens injected into {quantity(sessions, 'session')} in "
            f"{one_line(project, 60)}"
        )
    for use in usage_by_agent:
        lines.append(one_line(use.agent, 60) or "person")
        lines += [f"  {name:<11} {text}" for name, text in _lines(use) if text]
    return "\n".join([*lines, FOOT])


def _lines(use: AgentUsage) -> list[tuple[str, str]]:
    """Name and text of each count; the text is empty for 0."""
    injected = f"{use.injections}, {use.injected_tokens:,} tokens"
    if use.session_tokens:
        injected += f" ({use.session_tokens:,} a session)"
    calls = _number(use.tool_calls)
    if use.call_ms:
        calls += f", {use.call_ms:,.0f} ms each"
    return [
        ("sessions", _number(use.sessions)),
        ("injections", injected if use.injections else ""),
        ("recalls", _rate(use.recalls, use.hits)),
        ("searches", _rate(use.searches, use.search_hits)),
        ("stores", _number(use.stores)),
        ("tool calls", calls),
        ("hooks", _number(use.hooks)),
        ("saved", f"{use.saved_tokens:,} tokens" if use.saved_tokens else ""),
    ]


def _number(count: int) -> str:
    return f"{count:,}" if count else ""


def _rate(questions: int, answered: int) -> str:
    return (
        f"{questions:,}, {answered:,} found something ({answered / questions:.0%})"
        if questions
        else ""
    )


_SHARES = (0.50, 0.95, 0.99)


@dataclass(frozen=True, slots=True)
class RecallLatency:
    """How many questions were asked, and within how many milliseconds 50, 95 and 99 % answered.

    Times are rounded up to a power of two.
    """

    count: int
    p50: int
    p95: int
    p99: int


def recall_latency_by_mode(app: App, since_day_number: int) -> dict[str, RecallLatency]:
    """Return search mode (hybrid, semantic, keyword) -> how long its recalls took since a day.

    ``since_day_number`` is a number of days since 1970, UTC. Modes not used are left out.
    """
    folded = store_pending_usage_counts(app, max_wait_ms=PATIENCE_MS)
    agents = usage.usage_counts_since(app.store, since_day_number, include_log=not folded).values()
    latencies = {}
    for mode in usage.MODES:
        counts = [
            sum(
                counted.get(usage.recall_duration_counter_name(mode, most), (0, 0, 0))[0]
                for counted in agents
            )
            for most in usage.AT_MOST_MS
        ]
        if any(counts):
            latencies[mode] = RecallLatency(
                sum(counts), *(_within(counts, share) for share in _SHARES)
            )
    return latencies


def _within(counts: list[int], share: float) -> int:
    """The time within which this share of the questions was answered."""
    share_of_all, count_so_far = share * sum(counts), 0
    for most, count in zip(usage.AT_MOST_MS, counts, strict=True):
        count_so_far += count
        if count_so_far >= share_of_all:
            return most
    return usage.AT_MOST_MS[-1]
