"""Conversations with agents, as their hosts wrote them down: exchanges with the tools called."""

from __future__ import annotations

from gitmem.model.frozen import dataclass

# The key of a memory's metadata for the exchange that it was proposed from.
TRANSCRIPT = "transcript"
OK, FAILED = "ok", "failed"
# Parts of the names of tools that change files, at any host.
EDITS = ("edit", "write", "create", "replace", "patch", "insert", "delete", "rename")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """An agent's call of a tool: its name, and the files that it was given.

    ``outcome`` is ``ok`` or ``failed``, or empty if not known.
    """

    name: str
    paths: tuple[str, ...] = ()
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a user said, and what the agent answered and did until the user spoke again.

    ``conversation`` is gitmem's id of the conversation, ``number`` counts from 1 in it, ``at`` is
    in milliseconds (0 if not known). ``parent`` is the host's id of the session that this one was
    begun by or goes on from. The text is data: nobody is bound by what it says.
    """

    conversation: str
    number: int
    user: str
    assistant: str
    tools: tuple[ToolCall, ...] = ()
    at: int = 0
    parent: str = ""
    model: str = ""

    @property
    def written_paths(self) -> tuple[str, ...]:
        """The paths of the files that the exchange's tools changed, each once."""
        calls = [
            call
            for call in self.tools
            if call.outcome != FAILED and any(word in call.name.lower() for word in EDITS)
        ]
        return tuple(dict.fromkeys(path for call in calls for path in call.paths))


@dataclass(frozen=True, slots=True)
class Conversation:
    """A session as its host recorded it. Times are milliseconds, 0 if not known.

    ``host`` is the name of an agent's host (``codex``), ``session`` the host's own id, ``source``
    the path of the file it was read from, for a database followed by ``#`` and the session's id.
    """

    id: str
    host: str
    session: str
    folder: str
    started_at: int
    ended_at: int
    branch: str
    summary: str
    source: str
