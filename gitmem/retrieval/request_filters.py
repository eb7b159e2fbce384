"""Turning the filters of a request for memories into filters of the stores."""

from collections.abc import Mapping, Sequence

from gitmem.app import App
from gitmem.errors import InvalidInput, NotFound, Unavailable
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories
from gitmem.store.memory.filters import MemoryFilter

# Each store with its filter.
FiltersByStore = Mapping[Database, MemoryFilter]

STATES = ("active", "proposed", "superseded", "archived", "any")
SHOWN = ("active", "proposed")


def parse_time_ms(app: App, expression: str) -> int | None:
    """A time in milliseconds since 1970, from a date or a length of time ago such as ``7d``.

    None if the text is empty. Raises InvalidInput for any other text.
    """
    return parse_time_or_revision(app, expression)[0]


def parse_time_or_revision(app: App, expression: str) -> tuple[int | None, str]:
    """(the time that a text means, in milliseconds since 1970; the revision it names, else "").

    The text is a date, a length of time ago such as ``7d``, or a revision; the time is None if it
    is empty. Raises InvalidInput for any other text.
    """
    if not expression.strip():
        return None, ""
    from gitmem.clock import date_parser, durations  # noqa: PLC0415 - 2 ms, and seldom asked for

    try:
        return app.now - durations.parse_duration(expression), ""
    except InvalidInput:
        meant: list[str] = []

        def time_of(revision: str | None) -> int | None:
            meant[:] = [revision] if revision else []
            return commit_time_ms(app, revision) if revision else None

        at = date_parser.resolve_date(
            expression,
            now_ms=app.now,
            zone=app.display_time_zone,
            find_revision_ms=time_of,
            find_last_release_ms=lambda: time_of(last_release_tag(app)),
        )
        return at, "".join(meant)


def validate_time_order(
    since: int | None, until: int | None, option_names: tuple[str, str] = ("--since", "--until")
) -> None:
    """Raise InvalidInput if the time ``until`` is before ``since``, naming their options."""
    if since is not None and until is not None and until < since:
        raise InvalidInput(
            f"{option_names[1]} is before {option_names[0]}, so nothing can be between them.",
            "Swap them.",
        )


def build_memory_filter(
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
    layer: tuple[str, ...] = (),
) -> MemoryFilter:
    """The fields of a request for memories as a MemoryFilter. Raises InvalidInput for a wrong one.

    Empty fields do not filter, but without ``state`` only active and proposed memories pass.
    ``since`` and ``until`` are dates or lengths of time such as ``7d``; ``as_of``: as it was then;
    ``layer``: working, project or global.
    """
    first, last = parse_time_ms(app, since), parse_time_ms(app, until)
    validate_time_order(first, last)
    if not (kind or tag or path or state):
        # The rules of words cost 2 ms to load.
        return MemoryFilter(
            states=SHOWN,
            agent=agent,
            pinned=pinned,
            since=first,
            until=last,
            now=app.now,
            as_of=parse_time_ms(app, as_of),
            layers=layer,
        )
    from gitmem.memory import draft  # noqa: PLC0415

    states = tuple(draft.require_one_of("state", word, STATES) for word in state)
    if "proposed" in states:  # includes the inbox
        states = (*states, "suggested")
    states = states or SHOWN
    return MemoryFilter(
        states=() if "any" in states else states,
        kinds=tuple(draft.check_memory_kind(word) for word in kind),
        tags=draft.check_tags(tag),
        agent=agent,
        path=draft.check_paths([path])[0] if path not in ("", ".") else "",
        pinned=pinned,
        since=first,
        until=last,
        # Expired memories count as archived.
        now=None if {"any", "archived"} & set(states) else app.now,
        as_of=parse_time_ms(app, as_of),
        layers=layer,
    )


def narrow_memory_filter(
    app: App,
    filter: MemoryFilter,
    *,
    scope: str,
    author: str = "",
    branch: str = "",
    glob: str = "",
    commits: str = "",
    min_weight: int | None = None,
    metadata_pairs: Sequence[str] = (),
) -> MemoryFilter:
    """The filter, narrowed by author, branch, commits, paths, weight and metadata.

    ``glob`` is a pattern of the paths that memories cite, ``commits`` a range such as ``v1..v2`` or
    a revision, ``min_weight`` the least weight (1 to 5), a metadata pair a text such as
    ``key=value``. Raises InvalidInput for a broken pattern or pair, NotFound for an unknown commit.
    """
    return replace(
        filter,
        min_weight=min_weight,
        author=author.strip(),
        branch=branch.strip(),
        commits=_commits(app, commits.strip()) if commits.strip() else None,
        naming_paths=_about(app, scope, glob) if glob else None,
        facts=tuple(map(_fact, metadata_pairs)),
    )


def _fact(text: str) -> tuple[str, str]:
    key, sign, value = (part.strip() for part in text.partition("="))
    if not (sign and key and value):
        raise InvalidInput(
            f"{text[:40]!r} is not a condition on metadata.", "Write it as topic=auth."
        )
    return key, value


def _commits(app: App, revisions: str) -> tuple[str, ...]:
    """The ids of a range, by default up to ``HEAD``, or of a single commit."""
    from gitmem.git import history  # noqa: PLC0415 - for who asks by commits

    first, dots, last = revisions.partition("..")
    if dots:
        last = last.removeprefix(".") or "HEAD"
        log = history.list_commits(app.layout.cwd, since_commit=first or None, until=last)
        return tuple(commit.sha for commit in log)
    found = history.resolve_commit(app.layout.cwd, revisions)
    if found is None:
        raise NotFound(f"There is no commit {revisions!r} here.", "Check the name with: git log")
    return (found,)


def _about(app: App, scope: str, pattern: str) -> tuple[str, ...]:
    """The places cited by memories whose paths match a pattern."""
    from gitmem.retrieval import file_filters  # noqa: PLC0415 - for who gives a pattern
    from gitmem.text import globs  # noqa: PLC0415 - as above

    file_filters.validate_path_pattern(app, pattern)
    places = {
        place
        for database in stores_of_scope(app, scope)
        for place in memories.cited_paths(database)
    }
    return tuple(
        sorted(place for place in places if globs.path_matches_glob(_without_lines(place), pattern))
    )


def _without_lines(place: str) -> str:

    path, _, lines = place.rpartition(":")
    return path if path and lines.replace("-", "").isdigit() else place


def memory_filter_for_store(
    app: App, database: Database, filter: MemoryFilter, *, all_branches: bool = False
) -> MemoryFilter:
    """The filter for one store, without memories of other sub-projects, sessions and branches.

    With ``all_branches`` those of other branches pass.
    """
    from gitmem.branches import subprojects, visible_here  # noqa: PLC0415 - who asks no store does without
    from gitmem.sessions.current_session import current_session  # noqa: PLC0415 - as above

    beside = subprojects.visible_memory_sql_conditions(app, database)
    if not all_branches:
        beside = (*beside, visible_here.hidden_memories(app, database).visible_sql_condition())
    if filter.session:
        return replace(filter, extra_conditions=beside)
    running = None if database.scope == "global" else current_session(app)
    return replace(
        filter, extra_conditions=beside, working_session="" if running is None else running.id
    )


def memory_filters_by_store(
    app: App, scope: str, filter: MemoryFilter, *, all_branches: bool = False
) -> FiltersByStore:
    """Store -> its filter, for the stores of a scope (project, global or all).

    With ``all_branches`` memories of other branches pass.
    """
    return {
        database: memory_filter_for_store(app, database, filter, all_branches=all_branches)
        for database in stores_of_scope(app, scope)
    }


def newest_memories(filters_by_store: FiltersByStore, limit: int) -> list[tuple[Memory, Database]]:
    """(memory, its store) of the ``limit`` newest memories in ``filters_by_store``."""
    found = [
        (memory, database)
        for database, filter in filters_by_store.items()
        for memory in memories.select_memories(database, filter, limit=limit)
    ]
    # The sort is stable, so pages of a list fit together.
    found.sort(key=lambda pair: pair[0].created_at, reverse=True)
    return found[:limit]


def most_important_memories(
    filters_by_store: FiltersByStore, limit: int
) -> list[tuple[Memory, Database]]:
    """(memory, its store) of the ``limit`` most important memories, of equals the newest first.

    ``filters_by_store`` maps each store to its filter.
    """
    found = [
        (memory, database)
        for database, filter in filters_by_store.items()
        for memory in memories.select_memories(database, filter, limit=limit, order="importance")
    ]
    found.sort(key=lambda pair: (-pair[0].importance, -pair[0].created_at))
    return found[:limit]


def most_used_memories(
    filters_by_store: FiltersByStore, limit: int
) -> list[tuple[Memory, Database]]:
    """(memory, its store) of the ``limit`` most used memories, of equals the newest first.

    ``filters_by_store`` maps each store to its filter.
    """
    ranked = [
        (
            -memories.access_count_and_time(database, memory.id)[0],
            -memory.created_at,
            at,
            (memory, database),
        )
        for database, filter in filters_by_store.items()
        for at, memory in enumerate(
            memories.select_memories(database, filter, limit=limit, order="uses")
        )
    ]
    return [pair for *_, pair in sorted(ranked, key=lambda row: row[:3])[:limit]]


def validity_period(app: App, since: str, until: str) -> tuple[int | None, int | None]:
    """(from when, until when a memory is valid), in milliseconds since 1970; None: no limit.

    The texts are dates or lengths of time such as ``7d``. Raises InvalidInput for a wrong one, or
    if the period would end before it begins.
    """
    first, last = parse_time_ms(app, since), parse_time_ms(app, until)
    if first is not None and last is not None and last <= first:
        raise InvalidInput(
            "The memory's validity would end before it begins.", "Give --valid-until a later date."
        )
    return first, last


def commit_time_ms(app: App, revision: str) -> int | None:
    """The time of a commit, tag or branch in milliseconds since 1970, or None if git lacks it."""
    from gitmem.git import history  # noqa: PLC0415 - only dates given as revisions need it

    try:
        seconds = history.commit_time(app.layout.cwd, revision)
    except (NotFound, Unavailable):
        return None
    return None if seconds is None else seconds * 1000


def last_release_time_ms(app: App) -> int | None:
    """The time of the last release in milliseconds since 1970, or None if there is none."""
    tag = last_release_tag(app)
    return None if tag is None else commit_time_ms(app, tag)


def last_release_tag(app: App) -> str | None:
    """The tag of the last release, or None."""
    from gitmem.git import history  # noqa: PLC0415 - only dates given as revisions need it

    return history.latest_release_tag(app.layout.cwd)


def stores_of_scope(app: App, scope: str) -> list[Database]:
    """The stores (memory databases) of a scope, as a list.

    The scope is ``project``, ``global`` (the user's own store, if there is one) or ``all``.
    """
    if scope == "project":
        return [app.store]
    if scope == "global":
        shared = app.global_store()
        return [] if shared is None else [shared]
    return app.stores()


def describe_filters_without_memories(
    filters_by_store: FiltersByStore, filter: MemoryFilter
) -> tuple[str, ...]:
    """A sentence for each condition of ``filter`` that no memory in the stores meets."""
    from gitmem.text.fence import one_line  # noqa: PLC0415 - for who finds nothing

    each = [(f"is of kind {kind}", MemoryFilter(states=(), kinds=(kind,))) for kind in filter.kinds]
    each += [(f"has the tag {tag}", MemoryFilter(states=(), tags=(tag,))) for tag in filter.tags]
    for fact in filter.facts:
        each.append((f"has the {fact[0]} {fact[1]}", MemoryFilter(states=(), facts=(fact,))))
    each += [
        (f"is in the {name} layer", MemoryFilter(states=(), layers=(name,)))
        for name in filter.layers
    ]
    claims = {
        "agent": f"was written by {filter.agent}",
        "path": f"is about {filter.path}",
        "author": f"is by {filter.author}",
        "branch": f"is of branch {filter.branch}",
        "commits": "was written at these commits",
        "naming_paths": "is about such files",
    }
    for field, claim in claims.items():
        if (value := getattr(filter, field)) not in ("", None):
            each.append((claim, replace(MemoryFilter(states=()), **{field: value})))
    return tuple(
        f"No memory {one_line(claim, 100)}."
        for claim, alone in each
        if not any(
            memories.count_filtered_memories(database, alone) for database in filters_by_store
        )
    )
