"""What the program's own data says of a host: its places, events, and who is spoken to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gitmem.agents.events import responses
from gitmem.agents.events.hook_event import HookEvent
from gitmem.agents.hosts import registry
from gitmem.agents.hosts.host import HOOKS, Host
from gitmem.agents.wiring import templates

# Names in the templates of places -> what they are on Linux, and the variable that moves them.
_BASES = {
    "project": ("", ""),
    "main": ("", ""),
    "home": ("~", ""),
    "config": ("~/.config", ""),
    "xdg": ("~/.config", "XDG_CONFIG_HOME"),
}


def oriented(host: Host) -> tuple[str, int]:
    """The host's event that brings the orientation, and the characters it takes; none: no event."""
    for native, event in events(host):
        if event in ("session-start", "pre-invocation", "prompt") and speaks(host, event):
            return native, responses.max_output_size(_speaker(host))
    return "", 0


def _speaker(host: Host) -> str:
    """Whom the hooks say that they are of: two hosts share Copilot's."""
    told = templates.read_config_template(host.name).get(HOOKS)
    return told if isinstance(told, str) and "." not in told else host.name


def speaks(host: Host, event: str) -> bool:
    """Whether what the hook says at this event reaches the model."""
    speaker = registry.find_host(_speaker(host))
    # Who only reads another's file names the event in what it hands over.
    dialect = speaker.reply.dialect("" if speaker.name == host.name else "SessionStart")
    return responses.hook_text_reaches_model(HookEvent(speaker.name, event, dialect=dialect))


def compacts(host: Host) -> bool:
    """Whether the host starts the session again, in its own words, after a compaction."""
    told = templates.read_config_template(host.name).get(HOOKS)
    text = (
        templates.read_template_file(told) if isinstance(told, str) and "." in told else str(told)
    )
    return re.search(r"[|\"]compact[|\"']", text) is not None


def events(host: Host) -> list[tuple[str, str]]:
    """The host's own name of each event that is used, and the hook's."""
    told: Any = templates.read_config_template(host.name).get(HOOKS)
    if isinstance(told, str):
        if "." in told:
            return list(host.script_events)
        told = templates.read_config_template(told)[HOOKS]
    return list(dict.fromkeys(_walk(told, "")))


def _walk(value: Any, native: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        if found := re.fullmatch(r"gitmem hook [a-z-]+ ([a-z-]+)", value):
            yield native, found[1]
    elif isinstance(value, list):
        for item in value:
            yield from _walk(item, native)
    elif isinstance(value, dict):
        for key, item in value.items():
            # A list of handlers stands below the event's name; Kimi's handlers name it inside.
            own = key if isinstance(item, list) and key != "hooks" else value.get("event", native)
            yield from _walk(item, own)


def base(template: str) -> str:
    """The name that a place begins with."""
    return template[1 : template.index("}")]


def path(host: Host, template: str) -> str:
    """A place as it is on Linux, from the project or from ``~``."""
    rest = template[template.index("}") + 1 :].replace("{local}", ".local")
    own = host.bases.get(base(template))
    above = path(host, own.otherwise) if own else _BASES[base(template)][0]
    return (above + rest).lstrip("/")


def variable(host: Host, name: str) -> str:
    """The variable that moves what lies below a name; empty for none."""
    own = host.bases.get(name)
    if own is None:
        return _BASES[name][1]
    return own.variable or variable(host, base(own.otherwise))
