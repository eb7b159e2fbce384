"""The page on how the program is built: floors, rooms and walks.

Floors and promises come from the import contracts in ``pyproject.toml``, what a package or a module
is for from its docstring. What no file of the program can say stands here as text.
"""

from __future__ import annotations

from collections.abc import Iterator

from docs.pages import markdown, program
from docs.pages.program import PACKAGE
from docs.pages.walks import WALKS, Step, Walk

IDEA = """\
1. Everything gitmem knows of a repository lies in one SQLite file in it, `.gitmem/memory.db`. Half
   of that is yours (memories, sessions, links), half can be made again (index, vectors).
2. A verb is one module of `operations/`: request, function, result, view. Command line, MCP server
   and reference pages all read the same table of verbs.
3. Imports go down only, from floor to floor. The pure rules (`model`, `memory`, `search`,
   `timeline`) know neither disk nor clock. SQL, git, models and tree-sitter are known to one
   package each.
4. Nothing runs all the time: git's hooks leave one line in a spool and a detached process follows;
   hooks of agents answer at once or not at all.
5. What runs at every prompt and commit imports next to nothing: libraries are loaded where they are
   used, and tests count what the hot commands import.
"""
WALKED = """\
Each room is named with its module, and a test checks that the one before (or the one named) calls
it.
"""
DEPARTURES = """\
**Why a room `background`?** What a hook starts, detached, follows git's events and those of
sessions and then does the upkeep that is due. It is no verb (the hidden verbs `drain` and `upkeep`
only call it), and it stands above `agents`, because it replays what their hooks noted.

**Why a room `assembly`?** What a session is given at its start is put together in one way for three
callers: the verb `orient`, the agents' hook and an MCP resource. None of them may import another.

**Why a room `maintenance`?** When upkeep is due is asked after every command, by hooks and by the
MCP server; fading and backups are done in the background and by verbs. All that lies below them.

**Why has the store the rooms `db`, `file`, `code`, `memory` and `session`, and not four?** `db` is
what every row stands on: connection, schema, the gate that no secret passes. `file` is the store as
a file: created, opened, migrated, restored, checked. Migrating fills the full-text rows of memories
again and checking reads them, so `file` stands above `memory`, and the connection below it.

**Why are `projects` in `db` and not with the sessions?** The key of the project, and the store's
other notes about itself, are read before any row: by `app` to say where one is, by whatever is due
once in a while, and by the room `memory`, which stands below `session`.

**Why do the MCP server's `handlers` and `server` stay above `rpc/` and `tools/`?** They are what
joins the two: `rpc/` knows nothing of what is offered, `tools/` nothing of how it travels.

**Why is opening a store apart from migrating it?** Every command opens one, and hardly any
migrates. `store.file.opening` holds what is checked before SQLite reads a byte, and
`store.file.migrate` the steps, whose files are read only where the store's header says so.
"""

MODULES = """\
A module's first line says what it is for; a test checks that it has one. All of a package at once:
`head -qn 1 gitmem/timeline/*.py`.
"""


def page() -> str:
    """The whole page."""
    count = len(program.modules()) - len(program.packages())
    parts = [
        "# Architecture",
        f"{count} modules in {len(program.packages())} packages. How to change them: "
        "[CONTRIBUTING.md](../CONTRIBUTING.md).",
        "## The idea",
        IDEA,
        "## Floors",
        "From top to bottom. A package imports packages of lower floors, never of its own or a "
        "higher one; `lint-imports` checks it.",
        markdown.table(["floor", "package", "what it is", "modules"], _floors()),
        *(part for container in _containers() for part in _rooms(container)),
        "## What else is checked",
        "\n".join(f"- {name}" for name in program.promises()),
        "## Four walks",
        WALKED,
        *map(_walk, WALKS),
        "## Departures from the plan",
        DEPARTURES,
        "## Which module",
        MODULES,
    ]
    return "\n\n".join(part.rstrip("\n") for part in parts)


def _floors() -> Iterator[tuple[object, ...]]:
    for number, floor in enumerate(program.layers(), 1):
        for name in floor:
            yield number, markdown.code(name), *_told(f"{PACKAGE}.{name}")


def _containers() -> list[str]:
    """The packages of the highest floor first that have packages inside."""
    names = [f"{PACKAGE}.{name}" for floor in program.layers() for name in floor]
    return [name for name in names if program.layers(name) or _inside(name)]


def _rooms(container: str) -> Iterator[str]:
    """What stands inside a package, from top to bottom where a contract says what is above."""
    yield f"### Rooms inside {_short(container)}"
    floors = program.layers(container)
    if floors:
        rows = [
            (number, markdown.code(name), *_told(f"{container}.{name}"))
            for number, floor in enumerate(floors, 1)
            for name in floor
        ]
        yield markdown.table(["floor", "room", "what it is", "modules"], rows)
    else:
        inside = [(markdown.code(_short(name)), *_told(name)) for name in _inside(container)]
        yield markdown.table(["room", "what it is", "modules"], inside)


def _inside(container: str) -> list[str]:
    return [name for name in program.packages() if name.rpartition(".")[0] == container]


def _told(name: str) -> tuple[str, int]:
    """What a package or module is, and how many modules it has in all."""
    size = sum(
        len(modules)
        for package, modules in program.packages().items()
        if package == name or package.startswith(name + ".")
    )
    return _first(name), size or 1


def _first(name: str) -> str:
    return markdown.first_sentence(program.docstring(name)).replace("``", "`")


def _walk(walk: Walk) -> str:
    steps = [f"{number}. {_step(step)}" for number, step in enumerate(walk.steps, 1)]
    return "\n".join([f"### {walk.title}", "", f"{walk.begins}:", "", *steps])


def _step(step: Step) -> str:
    by = f" (called by `{step.by}`)" if step.by else ""
    return f"`{step.where}` {step.does}{by}"


def _short(name: str) -> str:
    return name.removeprefix(PACKAGE + ".")
