"""Waiting until what was written is on the disk, and copies that wait for it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitmem.files import durable


def test_a_copy_is_whole_and_for_its_owner_alone(tmp_path: Path) -> None:
    content = os.urandom((1 << 20) + 17)
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_bytes(content)
    source.chmod(0o644)
    durable.copy_file_synced(str(source), str(target))
    assert target.read_bytes() == content
    assert target.stat().st_mode & 0o777 == 0o600
    source.write_bytes(b"shorter")
    durable.copy_file_synced(str(source), str(target))
    assert target.read_bytes() == b"shorter"
    with pytest.raises(FileNotFoundError):
        durable.copy_file_synced(str(tmp_path / "none"), str(target))
    assert target.read_bytes() == b"shorter"
