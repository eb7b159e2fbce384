"""Tables of TOML: appended, found again, taken out; strings that look like them do not count."""

from __future__ import annotations

import pytest

from gitmem.agents.wiring import file_pieces
from gitmem.agents.wiring.templates import ConfigFragment
from gitmem.errors import InvalidInput
from gitmem.text import toml
from tests.support.tables import table

TABLE = '[mcp_servers.gitmem]\ncommand = "gitmem"\nargs = ["mcp"]\n'
PIECE = ConfigFragment(
    "codex", "mcp", "set", ("mcp_servers", "gitmem"), {"command": "gitmem", "args": ["mcp"]}
)


@table("text", ["", "a = 1", "a = 1\n", "\n", "a = 1\r\n", "# c\n\n", "[x]\ny=1"])
def test_a_table_comes_and_goes(text: str) -> None:
    made = toml.append_tables(text, [TABLE])
    assert toml.parse_toml(made)["mcp_servers"]["gitmem"]["args"] == ["mcp"]
    assert toml.remove_tables(made, lambda item: "gitmem" in item.path) == text


def test_lines_in_strings_and_lists_are_no_headers() -> None:
    text = 'a = """\n[x]\n"""\nb = [\n  [1],\n]\nc = \'\'\'\n[y]\'\'\'\n[real."q]"] # [z]\n'
    assert [table.path for table in toml.parse_tables(text)] == [("real", "q]")]


def test_keys_a_user_added_to_our_table_stay_and_others_comments_too() -> None:
    text = (
        '# top\n[mcp_servers.gitmem]\ncommand = "/old/gitmem"\nargs = ["mcp"]\nextra = 5\n\n# end\n'
    )
    made = file_pieces.insert_fragments("config.toml", text.encode(), [PIECE]).decode()
    assert made == text.replace("/old/gitmem", "gitmem")


def test_a_table_of_a_host_is_kept_with_ours() -> None:
    text = f"{TABLE}\n[mcp_servers.gitmem.tools.recall]\napproval = 'auto'\n\n[x]\n"
    assert file_pieces.insert_fragments("config.toml", text.encode(), [PIECE]).decode() == text
    assert (
        file_pieces.remove_fragments("config.toml", text.encode(), [PIECE], b"[x]\n") == b"\n[x]\n"
    )


@pytest.mark.parametrize("text", ["mcp_servers = {}\n", "mcp_servers = 1\n", "mcp_servers = []\n"])
def test_where_no_table_can_be_added_the_file_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"config\.toml"):
        file_pieces.insert_fragments("config.toml", text.encode(), [PIECE])


def test_an_empty_list_makes_way_for_tables_of_that_name() -> None:
    hook = ConfigFragment("kimi", "hooks", "add", ("hooks",), {"command": "gitmem hook kimi stop"})
    made = file_pieces.insert_fragments("config.toml", b"a = 1\nhooks = []\nb = 2\n", [hook])
    assert toml.parse_toml(made.decode())["hooks"] == [{"command": "gitmem hook kimi stop"}]


@table("value", ["a\x7fb", 'q"\\', True, 1.5, ["x", {"a b": 1}], {}])
def test_a_literal_reads_back(value: object) -> None:
    assert toml.parse_toml(f"x = {toml.value_as_toml(value)}") == {"x": value}


def test_a_key_is_set_in_its_table_whatever_looks_like_another() -> None:
    text = 'a = """\r\n[x]\r\n"""\r\n[x]\r\nk = 1 # one\r\n\r\n[[y]]\r\nk = 2\r\n'
    made = toml.set_toml_key(text, "x.k", 7)
    assert made == text.replace("k = 1 # one", "k = 7")
    assert toml.set_toml_key(made, "x.k", None) == text.replace("k = 1 # one\r\n", "")
    assert toml.set_toml_key(text, "x.n", "s").replace('n = "s"\r\n', "") == text
    assert toml.set_toml_key(text, "z.k", None) == text
