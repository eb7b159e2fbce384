"""The code map: every line of code has its area, and every colour a word."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gitmem.charts import treemap
from gitmem.charts.treemap import FileFacts
from tests.support.tables import table

names = st.text("ab", min_size=1, max_size=2)
paths = st.builds(
    lambda folders, name: "/".join([*folders, f"{name}.py"]), st.lists(names, max_size=3), names
)
files = st.lists(
    st.builds(
        FileFacts,
        paths,
        st.integers(1, 900),
        st.integers(0, 40),
        st.integers(0, 3),
        st.integers(0, 3),
        st.integers(0, 40),
        st.sampled_from(["", "Ada", "Grace"]),
    ),
    max_size=30,
    unique_by=lambda file: file.path,
)


def leaves(nodes: list[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for node in nodes:
        if "nodes" in node:
            assert node["lines"] == sum(child["lines"] for child in node["nodes"])
            yield from leaves(node["nodes"])
        else:
            yield node


@given(files, st.sampled_from(treemap.COLOURS), st.integers(1, 40))
def test_every_line_has_its_area_whatever_the_bound(
    some: list[FileFacts], by: str, most: int
) -> None:
    picture: Any = treemap.treemap_chart(some, by, max_areas=most)
    drawn = list(leaves(picture["nodes"]))
    assert sum(node["lines"] for node in drawn) == sum(file.lines for file in some)
    assert len(drawn) <= most + 1
    if len(some) <= most:
        assert len(drawn) == len(some)
    assert all(0 <= node["shade"] < len(picture["legend"]) for node in drawn)


def shades(by: str, *some: FileFacts) -> list[tuple[str, str]]:
    """The word of the legend and the note of each file, in the order of the files."""
    picture: Any = treemap.treemap_chart(some, by)
    drawn = {node["name"]: node for node in leaves(picture["nodes"])}
    nodes = [drawn[file.path] for file in some]
    return [(picture["legend"][node["shade"]], node["note"]) for node in nodes]


@table(
    ("by", "file", "word", "note"),
    [
        ("remembered", FileFacts("a", 1), "no memory", ""),
        ("remembered", FileFacts("a", 1, memories=1), "1 memory", "1 memory"),
        ("remembered", FileFacts("a", 1, memories=7), "4 to 7", "7 memories"),
        ("remembered", FileFacts("a", 1, memories=99), "16 or more", "99 memories"),
        ("hot", FileFacts("a", 1, commits=3), "2 to 3", "3 commits"),
        ("stale", FileFacts("a", 1), "no memory", ""),
        ("stale", FileFacts("a", 1, memories=2), "all fresh", "2 memories fresh"),
        ("stale", FileFacts("a", 1, 3, unchecked=1), "not checked yet", "? 1 memory not checked"),
        ("stale", FileFacts("a", 1, 3, 2, 1), "check first", "! check 2 memories of 3"),
        ("owner", FileFacts("a", 1), "no indexed commit", ""),
        ("owner", FileFacts("a", 1, owner="Ada"), "Ada", "Ada"),
    ],
)
def test_a_colour_is_a_word_of_the_legend(by: str, file: FileFacts, word: str, note: str) -> None:
    assert shades(by, file) == [(word, note)]


def test_only_the_owners_of_most_lines_have_a_colour_of_their_own() -> None:
    some = [FileFacts(f"{n}.py", 100 - n, owner=f"person {n}") for n in range(9)]
    words = [word for word, _ in shades("owner", *some)]
    assert words == [*(f"person {n}" for n in range(7)), "others", "others"]


def test_folders_lead_to_their_part_of_the_map_and_files_to_their_page() -> None:
    some = [FileFacts("src/flask/app.py", 9), FileFacts("src/flask/cli.py", 5), FileFacts("a", 1)]
    picture: Any = treemap.treemap_chart(
        some, "hot", file_link=lambda path: f"/f/{path}", folder_link=lambda path: f"/m/{path}"
    )
    folder, single = picture["nodes"]
    assert (folder["name"], folder["href"]) == ("src/flask", "/m/src/flask")
    assert [node["href"] for node in folder["nodes"]] == [
        "/f/src/flask/app.py",
        "/f/src/flask/cli.py",
    ]
    assert single["href"] == "/f/a"
    inner: Any = treemap.treemap_chart(some, "hot", folder="src")
    assert [node["name"] for node in inner["nodes"]] == ["flask"]
    assert [node["name"] for node in inner["nodes"][0]["nodes"]] == ["app.py", "cli.py"]


def test_a_folder_without_room_is_one_area_with_the_facts_of_its_files() -> None:
    some = [
        FileFacts("src/big.py", 900),
        FileFacts("src/small.py", 5),
        *(FileFacts(f"tests/{n}.py", 9, memories=2, stale=n == 0) for n in range(5)),
    ]
    picture: Any = treemap.treemap_chart(some, "stale", max_areas=4)
    src, tests = picture["nodes"]
    assert [node["name"] for node in src["nodes"]] == ["big.py", "small.py"]
    assert (tests["name"], tests["lines"]) == ("tests/ (5 files)", 45)
    assert (tests["note"], tests["sign"]) == ("! check 1 memory of 10", "! 1")


def test_the_smallest_parts_of_the_folder_looked_at_are_one_area() -> None:
    some = [FileFacts(f"{n}.py", 100 - n, memories=1) for n in range(9)]
    picture: Any = treemap.treemap_chart(some, "remembered", max_areas=3)
    assert [node["name"] for node in picture["nodes"]] == [
        "0.py",
        "1.py",
        "2.py",
        "6 smaller parts",
    ]
    assert picture["nodes"][-1]["note"] == "6 memories"


def test_together_most_lines_decide_who_owns() -> None:
    parts = [
        FileFacts("a", 5, owner="Ada"),
        FileFacts("b", 9, owner="Bob"),
        FileFacts("c", 6, owner="Ada"),
    ]
    assert treemap.combine_facts("x", parts) == FileFacts("x", 20, owner="Ada")
