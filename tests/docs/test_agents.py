"""The pages of agents' hosts say what `gitmem setup` really writes, on every machine (CF-51)."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from docs import generate
from docs.pages import agents, agents_facts
from docs.pages.agents_screen import YOU, screens
from gitmem.agents.events import responses
from gitmem.agents.hosts.host import EVENTS, HOOKS, RULES
from gitmem.agents.hosts.table import BY_NAME, HOSTS, PLUGIN_HOSTS
from gitmem.agents.wiring import plugins, templates
from gitmem.git import runner
from tests.support.tables import table

FOLDER = generate.DOCS / "agents"
NAMES = [host.name for host in HOSTS]
HOOKED = [host.name for host in HOSTS if HOOKS in host.setup_parts]


def page(name: str) -> str:
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8")


def added(name: str) -> dict[str, str]:
    """File to text, as the screen of a dry run shows it."""
    files: dict[str, str] = {}
    output = screens(name).dry_run.partition("Without --dry-run")[0]
    for part in re.split(r"^--- .*\n\+\+\+ ", output, flags=re.MULTILINE)[1:]:
        path, _, lines = part.partition("\n")
        files[path] = "\n".join(
            splitline[1:] for splitline in lines.splitlines()[1:] if splitline.startswith("+")
        )
    return files


def test_every_host_has_a_page_that_the_index_leads_to() -> None:
    index = page("README")
    assert [name for name in NAMES if f"[`{name}`]({name}.md)" not in index] == []
    assert [host.name for host in HOSTS if not all((host.facts.state, host.facts.approve))] == []


@table("name", NAMES)
def test_a_page_shows_every_file_and_how_it_goes_again(name: str) -> None:
    output = page(name)
    for part in BY_NAME[name].setup_parts:
        assert f"{name}: {part}" in output or f", {part}" in output
    removed = screens(name).removed
    assert [path for path in added(name) if f"removed  {path}" not in removed] == []
    shown = [path for path in added(name) if path != ".git/info/exclude"]
    assert shown
    assert [path for path in shown if f"+++ {path}\n" not in output] == []


def test_a_page_says_how_many_lines_of_a_file_it_leaves_out() -> None:
    counts = [len(text.splitlines()) for text in added("claude-code").values()]
    omitted = [
        int(count) for count in re.findall(r"^\((\d+) more lines\)$", page("claude-code"), re.M)
    ]
    assert omitted == [max(counts) + 3 - 16]
    assert "more lines)" not in page("generic")


def test_the_index_shows_how_a_host_is_checked_and_taken_out() -> None:
    index = page("README")
    assert "$ gitmem setup codex --status\n" + screens("codex").status in index
    assert "$ gitmem setup codex --remove\n" + screens("codex").removed in index


@table("name", HOOKED)
def test_a_page_tells_of_every_event_whose_hook_is_written(name: str) -> None:
    host, output = BY_NAME[name], page(name)
    written = "\n".join(added(name).values())
    found = agents_facts.events(host)
    assert {event for _, event in found} <= set(EVENTS)
    for native, event in found:
        assert f"| `{native}` | `{event}` |" in output
        assert native in written and event in written


@table("name", HOOKED)
def test_a_page_says_by_which_event_the_orientation_comes_or_that_none_does(name: str) -> None:
    native, cap = agents_facts.oriented(BY_NAME[name])
    if name == "windsurf":
        assert (native, cap) == ("", 0)
        assert RULES in BY_NAME[name].setup_parts
        assert "Nothing that a hook prints reaches the model" in page(name)
    else:
        assert f"The orientation comes with `{native}`: at most {cap:,} characters" in page(name)
        assert 0 < cap < 10_000


def test_what_is_shown_of_json_files_is_json_and_names_one_program() -> None:
    shown = [text for name in NAMES for path, text in added(name).items() if ".json" in path]
    assert len(shown) > 12
    for text in shown:
        assert templates.NAME in json.dumps(json.loads(text))
        assert f"{YOU}/.local/bin/gitmem" in text


@table("name", NAMES)
def test_pages_name_no_place_of_this_machine(name: str) -> None:
    output = page(name)
    assert (
        "/tmp/" not in output and os.path.realpath(os.path.expanduser("~")) + os.sep not in output
    )


def test_a_page_does_not_depend_on_who_writes_it(tmp_path: Path) -> None:
    config = tmp_path / "gitconfig"
    (tmp_path / "ignored").write_text(".github/\n.gitmem/\n")
    config.write_text(f"[core]\nexcludesFile = {tmp_path}/ignored\n")
    runner.configure_git_environment({**runner.git_environment(), "GIT_CONFIG_GLOBAL": str(config)})
    agents.screens.cache_clear()
    assert generate.NOTICE + agents.page("copilot") + "\n" == page("copilot")
    assert runner.git_environment()["GIT_CONFIG_GLOBAL"] == str(config)


def test_every_file_of_a_plugin_is_on_the_index() -> None:
    for host in PLUGIN_HOSTS:
        line = next(
            splitline
            for splitline in page("README").splitlines()
            if splitline.startswith(f"- `{host}`: ")
        )
        assert [name for name in plugins.plugin_files(host, "1") if f"`{name}`" not in line] == []


def test_who_may_speak_is_as_the_dialects_have_it() -> None:
    for name in HOOKED:
        host = BY_NAME[name]
        for line in page(name).splitlines():
            cells = [item.strip() for item in line.strip("|").split(" | ")]
            if len(cells) == 4 and cells[1].strip("`") in EVENTS:
                assert bool(cells[2].strip()) == agents_facts.speaks(host, cells[1].strip("`"))
    assert responses.max_output_size("codex") < responses.max_output_size("claude-code")
