"""Answering a failed command with the earlier fix of its error, once in a session.

Noted for the drain are the error's line, a check that passed, and a commit if no git hook is
installed to report it. Output of gitmem itself is never noted.
"""

from gitmem.agents.events import event_log, record, responses
from gitmem.agents.events.hook_event import HookEvent
from gitmem.app import App
from gitmem.timeline import command_output


def answer_command_result(app: App, hook_event: HookEvent) -> str:
    """The text for the model after a command: how its error was fixed before; mostly empty.

    Raises GitmemError.
    """
    if not hook_event.command.strip() or command_output.is_gitmem_command(hook_event.command):
        return ""
    if hook_event.failed is False:
        return _note_success(app, hook_event)
    # Imported here: most commands succeed.
    from gitmem.agents.events import messages  # noqa: PLC0415
    from gitmem.text.fence import make_printable  # noqa: PLC0415

    # Without colours: their codes stand before the words that mark an error.
    output = command_output.remove_gitmem_lines(
        make_printable(hook_event.output), messages.ids_shown_in_session(app, hook_event)
    )
    if hook_event.failed is None and not command_output.is_failure_output(output):
        return _note_success(app, hook_event)
    text = _answer_failure(app, hook_event, output)
    record.start_event_log_drain(app, hook_event)
    return text


def _note_success(app: App, hook_event: HookEvent) -> str:
    """Note a check that passed, or a commit. Always returns ""."""
    check = command_output.extract_test_or_build_command(hook_event.command)
    if command_output.is_commit_command(hook_event.command):
        # Git hooks, where installed, report every commit themselves.
        from gitmem.githooks import installer, manifest  # noqa: PLC0415 - for a commit only

        if manifest.read_hook_manifest(installer.store_folder_path(app.layout)) is None:
            record.record_session_event(app, hook_event, event_log.COMMIT)
            record.start_event_log_drain(app, hook_event, force=True)
    elif check:
        record.record_session_event(
            app, hook_event, event_log.RAN, text=_redact(check)[: command_output.LONGEST_COMMAND]
        )
    record.start_event_log_drain(app, hook_event)
    return ""


def _answer_failure(app: App, hook_event: HookEvent, output: str) -> str:
    # Redact before choosing a line: a secret may be recognised by the lines around it.
    shown = _redact(output)
    line = command_output.error_line_of_output(shown)
    if not line:
        return ""
    run = _redact(command_output.extract_test_or_build_command(hook_event.command))
    recent = f"{run}: {line}" if run else line
    record.record_session_event(
        app, hook_event, event_log.ERROR, text=recent[: command_output.LONGEST]
    )
    speaks = responses.hook_text_reaches_model(hook_event) or responses.is_hook_text_deferred(
        hook_event
    )
    if not speaks:
        return ""
    from gitmem.agents.events import messages  # noqa: PLC0415 - as above

    hook = messages.open_hook_context(app, hook_event)
    fix = None if hook is None else messages.find_fix_of_error(hook, shown)
    if hook is None or fix is None:
        return ""
    return messages.render_messages(hook, [messages.describe_fix(hook, fix)], 1)


def _redact(text: str) -> str:
    if not text:
        return text
    from gitmem.text.redact import redact  # noqa: PLC0415 - most commands leave nothing to note

    return redact(text).text
