"""Settings without a repository: places, types, bounds, and who may set what."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gitmem.errors import InvalidInput
from gitmem.setting_table import BY_KEY, SETTINGS, parse_setting_value, validate_setting_value
from gitmem.settings import Settings
from tests.support.tables import table


def test_every_default_is_within_its_own_bounds() -> None:
    for setting in SETTINGS:
        assert validate_setting_value(setting, setting.default, "default") == setting.default
        assert setting.help and not setting.help.endswith(".")


def test_only_harmless_keys_may_come_from_a_repository() -> None:
    """Reliability 3.1: a file that a repository ships is a stranger's word."""
    allowed = {setting.key for setting in SETTINGS if setting.repository}
    index = {setting.key for setting in SETTINGS if setting.key.startswith("index.")}
    shown = {"name", "project.paths", "orient.budget", "recall.limit"}
    assert allowed == {*shown, *index - {"index.commits"}}


def test_a_repository_reads_no_settings_from_outside_through_a_link(tmp_path: Path) -> None:
    repository, outside = tmp_path / "repository", tmp_path / "outside.toml"
    repository.mkdir()
    outside.write_text('name = "taken from outside"\n')
    (repository / ".gitmem.toml").symlink_to(outside)
    settings = Settings({"GITMEM_HOME": str(tmp_path)})
    settings.add_file(str(repository / ".gitmem.toml"), "repository")
    assert settings.text("name") == ""
    assert "leads out of the repository" in " ".join(settings.warnings)
    (repository / "inside.toml").write_text('name = "inside"\n')
    (repository / ".gitmem.toml").unlink()
    (repository / ".gitmem.toml").symlink_to("inside.toml")
    settings.add_file(str(repository / ".gitmem.toml"), "repository")
    assert settings.text("name") == "inside"


def test_a_repository_lowers_a_limit_and_adds_to_a_list_and_never_the_other_way(
    tmp_path: Path,
) -> None:
    """A clone must not have more read, or less left out, than its reader allows."""
    user, shipped = tmp_path / "config.toml", tmp_path / ".gitmem.toml"
    user.write_text('[index]\nenabled = 0\nmax_files = 100\nexclude = ["*.sql", "old/"]\n')
    shipped.write_text(
        '[index]\nenabled = 1\nmax_files = 200\nmax_file_bytes = 5000\nexclude = "gen/"\n'
    )
    settings = Settings({"GITMEM_HOME": str(tmp_path)})
    settings.add_file(str(shipped), "repository")
    rows = {value.setting.key: (value.value, value.source) for value in settings.all_values()}
    assert rows["index.enabled"] == (0, str(user))
    assert rows["index.max_files"] == (100, str(user))
    assert rows["index.max_file_bytes"] == (5000, str(shipped))
    assert rows["index.exclude"] == ("*.sql,old/,gen/", str(shipped))
    assert not settings.warnings
    settings.add_file(str(user), "store")  # the user's own word is the last one
    assert settings.text("index.exclude") == "*.sql,old/"


def test_folders_of_sub_projects_are_a_list_or_joined_by_commas(tmp_path: Path) -> None:
    """CT-9."""
    shipped = tmp_path / ".gitmem.toml"
    for message in ('["web", "api=services/api"]', '"web,api=services/api"'):
        shipped.write_text(f"[project]\npaths = {message}\n")
        settings = Settings({"GITMEM_HOME": str(tmp_path)})
        settings.add_file(str(shipped), "repository")
        assert (settings.text("project.paths"), settings.warnings) == ("web,api=services/api", [])
    shipped.write_text("[project]\npaths = [1]\n")
    settings = Settings({"GITMEM_HOME": str(tmp_path)})
    settings.add_file(str(shipped), "repository")
    assert settings.text("project.paths") == "" and len(settings.warnings) == 1


@table(
    ("content", "name"),
    [
        ("name: acme-shop\n", "acme-shop"),
        ("\ufeff---\n# ours\nname: 'acme/shop' # why\nother: [1]\n---\nname: no\n", "acme/shop"),
        ("nested:\n  name: no\n", ""),
        ("name:\n", ""),
        ("name: [a, b]\n", ""),
        ("name: ../other\n", ""),
        ("name: /home/ada/other\n", ""),
        ("name: ~/other\n", ""),
        ("name: github.com/victim/app\n", ""),
        ("name: gitlab.com/app\n", ""),
        ("name: path:/home/ada\n", ""),
        ("name: root:0123\n", ""),
        ("name: shop//web\n", ""),
        ("name: upstream\n", ""),
        ("name: a\\b\n", ""),
        ('name: "a\\u001b[31m"\n', ""),
        ("name: " + "a" * 101 + "\n", ""),
        ("x" * 70_000 + "\nname: late\n", ""),
        ("mcp.projects: '*'\nstore.path: /tmp/x\nindex.enabled: 0\n", ""),
    ],
)
def test_of_contextifys_file_only_a_plain_name_is_read(
    tmp_path: Path, content: str, name: str
) -> None:
    """CT-9: it may be a stranger's; what is left aside is told."""
    file = tmp_path / ".contextify.yml"
    file.write_text(content, "utf-8")
    settings = Settings({"GITMEM_HOME": str(tmp_path)})
    settings.add_contextify_project_name(str(file))
    assert settings.text("name") == name
    assert len(settings.warnings) == (not name)
    others = [row for row in settings.all_values() if row.setting.key != "name"]
    assert {row.source for row in others} == {"default"}


def test_contextifys_file_is_no_link_and_goes_behind_our_own(tmp_path: Path) -> None:
    secret = tmp_path / "elsewhere"
    secret.write_text("name: hunter\n")
    file = tmp_path / ".contextify.yml"
    file.symlink_to(secret)
    settings = Settings({"GITMEM_HOME": str(tmp_path)})
    settings.add_contextify_project_name(str(file))
    assert settings.text("name") == "" and "hunter" not in str(settings.warnings)
    file.unlink()
    os.mkfifo(file)  # it would block for ever
    settings.add_contextify_project_name(str(file))
    file.unlink()
    file.write_text("name: theirs\n")
    (tmp_path / ".gitmem.toml").write_text('name = "ours"\n')
    settings.add_contextify_project_name(str(file))
    settings.add_file(str(tmp_path / ".gitmem.toml"), "repository")
    assert settings.text("name") == "ours"
    other = Settings({"GITMEM_HOME": str(tmp_path), "GITMEM_NAME": "mine"})
    other.add_contextify_project_name(str(file))
    assert other.text("name") == "mine"


def test_a_project_is_not_called_like_a_part_of_another(tmp_path: Path) -> None:
    """CT-9: its memories would be taken for those of a sub-project."""
    for name, expected in (("shop", True), ("https://x.org/shop", True), ("shop//web", False)):
        (tmp_path / ".gitmem.toml").write_text(f'name = "{name}"\n')
        settings = Settings({"GITMEM_HOME": str(tmp_path)})
        settings.add_file(str(tmp_path / ".gitmem.toml"), "repository")
        assert (settings.text("name") == name) is expected


def test_a_switch_may_be_given_in_words(tmp_path: Path) -> None:
    switch = BY_KEY["index.enabled"]
    message = {"true": 1, "Yes": 1, "on": 1, "1": 1, "false": 0, "no": 0, "OFF": 0, "0": 0}
    assert {raw: parse_setting_value(switch, raw, "here") for raw in message} == message
    assert (
        validate_setting_value(switch, True, "here"),
        validate_setting_value(switch, False, "here"),
    ) == (1, 0)
    path = tmp_path / "config.toml"
    path.write_text("[index]\nenabled = false\n[recall]\nlimit = true\n")
    settings = Settings({"GITMEM_HOME": str(tmp_path)})
    assert settings.number("index.enabled") == 0
    assert "recall.limit cannot be True" in settings.warnings[0]


def test_a_list_of_globs_is_refused_where_one_of_them_selects_nothing() -> None:
    for value in ("src/[a", ["ok", 5], ["a\nb"]):
        with pytest.raises(InvalidInput):
            validate_setting_value(BY_KEY["index.exclude"], value, "here")
    assert (
        validate_setting_value(BY_KEY["index.exclude"], ["*.sql", "a/**/b"], "here")
        == "*.sql,a/**/b"
    )


@pytest.mark.parametrize("level", ["user", "repository", "store"])
def test_a_level_takes_only_what_it_may_set(tmp_path: Path, level: str) -> None:
    path = tmp_path / "some.toml"
    path.write_text('agent = "x"\n[store]\npath = "/tmp/y"\n[orient]\nbudget = 300\n')
    settings = Settings({"HOME": str(tmp_path)})
    settings.add_file(str(path), level)
    assert settings.number("orient.budget") == 300
    assert settings.text("agent") == ("" if level == "repository" else "x")
    assert settings.text("store.path") == ("/tmp/y" if level == "store" else "")
    assert len(settings.warnings) == {"user": 1, "repository": 2, "store": 0}[level]


def test_the_environment_wins_over_files_read_later(tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    path.write_text("[orient]\nbudget = 300\n")
    settings = Settings({"HOME": str(tmp_path), "GITMEM_ORIENT_BUDGET": "700"})
    settings.add_file(str(path), "store")
    assert settings.number("orient.budget") == 700


@table(
    ("key", "raw"),
    [
        ("orient.budget", "199"),
        ("orient.budget", "20001"),
        ("orient.budget", "1e3"),
        ("orient.budget", ""),
        ("backup.keep", "0"),
        ("name", "x" * 201),
        ("name", "two\nlines"),
        ("agent", "\x1b[31mred"),
        ("timezone", "\u202eUTC"),
        ("timezone", "Mars/Olympus"),
        ("timezone", "../../../etc/passwd"),
        ("timezone", "zone.tab"),
        ("timezone", "/".join(["a"] * 500)),
        ("search.without", "meaning"),
        ("search.without", "text, banana"),
        ("model", "nosuch"),
        ("model", "fastembed:"),
        ("store.path", "relative/memory.db"),
        ("store.path", "/"),
    ],
)
def test_a_wrong_value_is_refused_and_where_it_stands_already_left_aside(
    tmp_path: Path, key: str, raw: str
) -> None:
    """The warning names the file or variable and the key; what would hold without it holds."""
    setting = BY_KEY[key]
    with pytest.raises(InvalidInput) as refused:
        parse_setting_value(setting, raw, setting.environment_variable)
    assert refused.value.message.isprintable()
    assert refused.value.hint
    path = tmp_path / "some.toml"
    table, _, name = key.rpartition(".")
    head = f"[{table}]\n" if table else ""
    path.write_text(head + f"{name} = {json.dumps(raw)}\n", encoding="utf-8")
    settings = Settings({setting.environment_variable: raw, "HOME": "/nowhere"})
    settings.add_file(str(path), "store")
    found = {value.setting.key: value for value in settings.all_values()}[key]
    assert (found.value, found.source) == (setting.default, "default")
    assert settings.warnings == settings.mistakes
    for output, source in zip(
        settings.warnings, (setting.environment_variable, str(path)), strict=True
    ):
        assert output.startswith(f"{source}: {key} cannot be ")
        assert output.isprintable()


def test_a_wrong_variable_leaves_what_a_file_says(tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    path.write_text("[recall]\nlimit = 7\n")
    settings = Settings({"HOME": str(tmp_path), "GITMEM_RECALL_LIMIT": "lots"})
    settings.add_file(str(path), "store")
    assert settings.number("recall.limit") == 7
    assert len(settings.mistakes) == 1


@table("zone", ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+3"])
def test_zones_that_exist_are_taken(zone: str) -> None:
    settings = Settings({"HOME": "/nowhere", "GITMEM_TIMEZONE": zone})
    assert (settings.text("timezone"), settings.warnings) == (zone, [])


def test_an_unknown_key_is_reported_with_the_nearest_name(tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    path.write_text("timezon = 'UTC'\n[orient]\nbuget = 300\n")
    settings = Settings({"HOME": str(tmp_path)})
    settings.add_file(str(path), "store")
    assert "'timezon'. Did you mean 'timezone'?" in settings.mistakes[0]
    assert "'orient.buget'. Did you mean 'orient.budget'?" in settings.mistakes[1]


@table("value", [True, "1", 1.5, None, [1], {"a": 1}])
def test_a_number_is_nothing_else(value: object) -> None:
    with pytest.raises(InvalidInput):
        validate_setting_value(
            BY_KEY["orient.budget"], value, "file"
        ) if value != "1" else validate_setting_value(BY_KEY["orient.budget"], "1", "file")


@example(1)
@given(st.integers() | st.integers(-3, 1_003))
def test_numbers_within_the_bounds_are_taken_and_no_others(number: int) -> None:
    setting = BY_KEY["recall.limit"]
    assert setting.minimum is not None and setting.maximum is not None
    if setting.minimum <= number <= setting.maximum:
        assert parse_setting_value(setting, str(number), "test") == number
    else:
        with pytest.raises(InvalidInput):
            parse_setting_value(setting, str(number), "test")


def test_a_setting_may_have_a_fraction(tmp_path: Path) -> None:
    assert Settings({}).float_number("decay.archive_below") == 0.2
    path = tmp_path / "some.toml"
    path.write_text("[decay]\narchive_below = 1\n")
    settings = Settings({"HOME": str(tmp_path)})
    settings.add_file(str(path), "store")
    assert settings.float_number("decay.archive_below") == 1.0
    given_there = Settings({"GITMEM_DECAY_ARCHIVE_BELOW": "0.35"})
    assert given_there.float_number("decay.archive_below") == 0.35


@table("raw", ["nan", "inf", "-0.1", "1.6", "much", "", True, 10**400])
def test_a_fraction_out_of_bounds_is_refused(raw: object) -> None:
    with pytest.raises(InvalidInput):
        if isinstance(raw, str):
            settings = Settings({"GITMEM_DECAY_ARCHIVE_BELOW": raw})
            assert settings.float_number("decay.archive_below") == 0.2 and settings.mistakes
            parse_setting_value(BY_KEY["decay.archive_below"], raw, "test")
        validate_setting_value(BY_KEY["decay.archive_below"], raw, "file")


@pytest.mark.parametrize(
    "text",
    ["orient = [", "a = " + "[" * 3000, "orient = 5\n", "[orient.budget]\nx = 1\n"],
)
def test_the_users_own_broken_file_is_an_error_and_a_repositorys_a_warning(
    tmp_path: Path, text: str
) -> None:
    path = tmp_path / "x.toml"
    path.write_text(text)
    settings = Settings({"HOME": str(tmp_path)})
    settings.add_file(str(path), "repository")
    assert settings.warnings and not settings.mistakes
    if text.startswith(("orient = [", "a = [")):
        with pytest.raises(InvalidInput):
            Settings({"HOME": str(tmp_path)}).add_file(str(path), "user")
        own = Settings({"HOME": str(tmp_path)}, lenient=True)
        own.add_file(str(path), "user")
        assert own.mistakes == own.warnings == settings.warnings
        assert str(path) in own.mistakes[0]
        assert own.number("orient.budget") == 1200


def test_a_file_in_another_encoding_is_refused_with_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_bytes("name = 'é'".encode("latin-1"))
    with pytest.raises(InvalidInput):
        Settings({"HOME": str(tmp_path)}).add_file(str(path), "store")
    settings = Settings({"HOME": str(tmp_path)}, lenient=True)
    settings.add_file(str(path), "store")
    assert str(path) in settings.mistakes[0]


def test_one_wrong_value_in_a_repositorys_file_does_not_take_the_others_away(
    tmp_path: Path,
) -> None:
    path = tmp_path / "x.toml"
    path.write_text("name = 5\n[recall]\nlimit = 7\n")
    settings = Settings({"HOME": str(tmp_path)})
    settings.add_file(str(path), "repository")
    assert (settings.text("name"), settings.number("recall.limit")) == ("", 7)


@pytest.mark.parametrize(
    ("environment", "file", "store", "log"),
    [
        (
            {"GITMEM_HOME": "/g", "HOME": "/h"},
            "/g/config.toml",
            "/g/global/memory.db",
            "/g/errors.log",
        ),
        (
            {"HOME": "/h"},
            "/h/.config/gitmem/config.toml",
            "/h/.local/share/gitmem/global/memory.db",
            "/h/.local/state/gitmem/errors.log",
        ),
        (
            {"HOME": "/h", "XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s"},
            "/c/gitmem/config.toml",
            "/d/gitmem/global/memory.db",
            "/s/gitmem/errors.log",
        ),
        (
            {"USERPROFILE": "/u"},
            "/u/.config/gitmem/config.toml",
            "/u/.local/share/gitmem/global/memory.db",
            "/u/.local/state/gitmem/errors.log",
        ),
    ],
)
def test_where_things_of_the_user_lie(
    environment: dict[str, str], file: str, store: str, log: str
) -> None:
    settings = Settings(environment)
    assert (settings.user_file, settings.user_store, settings.log_file) == (file, store, log)


def test_without_a_home_nothing_of_the_user_has_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    # A user id that the system does not know has no home folder to fall back on.
    monkeypatch.setattr("os.getuid", lambda: 4_000_000)
    monkeypatch.delenv("HOME", raising=False)
    settings = Settings({})
    assert (settings.user_file, settings.user_store, settings.log_file) == ("", "", "")


@pytest.mark.parametrize(
    ("variable", "agent"),
    [("CLAUDECODE", "claude-code"), ("CODEX_SANDBOX", "codex"), ("GEMINI_CLI", "gemini")],
)
def test_the_host_of_an_agent_is_known_by_its_variable(variable: str, agent: str) -> None:
    assert Settings({variable: "1", "HOME": "/nowhere"}).detected_host_agent == agent
    assert Settings({variable: "", "HOME": "/nowhere"}).detected_host_agent == ""


def test_a_large_file_of_a_repository_holds_nothing_up(tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    path.write_text("[orient]\nbudget = 300\n" + "# much\n" * 40_000)
    settings = Settings({"HOME": str(tmp_path)})
    settings.add_file(str(path), "repository")
    assert settings.number("orient.budget") != 300
    assert "larger than 256 KB" in settings.warnings[0]
