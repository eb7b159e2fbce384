from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitmem.git import plain_config
from tests.support.repos import RepoBuilder

ODD = r"""# comment
[core]
	bare = false ; comment
	editor = "vi # not a comment" # comment
	flag
	path = C:\\work\\x
	long = one \
two
[remote "Or\"i]gin"]
	url = a = b
	URL = second
[Section.Dotted] name = on the header's line
[empty]
	value =
	spaced =  a  b@@@
"""


def test_odd_spellings_are_read_as_git_reads_them(born: RepoBuilder) -> None:
    (born.path / "odd").write_text(ODD.replace("@", " "))
    listed = born.git("config", "--file", "odd", "--list", "-z")
    expected: plain_config.Settings = {}
    for entry in filter(None, listed.split("\0")):
        key, told, value = entry.partition("\n")
        expected.setdefault(key, []).append(value if told else "true")
    assert plain_config.read(str(born.path / "odd")) == expected


def test_last_and_truth() -> None:
    settings = plain_config.parse("[a]\nb = no\nb = Yes\nc\nd = 0\ne = 2\n")
    assert plain_config.last_value(settings, "a.b") == "Yes"
    assert plain_config.last_value(settings, "a.z") is None
    told = {key: plain_config.read_bool(settings, f"a.{key}") for key in "bcdez"}
    assert told == {"b": True, "c": True, "d": False, "e": True, "z": False}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_or_a_huge_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "huge").write_text("[a]\nb = c\n" * 200_000)
    for name in ("pipe", "huge", "missing", "nul\0"):
        assert plain_config.read(f"{tmp_path}/{name}") == {}
