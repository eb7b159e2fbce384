"""Which repository a call means, where one server serves many.

A call may name a folder: ``_meta: {"gitmem/root": "/path"}``, or the argument ``repo`` of any tool.
It is served where the user let this client in: in the repository that the server was started for,
in the roots that the client told, in the projects that the user set gitmem up in. Nothing else is
looked into. A call that names none means the folder the server was started in, or the first root
with a repository where that has none; of a server started in gitmem's own folder for this user,
which serves all of the user's projects, the only one. The client is asked for its roots when they
are first needed, never in the handshake.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

import anyio
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from mcp_types import InputRequiredResult, ListRootsRequest, ListRootsResult
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from gitmem.app import App
from gitmem.errors import GitmemError, InvalidInput, NotFound
from gitmem.git import identity, layout
from gitmem.mcp.rpc.executor import Desk
from gitmem.store.db import projects
from gitmem.store.db.projects import Project
from gitmem.store.file import registration

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


def inside(place: str, folders: Iterable[str]) -> bool:
    """Whether a folder is one of some folders or in one, symbolic links followed."""
    real = os.path.realpath(place)
    for folder in folders:
        above = os.path.realpath(folder)
        if real == above or real.startswith(above.rstrip(os.sep) + os.sep):
            return True
    return False


def repository_of(place: str) -> str:
    """The folder whose repository holds a place: its worktree, or a bare one; empty: none."""
    try:
        found = layout.find(place)
    except GitmemError:
        return ""
    return found.worktree or found.git_dir


def known(app: App, place: str) -> bool:
    """Whether a place is in one of the projects that the user set gitmem up in."""
    shared = app.global_store()
    if shared is None:
        return False
    entered = projects.known(shared)
    return inside(place, (one.root for one in entered)) or _is_clone(app, place, entered)


def _is_clone(app: App, place: str, entered: Iterable[Project]) -> bool:
    """Whether it is in another clone of a project, in which the user set gitmem up too."""
    try:
        found = layout.find(place)
        if not registration.at(app.keys.stores, found.store_root):
            return False
        return identity.resolve(found, configured_name=None).key in {one.key for one in entered}
    except GitmemError:
        return False


def root_of(app: App, name: str) -> str:
    """The folder of the project with that name or key. Raises NotFound listing what there is."""
    shared = app.global_store()
    entered = [] if shared is None else projects.known(shared)
    found = [one for one in entered if one.key == name] or [
        one for one in entered if one.name.lower() == name.lower()
    ]
    if len(found) == 1:
        return found[0].root
    listed = ", ".join(f"{one.name} ({one.root})" for one in (found or entered)[:LISTED])
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
    """The one project of this user. Raises NotFound, which lists them, where there are others."""
    shared = app.global_store()
    there = [] if shared is None else projects.known(shared)
    there = [one for one in there if os.path.isdir(one.root)]
    if len(there) == 1:
        return there[0].root
    listed = ", ".join(f"{one.name} ({one.root})" for one in there[:LISTED])
    raise NotFound(
        "The call names no repository, and this server serves all of them."
        if there
        else "gitmem is not set up in any repository yet.",
        f"Give {ARGUMENT!r} its name or folder: {listed}." if there else "Run `gitmem init` in it.",
    )


class Roots:
    """What one client told of its folders. It is asked once, and again when it says so."""

    def __init__(self) -> None:
        self._told: tuple[str, ...] | None = None
        self._changes = 0
        self._asking = asyncio.Lock()
        self._waiting = anyio.CancelScope()

    def give_up(self) -> None:
        """Wait for no answer any more: the client is leaving."""
        self._waiting.cancel()

    def changed(self) -> None:
        """The client says that they are others now."""
        self._told = None
        self._changes += 1

    def take(self, responses: Mapping[str, Any] | None) -> None:
        """Take over what came with a repeated call."""
        if responses is None:
            return
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
        with anyio.CancelScope() as self._waiting:
            try:
                told = await session.send_request(
                    ListRootsRequest(), ListRootsResult, request_read_timeout_seconds=PATIENCE
                )
            except (MCPError, ValidationError):
                return ()  # it did not answer in time, or with nothing that can be read
            return _paths(told)
        return ()


def _paths(told: ListRootsResult) -> tuple[str, ...]:
    found = (path_of(str(root.uri)) for root in told.roots[:MOST])
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
                "Name one of the client's roots, or a project where `gitmem init` was run.",
            )
        return os.path.realpath(asked)

    async def _usual(self, session: ServerSession) -> str:
        start = self._desk.start
        if self._for_all is None:
            self._for_all = await self._desk.do("", lambda app: is_for_all(app, start))
        # Once it had a repository, that is where a call belongs, whatever becomes of it.
        self._at_home = self._at_home or (not self._for_all and bool(repository_of(start)))
        if self._at_home:
            return start
        for root in await self.roots.of(session):
            if repository_of(root):
                return root
        return await self._desk.do("", only_one) if self._for_all else start

    async def _open_to(
        self, session: ServerSession, asked: str, responses: Mapping[str, Any] | None
    ) -> bool:
        own = repository_of(self._desk.start)
        if own and inside(asked, [own]):
            return True
        if await self._desk.do("", lambda app: known(app, asked)):
            return True
        if responses is None and not inside(asked, await self.roots.of(session)):
            return inside(asked, await self.roots.of(session, again=True))
        return inside(asked, await self.roots.of(session))
