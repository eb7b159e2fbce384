"""CT-9: a remote's URL is what ``git remote get-url`` prints, whoever reads the configuration.

Every case is a real repository's configuration. ``DULWICH`` are read without git, ``GIT`` are left
to git because dulwich would read them otherwise or not at all.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from dulwich.config import ConfigDict
from dulwich.repo import Repo

import gitmem
from gitmem.errors import Unavailable
from gitmem.git import config, identity, runner
from gitmem.git.layout import RepositoryLayout, find_repository
from gitmem.git.remotes import canonical_remote
from gitmem.model.frozen import dataclass
from tests.support.repos import RepoBuilder, isolated_environment

HUB = "https://github.com/a/b"
ORIGIN = f'[remote "origin"]\n\turl = {HUB}\n'
SHORT = '[remote "origin"]\n\turl = gh:a/b\n'
RULE = '[url "https://github.com/"]\n\tinsteadOf = gh:\n'
OTHER = '[remote "other"]\n\turl = https://github.com/c/d\n'
EXTENSION = "[extensions]\n\tworktreeConfig = true\n"
GIT_VERSION = tuple(
    map(int, re.findall(r"\d+", subprocess.check_output(["git", "--version"], text=True))[:2])
)


@dataclass(frozen=True, slots=True)
class Case:
    """A configuration: the repository's, the user's, and files beside them by absolute place.

    ``{repo}`` and ``{home}`` stand for the folders. ``chosen`` is the remote that names the
    project; ``since`` the git from which on it reads the same.
    """

    local: str
    user: str = ""
    more: tuple[tuple[str, str], ...] = ()
    chosen: str = "origin"
    since: tuple[int, int] = (0, 0)


DULWICH = {
    "plain": Case(ORIGIN),
    "several remotes": Case(OTHER + ORIGIN),
    "the only one, under another name": Case(OTHER, chosen="other"),
    "pushurl is for pushing": Case(ORIGIN + "\tpushurl = https://h.org/x/y\n"),
    "a rule in the repository": Case(SHORT + RULE),
    "a rule of the user": Case(SHORT, RULE),
    "the longest prefix": Case(
        SHORT, RULE + '[url "ssh://git@h.org/t/"]\n\tinsteadOf = gh:a/\n\tinsteadOf = g\n'
    ),
    "the first of equal prefixes, the user's": Case(
        SHORT + '[url "https://wrong/"]\n\tinsteadOf = gh:\n', RULE
    ),
    "several prefixes of one base": Case(SHORT, RULE + "\tinsteadOf = hub:\n"),
    "an empty prefix fits every URL": Case(SHORT, '[url "https://h.org/"]\n\tinsteadOf =\n'),
    "a longer prefix before the empty one": Case(
        SHORT, '[url "https://h.org/"]\n\tinsteadOf =\n' + RULE
    ),
    "a rule that does not fit": Case(ORIGIN, RULE),
    "a rule without a base": Case(SHORT, "[url]\n\tinsteadOf = gh:\n" + RULE),
    "a push rule is for pushing": Case(
        ORIGIN, '[url "ssh://git@h.org/"]\n\tpushInsteadOf = https://github.com/\n'
    ),
    "an include beside the file": Case(
        SHORT + "[include]\n\tpath = more\n", more=(("{repo}/.git/more", RULE),)
    ),
    "an include of the user": Case(
        SHORT, "[include]\n\tpath = more/rules\n", more=(("{home}/more/rules", RULE),)
    ),
    "an include in the home folder": Case(
        SHORT, "[include]\n\tpath = ~/rules\n", more=(("{home}/rules", RULE),)
    ),
    "an include by its whole path": Case(
        SHORT + "[include]\n\tpath = {home}/rules\n", more=(("{home}/rules", RULE),)
    ),
    "nested includes, each from its own folder": Case(
        SHORT,
        "[include]\n\tpath = one/first\n",
        (
            ("{home}/one/first", "[include]\n\tpath = two/second\n"),
            ("{home}/one/two/second", "[include]\n\tpath = ../third\n"),
            ("{home}/one/third", RULE),
        ),
    ),
    "a missing include": Case(ORIGIN + "[include]\n\tpath = nowhere\n\tpath = more/none\n"),
    "an include of nothing": Case(ORIGIN + "[include]\n\tpath = /dev/null\n"),
    "the first URL counts, an include's before it": Case(
        "[include]\n\tpath = more\n" + ORIGIN, more=(("{repo}/.git/more", OTHER + SHORT),)
    ),
    "a quoted value": Case(f'[remote "origin"]\n\turl = "{HUB}"\n'),
    "a comment behind the value": Case(ORIGIN.rstrip() + "  # ours ; not theirs\n"),
    "a comment sign in quotes": Case(f'[remote "origin"]\n\turl = "{HUB}#x;y" ; z\n'),
    "escapes": Case('[remote "origin"]\n\turl = "https://github.com/a/\\"b\\\\"\n'),
    "comments and empty lines": Case("# [remote]\n\n;x\n" + ORIGIN + "\n  \t\n"),
    "lines that end as on Windows": Case((ORIGIN + OTHER).replace("\n", "\r\n")),
    "a byte order mark": Case("\ufeff" + ORIGIN),
    "upper case": Case(f'[REMOTE "origin"]\n\tURL = {HUB}\n[Remote "x"]\n\tUrl = x\n'),
    "upper case in a rule": Case(SHORT, RULE.replace("url", "URL").replace("Of", "OF")),
    "names differ by case": Case(ORIGIN + OTHER.replace("other", "Origin")),
    "a name with dots and quotes": Case(
        '[remote "my.re\\"mote\\\\]"]\n\turl = https://github.com/a/b\n', chosen='my.re"mote\\]'
    ),
    "no indent, no blanks": Case(f'[remote "origin"]\nurl={HUB}'),
    "several URLs": Case(ORIGIN + "\turl = https://h.org/x/y\n"),
    "the user's URL comes first": Case(ORIGIN, '[remote "origin"]\n\turl = https://h.org/x/y\n'),
    "an empty URL takes back": Case(
        '[remote "origin"]\n\turl = https://h.org/x/y\n\turl =\n\turl = https://github.com/a/b\n',
        since=(2, 46),
    ),
    "a remote without a URL": Case(
        '[remote "origin"]\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n' + OTHER,
        chosen="other",
    ),
    "a helper's remote": Case(ORIGIN + "\tvcs = hg\n"),
    "a credential": Case('[remote "origin"]\n\turl = https://me:some@github.com/a/b.git\n'),
    "host and path": Case('[remote "origin"]\n\turl = git@github.com:a/b.git\n'),
    "ssh with a port": Case('[remote "origin"]\n\turl = ssh://git@h.org:2222/a/b\n'),
    "no name: a file": Case('[remote "origin"]\n\turl = file:///srv/a/b.git\n'),
    "no name: a drive": Case('[remote "origin"]\n\turl = C:/work/b.git\n'),
    "no name: a drive with escapes": Case('[remote "origin"]\n\turl = C:\\\\work\\\\b.git\n'),
    "no name: a folder": Case('[remote "origin"]\n\turl = ../b.git\n'),
    "the branch's remote without an origin": Case(
        OTHER + '[remote "x"]\n\turl = https://h.org/x/y\n[branch "main"]\n\tremote = x\n',
        chosen="x",
    ),
    "origin before the branch's remote": Case(
        ORIGIN + OTHER + '[branch "main"]\n\tremote = other\n'
    ),
    "where pushes go does not matter": Case(ORIGIN + OTHER + "[remote]\n\tpushDefault = other\n"),
    "the remote gitmem is told": Case(
        ORIGIN + OTHER + "[gitmem]\n\tremote = other\n", chosen="other"
    ),
    "the remote gitmem is told last": Case(
        ORIGIN + OTHER + "[gitmem]\n\tremote = other\n", "[gitmem]\n\tremote = x\n", chosen="other"
    ),
    "a partial clone": Case(
        ORIGIN
        + "\tpromisor = true\n\tpartialCloneFilter = blob:none\n"
        + "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tpartialClone = origin\n"
    ),
}
# In these dulwich would be wrong, or refuse, or might.
GIT = {
    "a condition on the folder": Case(
        SHORT, '[includeIf "gitdir:{repo}/"]\n\tpath = rules\n', (("{home}/rules", RULE),)
    ),
    "a condition that does not hold": Case(
        ORIGIN, '[includeIf "gitdir:/nowhere/"]\n\tpath = rules\n', (("{home}/rules", SHORT),)
    ),
    "a condition on the branch": Case(
        SHORT + '[includeIf "onbranch:ma*"]\n\tpath = more\n', more=(("{repo}/.git/more", RULE),)
    ),
    "a condition on a URL": Case(
        SHORT,
        '[includeIf "hasconfig:remote.*.url:gh:**"]\n\tpath = rules\n',
        (("{home}/rules", RULE),),
        since=(2, 36),
    ),
    "a condition in an included file": Case(
        SHORT,
        "[include]\n\tpath = first\n",
        (
            ("{home}/first", '[IncludeIf "onbranch:main"]\n\tpath = rules\n'),
            ("{home}/rules", RULE),
        ),
    ),
    "a work tree's own settings": Case(
        OTHER + ORIGIN + "[core]\n\trepositoryFormatVersion = 0\n" + EXTENSION,
        more=(("{repo}/.git/config.worktree", "[gitmem]\n\tremote = other\n"),),
        chosen="other",
    ),
    "an extension that no version of the format brings": Case(
        OTHER + ORIGIN + EXTENSION,
        more=(("{repo}/.git/config.worktree", "[gitmem]\n\tremote = other\n"),),
    ),
    "a work tree's settings without the extension": Case(
        ORIGIN, more=(("{repo}/.git/config.worktree", OTHER + "[gitmem]\nremote = other\n"),)
    ),
    "a continued line": Case('[remote "origin"]\n\turl = https://github.com/\\\n  a/b\n'),
    "half a value in quotes": Case('[remote "origin"]\n\turl = https://github.com/"a/b "\n'),
    "a section with a dot": Case("[remote.Origin]\n\turl = https://github.com/a/b\n"),
    "a value on the header's line": Case(f'[remote "origin"] url = {HUB}\n'),
    "two blanks in a header": Case(f'[remote  "origin"]\n\turl = {HUB}\n'),
    "an include with a capital": Case(
        SHORT + "[include]\n\tPath = more\n", more=(("{repo}/.git/more", RULE),)
    ),
    "an include with a name is none": Case(
        ORIGIN + '[include "x"]\n\tpath = more\n', more=(("{repo}/.git/more", RULE),)
    ),
    "a file included twice": Case(
        ORIGIN + OTHER + "[include]\n\tpath = x\n[gitmem]\n\tremote = origin\n[include]\npath = x",
        more=(("{repo}/.git/x", "[gitmem]\n\tremote = other\n"),),
        chosen="other",
    ),
    "a large file": Case(ORIGIN + "#" * 80 + "\n" + "[a]\n\tb = c\n" * 130_000),
}
# Which git refuses as well.
BROKEN = {
    "no end of the header": ORIGIN + "[remote\n",
    "no end of the quotes": '[remote "origin"]\n\turl = "https://github.com/a/b\n',
    "an escape that git does not know": '[remote "origin"]\n\turl = C:\\work\\b\n',
    "a name that begins with a digit": ORIGIN + "\t1x = y\n",
    "no text": ORIGIN + "\0",
    "a circle": ORIGIN + "[include]\n\tpath = config\n",
}


@pytest.fixture(autouse=True)
def same_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(home))


def lay_out(repo: RepoBuilder, case: Case) -> RepositoryLayout:
    """Give the repository and the user the case's files, and no others."""

    def placed(text: str) -> str:
        return text.replace("{repo}", str(repo.path)).replace("{home}", str(repo.home))

    (repo.path / ".git" / "config.worktree").unlink(missing_ok=True)
    files = (("{repo}/.git/config", case.local), ("{home}/.gitconfig", case.user), *case.more)
    for path, text in files:
        os.makedirs(os.path.dirname(placed(path)), exist_ok=True)
        Path(placed(path)).write_bytes(placed(text).encode())
    return find_repository(str(repo.path))


def message(settings: ConfigDict) -> list[tuple[object, ...]]:
    return [(section, *settings.items(section)) for section in settings.sections()]


def check(repo: RepoBuilder, layout: RepositoryLayout, remote: str, name: str = "") -> None:
    """The URL is git's, and the key is made of it."""
    url = repo.git("remote", "get-url", remote)
    assert config.remote_url(config.read_remote_config(layout), remote) == url, name
    key = canonical_remote(url)
    found = identity.resolve_project_identity(layout, configured_name=None)
    assert (found.key == key) if key else (found.source == "root-commit"), (name, found)


def test_dulwich_answers_as_git_does(born: RepoBuilder) -> None:
    for name, case in DULWICH.items():
        layout = lay_out(born, case)
        output = config.read_config_by_dulwich(layout)
        assert output is not None, name
        assert message(output) == message(config.read_config_by_git(layout)), name
        if case.since <= GIT_VERSION:
            check(born, layout, case.chosen, name)


def test_git_answers_where_dulwich_may_be_wrong(born: RepoBuilder) -> None:
    for name, case in GIT.items():
        if case.since <= GIT_VERSION:
            layout = lay_out(born, case)
            assert config.read_config_by_dulwich(layout) is None, name
            check(born, layout, case.chosen, name)


def test_longest_rule_wins_and_the_first_of_equals() -> None:
    settings = ConfigDict()
    for base, prefix in (
        ("https://github.com/", "gh:"),
        ("https://wrong/", "gh:"),
        ("ssh://git@host/team/", "gh:team/"),
    ):
        settings.add(("url", base), "insteadof", prefix)
    assert config.rewrite_url(settings, "gh:a/b") == "https://github.com/a/b"
    assert config.rewrite_url(settings, "gh:team/b") == "ssh://git@host/team/b"
    assert config.rewrite_url(settings, "other:a/b") == "other:a/b"
    settings.add(("url", "https://last/"), "insteadof", "")
    assert config.rewrite_url(settings, "gh:team/b") == "ssh://git@host/team/b"
    assert config.rewrite_url(settings, "other:a/b") == "https://last/other:a/b"


def test_what_git_refuses_has_no_guessed_identity(born: RepoBuilder) -> None:
    for name, local in BROKEN.items():
        layout = lay_out(born, Case(local))
        assert not born.git("remote", "get-url", "origin", check=False), name
        with pytest.raises(Unavailable):
            config.read_remote_config(layout)


def test_no_git_is_needed(born: RepoBuilder, tmp_path: Path) -> None:
    """So that it is dulwich that resolves rules and includes."""
    for name in ("plain", "nested includes, each from its own folder", "the longest prefix"):
        layout = lay_out(born, DULWICH[name])
        runner.configure_git_environment(isolated_environment(born.home))
        url = config.remote_url(config.read_config_by_git(layout), "origin")
        runner.configure_git_environment({"PATH": str(tmp_path), "HOME": str(born.home)})
        assert identity.resolve_project_identity(
            layout, configured_name=None
        ).key == canonical_remote(url or ""), name


def test_a_fresh_process_resolves_by_a_small_part_of_dulwich(born: RepoBuilder) -> None:
    lay_out(born, DULWICH["an include of the user"])
    code = (
        "import os, sys\n"
        "from gitmem.git import identity, layout, runner\n"
        "runner.configure_git_environment(os.environ)\n"
        "found = layout.find_repository('.')\n"
        "print(any('dulwich' in name for name in sys.modules))\n"
        "print(identity.resolve_project_identity(found, configured_name=None).key)\n"
        "print([n for n in ('dulwich.config', 'dulwich.repo', 'subprocess') if n in sys.modules])\n"
    )
    out = subprocess.check_output(
        [sys.executable, "-c", code],
        cwd=born.path,
        env=born.env | {"PYTHONPATH": str(Path(gitmem.__file__).parents[1])},
        text=True,
    )
    assert out.splitlines() == ["False", "github.com/a/b", "['dulwich.config']"]


def test_an_empty_url_takes_back_those_before_it_with_every_git(born: RepoBuilder) -> None:
    layout = lay_out(born, DULWICH["an empty URL takes back"])
    assert identity.resolve_project_identity(layout, configured_name=None).key == "github.com/a/b"
    layout = lay_out(born, Case(ORIGIN + "\turl =\n" + OTHER))
    assert config.remote_names(config.read_remote_config(layout)) == ["other"]


def test_a_url_that_is_no_text_names_nothing(born: RepoBuilder) -> None:
    layout = lay_out(born, Case(OTHER))
    for text in (b'[url "h\xff"]\n\tinsteadOf = g\n', b'[remote "origin"]\n\turl = h.org:\xff\n'):
        with open(born.path / ".git" / "config", "ab") as file:
            file.write(text)
        assert (
            identity.resolve_project_identity(layout, configured_name=None).key == "github.com/c/d"
        )


def test_settings_in_the_environment_do_not_count(born: RepoBuilder) -> None:
    """They are one command's, and the memory is every command's."""
    layout = lay_out(born, DULWICH["plain"])
    extra = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "remote.origin.url",
        "GIT_CONFIG_VALUE_0": "https://h.org/x/y",
        "GIT_CONFIG_PARAMETERS": "'gitmem.remote=x'",
    }
    runner.configure_git_environment(isolated_environment(born.home) | extra)
    assert message(config.read_config_by_git(layout)) == message(config.read_remote_config(layout))
    assert identity.resolve_project_identity(layout, configured_name=None).key == "github.com/a/b"


def test_named_configurations(born: RepoBuilder, tmp_path: Path) -> None:
    layout = lay_out(born, Case(SHORT))
    (tmp_path / "rules").write_text(RULE)
    env = isolated_environment(born.home)
    for extra, key in (
        ({"GIT_CONFIG_GLOBAL": str(tmp_path / "rules")}, "github.com/a/b"),
        ({"GIT_CONFIG_GLOBAL": ""}, "gh/a/b"),
        ({"GIT_CONFIG_GLOBAL": os.devnull}, "gh/a/b"),
        ({"GIT_CONFIG_SYSTEM": str(tmp_path / "rules")}, "gh/a/b"),
        ({"GIT_CONFIG_SYSTEM": str(tmp_path / "rules"), "GIT_CONFIG_NOSYSTEM": "0"}, None),
    ):
        runner.configure_git_environment(env | extra)
        found = identity.resolve_project_identity(layout, configured_name=None)
        assert found.key == (key or "github.com/a/b"), extra
        assert message(config.read_config_by_git(layout)) == message(
            config.read_remote_config(layout)
        ), extra


def test_another_home_than_the_process_has_is_left_to_git(
    born: RepoBuilder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    layout = lay_out(born, DULWICH["an include in the home folder"])
    monkeypatch.setenv("HOME", str(tmp_path))
    assert config.read_config_by_dulwich(layout) is None
    check(born, layout, "origin")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_an_include_cannot_make_us_wait(born: RepoBuilder, tmp_path: Path) -> None:
    """Also where the condition does not hold: git alone knows that, and would wait."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "first").write_text(f"[include]\n\tpath = {pipe}\n")
    started = time.monotonic()
    for include in (
        f"[include]\n\tpath = {pipe}\n",
        f"[include]\n\tpath = {tmp_path}/first\n",
        f'[includeIf "gitdir:/nowhere"]\n\tpath = {pipe}\n',
        "[include]\n\tpath = /dev/zero\n",
    ):
        layout = lay_out(born, Case(ORIGIN + include))
        with pytest.raises(Unavailable, match="not a regular file"):
            config.read_remote_config(layout)
    (born.path / ".git" / "config").unlink()
    os.mkfifo(born.path / ".git" / "config")
    with pytest.raises(Unavailable, match="not a regular file"):
        identity.resolve_project_identity(layout, configured_name=None)
    assert time.monotonic() - started < 5


def test_what_is_included_has_bounds(born: RepoBuilder, tmp_path: Path) -> None:
    """Too large, a chain too long, a folder, a text that is none: git has limits for them."""
    huge = tmp_path / "huge"
    with huge.open("wb") as file:
        file.truncate(1 << 40)
    for number in range(20):
        (tmp_path / str(number)).write_text(f"[include]\n\tpath = {number + 1}\n")
    (tmp_path / "notes").write_text("These are\nsomebody's notes.\n")
    for path in (huge, tmp_path / "0", tmp_path, tmp_path / "notes"):
        layout = lay_out(born, Case(ORIGIN + f"[include]\n\tpath = {path}\n"))
        assert config.read_config_by_dulwich(layout) is None
        with pytest.raises(Unavailable) as raised:
            config.read_remote_config(layout)
        assert "somebody" not in str(raised.value)


def test_a_hostile_line_costs_linear_time(born: RepoBuilder) -> None:
    layout = lay_out(born, Case(ORIGIN + "\tx = " + '"' * 900_001 + "\\"))
    started = time.process_time()
    assert config.read_config_by_dulwich(layout) is None
    for line in ('[a "' + "\\\\" * 450_000, "\tx = " + "a " * 450_000 + '"', " " * 900_000 + "="):
        lay_out(born, Case(ORIGIN + line))
        assert config.read_config_by_dulwich(layout) is None
    assert time.process_time() - started < 5


def test_every_shape_of_a_repository(born: RepoBuilder, tmp_path: Path) -> None:
    """The plain reading of folders, on every command's path, says what dulwich and git say."""
    bare = RepoBuilder(tmp_path / "bare.git", "--bare")
    born.git("push", "-q", str(bare.path), "main")
    super_ = RepoBuilder(tmp_path / "super")
    super_.git("submodule", "add", "-q", f"file://{born.path}", "sub")
    apart = RepoBuilder(tmp_path / "apart", f"--separate-git-dir={tmp_path}/elsewhere")
    born.git("config", "uploadpack.allowFilter", "true")
    shapes = [
        born,
        born.worktree(tmp_path / "linked", "side"),
        bare,
        RepoBuilder(_worktree_of(bare, tmp_path / "of-bare"), init=False, home=born.home),
        RepoBuilder(super_.path / "sub", init=False, home=born.home),
        apart,
        RepoBuilder(tmp_path / "wide", "--object-format=sha256"),
        born.clone(tmp_path / "shallow", "--depth=1"),
        born.clone(tmp_path / "partial", "--filter=blob:none"),
    ]
    if GIT_VERSION >= (2, 45):
        shapes.append(RepoBuilder(tmp_path / "tables", "--ref-format=reftable"))
    for repo in shapes:
        repo.git("config", "remote.origin.url", HUB)
        layout = find_repository(str(repo.path))
        assert config.read_config_by_dulwich(layout) is not None
        assert (
            identity.resolve_project_identity(layout, configured_name=None).key == "github.com/a/b"
        )
        with Repo(str(repo.path)) as opened:
            assert os.path.realpath(opened.controldir()) == layout.git_dir
            assert os.path.realpath(opened.commondir()) == layout.common_dir
            assert os.path.realpath(opened.path) == layout.cwd
        check(repo, layout, "origin")


def _worktree_of(bare: RepoBuilder, path: Path) -> Path:
    bare.git("worktree", "add", "-q", str(path), "main")
    return path
