"""The orientation that a session of an agent begins with, and has again when its context is gone.

Told once for each session, however many files of hosts ask for it. Within a session the same
stretch of time is told each time, and the same state gives the same bytes: hosts keep prompts in a
cache, and a model that lost its context wants to know what it knew at the beginning.
"""

from contextlib import suppress

from gitmem.agents.events import record, responses, session_claim, session_state
from gitmem.agents.events.hook_event import Moment
from gitmem.agents.hosts import registry
from gitmem.app import App
from gitmem.assembly import orientation
from gitmem.assembly.orientation import Orientation
from gitmem.clock import HOUR
from gitmem.errors import GitmemError
from gitmem.maintenance import usage
from gitmem.model.frozen import replace
from gitmem.text.fence import frame
from gitmem.timeline import command_output
from gitmem.timeline.orientation_sections import Facts
from gitmem.timeline.visits import Visit

CEILING = 6_000  # characters, whatever the host takes
SNAPSHOT = 2_400  # of them, at most, for what was going on before a compaction
LEAST_BUDGET = 60
# A text in a system prompt keeps its clock, for the cache; but it must not tell a wrong day.
SAME_CLOCK_MS = 12 * HOUR


def start(app: App, moment: Moment, *, instead: bool = False) -> str:
    """The orientation, framed as data and inside the host's cap; empty if another was quicker.

    ``instead`` of a start that will not tell it: whatever that one claims meanwhile, this one
    tells. Notes that the session began or goes on. Raises GitmemError.
    """
    folder, key = session_claim.claimant(app, moment)
    what, every = session_claim.claimed_as(moment)
    store, state = app.store, session_state.kept(folder, key)
    told = orientation.prepare(
        app,
        _visit(state),
        _same_clock(app, moment, state),
        # Where it was told something before: it may be compacted since.
        record.session_of(app, store, moment, running=True) if state else None,
        moment.session if session_claim.has_id(moment) and moment.source != "compact" else "",
    )
    text, shown = _fitting(app, moment, told, session_state.delimiter(folder, key, app.entropy))
    blind = moment.event == "session-start"
    first = session_state.claim(folder, key, what, app.now, every=every, blind=blind)
    if not (first or instead):
        return ""
    if what != "start":
        session_state.forget(folder, key)
    # The lines, too: what comes back in an output is nothing new.
    session_state.tell(folder, key, [*shown, *command_output.marks(text)])
    tokens = usage.tokens(text)
    session_state.keep(folder, key, _state(app, told.facts, state, tokens))
    if not store.read_only:
        record.started(app, moment)
    # Not for a moment waited: else the next orientation just tells a longer stretch.
    orientation.note_presence(app, told, wait_ms=0)
    usage.note(app, "injection", tokens=tokens)
    if not state:
        usage.note(app, "session")
    return text


def _same_clock(app: App, moment: Moment, state: dict[str, str]) -> str:
    """The clock line that this session was told before, where it has to be told again."""
    first = state.get("at", "")
    keeps = registry.find(moment.agent).session.keeps_text_in_system_prompt
    if not keeps or not first.isdecimal():
        return ""
    return state.get("clock", "") if 0 <= app.now - int(first) < SAME_CLOCK_MS else ""


def _fitting(app: App, moment: Moment, told: Orientation, delimiter: str) -> tuple[str, list[str]]:
    """The framed text within all limits, and the ids of the memories that it shows."""
    budget = told.budget
    most = responses.cap(moment.agent, moment.event)
    snapshot = "\n\n".join(filter(None, (_without_tools(app, moment), _snapshot(app, moment))))
    while True:
        body = told.pack(budget).text
        whole = f"{snapshot}\n\n{body}" if snapshot else body
        text = frame(whole, source="gitmem orient", delimiter=delimiter)
        over = max(len(text) / CEILING, responses.size(moment, text) / most)
        if over <= 1:
            return text, _shown(told.facts, body)
        if budget > LEAST_BUDGET:
            # A little less than in proportion: the frame itself does not shrink.
            budget = max(LEAST_BUDGET, min(budget - 20, int(budget / over * 0.95)))
        elif snapshot:
            snapshot = ""
        else:
            return text, _shown(told.facts, body)  # cut when it is said


def _without_tools(app: App, moment: Moment) -> str:
    """That an agent lacks in a linked worktree the tools that it has in the main one."""
    if not app.layout.linked or app.layout.worktree is None:
        return ""
    import sys  # noqa: PLC0415 - in linked worktrees only

    from gitmem.agents.hosts import host_paths  # noqa: PLC0415 - as above
    from gitmem.agents.hosts.host import MCP, PROJECT, USER  # noqa: PLC0415 - as above

    host, root = registry.find(moment.agent), app.layout.worktree
    bases = host_paths.Bases(sys.platform, app.settings.home, root, app.settings.environment)

    def named(project: str, scope: str) -> bool:
        there = host_paths.all_places(replace(bases, project=project), host, MCP, scope)
        begun = [_start_of(path) for path in there]
        # An entry's name, not one in a list of what is allowed.
        return any(b'"gitmem":' in one or b"mcp_servers.gitmem" in one for one in begun)

    if not named(app.layout.store_root, PROJECT) or named(root, PROJECT) or named(root, USER):
        return ""
    return (
        f"gitmem's tools are not set up for {host.title} in this worktree. A person can run "
        f"`gitmem setup {host.name}` here; until then `gitmem recall QUERY` in a shell answers."
    )


def _start_of(path: str) -> bytes:
    from gitmem.files.plain_file import open_plain  # noqa: PLC0415 - in linked worktrees only

    with suppress(OSError), open_plain(path) as file:
        return file.read(1 << 20)
    return b""


def _snapshot(app: App, moment: Moment) -> str:
    if moment.source != "compact":
        return ""
    from gitmem.agents.events import compaction  # noqa: PLC0415 - after a compaction only

    room = min(SNAPSHOT, responses.cap(moment.agent, moment.event) // 3)
    lines, left, kept = [], room, ""
    with suppress(GitmemError):
        kept = compaction.again(app, moment).strip()
    for line in kept.split("\n"):
        left -= len(line) + 1
        if left < 0:
            break
        lines.append(line)
    return "\n".join(lines)


def _shown(facts: Facts, body: str) -> list[str]:
    groups = (
        *(facts.pinned, facts.open_decisions, facts.added, facts.changed),
        *(facts.conventions, facts.decisions),
    )
    return [one.id for group in groups for one in group if f"[{facts.handles(one.id)} " in body]


def _state(app: App, facts: Facts, before: dict[str, str], tokens: int) -> dict[str, str]:
    """What the same session's next orientation has to know."""
    if before.get("clock"):
        return before | {"tokens": str(tokens)}
    visit = facts.visit
    return {
        "at": str(app.now),
        "clock": facts.clock,
        "tokens": str(tokens),
        "gap": "" if visit.gap_ms is None else str(visit.gap_ms),
        "since": "" if visit.since is None else str(visit.since),
        "head": visit.since_head,
        "branch": visit.since_branch,
        "elsewhere": visit.elsewhere,
    }


def _visit(state: dict[str, str]) -> Visit | None:
    """The visit that this session began with; None for a new session."""
    gap, since = state.get("gap", "0"), state.get("since", "0")
    whole = all(one == "" or (one.isdecimal() and len(one) < 16) for one in (gap, since))
    if not (state.get("clock") and whole):
        return None
    return Visit(
        first=not gap,
        just_here=False,
        gap_ms=int(gap) if gap else None,
        since=int(since) if since else None,
        since_head=state.get("head", ""),
        since_branch=state.get("branch", ""),
        elsewhere=state.get("elsewhere", ""),
    )
