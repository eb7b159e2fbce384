"""What a host makes of a hook's output: the text that reaches its model, or why none does."""

from __future__ import annotations

from gitmem.agents.hosts.host import Host
from gitmem.agents.hosts.output import Output
from gitmem.errors import InvalidInput


def text(host: Host, event: str, output: bytes) -> str:
    """The text that reaches the model, empty for none. Raises InvalidInput where it is refused."""
    try:
        told = output.decode("utf-8").strip()
    except UnicodeDecodeError as error:
        raise InvalidInput("its output is not UTF-8") from error
    return host.live.reads(event, Output(told)) if told else ""
