from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.git.display import decode_path, display_path, encode_path
from tests.support.tables import table


@table(
    ("path", "shown"),
    [
        ("src/größe/日本.py", "src/größe/日本.py"),
        ("two words", "two words"),
        ("new\nline", r"new\nline"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("b\udcffyte", r"b\xffyte"),
        ("gnp.\u202eexe", r"gnp.\u202eexe"),
        ("zero\u200bwidth", r"zero\u200bwidth"),
        ("tag\U000e0041", r"tag\U000e0041"),
        ("line\u2028end", r"line\u2028end"),
    ],
)
def test_path_is_shown_safely(path: str, shown: str) -> None:
    assert display_path(path) == shown


@given(st.binary())
def test_bytes_survive_and_the_display_is_printable(raw: bytes) -> None:
    path = decode_path(raw)
    assert encode_path(path) == raw
    assert display_path(path).isprintable()
