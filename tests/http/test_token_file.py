"""The token: made once, kept as a hash."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from gitmem.errors import InvalidInput, ReadOnly
from gitmem.http import token_file


def test_a_new_token_is_shown_once_and_kept_as_a_hash(tmp_path: Path) -> None:
    path = tmp_path / "token"
    digest, token = token_file.load_or_create_token(str(path), lambda n: b"\x07" * n)
    assert token == "07" * 32 and token not in path.read_text()
    assert token_file.load_or_create_token(str(path), lambda n: b"") == (digest, "")
    assert token_file.header_has_token(digest, f"Bearer {token}")
    for wrong in ("", "Bearer", f"Basic {token}", f"Bearer {token}x", token, "Bearer \udc80"):
        assert not token_file.header_has_token(digest, wrong)


def test_a_token_of_the_users_own_is_hashed_when_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("correct horse battery staple\n")
    digest, token = token_file.load_or_create_token(str(path), lambda n: b"")
    assert (digest, token) == (hashlib.sha256(b"correct horse battery staple").hexdigest(), "")


def test_a_short_token_and_a_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "short").write_text("hunter2")
    with pytest.raises(InvalidInput, match="fewer than 16"):
        token_file.load_or_create_token(str(tmp_path / "short"), lambda n: b"")
    with pytest.raises(ReadOnly):
        token_file.load_or_create_token(str(tmp_path), lambda n: b"")
