"""Settings as `gitmem config` shows and changes them: precedence, comments kept, refusals."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gitmem.errors import Conflict, InvalidInput, NotARepository, NotInitialized, Unavailable
from gitmem.operations.registry import as_json_values
from gitmem.setting_table import BY_KEY
from gitmem.text.toml import set_toml_key
from tests.support.apps import Desk
from tests.support.cli import Program


def shown(desk: Desk, key: str) -> tuple[object, str]:
    row = desk.run("config", key=key).settings[0]
    return row.value, row.source


def test_later_sources_win_one_after_the_other(desk: Desk) -> None:
    """CF-53: defaults, user, repository, store, environment."""
    user = desk.home / "gitmem" / "config.toml"
    user.parent.mkdir(exist_ok=True)
    repository, store = desk.place / ".gitmem.toml", desk.settings_file
    assert shown(desk, "orient.budget") == (1200, "default")
    for path, value in ((user, 300), (repository, 400), (store, 500)):
        path.write_text(f"[orient]\nbudget = {value}\n")
        assert shown(desk, "orient.budget") == (value, str(path))
    desk.env["GITMEM_ORIENT_BUDGET"] = "600"
    assert shown(desk, "orient.budget") == (600, "GITMEM_ORIENT_BUDGET")


def test_a_repository_may_only_set_harmless_keys(desk: Desk) -> None:
    (desk.place / ".gitmem.toml").write_text(
        'agent = "evil"\nunheard = 1\n[store]\npath = "/tmp/x"\n'
        "[orient]\nbudget = 9\n[recall]\nlimit = 7\n"
    )
    answer = desk.run("config")
    rows = {row.key: row.value for row in answer.settings}
    assert (rows["agent"], rows["store.path"], rows["orient.budget"]) == ("", "", 1200)
    assert rows["recall.limit"] == 7
    output = "\n".join(answer.warnings)
    assert all(word in output for word in ("agent", "unheard", "store.path", "orient.budget"))


@pytest.mark.parametrize(
    "text",
    ["not toml", "a = " + "[" * 5000, '"\x00"', 'name = "\\u001b[2Jshop"', "name = 5"],
)
def test_a_broken_file_of_a_repository_is_only_warned_about(desk: Desk, text: str) -> None:
    (desk.place / ".gitmem.toml").write_text(text)
    assert desk.run("config").warnings
    assert "\x1b" not in desk.text("config") + desk.text("status")
    assert desk.run("status").project == "github.com/acme/shop"


def test_a_key_is_set_and_taken_out_and_shows_what_holds_now(desk: Desk) -> None:
    path = desk.settings_file
    answer = desk.run("config", key="orient.budget", value="800")
    assert answer.changed == str(path)
    assert (answer.settings[0].value, answer.settings[0].source) == (800, str(path))
    assert path.stat().st_mode & 0o777 == 0o600
    answer = desk.run("config", key="orient.budget", unset=True)
    assert (answer.settings[0].value, answer.settings[0].source) == (1200, "default")


def test_a_users_value_is_shown_as_hidden_where_the_store_has_its_own(desk: Desk) -> None:
    desk.run("config", key="recall.limit", value="5")
    answer = desk.run("config", key="recall.limit", value="9", user=True)
    assert answer.changed == str(desk.home / "gitmem" / "config.toml")
    assert answer.settings[0].value == 5


def test_setting_keeps_comments_and_order(desk: Desk) -> None:
    path = desk.settings_file
    path.write_text("# mine\n[recall] # r\nlimit = 5\n\n# later\n[orient]\nbudget = 300 # low\n")
    desk.run("config", key="recall.limit", value="9")
    assert path.read_text() == (
        "# mine\n[recall] # r\nlimit = 9\n\n# later\n[orient]\nbudget = 300 # low\n"
    )


@pytest.mark.parametrize(
    "values",
    [
        {"key": "nonsense"},
        {"key": "nonsense", "value": "1"},
        {"key": "orient.budget", "value": "many"},
        {"key": "orient.budget", "value": "1"},
        {"key": "store.path", "value": "x", "user": True},
        {"key": "agent", "value": "a\x1b[31m"},
        {"key": "timezone", "value": "Mars/Olympus"},
        {"key": "timezone", "value": "Mars/Olympus", "user": True},
        {"key": "model", "value": "nosuch"},
        {"key": "model", "value": "fastembed:/nowhere/at/all"},
        {"key": "store.path", "value": "/etc/passwd"},
        {"key": "store.path", "value": "relative.db"},
        {"key": "store.path", "value": "~/memory.db"},
        {"key": "store.path", "value": "/"},
        {"key": "store.path", "value": "/no/such/folder/memory.db"},
        {"unset": True},
    ],
)
def test_a_value_that_cannot_be_changes_no_file(desk: Desk, values: dict[str, object]) -> None:
    with pytest.raises(InvalidInput) as refused:
        desk.run("config", **values)
    assert refused.value.hint
    assert not desk.settings_file.exists()
    assert not (desk.home / "gitmem" / "config.toml").exists()


def test_a_store_may_be_another_or_a_new_file_and_a_key_is_reported_by_its_nearest_name(
    desk: Desk, tmp_path: Path
) -> None:
    own = str(tmp_path / "own.db")
    assert desk.run("config", key="store.path", value=own).settings[0].value == own
    desk.run("config", key="store.path", unset=True)
    value = str(desk.store)
    assert desk.run("config", key="store.path", value=value).settings[0].value == value
    with pytest.raises(InvalidInput, match=r"Did you mean 'orient\.budget'\?"):
        desk.run("config", key="orient.buget")
    with pytest.raises(InvalidInput, match=r"^recall\.limit cannot be 0\."):
        desk.run("config", key="recall.limit", value="0")
    with pytest.raises(InvalidInput) as refused:
        desk.run("config", key="timezone", value="Berlin")
    assert "Europe/Berlin" in refused.value.hint


WRONG = '[store]\npath = "/etc/passwd"\n[recall]\nlimit = "x"\n[orient]\nbuget = 3\n'


def test_settings_are_shown_set_and_taken_out_whatever_the_files_hold(desk: Desk) -> None:
    """A value from before, or from an editor, must not lock the door to its own repair."""
    path = desk.settings_file
    path.write_text('timezone = "Mars/Olympus"\nmodel = "nosuch"\n' + WRONG)
    desk.env["GITMEM_BACKUP_KEEP"] = "many"
    del desk.env["GITMEM_TIMEZONE"]
    output = desk.run("config").warnings
    keys = ("backup.keep", "timezone", "model", "recall.limit", "orient.buget", "store.path")
    assert [sum(key in item for item in output) for key in keys] == [1] * len(keys)
    assert all(item.startswith((str(path), "GITMEM_BACKUP_KEEP")) for item in output)
    assert (shown(desk, "timezone"), shown(desk, "model")) == (
        ("", "default"),
        ("builtin", "default"),
    )
    desk.run("config", key="recall.limit", value="9")
    for key in ("store.path", "timezone", "model"):
        desk.run("config", key=key, unset=True)
    assert tomllib.loads(path.read_text()) == {
        "store": {},
        "recall": {"limit": 9},
        "orient": {"buget": 3},
    }
    del desk.env["GITMEM_BACKUP_KEEP"]
    (left,) = desk.run("config").warnings
    assert "'orient.budget'" in left
    assert desk.run("remember", text="It works again").id


@pytest.mark.parametrize("text", ["[orient]\nbudget = = 3\n", "a = [\n", 'x = "\n', "\x00"])
def test_a_file_that_does_not_parse_is_reported_by_line_and_never_lost(
    desk: Desk, text: str
) -> None:
    program = Program(desk.home, desk.place)
    for where, path in (
        ((), desk.settings_file),
        (("--user",), desk.home / "gitmem" / "config.toml"),
    ):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        (output,) = program("config", "--json").json["warnings"]
        assert output.startswith(f"{path} is not valid TOML: ") and "at line " in output
        for words in (("orient.budget", "800"), ("orient.budget", "--unset")):
            refused = program.refused(2, "invalid", "config", *words, *where)
            assert str(path) in refused.err and "at line " in refused.err
            assert path.read_text() == text
        path.unlink()


@pytest.mark.parametrize("text", ["orient.budget = 300\n", "orient = {budget = 300}\n"])
def test_a_file_in_an_unusual_form_is_read_and_left_as_it_is(desk: Desk, text: str) -> None:
    path = desk.settings_file
    path.write_text(text)
    assert shown(desk, "orient.budget") == (300, str(path))
    for values in ({"value": "800"}, {"unset": True}):
        with pytest.raises(InvalidInput, match="unusual"):
            desk.run("config", key="orient.budget", **values)
        assert path.read_text() == text


def test_the_store_must_be_there_before_its_settings(bare_desk: Desk) -> None:
    with pytest.raises(NotInitialized):
        bare_desk.run("config", key="recall.limit", value="9")


def test_outside_a_repository_the_users_settings_are_shown_and_set(bare_desk: Desk) -> None:
    nowhere = bare_desk.at(bare_desk.home)
    assert len(nowhere.run("config").settings) == len(BY_KEY)
    with pytest.raises(NotARepository):
        nowhere.run("config", key="recall.limit", value="9")
    nowhere.run("config", key="recall.limit", value="9", user=True)
    assert shown(nowhere, "recall.limit")[0] == 9


def test_without_a_home_the_users_settings_have_no_place(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A user id that the system does not know has no home folder to fall back on.
    monkeypatch.setattr("os.getuid", lambda: 4_000_000)
    monkeypatch.delenv("HOME")
    desk.env = {"PATH": desk.env["PATH"]}
    with pytest.raises(Unavailable):
        desk.run("config", key="recall.limit", value="9", user=True)


PERSONAL = ("inbox.accept_by", "mcp.projects")


@pytest.mark.parametrize(("key", "value"), [(PERSONAL[0], "codex:merge"), (PERSONAL[1], "*")])
def test_what_lets_agents_do_more_only_a_person_sets_in_a_file_of_their_own(
    desk: Desk, key: str, value: str
) -> None:
    """No agent, no file of a repository or a store, and no variable."""
    with pytest.raises(Conflict, match=f"codex is an agent, and only a person can set {key}"):
        desk.run("config", key=key, value=value, user=True, by="codex")
    with pytest.raises(Conflict):
        desk.run("config", key=key, unset=True, user=True, by="codex")
    with pytest.raises(InvalidInput, match="to all your repositories"):
        desk.run("config", key=key, value=value)
    table, _, name = key.partition(".")
    desk.run("config", key="recall.limit", value="9")
    (project,) = (desk.home / "gitmem" / "stores").glob("*/config.toml")
    for file in (desk.place / ".gitmem.toml", project):
        file.write_text(f'[{table}]\n{name} = "{value}"\n')
    desk.env["GITMEM_" + key.replace(".", "_").upper()] = value
    result = desk.run("config", key=key)
    assert (result.settings[0].value, result.settings[0].source) == ("", "default")
    assert sum("ignored in a file that comes with" in warning for warning in result.warnings) == 1
    assert sum("only from your own settings file" in warning for warning in result.warnings) == 1
    desk.run("config", key=key, value=value, user=True)
    assert desk.run("config", key=key).settings[0].value == value
    for wrong in ("codex", "codex:all", "shop"):
        with pytest.raises(InvalidInput):
            desk.run("config", key=key, value=wrong, user=True)


def test_no_agent_points_a_project_to_the_store_of_another(desk: Desk, tmp_path: Path) -> None:
    with pytest.raises(Conflict, match=r"only a person can set store\.path"):
        desk.run("config", key="store.path", value=str(tmp_path / "memory.db"), by="codex")


AGENTS = {
    "timezone": "UTC",
    "context.scores": "file=0.6",
    "hooks.reminders": "recent_error",
    "orient.budget": "800",
    "orient.commits": "50",
    "recall.limit": "5",
    "search.fusion": "rrf",
    "search.meaning": "0.4",
    "search.rrf_k": "50",
    "session.context_tokens": "200000",
}


def test_an_agent_sets_what_is_shown_and_nothing_else(desk: Desk) -> None:
    """Not where data goes, what fades or is deleted, nor whether there are copies of it."""
    for key, value in AGENTS.items():
        assert desk.run("config", key=key, value=value, by="codex").changed
    desk.run("config", key="recall.limit", unset=True, by="codex")
    before = desk.settings_file.read_bytes()
    for key in BY_KEY.keys() - AGENTS.keys():
        for how in ({"value": "1"}, {"value": "1", "user": True}, {"unset": True}):
            with pytest.raises(Conflict, match=f"only a person can set {key}") as refused:
                desk.run("config", key=key, by="codex", **how)
            assert f"gitmem config {key}" in refused.value.hint
    assert desk.settings_file.read_bytes() == before


def test_the_mark_of_a_host_is_an_agent_and_other_systems_names_change_nothing(
    desk: Desk,
) -> None:
    desk.env["CLAUDECODE"] = "1"
    for key, value in {
        "ask.endpoint": "http://127.0.0.1:9101/v1",
        "decay.days": "1",
        "decay.archive_below": "1",
        "copy.mode": "off",
        "backup.keep": "1",
    }.items():
        with pytest.raises(Conflict, match=f"only a person can set {key}") as refused:
            desk.run("config", key=key, value=value)
        assert refused.value.hint.endswith(f"gitmem config {key} {value}")
    assert not desk.settings_file.exists()


def test_a_person_taken_for_an_agent_by_a_setting_reads_where_it_is(desk: Desk) -> None:
    desk.run("config", key="agent", value="codex")
    with pytest.raises(Conflict) as refused:
        desk.run("config", key="agent", unset=True)
    assert str(desk.settings_file) in refused.value.hint


def test_every_row_says_what_it_is_for(desk: Desk) -> None:
    for row in as_json_values(desk.run("config"))["settings"]:
        assert set(row) == {"key", "value", "source", "default", "variable", "help"}
        assert row["variable"].startswith("GITMEM_") or row["key"] in PERSONAL
    assert desk.text("config", key="agent").splitlines()[0] == "agent = ''  (default)"


NAMES = ["name", "agent", "orient.budget", "recall.limit", "backup.keep"]
VALUES = st.one_of(
    st.integers(-(10**6), 10**6), st.booleans(), st.text(max_size=30), st.floats(-1e9, 1e9)
)


def flat(text: str) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in tomllib.loads(text).items():
        if isinstance(value, dict):
            found |= {f"{key}.{inner}": item for inner, item in value.items()}
        else:
            found[key] = value
    return found


@st.composite
def files(draw: st.DrawFn) -> str:
    lines = []
    for key in draw(st.lists(st.sampled_from(["name", "agent"]), unique=True)):
        lines.append(f'{key} = "x"  # {key}')
    for table in draw(st.permutations(["orient", "recall", "backup"])):
        keys = {"orient": "budget", "recall": "limit", "backup": "keep"}
        lines += ["", f"# about {table}", f"[{table}]  # here"]
        if draw(st.booleans()):
            lines.append(f"  {keys[table]} = 7 # seven")
        lines.append("other = 'kept'")
    return "\n".join(lines) + draw(st.sampled_from(["", "\n", "\n\n"]))


@given(text=st.one_of(st.just(""), files()), key=st.sampled_from(NAMES), value=VALUES)
@example(text="", key="name", value="two\x85parts")
@example(text="# a\u2028b\n[orient]\nbudget = 7\n", key="orient.budget", value=8)
@example(text="agent = 'a'", key="name", value="\x7f")
def test_only_the_key_changes_and_any_toml_reader_agrees(
    text: str, key: str, value: int | bool | str | float
) -> None:
    if isinstance(value, str):
        value = value.encode("utf-8", "replace").decode()
    after = set_toml_key(text, key, value)
    assert flat(after) == flat(text) | {key: value}
    assert [line for line in text.splitlines() if "# about" in line] == [
        line for line in after.splitlines() if "# about" in line
    ]
    without = set_toml_key(after, key, None)
    assert flat(without) == {name: item for name, item in flat(text).items() if name != key}


def test_who_writes_can_be_set_for_one_repository(desk: Desk) -> None:
    desk.run("config", key="agent", value="codex")
    made = desk.run("remember", text="Said by an agent").id
    shown = desk.run("show", id=made).memory
    assert (shown.agent, shown.source, shown.trust) == ("codex", "ai_inferred", "agent")
