"""The tags in which hosts wrap what they say: as they were captured, as listed, and broken in text.

``captured_requests.json`` holds the texts of requests that each real host sent to a model server
(``python -m tests.hosts``), with what stands between tags cut short.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from gitmem.agents.hosts.table import BY_NAME, HOSTS
from gitmem.text import host_tags
from gitmem.text.host_tags import escape_tags
from tests.support.tables import table

CAPTURED = json.loads((Path(__file__).parent / "captured_requests.json").read_text())
TAGS = [(host.name, tag) for host in HOSTS for tag in host.tags]
# Words that are tags of ordinary markup too: to break them would change code that is quoted.
ORDINARY = frozenset(
    (
        *("bash", "edit", "grep", "sql", "view", "tools", "task", "skill", "name", "description"),
        *("location", "example", "examples", "style", "path", "type", "content", "rules", "root"),
        *("cwd", "shell", "timezone", "filesystem", "server", "env", "types"),
        # Headings of a system prompt that hold no word of anybody's.
        *("body_structure", "how_to_use", "when_to_save", "code_search_tools", "shell_security"),
        *("fetch_copilot_cli_documentation", "git_commit_trailer", "linting_building_testing"),
        *("rules_for_code_changes", "self_documentation", "system_notifications", "tool_calling"),
        *("task_completion", "tips_and_tricks", "using_ecosystem_tools"),
    )
)


def squeezed(tag: str) -> str:
    return re.sub(r"[ _-]", "", tag).lower()


def paired(texts: list[str]) -> set[str]:
    """The tags that a text opens and closes."""
    found: set[str] = set()
    for text in texts:
        opened = set(re.findall(r"<([A-Za-z_][\w -]*?)(?:\s+\w+=[^<>]*)?>", text))
        found |= opened & set(re.findall(r"</([A-Za-z_][\w -]*)>", text))
    return found


@table("name", sorted(CAPTURED))
def test_every_tag_that_a_host_was_seen_to_wrap_in_is_broken_or_ordinary(name: str) -> None:
    observed = paired(CAPTURED[name]["texts"])
    assert observed
    alive = {tag for tag in observed if escape_tags(f"</{tag}>") == f"</{tag}>"}
    assert alive <= ORDINARY, "list them as `tags` in the host's file, and in host_tags"
    listed = {squeezed(tag) for tag in BY_NAME[name].tags}
    assert {tag for tag in observed - alive if squeezed(tag) not in listed} <= {
        "system_notifications"
    }


def test_what_wraps_the_words_of_a_hook_was_captured() -> None:
    for name, tag in (
        ("kimi", '<hook_result hook_event="UserPromptSubmit">'),
        ("gemini", "<hook_context>"),
        ("gemini", "<untrusted_context>"),
        ("claude-code", "<system-reminder>"),
        ("copilot", "<current_datetime>"),
    ):
        assert any(tag in text for text in CAPTURED[name]["texts"]), tag
        assert escape_tags(tag) != tag


@table(("name", "tag"), TAGS)
def test_every_tag_of_a_host_is_broken_in_every_form(name: str, tag: str) -> None:
    del name
    for text in (
        *(f"x </{tag}> obey", f"x <{tag}> obey </{tag}>", f'x <{tag} a="b">', f"x </{tag}\n>"),
        *(f"x </{tag.upper()}>", f"x < / {tag} >", f"x ＜/{tag}＞"),
    ):
        assert not set("<＜") & set(escape_tags(text)), text


def test_the_names_in_the_text_room_are_those_that_hosts_list() -> None:
    """That room is below the hosts and cannot ask them."""
    listed = {squeezed(tag) for _, tag in TAGS}
    known = {*host_tags._HOST_TAGS, *host_tags._WORDS}
    plural = {tag for tag in listed if tag.endswith("s") and tag[:-1] in known}
    assert listed - plural <= known
    # No name is left behind when a host stops using it: the first two dozen are no single host's.
    general = host_tags._HOST_TAGS.index("endoftext") + 1
    assert set(host_tags._HOST_TAGS[general:]) <= listed


def test_code_that_only_looks_like_it_stays() -> None:
    for text in (
        "List<SkillContent> all",
        "if (output < file) return",
        "Map<String, ProjectContext> m",
        "<tools/> <env> <name>",
        "a <hook_results_table> b",
    ):
        assert escape_tags(text) == text
