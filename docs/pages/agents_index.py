"""The page that lists the hosts, and what holds for all of them."""

from __future__ import annotations

from docs.pages.agents_facts import oriented, path
from docs.pages.agents_screen import screens
from docs.pages.markdown import code, fenced, table
from gitmem import __version__
from gitmem.agents.hosts.host import HOOKS, MCP, PROJECT, RULES, USER, Host
from gitmem.agents.hosts.table import HOSTS, PLUGIN_HOSTS
from gitmem.agents.wiring import plugins

_OPENING = """\
# Agents

`gitmem setup` wires the agents that it finds on this machine to gitmem; `gitmem setup codex cursor`
wires these two. It writes an MCP server, session hooks and, where a host's hooks cannot be relied
on to reach the model, a marked block of rules. Each page shows how each file begins;
`gitmem setup HOST --dry-run` prints every byte."""
_GENERAL = """\
The places are those of a run without `--scope`; *At most* is in characters of a hook's output.

## How it is written

- Others' entries, comments, order, indentation and line ends stay. A file that does not parse is
  refused, and then nothing is written anywhere.
- `--dry-run` shows the change as a diff. Running setup again changes nothing.
- What has gitmem's name and is not what gitmem writes is refused with the difference, since it may
  have come with a clone. `--replace` puts gitmem's own there; `--status`, `gitmem doctor` and
  `gitmem doctor --live` name it. Limits, switches and a choice of tools that you added stay.
- `--remove` gives back every byte. A file that you changed meanwhile keeps your changes.
- In the project's files stands the absolute path of this machine's gitmem: hosts that are started
  from a desktop do not have your `PATH`. So files that gitmem makes are kept out of commits, by
  marked lines in `.git/info/exclude`; in files that were there, (git) tells you to take care. For
  files that a team commits say `--command gitmem`.
- A hook answers within two seconds, always with exit status 0; where it fails the host hears
  nothing. `gitmem config hooks.enabled 0` turns hooks off.
- Several hosts read each other's files. A session is oriented once, whichever asks first.
- What a hook says is framed as data about the project, not as orders."""
_ELSEWHERE = """\
## Worktrees, sub-folders, resumed sessions

`gitmem setup` in any worktree wires all that the repository has, each file where its host reads it,
and `--remove` takes it out of all. With `--worktrees` those that are added later are wired by the
process that follows git's `post-checkout` hook, a second or two after `git worktree add`; the
choice is kept in your own data folder, for this store. `--status` and `gitmem doctor --live` say
what holds in the worktree or sub-folder in which they are run. A worktree that refuses, since a
link leads out of it or a file does not parse, is left as it is and named; one that is gone keeps
nobody. Beside a bare repository called `.git` Codex looks for hooks in a folder that is no
worktree: use `--scope user`. Seen with each host (`tests/hosts`):"""
# The host whose screens stand for all.
_SHOWN = "codex"
_COLUMNS = ("Host", "Worktree, wired", "Worktree, never set up", "Sub-folder", "Resumed")
_ORIENTED = "orientation, which says that tools are missing"
_SEEN = (
    ("Claude Code", "all; tools once approved there", _ORIENTED, "all", "oriented once"),
    (
        "Codex",
        "all; what was trusted and approved in the main one counts",
        "nothing: without a folder `.codex` there it reads no hooks of the main one either",
        "all",
        "oriented once",
    ),
    (
        "Gemini CLI",
        "all, once trusted there",
        "nothing",
        "nothing: `--scope user` brings all",
        "oriented again each time: it drops what hooks said",
    ),
    ("OpenCode", "all", _ORIENTED, "all", "oriented once, in the same bytes"),
    ("Copilot CLI", "all, once trusted there", "nothing", "all", "oriented once"),
    (
        "Kimi Code",
        "all; tools once trusted there",
        _ORIENTED,
        "all; tools once trusted there",
        "oriented once",
    ),
)
_SURE = """\
## How sure this is

*What reached its model, captured with version*: that version was run with gitmem set up, against a
model server that answers from a script, and what it asked the model was read (`tests/hosts`). *Its
source or documents*: read there. *Reports of users*: told in the trackers of the host or of other
tools. *Unverified*: told differently by different people, or guessed from neighbours. `gitmem
doctor --live` says *observed* where it found gitmem's words in a host's own transcript, and
*simulated* where it only fired the hooks."""
_CHECK = """\
## Check it, take it out

`gitmem doctor --live` keeps a memory for a moment, fires each hook as its host would, and tells
whether it would reach the model. `--status` and `--remove` say which files they found and changed,
for Codex:"""
_PLUGINS = """\
Four hosts install a folder whole. `gitmem setup --plugin HOST --into DIR` writes one, from the same
data as above, with plain `gitmem` for the program; those of Claude Code, Codex and Cursor fit into
one folder."""


def page() -> str:
    """The whole page."""
    shown = screens(_SHOWN)
    return "\n\n".join(
        [
            _OPENING,
            table(
                ("Host", "MCP server", "Hooks", "Rules", "Orientation by", "At most", "Known from"),
                map(_row, HOSTS),
            ),
            _GENERAL,
            _ELSEWHERE,
            table(_COLUMNS, _SEEN),
            _SURE,
            _CHECK,
            fenced(f"$ gitmem setup {_SHOWN} --status\n{shown.status}", "console"),
            fenced(f"$ gitmem setup {_SHOWN} --remove\n{shown.removed}", "console"),
            "## Plugins",
            _PLUGINS,
            "\n".join(_plugin(name) for name in PLUGIN_HOSTS),
        ]
    )


def _row(host: Host) -> tuple[str, ...]:
    event, cap = oriented(host)
    by = f"{code(event)}{', rules' if RULES in host.setup_parts else ''}" if event else ""
    return (
        f"[{code(host.name)}]({host.name}.md)",
        *(_first_place(host, part) for part in (MCP, HOOKS, RULES)),
        by or ("rules" if RULES in host.setup_parts else "asking for it"),
        f"{cap:,}" if cap else "",
        host.facts.state,
    )


def _first_place(host: Host, part: str) -> str:
    here = (part, PROJECT) in host.places and part not in host.for_user
    scope = PROJECT if here else USER
    places = host.places.get((part, scope))
    return code(path(host, places[0])) if places else ""


def _plugin(name: str) -> str:
    return f"- `{name}`: " + ", ".join(map(code, plugins.plugin_files(name, __version__)))
