"""Names that are not taken."""

from __future__ import annotations

from pathlib import Path

from gitmem.files.free_name import unused_path


def test_the_first_number_that_is_free_is_taken(tmp_path: Path) -> None:
    base = str(tmp_path / "memory-1.5")
    assert unused_path(base, ".db") == f"{base}.db"
    for name, following in ((".db", "-1.db"), ("-1.db", "-2.db"), ("-3.db", "-2.db")):
        Path(base + name).touch()
        assert unused_path(base, ".db") == base + following
    assert unused_path(base, ".db.enc") == f"{base}.db.enc"


def test_a_link_to_nowhere_takes_a_name(tmp_path: Path) -> None:
    (tmp_path / "copy.db").symlink_to(tmp_path / "nowhere")
    assert unused_path(str(tmp_path / "copy"), ".db") == str(tmp_path / "copy-1.db")
