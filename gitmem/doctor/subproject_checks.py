"""Sub-projects of a monorepo: which there are, and what is wrong with how they are declared."""

import os
from collections.abc import Iterator

from gitmem.app import App
from gitmem.branches import subproject_files
from gitmem.branches.subproject_files import Subproject
from gitmem.doctor.finding import NOTE, OK, Finding

_AREA = "sub-projects"


def examine(app: App) -> Iterator[Finding]:
    """The sub-projects that are declared; nothing where there are none."""
    found = subproject_files.declared(app)
    if found:
        listed = ", ".join(f"{one.name} ({one.folder})" for one in found)
        yield Finding(_AREA, OK, f"{len(found)} declared: {listed}", "")
    by_name: dict[str, list[str]] = {}
    for one in found:
        by_name.setdefault(one.name, []).append(one.folder)
        if wrong := _folder(app, one):
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
    gone = [name for name in subproject_files.remembered(app) if name not in declared]
    if gone:
        yield Finding(
            _AREA,
            NOTE,
            f"memories belong to {', '.join(gone)}, which nothing declares any more",
            "They are kept, and found from the root and with --project; declare a folder of that "
            "name to see them in it.",
        )


def _folder(app: App, one: Subproject) -> tuple[str, str] | None:
    """What is wrong with the folder of a sub-project, and what to do; None: nothing."""
    root = app.layout.worktree or ""
    place = os.path.join(root, one.folder)
    change = f"Correct {one.source}." if one.source == subproject_files.SETTING else ""
    if not os.path.isdir(place):
        return f"{one.folder}, the folder of {one.name}, is not there.", change
    real = os.path.realpath(place)
    if real != os.path.join(root, *one.folder.split("/")):
        return f"{one.folder}, the folder of {one.name}, leads elsewhere: to {real}.", change
    if os.path.lexists(os.path.join(place, ".git")):
        return (
            f"{one.folder} is a repository of its own, with a memory of its own.",
            f"Run `gitmem init` in it, and take {one.name} out of {one.source}.",
        )
    return None
