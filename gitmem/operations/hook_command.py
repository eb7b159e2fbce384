"""What a command that was run calls for: how its error was mended before, once, and no nagging.

Noted are the error in a line, a check that passed, and that something was committed where no git
hook tells of it. What gitmem itself printed is never noted.
"""

from gitmem.app import App
from gitmem.hooks.sessions import dialects, notes
from gitmem.hooks.sessions.moment import Moment
from gitmem.operations import hook_notes
from gitmem.timeline import heard


def command(app: App, moment: Moment) -> str:
    """What is worth being told after this command; nearly always empty. Raises GitmemError."""
    if not moment.command.strip() or heard.is_own(moment.command):
        return ""
    if moment.failed is False:
        return _passed(app, moment)
    # Imported here: most commands do what they should.
    from gitmem.operations import hook_say  # noqa: PLC0415
    from gitmem.text.fence import neutralise  # noqa: PLC0415

    # Without colours: they stand before the words by which an error is known.
    output = heard.own_words(neutralise(moment.output), hook_say.told(app, moment))
    if moment.failed is None and not heard.failed(output):
        return _passed(app, moment)
    text = _failed(app, moment, output)
    hook_notes.hand_over(app, moment)
    return text


def _passed(app: App, moment: Moment) -> str:
    """Note a check that passed, or a commit; there is nothing to say."""
    check = heard.check(moment.command)
    if heard.is_commit(moment.command):
        # Where git hooks are installed they have told of it, and of every other commit too.
        from gitmem.hooks import git_hooks, manifest  # noqa: PLC0415 - for a commit only

        if manifest.read(git_hooks.store_folder(app.layout)) is None:
            hook_notes.note(app, moment, notes.COMMIT)
            hook_notes.hand_over(app, moment, at_once=True)
    elif check:
        hook_notes.note(app, moment, notes.RAN, text=_clean(check)[: heard.LONGEST_COMMAND])
    hook_notes.hand_over(app, moment)
    return ""


def _failed(app: App, moment: Moment, output: str) -> str:
    # Before a line is chosen: a secret may be told by the lines around it.
    shown = _clean(output)
    line = heard.error_line(shown)
    if not line:
        return ""
    run = _clean(heard.check(moment.command))
    recent = f"{run}: {line}" if run else line
    hook_notes.note(app, moment, notes.ERROR, text=recent[: heard.LONGEST])
    if not (dialects.injects(moment) and heard.errors(shown)):
        return ""
    from gitmem.operations import hook_say  # noqa: PLC0415 - as above

    at = hook_say.desk(app, moment)
    fix = None if at is None else hook_say.mended(at, shown)
    if at is None or fix is None:
        return ""
    state = hook_say.fresh(at, [fix]).get(fix.id)
    return hook_say.said(at, [hook_say.doubted(hook_say.message(at, "fix", fix), state)], 1)


def _clean(text: str) -> str:
    if not text:
        return text
    from gitmem.text.redact import redact  # noqa: PLC0415 - most commands leave nothing to note

    return redact(text).text
