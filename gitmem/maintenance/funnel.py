"""What became of it: sessions, what was put into them, what was asked and found, what was kept."""

from gitmem.app import App
from gitmem.clock import DAY
from gitmem.maintenance.usage import fold
from gitmem.model.frozen import dataclass
from gitmem.store.session import usage
from gitmem.text.fence import one_line

# What a person at a screen may wait for the write lock; what could not be added up is read as well.
PATIENCE_MS = 200
FOOT = (
    "saved: what compact answers omitted compared to full ones, and injections not repeated in a "
    "session.\nTokens are characters / 4. Counted in this store only; nothing is sent anywhere."
)


@dataclass(frozen=True, slots=True)
class Use:
    """What one agent used; ``agent`` is empty for a person at a terminal.

    ``sessions`` are those started and known here, or the starts that hooks counted, whichever are
    more. ``hits`` and ``search_hits`` are the questions that something was found for. ``hooks`` are
    session hooks that ran. Tokens are characters / 4: ``injected_tokens`` went into sessions
    unasked, ``session_tokens`` of them into each on average; ``saved_tokens`` were left out by
    compact answers or not injected a second time. ``call_ms`` are the milliseconds that a tool call
    took on average.
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


def used(app: App, day: int) -> tuple[Use, ...]:
    """What each agent used since a day (since 1970, UTC), the busiest first."""
    folded = fold(app, wait_ms=PATIENCE_MS)
    counted = usage.since(app.store, day, more=not folded)
    started = usage.sessions(app.store, day * DAY)
    found = [
        _use(agent, counted.get(agent, {}), started.get(agent, 0))
        for agent in sorted({*counted, *started})
    ]
    return tuple(sorted(found, key=_busy, reverse=True))


def _use(agent: str, counted: dict[str, usage.Sums], started: int) -> Use:
    def many(what: str) -> int:
        return counted.get(what, (0, 0, 0))[0]

    sessions, calls = max(started, many("session")), many("tool_call")
    injected = counted.get("injection", (0, 0, 0))[1]
    return Use(
        agent=agent,
        sessions=sessions,
        injections=many("injection"),
        injected_tokens=injected,
        recalls=many("recall"),
        hits=many("hit"),
        searches=many("search"),
        search_hits=many("search_hit"),
        stores=many("store"),
        tool_calls=calls,
        hooks=many("hook"),
        saved_tokens=sum(saved for _, _, saved in counted.values()),
        session_tokens=round(injected / sessions) if sessions else 0,
        call_ms=round(many("tool_call_ms") / calls, 1) if calls else 0.0,
    )


def _busy(use: Use) -> int:
    return use.sessions + use.injections + use.recalls + use.searches + use.stores + use.tool_calls


def paragraphs(found: tuple[Use, ...], since: str, project: str) -> str:
    """What went into sessions in all, a paragraph for each agent, then what the numbers are."""
    lines = [f"Usage since {since} (UTC):" if found else f"Nothing was counted since {since}."]
    if injected := sum(use.injected_tokens for use in found):
        sessions = sum(use.sessions for use in found)
        lines.append(
            f"{injected:,} tokens injected into {sessions:,} sessions in {one_line(project, 60)}"
        )
    for use in found:
        lines.append(one_line(use.agent, 60) or "person")
        lines += [f"  {name:<11} {told}" for name, told in _lines(use) if told]
    return "\n".join([*lines, FOOT])


def _lines(use: Use) -> list[tuple[str, str]]:
    """Each count in words; empty where there is none."""
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


def _rate(asked: int, found: int) -> str:
    return f"{asked:,}, {found:,} found something ({found / asked:.0%})" if asked else ""
