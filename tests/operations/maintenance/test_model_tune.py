"""`gitmem model tune`: learned from a repository, used where its newest commits find more."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from gitmem.embedding import question_map
from gitmem.errors import InvalidInput, NotFound
from gitmem.maintenance.model_tuning import ModelTuningResult
from gitmem.operations.maintenance import model
from gitmem.store.code import commits
from gitmem.store.code.commits import IndexedCommit
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder

# What the house calls a thing, and what the code of it holds: nothing of the one says the other.
JARGON = {
    "lighthouse": "def parse(stream):\n    return decode(stream.header, stream.body)\n",
    "orchid": "def connect(host, port):\n    return socket.open(host, port, timeout=30)\n",
    "walnut": "def render(template, values):\n    return template.format(values)\n",
    "glacier": "def schedule(job, delay):\n    queue.push(job, time.now() + delay)\n",
    "saffron": "def hash_password(secret, salt):\n    return digest(secret + salt)\n",
    "pelican": "def resize(image, width):\n    return image.scale(width, image.height)\n",
    "copper": "def translate(text, language):\n    return catalogue[language].get(text)\n",
    "meadow": "def compress(content, level):\n    return deflate(content, level)\n",
}
VERBS = ("mend", "change", "shorten", "speed up", "document", "rename")
QUESTIONS = tuple(JARGON)[:4]


def paths() -> list[str]:
    return [f"src/part{at}.py" for at in range(len(JARGON))]


def others() -> list[str]:
    return [f"src/other{at}.py" for at in range(12)]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A repository whose parts are indexed, without a commit in the index."""
    home = tmp_path_factory.mktemp("tuned")
    repo = RepoBuilder(home / "repo")
    files = dict(zip(paths(), JARGON.values(), strict=True))
    repo.commit("Start", files | {path: f"x = {at}\n" for at, path in enumerate(others())})
    desk = Desk(repo.path, home / "home")
    desk.env["GITMEM_INDEX_COMMITS"] = "0"
    desk.run("init", no_hooks=True)
    return desk


@pytest.fixture
def desk(place: Desk) -> Desk:
    app = place.app()
    with app.store.write():
        app.store.run("DELETE FROM commits")
    app.close()
    place.settings_file.unlink(missing_ok=True)
    for item in (place.store.parent / "tuned").glob("*"):
        item.unlink()
    return place


def with_commits(desk: Desk, count: int, *, telling: bool) -> None:
    """Commits that call each part by its name in the house, or any file by any."""
    draw = random.Random(1)
    words, made = list(JARGON), []
    for at in range(count):
        part = draw.randrange(len(words))
        message = words[part if telling else draw.randrange(len(words))]
        subject = f"{draw.choice(VERBS)} the {message} once more"
        changed = paths()[part] if telling else draw.choice([*paths(), *others()])
        mark = at.to_bytes(16, "big")
        made.append(IndexedCommit(f"{at:040x}", "Ada", at, subject, "", (changed,), mark))
    app = desk.app()
    with app.store.write():
        commits.add_commits(app.store, made)
    app.close()


def tune(desk: Desk, **values: bool) -> ModelTuningResult:
    found = desk.run("model tune", **values)
    assert isinstance(found, ModelTuningResult)
    return found


def nearest(desk: Desk, query: str) -> str:
    found = desk.run("search", query=query, mode="semantic", sources=("code",))
    return found.hits[0].path if found.hits else ""


def test_what_the_house_calls_things_is_learned_and_can_be_gone_back_from(desk: Desk) -> None:
    with_commits(desk, 240, telling=True)
    before = [nearest(desk, word) for word in QUESTIONS]
    first = tune(desk)
    assert (first.version, first.why, first.asked) == (1, "", 48)
    assert first.learned == {"commits": 192, "documentation": 0, "headings": 0}
    assert first.after > first.before + 0.2
    assert 0 < first.least < first.after - first.before < first.most
    output = model.view_tune(first)
    assert "in use: version 1" in output
    assert "48 newest commits" in output
    after = [nearest(desk, word) for word in QUESTIONS]
    assert after == paths()[:4] != before

    # The same again is the same map, in a file of its own.
    assert tune(desk).version == 2
    folder = desk.store.parent / "tuned"
    assert (folder / "1.map").read_bytes() == (folder / "2.map").read_bytes()
    assert tune(desk, back=True).version == 1
    assert [nearest(desk, word) for word in QUESTIONS] == after
    # So is one that an archive put there, whole as it is.
    whole = (folder / "1.map").read_bytes()
    theirs = question_map.read_question_map(str(folder / "1.map"))
    theirs.rows = bytes(reversed(theirs.rows))
    (folder / "1.map").write_bytes(theirs.to_bytes())
    assert [nearest(desk, word) for word in QUESTIONS] == before
    (folder / "1.map").write_bytes(whole)
    assert [nearest(desk, word) for word in QUESTIONS] == after
    # A damaged file is left out: the original model answers.
    (folder / "1.map").write_bytes((folder / "1.map").read_bytes()[:-1])
    assert [nearest(desk, word) for word in QUESTIONS] == before
    assert tune(desk, off=True).version == 0
    assert [nearest(desk, word) for word in QUESTIONS] == before
    with pytest.raises(NotFound, match="No tuned model is in use"):
        tune(desk, back=True)


def test_what_is_not_surely_better_is_refused(desk: Desk) -> None:
    with_commits(desk, 240, telling=False)
    found = tune(desk)
    assert found.version == 0
    assert found.why == "the newest commits do not surely find their files better"
    assert found.asked == 48
    assert not (desk.store.parent / "tuned" / "1.map").exists()
    assert "not changed: the newest commits" in model.view_tune(found)


def test_ten_commits_are_a_sentence(desk: Desk) -> None:
    with_commits(desk, 10, telling=True)
    found = tune(desk)
    assert found.why.startswith("10 indexed commits tell")
    assert "200 are needed" in found.why
    assert found.version == 0
    assert model.view_tune(found).endswith("in use: the original model")


def test_other_models_cannot_be_tuned_and_two_wishes_are_one_too_many(desk: Desk) -> None:
    desk.run("model use", name="hashed")
    with pytest.raises(InvalidInput, match="Only the built-in model can be tuned"):
        tune(desk)
    desk.run("model use", name="builtin")
    with pytest.raises(InvalidInput, match="cannot be combined"):
        tune(desk, back=True, off=True)


def test_a_map_is_the_same_in_python_and_numpy_and_says_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys
    from array import array

    draw = random.Random(3)
    rows = bytes(draw.randrange(256) for _ in range(16 * 16))
    made = question_map.QuestionMap("one", array("f", [draw.random() for _ in range(16)]), rows)
    vector = bytes(draw.randrange(256) for _ in range(16))
    import numpy  # noqa: F401

    fast = made.map_vector(vector)
    monkeypatch.delitem(sys.modules, "numpy")
    assert made.map_vector(vector) == fast
    file = tmp_path / "1.map"
    file.write_bytes(made.to_bytes())
    again = question_map.read_question_map(str(file))
    assert (again.map_vector(vector), again.identity) == (fast, "one")
    whole = made.to_bytes()
    for damaged, expected in (
        (whole[:-3], "is damaged"),
        (whole[:5], "is not a tuned model"),
        (whole[:40] + b"x" + whole[41:], "is damaged"),
        (b"not a map at all, but long enough", "is not a tuned model"),
    ):
        file.write_bytes(damaged)
        with pytest.raises(question_map.Unavailable, match=expected):
            question_map.read_question_map(str(file))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders")
def test_a_pipe_in_place_of_a_map_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "1.map")
    with pytest.raises(question_map.Unavailable, match="not a file"):
        question_map.read_question_map(str(tmp_path / "1.map"))
    with pytest.raises(question_map.Unavailable, match="cannot be read"):
        question_map.read_question_map(str(tmp_path / "2.map"))
