"""Reading whether a host's user has approved what setup wrote; unapproved parts do not run.

Approvals are only read; gitmem never writes one in the user's name.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from gitmem.agents.hosts import host_paths
from gitmem.agents.hosts.host import PROJECT, HostApprovals
from gitmem.agents.wiring import file_pieces
from gitmem.agents.wiring.templates import NAME, agents_in_hook_lines
from gitmem.errors import GitmemError
from gitmem.files.foreign_file import MOST_BYTES
from gitmem.text import jsonc, toml

if TYPE_CHECKING:
    from gitmem.agents.hosts.host import Host
    from gitmem.agents.hosts.host_paths import PathTemplateFolders

_STILL = (
    "{title} still allows what is named gitmem ({where}): a later server of that name would run or "
    "work unasked. Take it out there"
)
# gitmem, mcp__gitmem__recall, mcp_gitmem_recall, gitmem_*
_NAME = re.compile(r"(?:^|_)gitmem(?:$|[_*(])")
_DAMAGED = "{path} is damaged, so what {title} approved cannot be read: repair or remove that file"


def reasons_setup_not_run(
    bases: PathTemplateFolders, host: Host, setup_part: str, scope: str, path: str
) -> list[str]:
    """Reasons why an agent program would not run what setup wrote to ``path``; empty if none known.

    Such as a missing approval of its user. ``setup_part`` is mcp, hooks or rules, ``scope`` project
    or user. If the program's own record of approvals is damaged, that is the only reason given.
    """
    if reason := reason_setup_not_read(bases, host, setup_part, scope):
        return [reason]
    damaged: dict[str, str] = {}

    def read_approvals(place: str) -> Any:
        is_template = place.startswith("{")
        path = host_paths.expand_path_template(bases, host, place) if is_template else place
        try:
            return _read(path)
        except (OSError, GitmemError):
            if is_template:
                damaged[path] = _DAMAGED.format(path=path, title=host.title)
            return {}

    approvals = HostApprovals(
        bases.project,
        read_approvals,
        agents_in_hook_lines,
        bases.main,
        bases.folder or bases.project,
    )
    reasons = host.doubts(approvals, setup_part, scope, path)
    return list(damaged.values()) or reasons


def reason_setup_not_read(
    bases: PathTemplateFolders, host: Host, setup_part: str, scope: str
) -> str:
    """Why an agent program, started in ``bases.folder``, would not read a part; empty if it does.

    ``setup_part`` is mcp, hooks or rules, ``scope`` project or user.
    """
    if scope != PROJECT or setup_part not in host.only_there or bases.folder in ("", bases.project):
        return ""
    return (
        f"started here {host.title} does not look in {bases.project}: `gitmem setup {host.name} "
        "--scope user` serves all folders"
    )


def describe_approvals(bases: PathTemplateFolders, host: Host) -> list[str]:
    """Sentences on approvals that an agent program keeps for a server named gitmem."""
    sentences = []
    for place, keys in host.named_in:
        path = host_paths.expand_path_template(bases, host, place)
        key_path = tuple(key.replace("{project}", bases.project) for key in keys)
        try:
            value = jsonc.value_at_keys(_read(path), key_path) if path else None
        except (OSError, GitmemError):
            sentences.append(_DAMAGED.format(path=path, title=host.title))
            continue
        if _names_gitmem(value) or (value and NAME in keys):
            where = f"{'.'.join(key for key in keys if key != '{project}')} in {path}"
            sentences.append(_STILL.format(title=host.title, where=where))
    return list(dict.fromkeys(sentences))


def _names_gitmem(value: Any) -> bool:
    """Whether a value contains the name of gitmem's server or of its tools."""
    if isinstance(value, str):
        return _NAME.search(value) is not None
    items = [*value, *value.values()] if isinstance(value, dict) else value
    return isinstance(items, list) and any(map(_names_gitmem, items))


def _read(path: str) -> Any:
    """The value of a host's file; empty if there is none. Raises OSError and InvalidInput."""
    parse = toml.parse_toml if path.endswith(".toml") else jsonc.parse_jsonc
    # A link that came with a clone may lead to a pipe or a device.
    if not os.path.isfile(path) or os.path.getsize(path) > MOST_BYTES:
        return {}
    with open(path, "rb") as file:
        content = file.read()
    if not content.strip():
        return {}
    return parse(file_pieces.decode_file(content).text)
