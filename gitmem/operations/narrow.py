"""The filters that listing, recalling and the timeline share, from words to a store's filter."""

from gitmem.app import App
from gitmem.errors import InvalidInput, NotFound, Unavailable
from gitmem.store.filters import Filter

STATES = ("active", "proposed", "superseded", "archived", "any")
SHOWN = ("active", "proposed")


def moment(app: App, expression: str) -> int | None:
    """Milliseconds for a date expression, None for an empty one.

    A plain length such as ``7d`` means that long ago. Raises InvalidInput.
    """
    if not expression.strip():
        return None
    from gitmem.clock import durations, expressions  # noqa: PLC0415 - 2 ms, and seldom asked for

    try:
        return app.now - durations.parse_duration(expression)
    except InvalidInput:
        return expressions.resolve(
            expression,
            now_ms=app.now,
            zone=app.zone,
            revision=lambda rev: commit_time(app, rev),
            release=lambda: release_time(app),
        )


def chosen(
    app: App,
    *,
    kind: tuple[str, ...] = (),
    tag: tuple[str, ...] = (),
    agent: str = "",
    path: str = "",
    state: tuple[str, ...] = (),
    pinned: bool = False,
    since: str = "",
    until: str = "",
) -> Filter:
    """The store's filter for what was asked. Raises InvalidInput naming the field."""
    if not (kind or tag or path or state):
        # Without words to check, their rules need not be loaded: 2 ms of every plain question.
        return Filter(
            states=SHOWN,
            agent=agent,
            pinned=pinned,
            since=moment(app, since),
            until=moment(app, until),
            now=app.now,
        )
    from gitmem.memory import draft  # noqa: PLC0415

    states = tuple(draft.one_of("state", one, STATES) for one in state) or SHOWN
    return Filter(
        states=() if "any" in states else states,
        kinds=tuple(draft.check_kind(one) for one in kind),
        tags=draft.check_tags(tag),
        agent=agent,
        path=draft.check_paths([path])[0] if path else "",
        pinned=pinned,
        since=moment(app, since),
        until=moment(app, until),
        # What has come to its end is as good as archived.
        now=None if {"any", "archived"} & set(states) else app.now,
    )


def commit_time(app: App, revision: str) -> int | None:
    """Milliseconds of a commit, tag or branch; None where there is no such thing."""
    from gitmem.git import history  # noqa: PLC0415 - only dates given as revisions need it

    try:
        seconds = history.commit_time(app.layout.cwd, revision)
    except (NotFound, Unavailable):
        return None
    return None if seconds is None else seconds * 1000


def release_time(app: App) -> int | None:
    """Milliseconds of the last release's commit; None where there is no release tag."""
    from gitmem.git import history  # noqa: PLC0415 - only dates given as revisions need it

    tag = history.latest_tag(app.layout.cwd)
    return None if tag is None else commit_time(app, tag)
