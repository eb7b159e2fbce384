"""Configuration files as people and other tools leave them: made up, valid, in odd forms.

A value is written by hand-rolled printing, so that indentation, comments, trailing commas, line
ends, a byte order mark and a missing last line end come in every combination.
"""

from __future__ import annotations

import json
import random
from typing import Any

from hypothesis import strategies as st

BOM = b"\xef\xbb\xbf"
WORDS = ["alpha", "b c", 'q"uote', "back\\slash", "ünïcode", "// no comment", "/* nor this */", ""]
CONTAINERS = ["mcpServers", "servers", "mcp", "context_servers", "mcp_servers", "hooks"]
EVENTS = ["SessionStart", "sessionStart", "Stop", "PreInvocation", "pre_user_prompt", "AfterTool"]

_plain: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.booleans(), st.integers(-9, 9), st.sampled_from(WORDS), st.just(1.5e3)
)
_deep = st.recursive(
    _plain,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(WORDS), inner, max_size=3)
    ),
    max_leaves=6,
)
_server = st.fixed_dictionaries(
    {"command": st.sampled_from(["npx", "uvx"])},
    optional={"args": st.lists(st.just("x")), "e": _deep},
)
_servers = st.dictionaries(st.sampled_from(["other", "files", "git"]), _server, max_size=2)
_group = st.one_of(
    st.fixed_dictionaries({"command": st.sampled_from(["./mine.sh", "gitmemory hook x y"])}),
    st.fixed_dictionaries(
        {"hooks": st.lists(st.fixed_dictionaries({"command": st.just("true")}), max_size=2)},
        optional={"matcher": st.just("Bash")},
    ),
)
_events = st.dictionaries(st.sampled_from(EVENTS), st.lists(_group, max_size=2), max_size=3)


@st.composite
def json_files(draw: st.DrawFn, *, comments: bool = True) -> bytes:
    """A JSON file with others' servers, hooks and settings, or an empty one."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.sampled_from([b"", b"\n", b" ", b"\r\n", b"{}", b"{ }", b"{\n}\n", BOM]))
    value: dict[str, Any] = {}
    for key in draw(st.lists(st.sampled_from([*CONTAINERS, *WORDS, "version"]), unique=True)):
        if key == "hooks":
            value[key] = draw(_events)
        elif key in CONTAINERS:
            value[key] = draw(_servers)
        else:
            value[key] = 1 if key == "version" else draw(_deep)
    return _formed(draw, lambda dice: _printed(value, dice, draw(_style(comments)), ""))


_STYLE = ["", "  ", "    ", "\t", None]


@st.composite
def _style(draw: st.DrawFn, comments: bool) -> dict[str, Any]:
    return {
        "indent": draw(st.sampled_from(_STYLE)),
        "comments": comments and draw(st.booleans()),
        "trailing": comments and draw(st.booleans()),
        "colon": draw(st.sampled_from([":", ": ", " : "])),
    }


def _formed(draw: st.DrawFn, write: Any) -> bytes:
    text = write(random.Random(draw(st.integers(0, 1 << 30))))
    text += draw(st.sampled_from(["", "\n", "\n\n"]))
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return BOM * draw(st.booleans()) + text.encode()


def _printed(value: Any, dice: random.Random, style: dict[str, Any], outer: str) -> str:
    if not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=dice.random() < 0.5)
    unit = style["indent"]
    inner = outer + (unit or "")
    new = "" if unit is None else "\n"
    items = [
        (json.dumps(key) + style["colon"] if isinstance(value, dict) else "")
        + _printed(value[key] if isinstance(value, dict) else key, dice, style, inner)
        for key in value
    ]
    text = ""
    for place, item in enumerate(items):
        last = place == len(items) - 1
        comma = "," if not last or style["trailing"] else ""
        text += f"{_comment(dice, style, new, inner)}{new}{inner}{item}"
        text += _inline(dice, style, new) + comma + _inline(dice, style, new)
    if not items and unit is not None and dice.random() < 0.3:
        text = " "
    end = f"{new}{outer}" if items or "//" in text else ""
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}{text}{end}{closing}"


def _comment(dice: random.Random, style: dict[str, Any], new: str, inner: str) -> str:
    if not style["comments"] or not new or dice.random() < 0.7:
        return ""
    return dice.choice(
        [f'\n{inner}// one, "two" {{', f"\n{inner}/* more\n than one line ] */", "\n"]
    )


def _inline(dice: random.Random, style: dict[str, Any], new: str) -> str:
    if not style["comments"] or dice.random() < 0.85:
        return ""
    return dice.choice([" /* here, too */", " /* over\n lines */" if new else " /**/"])


_ROOT = [
    'model = "o4" # the best\n',
    'text = """\n[mcp_servers.gitmem]\ncommand = "no"\n"""\n',
    "list = [\n  [1, 2],\n  ['[x]'], # [[hooks]]\n]\n",
    "dotted.key = '''it's\n[a]\n'''\n",
    "# only a comment\n",
    "\n",
]
_TABLES = [
    '[mcp_servers.other]\ncommand = "npx"\nargs = [\n  "-y",\n  "it",\n]\n',
    "[mcp_servers.other.env]\nKEY = 'v' # [not.a.header]\n",
    '[projects."/home/me/a b"]\ntrust_level = "trusted"\n',
    '[hooks.state."/x/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:00"\n',
    "[  spaced . 'name' ] # odd\nx = 1\n# below\n",
    "[empty]\n",
]
_KIMI = '[[hooks]]\nevent = "Stop"\ncommand = "echo done"\n'


@st.composite
def toml_files(draw: st.DrawFn, *, hooks: bool = False) -> bytes:
    """A TOML file with others' tables, strings that look like ours, or an empty one."""
    tables = [*_TABLES[:3], *([_KIMI, _KIMI] if hooks else [_TABLES[3]]), *_TABLES[4:]]
    parts = draw(st.lists(st.sampled_from(_ROOT), unique=True))
    gaps = st.sampled_from(["", "\n", "  \n", "# between\n\n"])
    for place in draw(st.lists(st.integers(0, len(tables) - 1), unique=True)):
        parts += [draw(gaps), tables[place]]
    text = "".join(parts) + draw(st.sampled_from(["", "\n", "# the end\n"]))

    def write(_: random.Random) -> str:
        return text.rstrip("\n")

    return _formed(draw, write) if text.strip() else text.encode()


_lines = st.sampled_from(["# Rules", "", "Be kind.  ", "<!-- a note -->", "\t- tabs", "ünïcode"])


@st.composite
def text_files(draw: st.DrawFn) -> bytes:
    """What people tell agents in a file such as AGENTS.md."""
    lines = draw(st.lists(_lines, max_size=6))
    return _formed(draw, lambda _: "\n".join(lines))
