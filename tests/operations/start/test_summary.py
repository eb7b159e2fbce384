"""`gitmem summary`: a project, a folder, a file in a few lines (ML-9, ML-16)."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.assembly import project_summary
from gitmem.errors import InvalidInput, NotFound
from gitmem.operations.start.summary import OF_EACH
from gitmem.text.token_ceiling import max_token_count
from tests.support.apps import DAY, Desk
from tests.support.repos import RepoBuilder
from tests.support.secrets import SECRET

FILES = {
    # Heading, badge and a request for money stand before what it is.
    "README.md": "Welcome all\n===========\n\n[![badge](x)](y)\n\nBuy us a coffee.\n\n"
    "**Shop** is where things\nare sold.\n\nMore.\n",
    "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["httpx"]\n'
    '[project.scripts]\nshop="a:b"\n',
    "src/shop/__main__.py": "def main():\n    return 0\n",
    "src/shop/cart.py": '"""The cart of a customer."""\n\n\ndef add(thing):\n' + "    x = 1\n" * 40,
    "tests/test_cart.py": "def test_add():\n    assert True\n",
    "web/index.ts": "export function start() {}\n",
    "tests/expected/list.out": "an apple\n" * 90,
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A small project with two notes on it; tests read it."""
    repo = RepoBuilder(tmp_path_factory.mktemp("summary") / "repo")
    repo.commit("Start", FILES)
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    desk.run("remember", text="The web part talks to the shop by HTTP", tag=("architecture",))
    desk.run("decide", title="Carts live in memory", why="They are small")
    return desk


def test_a_manifest_starts_what_is_there_and_not_what_is_built(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    manifest = (
        '{"bin": {"a": "./bin/a.mjs", "b": "cli"}, "main": "dist/a.cjs", "module": "./lib/x"}'
    )
    repo.commit("Start", {"packages/a/package.json": manifest, "packages/a/bin/a.mjs": "run()\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    assert desk.run("summary").entry_points == ("packages/a/bin/a.mjs", "cli")


def test_a_project_is_described_from_what_is_in_it(model: Desk) -> None:
    found = model.run("summary")
    assert (found.name, found.total.files) == ("shop", 7)
    assert found.description == "**Shop** is where things are sold."
    assert [(language.name, language.files) for language in found.languages][:1] == [("python", 3)]
    assert found.languages[-1].name == "other"  # however long it is
    assert {folder.name: folder.files for folder in found.folders} == {
        "src": 2, "tests": 2, "web": 1, ".": 2
    }  # fmt: skip
    assert [(manifest.path, manifest.dependencies) for manifest in found.manifests] == [
        ("pyproject.toml", ("httpx",))
    ]
    assert found.entry_points == ("shop", "web/index.ts", "src/shop/__main__.py")
    assert [item.content for item in found.architecture] == [
        "The web part talks to the shop by HTTP"
    ]
    assert [decision.title for decision in found.decisions] == ["Carts live in memory"]
    assert "pyproject.toml needs: httpx" in model.text("summary")


def test_what_is_in_no_known_language_is_counted_beside_any_number_of_others(
    repo: RepoBuilder,
) -> None:
    endings = ("py", "js", "go", "rs", "rb", "java", "kt", "lua", "swift")
    repo.commit("Start", {f"src/a.{end}": "x\n" * (20 + at) for at, end in enumerate(endings)})
    repo.commit("Teal", {"src/a.tl": "x\n" * 90, "a.toml": "x = 1\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    messages = [language.name for language in desk.run("summary").languages]
    assert len(messages) == 9 and messages[-1] == "other"
    (line,) = (
        splitline for splitline in desk.text("orient").splitlines() if " lines: " in splitline
    )
    assert line.endswith(": swift 9 %, lua 8 %, kotlin 8 %, java 8 %, other 28 %")


def test_a_language_of_less_than_a_percent_is_left_out_of_the_first_lines() -> None:
    part = project_summary.ProjectPart
    shares = (part("go", 1, 500, 1000), part("python", 1, 1, 2))
    shop = project_summary.ProjectSummary(
        "shop", "", part(".", 2, 501, 1002), shares, (), (), (), (), ()
    )  # fmt: skip
    assert project_summary.describe_project_in_lines(shop) == ["- 2 files, 501 lines: go 99 %"]


def test_a_folder_tells_its_files_and_what_that_saves(model: Desk) -> None:
    found = model.run("summary", path="src/shop/")
    assert [file.path for file in found.files] == ["src/shop/cart.py", "src/shop/__main__.py"]
    cart = found.files[0]
    assert cart.summary == "The cart of a customer.\n4 def add(thing)"
    assert found.tokens_saved == sum(file.tokens_saved for file in found.files) > 100
    assert [folder.name for folder in model.run("summary", path="src").folders] == ["shop"]


def test_a_file_is_reported_alone(model: Desk) -> None:
    found = model.run("summary", path="src/shop/cart.py")
    assert [file.path for file in found.files] == ["src/shop/cart.py"]
    assert found.languages == ()
    for path, error in (("src/none.py", NotFound), ("../x", InvalidInput)):
        with pytest.raises(error):
            model.run("summary", path=path)


def test_who_comes_first_hears_what_the_project_is_and_later_what_happened(
    model: Desk,
) -> None:
    text = model.text("orient", by="codex")
    assert "About this project:\n- **Shop** is where things are sold." in text
    assert "- needs: httpx" in text
    model.clock.advance(DAY)
    assert "About this project" not in model.text("orient", by="codex")


def test_an_empty_project_and_one_without_an_index(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    desk = Desk(repo.path, repo.home)
    desk.run("init", no_hooks=True)
    assert desk.text("summary") == "Nothing is indexed here yet: run `gitmem index`."
    assert "About this project" not in desk.text("orient")


def test_the_readme_is_the_one_and_a_large_file_in_a_folder_is_reported_in_short(
    tmp_path: Path,
) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    large = "".join(f"def step_{n}():\n    return {n}\n\n\n" for n in range(900))
    repo.commit(
        "Start",
        {
            "README.md": f"# A\n\nUse {SECRET} to begin with it.\n",
            "README-VIM.md": "# Vim\n\nA part for editors.\n",
            "src/large.py": large,
        },
    )
    desk = Desk(repo.path, repo.home)
    desk.run("init", no_hooks=True)
    text = desk.text("summary")
    assert SECRET not in text + desk.text("orient")
    assert "to begin with it" in text and "editors" not in text
    alone, inside = (desk.run("summary", path=item).files[0] for item in ("src/large.py", "src"))
    assert len(alone.summary) > 2 * len(inside.summary) and "step_0" in inside.summary
    assert max_token_count(inside.summary) <= OF_EACH and " more" in inside.summary


_LATE = "\n\nNews.\n" * 10
READMES = {
    "written/README.md": "Thanks.\n\nWritten is written in C.\n\nWritten allows you to write.\n",
    "coded/README.md": "`coded` is a\ncode.\n",
    "colon/README.md": "Colon is a client that is quick:\n\n- It pools.\n",
    "fence/README.md": "```sh\nrun it\n```\n\nA fence for all.\n",
    "licence/README.md": "<!--\nLicensed to all.\n\nFor ever.\n-->\nA licence.\n",
    "cats-two/README.md": "Hear this.\n\n<p>Cats Two is the second of cats.</p>\n",
    "late/README.md": f"A late start.{_LATE}\nLate is a project without money.\n",
    "tasks/README.md": "Give money.\n\nTasks is a thing with donations.\n",
    "tasks/tasks/__init__.py": '"""A queue of tasks."""\n',
    "many/a/Cargo.toml": '[package]\nname = "a-part"\ndescription = "A part"\n',
    "many/many/Cargo.toml": '[package]\nname = "many"\ndescription = "All of it"\n',
}


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A folder for each way in which a project says what it is."""
    repo = RepoBuilder(tmp_path_factory.mktemp("described") / "repo")
    repo.commit("Start", READMES)
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    return desk


@pytest.mark.parametrize(
    ("folder", "description"),
    [
        ("written", "Written allows you to write."),
        ("coded", "`coded` is a code."),
        ("colon", "Colon is a client that is quick"),
        ("fence", "A fence for all."),
        ("licence", "A licence."),
        ("cats-two", "Cats Two is the second of cats."),
        ("late", "A late start."),
        ("tasks", "A queue of tasks."),
        ("many", "All of it"),
    ],
)
def test_a_project_is_what_it_says_that_it_is(
    described: Desk, folder: str, description: str
) -> None:
    app = described.app()
    try:
        assert project_summary.summarise_project(app, folder).description == description
    finally:
        app.close()
