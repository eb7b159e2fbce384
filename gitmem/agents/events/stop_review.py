"""What an agent hears that is about to end: what its diff contradicts, once in a session.

Nothing is looked at unless it edited a file since the last look.
"""

from __future__ import annotations

from gitmem.agents.events import messages, record, session_claim, session_state
from gitmem.agents.events.hook_event import HookEvent
from gitmem.app import App
from gitmem.maintenance import usage

STATED, LOOKED = "contradicted", "reviewed"
_EVERY_MS = 60_000  # a turn may end every few seconds
_SECONDS = 1.0
_TOKENS = 140  # of the lines: with their frame they stay below 200
_WIDTH = 220
_HEAD = (
    "Before you end: this change goes against what the project decided. Mend it, or say why not."
)


def answer_stop(app: App, hook_event: HookEvent) -> str:
    """The text for a model about to end: where its changes break decisions or patterns of the code.

    At most once in a session; empty if there is nothing to say.
    """
    folder, key = session_claim.session_state_folder_and_key(app, hook_event)
    if hook_event.subagent or hook_event.continued or app.layout.plain:
        return ""
    is_due = session_state.is_claim_available(folder, key, LOOKED, app.now, interval_ms=_EVERY_MS)
    if not is_due or not session_state.is_claim_available(folder, key, STATED, app.now):
        return ""
    if not session_state.release_claim(folder, key, session_state.EDITED):
        return ""
    session_state.acquire_claim(folder, key, LOOKED, app.now, interval_ms=_EVERY_MS)
    hook = messages.open_hook_context(app, hook_event)
    if hook is None:
        return ""
    # Imported here: this runs once a minute at most.
    from gitmem.git import history  # noqa: PLC0415
    from gitmem.git.display import display_path  # noqa: PLC0415
    from gitmem.review import review, reviewed_diff  # noqa: PLC0415
    from gitmem.text.fence import one_line  # noqa: PLC0415

    # Also one whose end is noted: some hosts end a session with each turn.
    session = record.find_stored_session(app, hook.database, hook_event)
    # Of a session that no drain has stored yet, what it noted first.
    noted = (note.commit for note in record.unstored_session_events(app, hook_event))
    start = session.head_start if session is not None else next(filter(None, noted), "")
    begin = start if start and history.resolve_commit(app.layout.cwd, start) else ""
    lines = [_HEAD]
    for finding in review.find_broken_rules(app, reviewed_diff.read_git_diff(app, begin), _SECONDS):
        line = one_line(f"{display_path(finding.path)}:{finding.line}: {finding.message}", _WIDTH)
        if usage.estimate_tokens_by_length("\n".join([*lines, line])) > _TOKENS:
            break
        lines.append(line)
    if len(lines) == 1 or not session_state.acquire_claim(folder, key, STATED, app.now):
        return ""
    return messages.quote_as_data(hook, lines)
