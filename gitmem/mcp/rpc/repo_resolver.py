"""Which repository a call means, where one server serves many.

A call may name a folder: ``_meta: {"gitmem/root": "/path"}``, or the argument ``repo`` of any tool.
It is served where the user let this client in: in the repository that the server was started for,
in the roots that the client told, in the projects that the user lists (``mcp.projects``). Nothing
else is looked into. A call that names none means the folder the server was started in, or the first
root with a repository where that has none; of a server started in gitmem's own folder for this
user, which is for all of the user's projects, the only one. The client is asked for its roots when
they are first needed, never in the handshake.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from gitmem.app import App
from gitmem.branches import other_projects
from gitmem.branches.other_projects import inside
from gitmem.errors import GitmemError, InvalidInput, NotFound
from gitmem.git import layout
from gitmem.mcp.rpc.executor import Desk

# The SDK is imported where a client is asked for its roots: most calls are answered without.
if TYPE_CHECKING:
    import anyio
    from mcp.server.session import ServerSession
    from mcp_types import InputRequiredResult, ListRootsResult

META, ARGUMENT = "gitmem/root", "repo"
# The name under which a client is asked for its roots in answer to a call.
ASKED = "roots"
# Seconds that a client has to tell its roots.
PATIENCE = 2.0
MOST, LONGEST = 100, 4096
# Characters of a project's name or key, and how many projects a refusal lists.
LONGEST_NAME, LISTED = 300, 10


class RootsWanted(Exception):
    """The client can be asked for its roots only in answer to this call."""


def question() -> InputRequiredResult:
    """The answer that asks for roots; the client repeats the call with them."""
    from mcp_types import InputRequiredResult, ListRootsRequest  # noqa: PLC0415

    return InputRequiredResult(input_requests={ASKED: ListRootsRequest()}, request_state=ASKED)


def named(meta: Mapping[str, Any] | None, arguments: dict[str, Any] | None = None) -> str:
    """The folder or project that a call names, taken out of its arguments; empty if none.

    Raises InvalidInput for what is neither an absolute path nor the name or key of a project.
    """
    said = (arguments or {}).pop(ARGUMENT, None)
    if meta and meta.get(META) is not None:
        said = meta[META]
    if said is None:
        return ""
    place = path_of(said) if isinstance(said, str) and said.startswith("file:") else said
    if (
        not isinstance(place, str)
        or len(place) > LONGEST
        or "\0" in place
        or not (os.path.isabs(place) or _may_name(place))
    ):
        raise InvalidInput(
            "The repository must be given as the absolute path of a folder, or by its name.",
            f"Give a path, or a name or key as `gitmem projects` lists them, in {ARGUMENT!r}.",
        )
    return place


def _may_name(text: str) -> bool:
    """Whether it may be the name or the key of a project: no path, and nothing that hides one."""
    return bool(text.strip()) and text[0] not in ".~" and len(text) <= LONGEST_NAME


def path_of(uri: str) -> str:
    """The path in a ``file:`` URI; empty where there is none of this machine."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return ""
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return ""
    path = unquote(parts.path, errors="surrogateescape")
    if os.name == "nt":
        path = path.lstrip("/").replace("/", "\\")
    return path if os.path.isabs(path) and "\0" not in path and len(path) <= LONGEST else ""


def repository_of(place: str) -> str:
    """The folder whose repository holds a place: its worktree, or a bare one; empty: none."""
    try:
        found = layout.find(place)
    except GitmemError:
        return ""
    return found.worktree or found.git_dir


def root_of(app: App, name: str) -> str:
    """The folder of the project with that name or key. Raises NotFound listing what there is."""
    entered = other_projects.every(app)
    found = [one for one in entered if one.key == name] or [
        one for one in entered if one.name.lower() == name.lower()
    ]
    if len(found) == 1:
        return found[0].root
    allowed = [project for project in found or entered if other_projects.listed(app, project.root)]
    listed = ", ".join(f"{project.name} ({project.root})" for project in allowed[:LISTED])
    many = f"{len(found)} projects are" if found else "No project is"
    raise NotFound(
        f"{many} called {name[:80]!r}.",
        f"Give its folder or its key. Projects: {listed}." if listed else "Give its folder.",
    )


def is_for_all(app: App, start: str) -> bool:
    """Whether a server was started in gitmem's own folder, to serve all projects of its user."""
    store = app.settings.user_store
    return bool(store) and os.path.realpath(start) == os.path.realpath(
        os.path.dirname(os.path.dirname(store))
    )


def only_one(app: App) -> str:
    """The one project that a server for all may be asked about.

    That is the only one of this user, or the only one that the user lists. Raises NotFound, which
    lists them, where there are others.
    """
    there = [project for project in other_projects.every(app) if os.path.isdir(project.root)]
    allowed = [project for project in there if other_projects.listed(app, project.root)]
    allowed = allowed or (there if len(there) == 1 else [])
    if len(allowed) == 1:
        return allowed[0].root
    if not there:
        raise NotFound("gitmem is not set up in any repository yet.", "Run `gitmem init` in it.")
    if not allowed:
        raise NotFound(
            "This server was started in no repository, and its client names none as a root.",
            other_projects.HOW,
        )
    listed = ", ".join(f"{project.name} ({project.root})" for project in allowed[:LISTED])
    raise NotFound(
        "The call names no repository, and this server serves several.",
        f"Give {ARGUMENT!r} its name or folder: {listed}.",
    )


def _serves(app: App, place: str, *, for_all: bool) -> bool:
    """Whether a place is open to all: listed, or in the only project of a server for all."""
    if other_projects.listed(app, place):
        return True
    try:
        return for_all and other_projects.inside(place, [only_one(app)])
    except NotFound:
        return False


class Roots:
    """What one client told of its folders. It is asked once, and again when it says so."""

    def __init__(self) -> None:
        self._told: tuple[str, ...] | None = None
        self._changes = 0
        self._asking = asyncio.Lock()
        self._waiting: anyio.CancelScope | None = None

    def give_up(self) -> None:
        """Wait for no answer any more: the client is leaving."""
        if self._waiting is not None:
            self._waiting.cancel()

    def changed(self) -> None:
        """The client says that they are others now."""
        self._told = None
        self._changes += 1

    def take(self, responses: Mapping[str, Any] | None) -> None:
        """Take over what came with a repeated call."""
        if responses is None:
            return
        from mcp_types import ListRootsResult  # noqa: PLC0415

        told = responses.get(ASKED)
        # Whatever it was: who answered is not asked again in the same call.
        self._told = _paths(told) if isinstance(told, ListRootsResult) else ()

    async def of(self, session: ServerSession, *, again: bool = False) -> tuple[str, ...]:
        """The folders, in the client's order. Raises RootsWanted.

        ``again``: they may be others by now, though the client said nothing.
        """
        able = session.client_capabilities and session.client_capabilities.roots
        if not able:
            return ()
        from mcp_types.version import MODERN_PROTOCOL_VERSIONS  # noqa: PLC0415

        silent = not able.list_changed or session.protocol_version in MODERN_PROTOCOL_VERSIONS
        if self._told is not None and not (again and silent):
            return self._told
        if session.protocol_version in MODERN_PROTOCOL_VERSIONS:
            raise RootsWanted
        async with self._asking:
            if self._told is not None and not again:
                return self._told
            before = self._changes
            told = await self._ask(session)
            # An answer that a change has overtaken is good for this call, and for no other.
            self._told = told if before == self._changes else None
            return told

    async def _ask(self, session: ServerSession) -> tuple[str, ...]:
        import anyio  # noqa: PLC0415
        from mcp.shared.exceptions import MCPError  # noqa: PLC0415
        from mcp_types import ListRootsRequest, ListRootsResult  # noqa: PLC0415
        from pydantic import ValidationError  # noqa: PLC0415

        with anyio.CancelScope() as self._waiting:
            try:
                told = await session.send_request(
                    ListRootsRequest(), ListRootsResult, request_read_timeout_seconds=PATIENCE
                )
            except (MCPError, ValidationError):
                return ()  # it did not answer in time, or with nothing that can be read
            return _paths(told)
        return ()


def _paths(list_roots_result: ListRootsResult) -> tuple[str, ...]:
    found = (path_of(str(root.uri)) for root in list_roots_result.roots[:MOST])
    return tuple(path for path in found if path)


class Places:
    """Finds the folder in which a call is to be done."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.roots = Roots()
        desk.on_close.append(self.roots.give_up)
        self._at_home = False
        self._for_all: bool | None = None

    async def place(
        self, session: ServerSession, asked: str, responses: Mapping[str, Any] | None
    ) -> str:
        """The folder. Raises NotFound for one that is not open to this client, RootsWanted."""
        self.roots.take(responses)
        if not asked:
            return await self._usual(session)
        if not os.path.isabs(asked):
            asked = await self._desk.do("", lambda app: root_of(app, asked))
        if not os.path.isdir(asked) or not await self._open_to(session, asked, responses):
            # The same words for both: what is not open to a client it cannot ask about.
            raise NotFound(
                "This server may not use that repository, or it does not exist.",
                f"Name one of the client's roots. {other_projects.HOW}",
            )
        return os.path.realpath(asked)

    async def _usual(self, session: ServerSession) -> str:
        start = self._desk.start
        if await self.at_home():
            return start
        for root in await self.roots.of(session):
            if repository_of(root):
                return root
        return await self._desk.do("", only_one) if await self._is_for_all() else start

    async def at_home(self) -> bool:
        """Whether a call that names no repository is for the one the server was started in."""
        for_all = await self._is_for_all()
        # Once it had a repository, that is where a call belongs, whatever becomes of it.
        self._at_home = self._at_home or (not for_all and bool(repository_of(self._desk.start)))
        return self._at_home

    async def _is_for_all(self) -> bool:
        start = self._desk.start
        if self._for_all is None:
            self._for_all = await self._desk.do("", lambda app: is_for_all(app, start))
        return self._for_all

    async def _open_to(
        self, session: ServerSession, asked: str, responses: Mapping[str, Any] | None
    ) -> bool:
        own = repository_of(self._desk.start)
        if own and inside(asked, [own]):
            return True
        for_all = await self._is_for_all()
        if await self._desk.do("", lambda app: _serves(app, asked, for_all=for_all)):
            return True
        if responses is None and not inside(asked, await self.roots.of(session)):
            return inside(asked, await self.roots.of(session, again=True))
        return inside(asked, await self.roots.of(session))
