"""Which project a request means: the one of the server, or one that the user lists."""

from __future__ import annotations

from gitmem.mcp.rpc import repo_resolver
from gitmem.mcp.rpc.executor import CallExecutor


class _ClientWithoutRoots(repo_resolver.ClientRootFolders):
    async def root_folders(self, *_: object, **__: object) -> tuple[str, ...]:
        return ()


# A client over the network has no roots that could be believed.
NO_ROOTS = _ClientWithoutRoots()


class ProjectFolders:
    """Finds the folder of the project in which a request over HTTP runs."""

    def __init__(self, executor: CallExecutor) -> None:
        self._places = repo_resolver.FolderResolver(executor)
        self._places.roots = NO_ROOTS

    async def folder_of_project(self, repo: str) -> str:
        """The folder of a project given by folder, name or key; the server's own if empty.

        Raises NotFound if the user's settings do not open it to agents.
        """
        return await self._places.folder_for_call(None, repo, None)  # type: ignore[arg-type]
