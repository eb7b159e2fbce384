"""Skills as SKILL.md: read as people write them, written again byte for byte (CF-46)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.errors import InvalidInput
from gitmem.memory.skills import skill_format
from gitmem.memory.skills.skill_format import Skill
from gitmem.memory.skills.skill_parameters import SkillParameter
from gitmem.model.frozen import replace
from tests.support.skill_files import FILES


def read(folder: str) -> Skill:
    return skill_format.parse_skill(FILES[folder].decode(), f"skills/{folder}/SKILL.md")


def test_public_files_are_written_again_byte_for_byte() -> None:
    assert len(FILES) >= 30
    for folder, data in FILES.items():
        assert skill_format.render_skill(read(folder)).encode() == data, folder


def test_what_they_say_is_read() -> None:
    result = {folder: (read(folder).slug, read(folder).description) for folder in FILES}
    expected = {
        "docx": ("docx", 'Create, edit: and analyse documents with tracked changes "as is"'),
        "commit-messages": (
            "commit-messages",
            'Write the team\'s commit messages. Use when someone says "commit".',
        ),
        "folded": (
            "folded",
            "Reviews a change before it is merged. Use it for every pull request.",
        ),
        "literal": ("literal", "First line. Second line."),
        "long-plain": (
            "long-plain",
            "A description that goes on over several lines, indented and without quotes.",
        ),
        "crlf": ("crlf", "Written on Windows."),
        "bom-crlf": ("bom-crlf", "Both."),
        "no-front-matter": ("no-front-matter", "Deploy"),
        "comments": ("comments", "Comments in the front matter."),
        "capital-name": ("pdf-form-filling", "A name for people, not for a folder."),
        "tabs": ("tabs", "Tabs behind the colons."),
        "trailing-spaces": ("trailing-spaces", "x"),
    }
    assert {folder: result[folder] for folder in expected} == expected
    assert all(slug == folder for folder, (slug, _) in result.items() if folder != "capital-name")
    assert read("capital-name").name == "PDF Form Filling"
    assert read("triggers").triggers == ("ship it", "cut a release", "make: a release")
    assert read("parameters").parameters == (
        SkillParameter("tag", "The release"),
        SkillParameter("format", "How it is written", "md"),
    )


def test_an_edit_changes_the_keys_that_it_is_about_and_no_other_byte() -> None:
    for folder, data in FILES.items():
        old = read(folder)
        new = skill_format.update_skill_version(old, replace(old, description="Another: one"))
        written = skill_format.render_skill(new)
        again = skill_format.parse_skill(written, old.file)
        assert (again.description, again.instructions) == ("Another: one", old.instructions), folder
        assert again.slug == (old.slug if b"name" in data else folder), folder
        saved = [line for line in data.decode().splitlines() if "escription" not in line]
        gone = [line for line in saved if line not in written.splitlines()]
        # Only the lines that went on with the old description.
        assert all(line.startswith(("  ", "\ufeff")) for line in gone), folder


def test_a_version_counts_what_a_skill_says_and_nothing_else() -> None:
    old = Skill("notes", "List them.", name="notes", description="For releases")
    for edit in ({"name": "Notes"}, {"description": "x"}, {"instructions": "y"}):
        assert skill_format.update_skill_version(old, replace(old, **edit)).version == 2, edit
    for edit in ({}, {"triggers": ("x",)}, {"parameters": (SkillParameter("x"),)}):
        assert skill_format.update_skill_version(old, replace(old, **edit)).version == 1, edit


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1, max_size=40)


@given(body=TEXTS, expected=TEXTS, triggers=st.lists(TEXTS, max_size=3))
def test_what_is_made_here_is_read_again_as_it_was(
    body: str, expected: str, triggers: list[str]
) -> None:
    words = [" ".join(trigger.split()) for trigger in triggers]
    made = Skill(
        "notes",
        body.strip("\n").rstrip() or "x",
        name="Release notes",
        description=" ".join(expected.split()) or "x",
        triggers=tuple(dict.fromkeys(word for word in words if word)),
        parameters=(SkillParameter("tag", expected.strip()), SkillParameter("form", "", "a: b")),
    )
    again = skill_format.parse_skill(skill_format.render_skill(made), "skills/notes/SKILL.md")
    fields = ("slug", "instructions", "name", "description", "triggers", "parameters")
    assert [getattr(again, field) for field in fields] == [getattr(made, field) for field in fields]


def test_what_is_no_skill_is_refused_with_a_sentence() -> None:
    wrong = {
        "---\nname: x\n": "no end",
        "---\nname: ../x\n---\nBody": "leads out",
        "---\nname: /etc/passwd\n---\nBody": "leads out",
        "---\nname: a\\b\n---\nBody": "leads out",
        "---\nname: '!!!'\n---\nBody": "not a valid name",
        "---\nname: " + "x" * 65 + "\n---\nBody": "not a name",
        "---\nname: con\n---\nBody": "not a name",
        "---\nname: x\ndescription: " + "y" * 4097 + "\n---\nBody": "4,096",
        "---\nname: x\n---\n\n": "skill is empty",
        "a\0b": "NUL",
    }
    for text, output in wrong.items():
        with pytest.raises(InvalidInput, match=output) as caught:
            skill_format.parse_skill(text, "skills/x/SKILL.md")
        assert caught.value.hint, text


def test_names_that_can_be_invoked() -> None:
    for good in ("a", "release-notes", "v2", "x" * 64):
        assert skill_format.is_skill_slug(good), good
    for bad in ("", "A", "a_b", "-a", "a-", "a--b", "x" * 65, "../a", "a/b", "nul", "com1", "a\n"):
        assert not skill_format.is_skill_slug(bad), bad
