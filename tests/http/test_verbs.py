"""Which verbs are served, and how a query string is read."""

from __future__ import annotations

import pytest

from gitmem.errors import InvalidInput
from gitmem.http import verbs


def test_a_name_of_two_words_is_a_path_of_two_parts() -> None:
    assert verbs.verb_url_path("session list") == "/api/v1/session/list"


def test_no_argument_names_a_file_of_the_machine() -> None:
    """A file that the server's user can read or write is nothing a client may name."""
    for name in verbs.served_verbs():
        for field in verbs.verb_as_tool(name).fields.values():
            assert field.name not in ("piped", "yes"), name
            assert field.arg.metavar != "FILE" or field.arg.path_kind, (name, field.name)


def test_an_argument_of_several_values_may_be_repeated_and_another_not() -> None:
    offered = verbs.verb_as_tool("recall")
    assert verbs.arguments_from_query(offered, [("query", "a"), ("tag", "x"), ("tag", "y")]) == {
        "query": "a",
        "tag": ["x", "y"],
    }
    with pytest.raises(InvalidInput, match="twice"):
        verbs.arguments_from_query(offered, [("limit", "1"), ("limit", "2")])
