"""A copy of a folder is as the folder was."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.support import trees


def found(folder: Path) -> dict[str, tuple[Any, ...]]:
    """Every path with its kind and rights, and the content and time of files."""
    output: dict[str, tuple[Any, ...]] = {}
    for path in folder.rglob("*"):
        about = path.lstat()
        content: tuple[Any, ...] = ()
        if path.is_symlink():
            content = (os.readlink(path),)
        elif path.is_file():
            content = (path.read_bytes(), about.st_mtime_ns)
        output[str(path.relative_to(folder))] = (about.st_mode, *content)
    return output


def test_content_rights_times_and_links_are_the_same(tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "empty").mkdir(parents=True)
    (source / "inner").mkdir(mode=0o750)
    (source / "inner" / "large").write_bytes(os.urandom(3 << 20))
    (source / "inner" / "none").touch()
    program = source / "inner" / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    os.utime(program, ns=(1_000_000_007, 1_000_000_009))
    (source / "read-only").write_text("x")
    (source / "read-only").chmod(0o444)
    (source / "to-a-file").symlink_to("read-only")
    (source / "to-a-folder").symlink_to("inner")
    (source / "to-nothing").symlink_to("nowhere")
    (source / "for-all").mkdir()
    (source / "for-all").chmod(0o1777)
    (source / "for-all" / "file").write_text("x")
    (source / "for-all" / "file").chmod(0o666)
    trees.copy(source, tmp_path / "target")
    assert found(tmp_path / "target") == found(source)
    saved = trees.Kept(source)
    for name in ("one", "other"):
        saved.write(tmp_path / name)
        assert found(tmp_path / name) == found(source)


def test_what_is_there_is_not_written_over(tmp_path: Path) -> None:
    for name in ("source", "target"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    with pytest.raises(FileExistsError):
        trees.copy(tmp_path / "source", tmp_path / "target")
    with pytest.raises(FileExistsError):
        trees.Kept(tmp_path / "source").write(tmp_path / "target")
    assert (tmp_path / "target" / "file").read_text() == "target"
