"""What gitmem wrote before its hooks sourced one script: the same marks around dense lines.

The four files are the ones of that time. Repositories that were set up then still hold them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from gitmem.githooks import installer, manifest, shims
from gitmem.githooks.manifest import HookManifest
from gitmem.githooks.shims import FIRST_LINE, MARKS, quote_shell_word
from gitmem.text import marked_block
from tests.githooks.conftest import Site, script


def block(event: str, way: str, command: Sequence[str], *, own_input: bool = False) -> bytes:
    """The marked lines."""
    text = (Path(__file__).parent / event).read_bytes().removeprefix(FIRST_LINE)
    text = text.replace(b"@STORE@", quote_shell_word(way))
    text = text.replace(b"@COMMAND@", b" ".join(quote_shell_word(word) for word in command))
    return text.replace(b"@INPUT@", b"" if own_input else b"</dev/null ")


def setting(event: str, way: str) -> str:
    """The value of ``hook.<name>.command``; followed by arguments and input, the line to add."""
    shim = os.fsdecode(quote_shell_word(f"{way}/hooks/{event}"))
    found = 'g=${GIT_DIR:-.git}; [ ! -f "$g" ] || read -r g g <"$g" || :'
    found += '; [ ! -f "$g/commondir" ] || g=$g/../..'
    return f'{found}; [ ! -x "$g"/{shim} ] || "$g"/{shim}'


def install(site: Site) -> None:
    """Files of our own, or lines in those that are there, as that version left them."""
    way = installer.store_path_from_git_dir(site.layout)
    foreign = _common(site, way)
    for event in shims.EVENTS:
        hook = site.hook(event)
        if event in foreign:
            lines = block(event, way, site.command)
            hook.write_bytes(marked_block.put_block(hook.read_bytes(), lines, MARKS))
        else:
            whole = FIRST_LINE + block(event, way, site.command, own_input=True)
            script(hook, os.fsdecode(whole))
    found = HookManifest(installer.FILES, str(site.hook("").resolve()), foreign=foreign)
    manifest.write_hook_manifest(str(site.spool.parent), found)


def configure(site: Site) -> None:
    """The settings of that version, for git 2.54 and later."""
    way = installer.store_path_from_git_dir(site.layout)
    _common(site, way)
    for event in shims.EVENTS:
        site.repo.git("config", f"hook.gitmem-{event}.command", setting(event, way))
        site.repo.git("config", f"hook.gitmem-{event}.event", event)
    manifest.write_hook_manifest(str(site.spool.parent), HookManifest(installer.CONFIG, ""))


def _common(site: Site, way: str) -> tuple[str, ...]:
    """Spool and scripts in the store; the events whose hook is there already."""
    site.spool.mkdir(mode=0o700)
    for event in shims.EVENTS:
        whole = FIRST_LINE + block(event, way, site.command, own_input=True)
        script(site.spool.parent / "hooks" / event, os.fsdecode(whole), 0o700)
    return tuple(event for event in shims.EVENTS if site.hook(event).exists())
