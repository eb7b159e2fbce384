"""Opening files, and nothing else that may have their name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitmem.files.plain_file import open_plain


def test_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a\r\n")
    with open_plain(str(tmp_path / "a")) as file:
        assert file.read() == b"a\r\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are of POSIX")
def test_a_pipe_a_folder_and_what_is_not_there_are_errors(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    before = len(os.listdir("/dev/fd")) if os.path.isdir("/dev/fd") else 0
    for name in ("pipe", "", "missing"):
        with pytest.raises(OSError):
            open_plain(str(tmp_path / name))
    assert not before or len(os.listdir("/dev/fd")) == before
