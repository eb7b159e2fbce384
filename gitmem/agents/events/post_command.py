"""Answering a failed command with the earlier fix of its error, once in a session.

Noted for the drain are the error's line, a check that passed, and a commit if no git hook is
installed to report it. Output of gitmem itself is never noted.
"""

from gitmem.agents.events import event_log, record, responses
from gitmem.agents.events.hook_event import HookEvent
from gitmem.app import App
from gitmem.timeline import command_output


def answer_command(app: App, moment: HookEvent) -> str:
    """The text for the model after a command: how its error was fixed before; mostly empty.

    Raises GitmemError.
    """
    if not moment.command.strip() or command_output.is_gitmem_command(moment.command):
        return ""
    if moment.failed is False:
        return _note_success(app, moment)
    # Imported here: most commands succeed.
    from gitmem.agents.events import messages  # noqa: PLC0415
    from gitmem.text.fence import make_printable  # noqa: PLC0415

    # Without colours: their codes stand before the words that mark an error.
    output = command_output.remove_gitmem_lines(
        make_printable(moment.output), messages.shown_ids(app, moment)
    )
    if moment.failed is None and not command_output.is_failure_output(output):
        return _note_success(app, moment)
    text = _answer_failure(app, moment, output)
    record.start_drain(app, moment)
    return text


def _note_success(app: App, moment: HookEvent) -> str:
    """Note a check that passed, or a commit. Always returns ""."""
    check = command_output.check_name_in_command(moment.command)
    if command_output.is_commit_command(moment.command):
        # Git hooks, where installed, report every commit themselves.
        from gitmem.githooks import installer, manifest  # noqa: PLC0415 - for a commit only

        if manifest.read(installer.store_folder(app.layout)) is None:
            record.record_event(app, moment, event_log.COMMIT)
            record.start_drain(app, moment, at_once=True)
    elif check:
        record.record_event(
            app, moment, event_log.RAN, text=_redact(check)[: command_output.LONGEST_COMMAND]
        )
    record.start_drain(app, moment)
    return ""


def _answer_failure(app: App, moment: HookEvent, output: str) -> str:
    # Redact before choosing a line: a secret may be recognised by the lines around it.
    shown = _redact(output)
    line = command_output.error_line_of_output(shown)
    if not line:
        return ""
    run = _redact(command_output.check_name_in_command(moment.command))
    recent = f"{run}: {line}" if run else line
    record.record_event(app, moment, event_log.ERROR, text=recent[: command_output.LONGEST])
    speaks = responses.reaches_model(moment) or responses.is_deferred(moment)
    if not speaks:
        return ""
    from gitmem.agents.events import messages  # noqa: PLC0415 - as above

    hook = messages.open_context(app, moment)
    fix = None if hook is None else messages.find_fix(hook, shown)
    if hook is None or fix is None:
        return ""
    return messages.render_messages(hook, [messages.describe_fix(hook, fix)], 1)


def _redact(text: str) -> str:
    if not text:
        return text
    from gitmem.text.redact import redact  # noqa: PLC0415 - most commands leave nothing to note

    return redact(text).text
