"""Answering an event of an agent's session, and recording the event.

Nothing here waits: a store that another process holds counts as absent.
"""

from contextlib import suppress

from gitmem.agents.events import responses, session_state
from gitmem.agents.events.brief_store import open_store_with_short_timeout
from gitmem.agents.events.hook_event import HookEvent
from gitmem.agents.events.session_claim import (
    TOGETHER_MS,
    session_state_folder_and_key,
    start_claim_name_and_interval,
)
from gitmem.agents.hosts import registry
from gitmem.agents.hosts.host import HostSessionBehaviour
from gitmem.app import App
from gitmem.errors import GitmemError, UntrustedStore
from gitmem.maintenance import usage
from gitmem.model.frozen import replace

COMPACTED = "compacted"
# BEGINNING is claimed while a session's start is answered; LATE records that a prompt answered
# instead of a start that had not.
BEGINNING, LATE = "beginning", "late"
# Claimed at a start whose host takes no text: the orientation comes with the first prompt.
AWAITED = "awaited"
_STARTS = frozenset({"session-start", "pre-invocation"})


def answer_event(app: App, hook_event: HookEvent) -> str:
    """The text to give to the model at an event of its session; empty for none.

    Also records the event. Raises ForeignFile, before anything else is done, if the repository's
    memory database is not the user's own, and GitmemError.
    """
    # First find the repository: its settings cannot be read before.
    if not app.has_store:
        return _report_lost_store(app, hook_event)
    if not app.settings.number("hooks.enabled"):
        return ""
    # Before anything is noted: folders of a store that was cloned may be links to anywhere.
    app.refuse_tracked_store()
    try:
        if not app.is_registered_folder:
            open_store_with_short_timeout(app)
            if not app.settings.number("hooks.enabled"):  # the store's settings count from here on
                return ""
        text = _text(app, hook_event)
    except UntrustedStore as error:
        # One sentence at the start of a session, then silence: nothing is noted in such a store.
        if not _is_heard_start(hook_event):
            return ""
        return _sentence(app, f"{error.message} A person can look at it: `gitmem trust --store`.")
    usage.record_usage_event(app, "hook")
    return text


def _report_lost_store(app: App, hook_event: HookEvent) -> str:
    """At a session's start: how to bring back a store that was deleted."""
    if not _is_heard_start(hook_event) or not app.settings.number("hooks.enabled"):
        return ""
    from gitmem.maintenance import lost_store  # noqa: PLC0415 - nearly always a store is there

    return _sentence(app, lost_store.describe_missing_store(app))


def _is_heard_start(hook_event: HookEvent) -> bool:
    """Whether this is the start of a session, in a host that takes text there."""
    return hook_event.event in _STARTS and responses.hook_text_reaches_model(hook_event)


def _sentence(app: App, text: str) -> str:
    """A sentence in place of the orientation, framed as data; empty for an empty text."""
    from gitmem.text.fence import fence_text, one_line  # noqa: PLC0415 - nearly always a store is there

    sentence = one_line(text, 600)
    return (
        fence_text(sentence, source="gitmem orient", delimiter=app.entropy(8).hex())
        if sentence
        else ""
    )


def may_print_answer(app: App, hook_event: HookEvent) -> bool:
    """Whether this hook call may print its answer; to be asked once, right before printing.

    False only for the start of a session whose answer came so late that the first prompt has
    already got that answer in its place.
    """
    if hook_event.event != "session-start" or not app.has_store:
        return True
    folder, key = session_state_folder_and_key(app, hook_event)
    if session_state.release_claim(folder, key, BEGINNING):
        return True
    return session_state.is_claim_available(folder, key, LATE, app.now, interval_ms=TOGETHER_MS)


def start_due_maintenance(app: App, hook_event: HookEvent) -> None:
    """Start regular maintenance in the background if it is due and a session has just begun."""
    if hook_event.event == "session-start" and app.already_open_store is not None:
        from gitmem.maintenance import schedule  # noqa: PLC0415 - for the first moment only

        app.reads_index = True  # the agent will ask
        with suppress(GitmemError):
            schedule.start_background_work_if_due(app, at_session_start=True)


def _text(app: App, hook_event: HookEvent) -> str:
    # Each event imports only what it needs: `prompt` runs at every prompt.
    event = hook_event.event
    if event == "pre-compact":
        return _note_compaction(app, hook_event)
    if event in ("stop", "session-end"):
        record_turn_or_session_end(app, hook_event)
        if event == "stop" and responses.hook_text_reaches_model(hook_event):
            from gitmem.agents.events import stop_review  # noqa: PLC0415

            return stop_review.answer_stop(app, hook_event)
        return ""
    if responses.is_hook_text_deferred(hook_event):
        if text := _answer_event(app, hook_event):
            session_state.defer_text(*session_state_folder_and_key(app, hook_event), text)
        return ""
    first = _orientation(app, hook_event)
    if event == "prompt" and registry.find_host(hook_event.agent).reply.heard_later:
        later = session_state.take_deferred_text(*session_state_folder_and_key(app, hook_event))
        first = _join_texts(hook_event, first, later) if first else later
    if not first:
        return _answer_event(app, hook_event)
    # It counts as given by now: an error in the rest must not lose it.
    with suppress(GitmemError):
        return _join_texts(hook_event, first, _answer_event(app, hook_event))
    return first


def _orientation(app: App, hook_event: HookEvent) -> str:
    """The orientation, once for each session and again after a compaction; else empty."""
    folder, key = session_state_folder_and_key(app, hook_event)
    if not responses.hook_text_reaches_model(hook_event):
        if hook_event.event in _STARTS and _session_traits(hook_event).oriented_at_first_prompt:
            session_state.acquire_claim(folder, key, AWAITED, app.now)
        if hook_event.event in _STARTS:
            from gitmem.agents.events import record  # noqa: PLC0415 - for few hosts

            record.record_session_start(app, hook_event)
        return ""
    if hook_event.event in _STARTS and not session_state.is_claim_available(
        folder, key, AWAITED, app.now
    ):
        return ""  # the hook file of another host, whose answer this host ignores
    instead = False
    if hook_event.event not in _STARTS:
        if session_state.release_claim(folder, key, COMPACTED):
            hook_event = replace(hook_event, source="compact")
        elif hook_event.event == "prompt" and _take_over_start(folder, key, app.now):
            # The start hit the deadline or a busy store, and gave nothing.
            session_state.release_claim(folder, key, start_claim_name_and_interval(hook_event)[0])
            instead = True
        elif (
            hook_event.event != "prompt" or not _session_traits(hook_event).oriented_at_first_prompt
        ):
            return ""
    name, interval = start_claim_name_and_interval(hook_event)
    if hook_event.event == "session-start":
        session_state.acquire_claim(folder, key, BEGINNING, app.now)
    if instead or session_state.is_claim_available(
        folder, key, name, app.now, interval_ms=interval
    ):
        open_store_with_short_timeout(app)
        from gitmem.agents.events import session_start  # noqa: PLC0415

        return session_start.answer_session_start(app, hook_event, replaces_missed_start=instead)
    # A second hook file asked at the start: count what it saved. Other events ask at every turn.
    tokens = (
        session_state.load_session_texts(folder, key).get("tokens", "")
        if hook_event.event == "session-start"
        else ""
    )
    if tokens.isdecimal():
        usage.record_usage_event(app, "injection", times=0, saved_tokens=int(tokens))
    return ""


def _take_over_start(folder: str, key: str, now: int) -> bool:
    """Whether a start began and has not answered; if so, this call now answers in its place."""
    if session_state.is_claim_available(folder, key, BEGINNING, now):
        return False
    # Claimed first: a start that finds BEGINNING released looks for this.
    session_state.acquire_claim(folder, key, LATE, now, interval_ms=TOGETHER_MS)
    if session_state.release_claim(folder, key, BEGINNING):
        return True
    session_state.release_claim(folder, key, LATE)
    return False


def _answer_event(app: App, hook_event: HookEvent) -> str:
    """What the event itself calls for, apart from the orientation."""
    event = hook_event.event
    if event == "prompt":
        from gitmem.agents.events import user_prompt  # noqa: PLC0415

        return user_prompt.answer_prompt(app, hook_event)
    if event == "post-edit" or (event == "post-tool" and hook_event.files):
        from gitmem.agents.events import post_edit  # noqa: PLC0415

        return post_edit.answer_edit(app, hook_event)
    if event == "post-command" or (event == "post-tool" and hook_event.command):
        from gitmem.agents.events import post_command  # noqa: PLC0415

        return post_command.answer_command_result(app, hook_event)
    return ""


def _join_texts(hook_event: HookEvent, first: str, news: str) -> str:
    """Both texts, or only the first if the host's limit does not take both."""
    if not news:
        return first
    both = f"{first}\n{news}"
    fits = responses.answer_size(hook_event, both) <= responses.max_output_size(hook_event.agent)
    return both if fits else first


def _note_compaction(app: App, hook_event: HookEvent) -> str:
    from gitmem.agents.events import compaction  # noqa: PLC0415

    # A host that reports a new start after the compaction needs no mark.
    if not _session_traits(hook_event).starts_anew_after_compaction:
        session_state.acquire_claim(
            *session_state_folder_and_key(app, hook_event), COMPACTED, app.now
        )
    return compaction.save_work_snapshot(app, hook_event)


def record_turn_or_session_end(app: App, hook_event: HookEvent) -> str:
    """Record the end of a turn or session; always returns "".

    It only appends a line to a log, which a background process stores, as agent programs kill what
    still runs at their end.
    """
    is_end = hook_event.event == "session-end"
    if is_end:
        # Resumed at once, it is not a second hook file asking about the same start.
        again = "start" if _session_traits(hook_event).forgets_with_its_process else "resume"
        session_state.release_claim(*session_state_folder_and_key(app, hook_event), again)
    if not hook_event.subagent:
        from gitmem.agents.events import event_log, record  # noqa: PLC0415

        record.record_session_event(app, hook_event, event_log.END if is_end else event_log.STOP)
        record.start_event_log_drain(app, hook_event, force=is_end)
    return ""


def _session_traits(hook_event: HookEvent) -> HostSessionBehaviour:
    return registry.find_host(hook_event.agent).session
