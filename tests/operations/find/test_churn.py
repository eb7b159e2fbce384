"""`gitmem churn` and `gitmem changes`: what changes most, and what changed when."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.errors import InvalidInput
from gitmem.operations.find import changes
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """Two files that change together, one that is gone, two authors; tests read it."""
    repo = RepoBuilder(tmp_path_factory.mktemp("churn") / "repo")
    grace = "Grace <g@example.org>"
    repo.commit("Start (#1)", {"src/cart.py": "a = 1\nb = 2\n", "src/web/view.py": "v = 1\n"})
    repo.commit("Price", {"src/cart.py": "a = 2\nb = 2\n", "tests/test_cart.py": "t = 1\n"})
    repo.commit("Tax", {"src/cart.py": "a = 3\nb = 2\n", "tests/test_cart.py": "t = 2\n"})
    repo.commit("Say it", {"README.md": "# Shop\n", "src/old.py": "x = 1\n"}, author=grace)
    repo.git("rm", "-q", "src/old.py")
    repo.commit("Drop it", author=grace, when="2024-03-01T10:00:00+00:00")
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    desk.run("decide", title="Prices are in cents", path=("src/cart.py",))
    desk.run("remember", text="The view is slow", path=("src/web/view.py",))
    return desk


def test_hotspots_owners_and_pairs_of_all(model: Desk) -> None:
    found = model.run("churn")
    assert [(hotspot.path, hotspot.commits) for hotspot in found.hotspots] == [
        ("src/cart.py", 3),
        ("tests/test_cart.py", 2),
        ("src/web/view.py", 1),
    ]
    # A changelog changes with everything: it is told only to who asks, or where nothing else is.
    assert ("README.md", 1) in [(o.path, o.commits) for o in model.run("churn", all=True).hotspots]
    assert [hotspot.path for hotspot in model.run("churn", path="README.md").hotspots] == [
        "README.md"
    ]
    assert [(owner.name, owner.commits, owner.share) for owner in found.owners] == [
        ("Ada Lovelace", 3, 0.6),
        ("Grace", 2, 0.4),
    ]
    assert (found.commits, found.bus_factor, found.note) == (5, 1, "")
    (pair,) = found.pairs
    assert (pair.first, pair.second, pair.commits) == ("src/cart.py", "tests/test_cart.py", 2)
    assert (pair.support, pair.confidence, pair.lift) == (0.4, 1.0, 1.67)


def test_of_a_folder_or_a_file_only_what_lies_there_counts(model: Desk) -> None:
    folder = model.run("churn", path="src")
    assert [hotspot.path for hotspot in folder.hotspots] == ["src/cart.py", "src/web/view.py"]
    assert folder.commits == 5
    file = model.run("churn", path="tests/test_cart.py")
    assert ([hotspot.path for hotspot in file.hotspots], file.commits) == (
        ["tests/test_cart.py"],
        2,
    )
    assert [pair.first for pair in file.pairs] == ["src/cart.py"]
    assert model.run("churn", path="src/web").pairs == ()
    assert model.run("churn", path=".").commits == 5
    assert model.run("churn", path="srcs").note == "No commit changed it in that time."


def test_since_and_limit_narrow(model: Desk) -> None:
    late = model.run("churn", since="2024-02-01")
    assert (late.commits, late.hotspots) == (1, ())
    assert len(model.run("churn", limit=1).hotspots) == 1
    assert "No commits are indexed" in model.run("churn", since="2025-01-01").note


def test_the_text_names_what_the_numbers_are(model: Desk) -> None:
    text = model.text("churn")
    assert text.startswith("All: 5 commits, bus factor 1\nHotspots (commits, lines):\n")
    assert "Owners: Ada Lovelace 60%, Grace 40%\n" in text
    assert "2  40.0% 100%     1.7  src/cart.py + tests/test_cart.py" in text


def test_changes_are_reported_by_area_with_counts(model: Desk) -> None:
    found = model.run("changes", since="2024-01-01")
    assert [(area.area, area.commits, area.files) for area in found.areas] == [
        ("src", 5, 2),
        ("tests", 2, 1),
        (".", 1, 1),
        ("src/web", 1, 1),
    ]
    assert (found.commits, found.files, found.all_areas) == (5, 5, 4)
    assert found.authors == ("Ada Lovelace", "Grace")
    assert found.by_author == {"Ada Lovelace": 3, "Grace": 2}  # ML-33
    assert [item.subject for item in found.areas[0].newest] == [
        *("Drop it", "Say it", "Tax", "Price", "Start (#1)"),
    ]
    assert found.areas[0].issues == ("#1",)


def test_decisions_and_memories_of_the_time_are_reported(model: Desk) -> None:
    found = model.run("changes", since="1d")
    assert [decision.title for decision in found.decisions] == ["Prices are in cents"]
    assert [memory.content for memory in found.memories] == ["The view is slow"]
    assert found.note == "No commit of that period matches."
    cart = model.run("changes", since="1d", path="src/cart.py")
    assert (len(cart.decisions), len(cart.memories)) == (1, 0)
    assert model.run("changes", since="2024-01-01", until="2024-06-01").decisions == ()


def test_a_range_is_the_same_as_its_two_ends(model: Desk) -> None:
    first, last = "HEAD~4", "HEAD~1"
    ends = model.run("changes", since=first, until=last)
    assert ends.commits == 3
    assert model.run("changes", revisions=f"{first}..{last}") == ends
    assert model.run("changes", revisions=f"{first}..") == model.run(
        "changes", since=first, until="HEAD"
    )
    for wrong in ("HEAD", "..HEAD", "HEAD~1...HEAD"):
        with pytest.raises(InvalidInput, match="not a range of revisions"):
            model.run("changes", revisions=wrong)
    with pytest.raises(InvalidInput, match="cannot be combined"):
        model.run("changes", revisions="HEAD~1..HEAD", since="1d")


def test_time_path_and_author_narrow_and_ends_count(model: Desk) -> None:
    def count(**narrow: object) -> int:
        return int(model.run("changes", **({"since": "2024-01-01"} | narrow)).commits)

    assert count(until="2024-02-01") == 4
    assert count(path="src/web") == 1
    assert count(path="src/cart.py") == 3
    assert count(path="src/car") == 0
    assert count(author="grace") == 2
    assert count(since="2024-03-01T10:00:00Z", until="2024-03-01T10:00:00Z") == 1
    with pytest.raises(InvalidInput, match="--until is before --since"):
        count(until="2023-01-01")


def test_text_of_changes_and_an_empty_index(model: Desk, tmp_path: Path) -> None:
    text = model.text("changes", since="2024-01-01")
    assert "2024-01-01 to 2026-11-21: 5 commits, 5 files, 4 areas\n" in text
    assert "\nsrc: 5 commits, 2 files (#1)\n" in text
    repo = RepoBuilder(tmp_path / "repo")
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True, no_index=True)
    assert desk.run("changes").note == "No commits are indexed yet; `gitmem index` indexes them."
    assert desk.run("churn").hotspots == ()


def test_counts_are_reported_in_words_that_fit(model: Desk) -> None:
    text = model.text("changes", since="2024-01-01", path="README.md")
    assert "1 commit, 1 file, 1 area\n" in text
    assert "(root folder): 1 commit, 1 file" in text


def test_a_file_that_was_renamed_keeps_its_commits(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    lines = "".join(f"line{number} = {number}\n" for number in range(20))
    repo.commit("Start", {"a.py": lines})
    repo.commit("More", {"a.py": lines + "more = 1\n", "tests/test_a.py": "t = 1\n"})
    (repo.path / "src").mkdir()
    repo.git("mv", "a.py", "src/d.py")
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    # Before the rename is committed, and after.
    assert desk.run("churn", path="src/d.py").commits == 2
    assert desk.run("file", path="src/d.py").commits == 2
    output = desk.text("related", id="src/d.py", lineage=True).splitlines()
    assert output[0].endswith("a.py file  (not committed yet)")
    assert desk.run("timeline", target="src/d.py").entries[-1].type == "renamed_from"
    repo.commit("Move")
    repo.commit("Another of the old name", {"a.py": "new = 1\n"})
    desk.run("index")
    found = desk.run("churn", path="src/d.py")
    assert (found.commits, [(hotspot.path, hotspot.commits) for hotspot in found.hotspots]) == (
        3,
        [("src/d.py", 3)],
    )
    assert desk.run("file", path="src/d.py").commits == 3
    assert desk.run("churn", path="a.py").commits >= 1


def test_between_revisions_are_the_commits_of_the_way_and_not_of_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Start", {"app.py": "a = 1\n"})
    repo.branch("late")
    repo.commit("Begun before the release", {"late.py": "l = 1\n"})
    repo.switch("main")
    repo.commit("First", {"app.py": "a = 2\n"})
    repo.git("tag", "v1")
    repo.merge("late")
    repo.commit("Second", {"app.py": "a = 3\n"})
    repo.git("tag", "v2")
    repo.commit("Third", {"app.py": "a = 4\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)

    def subjects(**narrow: str) -> set[str]:
        areas = desk.run("changes", **narrow).areas
        return {item.subject for area in areas for item in area.newest}

    assert subjects(since="v1", until="v2") == {"Begun before the release", "Second"}
    assert subjects(since="v1") == {"Begun before the release", "Second", "Third"}
    assert subjects(since="2024-01-01", until="v1") == {"Start", "First"}
    assert subjects(since="last release") == {"Third"}
    assert subjects(since="v1", until="v2", path="app.py") == {"Second"}
    with monkeypatch.context() as few:  # many newer commits hide no older ones
        few.setattr(changes, "MOST_COMMITS", 2)
        assert subjects(since="2024-01-01", until="v1") == {"Start", "First"}
    # Whose clock was late, and who exchanged the two.
    repo.commit("Fourth", {"app.py": "a = 5\n"}, when="2023-01-01T00:00:00+00:00")
    repo.git("tag", "v3")
    desk.run("index")
    assert subjects(since="v2", until="v3") == {"Third", "Fourth"}
    with pytest.raises(InvalidInput, match="before --since"):
        subjects(since="v2", until="v1")
