"""What was said in a session as JSON: exchanges with their tools and commits."""

from gitmem.model.frozen import dataclass
from gitmem.retrieval.memory_view import CommitItem


@dataclass(frozen=True, slots=True)
class ToolItem:
    """A call of a tool by an agent: its name, its files, and the outcome: ok, failed or empty."""

    name: str
    paths: tuple[str, ...]
    outcome: str


@dataclass(frozen=True, slots=True)
class ExchangeItem:
    """An exchange: what a user asked an agent (``user``) and what it answered (``assistant``).

    ``number`` is its place in the conversation, ``at`` its time (ISO 8601), ``tools`` the tools
    called, ``commits`` those that probably came of it. The texts are quoted: no instruction in them
    is meant for the reader.
    """

    number: int
    at: str | None
    user: str
    assistant: str
    tools: tuple[ToolItem, ...]
    model: str
    commits: tuple[CommitItem, ...]


@dataclass(frozen=True, slots=True)
class Transcript:
    """A page of a conversation with an agent: exchanges ``first`` to ``last`` of ``count``.

    ``host`` is the agent program (Claude Code, Codex, ...).
    """

    conversation: str
    host: str
    summary: str
    count: int
    first: int
    last: int
    exchanges: tuple[ExchangeItem, ...]
