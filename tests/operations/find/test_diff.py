"""`gitmem diff`: what one commit did, within bounds and without secrets (CE-17, CE-18)."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.errors import NotARepository, NotFound
from gitmem.operations.registry import as_json_values
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder
from tests.support.secrets import SECRET

CART = (
    "class Cart:\n    def total(self):\n        return sum(self)\n\n"
    "    def add(self):\n        pass\n"
)
NEW = CART.replace("sum(self)", "sum(self) / 100").replace("add(self)", "put(self)")


class Shop:
    def __init__(self, folder: Path) -> None:
        self.repo = repo = RepoBuilder(folder / "repo")
        self.first = repo.commit("Add the cart", {"src/cart.py": CART, "README.md": "# Shop\n"})
        self.fix = repo.commit(
            "fix(cart)!: sum in euros (#7)\n\nCents were shown.\n\nFixes #8",
            {
                "src/cart.py": NEW,
                "src/key.py": f'KEY = "{SECRET}"\n',
                ".env": f"PASSWORD={SECRET}\n",
                "logo.png": "\0\1\2",
                "long.txt": "word\n" * 500,
            },
        )
        repo.git("mv", "README.md", "GUIDE.md")
        self.renamed = repo.commit("Call it a guide")
        repo.branch("side", "HEAD~1")
        repo.commit("On the side", {"side.py": "x = 1\n"})
        repo.switch("main")
        self.merge = repo.merge("side")
        self.desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
        self.desk.run("init", no_hooks=True)
        self.said = self.desk.run("remember", text="Since #8 prices are euros").id


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return Shop(tmp_path_factory.mktemp("diff"))


def test_what_a_commit_is_for_and_what_it_touched(shop: Shop) -> None:
    found = shop.desk.run("diff", commit=shop.fix)
    assert (found.type, found.judged, found.scope, found.breaking) == ("fix", False, "cart", True)
    assert found.goal == "sum in euros. Cents were shown."
    assert found.issues == ("#7", "#8")
    assert found.changed_symbols == ("src/cart.py::Cart.total",)
    assert found.added_symbols == ("src/cart.py::Cart.put",)
    assert found.removed_symbols == ("src/cart.py::Cart.add",)
    assert [memory.id for memory in found.memories] == [shop.said]
    assert {file.path: (file.status, file.added, file.removed) for file in found.files} == {
        ".env": ("A", 1, 0), "logo.png": ("A", 0, 0), "long.txt": ("A", 500, 0),
        "src/cart.py": ("M", 2, 2), "src/key.py": ("A", 1, 0),
    }  # fmt: skip
    assert (found.added, found.removed) == (504, 2)


def test_no_secret_leaves_and_what_is_left_out_is_reported(shop: Shop) -> None:
    files = {file.path: file for file in shop.desk.run("diff", commit=shop.fix).files}
    assert (files[".env"].patch, files[".env"].left_out) == ("", "secret file")
    assert files["logo.png"].left_out == "binary"
    assert files["long.txt"].left_out == "cut"
    assert len(files["long.txt"].patch.split("\n")) == 120
    text = shop.desk.text("diff", commit=shop.fix, lines=5000)
    assert SECRET not in text and "[redacted:" in files["src/key.py"].patch
    assert "+        return sum(self) / 100" in text


def test_what_was_a_secret_by_its_old_name_is_left_out(repo: RepoBuilder) -> None:
    saved = "".join(f"HOST_{number}=db{number}.internal\n" for number in range(9))
    repo.commit("Start", {".env": saved})
    repo.git("mv", ".env", "settings.txt")
    repo.commit("Rename it", {"settings.txt": saved + "HOST_9=db9.internal\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    (file,) = desk.run("diff", commit="HEAD").files
    assert (file.path, file.patch, file.left_out) == ("settings.txt", "", "secret file")


def test_bounds_and_paths_narrow_the_diff(shop: Shop) -> None:
    none = shop.desk.run("diff", commit=shop.fix, lines=0)
    assert not any(file.patch for file in none.files) and none.added == 504
    some = shop.desk.run("diff", commit=shop.fix, lines=40)
    output = {file.path: len(file.patch.split("\n")) for file in some.files if file.patch}
    # A long file takes nothing from the short ones.
    assert output == {"long.txt": 40 - 9 - 2, "src/cart.py": 9, "src/key.py": 2}
    result = shop.desk.run("diff", commit=shop.fix, path="src")
    assert [file.path for file in result.files] == ["src/cart.py", "src/key.py"]
    with pytest.raises(NotFound, match="did not change docs"):
        shop.desk.run("diff", commit=shop.fix, path="docs")


def test_first_commit_rename_and_merge(shop: Shop) -> None:
    first = shop.desk.run("diff", commit=shop.first)
    assert {file.status for file in first.files} == {"A"} and not first.note
    (renamed,) = shop.desk.run("diff", commit=shop.renamed).files
    assert (renamed.status, renamed.old, renamed.path) == ("R", "README.md", "GUIDE.md")
    assert (renamed.patch, renamed.left_out) == ("", "")
    merge = shop.desk.run("diff")
    assert [file.path for file in merge.files] == ["side.py"]
    assert merge.note == "A merge: compared with its first parent."


def test_a_shallow_clone_an_empty_one_and_a_plain_folder_say_so(shop: Shop, tmp_path: Path) -> None:
    clone = shop.repo.clone(tmp_path / "clone", "--depth", "1")
    desk = Desk(clone.path, clone.home, GITMEM_MODEL="hashed")
    assert "The clone was cut here" in desk.run("diff").note
    with pytest.raises(NotFound, match="The clone is shallow"):
        desk.run("diff", commit=shop.first)
    empty = RepoBuilder(tmp_path / "empty" / "repo")
    with pytest.raises(NotFound, match="no commit 'HEAD'"):
        Desk(empty.path, empty.home).run("diff")
    with pytest.raises(NotFound, match="no commit '--output=x'"):
        shop.desk.run("diff", commit="--output=x")
    plain_folder = Desk(tmp_path / "plain", shop.repo.home)
    plain_folder.place.mkdir()
    with pytest.raises(NotARepository):
        plain_folder.run("diff")


def test_text_and_plain_values(shop: Shop) -> None:
    lines = shop.desk.text("diff", commit=shop.fix, lines=60).splitlines()
    assert lines[0] == f"{shop.fix[:10]} 2024-01-01 Ada Lovelace"
    assert lines[1] == "  sum in euros. Cents were shown."
    assert lines[2].strip().startswith("fix, cart, breaking, src")
    assert "  changes in src/cart.py: Cart.total" in lines
    assert "5 files, +504 -2" in lines
    assert "M src/cart.py +2 -2" in lines
    assert set(as_json_values(shop.desk.run("diff"))["files"][0]) == {
        *("status", "path", "old", "added", "removed", "patch", "left_out"),
    }
