"""How hosts start the server is understood without click; everything else is left to it."""

from __future__ import annotations

from gitmem.cli import serve


def test_what_templates_write_is_understood_and_the_rest_is_left_to_click() -> None:
    for words, expected in (
        ("mcp", (".", "default")),
        ("mcp -C /a", ("/a", "default")),
        ("mcp --profile full", (".", "full")),
        ("mcp --profile readonly -C a", ("a", "readonly")),
        ("mcp --profile wrong", None),
        ("mcp --profile", None),
        ("mcp --profile=full", None),
        ("mcp -C", None),
        ("mcp --help", None),
        ("mcp extra", None),
    ):
        assert serve.parse(words.split()) == expected, words
