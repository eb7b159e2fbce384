"""Which files are read at all, by name and by content (CF-11, CF-12)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.indexing import file_filter
from tests.support.tables import table


@table(
    ("path", "reason"),
    [
        (".env", "secret"),
        ("deploy/.env.production", "secret"),
        (".ENV", "secret"),
        ("keys/id_rsa", "secret"),
        ("keys/id_ed25519.pub", "secret"),
        ("tls/server.PEM", "secret"),
        ("tls/server.key", "secret"),
        (".aws/credentials", "secret"),
        ("config/secrets.yml", "secret"),
        (".npmrc", "secret"),
        ("node_modules/left-pad/index.js", "excluded folder"),
        ("src/vendor/x.go", "excluded folder"),
        (".gitmem/config.toml", "excluded folder"),
        ("package-lock.json", "lock file"),
        ("sub/Cargo.lock", "lock file"),
        ("logo.PNG", "binary"),
        ("app.min.js", "binary"),
        ("data.sqlite3", "binary"),
    ],
)
def test_a_name_that_is_refused(path: str, reason: str) -> None:
    assert file_filter.refuse_name(path) == reason


@table(
    "path",
    [".env.example", ".env.sample", "src/env.py", "environment.md", "keyboard.py", "lock.py",
     "vendor.py", "docs/secrets.md", "src/credentials.py", "build/ci.py", ".github/ci.yml",
     "monkey.py", "Makefile"],
)  # fmt: skip
def test_a_name_that_is_fine(path: str) -> None:
    assert file_filter.refuse_name(path) == ""


def test_build_output_counts_only_where_it_is_tracked() -> None:
    assert file_filter.refuse_name("build/x.py", tracked=True) == ""
    assert file_filter.refuse_name("build/x.py", tracked=False) == "excluded folder"


@table(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b" \n\t\n", "empty"),
        (b"\x7fELF\0\0\0", "binary"),
        (b"x" * 200_000, "minified"),
        (b"x = 1\n" * 200_000, "too large"),
        (b"x" * 5_000_000, "too large"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "lfs pointer"),
        (("x" * 200_000).encode("utf-16"), "minified"),
        (b"x = 1\n", ""),
        (b"caf\xe9\n", ""),
        ("größe = 1\n".encode("utf-16"), ""),
        ("größe = 1\n".encode("utf-8-sig"), ""),
        (b"a\r\nb\r\n", ""),
    ],
)
def test_content(data: bytes, reason: str) -> None:
    assert file_filter.refuse_content(data) == reason


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_text_comes_out_whole_whatever_it_was_written_in(encoding: str) -> None:
    mark = b"\xff\xfe" if encoding == "utf-16-le" else b""
    assert file_filter.decode(mark + "größe\r\n中\r\n".encode(encoding)) == "größe\n中\n"


def test_bytes_that_are_no_text_do_not_stop_the_rest() -> None:
    assert file_filter.decode(b"caf\xe9 = 1\n\0x") == "caf\ufffd = 1\nx"


@given(st.binary(max_size=400))
def test_whatever_is_decoded_can_be_stored(data: bytes) -> None:
    for marked in (data, b"\xff\xfe" + data, b"\xfe\xff" + data):
        text = file_filter.decode(marked)
        assert text.encode("utf-8").decode("utf-8") == text
        assert "\r" not in text and "\0" not in text
