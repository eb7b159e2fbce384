"""A file is replaced whole or not at all, and nothing is left beside it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from gitmem.files import atomic_write, lock


@pytest.mark.parametrize("mode", [0o400, 0o600, 0o755])
def test_it_holds_the_content_with_exactly_these_permissions(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    atomic_write.replace_file(str(path), b"new", mode)
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert list(tmp_path.iterdir()) == [path]


def test_without_permissions_the_umask_decides(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        atomic_write.replace_file(str(tmp_path / "file"), b"new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


def test_where_it_cannot_be_moved_to_its_place_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()
    with pytest.raises(OSError):
        atomic_write.replace_file(str(tmp_path / "file"), b"new")
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]


def test_what_a_writer_that_was_killed_left_is_no_obstacle_and_no_link_is_followed(
    tmp_path: Path,
) -> None:
    (tmp_path / "other").write_bytes(b"others")
    (tmp_path / "file.gitmem-new").symlink_to("other")
    atomic_write.replace_file(str(tmp_path / "file"), b"new")
    assert (tmp_path / "file").read_bytes() == b"new"
    assert (tmp_path / "other").read_bytes() == b"others"


def test_a_lock_is_held_by_one_and_ends_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "lock").touch()
    with (tmp_path / "lock").open("r+") as second:
        with (tmp_path / "lock").open("r+") as first:
            assert lock.try_lock_file(first.fileno())
            assert not lock.try_lock_file(second.fileno())
        assert lock.try_lock_file(second.fileno())
