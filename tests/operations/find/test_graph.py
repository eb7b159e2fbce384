"""`gitmem graph`, `deps`, `cycles`, `impact` on one small shop (CE-14, CE-15, ML-20)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gitmem import operations
from gitmem.errors import InvalidInput, NotFound
from gitmem.operations.find import cycles
from gitmem.operations.find.cycles import ImportCycleItem, ImportCycles
from gitmem.timeline import co_change
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder

STORE = "class Base:\n    def close(self): pass\n\n\nclass Store(Base):\n    def put(self, x):\n"
FILES = {
    "shop/__init__.py": "",
    "shop/store.py": STORE + "        return x\n",
    "shop/cart.py": (
        "from shop.store import Store\nimport json\n\n\nclass Cart:\n"
        "    def __init__(self):\n        self.store = Store()\n\n"
        "    def add(self, x):\n        self.store.put(x)\n"
    ),
    "shop/web.py": (
        "from shop.cart import Cart\nfrom shop import ring\n\n\ndef show(thing):\n"
        "    Cart().add(1)\n    thing.put(2)\n"
    ),
    "shop/ring.py": "from shop import web\n\n\ndef turn(n):\n    turn(n - 1)\n",
    "tests/test_web.py": "from shop.web import show\n\n\ndef test_show():\n    show(None)\n",
    "other/store.py": "class Store:\n    def put(self, y): pass\n",
    "typed/a.py": (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from typed.b import B\n"
        "class A: pass\n"
    ),
    "typed/b.py": "from typed.a import A\ndef run():\n    from typed import c\nclass B: pass\n",
    "typed/c.py": "from typed.b import B\n",
    "typed/d.py": (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from typed.a import A\n"
        "from typed import a\n"
    ),
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A shop with layers, tests, a circle of imports, and two stores; tests read it."""
    repo = RepoBuilder(tmp_path_factory.mktemp("graph") / "repo")
    repo.commit("Start", FILES)
    for number in range(3):
        text = FILES["shop/store.py"] + f"# {number}\n"
        docs = {"docs/store.md": f"{number}\n", "docs/gone.md": f"{number}\n"}
        docs[f"changes/{number}.md"] = "Mended\n"
        repo.commit(f"Store {number}", {"shop/store.py": text, **docs})
    (repo.path / "docs/gone.md").unlink()
    repo.commit("Drop a page")
    repo.commit("Put less", {"shop/store.py": STORE + "        return -x\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    desk.run("decide", title="Carts keep their own store", path=("shop/cart.py",))
    desk.run("remember", text="The view is slow", path=("shop/web.py",))
    return desk


def names(answer: object) -> list[str]:
    """The places of an answer, ``path:name``."""
    return [f"{item.path}:{item.name}" for item in answer.items]  # type: ignore[attr-defined]


def test_each_relation_of_a_name(shop: Desk) -> None:
    for name, query, expected in (
        ("Cart.add", "callers", ["shop/web.py:show"]),
        ("Cart.add", "callees", ["shop/store.py:Store.put"]),
        ("Cart", "callees", ["shop/store.py:Store", "shop/store.py:Store.put"]),
        ("Cart", "importers", ["shop/web.py:"]),
        ("Cart", "imports", ["shop/store.py:"]),
        ("Base", "subclasses", ["shop/store.py:Store"]),
        ("shop/store.py:Store", "bases", ["shop/store.py:Base"]),
        ("shop/cart.py", "importers", ["shop/web.py:"]),
        ("cart.py", "imports", ["shop/store.py:"]),
        ("turn", "callers", ["shop/ring.py:turn"]),
        ("turn", "callees", ["shop/ring.py:turn"]),
        ("Store", "subclasses", []),
        ("shop/ring.py", "callers", []),
    ):
        assert sorted(names(shop.run("graph", name=name, **{query: True}))) == expected, name


def test_callers_are_followed_and_their_ways_reported(shop: Desk) -> None:
    found = shop.run("graph", name="shop/store.py:put", depth=3, paths=True)
    sure = [item for item in found.items if item.confidence >= 0.5]
    assert [(item.depth, item.path, item.name) for item in sure] == [
        (1, "shop/cart.py", "Cart.add"),
        (2, "shop/web.py", "show"),
        (3, "tests/test_web.py", "test_show"),
    ]
    assert sure[2].way == (
        "shop/store.py:Store.put",
        "shop/cart.py:Cart.add",
        "shop/web.py:show",
        "tests/test_web.py:test_show",
    )
    assert sure[0].confidence > sure[2].confidence
    plain = shop.run("graph", name="shop/store.py:put")
    assert [item.way for item in plain.items if item.confidence >= 0.5] == [()]


def test_calls_on_something_unknown_come_last_and_say_so(shop: Desk) -> None:
    last = shop.run("graph", name="shop/store.py:put").items[-1]
    assert (last.path, last.line) == ("shop/web.py", 7)
    assert last.confidence <= 0.2
    assert last.evidence == "a call of the same name; what it is called on is not known"


def test_two_definitions_of_a_name_are_distinguished(shop: Desk) -> None:
    both = shop.run("graph", name="put", definition=True)
    assert [definition.path for definition in both.definitions] == [
        "other/store.py",
        "shop/store.py",
    ]
    assert "Class.name or path:name tells them apart" in both.note
    result = shop.run("graph", name="other/store.py:put")
    assert [item.confidence >= 0.5 for item in result.items] == [False]
    assert result.note == ""


def test_what_cannot_be_answered_is_a_sentence(shop: Desk) -> None:
    for values, error, part in (
        ({"name": "nowhere"}, NotFound, "Nothing named 'nowhere'"),
        ({"name": " "}, InvalidInput, "No name or path was given"),
        ({"name": "put", "callers": True, "bases": True}, InvalidInput, "cannot be combined"),
        ({"name": "shop/cart.py", "bases": True}, InvalidInput, "is a file"),
        ({"name": "a\0b"}, NotFound, "Nothing named"),
    ):
        with pytest.raises(error, match=part):
            shop.run("graph", **values)


def test_the_text_of_a_relation_has_a_line_for_each_place(shop: Desk) -> None:
    output = shop.text("graph", name="Cart.add", paths=True).splitlines()
    assert output[0] == "Cart.add: 1 caller"
    assert output[1] == "  method Cart.add shop/cart.py:9-10"
    assert output[2].startswith("  0.9") and "shop/web.py:6 show (" in output[2]
    assert output[3] == "       shop/cart.py:Cart.add -> shop/web.py:show"
    for name, query, head in (
        ("Cart", "definition", "Cart: 1 definition"),
        ("Cart", "imports", "Cart: 1 import"),
        ("Cart", "callees", "Cart: 2 callees"),
        ("Base", "subclasses", "Base: 1 subclass"),
        ("Base", "bases", "Base: 0 bases"),
    ):
        assert shop.text("graph", name=name, **{query: True}).splitlines()[0] == head
    more = shop.text("graph", name="shop/store.py:put", depth=3, limit=1)
    assert "\n  and 3 more; --limit shows them\n  unknown: calls of" in more
    deep = shop.text("graph", name="shop/store.py:put", depth=2).splitlines()
    assert deep[2].startswith("  1 0.9") and "shop/cart.py:10 Cart.add" in deep[2]
    assert deep[3].startswith("  2 0.9") and "shop/web.py:6 show" in deep[3]


def test_the_surest_callers_are_reported_first_and_all_of_them_counted(tmp_path: Path) -> None:
    files = {"lib/base.py": "def turn(n):\n    turn(n)\n    turn(n)\ndef slow(turn): pass\n"}
    for number in range(30):
        files[f"use/m{number}.py"] = (
            "from lib.base import turn\n\n"
            f"def f{number}(x):\n    x.turn()\n    turn(1)\n    turn(2)\n"
        )
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Start", files)
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    few, every = desk.run("graph", name="turn", limit=7), desk.run("graph", name="turn", limit=31)
    assert (few.total, len(few.items), every.total, len(every.items)) == (61, 7, 61, 31)
    assert few.items == every.items[:7]
    sure = [item.confidence for item in every.items]
    assert sure == sorted(sure, reverse=True)
    assert (every.items[0].path, every.items[0].line) == ("lib/base.py", 2)
    assert {item.line for item in every.items[1:]} == {5}
    deep = desk.run("graph", name="turn", limit=31, depth=2, paths=True)
    assert {item.path for item in deep.items} == {item.path for item in every.items}
    assert deep.items[0].way == ("lib/base.py:turn", "lib/base.py:turn")


def test_dependencies_of_a_file(shop: Desk) -> None:
    found = shop.run("deps", path="shop/cart.py")
    assert [(item.path, item.names) for item in found.imports] == [("shop/store.py", ("Store",))]
    assert found.outside == ("json",)
    assert [(item.path, item.line, item.names) for item in found.imported_by] == [
        ("shop/web.py", 1, ("Cart",))
    ]
    assert [symbol.name for symbol in found.symbols] == ["Cart", "Cart.__init__", "Cart.add"]
    text = shop.text("deps", path="shop/cart.py")
    assert "Imports (1):\n  0.98 shop/store.py (Store), line 1\n" in text
    assert "From outside: json" in text
    with pytest.raises(NotFound, match="Nothing named"):
        shop.run("deps", path="shop/none.py")


def test_cycles_and_a_way_round(shop: Desk) -> None:
    found = shop.run("cycles")
    assert [(cycle.length, cycle.files) for cycle in found.cycles] == [
        (2, ("shop/ring.py", "shop/web.py"))
    ]
    assert found.cycles[0].way == ("shop/ring.py", "shop/web.py", "shop/ring.py")
    assert shop.run("cycles", path="other").total == 0
    assert shop.run("cycles", path="shop/ring.py").total == 1
    assert shop.text("cycles", path="other") == "No import cycles."
    assert "2 files: shop/ring.py -> shop/web.py -> shop/ring.py" in shop.text("cycles")


def test_a_cycle_too_long_for_a_line_names_its_first_files() -> None:
    ring = tuple(f"pkg/part{number:03}.py" for number in range(500))
    output = cycles.view(
        ImportCycles((ImportCycleItem(500, ring, (*ring, ring[0]), True),), 1, 0, "")
    ).splitlines()
    assert output[0] == "1 import cycle"
    assert output[1].startswith("500 files: pkg/part000.py -> pkg/part001.py")
    assert len(output[1]) < 400
    assert output[2] == "    pkg/part000.py"
    assert output[-1] == f"    and {500 - len(output[2:-1])} more"


def test_imports_for_types_and_in_functions_make_no_cycle_unless_all_are_asked_for(
    shop: Desk,
) -> None:
    plain = shop.run("cycles", path="typed")
    assert (plain.total, plain.deferred) == (0, 1)
    last = "1 more or larger cycle needs imports in functions or for types; --all lists them"
    assert shop.text("cycles", path="typed").splitlines() == [
        "No import cycles while files are loaded.",
        last,
    ]
    every = shop.run("cycles", all=True)
    assert [(cycle.length, cycle.files[0], cycle.while_loading) for cycle in every.cycles] == [
        (3, "typed/a.py", False),
        (2, "shop/ring.py", True),
    ]
    assert (every.total, every.deferred) == (2, 1)
    assert "3 files (by imports in functions or for types): " in shop.text("cycles", all=True)
    assert last in shop.text("cycles")
    assert last not in shop.text("cycles", all=True)


def test_dependencies_tell_when_an_import_takes_place(shop: Desk) -> None:
    found = shop.run("deps", path="typed/b.py")
    assert [(item.path, item.kind) for item in found.imports] == [
        ("typed/a.py", "import"),
        ("typed/c.py", "late-import"),
    ]
    assert found.imports[1].evidence.endswith(", when a function runs")
    assert [(item.path, item.kind) for item in found.imported_by] == [
        ("typed/a.py", "type-import"),
        ("typed/c.py", "import"),
    ]
    # One that loads the file outweighs one for types alone.
    users = shop.run("deps", path="typed/a.py").imported_by
    assert [(user.path, user.line, user.kind) for user in users] == [
        ("typed/b.py", 1, "import"),
        ("typed/d.py", 4, "import"),
    ]
    assert "  0.95 typed/a.py:3 (B) [type-import]\n" in shop.text("deps", path="typed/b.py")
    there = {file.path: file.evidence for file in shop.run("impact", target="typed/b.py").files}
    assert sorted(there) == ["typed/a.py", "typed/c.py", "typed/d.py"]
    assert there["typed/a.py"].endswith(", for types alone")
    assert "for types" not in there["typed/c.py"]
    (user,) = [item for item in shop.run("graph", name="B", importers=True).items if item.line == 3]
    assert user.evidence.endswith(", for types alone")


def test_impact_of_a_file_names_dependants_tests_history_and_memories(shop: Desk) -> None:
    found = shop.run("impact", target="shop/store.py")
    assert (found.kind, found.total) == ("file", 4)
    assert [(file.path, file.depth) for file in found.files] == [
        ("shop/cart.py", 1),
        ("shop/web.py", 2),
        ("tests/test_web.py", 3),
        ("shop/ring.py", 3),
    ]
    assert found.tests == ("tests/test_web.py",)
    assert [(item.path, item.commits) for item in found.together] == [("docs/store.md", 3)]
    assert found.likely[:3] == ("docs/store.md", "shop/cart.py", "shop/web.py")
    # One changed with it as often and is no more, the others came with one commit each.
    assert not [path for path in found.likely if path.startswith(("docs/gone", "changes/"))]
    assert [decision.title for decision in found.decisions] == ["Carts keep their own store"]
    assert len(found.memories) == 1
    assert found.risk.level in ("low", "medium")
    assert "1 test file reaches it" in found.risk.reasons
    text = shop.text("impact", target="shop/store.py")
    assert "Look at first (by dependence and history):\n  docs/store.md\n  shop/cart.py\n" in text
    near = shop.run("impact", target="shop/store.py", depth=1)
    assert [file.path for file in near.files] == ["shop/cart.py"]


def test_lists_of_changes_and_manual_pages_are_not_looked_at_first(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    for number in range(4):
        names = ("lib.py", "CHANGES.rst", "docs/man/lib.1", "man/lib-more.txt", "docs/lib.md")
        repo.commit(f"Change {number}", dict.fromkeys(names, f"x = {number}\n"))
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    assert desk.run("impact", target="lib.py").likely == ("docs/lib.md",)


def test_impact_of_a_name_follows_its_users_alone(shop: Desk) -> None:
    found = shop.run("impact", target="Cart.add")
    assert [file.path for file in found.files] == ["shop/web.py", "tests/test_web.py"]
    assert found.files[1].way == (
        "shop/cart.py:Cart.add",
        "shop/web.py:show",
        "tests/test_web.py:test_show",
    )
    alone = shop.run("impact", target="other/store.py:Store")
    assert (alone.total, alone.risk.level) == (0, "low")


def test_impact_of_a_diff_begins_at_the_definitions_it_changes(shop: Desk) -> None:
    found = shop.run("impact", target="HEAD~1..HEAD")
    assert (found.kind, found.names) == ("diff", ("shop/store.py:Store.put",))
    assert [file.path for file in found.files] == [
        "shop/cart.py",
        "shop/web.py",
        "tests/test_web.py",
    ]
    text = shop.text("impact", target="HEAD~1..HEAD")
    assert "Changes:\n  shop/store.py:Store.put\n" in text
    assert "shop/store.py:Store.put <- shop/cart.py:Cart.add" in text


def test_impact_of_a_diff_without_definitions_says_so_and_names_no_risk(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Start", {"README.md": "# Empty\n"})
    repo.commit("Say more", {"README.md": "# Shop\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    assert desk.run("impact", target="HEAD~1..HEAD").risk.level == "none"
    text = desk.text("impact", target="HEAD~1..HEAD")
    assert text.startswith("HEAD~1..HEAD: no definition changes\n")
    assert "risk" not in text and "Changes" not in text
    # What the diff changes itself is no dependant of it.
    lib, user = "def lend():\n    return 1\n", "from lib import lend\n\nlend()\n"
    repo.commit("Lend", {"lib.py": lib, "user.py": user, "more.py": user})
    repo.commit("Lend two", {"lib.py": lib.replace("1", "2"), "user.py": f"{user}lend()\n"})
    desk.run("index")
    assert [file.path for file in desk.run("impact", target="HEAD~1..HEAD").files] == ["more.py"]


def test_impact_is_of_the_very_definition(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    both = "class Cart:\n    def add(self): pass\n\n\nclass CartItem:\n    def price(self): pass\n"
    user = "from cart import CartItem\n\n\ndef show():\n    return CartItem().price()\n"
    repo.commit("Start", {"cart.py": both, "user.py": user})
    # One that changes in its first line alone does change.
    repo.commit("Take more", {"cart.py": both.replace("price(self)", "price(self, *more)")})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    assert desk.run("impact", target="CartItem").total == 1
    assert desk.run("impact", target="Cart").files == ()
    found = desk.run("impact", target="HEAD~1..HEAD")
    assert found.names == ("cart.py:CartItem.price",)
    assert [file.path for file in found.files] == ["user.py"]


def test_commits_of_everything_make_nothing_change_together(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    for number in range(co_change.MIN_COMMON_COMMITS):
        every = {f"f{n}.py": f"x = {number}\n" for n in range(co_change.SWEEPING)}
        repo.commit(f"Everything {number}", every | {"lib.py": f"x = {number}\n"})
        repo.commit(f"Two {number}", {"lib.py": f"y = {number}\n", "user.py": f"y = {number}\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    found = desk.run("impact", target="lib.py")
    assert [(item.path, item.commits) for item in found.together] == [
        ("user.py", co_change.MIN_COMMON_COMMITS)
    ]


def test_without_a_language_that_is_resolved_it_says_so(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Start", {"README.md": "# Empty\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    text = "No file here is of a language whose imports are resolved."
    assert desk.run("cycles").note == text


def test_what_is_defined_in_a_function_and_called_there_is_called_by_it(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    text = "def outer():\n    def pair(a):\n        return a\n    def less(a):\n"
    text += "        return pair(a)\n"
    repo.commit("Start", {"src/app.py": f"{text}    return less\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    found = desk.run("graph", name="src/app.py:outer", callees=True).items
    assert [(item.name, item.at) for item in found] == [("outer.pair", "src/app.py:5")]


def test_a_private_method_of_a_script_is_found_by_its_name(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    text = "export class Store {\n  #read() { return 1 }\n  all() { return this.#read() }\n}\n"
    repo.commit("Start", {"src/store.ts": text})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    for message in ("Store.#read", "#read", "src/store.ts:Store.#read"):
        assert names(desk.run("graph", name=message)) == ["src/store.ts:Store.all"], message
    assert names(desk.run("graph", name="Store#all", callees=True)) == ["src/store.ts:Store.#read"]


def test_a_page_headed_by_a_name_does_not_define_it(repo: RepoBuilder) -> None:
    page = "<html><body><h1>Basket</h1><p>Basket</p></body></html>\n"
    repo.commit("Start", {"basket.py": "class Basket:\n    pass\n", "docs/basket.html": page})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    assert [definition.path for definition in desk.run("graph", name="Basket").definitions] == [
        "basket.py"
    ]
    assert desk.run("impact", target="Basket").risk.level == "low"


def drawn(desk: Desk, verb: str, **values: object) -> tuple[str, list[str]]:
    """A verb as Mermaid: all of it, and its arrows by the texts of the boxes."""
    drawings = operations.load_operation(verb).drawings
    assert drawings
    result = desk.run(verb, format="mermaid", **values)
    assert drawings["dot"](result, 0).startswith("digraph")
    text = drawings["mermaid"](result, 0)
    boxes = dict(re.findall(r'^  (n\d+)\["(.*)"\]$', text, re.M))
    arrows = re.findall(r'^  (n\d+) (-\S+?>)(?:\|"(.*)"\|)? (n\d+)$', text, re.M)
    return text, [f"{boxes[a]} {line} {boxes[b]} {said}".rstrip() for a, line, said, b in arrows]


def test_relations_are_drawn_as_a_diagram(shop: Desk) -> None:
    assert drawn(shop, "graph", name="shop/store.py:put", depth=2)[1] == [
        "shop/cart.py:Cart.add --> shop/store.py:Store.put",
        "shop/web.py:show --> shop/cart.py:Cart.add",
        "shop/web.py:show -.-> shop/store.py:Store.put",
    ]
    assert drawn(shop, "graph", name="Cart.add", callees=True)[1] == [
        "shop/cart.py:Cart.add --> shop/store.py:Store.put"
    ]
    assert drawn(shop, "graph", name="shop/ring.py", callers=True)[0] == (
        'flowchart LR\n  n0["shop/ring.py"]'
    )
    assert drawn(shop, "deps", path="shop/cart.py")[1] == [
        "shop/web.py --> shop/cart.py",
        "shop/cart.py --> shop/store.py",
        "shop/cart.py --> json",
    ]
    assert "commit" in drawn(shop, "related", id="shop/store.py")[0]
    assert all(
        arrow.endswith("changed") or "shop/store.py" in arrow
        for arrow in drawn(shop, "related", id="shop/store.py")[1]
    )


def test_a_lineage_is_drawn_from_the_newer_to_the_older(shop: Desk) -> None:
    old = shop.run("decide", title="Carts are kept in memory").id
    new = shop.run("decide", title="Carts are kept in files", supersedes=old).id
    arrows = drawn(shop, "related", id=old, lineage=True)[1]
    assert len(arrows) == 1 and arrows[0].endswith("SUPERSEDES")
    source, _, target = arrows[0].partition(" --> ")
    assert "in files" in source and "in memory" in target and new != old
