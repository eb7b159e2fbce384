"""What a skill is given: written, read, and put into its instructions."""

from __future__ import annotations

import pytest

from gitmem.errors import InvalidInput
from gitmem.memory.skills import skill_parameters
from gitmem.memory.skills.skill_parameters import MAX_PARAMETERS, SkillParameter


def test_each_way_of_writing_one() -> None:
    for text, made in {
        "tag": SkillParameter("tag"),
        "tag: The release": SkillParameter("tag", "The release"),
        "form=md": SkillParameter("form", "", "md"),
        "form=md: How": SkillParameter("form", "How", "md"),
        "url=https://x.example/a:8: Where": SkillParameter("url", "Where", "https://x.example/a:8"),
        "note=": SkillParameter("note", "", ""),
    }.items():
        assert skill_parameters.parse_parameter(text) == made, text
        assert made.required == ("=" not in text)
    for wrong in ("", "1x", "two words", "=md", "a" * 65):
        with pytest.raises(InvalidInput, match="not a parameter"):
            skill_parameters.parse_parameter(wrong)


def test_those_of_other_programs_are_read_as_far_as_they_can_be() -> None:
    found = skill_parameters.skill_parameters_from_json(
        [
            "tag: The release",
            {"name": "form", "default": 3},
            {"name": "loose", "required": False},
            {"name": "form", "description": "a second time"},
            {"name": "two words"},
            {"name": "x=1"},
            {},
            7,
            "two words",
        ]
    )
    assert found == (
        SkillParameter("tag", "The release"),
        SkillParameter("form", "", "3"),
        SkillParameter("loose", "", ""),
    )
    assert skill_parameters.skill_parameters_from_json("tag") == ()
    assert (
        len(skill_parameters.skill_parameters_from_json([f"p{number}" for number in range(50)]))
        == MAX_PARAMETERS
    )


def test_values_are_put_in_once() -> None:
    taken = (SkillParameter("a"), SkillParameter("b", "", "{{a}}"))
    text, values = skill_parameters.fill_instructions(
        "x", "{{a}} {{ b }} {{c}} {a}", taken, {"a": "{{b}}"}
    )
    assert text == "{{b}} {{a}} {{c}} {a}"
    assert values == {"a": "{{b}}", "b": "{{a}}"}


def test_a_missing_one_and_an_unknown_one_are_named() -> None:
    taken = (SkillParameter("a"), SkillParameter("b", "", "x"))
    with pytest.raises(InvalidInput, match="needs a"):
        skill_parameters.fill_instructions("x", "", taken, {})
    with pytest.raises(InvalidInput, match="no parameter 'c'") as caught:
        skill_parameters.fill_instructions("x", "", taken, {"a": "", "c": ""})
    assert caught.value.hint == "It has: a, b."


def test_arguments_are_pairs() -> None:
    assert skill_parameters.parse_skill_arguments(["a=b=c", "d="]) == {"a": "b=c", "d": ""}
    for wrong in ("a", "=b"):
        with pytest.raises(InvalidInput, match="NAME=VALUE"):
            skill_parameters.parse_skill_arguments([wrong])
