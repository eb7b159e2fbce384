"""The feature that is worked on here, and earlier features."""

from collections.abc import Iterable

from gitmem.app import App
from gitmem.model.session import FEATURE, QUERY, Event, Session
from gitmem.store.session import sessions
from gitmem.timeline import features
from gitmem.timeline.features import BranchFeatureAssignment, Feature, FileViewOrQuestion, Place

# In place of a session's id, so that the index finds namings, which belong to no session.
_GROUP = "features"
_NAMINGS = 200
# Sessions that are read for the list of features, and for the current one.
_SESSIONS, _LATEST = 50, 8
_QUESTIONS = 400


def worktree_and_branch(app: App) -> Place:
    """(path of the worktree, its branch); for a detached HEAD 10 digits of the commit id."""
    return app.worktree, app.git_head.branch or (app.git_head.commit or "")[:10]


def current_feature(app: App) -> Feature:
    """The Feature worked on here now: the task that a person named, else the branch.

    Its files and questions are empty if none are known.
    """
    place, namings = worktree_and_branch(app), _namings(app)
    naming = features.feature_assignment_at(namings, place, app.now)
    latest = sessions.recent_sessions(app.store, _LATEST)
    recent_features = features.gather_features(namings, _sightings(app, latest))
    empty = Feature(naming.name, naming.name != place[1], naming.at, (), ())
    return next((feature for feature in recent_features if feature.name == naming.name), empty)


def all_features(app: App) -> list[Feature]:
    """All known features (tasks that a person named, or branches), the last worked on first."""
    return features.gather_features(
        _namings(app), _sightings(app, sessions.recent_sessions(app.store, _SESSIONS))
    )


def name_current_feature(app: App, feature_name: str, file_paths: Iterable[str] = ()) -> None:
    """Name the feature (task) that is worked on here from now on; an empty name means the branch.

    ``file_paths`` are the paths that belong to it.
    """
    tree, branch = worktree_and_branch(app)
    text = "\n".join((feature_name, *file_paths))
    event = Event(
        app.new_id(),
        app.now,
        FEATURE,
        _GROUP,
        app.agent,
        branch,
        app.git_head.commit or "",
        tree,
        text,
    )
    with app.store.write():
        sessions.add_event(app.store, event)


def sessions_of_feature(app: App, feature: Feature) -> list[Session]:
    """The sessions that worked on a feature (a named task, or a branch), last active first."""
    namings = _namings(app)
    return [
        session
        for session in sessions.recent_sessions(app.store, _SESSIONS)
        if features.feature_assignment_at(
            namings, (session.worktree, session.branch), session.last_at
        ).name
        == feature.name
    ]


def _namings(app: App) -> list[BranchFeatureAssignment]:
    events = sessions.events_in_period(app.store, session=_GROUP, types=(FEATURE,), limit=_NAMINGS)
    namings = []
    for event in events:
        name, *files = event.text.split("\n")
        namings.append(
            BranchFeatureAssignment(event.at, (event.subject, event.branch), name, tuple(files))
        )
    return namings


def _sightings(app: App, chosen: Iterable[Session]) -> list[FileViewOrQuestion]:
    sightings = []
    for session in chosen:
        place = session.worktree, session.branch
        for path, at in sessions.files_viewed_since(app.store, session.id, 0, sessions.MOST_FILES):
            sightings.append(FileViewOrQuestion(at, place, path=path))
        queries = sessions.events_in_period(
            app.store, session=session.id, types=(QUERY,), limit=_QUESTIONS
        )
        sightings += [FileViewOrQuestion(event.at, place, question=event.text) for event in queries]
    return sightings
