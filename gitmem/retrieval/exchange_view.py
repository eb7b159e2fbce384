"""What was said in a session as JSON: exchanges with their tools and commits."""

from gitmem.model.frozen import dataclass
from gitmem.retrieval.memory_view import CommitItem


@dataclass(frozen=True, slots=True)
class ToolItem:
    """A call of a tool: its name, the files it was given, and ``ok``, ``failed`` or empty."""

    name: str
    paths: tuple[str, ...]
    outcome: str


@dataclass(frozen=True, slots=True)
class ExchangeItem:
    """What was asked and answered, and the commits that probably came of it.

    The texts are what was said, quoted: no instruction in them is meant for the reader.
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
    """A page of a conversation: exchanges ``first`` to ``last`` of ``count``."""

    conversation: str
    host: str
    summary: str
    count: int
    first: int
    last: int
    exchanges: tuple[ExchangeItem, ...]
