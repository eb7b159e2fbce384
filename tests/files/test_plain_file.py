"""Opening files, and nothing else that may have their name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitmem.files.plain_file import open_regular_file, read_user_owned_file


def test_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a\r\n")
    with open_regular_file(str(tmp_path / "a")) as file:
        assert file.read() == b"a\r\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are of POSIX")
def test_a_pipe_a_folder_and_what_is_not_there_are_errors(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    before = len(os.listdir("/dev/fd")) if os.path.isdir("/dev/fd") else 0
    for name in ("pipe", "", "missing"):
        with pytest.raises(OSError):
            open_regular_file(str(tmp_path / name))
    assert not before or len(os.listdir("/dev/fd")) == before


@pytest.mark.skipif(os.name != "posix", reason="links and owners of POSIX")
def test_a_file_of_ones_own_is_no_link_and_does_not_change_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"abcdef")
    assert (read_user_owned_file(str(path), 100), read_user_owned_file(str(path), 3)) == (
        b"abcdef",
        b"abc",
    )
    (tmp_path / "link").symlink_to(path)
    os.mkfifo(tmp_path / "pipe")
    for name, why in (("link", "symbolic link"), ("pipe", "not a file"), ("none", "No such file")):
        with pytest.raises(OSError) as refused:
            read_user_owned_file(str(tmp_path / name), 100)
        assert why in str(refused.value.strerror)
    fstat, looks = os.fstat, 0

    def grow(handle: int) -> os.stat_result:
        nonlocal looks
        looks += 1
        if looks == 3:  # what it is, before, after
            with path.open("ab") as file:
                file.write(b"g")
        return fstat(handle)

    monkeypatch.setattr("os.fstat", grow)
    with pytest.raises(OSError) as refused:
        read_user_owned_file(str(path), 100)
    assert "changed while it was read" in str(refused.value.strerror)
