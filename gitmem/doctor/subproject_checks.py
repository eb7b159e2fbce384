"""Checks of the sub-projects of a monorepo: which are declared, and faults of the declaration."""

import os
from collections.abc import Iterator

from gitmem.app import App
from gitmem.branches import subproject_files
from gitmem.branches.subproject_files import Subproject
from gitmem.doctor.finding import NOTE, OK, Finding

_AREA = "sub-projects"


def examine(app: App) -> Iterator[Finding]:
    """Findings on the declared sub-projects; no findings if none are declared."""
    subprojects = subproject_files.declared_subprojects(app)
    if subprojects:
        listed = ", ".join(f"{subproject.name} ({subproject.folder})" for subproject in subprojects)
        yield Finding(_AREA, OK, f"{len(subprojects)} declared: {listed}", "")
    by_name: dict[str, list[str]] = {}
    for subproject in subprojects:
        by_name.setdefault(subproject.name, []).append(subproject.folder)
        if wrong := _folder(app, subproject):
            yield Finding(_AREA, NOTE, *wrong)
    for name, folders in by_name.items():
        if len(folders) > 1:
            yield Finding(
                _AREA,
                NOTE,
                f"{' and '.join(folders)} are both called {name}, and so have one memory.",
                "Give each a name of its own in its .gitmem.toml.",
            )
    declared = set(by_name)
    gone = [name for name in subproject_files.subprojects_of_memories(app) if name not in declared]
    if gone:
        yield Finding(
            _AREA,
            NOTE,
            f"memories belong to {', '.join(gone)}, which nothing declares any more",
            "They are kept, and found from the root and with --project; declare a folder of that "
            "name to see them in it.",
        )


def _folder(app: App, subproject: Subproject) -> tuple[str, str] | None:
    """What is wrong with the folder of a sub-project, and the hint; None: nothing."""
    root = app.layout.worktree or ""
    place = os.path.join(root, subproject.folder)
    change = (
        f"Correct {subproject.source}." if subproject.source == subproject_files.SETTING else ""
    )
    if not os.path.isdir(place):
        return f"{subproject.folder}, the folder of {subproject.name}, is not there.", change
    real = os.path.realpath(place)
    if real != os.path.join(root, *subproject.folder.split("/")):
        return (
            f"{subproject.folder}, the folder of {subproject.name}, leads elsewhere: to {real}.",
            change,
        )
    if os.path.lexists(os.path.join(place, ".git")):
        return (
            f"{subproject.folder} is a repository of its own, with a memory of its own.",
            f"Run `gitmem init` in it, and take {subproject.name} out of {subproject.source}.",
        )
    return None
