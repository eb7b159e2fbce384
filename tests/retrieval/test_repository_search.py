"""What a search of everything shows first: the best of each kind, whatever the wording."""

from __future__ import annotations

import time

import pytest

from gitmem.operations.find.search_view import view
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder
from tests.support.tables import table

_GUIDE = "# Guide\n\n## Deploying\n\nKeep the daemon running on ubuntu with a systemd unit.\n"
_TOUR = "# Guide\n\n## {0}\n\nUbuntu systemd unit {0} daemon.\n"


def desk(folder: object, files: dict[str, str]) -> Desk:
    repo = RepoBuilder(folder / "repo")  # type: ignore[operator]
    repo.commit("Everything", files)
    made = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    made.run("init", no_index=True, no_hooks=True)
    made.run("index")
    return made


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    code = {
        f"src/daemon{at}.py": f"def run_daemon_{at}(unit):\n    '''Keep {at} running.'''\n"
        for at in range(6)
    }
    past = "# Changes\n\n## 2.4.0\n\n- An empty NO_COLOR variable is considered disabled\n"
    translated = {f"docs/{item}/tour.md": _TOUR.format(item) for item in ("de", "fr", "ja", "en")}
    files = {"docs/deploying.md": _GUIDE, "CHANGELOG.md": past, **code, **translated}
    return desk(tmp_path_factory.mktemp("kinds"), files)


@table(
    "wording",
    [
        "keep the daemon running on ubuntu",
        "how do I keep the daemon running on ubuntu",
        "systemd unit",
        "the daemon is not running on ubuntu after a crash",
        "ubuntu daemon systemd unit running",
    ],
)
def test_a_document_is_shown_however_it_is_asked_for(project: Desk, wording: str) -> None:
    hits = project.run("search", query=wording).hits
    assert "docs/deploying.md" in [hit.path for hit in hits[:3]]


def test_what_happened_is_reported_by_the_changelog_with_its_release(project: Desk) -> None:
    hits = project.run("search", query="when was the empty NO_COLOR variable disabled").hits
    result = next(hit for hit in hits[:3] if hit.path == "CHANGELOG.md")
    assert (result.file_kind, "2.4.0" in result.context) == ("changelog", True)


def test_translations_take_one_place_and_say_how_many_there_are(project: Desk) -> None:
    hits = project.run("search", query="systemd unit tour").hits
    (tour,) = [hit for hit in hits if hit.path.endswith("tour.md")]
    assert tour.path == "docs/en/tour.md" and "also: 3 translations" in tour.why
    named = project.run("search", query="docs/ja/tour.md").hits
    assert named[0].path == "docs/ja/tour.md"


def test_one_word_that_names_nothing_brings_documents_and_a_name_its_definition(
    project: Desk,
) -> None:
    assert "docs/deploying.md" in [hit.path for hit in project.run("search", query="ubuntu").hits]
    hits = project.run("search", query="run_daemon_3").hits
    assert (hits[0].path, hits[0].file_kind) == ("src/daemon3.py", "code")


def test_each_line_of_a_list_says_what_kind_it_is(project: Desk) -> None:
    shown = view(project.run("search", query="systemd daemon unit"))
    assert "[docs, " in shown and "[code, " in shown


def test_a_memory_that_holds_the_question_is_among_the_first_unless_it_is_wrong(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    code = {f"a{at}.py": f"def daemon_{at}(unit):\n    return unit\n" for at in range(5)}
    made = desk(tmp_path_factory.mktemp("memory"), code)
    saved = made.run("remember", text="The daemon unit waits for the network")
    expected = "daemon unit waits for the network"
    ids = [hit.id for hit in made.run("search", query=expected).hits[:3]]
    assert saved.id in ids
    made.run("feedback", id=(saved.id,), wrong=True)
    assert saved.id not in [hit.id for hit in made.run("search", query=expected).hits[:3]]


def test_no_hit_stands_before_one_of_a_higher_score(project: Desk) -> None:
    scores = [hit.score for hit in project.run("search", query="systemd daemon unit").hits]
    assert scores == sorted(scores, reverse=True)


def test_code_that_holds_no_word_of_a_question_is_not_first_for_being_code(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    code = {"src/draw.py": "def draw(terminal, display):\n    return terminal + display\n"}
    made = desk(tmp_path_factory.mktemp("bare"), {**code, "bot.yml": "screen:\n  cooldown: 7\n"})
    hits = made.run("search", query="screen cooldown after resizing").hits
    assert [hit.path for hit in hits] == ["bot.yml", "src/draw.py"]
    assert hits[1].why[0] == "related words: terminal, display"


def test_a_version_is_found_as_one_number(tmp_path_factory: pytest.TempPathFactory) -> None:
    files = {f"src/a{at}.py": f"# Python 3 world, {at} of 8\nx = {at}\n" for at in range(3)}
    files["notes.md"] = "# Platforms\n\nPython 3.8.1 and newer.\n"
    made = desk(tmp_path_factory.mktemp("version"), files)
    hits = made.run("search", query="Python 3.8").hits
    assert hits[0].path == "notes.md" and hits[0].matched == ("python", "3.8")
    assert all("3.8" not in hit.matched for hit in hits[1:])


def test_every_hit_says_why_it_is_one(tmp_path_factory: pytest.TempPathFactory) -> None:
    files = {"a.py": "# It depends on b.\nimport b\n", "b.py": "def b():\n    pass\n"}
    made = desk(tmp_path_factory.mktemp("why"), files)
    hits = made.run("search", query="dependency").hits
    assert hits and all(hit.why for hit in hits)


def test_who_asks_for_one_kind_gets_its_own_order(project: Desk) -> None:
    hits = project.run("search", query="systemd daemon unit", sources=("code",)).hits
    assert hits and {hit.kind for hit in hits} == {"code"}


_NAMES = [f"class Part{at}:\n    def handle_{at}(self):\n        pass\n" for at in range(50)]
_API = "# pkg.module{0}\n\n## run_{0}(unit)\n\nReturns the unit of module {0}.\n" * 20


@table(
    ("text", "path"),
    [
        ("the of and is", ""),
        ("我喜欢编程语言", ""),
        ("Ünïcödé wörter überall", ""),
        ("wie läuft der daemon auf ubuntu", "docs/deploying.md"),
        ("daemon " * 15_000 + "ubuntu", "docs/deploying.md"),
        ("lorem ipsum " * 8_000 + "\nKeyError: run_daemon_3", "src/daemon3.py"),
        (" ".join(f"run_daemon_{at}" for at in range(50)), "src/daemon"),
    ],
)
def test_odd_texts_give_a_sensible_first_ten_or_an_honest_nothing(
    project: Desk, text: str, path: str
) -> None:
    begin = time.process_time()
    found = project.run("search", query=text)
    assert time.process_time() - begin < 5  # a square would take minutes
    paths = [hit.path for hit in found.hits]
    assert len(paths) <= 10 and len(set(paths)) == len(paths)
    if path:
        assert any(item.startswith(path) for item in paths[:3])
    else:
        assert found.relevance != "good"


@pytest.fixture(scope="module", params=["translations", "generated", "names", "no documents"])
def odd(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    languages = (
        "ar az bg bn ca cs da de el en es et eu fa fi fr gl he hi hr hu id it ja ka ko lt lv mk ms "
        "nb nl pl pt ro ru sk sl sr sv"
    )
    files = {
        "translations": {
            f"docs/{item}/tour.md": _TOUR.format(item) for item in languages.split(" ")
        },
        "generated": {f"docs/api/module{at}.md": _API.format(at) for at in range(40)},
        "names": {"src/parts.py": "".join(_NAMES)},
        "no documents": {f"src/unit{at}.py": f"def unit_{at}(): ...\n" for at in range(12)},
    }
    return desk(tmp_path_factory.mktemp("odd"), files[request.param])


def test_an_odd_repository_has_a_first_ten_without_repeats(odd: Desk) -> None:
    hits = odd.run("search", query="unit").hits or odd.run("search", query="handle").hits
    assert 0 < len(hits) <= 10
    shown = [(hit.path, hit.start_line) for hit in hits]
    assert len(set(shown)) == len(shown)
    if hits[0].path.endswith("tour.md"):
        assert [hit.path for hit in hits] == ["docs/en/tour.md"]
        assert any(why.startswith("also: 3") for why in hits[0].why)
    named = odd.run("search", query=" ".join(f"handle_{at}" for at in range(50))).hits
    assert len(named) <= 10
