"""What the code map knows of each file."""

from __future__ import annotations

from pathlib import Path

from gitmem.assembly import code_map
from gitmem.charts.treemap import FileFacts
from gitmem.freshness import anchor_verdict
from gitmem.store.code.commits import IndexedCommit
from tests.support.anchored import SERVER, SPAN, Anchored


def facts(ground: Anchored, folder: str = "") -> dict[str, FileFacts]:
    with ground.app() as app:
        return {file.path: file for file in code_map.gather_map_files(app, folder)}


def test_memories_verdicts_commits_and_owner_of_each_file(tmp_path: Path) -> None:
    ground = Anchored(tmp_path)
    ground.cite(SPAN)
    ground.cite("src/other.py")
    first = facts(ground)
    assert first["src/server.py"].memories == 1
    assert first["src/server.py"].unchecked == 1  # no verdict is cached yet
    ground.commit({"src/server.py": SERVER.replace("listener.listen(backlog)", "pass")})
    with ground.app() as app:
        anchor_verdict.refresh_cited_code_freshness(app, app.store)
    changed = facts(ground)
    server, other = changed["src/server.py"], changed["src/other.py"]
    assert (server.memories, server.stale, server.unchecked) == (1, 1, 0)
    assert (other.memories, other.stale, other.unchecked) == (1, 0, 0)
    assert server.owner and server.lines > other.lines
    assert set(facts(ground, "src")) == {"src/app.py", "src/server.py", "src/other.py"}
    assert facts(ground, "none") == {}


def made(author: str, at: int, *paths: str) -> IndexedCommit:
    return IndexedCommit("0" * 40, author, at, "", "", paths, b"")


def test_the_owner_made_most_commits_and_sweeping_ones_do_not_count() -> None:
    log = [
        made("Ada", 9, "a.py"),
        made("Bob", 8, *(f"{number}.py" for number in range(31)), "a.py"),
        made("Grace", 7, "a.py", "b.py"),
        made("Grace", 1, "a.py"),
    ]
    owners, changes = code_map.owners_and_change_counts(log, since_ms=5)
    assert owners == {"a.py": "Grace", "b.py": "Grace"}
    assert changes == {"a.py": 2, "b.py": 1}
    assert code_map.owners_and_change_counts(log[:3], 5)[0]["a.py"] == "Ada"  # of equals the last


def test_what_the_colour_points_at_is_listed_first() -> None:
    some = [
        FileFacts("large", 900),
        FileFacts("known", 5, memories=9, commits=1),
        FileFacts("wrong", 4, memories=2, stale=1),
        FileFacts("busy", 3, commits=8),
    ]
    first = {
        by: code_map.top_files_by_metric(some, by, 1)[0].path
        for by in ("remembered", "stale", "hot", "owner")
    }
    assert first == {"remembered": "known", "stale": "wrong", "hot": "busy", "owner": "large"}
