"""Tool calls in this process, as one connection makes them, without a server around it.

agent = Agent(desk)
agent("remember", text="Redis is on 6380")
agent.data("recall", q="redis")["memories"]
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mcp_types import CallToolResult, TextContent

from gitmem.mcp.compat import argument_names
from gitmem.mcp.tools import call_arguments, calls, catalogue
from gitmem.mcp.tools.defaults import SessionState
from gitmem.mcp.tools.offer import OfferedTool, check_arguments
from gitmem.text.fence import NOTICE
from tests.support import moved
from tests.support.apps import MINUTE, Desk, small_repo

SERVER = '''"""The server of the shop."""


class Server:
    """Listens on the port of Redis."""

    def start(self, port=6380):
        """Start it; the session cookie is signed."""
        return port
'''
HISTORY = (
    "Start the server on the port that the settings name",
    "server: close the listener when the port is taken",
    "Merge pull request #12 from shop/server-port",
    "Log the port once the server listens",
    "Let the server pick a port of its own in tests",
)


class Agent:
    """A connection: a profile, and what was set for the session."""

    def __init__(self, desk: Desk, profile: str = "default") -> None:
        self.desk = desk
        self.profile = profile
        self.state = SessionState()

    def call(self, tool: str, arguments: Any) -> CallToolResult:
        """The answer to a call. Raises GitmemError."""
        app = self.desk.app(agent="claude-code")
        try:
            answer = calls.perform_tool_call(app, tool, arguments, self.state, self.profile)
            return CallToolResult.model_validate(answer.result)
        finally:
            app.close()

    def __call__(self, tool: str, **arguments: Any) -> CallToolResult:
        """The same with named arguments, a minute later than the one before."""
        self.desk.clock.advance(MINUTE)
        return self.call(tool, arguments)

    def data(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What a call answers as data, without the notice that it is data."""
        result = self(tool, **arguments).structured_content
        assert isinstance(result, dict)
        return {name: value for name, value in result.items() if name != NOTICE}

    def text(self, tool: str, **arguments: Any) -> str:
        """What a call answers as text."""
        return text_of(self(tool, **arguments))


def text_of(answer: CallToolResult) -> str:
    """The text of an answer."""
    (content,) = answer.content
    assert isinstance(content, TextContent)
    return content.text


def shop(folder: Path) -> Desk:
    """A small repository with an index and a store, and nothing remembered yet.

    The first one is really made, the others are copies of it.
    """
    moved.copy(Path(_model().name), folder)
    return _desk(folder)


@cache
def _model() -> TemporaryDirectory[str]:
    saved = TemporaryDirectory(prefix="gitmem-test-")
    folder = Path(saved.name)
    repo = small_repo(folder)
    repo.commit("Sign the session cookie", {"src/server.py": SERVER})
    repo.commit("Test the server", {"tests/test_server.py": "from src.server import Server\n"})
    repo.commit("Name the port of Redis", {"src/server.py": SERVER + "\n# Redis: 6380\n"})
    for number, what in enumerate(HISTORY):
        repo.commit(what, {f"src/part{number}.py": f"def part{number}():\n    return {number}\n"})
    desk = _desk(folder)
    desk.run("init", no_hooks=True)
    desk.run("index")
    return saved


def _desk(folder: Path) -> Desk:
    alone = {"GITMEM_BACKUP_INTERVAL_HOURS": "0", "GITMEM_COPY_MODE": "off"}
    return Desk(folder / "repo", folder / "home", **alone)


def remembering(desk: Desk, count: int = 6) -> list[str]:
    """Some memories, each said a minute after the one before; their ids."""
    agent = Agent(desk)
    return [
        agent.data(
            "remember",
            text=f"The session cookie is signed by key number {number}; the newest key signs, all "
            "of them verify, and none of them is ever written to the log.",
            title=f"Session cookies, part {number}",
            kind="convention",
            tag=["web", f"part-{number}"],
            path=["src/server.py"],
        )["id"]
        for number in range(count)
    ]


def request(offer: OfferedTool, arguments: Mapping[str, Any]) -> Any:
    """The operation's request that a call means. Raises InvalidInput."""
    part, rest = catalogue.tool_for_action(offer, arguments)
    if part.call is not None:
        return check_arguments(
            part, call_arguments.convert_tool_arguments(part.call, rest, part.fields).values
        )
    return check_arguments(part, argument_names.rename_to_own_fields(rest, part.fields))
