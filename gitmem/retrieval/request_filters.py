"""The filters that listing, recalling and the timeline share, from words to a store's filter."""

from collections.abc import Mapping

from gitmem.app import App
from gitmem.errors import InvalidInput, NotFound, Unavailable
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories
from gitmem.store.memory.filters import Filter

# Each store with what is wanted of it.
Views = Mapping[Database, Filter]

STATES = ("active", "proposed", "superseded", "archived", "any")
SHOWN = ("active", "proposed")


def moment(app: App, expression: str) -> int | None:
    """Milliseconds for a date expression, None for an empty one.

    A plain length such as ``7d`` means that long ago. Raises InvalidInput.
    """
    return moment_or_revision(app, expression)[0]


def moment_or_revision(app: App, expression: str) -> tuple[int | None, str]:
    """What ``moment`` gives, and the revision that was meant, "" where a date was.

    Raises InvalidInput.
    """
    if not expression.strip():
        return None, ""
    from gitmem.clock import date_parser, durations  # noqa: PLC0415 - 2 ms, and seldom asked for

    try:
        return app.now - durations.parse_duration(expression), ""
    except InvalidInput:
        meant: list[str] = []  # asked of the repository is what no calendar knows

        def time_of(revision: str | None) -> int | None:
            meant[:] = [revision] if revision else []
            return commit_time(app, revision) if revision else None

        at = date_parser.resolve(
            expression,
            now_ms=app.now,
            zone=app.zone,
            revision=time_of,
            release=lambda: time_of(last_release(app)),
        )
        return at, "".join(meant)


def check_order(since: int | None, until: int | None) -> None:
    """Raise InvalidInput where a stretch of time ends before it begins."""
    if since is not None and until is not None and until < since:
        raise InvalidInput(
            "--until is before --since, so nothing can be between them.", "Exchange the two."
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
    as_of: str = "",
) -> Filter:
    """The store's filter for what was asked. Raises InvalidInput naming the field."""
    first, last = moment(app, since), moment(app, until)
    check_order(first, last)
    if not (kind or tag or path or state):
        # Without words to check, their rules need not be loaded: 2 ms of every plain question.
        return Filter(
            states=SHOWN,
            agent=agent,
            pinned=pinned,
            since=first,
            until=last,
            now=app.now,
            as_of=moment(app, as_of),
        )
    from gitmem.memory import draft  # noqa: PLC0415

    states = tuple(draft.one_of("state", one, STATES) for one in state)
    if "proposed" in states:  # who asks by name also sees what waits in the inbox
        states = (*states, "suggested")
    states = states or SHOWN
    return Filter(
        states=() if "any" in states else states,
        kinds=tuple(draft.check_kind(one) for one in kind),
        tags=draft.check_tags(tag),
        agent=agent,
        path=draft.check_paths([path])[0] if path not in ("", ".") else "",
        pinned=pinned,
        since=first,
        until=last,
        # What has come to its end is as good as archived.
        now=None if {"any", "archived"} & set(states) else app.now,
        as_of=moment(app, as_of),
    )


def narrowed(
    app: App,
    wanted: Filter,
    *,
    scope: str,
    author: str = "",
    branch: str = "",
    glob: str = "",
    commits: str = "",
    weight: int | None = None,
) -> Filter:
    """The filter, left to what was written by somebody, on a branch, at commits, about some files.

    ``glob`` is a pattern of paths, ``commits`` a range such as ``v1..v2`` or one revision,
    ``weight`` the least. Raises InvalidInput for a pattern that is broken, NotFound for what is no
    commit.
    """
    return replace(
        wanted,
        weight=weight,
        author=author.strip(),
        branch=branch.strip(),
        commits=_commits(app, commits.strip()) if commits.strip() else None,
        about=_about(app, scope, glob) if glob else None,
    )


def _commits(app: App, revisions: str) -> tuple[str, ...]:
    """The ids of a range, ``HEAD`` standing for an end that is left out; or of one commit."""
    from gitmem.git import history  # noqa: PLC0415 - for who asks by commits

    first, dots, last = revisions.partition("..")
    if dots:
        last = last.removeprefix(".") or "HEAD"
        log = history.log(app.layout.cwd, since_commit=first or None, until=last)
        return tuple(one.sha for one in log)
    found = history.resolve_commit(app.layout.cwd, revisions)
    if found is None:
        raise NotFound(f"There is no commit {revisions!r} here.", "Check the name with: git log")
    return (found,)


def _about(app: App, scope: str, pattern: str) -> tuple[str, ...]:
    """The places that memories name and a pattern selects, as they name them."""
    from gitmem.retrieval import file_filters  # noqa: PLC0415 - for who gives a pattern
    from gitmem.text import globs  # noqa: PLC0415 - as above

    file_filters.checked_pattern(app, pattern)
    places = {one for database in scoped(app, scope) for one in memories.places(database)}
    return tuple(sorted(one for one in places if globs.matches(_without_lines(one), pattern)))


def _without_lines(place: str) -> str:
    """``src/app.py`` of ``src/app.py:40-60``."""
    path, _, lines = place.rpartition(":")
    return path if path and lines.replace("-", "").isdigit() else place


def here(app: App, database: Database, wanted: Filter, *, all_branches: bool = False) -> Filter:
    """The filter for one store, without what belongs to other branches, sub-projects, sessions."""
    from gitmem.branches import subprojects, visible_here  # noqa: PLC0415 - who asks no store does without
    from gitmem.sessions.current_session import current_session  # noqa: PLC0415 - as above

    beside = subprojects.visible(app, database)
    if not all_branches:
        beside = (*beside, visible_here.hidden(app, database).clause())
    if wanted.session:
        return replace(wanted, beside=beside)
    running = None if database.scope == "global" else current_session(app)
    return replace(wanted, beside=beside, working="" if running is None else running.id)


def views(app: App, scope: str, wanted: Filter, *, all_branches: bool = False) -> Views:
    """Each store that holds a scope, with its filter."""
    return {
        database: here(app, database, wanted, all_branches=all_branches)
        for database in scoped(app, scope)
    }


def newest(views: Views, limit: int) -> list[tuple[Memory, Database]]:
    """The newest memories of all stores, each with the store it is in."""
    found = [
        (memory, database)
        for database, wanted in views.items()
        for memory in memories.select(database, wanted, limit=limit)
    ]
    # Of the same time as their store has them: else the pages of a list would not join.
    found.sort(key=lambda pair: pair[0].created_at, reverse=True)
    return found[:limit]


def important(views: Views, limit: int) -> list[tuple[Memory, Database]]:
    """The most important memories of all stores, of equals the newest, each with its store."""
    found = [
        (memory, database)
        for database, wanted in views.items()
        for memory in memories.select(database, wanted, limit=limit, order="importance")
    ]
    found.sort(key=lambda pair: (-pair[0].importance, -pair[0].created_at))
    return found[:limit]


def bounds(app: App, since: str, until: str) -> tuple[int | None, int | None]:
    """From when and until when something holds, in milliseconds. Raises InvalidInput."""
    first, last = moment(app, since), moment(app, until)
    if first is not None and last is not None and last <= first:
        raise InvalidInput(
            "The validity would end before it begins.", "Give --valid-until a later date."
        )
    return first, last


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
    tag = last_release(app)
    return None if tag is None else commit_time(app, tag)


def last_release(app: App) -> str | None:
    """The tag of the last release, None where there is none."""
    from gitmem.git import history  # noqa: PLC0415 - only dates given as revisions need it

    return history.latest_tag(app.layout.cwd)


def scoped(app: App, scope: str) -> list[Database]:
    """The stores that hold a scope: ``project``, ``global`` or ``all``."""
    if scope == "project":
        return [app.store]
    if scope == "global":
        shared = app.global_store()
        return [] if shared is None else [shared]
    return app.stores()


def left_nothing(views: Views, wanted: Filter) -> tuple[str, ...]:
    """A sentence for each filter that no memory passes, in whatever state it is."""
    from gitmem.text.fence import one_line  # noqa: PLC0415 - for who finds nothing

    each = [(f"is of kind {kind}", Filter(states=(), kinds=(kind,))) for kind in wanted.kinds]
    each += [(f"has the tag {tag}", Filter(states=(), tags=(tag,))) for tag in wanted.tags]
    if wanted.agent:
        each.append((f"was written by {wanted.agent}", Filter(states=(), agent=wanted.agent)))
    if wanted.path:
        each.append((f"is about {wanted.path}", Filter(states=(), path=wanted.path)))
    if wanted.author:
        each.append((f"is by {wanted.author}", Filter(states=(), author=wanted.author)))
    if wanted.branch:
        each.append((f"is of branch {wanted.branch}", Filter(states=(), branch=wanted.branch)))
    if wanted.commits is not None:
        each.append(("was written at these commits", Filter(states=(), commits=wanted.commits)))
    if wanted.about is not None:
        each.append(("is about such files", Filter(states=(), about=wanted.about)))
    return tuple(
        f"No memory {one_line(said, 100)}."
        for said, alone in each
        if not any(memories.count(database, alone) for database in views)
    )
