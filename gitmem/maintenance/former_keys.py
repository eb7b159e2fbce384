"""Moves memories that were saved under a former key of their project to its present key."""

from gitmem.app import App
from gitmem.git.identity import repository_of_agent_worktree
from gitmem.model import project_key
from gitmem.model.frozen import replace
from gitmem.store.db import projects
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, memory_writes, project_parts


def count_memories_by_former_project_key(app: App, store: Database) -> dict[str, int]:
    """Return how many memories in the store are still under each former key of the project.

    A key identifies a project, such as its remote's address; former ones are its aliases and the
    paths of agents' worktrees. Keys of other projects are not listed.
    """
    key = app.project_identity.key
    project_keys = {key, f"path:{app.layout.store_root}", *projects.former_project_keys(store, key)}
    project_keys |= {project.key for project in projects.registered_projects(store)}
    counts = project_parts.memory_counts_by_project(store)
    former = sorted(counts.keys() - {key})
    return {old: counts[old] for old in former if repository_of_agent_worktree(old) in project_keys}


def move_memories_to_project_key(app: App, store: Database) -> int:
    """Move the memories under former project keys to the present key; return how many moved.

    A memory of a sub-project stays in that sub-project.
    """
    old = count_memories_by_former_project_key(app, store)
    if not old:
        return 0
    key, moved = app.project_identity.key, 0
    with store.write():
        for memory in memories.all_memories(store):
            former, part = project_key.split_project_key(memory.project)
            if former in old:
                renamed = replace(memory, project=project_key.subproject_key(key, part))
                memory_writes.replace_memory_in_place(store, renamed)
                moved += 1
    return moved


def describe_former_project_keys(counts_by_key: dict[str, int], current_key: str) -> str:
    """Return a text such as ``memories under former keys of KEY: 3 under OLD``.

    ``counts_by_key`` maps former keys of the project to how many memories they have.
    """
    listed = ", ".join(f"{count} under {former}" for former, count in counts_by_key.items())
    return f"memories under former keys of {current_key}: {listed}"
