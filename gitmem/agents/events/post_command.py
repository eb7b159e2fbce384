"""What a command that was run calls for: how its error was mended before, once, and no nagging.

Noted are the error in a line, a check that passed, and that something was committed where no git
hook tells of it. What gitmem itself printed is never noted.
"""

from gitmem.agents.events import event_log, record, responses
from gitmem.agents.events.hook_event import Moment
from gitmem.app import App
from gitmem.timeline import command_output


def command(app: App, moment: Moment) -> str:
    """What is worth being told after this command; nearly always empty. Raises GitmemError."""
    if not moment.command.strip() or command_output.is_own(moment.command):
        return ""
    if moment.failed is False:
        return _passed(app, moment)
    # Imported here: most commands do what they should.
    from gitmem.agents.events import messages  # noqa: PLC0415
    from gitmem.text.fence import neutralise  # noqa: PLC0415

    # Without colours: they stand before the words by which an error is known.
    output = command_output.own_words(neutralise(moment.output), messages.told(app, moment))
    if moment.failed is None and not command_output.failed(output):
        return _passed(app, moment)
    text = _failed(app, moment, output)
    record.hand_over(app, moment)
    return text


def _passed(app: App, moment: Moment) -> str:
    """Note a check that passed, or a commit; there is nothing to say."""
    check = command_output.check(moment.command)
    if command_output.is_commit(moment.command):
        # Where git hooks are installed they have told of it, and of every other commit too.
        from gitmem.githooks import installer, manifest  # noqa: PLC0415 - for a commit only

        if manifest.read(installer.store_folder(app.layout)) is None:
            record.note(app, moment, event_log.COMMIT)
            record.hand_over(app, moment, at_once=True)
    elif check:
        record.note(
            app, moment, event_log.RAN, text=_clean(check)[: command_output.LONGEST_COMMAND]
        )
    record.hand_over(app, moment)
    return ""


def _failed(app: App, moment: Moment, output: str) -> str:
    # Before a line is chosen: a secret may be told by the lines around it.
    shown = _clean(output)
    line = command_output.error_line(shown)
    if not line:
        return ""
    run = _clean(command_output.check(moment.command))
    recent = f"{run}: {line}" if run else line
    record.note(app, moment, event_log.ERROR, text=recent[: command_output.LONGEST])
    speaks = responses.injects(moment) or responses.waits(moment)
    if not speaks:
        return ""
    from gitmem.agents.events import messages  # noqa: PLC0415 - as above

    at = messages.desk(app, moment)
    fix = None if at is None else messages.mended(at, shown)
    if at is None or fix is None:
        return ""
    return messages.said(at, [messages.mending(at, fix)], 1)


def _clean(text: str) -> str:
    if not text:
        return text
    from gitmem.text.redact import redact  # noqa: PLC0415 - most commands leave nothing to note

    return redact(text).text
