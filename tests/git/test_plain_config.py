from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitmem.git import config, layout, plain_config, runner
from tests.support.repos import RepoBuilder, isolated_environment

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
    expected: plain_config.ConfigValues = {}
    for entry in filter(None, listed.split("\0")):
        key, output, value = entry.partition("\n")
        expected.setdefault(key, []).append(value if output else "true")
    assert plain_config.read_config_file(str(born.path / "odd")) == expected


def test_last_and_truth() -> None:
    settings = plain_config.parse_config("[a]\nb = no\nb = Yes\nc\nd = 0\ne = 2\n")
    assert plain_config.last_value_of_key(settings, "a.b") == "Yes"
    assert plain_config.last_value_of_key(settings, "a.z") is None
    output = {key: plain_config.read_bool_value(settings, f"a.{key}") for key in "bcdez"}
    assert output == {"b": True, "c": True, "d": False, "e": True, "z": False}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_or_a_huge_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "huge").write_text("[a]\nb = c\n" * 200_000)
    for name in ("pipe", "huge", "missing", "nul\0"):
        assert plain_config.read_config_file(f"{tmp_path}/{name}") == {}


def test_the_name_of_the_user_is_the_one_that_git_reads(tmp_path: Path, home: Path) -> None:
    """CF-43: also where an include decides, and none where nobody is named."""
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Start", {"a.py": "x = 1\n"})
    own = isolated_environment(home)
    own = {name: value for name, value in own.items() if not name.startswith("GIT_AUTHOR")}
    user = home / "user"
    runner.configure_git_environment({**own, "GIT_CONFIG_GLOBAL": str(user)})

    def name() -> str:
        found = config.commit_user_name(layout.find_repository(str(repo.path)))
        result = runner.run_git(
            ["config", "user.name"], cwd=str(repo.path), allowed_statuses=(0, 1)
        )
        assert found == result.decode().strip()
        return found

    repo.git("config", "--unset-all", "user.name", check=False)
    user.parent.mkdir(exist_ok=True)
    user.write_text("")
    assert name() == ""
    user.write_text('[user]\n\tname = "Grace Hopper" # at home\n')
    assert name() == "Grace Hopper"
    (user.parent / "work").write_text("[user]\nname = Grace at work\n")
    user.write_text(f'[user]\nname = G\n[includeIf "gitdir:{repo.path}/"]\npath = work\n')
    assert name() == "Grace at work"
    repo.git("config", "user.name", "Just here")
    assert name() == "Just here"
