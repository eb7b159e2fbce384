"""Commits put together by the folders that they touch."""

from __future__ import annotations

from gitmem.store.code.commits import IndexedCommit
from gitmem.timeline import change_areas


def made(sha: str, *paths: str, author: str = "Ada", at: int = 0) -> IndexedCommit:
    return IndexedCommit(sha, author, at, f"Change {sha}", "", paths, b"")


def test_an_area_is_two_folders_deep_and_below_a_folder_two_more() -> None:
    for path, below, area in (
        ("README.md", "", "."),
        ("src/app.py", "", "src"),
        ("src/web/app.py", "", "src/web"),
        ("src/web/a/b/app.py", "", "src/web"),
        ("src/web/a/b/app.py", "src", "src/web/a"),
        ("src/app.py", "src", "src"),
        ("src/app.py", "src/app.py", "src"),
    ):
        assert change_areas.area_of_path(path, below) == area, (path, below)


def test_the_area_of_most_commits_comes_first_each_commit_once() -> None:
    found = change_areas.group_commits_by_area(
        [
            made("1", "src/a.py", "src/b.py", at=1),
            made("2", "src/a.py", "docs/x.md", author="Grace", at=2),
            made("3", "src/c.py", at=3),
        ]
    )
    assert [(item.name, [c.sha for c in item.commits], item.files) for item in found] == [
        ("src", ["3", "2", "1"], ("src/a.py", "src/b.py", "src/c.py")),
        ("docs", ["2"], ("docs/x.md",)),
    ]
    assert found[0].authors == ("Ada", "Grace")


def test_below_a_folder_nothing_else_counts() -> None:
    found = change_areas.group_commits_by_area(
        [made("1", "src/a.py", "docs/x.md", "srcs/y.py")], "src"
    )
    assert [(item.name, item.files) for item in found] == [("src", ("src/a.py",))]


def test_a_sweeping_commit_is_of_no_single_area() -> None:
    many = tuple(f"d{number}/x" for number in range(change_areas.SWEEPING + 1))
    assert [area.name for area in change_areas.group_commits_by_area([made("1", *many)])] == [
        "everywhere"
    ]
    assert len(change_areas.group_commits_by_area([made("1", *many[:-1])])) == change_areas.SWEEPING
