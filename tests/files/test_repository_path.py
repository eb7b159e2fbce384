"""Paths as people give them, in a folder with links above and inside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.errors import InvalidInput
from gitmem.files.repository_path import to_repository_path
from tests.support.tables import table


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    above = tmp_path_factory.mktemp("paths").resolve()
    found = above / "private" / "repo"
    for name in (
        "src/cart/app.py",
        "src/lib.py",
        "lib.py",
        "odd:12",
        "pages/[id].ts",
        "pages/i.ts",
    ):
        (found / name).parent.mkdir(parents=True, exist_ok=True)
        (found / name).write_text("")
    (above / "short").symlink_to(above / "private")
    (above / "into").symlink_to(found / "src")
    (found / "linked").symlink_to(found / "src")
    (above / "other").mkdir()
    return found


def test_what_is_meant(root: Path) -> None:
    above = root.parent.parent
    for given, start, meant in (
        ("src/lib.py", "", "src/lib.py"),
        ("./src//lib.py", "", "src/lib.py"),
        ("src/cart/../lib.py", "", "src/lib.py"),
        ("src/cart/../lib.py", "pages", "src/lib.py"),
        ("src/", "", "src/"),
        ("cart/", "src", "src/cart/"),
        (f"{root}/", "", "."),
        (" src ", "", "src"),
        (".", "", "."),
        (".", "src", "src"),
        (f"{root}", "", "."),
        (f"{root}/src/cart/", "", "src/cart/"),
        (f"{root}/src/gone.py", "", "src/gone.py"),
        (f"{above}/short/repo/src/lib.py", "", "src/lib.py"),
        (f"{above}/short/repo/src/gone.py:4", "", "src/gone.py:4"),
        (f"{above}/into/lib.py", "", "src/lib.py"),
        # A link inside the repository is a path like any other: git knows it by that name.
        ("linked/lib.py", "", "linked/lib.py"),
        # What is there, seen from the caller's folder, comes before the root.
        ("lib.py", "src", "src/lib.py"),
        ("cart/app.py:3-9", "src", "src/cart/app.py:3-9"),
        ("app.py::Cart.add", "src/cart", "src/cart/app.py::Cart.add"),
        ("src/lib.py", "src", "src/lib.py"),
        ("gone.py", "src", "gone.py"),
        ("./gone.py", "src", "src/gone.py"),
        ("../lib.py", "src", "lib.py"),
        ("../lib.py", "src/cart", "src/lib.py"),
        ("odd:12", "", "odd:12"),
        (f"{root}/odd:12", "", "odd:12"),
        (f"{root}/lib.py:12", "pages", "lib.py:12"),
        ("a\0b", "", "a\0b"),
    ):
        assert to_repository_path(given, str(root), str(root / start)) == meant, (given, start)
    through = f"{above}/short/repo/src"
    assert to_repository_path("lib.py", str(root), through) == "src/lib.py"
    assert to_repository_path("../lib.py", str(root), through) == "lib.py"


def test_globs_keep_what_is_theirs(root: Path) -> None:
    for given, start, meant in (
        ("*.py", "src", "*.py"),
        ("**/app.py", "src", "**/app.py"),
        ("src/**/*.py", "", "src/**/*.py"),
        ("src/**/*.py", "pages", "src/**/*.py"),
        ("cart/*.py", "src", "src/cart/*.py"),
        ("./*.py", "src", "src/*.py"),
        ("./*.py", "", "/*.py"),
        (f"{root}/*.py", "src", "/*.py"),
        (f"{root}/src/*.py", "", "src/*.py"),
        (f"{root}/*/*.py", "", "*/*.py"),
        (f"{root.parent.parent}/short/repo/src/**", "", "src/**"),
        ("/src/*.py", "", "/src/*.py"),
        ("/*.py", "", "/*.py"),
        ("../*.ts", "src", "/*.ts"),
        ("src/", "", "src/"),
        ("cart/", "src", "src/cart/"),
        ("pages/[id].ts", "", "pages/[id].ts"),
        (f"{root}/pages/[id].ts", "", "pages/[id].ts"),
        ("[id].ts", "pages", "pages/[id].ts"),
    ):
        assert (
            to_repository_path(given, str(root), str(root / start), is_glob_pattern=True) == meant
        ), (
            given,
            start,
        )


@table("given", ["/etc", "..", "../other", "src/../../x", "{above}/other/x.py", "{root}x"])
def test_outside_the_repository_is_reported(root: Path, given: str) -> None:
    text = given.format(above=root.parent.parent, root=root)
    with pytest.raises(InvalidInput, match="not a path inside the repository"):
        to_repository_path(text, str(root), str(root))


@table("given", ["/etc", "..", "../*.py", "{above}/other/*.py"])
def test_so_it_is_of_globs(root: Path, given: str) -> None:
    with pytest.raises(InvalidInput, match="not a path inside the repository"):
        to_repository_path(
            given.format(above=root.parent.parent), str(root), str(root), is_glob_pattern=True
        )
