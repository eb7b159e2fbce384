"""Moves memories that were saved under a former key of their project to its present key."""

from gitmem.app import App
from gitmem.git.identity import strip_agent_worktree
from gitmem.model import project_key
from gitmem.model.frozen import replace
from gitmem.store.db import projects
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, memory_writes, project_parts


def found(app: App, store: Database) -> dict[str, int]:
    """Former key -> how many memories of the repository's store are still under it.

    Former are the aliases of the present key, other keys that the store was entered under, and
    paths of agents' worktrees in this repository. A key of another project, such as that of an
    import, is not.
    """
    key = app.identity.key
    known = {key, f"path:{app.layout.store_root}", *projects.aliases(store, key)}
    known |= {project.key for project in projects.known_projects(store)}
    counts = project_parts.counts(store)
    former = sorted(counts.keys() - {key})
    return {old: counts[old] for old in former if strip_agent_worktree(old) in known}


def run(app: App, store: Database) -> int:
    """Move them, a sub-project's to the sub-project; how many. Nothing else of them changes."""
    old = found(app, store)
    if not old:
        return 0
    key, moved = app.identity.key, 0
    with store.write():
        for memory in memories.all_memories(store):
            former, part = project_key.split(memory.project)
            if former in old:
                renamed = replace(memory, project=project_key.subproject_key(key, part))
                memory_writes.replace_in_place(store, renamed)
                moved += 1
    return moved


def sentence(old: dict[str, int], key: str) -> str:
    """What would be, or was, moved, in a sentence."""
    listed = ", ".join(f"{count} under {former}" for former, count in old.items())
    return f"memories under former keys of {key}: {listed}"
