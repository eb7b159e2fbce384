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
    """An agent's call of one of its tools: the tool's name, and the files that it was given.

    ``outcome`` is ``ok`` or ``failed``, or empty if not known.
    """

    name: str
    paths: tuple[str, ...] = ()
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a user said to an agent, and what it answered and did until the user spoke again.

    ``conversation`` is gitmem's id of the conversation, ``number`` counts from 1 in it, ``at`` is
    milliseconds since 1970 (0 if not known). ``parent`` is the id, with the agent's program, of the
    session that this one was begun by or goes on from.
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
        """The paths of the files that the agent's tools changed, each once."""
        calls = [
            call
            for call in self.tools
            if call.outcome != FAILED and any(word in call.name.lower() for word in EDITS)
        ]
        return tuple(dict.fromkeys(path for call in calls for path in call.paths))


@dataclass(frozen=True, slots=True)
class Conversation:
    """A session of an agent, as the agent's program recorded it. Times are milliseconds since 1970.

    0 is an unknown time. ``host`` names the program (``codex``), ``session`` is its id there,
    ``source`` the path of the file it was read from, for a database followed by ``#`` and the
    session's id.
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
