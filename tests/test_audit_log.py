"""The log of writes."""

from __future__ import annotations

import os
from pathlib import Path

from gitmem import audit_log


def test_writes_are_read_newest_first_and_bad_lines_are_skipped(tmp_path: Path) -> None:
    path = str(tmp_path / "logs" / "audit.log")
    for n in range(5):
        audit_log.log_http_write(
            path, address="127.0.0.1", agent="a\nb", operation=f"v{n}", project="p", status=200,
            request_id="r",
        )  # fmt: skip
    with open(path, "a", encoding="utf-8") as file:
        file.write("not json\n[1]\n{}\n")
    read = audit_log.read_newest_http_writes(path, 4)
    assert [entry.verb for entry in read] == ["v4", "v3", "v2", "v1"]
    assert read[0].agent == "a b"
    assert audit_log.read_newest_http_writes(str(tmp_path / "none")) == []
    os.replace(path, f"{path}.old")  # it starts anew when it is large
    assert [entry.verb for entry in audit_log.read_newest_http_writes(path)] == [
        "v4",
        "v3",
        "v2",
        "v1",
        "v0",
    ]
    audit_log.log_http_write(
        "", address="", agent="", operation="", project="", status=0, request_id=""
    )
