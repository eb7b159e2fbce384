"""What entities are called for people: the subject of a commit, the headline of a memory."""

from collections.abc import Iterable

from gitmem.history.entity_graph import EntityGraph
from gitmem.model.entity import MEMORY_KINDS, parted
from gitmem.model.frozen import dataclass
from gitmem.store.code import commit_ends
from gitmem.store.memory import link_graph, short_ids
from gitmem.store.session import sessions


@dataclass(frozen=True, slots=True)
class Title:
    """A text for an entity; ``handle`` is the shortest name by which it can be asked for.

    ``state`` and ``trust`` are those of a memory, else empty.
    """

    handle: str
    text: str = ""
    state: str = ""
    trust: str = ""


def titles(graph: EntityGraph, keys: Iterable[str]) -> dict[str, Title]:
    """The title of each entity, those that were read from what was read."""
    wanted = sorted(set(keys))
    names: dict[str, list[str]] = {}
    for one in wanted:
        kind, name = parted(one)
        names.setdefault("memory" if kind in MEMORY_KINDS else kind, []).append(name)
    missing = [id for id in names.get("memory", ()) if id not in graph.memories]
    memories = graph.memories | link_graph.memories_of(graph.store, missing)
    new = [sha for sha in names.get("commit", ()) if sha not in graph.commits]
    commits = {sha: one.subject for sha, one in graph.commits.items()}
    commits |= {sha: subject for sha, (subject, _) in commit_ends.titles(graph.store, new).items()}
    unread = [id for id in names.get("session", ()) if id not in graph.sessions]
    worked = graph.sessions | {one.id: one for one in sessions.of_ids(graph.store, unread)}
    found = {}
    for one in wanted:
        kind, name = parted(one)
        if kind in MEMORY_KINDS:
            memory = memories.get(name)
            handle = short_ids.shortest(graph.store, name)
            found[one] = (
                Title(handle)
                if memory is None
                else Title(handle, memory.headline, memory.state, memory.tier)
            )
        elif kind == "commit":
            found[one] = Title(name[:10], commits.get(name, ""))
        elif kind == "session":
            session = worked.get(name)
            told = "" if session is None else session.goal or session.summary
            found[one] = Title(name, told)
        else:
            found[one] = Title(name)
    return found
