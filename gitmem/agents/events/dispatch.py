"""What a session of an agent is told at one of its moments, and what is noted of it.

Nothing here waits: a store that another process holds is not there for this moment.
"""

from contextlib import suppress

from gitmem.agents.events import responses, session_state
from gitmem.agents.events.brief_store import open_briefly
from gitmem.agents.events.hook_event import Moment
from gitmem.agents.events.session_claim import TOGETHER_MS, claimant, claimed_as
from gitmem.agents.hosts import registry
from gitmem.agents.hosts.host import Session
from gitmem.app import App
from gitmem.errors import ForeignStore, GitmemError
from gitmem.maintenance import usage
from gitmem.model.frozen import replace

COMPACTED = "compacted"
# Claimed while a session's start is answered, and kept of one that was made up for.
BEGINNING, LATE = "beginning", "late"
# Claimed at a start that is not told anything: the first prompt will be.
AWAITED = "awaited"
_STARTS = frozenset({"session-start", "pre-invocation"})


def answer(app: App, moment: Moment) -> str:
    """The text for the model, empty for none. Raises GitmemError, NotOurs before anything else."""
    # The repository first: only then are its settings read.
    if not app.has_store:
        return _lost(app, moment)
    if not app.settings.number("hooks.enabled"):
        return ""
    # Before anything is noted: folders in a store that came with a clone may lead anywhere.
    app.refuse_tracked()
    try:
        if not app.is_known_place:
            open_briefly(app)
            if not app.settings.number("hooks.enabled"):  # its settings are known only now
                return ""
        text = _text(app, moment)
    except ForeignStore as error:
        # One sentence at the start of a session, and silence after it: nothing is noted there.
        if not _is_told_start(moment):
            return ""
        return _sentence(app, f"{error.message} A person can look at it: `gitmem trust --store`.")
    usage.note(app, "hook")
    return text


def _lost(app: App, moment: Moment) -> str:
    """At a session's start, how to bring back a store that is gone."""
    if not _is_told_start(moment) or not app.settings.number("hooks.enabled"):
        return ""
    from gitmem.maintenance import lost_store  # noqa: PLC0415 - nearly always a store is there

    return _sentence(app, lost_store.told(app))


def _is_told_start(moment: Moment) -> bool:
    """Whether a session starts here, in a host that takes text."""
    return moment.event in _STARTS and responses.injects(moment)


def _sentence(app: App, text: str) -> str:
    """A sentence instead of an orientation, marked as data; empty for an empty one."""
    from gitmem.text.fence import frame, one_line  # noqa: PLC0415 - nearly always a store is there

    told = one_line(text, 600)
    return frame(told, source="gitmem orient", delimiter=app.entropy(8).hex()) if told else ""


def is_still_mine(app: App, moment: Moment) -> bool:
    """Whether this call may say what it has: asked once, when nobody else can answer for it.

    A prompt that came while a start was answered took it for lost and told the orientation itself;
    of the two whichever takes the mark of the beginning away is the one that tells.
    """
    if moment.event != "session-start" or not app.has_store:
        return True
    folder, key = claimant(app, moment)
    if session_state.release(folder, key, BEGINNING):
        return True
    return session_state.free(folder, key, LATE, app.now, every=TOGETHER_MS)


def afterwards(app: App, moment: Moment) -> None:
    """What is left to do once the host was answered: start upkeep where it is due."""
    if moment.event == "session-start" and app.opened is not None:
        from gitmem.maintenance import schedule  # noqa: PLC0415 - for the first moment only

        app.reads_index = True  # the agent will ask
        with suppress(GitmemError):
            schedule.start_if_due(app)


def _text(app: App, moment: Moment) -> str:
    # Each moment loads what it needs and no more: `prompt` runs at every prompt.
    event = moment.event
    if event == "pre-compact":
        return _before_compaction(app, moment)
    if event in ("stop", "session-end"):
        return over(app, moment)
    if responses.waits(moment):
        if text := _news(app, moment):
            session_state.put_off(*claimant(app, moment), text)
        return ""
    first = _orientation(app, moment)
    if event == "prompt" and registry.find(moment.agent).reply.heard_later:
        later = session_state.waiting(*claimant(app, moment))
        first = _together(moment, first, later) if first else later
    if not first:
        return _news(app, moment)
    # It counts as told by now, and must not be lost for what else there would be to say.
    with suppress(GitmemError):
        return _together(moment, first, _news(app, moment))
    return first


def _orientation(app: App, moment: Moment) -> str:
    """What is told first in a session, and again where a compaction took it away."""
    folder, key = claimant(app, moment)
    if not responses.injects(moment):
        if moment.event in _STARTS and _session(moment).oriented_at_first_prompt:
            session_state.claim(folder, key, AWAITED, app.now)
        if moment.event in _STARTS:
            from gitmem.agents.events import record  # noqa: PLC0415 - few hosts are told nothing

            record.started(app, moment)
        return ""
    if moment.event in _STARTS and not session_state.free(folder, key, AWAITED, app.now):
        return ""  # another host's file asks, whose answer would not be heard
    instead = False
    if moment.event not in _STARTS:
        if session_state.release(folder, key, COMPACTED):
            moment = replace(moment, source="compact")
        elif moment.event == "prompt" and _takes_over(folder, key, app.now):
            # Its start hit the deadline, or a store that was busy: nothing was told.
            session_state.release(folder, key, claimed_as(moment)[0])
            instead = True
        elif moment.event != "prompt" or not _session(moment).oriented_at_first_prompt:
            return ""
    what, every = claimed_as(moment)
    if moment.event == "session-start":
        session_state.claim(folder, key, BEGINNING, app.now)
    if instead or session_state.free(folder, key, what, app.now, every=every):
        open_briefly(app)
        from gitmem.agents.events import session_start  # noqa: PLC0415

        return session_start.start(app, moment, instead=instead)
    # Where a host's file asked again, counted as saved; other events ask at every turn.
    tokens = (
        session_state.kept(folder, key).get("tokens", "") if moment.event == "session-start" else ""
    )
    if tokens.isdecimal():
        usage.note(app, "injection", n=0, saved=int(tokens))
    return ""


def _takes_over(folder: str, key: str, now: int) -> bool:
    """Whether a start began and has not answered; from now on this call answers for it."""
    if session_state.free(folder, key, BEGINNING, now):
        return False
    # Noted first: the start that finds its mark gone looks for this.
    session_state.claim(folder, key, LATE, now, every=TOGETHER_MS)
    if session_state.release(folder, key, BEGINNING):
        return True
    session_state.release(folder, key, LATE)
    return False


def _news(app: App, moment: Moment) -> str:
    """What this moment itself calls for."""
    event = moment.event
    if event == "prompt":
        from gitmem.agents.events import user_prompt  # noqa: PLC0415

        return user_prompt.prompt(app, moment)
    if event == "post-edit" or (event == "post-tool" and moment.files):
        from gitmem.agents.events import post_edit  # noqa: PLC0415

        return post_edit.edit(app, moment)
    if event == "post-command" or (event == "post-tool" and moment.command):
        from gitmem.agents.events import post_command  # noqa: PLC0415

        return post_command.command(app, moment)
    return ""


def _together(moment: Moment, first: str, news: str) -> str:
    """Both texts, or the first alone where the host does not take both."""
    if not news:
        return first
    both = f"{first}\n{news}"
    fits = responses.size(moment, both) <= responses.cap(moment.agent, moment.event)
    return both if fits else first


def _before_compaction(app: App, moment: Moment) -> str:
    from gitmem.agents.events import compaction  # noqa: PLC0415

    # Of a session that its host starts anew no more has to be remembered.
    if not _session(moment).starts_anew_after_compaction:
        session_state.claim(*claimant(app, moment), COMPACTED, app.now)
    return compaction.snapshot(app, moment)


def over(app: App, moment: Moment) -> str:
    """The end of a turn, or of the session: noted, and left to the drain. Always empty.

    Hosts cut off what runs at their end, so nothing is done here but a line in a file and the start
    of a process that nobody waits for.
    """
    is_end = moment.event == "session-end"
    if is_end:
        # Whoever resumes it at once is no second file that asks the same.
        again = "start" if _session(moment).forgets_with_its_process else "resume"
        session_state.release(*claimant(app, moment), again)
    if not moment.subagent:
        from gitmem.agents.events import event_log, record  # noqa: PLC0415

        record.note(app, moment, event_log.END if is_end else event_log.STOP)
        record.hand_over(app, moment, at_once=is_end)
    return ""


def _session(moment: Moment) -> Session:
    return registry.find(moment.agent).session
