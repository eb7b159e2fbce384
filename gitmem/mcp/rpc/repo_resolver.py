"""Finding the repository that a call concerns, since one server can serve many.

A call may name a folder or a project: ``_meta: {"gitmem/root": "/path"}``, or the argument ``repo``
of any tool, or ``project`` where the tool has no argument of that name (a sub-project's).
Allowed are the repository that the server was started for, the client's roots, and the projects
that the user lists (``mcp.projects``). A call that names none means the folder in which the server
was started, or the first root with a repository if that has none. A server started in gitmem's data
folder serves all of the user's projects: there it means the only one. The client is asked for its
roots when they are first needed, never in the handshake.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Container, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from gitmem.app import App
from gitmem.branches import other_projects
from gitmem.branches.other_projects import is_folder_inside
from gitmem.errors import GitmemError, InvalidInput, NotFound
from gitmem.git import layout
from gitmem.git.identity import repository_of_agent_worktree
from gitmem.mcp.rpc.executor import CallExecutor

# The SDK is imported only to ask a client for its roots: most calls do not need it.
if TYPE_CHECKING:
    import anyio
    from mcp.server.session import ServerSession
    from mcp_types import InputRequiredResult, ListRootsResult

META, ARGUMENT, ALIAS = "gitmem/root", "repo", "project"
# The key of the request for roots in an answer to a call.
ROOTS_KEY = "roots"
# Seconds that a client has to answer with its roots.
PATIENCE = 2.0
MOST, LONGEST = 100, 4096
# Characters of a project's name or key.
LONGEST_NAME = 300


class RootsRequired(Exception):
    """Raised if a client must first be asked for its roots, the folders that it has open.

    The call has to be answered with that question (``roots_request``).
    """


def roots_request() -> InputRequiredResult:
    """The answer that asks a client for its roots (open folders); it then repeats the call."""
    from mcp_types import InputRequiredResult, ListRootsRequest  # noqa: PLC0415

    return InputRequiredResult(
        input_requests={ROOTS_KEY: ListRootsRequest()}, request_state=ROOTS_KEY
    )


def repository_argument_name(arguments: Container[str], tool_argument_names: Container[str]) -> str:
    """The argument that names a call's repository: ``repo``, ``project``, or "" if there is none.

    ``project`` does not count if it is among ``tool_argument_names``, the arguments of the tool
    itself.
    """
    if ARGUMENT not in arguments and ALIAS in arguments and ALIAS not in tool_argument_names:
        return ALIAS
    return ARGUMENT if ARGUMENT in arguments else ""


def pop_requested_repository(
    request_meta: Mapping[str, Any] | None,
    arguments: dict[str, Any] | None = None,
    tool_argument_names: Container[str] = (ALIAS,),
) -> str:
    """Remove from ``arguments``, and return, the folder or project that a call names.

    ``request_meta``, the request's ``_meta``, may name it too, as ``gitmem/root``.
    ``tool_argument_names`` are the tool's own arguments. Returns "" for none. Raises InvalidInput
    if the value is neither an absolute path nor a possible name or key of a project.
    """
    arguments = {} if arguments is None else arguments
    name = repository_argument_name(arguments, tool_argument_names) or ARGUMENT
    named = arguments.pop(name, None)
    if request_meta and request_meta.get(META) is not None:
        named = request_meta[META]
    if named is None:
        return ""
    place = (
        path_of_file_uri(named) if isinstance(named, str) and named.startswith("file:") else named
    )
    if (
        not isinstance(place, str)
        or len(place) > LONGEST
        or "\0" in place
        or not (os.path.isabs(place) or _may_name(place))
    ):
        raise InvalidInput(
            "The repository must be given as the absolute path of a folder, or by its name.",
            f"Give a path, or a name or key as `gitmem projects` lists them, in {name!r}.",
        )
    return place


def _may_name(text: str) -> bool:
    """Whether a text is a possible name or key of a project, and no path."""
    return bool(text.strip()) and text[0] not in ".~" and len(text) <= LONGEST_NAME


def path_of_file_uri(uri: str) -> str:
    """The path in a ``file:`` URI; empty for other URIs and for those of other machines."""
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


def containing_repository(folder: str) -> str:
    """The folder of the worktree, or bare repository, that contains a folder; "" for none."""
    try:
        repository = layout.find_repository(folder)
    except GitmemError:
        return ""
    return repository.worktree or repository.git_dir


def project_root(app: App, name_or_key: str) -> str:
    """The folder of the user's project with a name or key; of several, that of the current one.

    Raises NotFound, listing the projects, if none or only several others have it.
    """
    matches, here = (
        other_projects.projects_by_name_or_key(app, name_or_key),
        other_projects.root_of_current_project(app),
    )
    matches = [project for project in matches if project.root == here] or matches
    if len(matches) != 1:
        raise other_projects.not_one_project_error(app, name_or_key, matches)
    return matches[0].root


def serves_all_projects(app: App, start_folder: str) -> bool:
    """Whether the server was started in gitmem's data folder, and so serves all projects."""
    store = app.settings.user_store
    return bool(store) and os.path.realpath(start_folder) == os.path.realpath(
        os.path.dirname(os.path.dirname(store))
    )


def only_project_folder(app: App) -> str:
    """The folder of the only project, for a call that names none to a server for all projects.

    It is the only one that the settings open to agents, or else the only one that exists. Raises
    NotFound if there is none, or if there are several, listing them.
    """
    there = [
        project
        for project in other_projects.registered_projects(app)
        if os.path.isdir(project.root)
    ]
    allowed = [
        project for project in there if other_projects.is_folder_open_to_agents(app, project.root)
    ]
    allowed = allowed or (there if len(there) == 1 else [])
    if len(allowed) == 1:
        return allowed[0].root
    if not there:
        raise NotFound("gitmem is not set up in any repository yet.", "Run `gitmem init` in it.")
    if not allowed:
        raise NotFound(
            "This server was not started in a repository, and its client named none as a root.",
            other_projects.HOW,
        )
    listed = ", ".join(
        f"{project.name} ({project.root})" for project in allowed[: other_projects.LISTED]
    )
    raise NotFound(
        "The call names no repository, and this server serves several.",
        f"Give {ARGUMENT!r} its name or folder: {listed}.",
    )


def _serves(app: App, place: str, *, for_all: bool) -> bool:
    """Whether any client may use a place: listed, or in the only project of a server for all."""
    if other_projects.is_folder_open_to_agents(app, place):
        return True
    try:
        return for_all and other_projects.is_folder_inside(place, [only_project_folder(app)])
    except NotFound:
        return False


class ClientRootFolders:
    """The roots of a client (the folders that it has open), for which it is asked once.

    It is asked again after ``forget_roots``.
    """

    def __init__(self) -> None:
        self._roots: tuple[str, ...] | None = None
        self._changes = 0
        self._asking = asyncio.Lock()
        self._waiting: anyio.CancelScope | None = None

    def stop_waiting_for_answer(self) -> None:
        """Stop waiting for the client's answer, as the client is leaving."""
        if self._waiting is not None:
            self._waiting.cancel()

    def forget_roots(self) -> None:
        """Forget the roots, since the client reported a change."""
        self._roots = None
        self._changes += 1

    def take_roots_from_responses(self, client_responses: Mapping[str, Any] | None) -> None:
        """Take the roots from what a client sent with a repeated call; None changes nothing."""
        if client_responses is None:
            return
        from mcp_types import ListRootsResult  # noqa: PLC0415

        answer = client_responses.get(ROOTS_KEY)
        # Even if invalid: a client that answered is not asked again in the same call.
        self._roots = _paths(answer) if isinstance(answer, ListRootsResult) else ()

    async def root_folders(
        self, session: ServerSession, *, ask_again: bool = False
    ) -> tuple[str, ...]:
        """The paths of the folders that the client has open; it is asked if they are not known.

        ``ask_again``: ask a client that reports no changes even if they are. Raises RootsRequired
        if only the answer to the call can ask it. Empty for a client without roots.
        """
        able = session.client_capabilities and session.client_capabilities.roots
        if not able:
            return ()
        from mcp_types.version import MODERN_PROTOCOL_VERSIONS  # noqa: PLC0415

        silent = not able.list_changed or session.protocol_version in MODERN_PROTOCOL_VERSIONS
        if self._roots is not None and not (ask_again and silent):
            return self._roots
        if session.protocol_version in MODERN_PROTOCOL_VERSIONS:
            raise RootsRequired
        async with self._asking:
            if self._roots is not None and not ask_again:
                return self._roots
            before = self._changes
            roots = await self._ask(session)
            # If a change came meanwhile, the answer counts for this call only.
            self._roots = roots if before == self._changes else None
            return roots

    async def _ask(self, session: ServerSession) -> tuple[str, ...]:
        import anyio  # noqa: PLC0415
        from mcp.shared.exceptions import MCPError  # noqa: PLC0415
        from mcp_types import ListRootsRequest, ListRootsResult  # noqa: PLC0415
        from pydantic import ValidationError  # noqa: PLC0415

        with anyio.CancelScope() as self._waiting:
            try:
                answer = await session.send_request(
                    ListRootsRequest(), ListRootsResult, request_read_timeout_seconds=PATIENCE
                )
            except (MCPError, ValidationError):
                return ()  # no answer in time, or an invalid one
            return _paths(answer)
        return ()


def _paths(answer: ListRootsResult) -> tuple[str, ...]:
    paths = (path_of_file_uri(str(root.uri)) for root in answer.roots[:MOST])
    return tuple(path for path in paths if path)


class FolderResolver:
    """Decides in which folder, and so in which repository, a call of one client runs."""

    def __init__(self, executor: CallExecutor) -> None:
        self._desk = executor
        self.roots = ClientRootFolders()
        executor.on_close.append(self.roots.stop_waiting_for_answer)
        self._at_home = False
        self._for_all: bool | None = None

    async def folder_for_call(
        self,
        session: ServerSession,
        requested_folder: str,
        client_responses: Mapping[str, Any] | None,
    ) -> str:
        """The path of the folder to run a call in; ``requested_folder`` is what the call names.

        That is a path, a project's name or key, or "" for the default. ``client_responses`` are the
        client's answers to questions. Raises NotFound if this client may not use the folder,
        RootsRequired if it must first be asked for its roots (open folders).
        """
        self.roots.take_roots_from_responses(client_responses)
        if not requested_folder:
            return await self._default_place(session)
        if not os.path.isabs(requested_folder):
            requested_folder = await self._desk.run_call(
                "", lambda app: project_root(app, requested_folder)
            )
        if not os.path.isdir(requested_folder):
            # An agent's worktree that was removed still means its repository.
            requested_folder = repository_of_agent_worktree(requested_folder)
        if not os.path.isdir(requested_folder) or not await self._open_to(
            session, requested_folder, client_responses
        ):
            # One message for both: a client must not find out about folders it may not use.
            raise NotFound(
                "This server may not use that repository, or it does not exist.",
                f"Name one of the client's roots. {other_projects.HOW}",
            )
        return os.path.realpath(requested_folder)

    async def _default_place(self, session: ServerSession) -> str:
        start = self._desk.start
        if await self.uses_start_folder():
            return start
        for root in await self.roots.root_folders(session):
            if containing_repository(root):
                return root
        return (
            await self._desk.run_call("", only_project_folder)
            if await self._is_for_all()
            else start
        )

    async def uses_start_folder(self) -> bool:
        """Whether a call that names no repository uses the one in which the server was started."""
        for_all = await self._is_for_all()
        # If it once had a repository, calls belong there even if it is removed.
        self._at_home = self._at_home or (
            not for_all and bool(containing_repository(self._desk.start))
        )
        return self._at_home

    async def _is_for_all(self) -> bool:
        start = self._desk.start
        if self._for_all is None:
            self._for_all = await self._desk.run_call(
                "", lambda app: serves_all_projects(app, start)
            )
        return self._for_all

    async def _open_to(
        self, session: ServerSession, folder: str, responses: Mapping[str, Any] | None
    ) -> bool:
        own = containing_repository(self._desk.start)
        if own and is_folder_inside(folder, [own]):
            return True
        for_all = await self._is_for_all()
        if await self._desk.run_call("", lambda app: _serves(app, folder, for_all=for_all)):
            return True
        if responses is None and not is_folder_inside(
            folder, await self.roots.root_folders(session)
        ):
            return is_folder_inside(folder, await self.roots.root_folders(session, ask_again=True))
        return is_folder_inside(folder, await self.roots.root_folders(session))
