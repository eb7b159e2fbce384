"""The log of writes."""

from __future__ import annotations

import os
from pathlib import Path

from gitmem import audit_log


def test_writes_are_read_newest_first_and_bad_lines_are_skipped(tmp_path: Path) -> None:
    path = str(tmp_path / "logs" / "audit.log")
    for n in range(5):
        audit_log.log_write(
            path, address="127.0.0.1", agent="a\nb", verb=f"v{n}", project="p", status=200,
            request="r",
        )  # fmt: skip
    with open(path, "a", encoding="utf-8") as file:
        file.write("not json\n[1]\n{}\n")
    read = audit_log.read_log(path, 4)
    assert [entry.verb for entry in read] == ["v4", "v3", "v2", "v1"]
    assert read[0].agent == "a b"
    assert audit_log.read_log(str(tmp_path / "none")) == []
    os.replace(path, f"{path}.old")  # it starts anew when it is large
    assert [entry.verb for entry in audit_log.read_log(path)] == ["v4", "v3", "v2", "v1", "v0"]
    audit_log.log_write("", address="", agent="", verb="", project="", status=0, request="")
