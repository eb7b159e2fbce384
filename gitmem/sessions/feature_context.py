"""The feature somebody works on here, and those of before: names given by hand, else branches."""

from collections.abc import Iterable

from gitmem.app import App
from gitmem.model.session import FEATURE, QUERY, Event, Session
from gitmem.store.session import sessions
from gitmem.timeline import features
from gitmem.timeline.features import Feature, Naming, Place, Seen

# Namings belong to no session. Under one word in its place they are found by the index.
_GROUP = "features"
_NAMINGS = 200
# Sessions that are looked at, for a list and for what somebody is at now.
_SESSIONS, _LATEST = 50, 8
_QUESTIONS = 400


def place(app: App) -> Place:
    """Worktree and branch; of a detached HEAD the beginning of its commit."""
    return app.worktree, app.head.branch or (app.head.commit or "")[:10]


def current(app: App) -> Feature:
    """The feature that is worked on here now; without files where nothing is known of it."""
    here, namings = place(app), _namings(app)
    naming = features.current(namings, here, app.now)
    found = sessions.recent(app.store, _LATEST)
    every = features.gather(namings, _seen(app, found))
    empty = Feature(naming.name, naming.name != here[1], naming.at, (), ())
    return next((one for one in every if one.name == naming.name), empty)


def known(app: App) -> list[Feature]:
    """All features of which something is known, the last worked on first."""
    return features.gather(_namings(app), _seen(app, sessions.recent(app.store, _SESSIONS)))


def name_it(app: App, name: str) -> None:
    """What is done here from now on belongs to ``name``; empty: to the branch."""
    tree, branch = place(app)
    made = Event(
        app.new_id(), app.now, FEATURE, _GROUP, app.agent, branch, app.head.commit or "", tree, name
    )
    with app.store.write():
        sessions.add_event(app.store, made)


def sessions_of(app: App, feature: Feature) -> list[Session]:
    """The sessions that began at a place with this feature, last active first."""
    namings = _namings(app)
    return [
        one
        for one in sessions.recent(app.store, _SESSIONS)
        if features.current(namings, (one.worktree, one.branch), one.last_at).name == feature.name
    ]


def _namings(app: App) -> list[Naming]:
    found = sessions.events(app.store, session=_GROUP, types=(FEATURE,), limit=_NAMINGS)
    return [Naming(one.at, (one.subject, one.branch), one.text) for one in found]


def _seen(app: App, chosen: Iterable[Session]) -> list[Seen]:
    """What was viewed and asked in some sessions."""
    seen = []
    for one in chosen:
        there = one.worktree, one.branch
        for path, at in sessions.viewed_since(app.store, one.id, 0, sessions.MOST_FILES):
            seen.append(Seen(at, there, path=path))
        asked = sessions.events(app.store, session=one.id, types=(QUERY,), limit=_QUESTIONS)
        seen += [Seen(event.at, there, question=event.text) for event in asked]
    return seen
