"""A page for each agent's host: what `gitmem setup` writes there, what its hooks do, what it lacks.

All but the limits is read off the program: the table of hosts, the templates, the dialects. The
screens are of real runs, in a folder made for it, whose place is told as ``/home/you``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from docs.pages import agents_index
from docs.pages.agents_facts import base, compacts, events, oriented, path, speaks, variable
from docs.pages.agents_screen import screens
from docs.pages.markdown import code, fenced, table
from gitmem.agents.hosts.host import HOOKS, MCP, PROJECT, RULES, SCOPES, USER, Host
from gitmem.agents.hosts.table import BY_NAME, HOSTS

_TITLES = {MCP: "MCP server", HOOKS: "hooks", RULES: "rules"}
# What gitmem does at each event: what it says, where the host lets it, and what it notes.
_SAYS = {
    "stop": "what its change contradicts, once in a session; it goes on with that",
    "session-start": "the orientation, once a session",
    "prompt": "rarely something: a memory that no longer holds, a decision it goes against",
    "post-edit": "a decision against what it adds, memories and rules on its file, each once",
    "post-command": "how the same error was mended before",
    "post-tool": "as after an edit or a command, whichever it was",
    "pre-invocation": "the orientation, once a conversation",
}
_NOTES = {
    "session-start": "the session begins",
    "prompt": "that work goes on, never the prompt",
    "post-edit": "the file",
    "post-command": "errors, passed checks, commits",
    "post-tool": "files, errors, passed checks, commits",
    "pre-invocation": "the session begins",
    "pre-compact": "the state of the work",
    "stop": "that work goes on",
    "session-end": "the session ends",
}
_DEFAULT = "Without `--scope` the project's file is written, where there is one."
_TEAM = (
    "`settings.local.json` is yours alone; with `--command gitmem`, for files that a team commits, "
    "it is `settings.json`."
)
# Lines of a file's change that a page shows: one entry of MCP, two or three hooks.
_LONGEST = 16
_FIRST = "the orientation with a session's first prompt, later rarely something"


def page(name: str) -> str:
    """The page of one host."""
    host, known, shown = BY_NAME[name], BY_NAME[name].facts, screens(name)
    parts = [
        f"# {host.title[0].upper()}{host.title[1:]}",
        f"Known from: {known.state} ([what that means](README.md#how-sure-this-is)).",
        "## What is written where",
        _places(host),
        "What is added:",
        fenced(f"$ gitmem setup {name} --dry-run\n{abridged(shown.dry_run)}", "console"),
        *_hooks(host),
        "## What you have to approve",
        known.approve,
        "## Known limits",
        "\n".join(f"- {one}" for one in known.limits),
    ]
    return "\n\n".join(parts)


def abridged(diff: str) -> str:
    """A dry run's screen without what all hosts share, each file's change cut behind its start."""
    files, marker, rest = diff.partition("\nWithout --dry-run")
    changes = [
        change.splitlines()
        for change in re.split(r"^(?=--- )", files, flags=re.MULTILINE)
        if change and not change.startswith("--- .git/info/exclude")
    ]
    shown = ["\n".join(_start(lines)) for lines in changes]
    return "\n".join(shown) + f"\n{marker}{rest}"


def _start(lines: list[str]) -> list[str]:
    if len(lines) <= _LONGEST + 4:
        return lines
    return [*lines[:_LONGEST], f"({len(lines) - _LONGEST} more lines)"]


def _places(host: Host) -> str:
    rows = [
        (_TITLES[part], _told(host, part, PROJECT), _told(host, part, USER))
        for part in host.setup_parts
    ]
    if host.skills:
        mine, own = (code(path(host, host.skills[scope]) + "/gitmem-*") for scope in SCOPES)
        rows.append(("skills (`--skills`)", mine, own))
    told = table(("Part", "In the project", "For the user (`--scope user`)"), rows)
    more = " ".join(
        filter(None, (_DEFAULT * (_has_both(host) and not host.for_user), *_elsewhere(host)))
    )
    return f"{told}\n\n{more}".rstrip()


def _elsewhere(host: Host) -> Iterator[str]:
    """Where files lie on other systems, by a variable, or for a team."""
    templates = [one for each in host.places.values() for one in each]
    used = {base(one) for one in templates}
    if "config" in used:
        yield "On macOS `~/.config` is `~/Library/Application Support`, on Windows `%APPDATA%`."
    for own in (host.bases[name] for name in host.bases if host.bases[name].on_windows):
        there = own.on_windows.replace("{config}", "%APPDATA%").replace("/", "\\")
        yield f"On Windows {code(path(host, own.otherwise))} is {code(there)}."
    for name in sorted({variable(host, one) for one in used} - {""}):
        yield f"{code(name)} moves the user's files."
    if any("{local}" in one for one in templates):
        yield _TEAM


def _has_both(host: Host) -> bool:
    return any(
        (part, PROJECT) in host.places and (part, USER) in host.places for part in host.setup_parts
    )


def _told(host: Host, part: str, scope: str) -> str:
    found = host.places.get((part, scope), ())
    return " or ".join(dict.fromkeys(code(path(host, one)) for one in found)) or "none"


def _hooks(host: Host) -> list[str]:
    used = events(host)
    if not used:
        return []
    rows = [
        (code(native), code(event), _said(host, event), _NOTES.get(event, ""))
        for native, event in used
    ]
    return [
        "## What the hooks do",
        table(("Event there", "`gitmem hook`", "Told to the model", "Noted"), rows),
        _orientation(host),
    ]


def _said(host: Host, event: str) -> str:
    if not speaks(host, event):
        return ""
    if event == "prompt" and host.session.oriented_at_first_prompt:
        return _FIRST
    return _SAYS[event]


def _orientation(host: Host) -> str:
    native, cap = oriented(host)
    if not native:
        return (
            "Nothing that a hook prints reaches the model here. The rules file tells it to ask for "
            "the orientation."
        )
    also = " The rules file tells the model to ask for it where it did not come." * (
        RULES in host.setup_parts
    )
    if compacts(host):
        also += " After a compaction it comes again, below the state of the work before."
    elif _told_later(host):
        also += (
            " After a compaction it comes again with the next event that reaches the model, below "
            "the state of the work before."
        )
    return (
        f"The orientation comes with {code(native)}: at most {cap:,} characters of output. What "
        f"is longer is cut at the end of a line, and says so.{also}"
    )


def _told_later(host: Host) -> bool:
    used = [event for _, event in events(host)]
    return "pre-compact" in used and any(
        event != "session-start" and speaks(host, event) for event in used
    )


def _maker(name: str) -> Callable[[], str]:
    return lambda: page(name)


# The page's file name -> the function that gives its text.
PAGES: dict[str, Callable[[], str]] = {
    "README.md": agents_index.page,
    **{f"{host.name}.md": _maker(host.name) for host in HOSTS},
}
