"""The settings: each key, its bounds, where it may be set, and the variables that are read."""

from __future__ import annotations

from docs.pages.markdown import code, table
from gitmem.setting_aliases import ALIASES, SettingAlias
from gitmem.setting_table import BY_KEY, SETTINGS, Setting
from gitmem.settings import AGENT_MARKS

_OPENING = """\
# Settings

`gitmem config` shows every setting, its value and where that came from; `gitmem config KEY VALUE`
sets one for this repository, with `--user` for all of yours, and `--unset` takes it out again. An
agent sets only what says so below; every other key needs a person at a terminal.

Whatever lies in `.gitmem/config.toml`, where gitmem kept settings once, may have come with a
clone, a pull or an archive, and is not in force: every command says so until a person takes it over
as it was shown (`gitmem config --adopt`) or deletes it. Until then only what it keeps out of the
index, and its `copy.mode`, still hold.

An `ask.endpoint` that is not this machine, wherever it is set, is asked about once in each project,
before anything is sent there; without a terminal `gitmem config ask.endpoint --agree ADDRESS` says
so. No agent can. Taking the address out, or setting another, takes that back.

A value that cannot be right is refused: a number out of bounds, a time zone or a model that does
not exist, a `store.path` that is not absolute, lies in no folder that you may write to, or is a
file that gitmem did not make. A wrong value that is in a file or a variable already is ignored with
a warning that names it. A settings file of yours that does not parse stops every command but
`gitmem config`, which names the line and leaves the file as it is."""
_FILES = """\
## Where settings come from

Later sources win:

1. the defaults below;
2. your own file: `$GITMEM_HOME/config.toml`, else `$XDG_CONFIG_HOME/gitmem/config.toml`, else
   `~/.config/gitmem/config.toml` (**user**);
3. `.gitmem.toml` at the root of the worktree, which the repository may ship (**repository**). It
   is a stranger's word: only the keys so marked are taken from it, others are left aside with a
   warning, and a file that is wrong is only warned about;
4. the project's own file in your data folder, `stores/<id of its store>/config.toml`, which no
   repository can write (**store**). `gitmem config KEY VALUE` names it as it writes it. It follows
   the store to another folder, and copies of the store carry it;
5. the environment (**variable**).

Files are TOML. A key with a dot stands in a table:

```toml
timezone = "Europe/Berlin"

[orient]
budget = 800
```"""
_ALIASES = """\
## Settings of other systems

The settings that five other memory systems document, and what they are called here. In `gitmem
config` and in your settings files their names do, in any capitals: the value is translated where
the unit differs, checked like ours, and a note names our key; where both stand in one file, ours
counts. `gitmem doctor` names those it finds. Where there is no counterpart the command says why.

Of their environment variables only those with an unmistakable name are read. Of Context Cache
CONTEXT_CACHE_CHUNK_SIZE, _CHUNK_OVERLAP, _SEARCH_LIMIT and _RRF_K win over files, and ours over
them; CONTEXT_CACHE_KB_PATH names the folder that is meant by a command or a server started in no
repository. Its variables for store and model are not read: gitmem cannot open a store of its, and
would have to fetch the model."""
_OTHERS = (
    ("GITMEM_HOME", "One folder for everything of yours: settings, global memories, keys of "
     "stores, error log."),
    ("GITMEM_STORE_KEY", "A key for the stores here, 64 hexadecimal digits, where the home folder "
     "is not kept. Read from the environment only."),
    ("XDG_CONFIG_HOME", "Your settings file, where GITMEM_HOME is not set (`~/.config`)."),
    ("XDG_DATA_HOME", "The store of global memories, where GITMEM_HOME is not set "
     "(`~/.local/share`)."),
    ("XDG_STATE_HOME", "The log of unexpected errors, where GITMEM_HOME is not set "
     "(`~/.local/state`)."),
    ("HOME, USERPROFILE", "Your home folder, from which the three above have their defaults."),
    ("CONTEXT_CACHE_CHUNK_SIZE, CONTEXT_CACHE_CHUNK_OVERLAP, CONTEXT_CACHE_SEARCH_LIMIT, "
     "CONTEXT_CACHE_RRF_K", "Variables of Context Cache: see above."),
    ("TZ", "The local time zone, where the setting `timezone` is empty."),
)  # fmt: skip


def page() -> str:
    """The whole page."""
    return "\n\n".join(
        [
            _OPENING,
            _FILES,
            "## Keys",
            table(
                ("Key", "Default", "Bounds", "Variable", "May be set in", "Meaning"),
                map(_row, SETTINGS),
            ),
            "Bounds of a text are bounds of its length.",
            _ALIASES,
            table(
                ("System", "Setting", "Default there", "Here", "Default here", "What differs"),
                map(_alias_row, ALIASES),
            ),
            "## Other environment variables",
            table(("Variable", "Use"), [(_names(name), use) for name, use in _OTHERS]),
            "An agent's host says by a variable of its own that it is the one typing. Where "
            "neither `--agent` nor the setting `agent` names one, the first of these that is set "
            "does:",
            table(("Variable", "Agent"), [(code(k), code(v)) for k, v in AGENT_MARKS.items()]),
        ]
    )


def _alias_row(alias: SettingAlias) -> tuple[str, ...]:
    ours = BY_KEY.get(alias.key)
    return (
        alias.system,
        code(alias.name),
        alias.default,
        code(alias.key) if ours else "none",
        (code(ours.default) or "empty") if ours else "",
        f"{alias.about}{'' if alias.taken else ': the value is not taken over'}",
    )


def _row(setting: Setting) -> tuple[str, ...]:
    return (
        code(setting.key),
        code(setting.default) or "empty",
        _bounds(setting),
        code(setting.environment_variable),
        _places(setting),
        setting.help,
    )


def _bounds(setting: Setting) -> str:
    if setting.minimum is None and setting.maximum is None:
        return ""
    if setting.minimum is None:
        return f"at most {setting.maximum:,.0f}"
    return f"{setting.minimum:,.0f} to {setting.maximum:,.0f}"


def _places(setting: Setting) -> str:
    if setting.personal:
        return "user"
    places = ["user"] if setting.user else []
    places += ["repository"] if setting.repository else []
    return ", ".join([*places, "store", "variable"]) + (" (an agent may)" if setting.agent else "")


def _names(names: str) -> str:
    return ", ".join(map(code, names.split(", ")))
