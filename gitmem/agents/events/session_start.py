"""The orientation at the start of an agent's session, and again after its context was lost.

Each session gets it once, however many hook files ask. Within a session it always covers the same
stretch of time, and the same state gives the same bytes: hosts cache prompts, and a model that lost
its context needs what it knew at the beginning.
"""

from contextlib import suppress

from gitmem.agents.events import record, responses, session_claim, session_state
from gitmem.agents.events.hook_event import HookEvent
from gitmem.agents.hosts import registry
from gitmem.app import App
from gitmem.assembly import orientation
from gitmem.assembly.orientation import Orientation
from gitmem.clock import HOUR
from gitmem.errors import GitmemError
from gitmem.maintenance import usage
from gitmem.model.frozen import replace
from gitmem.text.fence import fence_text
from gitmem.timeline import command_output
from gitmem.timeline.orientation_sections import OrientationFacts
from gitmem.timeline.visits import WorktreeVisit

CEILING = 6_000  # characters, whatever the host takes
SNAPSHOT = 2_400  # of these at most, for the state of the work before a compaction
LEAST_BUDGET = 60
# A text in a system prompt keeps its time, for the cache, but not for so long that it misleads.
SAME_CLOCK_MS = 12 * HOUR


def answer_session_start(
    app: App, hook_event: HookEvent, *, replaces_missed_start: bool = False
) -> str:
    """The orientation: the text that a session is given first; empty if another call gave it.

    It is marked as data, and within the limit of the agent program. ``replaces_missed_start``: the
    session's start was not answered in time, so the text is given although that call may still be
    at work. Also records that the session began or was resumed. Raises GitmemError.
    """
    folder, key = session_claim.session_state_folder_and_key(app, hook_event)
    claim_name, interval_ms = session_claim.start_claim_name_and_interval(hook_event)
    store, state = app.store, session_state.load_session_texts(folder, key)
    prepared = orientation.prepare_orientation(
        app,
        _read_visit(state),
        _same_clock(app, hook_event, state),
        # Only a session with a state can have been compacted.
        record.find_stored_session(app, store, hook_event, only_running=True) if state else None,
        hook_event.session
        if session_claim.has_session_id(hook_event) and hook_event.source != "compact"
        else "",
    )
    text, shown = _fit(
        app, hook_event, prepared, session_state.quoted_text_delimiter(folder, key, app.entropy)
    )
    blind = hook_event.event == "session-start"
    first = session_state.acquire_claim(
        folder, key, claim_name, app.now, interval_ms=interval_ms, result_if_unwritable=blind
    )
    if not (first or replaces_missed_start):
        return ""
    if claim_name != "start":
        session_state.forget_shown_ids(folder, key)
    # The lines as well: they may come back in the output of a command.
    session_state.record_shown_ids(folder, key, [*shown, *command_output.hash_long_lines(text)])
    tokens = usage.estimate_tokens_by_length(text)
    session_state.save_session_texts(folder, key, _next_state(app, prepared.facts, state, tokens))
    if not store.read_only:
        record.record_session_start(app, hook_event)
    # Without waiting: if this fails, the next orientation just covers a longer stretch.
    orientation.record_visit(app, prepared, wait_ms=0)
    usage.record_usage_event(app, "injection", tokens=tokens)
    if not state:
        usage.record_usage_event(app, "session")
    return text


def _same_clock(app: App, hook_event: HookEvent, state: dict[str, str]) -> str:
    """The clock line of this session's first orientation if it must not change, else empty."""
    first = state.get("at", "")
    keeps = registry.find_host(hook_event.agent).session.keeps_text_in_system_prompt
    if not keeps or not first.isdecimal():
        return ""
    return state.get("clock", "") if 0 <= app.now - int(first) < SAME_CLOCK_MS else ""


def _fit(
    app: App, hook_event: HookEvent, orientation: Orientation, delimiter: str
) -> tuple[str, list[str]]:
    """The framed text within the limits, and the ids of the memories that it shows."""
    budget = orientation.budget
    most = responses.max_output_size(hook_event.agent)
    snapshot = "\n\n".join(
        filter(None, (_explain_missing_tools(app, hook_event), _read_snapshot(app, hook_event)))
    )
    while True:
        body = orientation.pack_to_budget(budget).text
        whole = f"{snapshot}\n\n{body}" if snapshot else body
        text = fence_text(whole, source="gitmem orient", delimiter=delimiter)
        over = max(len(text) / CEILING, responses.answer_size(hook_event, text) / most)
        if over <= 1:
            return text, _shown_ids(orientation.facts, body)
        if budget > LEAST_BUDGET:
            # A little less than in proportion: the frame itself does not shrink.
            budget = max(LEAST_BUDGET, min(budget - 20, int(budget / over * 0.95)))
        elif snapshot:
            snapshot = ""
        else:
            return text, _shown_ids(orientation.facts, body)  # cut when it is said


def _explain_missing_tools(app: App, hook_event: HookEvent) -> str:
    """A hint if gitmem's tools are set up in the main worktree but not in this linked one."""
    if not app.layout.linked or app.layout.worktree is None:
        return ""
    import sys  # noqa: PLC0415 - in linked worktrees only

    from gitmem.agents.hosts import host_paths  # noqa: PLC0415 - as above
    from gitmem.agents.hosts.host import MCP, PROJECT, USER  # noqa: PLC0415 - as above

    host, root = registry.find_host(hook_event.agent), app.layout.worktree
    bases = host_paths.PathTemplateFolders(
        sys.platform, app.settings.home, root, app.settings.environment
    )

    def config_names_server(project: str, scope: str) -> bool:
        files = host_paths.all_files_of_setup_part(
            replace(bases, project=project), host, MCP, scope
        )
        texts = [_read_beginning(path) for path in files]
        # The name of an entry, not an item in a list of allowed tools.
        return any(b'"gitmem":' in content or b"mcp_servers.gitmem" in content for content in texts)

    if (
        not config_names_server(app.layout.store_root, PROJECT)
        or config_names_server(root, PROJECT)
        or config_names_server(root, USER)
    ):
        return ""
    return (
        f"gitmem's tools are not set up for {host.title} in this worktree. A person can run "
        f"`gitmem setup {host.name}` here; until then `gitmem recall QUERY` in a shell answers."
    )


def _read_beginning(path: str) -> bytes:
    from gitmem.files.plain_file import open_regular_file  # noqa: PLC0415 - in linked worktrees only

    with suppress(OSError), open_regular_file(path) as file:
        return file.read(1 << 20)
    return b""


def _read_snapshot(app: App, hook_event: HookEvent) -> str:
    if hook_event.source != "compact":
        return ""
    from gitmem.agents.events import compaction  # noqa: PLC0415 - after a compaction only

    room = min(SNAPSHOT, responses.max_output_size(hook_event.agent) // 3)
    lines, room_left, text = [], room, ""
    with suppress(GitmemError):
        text = compaction.latest_work_summary(app, hook_event).strip()
    for line in text.split("\n"):
        room_left -= len(line) + 1
        if room_left < 0:
            break
        lines.append(line)
    return "\n".join(lines)


def _shown_ids(facts: OrientationFacts, body: str) -> list[str]:
    groups = (
        *(facts.pinned, facts.open_decisions, facts.added, facts.changed),
        *(facts.conventions, facts.decisions),
    )
    return [
        memory.id for group in groups for memory in group if f"[{facts.handles(memory.id)} " in body
    ]


def _next_state(
    app: App, facts: OrientationFacts, before: dict[str, str], tokens: int
) -> dict[str, str]:
    """The state that this session's next orientation needs."""
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


def _read_visit(state: dict[str, str]) -> WorktreeVisit | None:
    """The visit that this session began with; None for a new session."""
    gap, since = state.get("gap", "0"), state.get("since", "0")
    whole = all(
        number == "" or (number.isdecimal() and len(number) < 16) for number in (gap, since)
    )
    if not (state.get("clock") and whole):
        return None
    return WorktreeVisit(
        first=not gap,
        just_here=False,
        gap_ms=int(gap) if gap else None,
        since=int(since) if since else None,
        since_head=state.get("head", ""),
        since_branch=state.get("branch", ""),
        elsewhere=state.get("elsewhere", ""),
    )
