"""When files were last written."""

from __future__ import annotations

import os
from pathlib import Path

from gitmem.git.mtimes import modification_times


def test_milliseconds_of_the_files_that_are_there(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x")
    os.utime(tmp_path / "a.py", (1_700_000_000.25, 1_700_000_000.25))
    (tmp_path / "gone").symlink_to("nowhere")
    queries = ["a.py", "missing.py", "a.py/below", "nul\0byte", "n" * 5000, "gone"]
    found = modification_times(str(tmp_path), queries)
    assert found["a.py"] == 1_700_000_000_250
    assert set(found) == {"a.py", "gone"}  # the link itself, not what it points to
